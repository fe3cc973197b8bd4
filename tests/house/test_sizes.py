"""No module grows beyond what one can hold in mind; migrations are written by Django."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MOST = {"*.py": 400, "*.css": 400, "*.js": 300, "*.html": 130}
FOLDERS = ("evalweb", "tasks_app", "analytics_app", "templates", "static", "tests", "bench", "scripts")


@pytest.mark.parametrize("pattern", list(MOST))
def test_sizes(pattern: str) -> None:
    sizes = {
        str(path.relative_to(ROOT)): len(path.read_text().splitlines())
        for folder in FOLDERS
        for path in (ROOT / folder).rglob(pattern)
        if "migrations" not in path.parts
    }
    assert len(sizes) > 10
    assert {name: size for name, size in sizes.items() if size > MOST[pattern]} == {}
