"""docs/architecture.md stays true: its picture is drawn from the code, and the places that it names exist."""

import ast
import re
from pathlib import Path

import pytest

from scripts import architecture, conclusions

ROOT = Path(__file__).resolve().parents[2]
WALKS = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
STEPS = sorted(set(re.findall(r"`([\w/]+\.py)(?:: (\w+))?`", WALKS)))


def test_the_picture_is_drawn_from_the_contracts() -> None:
    drawn = architecture.drawn()
    assert architecture.PICTURE.read_text(encoding="utf-8") == drawn, "Run scripts/architecture.py."
    shown = set(re.findall(r'class="(?:app|name)">(\w+)<', drawn))
    assert {"evalweb", "tasks_app", "analytics_app", "task_types", "analyses", "runs"} <= shown


def test_the_picture_of_conclusions_is_drawn_by_its_script() -> None:
    assert conclusions.PICTURE.read_text(encoding="utf-8") == conclusions.drawn(), "Run scripts/conclusions.py."


@pytest.mark.parametrize(("path", "name"), STEPS)
def test_every_step_of_a_walk_exists(path: str, name: str) -> None:
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    defined = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    targets = [target for node in tree.body if isinstance(node, ast.Assign) for target in node.targets]
    defined |= {target.id for target in targets if isinstance(target, ast.Name)}
    assert not name or name in defined


def test_folders_that_the_walks_name_exist() -> None:
    folders = re.findall(r"`([\w/]+/)`", WALKS)
    assert folders
    assert [folder for folder in folders if not (ROOT / folder).is_dir()] == []


def test_the_table_of_places_names_one_for_each_thing() -> None:
    """That the modules, functions and folders exist is checked above, with those of the walks."""
    rows = re.findall(r"^\| (?!you look for)([^|]+) \| (.+) \|$", WALKS.partition("## Where is …?")[2], re.MULTILINE)
    assert len(rows) >= 30
    assert [thing for thing, place in rows if not re.search(r"`[\w/]+(?:\.py|/)", place)] == []


def test_no_private_module_is_imported_from_outside_its_package() -> None:
    """A module whose name begins with _ belongs to its folder."""
    outside = []
    for path in [*ROOT.glob("tasks_app/**/*.py"), *ROOT.glob("analytics_app/**/*.py"), *ROOT.glob("evalweb/**/*.py")]:
        package = path.parent.relative_to(ROOT).as_posix().replace("/", ".")
        for module in _imported(path):
            owner, _dot, private = re.sub(r"(\._[a-z]\w*).*", r"\1", module).rpartition(".")
            if re.match(r"_[a-z]", private) and module.startswith(("tasks_app", "analytics_app", "evalweb")):
                outside += [] if f"{package}.".startswith(f"{owner}.") else [f"{path.relative_to(ROOT)}: {module}"]
    assert outside == []


def _imported(path: Path) -> list[str]:
    """Return the modules that a file imports, and what it takes from packages, with dots."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            is_module = (ROOT / node.module.replace(".", "/")).is_dir()
            found += [f"{node.module}.{one.name}" for one in node.names] if is_module else [node.module]
        elif isinstance(node, ast.Import):
            found += [one.name for one in node.names]
    return found
