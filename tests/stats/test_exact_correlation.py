"""Exact p values of correlations: scipy's permutation test over all orders, and wrong input."""

import math

import numpy as np
import pytest
import scipy.stats

from analytics_app.stats.metrics.exact_correlation import exact_p


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("ties", [True, False])
def test_p_of_scipy_over_all_orders(seed: int, ties: bool) -> None:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=6)
    y = rng.integers(3, size=6).astype(float) if ties else rng.normal(size=6) + x
    y[0] += 0.5
    wanted = scipy.stats.pearsonr(x, y, method=scipy.stats.PermutationMethod(n_resamples=np.inf))
    assert exact_p(x, y) == pytest.approx(wanted.pvalue, abs=1e-12)
    # Of ranks: Spearman's rho.
    ranks = scipy.stats.rankdata(x), scipy.stats.rankdata(y)
    by_rank = scipy.stats.pearsonr(*ranks, method=scipy.stats.PermutationMethod(n_resamples=np.inf))
    assert exact_p(*ranks) == pytest.approx(by_rank.pvalue, abs=1e-12)


@pytest.mark.parametrize(
    ("y", "orders"),
    [
        ([1, 2, 3, 4, 5, 6, 7, 8, 9], 1),
        ([1, 1, 2, 3, 4, 5, 6, 7, 8], 2),
        ([1, 1, 2, 3, 4, 5, 7, 7, 7], 12),
    ],
)
def test_many_pairs_on_one_line_are_counted(y: list[float], orders: int) -> None:
    assert exact_p(y, np.array(y) * 3 + 1) == pytest.approx(2 * orders / math.factorial(9))
    assert exact_p(y, np.array(y) * -3) == pytest.approx(2 * orders / math.factorial(9))
    # Counted as the orders of fewer pairs are tried.
    assert exact_p(y[:8], y[:8]) == pytest.approx(
        2 * math.prod(math.factorial(y[:8].count(value)) for value in set(y[:8])) / math.factorial(8)
    )


@pytest.mark.parametrize(
    ("x", "y", "sentence"),
    [
        ([1], [1], "vary"),
        ([1, 1], [1, 2], "vary"),
        ([1, 2, float("nan")], [1, 2, 3], "there and vary"),
        ([1, 2, 3], [1, 2], "not 3 and 2"),
        (range(9), [1, 0, 2, 3, 4, 5, 6, 7, 8], "at most 8 pairs, not 9"),
    ],
)
def test_wrong_input_is_refused(x: list[float], y: list[float], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        exact_p(list(x), y)
