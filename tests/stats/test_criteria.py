"""Correlations of two columns: scipy's, with the interval of Bonett and Wright written out."""

import numpy as np
import pytest
import scipy.stats

from analytics_app.stats.scales.criteria import ALIKE, FEW, correlated

NAN = float("nan")


@pytest.mark.parametrize("method", ["pearson", "spearman"])
def test_as_scipy_has_it(method: str) -> None:
    draw = np.random.default_rng(1)
    x = draw.integers(1, 6, 50).astype(float)
    y = x + draw.integers(-2, 3, 50)
    found = correlated([*x, NAN], [*y, 3.0], method=method)
    wanted = getattr(scipy.stats, f"{method}r")(x, y).statistic
    assert found.value == pytest.approx(wanted)
    assert found.n_items == 50
    spread = np.sqrt((1 + wanted**2 / 2 if method == "spearman" else 1) / 47)
    ends = np.tanh(np.arctanh(wanted) + np.array([-1, 1]) * 1.959963984540054 * spread)
    assert (found.low, found.high) == pytest.approx(ends)
    if method == "pearson":
        interval = scipy.stats.pearsonr(x, y).confidence_interval()
        assert (found.low, found.high) == pytest.approx((interval.low, interval.high))


def test_weak_and_undefined() -> None:
    assert correlated([1, 2], [1, 2], method="pearson").note == FEW
    assert correlated([1, 1, 1], [1, 2, 3], method="spearman").note == ALIKE
    whole = correlated([1, 2, 3, 4], [2, 4, 6, 8], method="pearson")
    assert (whole.value, whole.low) == (1, None)
    assert correlated([1, 2, 3, 5], [2, 1, 3, 4], method="spearman", confidence=None).low is None
    for x, y, method in (([1], [1, 2], "pearson"), ([1], [1], "kendall")):
        with pytest.raises(ValueError, match=r"[a-z]"):
            correlated(x, y, method=method)
