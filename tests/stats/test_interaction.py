"""The difference of differences by feature: against cell means and a cluster-robust covariance written out by hand."""

import numpy as np
import pytest
from scipy import stats

from analytics_app.stats.comparison.interaction import EMPTY_CELL, NO_SPREAD, difference_of_differences

RNG = np.random.default_rng(7)
N = 40
CLUSTER = np.repeat(np.arange(N), 2)
SYSTEM = np.tile([0, 1], N)
FEATURE = RNG.integers(0, 2, 2 * N)
VALUES = RNG.normal(size=2 * N) + np.repeat(RNG.normal(size=N), 2) + 1.5 * (SYSTEM == 0) * FEATURE


def by_hand() -> tuple[float, float]:
    """Return the contrast of cell means and its standard error by Liang and Zeger's sandwich."""
    cells = [(s == SYSTEM) & (f == FEATURE) for s, f in ((0, 1), (1, 1), (0, 0), (1, 0))]
    signs = (1, -1, -1, 1)
    means = [VALUES[cell].mean() for cell in cells]
    # The influence of each output on the contrast, summed within items.
    influence = np.zeros(len(VALUES))
    for cell, sign, mean in zip(cells, signs, means, strict=True):
        influence[cell] = sign * (VALUES[cell] - mean) / cell.sum()
    sums = np.bincount(CLUSTER, weights=influence)
    n, k = len(VALUES), 4
    correction = N / (N - 1) * (n - 1) / (n - k)
    return float(np.dot(signs, means)), float(np.sqrt(correction * (sums**2).sum()))


def test_against_cell_means_and_a_sandwich_by_hand() -> None:
    value, se = by_hand()
    one = difference_of_differences(VALUES, SYSTEM, FEATURE, CLUSTER, confidence=0.95)
    assert one.value == pytest.approx(value)
    assert one.se == pytest.approx(se)
    assert one.df == N - 1
    assert one.p == pytest.approx(2 * stats.t.sf(abs(value / se), N - 1))
    assert (one.low, one.high) == pytest.approx(tuple(stats.t.interval(0.95, N - 1, value, se)))
    assert one.note is None


def test_the_sign_turns_with_the_systems_and_with_the_feature() -> None:
    one = difference_of_differences(VALUES, SYSTEM, FEATURE, CLUSTER, confidence=0.95)
    for changed in ((1 - SYSTEM, FEATURE), (SYSTEM, 1 - FEATURE)):
        other = difference_of_differences(VALUES, *changed, CLUSTER, confidence=0.95)
        assert other.value == pytest.approx(-(one.value or 0))
        assert other.p == pytest.approx(one.p)


def test_an_empty_cell_and_equal_values_are_said() -> None:
    one = difference_of_differences(VALUES, SYSTEM, np.zeros(2 * N, dtype=int), CLUSTER, confidence=0.95)
    assert (one.value, one.p, one.note) == (None, None, EMPTY_CELL.format(unit="items"))
    equal = difference_of_differences(np.full(2 * N, 3.0), SYSTEM, FEATURE, CLUSTER, confidence=0.95)
    assert equal.value == pytest.approx(0)
    assert (equal.p, equal.note) == (None, NO_SPREAD)


def test_few_items_are_said() -> None:
    few = CLUSTER < 12
    one = difference_of_differences(VALUES[few], SYSTEM[few], FEATURE[few], CLUSTER[few], confidence=0.95)
    assert one.p is not None
    assert one.note == "Fewer than 30 items: the interval may be too narrow and p too small."


def test_wrong_codes_are_refused() -> None:
    with pytest.raises(ValueError, match="Codes are below 2"):
        difference_of_differences([1.0, 2.0], [0, 2], [0, 1], [0, 1], confidence=0.95)
