"""Test a number of right answers against chance, where chance may differ from question to question."""

import numpy as np
from numpy.typing import ArrayLike

__all__ = ["right_by_chance_p"]

# Probabilities that differ by less than this share are equal, as in scipy's `binomtest`.
SAME = 1e-7


def right_by_chance_p(right: int, chances: ArrayLike) -> float | None:
    """Exact two-sided p value of a number of right answers, if each is right by its own chance.

    The number of right answers has a Poisson binomial distribution [1]_; p is the probability of all numbers that are
    at most as likely as the observed one. With equal chances this is the exact binomial test.

    Parameters
    ----------
    right : int
        Number of right answers, 0 to n.
    chances : array_like of float, shape (n,)
        Chance of each answer, between 0 and 1.

    Returns
    -------
    float or None
        None without answers.

    Raises
    ------
    ValueError
        Chances outside 0 to 1, or a number of right answers that n answers cannot have.

    References
    ----------
    .. [1] Y. Hong (2013). On computing the distribution function for the Poisson binomial distribution.
       Computational Statistics and Data Analysis 59, 41-51.

    Examples
    --------
    >>> right_by_chance_p(2, [0.5, 0.25])
    0.125
    """
    from scipy.stats import binomtest, poisson_binom  # noqa: PLC0415  slow to import

    p = np.asarray(chances, dtype=float)
    if p.ndim != 1 or not np.all((p >= 0) & (p <= 1)):
        raise ValueError("Chances are one number from 0 to 1 for each answer.")
    if not 0 <= right <= p.size:
        raise ValueError(f"{right} right answers of {p.size} are not possible.")
    if not p.size:
        return None
    if np.all(p == p[0]):
        return float(binomtest(right, p.size, p[0]).pvalue)
    pmf = poisson_binom.pmf(np.arange(p.size + 1), p)
    return float(min(1.0, pmf[pmf <= pmf[right] * (1 + SAME)].sum()))
