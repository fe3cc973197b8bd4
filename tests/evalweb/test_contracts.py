"""What import-linter cannot name: parts of a package that is not ours."""

import ast
from pathlib import Path

from evalweb.local_services.folder import BASE_DIR

PURE = [path for name in ("task_types", "designs") for path in sorted((BASE_DIR / "tasks_app" / name).rglob("*.py"))]


def imported(path: Path) -> set[str]:
    """Return the full names of everything a module imports."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def test_task_types_and_designs_leave_the_database_alone() -> None:
    assert PURE
    found = {str(path.relative_to(BASE_DIR)): {name for name in imported(path) if reaches(name)} for path in PURE}
    assert {path: names for path, names in found.items() if names} == {}


def reaches(name: str) -> bool:
    """Say whether a module is Django's for databases."""
    return name == "django.db" or name.startswith("django.db.")


def test_it_would_be_noticed(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    for line in ("from django import db", "from django.db import models", "import django.db.models"):
        module.write_text(line)
        assert [name for name in imported(module) if name.startswith("django.db")]
