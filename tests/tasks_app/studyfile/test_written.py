"""A set-up is checked as the study file that it would be written as, without being written and read."""

import json
from pathlib import Path

import pytest
from django.conf import settings
from hypothesis import given
from hypothesis import strategies as st

from tasks_app.hooks.sections import Json
from tasks_app.studyfile.files.yaml_text import dump_stored, tree_of
from tasks_app.studyfile.files.yaml_tree import Tree, parse
from tasks_app.studyfile.problems import Problems
from tests.tasks_app.studyfile.test_roundtrip import text

EXAMPLES = sorted((Path(settings.BASE_DIR) / "examples").glob("*/study.yaml"))
FILE = "study.yaml"

leaves = st.none() | st.booleans() | st.integers() | st.floats() | text
values = st.recursive(
    leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3), max_leaves=12
)


def assert_read_alike(stored: dict[str, Json]) -> Tree | None:
    tree = tree_of(FILE, stored)
    if tree is not None:
        problems = Problems()
        read = parse(FILE, dump_stored(stored), problems)
        assert problems.count == 0
        # As JSON, 1 and 1.0 are told apart, and so are orders.
        assert json.dumps(tree.data) == json.dumps(read.data)
        for path in (*read.values, ("no such value",)):
            assert (tree.place(path), tree.place(path, key=True)) == (read.place(path), read.place(path, key=True))
            assert tree.holds(path) == read.holds(path)
    return tree


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.parent.name)
def test_every_example_is_as_it_would_be_read(path: Path) -> None:
    stored = parse(FILE, path.read_text(encoding="utf-8"), Problems()).data
    assert isinstance(stored, dict)
    backwards = json.loads(json.dumps(dict(reversed(stored.items()))))
    assert assert_read_alike(backwards) is not None, "an ordinary study needs no reading"


@given(st.dictionaries(text | st.sampled_from(["tasks", "criteria", "pay"]), values, max_size=4))
def test_whatever_json_holds_is_as_it_would_be_read(stored: dict[str, Json]) -> None:
    assert_read_alike(stored)


@pytest.mark.parametrize(
    "odd",
    ["a\rb", "\0", 10**400, float("nan"), [[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]], ["x"] * 30_000, "x" * 30_000],
    ids=["line end", "nul", "digits", "nan", "deep", "many", "long"],
)
def test_what_may_be_read_otherwise_is_written_and_read(odd: Json) -> None:
    assert tree_of(FILE, {"study": {"title": odd}}) is None
