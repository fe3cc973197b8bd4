"""The product imports what requirements.txt names, and nothing that only the tests install."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from importlib.metadata import distribution, packages_distributions, version
from pathlib import Path

import pytest
from django.conf import settings
from packaging.requirements import Requirement

ROOT = Path(settings.BASE_DIR)
OURS = ("analytics_app", "evalweb", "tasks_app")
NAMED = re.compile(r"^([A-Za-z0-9._-]+)", re.MULTILINE)


def named(file: str) -> set[str]:
    """Return the packages that a file of requirements names."""
    return {canonical(name) for name in NAMED.findall((ROOT / file).read_text("utf-8"))}


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def imported(tree: ast.AST) -> Iterator[str]:
    """Yield the modules that are imported when the code runs, within functions too: types alone are nobody's need."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) in {"TYPE_CHECKING", "typing.TYPE_CHECKING"}:
            continue
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
        else:
            yield from imported(node)


@pytest.mark.parametrize("app", OURS)
def test_what_runs_is_installed(app: str) -> None:
    brought, required, missing = packages_distributions(), named("requirements.txt"), []
    for path in sorted((ROOT / app).rglob("*.py")):
        for module in imported(ast.parse(path.read_text("utf-8"))):
            top = module.partition(".")[0]
            if top in sys.stdlib_module_names or top in OURS:
                continue
            if not required & {canonical(one) for one in brought.get(top, ())}:
                missing.append(f"{path.relative_to(ROOT)} imports {module}")
    assert not missing


def locked() -> dict[str, str]:
    """Return the exact versions of requirements.lock by name."""
    lines = (ROOT / "requirements.lock").read_text("utf-8").splitlines()
    return dict(line.split("==") for line in lines if not line.startswith("#"))


def direct() -> Iterator[Requirement]:
    """Yield the packages that requirements.txt names and this machine needs."""
    for line in (ROOT / "requirements.txt").read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            needed = Requirement(line)
            if needed.marker is None or needed.marker.evaluate():
                yield needed


def needs(name: str, extras: Iterable[str]) -> Iterator[Requirement]:
    """Yield the packages that an installed package needs on this machine."""
    for line in distribution(name).requires or ():
        needed = Requirement(line)
        if needed.marker is None or any(needed.marker.evaluate({"extra": extra}) for extra in ("", *extras)):
            yield needed


def test_the_lock_fits_requirements_txt() -> None:
    versions = locked()
    for needed in direct():
        name = canonical(needed.name)
        assert name in versions, f"{needed} is missing from requirements.lock: run `make lock`"
        assert needed.specifier.contains(versions[name], prereleases=True), (
            f"requirements.lock has {name} {versions[name]}, and {needed} is needed: run `make lock`"
        )


def test_the_lock_has_what_locked_packages_need_and_no_more() -> None:
    """A fresh .venv may hold a newer release than the lock: what that one needs is for the next `make lock`."""
    versions, reached = locked(), set[str]()
    waiting, whole = list(direct()), True
    while waiting:
        needed = waiting.pop()
        name = canonical(needed.name)
        if name in reached:
            continue
        reached.add(name)
        if name in versions and version(name) == versions[name]:
            waiting += needs(name, needed.extras)
        else:
            whole = False
    assert not whole or set(versions) == reached, "run `make lock`"


def test_the_command_writes_what_is_installed() -> None:
    made = subprocess.run(
        [sys.executable, "-c", "import lock; print(lock.content(), end='')"],
        cwd=ROOT / "scripts", check=True, capture_output=True, text=True,
    )  # fmt: skip
    lines = [line for line in made.stdout.splitlines() if not line.startswith("#")]
    written = dict(line.split("==") for line in lines)
    assert list(written) == sorted(written)
    assert written == {name: version(name) for name in written}
    assert {canonical(needed.name) for needed in direct()} <= written.keys()
