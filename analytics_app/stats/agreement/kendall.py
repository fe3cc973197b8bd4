"""Kendall's coefficient of concordance W, corrected for ties."""

import numpy as np
from numpy.typing import ArrayLike

from analytics_app.stats.ranking.ranks import ranks_within
from analytics_app.stats.values import Codes, Estimate, Floats

NO_TEXTS = "W takes at least two texts that the same two raters or more rated."
ALL_TIED = "Every rater gave all texts the same value, so W is undefined."


def kendall_w(ratings: ArrayLike) -> Estimate:
    """Kendall's W: how far raters order the same texts in the same way, from 0 to 1 [1]_.

    With n texts, m raters, mid-ranks within each rater, R the sums of a text's ranks and T the sum of t^3 - t over
    all groups of t ties: W = 12 sum((R - mean(R))^2) / (m^2 (n^3 - n) - m T). chi2 = m (n - 1) W is Friedman's
    statistic, with n - 1 degrees of freedom.

    Parameters
    ----------
    ratings : array_like of float, shape (n_texts, n_raters)
        Complete: every rater rated every text. ValueError where one is missing.

    Returns
    -------
    Estimate
        `df` and `p` of Friedman's test. None with fewer than two texts or raters, or where every rater tied all.

    References
    ----------
    .. [1] M. G. Kendall and J. D. Gibbons (1990). Rank Correlation Methods, 5th ed., chapter 6. Edward Arnold.

    Examples
    --------
    >>> kendall_w([[1, 1, 2], [2, 3, 1], [3, 2, 3]]).value
    0.4444444444444444
    """
    table = np.asarray(ratings, dtype=np.float64)
    if table.ndim != 2:
        raise ValueError(f"Ratings are texts by raters, not of {table.ndim} dimensions.")
    if not np.isfinite(table).all():
        raise ValueError("Every rater has a finite rating of every text.")
    n, m = table.shape
    counts = {"n_ratings": table.size, "n_items": n, "n_raters": m}
    if n < 2 or m < 2:
        return Estimate(None, **counts, note=NO_TEXTS)
    ranks, ties = _ranks(table)
    possible = m * m * (n**3 - n) - m * ties
    if possible <= 0:
        return Estimate(None, **counts, note=ALL_TIED)
    sums = ranks.sum(axis=1)
    # Sums of halves are exact, and so is the mean of ranks.
    w = min(1.0, 12 * float(((sums - m * (n + 1) / 2) ** 2).sum()) / possible)
    # Lazy import: web processes import this module but never compute W.
    from scipy.special import chdtrc  # noqa: PLC0415

    return Estimate(w, df=n - 1, p=float(chdtrc(n - 1, m * (n - 1) * w)), **counts)


def _ranks(table: Floats) -> tuple[Floats, float]:
    """Return the mid-ranks within each rater, and the sum of t^3 - t over all ties."""
    n, m = table.shape
    rater: Codes = np.tile(np.arange(m, dtype=np.intp), n)
    values = table.ravel()
    order = np.lexsort((values, rater))
    ranks = np.empty(values.size)
    ranks[order] = ranks_within(rater[order], values[order])
    new = np.r_[True, (np.diff(values[order]) != 0) | (np.diff(rater[order]) != 0)]
    lengths = np.diff(np.r_[np.flatnonzero(new), values.size]).astype(np.float64)
    return ranks.reshape(n, m), float((lengths**3 - lengths).sum())
