"""Blocks of Python in README.md and docs: those that compute figures again from exported files, and all others."""

import os
import re
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from typing import Any

from django.conf import settings

BLOCK = re.compile(r"^```python\n(.*?)^```$", flags=re.DOTALL | re.MULTILINE)


def pages() -> list[str]:
    """Return the pages that may show Python: README.md and all pages of docs, by their paths in the repository."""
    base = Path(settings.BASE_DIR)
    return ["README.md", *(str(page.relative_to(base)) for page in sorted((base / "docs").rglob("*.md")))]


def blocks_of(page: str) -> list[str]:
    """Return the blocks of Python of a page, by its path in the repository."""
    return BLOCK.findall((Path(settings.BASE_DIR) / page).read_text(encoding="utf-8"))


def in_docs() -> Iterator[str]:
    """Yield the blocks of all pages that compute rows of results.csv again, and leave them in `again`."""
    found = 0
    for page in pages():
        for code in blocks_of(page):
            if '"ratings.csv"' in code and "\nagain = " in code:
                found += 1
                yield code
    assert found, "no page has a recipe"


def run(code: str, folder: Path) -> list[dict[str, Any]]:
    """Run a recipe in the folder of the files, and return its rows with the value computed again."""
    rows: list[dict[str, Any]] = names_after(code, folder)["again"]
    return rows


def names_after(code: str, folder: Path) -> dict[str, Any]:
    """Run a block in a folder, and return the names that it leaves."""
    names: dict[str, Any] = {}
    with chdir(folder):
        exec(compile(code, os.fspath(folder / "recipe.py"), "exec"), names)
    return names
