"""No style sheet, script or template grows beyond what one can hold in mind.

A module in Python has no limit: what belongs together stays in one file (see CONTRIBUTING.md).
"""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MOST = {"*.css": 400, "*.js": 300, "*.html": 130}
FOLDERS = ("templates", "static")


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
