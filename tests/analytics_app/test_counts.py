"""Counts: means, ratios and dispersion by hand, and ratios for further raters."""

import pytest

from analytics_app import analyses
from analytics_app.analyses.base import Common, Question, Sample
from analytics_app.ratings import Extras
from analytics_app.results import TO_RATERS_AND_TEXTS, Row
from analytics_app.stats.mixed.rates import ALL_ZERO
from tasks_app.task_types.base import Scale
from tests.analytics_app.test_labels import value
from tests.house.test_analyses import made, table

# Counts of two raters on three items by two systems: of the first system twice as many.
FIRST, SECOND = [[2, 4, 6], [2, 4, 6]], [[1, 2, 4], [1, 2, 2]]


def rows(first: list[list[int]], second: list[list[int]], **common: object) -> list[Row]:
    """Return the rows of counts by rater and item of two systems."""
    given = [
        (float(count), rater, item, system)
        for system, of_system in enumerate((first, second))
        for rater, of_rater in enumerate(of_system)
        for item, count in enumerate(of_rater)
    ]
    values, raters, items, systems = (list(column) for column in zip(*given, strict=True))
    data = table(values, raters, items, systems)
    question = Question(task="main", task_type="counting", scale=Scale.INTERVAL, criterion=data.names.criteria[0])
    about = Common(n_resamples=200, n_permutations=999, seed=1, **common)
    needed = {need: need.empty(data) for need in analyses.registry["counts"].needs}
    sample = Sample(data, data.value * float("nan"), question, about, "kept", extras=Extras(needed))
    return list(made("counts").rows(sample))


def test_means_zeros_and_dispersion_by_hand() -> None:
    found = rows(FIRST, [[0, 0, 6], [0, 2, 4]])
    assert value(found, "count_mean", system="s0") == 4
    assert value(found, "count_mean", system="s1") == 2
    assert value(found, "count_zero", system="s1") == pytest.approx(1 / 2)
    # Squares of 0, 0, 6, 0, 2 and 4 about their mean of 2 are 32; the variance is 6.4.
    assert value(found, "count_dispersion", system="s1") == pytest.approx(3.2)


def test_ratios_of_means_over_items_and_for_further_raters() -> None:
    found = rows(FIRST, SECOND)
    pair = {"system": "s0", "system_b": "s1"}
    assert value(found, "count_ratio", **pair) == pytest.approx(2)
    assert value(found, "count_ratio_crossed", **pair) == pytest.approx(2)
    (row,) = [row for row in found if row.statistic == "count_ratio_crossed"]
    assert row.low is not None
    assert row.high is not None
    assert row.low < 2 < row.high
    assert (row.settings or {})["generalises_to"] == TO_RATERS_AND_TEXTS
    over_items = rows(FIRST, SECOND, generalise_to="texts")
    assert {row.statistic for row in over_items if row.system_b} == {"count_ratio"}


def test_a_planned_pair_in_the_other_order_has_the_inverse() -> None:
    found = rows(FIRST, SECOND, pairs=(("s1", "s0"),))
    pair = {"system": "s1", "system_b": "s0"}
    assert value(found, "count_ratio", **pair) == pytest.approx(1 / 2)
    assert value(found, "count_ratio_crossed", **pair) == pytest.approx(1 / 2)


def test_without_a_count_above_0_rows_say_so() -> None:
    found = rows(FIRST, [[0, 0, 0], [0, 0, 0]])
    notes = {row.statistic: row.note for row in found if row.value is None}
    assert ALL_ZERO in str(notes["count_ratio_crossed"])
    assert str(notes["count_ratio"]).startswith("There is nothing to divide by.")
    assert notes["count_dispersion"] == "There is no count above 0."
    one = rows([FIRST[0]], [SECOND[0]])
    (row,) = [row for row in one if row.statistic == "count_ratio_crossed"]
    assert "One rater only" in str(row.note)
