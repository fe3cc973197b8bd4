"""The most alike other rater: shares by hand, and the tail of a binomial distribution as scipy has it."""

import numpy as np
import pytest
from scipy.stats import binom

from analytics_app.stats.agreement.closest import closest_raters


def long(table: list[list[float]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return ratings of raters (rows) for units (columns), NaN = not rated."""
    values = np.array(table, dtype=float)
    raters, units = np.indices(values.shape)
    return values.ravel(), units.ravel(), raters.ravel()


def test_the_share_is_that_of_the_units_that_both_rated() -> None:
    nan = float("nan")
    table = [[1, 2, 3, 4, nan], [1, 2, 3, nan, 5], [2, 2, 1, 4, 4]]
    found = {row.rater: row for row in closest_raters(*long(table), min_shared=3)}
    assert {rater: (row.other, row.estimate.value, row.estimate.n_ratings) for rater, row in found.items()} == {
        0: (1, 1.0, 3),
        1: (0, 1.0, 3),
        2: (0, 0.5, 4),
    }


def test_p_is_the_tail_at_the_usual_agreement_of_either_of_the_two_times_the_pairs() -> None:
    same = [1, 2, 3, 4] * 5
    table = [same, same, [1, 2, 4, 3] * 5, [2, 1, 3, 4] * 5, [1, 2, 3, 3] * 5]
    first = closest_raters(*long(table))[0]
    # The two agree with the others in 10, 10 and 15 of 20 units; there are ten pairs.
    assert first.estimate.p == pytest.approx(binom.sf(19, 20, 0.5))
    assert first.p_adjusted == pytest.approx(10 * binom.sf(19, 20, 0.5))


def test_too_few_units_or_others_say_nothing() -> None:
    assert closest_raters(*long([[1, 2, 3], [1, 2, 3]])) == []
    assert closest_raters([], np.zeros(0, int), np.zeros(0, int)) == []
    pair = closest_raters(*long([[1, 2] * 5, [1, 2] * 5]))
    assert [(row.estimate.value, row.estimate.p, row.p_adjusted) for row in pair] == [(1.0, None, None)] * 2
