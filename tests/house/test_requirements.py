"""The product imports what requirements.txt names, and nothing that only the tests install."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from django.conf import settings

ROOT = Path(settings.BASE_DIR)
OURS = ("analytics_app", "evalweb", "tasks_app")
NAMED = re.compile(r"^([A-Za-z0-9._-]+)", re.MULTILINE)


def named(file: str) -> set[str]:
    """Return the packages that a file of requirements names."""
    return {canonical(name) for name in NAMED.findall((ROOT / file).read_text("utf-8"))}


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def imported(tree: ast.AST) -> Iterator[str]:
    """Yield what is imported when the code runs, within functions too: types alone are nobody's need."""
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
