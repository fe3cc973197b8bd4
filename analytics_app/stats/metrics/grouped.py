"""Correlations of a metric with people within each item, or within each system, averaged."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analytics_app.stats.metrics.coefficients import with_interval
from analytics_app.stats.metrics.score_matrix import Grouping, in_groups, score_matrices
from analytics_app.stats.resampling.bootstrap import check_settings, ratio_samples, weights
from analytics_app.stats.resampling.pair_sums import rows_by_cluster
from analytics_app.stats.values import Codes, Estimate, Floats, settled

# With more texts than this tau within systems has no interval: its time grows with the square of the items.
MOST_TEXTS = 4000
# Sums of squares below this share of the largest are those of a constant side.
_CONSTANT = 1e-20
UNVARIED = "Within every {group} the scores of people or of the metric are all the same, or there is one text only."


@dataclass(frozen=True, slots=True)
class GroupedCorrelations:
    """Means over groups of Pearson's r, Spearman's rho and Kendall's tau-b; `n_items` counts items."""

    pearson: Estimate
    spearman: Estimate
    kendall: Estimate


def grouped_correlations(
    human: ArrayLike,
    metric: ArrayLike,
    *,
    grouping: Grouping,
    clusters: Codes | None = None,
    n_resamples: int,
    confidence: float,
    rng: np.random.Generator,
) -> GroupedCorrelations:
    """Average the correlations within each item, or within each system, as mt-metrics-eval does [1]_.

    Within items the correlation is over the systems' texts of one item: does the metric tell systems apart on this
    item? Within systems it is over one system's texts: does it tell good texts from bad ones of one system? Groups in
    which either side is the same throughout have no correlation and are left out.

    Parameters
    ----------
    human, metric : array_like of float, shape (n_items, n_systems)
        NaN where there is no score. Human scores that differ by rounding only are tied.
    grouping : {"item", "system"}
    clusters : ndarray of int, shape (n_items,), optional
        Codes from 0 of the documents that items belong to, if shown as a whole: then documents are resampled.
    n_resamples : int
        Bootstrap samples over items; 0 gives no intervals. Spearman's ranks stay those of all items of a system. Tau
        within systems has no interval beyond 4,000 texts.
    confidence : float
    rng : numpy.random.Generator

    Returns
    -------
    GroupedCorrelations
        `n_ratings` counts the groups that have a correlation.

    Raises
    ------
    ValueError
        Shapes differ, or the grouping is none of the two.

    References
    ----------
    .. [1] M. Freitag et al. (2023). Results of WMT23 metrics shared task. WMT, 578-628.

    Examples
    --------
    >>> options = {"n_resamples": 0, "confidence": 0.95, "rng": np.random.default_rng(1)}
    >>> found = grouped_correlations([[1, 2, 3], [1, 2, 3]], [[1, 2, 3], [3, 2, 1]], grouping="item", **options)
    >>> found.pearson.value, found.spearman.value, found.kendall.value, found.pearson.n_ratings
    (0.0, 0.0, 0.0, 2)
    """
    check_settings(n_resamples, confidence)
    if grouping not in {"item", "system"}:
        raise ValueError(f"Correlations are averaged by item or system, not {grouping!r}.")
    gold, scores, unit = score_matrices(human, metric, clusters)
    n_items, n_units = len(gold), int(np.unique(unit).size)
    tying = settled(gold.ravel()).reshape(gold.shape)
    values = _Values.of(*in_groups(gold, scores, grouping), in_groups(tying, scores, grouping)[0])
    drawn: list[Floats] = [np.zeros(0)] * 3
    if n_resamples and n_units > 1:
        if grouping == "item":
            drawn = _means_drawn(values, unit, n_resamples, rng)
        else:
            drawn = _systems_drawn(values, unit, n_resamples, rng)
    estimates = []
    for column, samples in zip(values.correlations, drawn, strict=True):
        known = ~np.isnan(column)
        if not known.any():
            estimates.append(Estimate(None, n_ratings=0, n_items=n_items, note=UNVARIED.format(group=grouping)))
            continue
        mean, n = float(column[known].mean()), int(known.sum())
        if not n_resamples:
            estimates.append(Estimate(mean, n_ratings=n, n_items=n_items))
        elif not samples.size and n_units > 1:
            note = f"No interval is drawn for tau within systems over more than {MOST_TEXTS:,} texts."
            estimates.append(Estimate(mean, n_ratings=n, n_items=n_items, note=note))
        else:
            estimates.append(replace(with_interval(mean, samples, n, n_units, confidence), n_items=n_items))
    return GroupedCorrelations(*estimates)


@dataclass(frozen=True, slots=True)
class _Values:
    """Scores within groups, and their ranks, shape (n_groups, n_texts), NaN where there is no text.

    `correlations` are Pearson's r, Spearman's rho and tau-b of each group, shape (3, n_groups), NaN where undefined.
    """

    sides: tuple[tuple[Floats, Floats], tuple[Floats, Floats]]
    correlations: Floats

    @classmethod
    def of(cls, gold: Floats, scores: Floats, tying: Floats) -> "_Values":
        """Return the scores within groups; `tying` replaces those of people where ties count."""
        varied = _varies(tying) & _varies(scores)
        ranks = (_ranks(tying), _ranks(scores))
        coefficients = [_r_within(gold, scores), _r_within(*ranks), _tau_within(tying, scores)]
        correlations = np.where(varied, np.vstack(coefficients), np.nan)
        return cls(((gold, scores), ranks), correlations)


def _varies(table: Floats) -> NDArray[np.bool_]:
    low = np.min(np.where(np.isnan(table), np.inf, table), axis=1, initial=np.inf)
    high = np.max(np.where(np.isnan(table), -np.inf, table), axis=1, initial=-np.inf)
    varied: NDArray[np.bool_] = high > low
    return varied


def _ranks(table: Floats) -> Floats:
    """Return mid-ranks within rows, NaN where there is no score."""
    from scipy.stats import rankdata  # noqa: PLC0415  takes a second to load

    missing = np.isnan(table)
    ranks: Floats = np.where(missing, np.nan, rankdata(np.where(missing, np.inf, table), axis=1))
    return ranks


def _centred(table: Floats) -> Floats:
    """Return deviations from the mean of each row, at most 1 in size, 0 where there is no score."""
    present = ~np.isnan(table)
    n = np.maximum(present.sum(axis=1, keepdims=True), 1)
    deviations = np.where(present, table - np.nansum(table, axis=1, keepdims=True) / n, 0.0)
    largest = np.abs(deviations).max(axis=1, keepdims=True, initial=0.0)
    scaled: Floats = deviations / np.where(largest > 0, largest, 1.0)
    return scaled


def _r_within(x: Floats, y: Floats) -> Floats:
    dx, dy = _centred(x), _centred(y)
    size = np.sqrt((dx**2).sum(axis=1) * (dy**2).sum(axis=1))
    r: Floats = np.clip((dx * dy).sum(axis=1) / np.where(size > 0, size, 1.0), -1, 1)
    return r


def _tau_within(x: Floats, y: Floats) -> Floats:
    from scipy.stats import kendalltau  # noqa: PLC0415  takes a second to load

    if len(x) > x.shape[1]:
        return _tau_of_short_rows(x, y)
    taus = np.full(len(x), np.nan)
    for row, (of_x, of_y) in enumerate(zip(x, y, strict=True)):
        known = ~np.isnan(of_x)
        if known.sum() > 1:
            taus[row] = kendalltau(of_x[known], of_y[known]).statistic
    return taus


def _tau_of_short_rows(x: Floats, y: Floats) -> Floats:
    product, of_x, of_y = np.zeros(len(x)), np.zeros(len(x)), np.zeros(len(x))
    columns = [np.asfortranarray(side) for side in (x, y)]
    for a in range(x.shape[1]):
        for b in range(a):
            # Comparisons with NaN are false, so that a missing text is tied with every other.
            sign_x, sign_y = (
                (side[:, a] > side[:, b]).view(np.int8) - (side[:, a] < side[:, b]).view(np.int8) for side in columns
            )
            product += sign_x * sign_y
            of_x += sign_x != 0
            of_y += sign_y != 0
    size = np.sqrt(of_x * of_y)
    taus: Floats = np.divide(product, size, out=np.full(len(x), np.nan), where=size > 0)
    return taus


def _means_drawn(values: _Values, unit: Codes, n_resamples: int, rng: np.random.Generator) -> list[Floats]:
    known = ~np.isnan(values.correlations.T)
    tops = rows_by_cluster(np.where(known, values.correlations.T, 0.0), unit)
    bottoms = rows_by_cluster(known.astype(np.float64), unit)
    return list(ratio_samples(tops, bottoms, n_resamples, rng).T)


def _systems_drawn(values: _Values, unit: Codes, n_resamples: int, rng: np.random.Generator) -> list[Floats]:
    """Return the means over systems of the three coefficients in resamples of items, or of documents."""
    (gold, scores), ranks = values.sides
    n_systems = len(gold)
    present = (~np.isnan(gold)).astype(np.float64)
    terms = [present]
    for x, y in ((gold, scores), ranks):
        dx, dy = _centred(x), _centred(y)
        terms += [dx, dy, dx * dx, dy * dy, dx * dy]
    columns = rows_by_cluster(np.concatenate(terms).T, unit)
    tables = _tau_tables(*ranks, unit) if present.sum() <= MOST_TEXTS else None
    samples: list[list[Floats]] = [[], [], []]
    for chunk in weights(len(columns), n_resamples, rng, width=max(columns.shape)):
        counts = chunk.astype(np.float64)
        totals = (counts @ columns).reshape(len(counts), len(terms), n_systems).transpose(1, 0, 2)
        for place, start in enumerate((1, 6)):
            samples[place].append(_mean_r(totals[0], *totals[start : start + 5]))
        if tables is not None:
            samples[2].append(_mean_tau(counts, tables))
    return [np.concatenate(parts) if parts else np.zeros(0) for parts in samples]


def _mean_r(n: Floats, x: Floats, y: Floats, xx: Floats, yy: Floats, xy: Floats) -> Floats:
    """Return the mean over systems of Pearson's r from sums, shape (n_resamples, n_systems)."""
    n = np.maximum(n, 1)
    of_x, of_y = xx - x**2 / n, yy - y**2 / n
    # Deviations are at most 1, so that what rounding leaves of a constant side is far below this.
    defined = (of_x > 1e-12 * xx) & (of_y > 1e-12 * yy) & (xx * yy > _CONSTANT)
    size = np.sqrt(np.where(defined, of_x * of_y, 1.0))
    return _mean_where(defined, np.clip((xy - x * y / n) / size, -1, 1))


def _mean_where(defined: NDArray[np.bool_], values: Floats) -> Floats:
    n = defined.sum(axis=1)
    total = np.where(defined, values, 0.0).sum(axis=1)
    means: Floats = np.divide(total, n, out=np.full(len(n), np.nan), where=n > 0)
    return means


def _tau_tables(x: Floats, y: Floats, unit: Codes) -> list[tuple[Floats, Floats, Floats]]:
    """Return, by system, signs of pairs of items summed by pairs of units: products, untied of x, untied of y."""
    tables = []
    for of_x, of_y in zip(x, y, strict=True):
        sign_x, sign_y = (np.nan_to_num(np.sign(side[:, np.newaxis] - side)) for side in (of_x, of_y))
        product, untied_x, untied_y = (
            rows_by_cluster(rows_by_cluster(table, unit).T, unit)
            for table in (sign_x * sign_y, np.abs(sign_x), np.abs(sign_y))
        )
        tables.append((product, untied_x, untied_y))
    return tables


def _mean_tau(counts: Floats, tables: list[tuple[Floats, Floats, Floats]]) -> Floats:
    taus = []
    for parts in tables:
        products, of_x, of_y = (((counts @ table) * counts).sum(axis=1) for table in parts)
        size = np.sqrt(of_x * of_y)
        taus.append(np.divide(products, size, out=np.full(len(counts), np.nan), where=size > 0))
    columns = np.column_stack(taus)
    return _mean_where(~np.isnan(columns), np.nan_to_num(columns))
