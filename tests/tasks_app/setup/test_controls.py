"""How values are shown in controls, and read from what is posted."""

from dataclasses import replace

import pytest
from django.http import QueryDict

from tasks_app.hooks.sections import Json
from tasks_app.setup.controls import Control, in_control, posted_value
from tasks_app.setup.names import languages_shown, time_zones


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
        ("language", "de", "German (de)"),
        ("language", "x-klingon", "x-klingon"),
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


def posted_as(*texts: str) -> QueryDict:
    posted = QueryDict(mutable=True)
    posted.setlist("a.b", list(texts))
    return posted


@pytest.mark.parametrize(
    ("kind", "value", "shown"),
    [
        ("keys", ["a", "b"], ["a", "b"]),
        ("spaced", "a b", ["a", "b"]),
        ("pairs", [["a", "b"], ["a", "c"]], ["a, b", "a, c"]),
        ("steps", ["Bad", "So-so", "Good"], ["Bad", "So-so", "Good"]),
    ],
)
def test_what_has_several_fields_is_read_back(kind: str, value: Json, shown: list[str]) -> None:
    asked = control(kind, value)
    assert asked.value == shown
    posted = posted_as("", *shown) if kind != "steps" else posted_as(*asked.rows)
    assert posted_value(asked, posted) == value
    assert asked.is_as_shown(value)
    assert not asked.is_as_shown(None)
    assert posted_value(asked, posted_as("")) is None
    assert control(kind, None).is_as_shown(None)


def test_all_pairs_are_no_ticked_pairs() -> None:
    asked = control("pairs", "all")
    assert asked.value == []
    assert asked.is_as_shown(posted_value(asked, posted_as("")))


def test_each_step_has_a_field_and_keeps_its_place_where_their_number_is_given() -> None:
    fixed, free = (replace(control("steps", ["Bad"]), size=size) for size in (3, None))
    assert fixed.rows == ["Bad", "", ""]
    assert free.rows == ["Bad", ""]
    assert posted_value(fixed, posted_as("Bad", "", "Good")) == ["Bad", "", "Good"]
    assert posted_value(free, posted_as("Bad", "", " Good ")) == ["Bad", "Good"]


@pytest.mark.parametrize(
    ("typed", "tag"),
    [
        ("German", "de"),
        ("german (de)", "de"),
        ("pt-BR", "pt-BR"),
        ("Simplified Chinese", "zh-Hans"),
        ("gsw", "gsw"),
        ("no such", "no such"),
    ],
)
def test_a_language_is_found_by_its_name(typed: str, tag: str) -> None:
    assert posted_value(control("language", "en"), posted_as(typed)) == tag


def test_languages_and_time_zones_are_suggested() -> None:
    assert {"German (de)", "Brazilian Portuguese (pt-BR)", "Simplified Chinese (zh-Hans)"} <= set(languages_shown())
    assert "Europe/Berlin" in time_zones()
    assert not [zone for zone in time_zones() if zone.startswith("Etc/")]


def test_items_are_chosen_by_boxes_and_by_lines() -> None:
    choices = (("feature_domain: news", "domain: news"), ("feature_domain: talks", "domain: talks"))
    asked = replace(control("values", {"feature_domain": "news", "item": ["i1", "i2"]}), choices=choices)
    assert asked.typed == "item: i1\nitem: i2"
    posted = posted_as("", "feature_domain: news", asked.typed)
    assert asked.is_as_shown(posted_value(asked, posted))
    assert posted_value(asked, posted_as("", "feature_domain: talks", "")) == {"feature_domain": "talks"}
