"""How values are shown in controls, and read from what is posted."""

import pytest
from django.http import QueryDict

from tasks_app.sections import Json
from tasks_app.setup.controls import Control, in_control, posted_value


def control(kind: str, value: Json) -> Control:
    return Control(("a", "b"), kind, "A", "", in_control(kind, value))


@pytest.mark.parametrize(
    ("kind", "value", "shown"),
    [
        ("text", "x", "x"),
        ("whole", 5, "5"),
        ("number", 0.25, "0.25"),
        ("either", "2026-01-01", "2026-01-01"),
        ("either", 5, "5"),
        ("tick", True, "1"),
        ("lines", ["a", "b c"], "a\nb c"),
        ("words", {"50": "so-so", "100": "good: very"}, "50: so-so\n100: good: very"),
        ("pairs", [["a", "b"], ["a", "c"]], "a, b\na, c"),
        (
            "values",
            {"feature_domain": ["news", "talks"], "document": "d1, d2"},
            "feature_domain: news\nfeature_domain: talks\ndocument: d1, d2",
        ),
        ("json", {"a": [1, None]}, '{\n  "a": [\n    1,\n    null\n  ]\n}'),
    ],
)
def test_what_is_shown_is_read_back(kind: str, value: Json, shown: str) -> None:
    asked = control(kind, value)
    assert asked.value == shown
    posted = QueryDict(mutable=True)
    posted["a.b"] = shown.replace("\n", "\r\n")
    assert posted_value(asked, posted) == value
    assert asked.is_as_shown(value)


@pytest.mark.parametrize("kind", ["whole", "number"])
@pytest.mark.parametrize("text", ["many", "1,5", "nan", "inf", "5 5"])
def test_what_is_no_number_is_kept_as_it_was_typed(kind: str, text: str) -> None:
    posted = QueryDict(mutable=True)
    posted["a.b"] = text
    assert posted_value(control(kind, 1), posted) == text


def test_json_that_is_none_is_kept_as_it_was_typed() -> None:
    posted = QueryDict(mutable=True)
    posted["a.b"] = "{broken"
    assert posted_value(control("json", {}), posted) == "{broken"
