"""Paths into a record: which rows they make of it, and what they refuse."""

from typing import Any

import pytest

from tasks_app.importing.shaping.paths import BadPath, Expander, parse, paths_of

ANNOTATED = {
    "id": "i1",
    "annotations": [{"worker": "w1", "score": 4}, {"worker": "w2", "score": 2}],
    "ratings": {"w1": {"fluency": 4, "style": 3}, "w2": {"fluency": 5}},
    "scores": [3, 4, 5],
    "cell": "3;4;5",
    "json": "[3, 4]",
    "pandas": "['w1', 'w2']",
    "score_w1": "4",
    "score_w2": "2",
    "why_w2": "dull",
    "overall_quality_w1": 1,
}


@pytest.mark.parametrize(
    ("paths", "rows"),
    [
        (
            {"r": "annotations[*].worker", "v": "annotations[*].score", "i": "id"},
            [{"i": "i1", "r": "w1", "v": 4}, {"i": "i1", "r": "w2", "v": 2}],
        ),
        (
            {"v": "ratings.{rater}.{criterion}"},
            [
                {"v": 4, "{rater}": "w1", "{criterion}": "fluency"},
                {"v": 3, "{rater}": "w1", "{criterion}": "style"},
                {"v": 5, "{rater}": "w2", "{criterion}": "fluency"},
            ],
        ),
        ({"v": "scores[{rater}]"}, [{"v": n + 2, "{rater}": str(n)} for n in (1, 2, 3)]),
        ({"v": "cell[*]"}, [{"v": "3"}, {"v": "4"}, {"v": "5"}]),
        ({"v": "json[2]"}, [{"v": 4}]),
        ({"r": "pandas[*]", "v": "json[*]"}, [{"r": "w1", "v": 3}, {"r": "w2", "v": 4}]),
        (
            {"v": "score_{rater}", "t": "why_{rater}"},
            [{"v": "4", "{rater}": "w1"}, {"v": "2", "t": "dull", "{rater}": "w2"}],
        ),
        (
            {"v": "ratings.{rater}.style", "t": "why_{rater}"},
            [{"v": 3, "{rater}": "w1"}, {"t": "dull", "{rater}": "w2"}],
        ),
        ({"v": "nowhere.at[*].all"}, []),
        ({"v": "nowhere.at"}, [{}]),
        ({"v": "annotations[2].score"}, [{"v": 2}]),
    ],
)
def test_the_rows_of_a_record(paths: dict[str, str], rows: list[dict[str, Any]]) -> None:
    assert list(Expander().rows(ANNOTATED, paths)) == rows


def test_two_words_in_braces_and_what_they_may_be() -> None:
    record = {"overall_quality_w1": 1, "style_w1": 2, "item_id": 3}
    with pytest.raises(BadPath, match="in several ways"):
        list(Expander().rows(record, {"v": "{criterion}_{rater}"}))
    rows = Expander({"rater": ["w1"]}).rows(record, {"v": "{criterion}_{rater}"})
    assert [(row["v"], row["{criterion}"], row["{rater}"]) for row in rows] == [
        (1, "overall_quality", "w1"),
        (2, "style", "w1"),
    ]
    # A column that is used by its own name is no criterion of a rater.
    rows = Expander(taken=frozenset({"item_id"})).rows({"a_b": 1, "item_id": 3}, {"v": "{criterion}_{rater}"})
    assert [row["{criterion}"] for row in rows] == ["a"]


@pytest.mark.parametrize(
    ("record", "paths", "sentence"),
    [
        ({"a": [1, 2], "b": [1]}, {"x": "a[*]", "y": "b[*]"}, "have different lengths (x: 2, y: 1)"),
        ({"a": [1] * 201}, {"x": "a[*]"}, "A row would hold more than 200 ratings."),
        ({"a": 1}, {"x": "a[?]"}, "“a[?]” is no path."),
    ],
)
def test_what_is_refused(record: dict[str, Any], paths: dict[str, str], sentence: str) -> None:
    with pytest.raises(BadPath) as refused:
        list(Expander().rows(record, paths))
    assert sentence in str(refused.value)


def test_the_paths_of_a_record() -> None:
    record = {"id": 1, "a": {"b": [{"c": 2, "d": []}]}, "e": '[{"f": 1}]'}
    assert list(paths_of(record)) == ["id", "a.b[*].c", "a.b[*].d", "e[*].f"]


@pytest.mark.parametrize("words", ["[]m", "[a]x", "{no-json}"])
def test_words_between_brackets_are_one_text(words: str) -> None:
    assert list(paths_of({"note": words})) == ["note"]


def test_the_paths_of_a_record_that_is_nested_deeply_end() -> None:
    record: dict[str, Any] = {"a": 1}
    for _level in range(900):
        record = {"a": record}
    (path,) = paths_of(record)
    assert path.startswith("a.a.a")
    assert parse("a.b[*].c")[2].makes_rows
