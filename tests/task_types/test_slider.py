"""The slider."""

import pytest

from tasks_app.task_types import registry
from tasks_app.task_types.base import Criterion, Part, Screen

slider = registry["slider"]
STYLE = Criterion("style", "Style", question="How formal is it?", low="informal", high="formal")


def screen(**params: object) -> Screen:
    """A screen with one text."""
    return Screen("slider", (Part(0, "Text"),), (STYLE,), slider.params(params))


@pytest.mark.parametrize(
    ("params", "fine", "wrong"),
    [
        ({}, ("0", "1", "100", "57"), ("-1", "101", "57.5", "", "NaN", "Infinity", "1e9", "abc")),
        ({"minimum": -3, "maximum": 3}, ("-3", "0", "3"), ("-4", "4", "0.5")),
        ({"minimum": 0, "maximum": 1, "step": 0.25}, ("0", "0.25", "1"), ("0.3", "1.25")),
    ],
)
def test_values_on_the_scale_and_its_steps_are_accepted_and_no_others(
    params: dict[str, object], fine: tuple[str, ...], wrong: tuple[str, ...]
) -> None:
    given = screen(**params)
    for value in fine:
        form = slider.form(given, {"p1-style": value})
        assert form.is_valid(), value
        assert next(slider.ratings(given, form.cleaned_data)).value == float(value)
    for value in wrong:
        assert not slider.form(given, {"p1-style": value}).is_valid(), value


@pytest.mark.parametrize(
    ("params", "named"),
    [({"minimum": 5, "maximum": 5}, "maximum"), ({"step": 0.3, "maximum": 1}, "step"), ({"minimum": "low"}, "minimum")],
)
def test_a_range_without_room_is_refused_by_name(params: dict[str, object], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        slider.params(params)


def test_an_anchor_off_the_range_is_a_problem() -> None:
    anchored = Criterion("style", "Style", anchors={"0": "none", "66": "most", "120": "all"})
    assert list(slider.problems([anchored], slider.params({}))) == [
        "Criterion 'style' has an anchor at '120'; the range is 0 to 100."
    ]
