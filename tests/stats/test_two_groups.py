"""Two groups: scipy's Welch test, R's Fisher and chi-squared tests, Hedges's g, and tables counted one by one."""

from itertools import product
from math import comb

import numpy as np
import pytest
import scipy.stats

from analytics_app.stats.comparison.association import association
from analytics_app.stats.comparison.two_groups import difference_of_means, higher_answers

NAN = float("nan")


def drawn(n_a: int = 30, n_b: int = 22) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    return rng.normal(31, 6, n_a), rng.normal(28, 9, n_b)


def rng() -> np.random.Generator:
    return np.random.default_rng(1)


def test_welch_of_scipy() -> None:
    a, b = drawn()
    other = scipy.stats.ttest_ind(a, b, equal_var=False)
    found = difference_of_means([*a, NAN], b)
    assert found.t == pytest.approx(other.statistic)
    assert found.estimate.p == pytest.approx(other.pvalue)
    assert found.estimate.df == pytest.approx(other.df)
    assert [found.estimate.low, found.estimate.high] == pytest.approx(list(other.confidence_interval()))
    assert found.estimate.n_raters == 52


def test_hedges_g_with_its_limits() -> None:
    a, b = drawn()
    found = difference_of_means(a, b).effect
    n_a, n_b = len(a), len(b)
    # t of Student's test with equal variances is d over the root of 1/n_a + 1/n_b.
    t = scipy.stats.ttest_ind(a, b).statistic
    per_t, correction = np.sqrt(1 / n_a + 1 / n_b), 1 - 3 / (4 * (n_a + n_b - 2) - 1)
    assert found.value == pytest.approx(t * per_t * correction)
    assert found.low is not None
    assert found.high is not None
    for limit, tail in ((found.low, 0.975), (found.high, 0.025)):
        assert scipy.stats.nct.cdf(t, n_a + n_b - 2, limit / per_t / correction) == pytest.approx(tail, abs=1e-5)


def test_the_rank_test_of_scipy() -> None:
    a, b = np.round(drawn()[0] / 5), np.round(drawn()[1] / 5)
    found = higher_answers(a, [*b, NAN])
    wins = sum((x > y) + (x == y) / 2 for x, y in product(a, b))
    assert found.value == pytest.approx(wins / len(a) / len(b))
    assert found.p == pytest.approx(scipy.stats.mannwhitneyu(a, b).pvalue)


def test_fisher_s_tea() -> None:
    # R, fisher.test(matrix(c(3, 1, 1, 3), 2)): p-value = 0.4857 (Fisher's tea drinker).
    found = association([[3, 1], [1, 3]], n_permutations=99, rng=rng())
    assert (found.test, found.chi2) == ("Fisher's exact", None)
    assert found.estimate.p == pytest.approx(0.4857, abs=1e-4)


def test_chi_squared_by_its_formula() -> None:
    counts = np.array([[20, 10, 12], [12, 18, 9]])
    expected = counts.sum(axis=1, keepdims=True) * counts.sum(axis=0) / counts.sum()
    chi2 = ((counts - expected) ** 2 / expected).sum()
    # A category that nobody chose changes nothing.
    found = association(np.c_[counts, [0, 0]], n_permutations=99, rng=rng())
    assert found.test == "chi-squared"
    assert found.chi2 == pytest.approx(chi2)
    assert found.estimate.value == pytest.approx(np.sqrt(chi2 / counts.sum()))
    assert found.estimate.df == 2
    assert found.estimate.p == pytest.approx(float(np.exp(-chi2 / 2)))


def test_fisher_s_test_of_three_categories_by_counting_all_tables() -> None:
    first, second = (4, 3, 0), (0, 4, 5)
    totals, n = tuple(a + b for a, b in zip(first, second, strict=True)), sum(first)

    def ways(table: tuple[int, ...]) -> int:
        return int(np.prod([comb(total, count) for total, count in zip(totals, table, strict=True)]))

    tables = [table for table in product(*(range(total + 1) for total in totals)) if sum(table) == n]
    p = sum(ways(table) for table in tables if ways(table) <= ways(first)) / comb(sum(totals), n)
    found = association([first, second], n_permutations=9999, rng=rng())
    assert found.test == "Fisher's exact, random tables"
    assert found.estimate.p == pytest.approx(p, abs=4 * np.sqrt(p * (1 - p) / 9999) + 1e-4)


def test_hardly_any_answers_and_all_alike() -> None:
    assert "at least two" in (difference_of_means([1], [2, 3]).estimate.note or "")
    assert difference_of_means([], [2, 3]).estimate.value is None
    same = difference_of_means([2, 2], [3, 3])
    assert (same.estimate.value, same.t, same.effect.value) == (-1, None, None)
    assert "at least two" in (higher_answers([1], [2, 3]).note or "")
    assert higher_answers([2, 2], [2, 2]).value == 0.5
    for counts, note in (([[0, 0], [3, 2]], "no answers"), ([[4, 0], [3, 0]], "same answer")):
        found = association(counts, n_permutations=9, rng=rng())
        assert (found.estimate.value, found.estimate.p) == (None, None)
        assert note in (found.estimate.note or "")
    with pytest.raises(ValueError, match="two groups"):
        association([[1, 2], [3, 4], [5, 6]], n_permutations=9, rng=rng())
