"""The Slider."""

from random import Random

import pytest

from tasks_app.task_types.base import Criterion, Part, Quality, Screen
from tasks_app.task_types.grid import GridForm
from tasks_app.task_types.slider import Slider
from tests.task_types.kit import form_of, ratings_of, simulated

STYLE = Criterion("style", "Style", question="How formal is it?", low="informal", high="formal")
STATEMENT = Criterion("style", "Style", question="The text is formal.")


def screen(criterion: Criterion = STYLE, **params: object) -> Screen:
    """A screen with one text."""
    return Screen(Slider(params), (Part(0, "Text"),), (criterion,))


def shown(given: Screen) -> Criterion:
    """Return the criterion as the page words it."""
    form = form_of(given)
    assert isinstance(form, GridForm)
    return form.rows()[0].cells[0].criterion


@pytest.mark.parametrize(
    ("params", "fine", "wrong"),
    [
        ({}, ("0", "1", "100", "57"), ("-1", "101", "57.5", "", "NaN", "Infinity", "1e9", "abc")),
        ({"minimum": -3, "maximum": 3}, ("-3", "0", "3"), ("-4", "4", "0.5", "\x00", "\ud800", "[1]", "9" * 10**6)),
        ({"minimum": 0, "maximum": 1, "step": 0.25}, ("0", "0.25", "1"), ("0.3", "1.25", "1_0", "-0.25")),
        ({"maximum": 1_000_000}, ("1000000",), ("1000001",)),
    ],
)
def test_values_on_the_scale_and_its_steps_are_accepted_and_no_others(
    params: dict[str, object], fine: tuple[str, ...], wrong: tuple[str, ...]
) -> None:
    given = screen(**params)
    for value in fine:
        form = form_of(given, {"p1-style": value})
        assert form.is_valid(), value
        assert [one.value for one in ratings_of(given, form.cleaned_data)] == [float(value)]
    for value in wrong:
        assert not form_of(given, {"p1-style": value}).is_valid(), value[:20]


@pytest.mark.parametrize(
    ("params", "named"),
    [
        ({"minimum": 5, "maximum": 5}, "maximum"),
        ({"step": 0.3, "maximum": 1}, "step"),
        ({"minimum": "low"}, "minimum"),
        ({"anchors": "sqm", "agreement": True}, "anchors"),
        ({"anchors": "mine"}, "anchors"),
    ],
)
def test_a_range_without_room_and_words_that_do_not_go_together_are_refused_by_name(
    params: dict[str, object], named: str
) -> None:
    with pytest.raises(ValueError, match=named):
        Slider(params)


def test_words_that_do_not_fit_the_range_are_a_problem() -> None:
    anchored = Criterion("style", "Style", anchors={"0": "none", "66": "most", "120": "all", "x": "?"})
    assert list(Slider().problems([anchored])) == [
        "Criterion 'style' has an anchor at '120'; the range is 0 to 100.",
        "Criterion 'style' has an anchor at 'x'; the range is 0 to 100.",
    ]
    labelled = Criterion("style", "Style", labels=("low", "high"))
    (sentence,) = Slider().problems([labelled])
    assert "low, high and anchors" in sentence
    (sentence,) = Slider({"agreement": True}).problems([STYLE])
    assert "as a statement" in sentence
    assert list(Slider({"agreement": True}).problems([STATEMENT])) == []


@pytest.mark.parametrize(
    ("params", "points"),
    [
        ({}, ["0", "33", "66", "100"]),
        ({"maximum": 6}, ["0", "2", "4", "6"]),
        ({"minimum": -1, "maximum": 1, "step": 0.1}, ["-1", "-0.4", "0.3", "1"]),
    ],
)
def test_the_levels_of_sqm_stand_at_every_third(params: dict[str, object], points: list[str]) -> None:
    worded = shown(screen(STATEMENT, anchors="sqm", **params))
    assert list(worded.anchors) == points
    assert worded.anchors["0" if "0" in points else "-1"].startswith("Almost no meaning")
    own = Criterion("style", "Style", anchors={"1": "mine"})
    assert shown(screen(own, anchors="sqm")).anchors == {"1": "mine"}


def test_direct_assessment_asks_for_agreement_with_a_statement() -> None:
    worded = shown(screen(STATEMENT, agreement=True))
    assert (worded.low, worded.high) == ("Strongly disagree", "Strongly agree")
    assert (shown(screen(STYLE, agreement=True)).low, shown(screen(STYLE)).low) == ("informal", "informal")


def test_simulated_raters_stay_on_the_steps() -> None:
    given = screen(minimum=-1, maximum=1, step=0.1)
    for quality in Quality:
        for seed in range(30):
            assert form_of(given, simulated(given, quality, Random(seed))).is_valid()


def test_the_datasheet_is_answered() -> None:
    assert Slider({"maximum": 6}).heds(STYLE) == {
        "4.3.3": "7",
        "4.3.4": "0 to 6 in steps of 1 (0: informal; 6: formal)",
        "4.3.5": "slider",
        "4.3.8": "direct quality estimation",
    }
    assessed = Slider({"agreement": True}).heds(STATEMENT)
    assert assessed["4.3.8"] == "agreement with a quality statement"
    assert assessed["4.3.4"] == "0 to 100 in steps of 1 (0: Strongly disagree; 100: Strongly agree)"
