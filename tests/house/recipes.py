"""Blocks of Python in docs/methods that compute figures again from ratings.csv and results.csv."""

import os
import re
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from typing import Any

from django.conf import settings

BLOCK = re.compile(r"^```python\n(.*?)^```$", flags=re.DOTALL | re.MULTILINE)


def in_docs() -> Iterator[str]:
    """Yield the blocks of all pages that compute rows of an exported file again, and leave them in `again`.

    tests/analytics_app/test_crossed.py fits the model with raters and items random again, for one criterion.
    """
    found = 0
    for page in sorted((Path(settings.BASE_DIR) / "docs").rglob("*.md")):
        for code in BLOCK.findall(page.read_text(encoding="utf-8")):
            if '"ratings.csv"' in code and "\nagain = " in code:
                found += 1
                yield code
    assert found, "no page has a recipe"


def run(code: str, folder: Path) -> list[dict[str, Any]]:
    """Run a recipe in the folder of the files, and return its rows with the value computed again."""
    names: dict[str, Any] = {}
    with chdir(folder):
        exec(compile(code, os.fspath(folder / "recipe.py"), "exec"), names)
    rows: list[dict[str, Any]] = names["again"]
    return rows
