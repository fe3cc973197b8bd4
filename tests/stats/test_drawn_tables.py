"""Tests on small tables of counts: the statistics of scipy, and p close to exact ones."""

import numpy as np
import pytest
from scipy.stats import chi2_contingency, fisher_exact, mannwhitneyu

from analytics_app.stats.comparison.drawn_tables import fisher, higher, homogeneity

RNG = np.random.default_rng


def test_chi_square_is_that_of_scipy_and_p_that_of_fisher() -> None:
    right, totals = np.array([9, 3]), np.array([12, 14])
    found = homogeneity(right, totals, n_permutations=20_000, rng=RNG(1))
    expected = chi2_contingency([right, totals - right], correction=False)
    assert found.value == pytest.approx(expected[0])
    assert found.df == 1
    assert found.p == pytest.approx(fisher_exact([right, totals - right])[1], abs=0.01)


def test_mann_whitney_is_that_of_scipy() -> None:
    one, other = [1, 4, 9, 6], [5, 7, 3, 2]
    found = higher(one, other, n_permutations=20_000, rng=RNG(1))
    x, y = (np.repeat(np.arange(4), counts) for counts in (one, other))
    expected = mannwhitneyu(x, y, method="asymptotic")
    assert found.value == pytest.approx(expected.statistic / (20 * 17))
    assert found.p == pytest.approx(expected.pvalue, abs=0.01)


def test_undefined_where_nothing_can_differ() -> None:
    rng = RNG(1)
    assert homogeneity([1], [2], n_permutations=99, rng=rng).note == "There are not two groups to compare."
    assert homogeneity([0, 0], [2, 3], n_permutations=99, rng=rng).value is None
    assert homogeneity([], [], n_permutations=99, rng=rng).value is None
    assert homogeneity([1, 0, 2], [2, 0, 3], n_permutations=99, rng=rng).df == 1
    assert higher([0, 0], [1, 2], n_permutations=99, rng=rng).note == "One of the two groups is empty."
    tied = higher([3, 0], [5, 0], n_permutations=99, rng=rng)
    assert (tied.value, tied.p) == (0.5, 1)


def test_wrong_input_is_refused() -> None:
    with pytest.raises(ValueError, match="at most as many"):
        homogeneity([3], [2], n_permutations=99, rng=RNG(1))


def test_fisher_s_exact_test_is_that_of_the_lady_tasting_tea() -> None:
    """Three of four cups right: p = 34/70 (Fisher 1935, section 12; two-sided in R's fisher.test)."""
    found = fisher(3, 4, 1, 4)
    assert found.p == pytest.approx(34 / 70)
    assert (found.value, found.n_ratings) == (0.5, 8)
    assert fisher(4, 4, 0, 4).p == pytest.approx(2 / 70)
    assert fisher(0, 0, 1, 4).value is None
    with pytest.raises(ValueError, match="no two groups"):
        fisher(5, 4, 1, 4)
