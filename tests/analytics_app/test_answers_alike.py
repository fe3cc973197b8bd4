"""Pairs of systems whose answers are nearly all alike: exact intervals, the smallest p, and what places systems."""

import pytest
import scipy.stats

from analytics_app.analyses.pairwise import ALL_PLACED, ONLY_TIES, PLACED_BY_TIES
from analytics_app.results import Row
from tasks_app.task_types.base import Scale
from tests.analytics_app.comparing import Screens, one, rows_of, said
from tests.analytics_app.test_comparisons import preference


def of_two(*labels: str, judges: int = 1) -> list[Row]:
    """Run the analysis of pairs on one answer a text about a and b, or as many as there are judges."""
    screens = Screens()
    for k, label in enumerate(labels):
        unit = screens.unit(f"i{k:02}", "a", "b")
        for rater in range(judges):
            screens.judge(rater, unit, preference(label, 1.0 if label in {"first", "second"} else 0.0))
    return rows_of("pairwise", screens, "pairwise", Scale.NOMINAL)


def test_twelve_wins_of_twelve_have_clopper_and_pearsons_interval() -> None:
    limits = scipy.stats.binomtest(12, 12).proportion_ci(0.95, method="exact")
    rows = of_two(*["first"] * 12)
    for name in ("win_rate", "win_rate_half"):
        row = one(rows, name, "a", "b")
        assert (row.low, row.high) == pytest.approx((limits.low, limits.high))
        assert round(100 * row.low, 1) == 73.5
        assert (said(row)["interval"], said(row)["method"]) == ("exact over items", "Clopper-Pearson")
        assert not {"n_resamples", "seed"} & said(row).keys()
    several = one(of_two(*["first"] * 12, judges=2), "win_rate", "a", "b")
    assert (several.value, several.low, several.high) == (1, None, None)
    assert "one for each unit that is drawn" in several.note


def test_few_texts_with_a_winner_say_the_smallest_p() -> None:
    row = one(of_two(*["first"] * 4, *["tie"] * 36), "win_rate", "a", "b")
    assert row.p == 0.125
    assert row.note.endswith("On 4 of 40 items one of the two is preferred, so the smallest possible p is 0.125.")
    assert (said(row)["n_units"], said(row)["n_differing"]) == (40, 4)


def test_ties_alone_lead_no_chains_of_wins() -> None:
    rows = of_two(*["tie"] * 24)
    assert one(rows, "bt_placed").note == ONLY_TIES
    assert [one(rows, "bt_strength", system).value for system in "ab"] == [0, 0]
    assert [one(rows, "bt_rank", system).low for system in "ab"] == [None, None]
    assert one(of_two("first", "tie", "tie"), "bt_placed").note == PLACED_BY_TIES
    assert one(of_two("first", "second"), "bt_placed").note == ALL_PLACED


@pytest.mark.parametrize(
    "labels",
    [["first"] * 12, ["first"] * 7 + ["second"] * 3 + ["tie"] * 2, ["tie"] * 24, ["first"] * 4 + ["tie"] * 36],
    ids=["all", "some", "ties", "few"],
)
def test_answers_that_are_mirrored_mirror_each_figure(labels: list[str]) -> None:
    mirror = {"first": "second", "second": "first", "tie": "tie"}
    rows, mirrored = of_two(*labels), of_two(*(mirror[label] for label in labels))
    for name in ("win_rate", "win_rate_half"):
        row, other = one(rows, name, "a", "b"), one(mirrored, name, "a", "b")
        assert (row.p, row.n_items, row.note) == (other.p, other.n_items, other.note)
        assert {key: value for key, value in said(row).items() if key != "test"} == {
            key: value for key, value in said(other).items() if key != "test"
        }
        ends = [None if end is None else 1 - end for end in (other.value, other.high, other.low)]
        assert [row.value, row.low, row.high] == [None if end is None else pytest.approx(end) for end in ends]
    assert one(rows, "bt_placed").note == one(mirrored, "bt_placed").note
