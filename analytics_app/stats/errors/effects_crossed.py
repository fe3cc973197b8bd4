"""Effects of errors with raters and texts both random: least squares with two-way cluster-robust standard errors."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from analytics_app.stats.errors.effects import Effects, effects_of_errors
from analytics_app.stats.mixed.design import combined
from analytics_app.stats.mixed.results import estimate
from analytics_app.stats.values import Codes, Estimate, Floats, compressed

__all__ = ["FEW_RATERS", "effects_for_further_raters"]

# With fewer raters there is no interval: the spread of so few effects says too little.
FEWEST = 4
FEW_RATERS = "No interval for further raters: it takes at least {least}, and here are {n}."


def effects_for_further_raters(
    ratings: ArrayLike,
    texts: ArrayLike,
    raters: ArrayLike,
    items: ArrayLike,
    counts: ArrayLike,
    names: Sequence[str],
    *,
    confidence: float,
) -> Effects:
    """Regress the mean ratings of texts on their numbers of errors, with errors for further raters and further items.

    The coefficients are those of `effects_of_errors` of the means of texts. Their covariance is clustered by item and
    by rater [1]_: that by items plus that by raters less that by their combinations, and not less than either of the
    first two, each times G / (G - 1) for G groups. Intervals and p are Student's, with the smaller number of groups
    less 1 as degrees of freedom.

    Parameters
    ----------
    ratings : array_like of float, shape (n,)
    texts, raters : array_like of int, shape (n,)
        The text of each rating, a row of `counts`, and its rater.
    items : array_like of int, shape (n_texts,)
        The item (or document) of each text.
    counts : array_like of float, shape (n_texts, k)
        NaN = not counted; such a text is left out.
    names : sequence of str, length k
    confidence : float

    Returns
    -------
    Effects
        As `effects_of_errors`; without intervals where there are fewer than four raters, or one item.

    References
    ----------
    .. [1] A. C. Cameron, J. B. Gelbach and D. L. Miller (2011). Robust inference with multiway clustering. Journal of
       Business and Economic Statistics 29(2), 238-249.

    Examples
    --------
    >>> ratings = [5, 3, 4, 2, 5, 2, 4, 1, 4, 3, 4, 2, 5, 3, 3, 1]
    >>> fit = effects_for_further_raters(
    ...     ratings, [0, 1, 2, 3] * 4, [0] * 4 + [1] * 4 + [2] * 4 + [3] * 4, [0, 1, 2, 3], [[0], [1], [1], [2]],
    ...     ["silence"], confidence=0.95,
    ... )
    >>> round(fit.effects[0].value, 3), fit.effects[0].df
    (-1.625, 3.0)
    """
    y, table = np.asarray(ratings, dtype=float), np.asarray(counts, dtype=float)
    text, rater, item = (np.asarray(codes, dtype=np.intp) for codes in (texts, raters, items))
    times = np.bincount(text, minlength=len(table))
    with np.errstate(invalid="ignore"):
        means = np.bincount(text, y, len(table)) / times
    fit = effects_of_errors(means, table, names, confidence=confidence)
    if not fit.effects or fit.effects[0].se is None:
        return fit
    used = ~np.isnan(means) & ~np.isnan(table).any(axis=1)
    keep = used[text]
    y, text, rater = y[keep], text[keep], rater[keep]
    n_raters, n_items = len(np.unique(rater)), len(np.unique(item[text]))
    coefficients = [fit.intercept, *fit.effects]
    if n_raters < FEWEST or n_items < 2:
        note = FEW_RATERS.format(least=FEWEST, n=n_raters) if n_raters < FEWEST else "One text only."
        plain = [
            Estimate(coefficient.value, n_items=fit.n, n_raters=n_raters, note=note) for coefficient in coefficients
        ]
        return replace(fit, intercept=plain[0], effects=tuple(plain[1:]))
    design = np.column_stack((np.ones(len(table)), table))[text]
    beta = np.array([coefficient.value for coefficient in coefficients])
    whole = np.column_stack((np.ones(int(used.sum())), table[used]))
    scores = (design * ((y - design @ beta) / times[text])[:, np.newaxis]) @ np.linalg.inv(whole.T @ whole)
    errors = np.sqrt(_variances(scores, compressed(item[text])[1], compressed(rater)[1]))
    df = float(min(n_raters, n_items) - 1)
    numbers = {"n_items": fit.n, "n_raters": n_raters, "n_ratings": int(keep.sum())}
    estimates = [
        estimate(float(b), float(se), df, confidence, numbers, tested=0.0) for b, se in zip(beta, errors, strict=True)
    ]
    return replace(fit, intercept=estimates[0], effects=tuple(estimates[1:]))


def _variances(scores: Floats, item: Codes, rater: Codes) -> Floats:
    """Return the variance of each coefficient, from the scores of ratings, shape (n, k)."""
    by_item, by_rater, by_both = (_clustered(scores, groups) for groups in (item, rater, combined(item, rater)))
    variances: Floats = np.maximum(by_item + by_rater - by_both, np.maximum(by_item, by_rater))
    return variances


def _clustered(scores: Floats, groups: Codes) -> Floats:
    n = int(groups.max()) + 1
    sums = np.stack([np.bincount(groups, column, n) for column in scores.T])
    corrected: Floats = (sums**2).sum(axis=1) * n / (n - 1)
    return corrected
