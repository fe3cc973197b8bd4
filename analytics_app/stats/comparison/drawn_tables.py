"""Tests on small tables of counts, with p from tables drawn at random with the same margins."""

import numpy as np
from numpy.typing import ArrayLike

from analytics_app.stats.values import Codes, Estimate, Floats, checked_codes

# Statistics that differ by less, that is by rounding only, count as equal.
_ROUNDING = 1e-9


def homogeneity(right: ArrayLike, totals: ArrayLike, *, n_permutations: int, rng: np.random.Generator) -> Estimate:
    """Chi-square test of equal shares in all groups, with p from random tables [1]_.

    Parameters
    ----------
    right, totals : array_like of int, shape (n_groups,)
        Right answers and all answers of each group; groups without answers are left out.
    n_permutations : int
        Random tables with the same margins; p is (1 + those with at least this chi-square) / (1 + all).
    rng : numpy.random.Generator

    Returns
    -------
    Estimate
        Undefined with fewer than two groups, or where all answers are the same.

    References
    ----------
    .. [1] A. C. A. Hope (1968). A simplified Monte Carlo significance test procedure. JRSS B 30(3), 582-598.

    Examples
    --------
    >>> found = homogeneity([9, 1], [10, 10], n_permutations=999, rng=np.random.default_rng(1))
    >>> found.value, found.df, found.p
    (12.8, 1.0, 0.001)
    """
    answers, passed = _checked(right, totals)
    n, hits = int(answers.sum()), int(passed.sum())
    if answers.size < 2:
        return Estimate(None, n_ratings=n, note="There are not two groups to compare.")
    if hits in {0, n}:
        return Estimate(None, n_ratings=n, note="All answers are alike, so groups cannot differ.")
    observed = float(_chi_square(passed[np.newaxis, :], answers, hits, n)[0])
    tables = rng.multivariate_hypergeometric(answers, hits, size=n_permutations)
    as_large = int((_chi_square(tables, answers, hits, n) >= observed - _ROUNDING).sum())
    return Estimate(observed, df=answers.size - 1, p=(1 + as_large) / (1 + n_permutations), n_ratings=n)


def higher(steps: ArrayLike, others: ArrayLike, *, n_permutations: int, rng: np.random.Generator) -> Estimate:
    """Probability that an answer of one group is above one of another, ties counting half [1]_; p from random tables.

    Parameters
    ----------
    steps, others : array_like of int, shape (n_steps,)
        How often each group chose each step of a scale, in order.

    Returns
    -------
    Estimate
        0.5 means no difference; `p` is two-sided. Undefined where a group is empty.

    References
    ----------
    .. [1] H. B. Mann and D. R. Whitney (1947). On a test of whether one of two random variables is stochastically
       larger than the other. Annals of Mathematical Statistics 18(1), 50-60.

    Examples
    --------
    >>> higher([0, 1, 3], [2, 1, 1], n_permutations=999, rng=np.random.default_rng(1)).value
    0.8125
    """
    counts_a = checked_codes(steps, np.asarray(steps).size)
    counts_b = checked_codes(others, counts_a.size)
    n, m = int(counts_a.sum()), int(counts_b.sum())
    if not n or not m:
        return Estimate(None, n_ratings=n + m, note="One of the two groups is empty.")
    totals = counts_a + counts_b
    # Mid-ranks of the steps (less one half), whose sums give the Mann-Whitney probability.
    ranks = np.cumsum(totals) - totals / 2
    observed = float(_above(counts_a[np.newaxis, :], ranks, n, m)[0])
    tables = rng.multivariate_hypergeometric(totals, n, size=n_permutations)
    distances = np.abs(_above(tables, ranks, n, m) - 0.5)
    as_far = int((distances >= abs(observed - 0.5) - _ROUNDING).sum())
    return Estimate(observed, p=(1 + as_far) / (1 + n_permutations), n_ratings=n + m)


def _checked(right: ArrayLike, totals: ArrayLike) -> tuple[Codes, Codes]:
    counts = checked_codes(totals, np.asarray(totals).size)
    passed = checked_codes(right, counts.size)
    if (passed > counts).any():
        raise ValueError("A group has at most as many right answers as answers.")
    return counts[counts > 0], passed[counts > 0]


def _chi_square(tables: Codes, counts: Codes, hits: int, n: int) -> Floats:
    expected = counts * (hits / n)
    squares = (tables - expected) ** 2
    chi_square: Floats = (squares / expected + squares / (counts - expected)).sum(axis=1)
    return chi_square


def _above(tables: Codes, ranks: Floats, n: int, m: int) -> Floats:
    probability: Floats = (tables @ ranks - n * n / 2) / (n * m)
    return probability


def fisher(with_it: int, of: int, others_with_it: int, of_others: int) -> Estimate:
    """Difference of two shares, with Fisher's exact two-sided p over all tables with the same margins [1]_.

    Parameters
    ----------
    with_it, others_with_it : int
        How many of each group have it.
    of, of_others : int
        Sizes of the groups; a value needs both above 0.

    Raises
    ------
    ValueError
        A count is negative or above the size of its group.

    References
    ----------
    .. [1] R. A. Fisher (1935). The design of experiments. Oliver and Boyd, section 12.

    Examples
    --------
    >>> round(fisher(3, 4, 1, 4).p, 4)
    0.4857
    """
    if not (0 <= with_it <= of and 0 <= others_with_it <= of_others):
        raise ValueError(f"{with_it} of {of} and {others_with_it} of {of_others} are no two groups.")
    if not of or not of_others:
        return Estimate(None, note="One of the groups is empty.")
    from scipy.stats import fisher_exact  # noqa: PLC0415  lazy import: web processes seldom need it

    p = fisher_exact([[with_it, of - with_it], [others_with_it, of_others - others_with_it]]).pvalue
    return Estimate(with_it / of - others_with_it / of_others, p=float(p), n_ratings=of + of_others)
