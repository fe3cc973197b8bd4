"""Every block of Python in the docs is run by a test; of those that are not, the reason is written here."""

import ast
import re
from pathlib import Path
from typing import NamedTuple

import pytest
from django.conf import settings
from django.urls import resolve

from tests.house import recipes


class Tried(NamedTuple):
    """How many blocks of Python a page has, the tests that try them, and why they are not run there, if so."""

    blocks: int
    tests: tuple[str, ...]
    why_not_run: str = ""


TRIED = {
    "docs/api.md": Tried(
        2, ("tests/house/test_recipes.py",), "they ask a site over the network; their addresses are looked up instead"
    ),
    "docs/extending.md": Tried(9, ("tests/house/test_extending.py", "tests/tasks_app/settings/test_declared.py")),
    "docs/methods/intervals.md": Tried(1, ("tests/analytics_app/test_shared_texts.py",)),
    "docs/metrics-file.md": Tried(1, ("tests/analytics_app/test_computed_scores.py",)),
    "docs/methods/which-conclusion.md": Tried(1, ("tests/analytics_app/test_crossed.py",)),
}


def test_every_block_of_python_is_tried_by_a_test() -> None:
    found = {page: len(blocks) for page in recipes.pages() if (blocks := recipes.blocks_of(page))}
    assert found == {page: tried.blocks for page, tried in TRIED.items()}
    for page, tried in TRIED.items():
        for test in tried.tests:
            code = (Path(settings.BASE_DIR) / test).read_text(encoding="utf-8")
            assert "recipes." in code or Path(page).name in code, f"{test} does not read {page}"


@pytest.mark.parametrize("page", [page for page, tried in TRIED.items() if tried.why_not_run])
def test_a_block_that_is_not_run_can_be_read_and_its_addresses_exist(page: str) -> None:
    for code in recipes.blocks_of(page):
        ast.parse(code)
        paths = re.findall(r"\{server\}(/[^\"]+)\"", code)
        assert paths
        assert all(resolve(path).kwargs["slug"] == "my-study" for path in paths)
