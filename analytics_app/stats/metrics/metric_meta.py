"""Automatic metrics against people: correlations over texts and over systems, and Williams' test of two metrics."""

from dataclasses import dataclass, replace
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike

from analytics_app.stats.metrics.coefficients import APART, linked, p_of, r_of, with_interval
from analytics_app.stats.metrics.metric_samples import accuracy, ranks_of_rows, row_r
from analytics_app.stats.metrics.scored_systems import ScoredSystems, few_note
from analytics_app.stats.metrics.scored_texts import ScoredTexts
from analytics_app.stats.resampling.bootstrap import check_settings
from analytics_app.stats.values import Codes, Estimate, Floats, checked_values, joined, settled

# With more texts than this tau has no interval: its time grows with the square of their number.
_PAIRED_TEXTS = 4000


@dataclass(frozen=True, slots=True)
class Correlations:
    """Pearson's r, Spearman's rho and, over texts, Kendall's tau-b (over systems: pairwise accuracy)."""

    pearson: Estimate
    spearman: Estimate
    third: Estimate


def over_texts(
    human: ArrayLike,
    metric: ArrayLike,
    items: ArrayLike,
    *,
    n_resamples: int,
    confidence: float,
    rng: np.random.Generator,
    tau_interval: bool = True,
) -> Correlations:
    """Correlate scores of people and of a metric over all texts of all systems; intervals over items [1]_.

    Parameters
    ----------
    human, metric : array_like of float, shape (n,)
        One entry per text; texts with NaN on either side are dropped.
    items : array_like of int, shape (n,)
        Codes from 0: texts of one item (or of one document, if shown as a whole) are resampled together.
    n_resamples : int
    confidence : float
    rng : numpy.random.Generator
    tau_interval : bool
        Whether tau has an interval, whose time grows with the square of the number of texts.

    Returns
    -------
    Correlations
        `third` is Kendall's tau-b. In resamples Spearman's ranks stay those of all texts, and tau has no interval
        beyond 4,000 texts. p values are not given, since texts of one source are not independent.

    References
    ----------
    .. [1] D. Deutsch, R. Dror and D. Roth (2021). A statistical analysis of summarization evaluation metrics using
       resampling methods. TACL 9, 1132-1146.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> found = over_texts([1, 2, 3, 4], [1, 3, 2, 4], [0, 0, 1, 1], n_resamples=0, confidence=0.95, rng=rng)
    >>> round(found.pearson.value, 4), round(found.spearman.value, 4), round(found.third.value, 4)
    (0.8, 0.8, 0.6667)
    """
    check_settings(n_resamples, confidence)
    x, y = checked_values(human), checked_values(metric)
    if x.shape != y.shape:
        raise ValueError(f"There are {x.size} scores of people and {y.size} of the metric.")
    texts = ScoredTexts.of(x, y, items)
    if problem := _no_correlation(texts.x, texts.y, "texts"):
        undefined = texts.estimate(None, problem)
        return Correlations(undefined, undefined, undefined)
    too_many = f"No interval is drawn for tau over more than {_PAIRED_TEXTS:,} texts."
    if not tau_interval:
        too_many = "No interval is drawn for tau over so many texts, systems and metrics."
    return Correlations(
        *texts.correlations(
            # Means of ratings that differ by rounding only are tied. Scores of metrics are not rounded: a BLEU of
            # 1e-16 is not equal to 1e-12.
            tying=settled(texts.x),
            no_tau_interval=too_many if texts.x.size > _PAIRED_TEXTS or not tau_interval else None,
            n_resamples=n_resamples,
            confidence=confidence,
            rng=rng,
        )
    )


def over_systems(
    human: ArrayLike,
    metric: ArrayLike,
    *,
    clusters: Codes | None = None,
    n_resamples: int,
    confidence: float,
    rng: np.random.Generator,
) -> Correlations:
    """Correlate the means of systems; intervals over items, with new means in each resample.

    Parameters
    ----------
    human : array_like of float, shape (n_items, n_systems)
        NaN where there is no score.
    metric : array_like of float, shape (n_items, n_systems) or (n_systems,)
        Scores of texts, or of whole systems, such as corpus BLEU; the latter do not vary between resamples.
    clusters : ndarray of int, shape (n_items,), optional
        Codes from 0 of the documents that items belong to, if shown as a whole: then documents are resampled.
    n_resamples : int
    confidence : float
    rng : numpy.random.Generator

    Returns
    -------
    Correlations
        `third` is pairwise accuracy [1]_: the share of pairs of systems with different human means that the metric
        orders in the same way; a tie of the metric is wrong. `pearson` and `spearman` have two-sided p values: exact
        over all orders for up to 8 systems or any number on one line, otherwise from the t distribution, with `df`.
        `n_items` counts the items behind the means, `n_ratings` the systems.

    References
    ----------
    .. [1] T. Kocmi, C. Federmann, R. Grundkiewicz, M. Junczys-Dowmunt, H. Matsushita and A. Menezes (2021). To ship or
       not to ship. WMT, 478-494.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> found = over_systems([[1, 2, 3], [3, 4, 8]], [10, 30, 20], n_resamples=0, confidence=0.95, rng=rng)
    >>> round(found.pearson.value, 4), found.spearman.value, round(found.third.value, 4)
    (0.2774, 0.5, 0.6667)
    """
    check_settings(n_resamples, confidence)
    gold = np.atleast_2d(np.asarray(human, dtype=np.float64))
    scores = np.asarray(metric, dtype=np.float64)
    if scores.shape != (gold.shape if scores.ndim == 2 else gold.shape[1:]):
        raise ValueError(f"Scores of people have shape {gold.shape}, those of the metric {scores.shape}.")
    checked_values(gold.ravel()), checked_values(scores.ravel())
    systems = ScoredSystems.of(gold, scores, clusters)
    (x, y), n_items = systems.means, len(systems.texts)
    if problem := _no_correlation(x, y, "systems"):
        undefined = Estimate(None, n_ratings=x.size, n_items=n_items, note=problem)
        return Correlations(undefined, undefined, undefined)
    correlations = _of_means(n_items, systems.n_units, systems.drawn(n_resamples, rng), x, y, confidence)
    return correlations if linked(~np.isnan(systems.texts)) else _with_note(correlations, APART)


def _with_note(correlations: Correlations, note: str) -> Correlations:
    parts = (correlations.pearson, correlations.spearman, correlations.third)
    return Correlations(*(replace(part, note=joined(part.note, note)) for part in parts))


def _of_means(
    n_items: int, n_drawn: int, samples: tuple[Floats, Floats], x: Floats, y: Floats, confidence: float
) -> Correlations:
    from scipy.stats import rankdata  # noqa: PLC0415

    n, (samples_x, samples_y) = x.size, samples
    estimates = []
    for side_x, side_y, drawn_x, drawn_y in (
        (x, y, samples_x, samples_y),
        (rankdata(settled(x)), rankdata(y), ranks_of_rows(samples_x), ranks_of_rows(samples_y)),
    ):
        r = r_of(side_x, side_y)
        estimate = with_interval(r, row_r(drawn_x, drawn_y), n, n_drawn, confidence)
        p, df = p_of(r, side_x, side_y)
        note = joined(few_note(n), estimate.note)
        estimates.append(replace(estimate, df=df, p=p, n_ratings=n, n_items=n_items, note=note))
    right = accuracy(settled(x)[np.newaxis], y[np.newaxis])[0]
    third = with_interval(float(right), accuracy(samples_x, samples_y), n, n_drawn, confidence)
    return Correlations(estimates[0], estimates[1], replace(third, n_items=n_items))


def williams(r12: float, r13: float, r23: float, n: int) -> Estimate:
    """Williams' test whether two correlations with the same variable differ [1]_.

    Parameters
    ----------
    r12, r13 : float
        Pearson's correlation of people (1) with each of two metrics (2 and 3).
    r23 : float
        Pearson's correlation of the two metrics.
    n : int
        Texts, or systems, with all three.

    Returns
    -------
    Estimate
        `value` is t, above 0 where r12 is the larger; `p` is two-sided with n - 3 degrees of freedom. Undefined below
        n = 4 or where one of the three is determined by the others.

    Raises
    ------
    ValueError
        A correlation that is not between -1 and 1.

    References
    ----------
    .. [1] E. J. Williams (1959). Regression Analysis, chapter 5. Wiley. For metrics: Y. Graham and T. Baldwin (2014).
       Testing for significance of increased correlation with human judgment. EMNLP, 172-176.

    Examples
    --------
    >>> found = williams(0.8, 0.6, 0.7, 20)
    >>> round(found.value, 6), round(found.p, 6), found.df
    (1.753795, 0.097475, 17.0)
    """
    for r in (r12, r13, r23):
        # NaN compares as False, so it fails here.
        if not -1 - 1e-9 <= r <= 1 + 1e-9:
            raise ValueError(f"A correlation is between -1 and 1, not {r}.")
    if n < 4:
        return Estimate(None, n_ratings=n, note=f"Williams' test takes at least 4 scores; here are {n}.")
    k = 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23
    denominator = 2 * k * (n - 1) / (n - 3) + ((r12 + r13) / 2) ** 2 * (1 - r23) ** 3
    if r23 > 1 - 1e-12 or k < -1e-9 or denominator <= 1e-15:
        return Estimate(None, n_ratings=n, note="The two metrics give the same scores, so nothing can be compared.")
    from scipy.special import stdtr  # noqa: PLC0415

    t = (r12 - r13) * sqrt((n - 1) * (1 + r23) / denominator)
    return Estimate(t, df=float(n - 3), p=float(2 * stdtr(n - 3, -abs(t))), n_ratings=n)


def pearson(x: ArrayLike, y: ArrayLike) -> float | None:
    """Pearson's correlation, or None where one side is constant or there are fewer than 2 values.

    Examples
    --------
    >>> pearson([1, 2, 3], [2, 4, 6.0]), pearson([1, 1], [1, 2])
    (1.0, None)
    """
    scores_x, scores_y = checked_values(x), checked_values(y)
    return None if _no_correlation(scores_x, scores_y, "scores", least=2) else r_of(scores_x, scores_y)


def spearman(x: ArrayLike, y: ArrayLike) -> float | None:
    """Spearman's rho: Pearson's correlation of ranks, or None as for `pearson`. Values that differ by rounding tie.

    Examples
    --------
    >>> spearman([1, 2, 3], [2, 9, 4.0])
    0.5
    """
    from scipy.stats import rankdata  # noqa: PLC0415  takes a second to load

    scores_x, scores_y = settled(checked_values(x)), checked_values(y)
    return (
        None
        if _no_correlation(scores_x, scores_y, "scores", least=2)
        else pearson(*map(rankdata, (scores_x, scores_y)))
    )


def kendall(x: ArrayLike, y: ArrayLike) -> float | None:
    """Kendall's tau-b, or None as for `pearson`. Values of people that differ by rounding tie.

    Examples
    --------
    >>> round(kendall([1, 2, 3], [2, 9, 4.0]), 4)
    0.3333
    """
    from scipy.stats import kendalltau  # noqa: PLC0415  takes a second to load

    scores_x, scores_y = settled(checked_values(x)), checked_values(y)
    if _no_correlation(scores_x, scores_y, "scores", least=2):
        return None
    return float(kendalltau(scores_x, scores_y).statistic)


# Helpers of the functions above ---------------------------------------------------------------------------


def _no_correlation(x: Floats, y: Floats, units: str, least: int = 3) -> str | None:
    if x.size < least:
        return f"A correlation takes at least {least} {units}; {x.size} have scores of both."
    if x.min() == x.max():
        return f"People gave all {units} the same score, so the correlation is undefined."
    if y.min() == y.max():
        return f"The metric gave all {units} the same score, so the correlation is undefined."
    return None
