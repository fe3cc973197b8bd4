"""Correlations of two scores of the same systems: Pearson, Spearman and Kendall."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from analytics_app.stats.metrics.coefficients import p_of, r_of, with_interval
from analytics_app.stats.metrics.metric_samples import rank_taus, ranks_of_rows, row_r
from analytics_app.stats.values import Estimate, Floats, checked_values, joined, settled

FEWEST = 3


@dataclass(frozen=True, slots=True)
class ScoreCorrelations:
    """Pearson's r, Spearman's rho and Kendall's tau-b of two scores."""

    pearson: Estimate
    spearman: Estimate
    kendall: Estimate


def correlated_scores(
    a: ArrayLike,
    b: ArrayLike,
    *,
    drawn: tuple[Floats, Floats] | None = None,
    n_items: int = 0,
    confidence: float = 0.95,
    settle: bool = False,
    few: int = 0,
    few_note: str = "",
) -> ScoreCorrelations:
    """Correlate two scores of the same systems.

    Parameters
    ----------
    a, b : array_like of float, shape (n_systems,)
        NaN = no score; such systems are left out.
    drawn : tuple of ndarray of float, shape (n_resamples, n_systems), optional
        Both scores in the same resamples of items, from which the intervals are; NaN where a resample has none.
    n_items : int
        Items (or documents) that were resampled.
    confidence : float
    settle : bool
        Whether scores that differ by rounding only are tied, as means of ratings are.
    few : int
        With fewer systems than this the note says `few_note`.

    Returns
    -------
    ScoreCorrelations
        `n_ratings` counts the systems. Pearson and Spearman have two-sided p values: exact over all orders for up to 8
        systems or any number on one line, otherwise from the t distribution, with `df`. Kendall's tau-b [1]_ has the p
        of `scipy.stats.kendalltau`: exact without ties, otherwise from the normal distribution. With fewer than 3
        systems, or where one score is the same for all, all three are undefined.

    Raises
    ------
    ValueError
        Shapes differ.

    References
    ----------
    .. [1] M. G. Kendall (1945). The treatment of ties in ranking problems. Biometrika 33(3), 239-251.

    Examples
    --------
    >>> found = correlated_scores([1, 2, 3, 4], [1, 3, 2, 4])
    >>> round(found.pearson.value, 4), round(found.spearman.value, 4), round(found.kendall.value, 4)
    (0.8, 0.8, 0.6667)
    """
    x, y = checked_values(a), checked_values(b)
    if x.shape != y.shape:
        raise ValueError(f"Both scores are of the same systems, not of {x.size} and {y.size}.")
    scored = ~(np.isnan(x) | np.isnan(y))
    x, y = x[scored], y[scored]
    n = x.size
    tying_x, tying_y = (settled(x), settled(y)) if settle else (x, y)
    if problem := _problem(tying_x, tying_y):
        undefined = Estimate(None, n_ratings=n, n_items=n_items, note=problem)
        return ScoreCorrelations(undefined, undefined, undefined)
    from scipy.stats import kendalltau, rankdata  # noqa: PLC0415  takes a second to load

    drawn_x, drawn_y = (np.zeros((0, n)), np.zeros((0, n))) if drawn is None else (side[:, scored] for side in drawn)
    # A resample that leaves out a system has no correlation; too many of these leave no interval.
    missing = np.atleast_1d(np.isnan(drawn_x + drawn_y).any(axis=1))
    drawn_x, drawn_y = (np.where(missing[:, np.newaxis], np.nan, side) for side in (drawn_x, drawn_y))
    note = few_note if n < few else None
    estimates = []
    for side_x, side_y, samples_x, samples_y in (
        (x, y, drawn_x, drawn_y),
        (rankdata(tying_x), rankdata(tying_y), ranks_of_rows(drawn_x), ranks_of_rows(drawn_y)),
    ):
        r = r_of(side_x, side_y)
        p, df = p_of(r, side_x, side_y)
        estimates.append(replace(_interval(r, row_r(samples_x, samples_y), n, n_items, confidence), p=p, df=df))
    tau = kendalltau(tying_x, tying_y)
    taus = np.where(missing, np.nan, rank_taus(drawn_x, drawn_y))
    third = _interval(float(tau.statistic), taus, n, n_items, confidence)
    estimates.append(replace(third, p=float(tau.pvalue)))
    return ScoreCorrelations(*(replace(part, note=joined(note, part.note)) for part in estimates))


def _interval(value: float, samples: Floats, n: int, n_items: int, confidence: float) -> Estimate:
    if not samples.size:
        return Estimate(value, n_ratings=n, n_items=n_items)
    return with_interval(value, samples, n, n_items, confidence)


def _problem(x: Floats, y: Floats) -> str | None:
    """Return why the correlation of two scores is undefined, None where it is defined."""
    if x.size < FEWEST:
        systems = "1 system has" if x.size == 1 else f"{x.size} systems have"
        return f"A correlation takes at least {FEWEST} systems; {systems} both scores."
    if x.min() == x.max() or y.min() == y.max():
        return "All systems have the same score on one side, so the correlation is undefined."
    return None
