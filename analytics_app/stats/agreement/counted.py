"""Counts of values by text, and coefficients resampled by text: the basis of agreement on categories.

With c ratings of each value on a text, m = sum(c): texts with the same counts are one pattern, so a million ratings of
five steps are a few hundred rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analytics_app.stats.agreement.patterns import count_patterns
from analytics_app.stats.resampling.alike import exact_if_all_alike
from analytics_app.stats.resampling.bootstrap import (
    agreement_interval,
    cluster_of_units,
    drawn_together,
    interval,
    too_few,
    weights,
)
from analytics_app.stats.values import Codes, Estimate, Floats, compressed, joined, on_scale, rated, value_codes

# Tables of texts x values with more cells (64 MB) do not hold categories.
_CELLS = 8_000_000

NOT_RATED = "Nothing was rated, so {what} is undefined."
NOT_SHARED = "No two raters rated the same text, so {what} is undefined."
TOO_WIDE = (
    "Not worked out: {cells:,} texts times values are too many for categories. Take Krippendorff's alpha or an ICC."
)


@dataclass(frozen=True, slots=True)
class Counted:
    """Number of ratings by text and value.

    Parameters
    ----------
    patterns : ndarray of int, shape (n_units,)
        The row of `table` for each text, sorted.
    table : ndarray of float, shape (n_patterns, n_values)
        Ratings of each value.
    scale : ndarray of float, shape (n_values,)
        The whole scale if given, else the values that occur.
    n_raters : int or None
    clusters : ndarray of int, shape (n_units,), or None
        The document each text is resampled with; `patterns` are then in the order of the texts.
    """

    patterns: Codes
    table: Floats
    scale: Floats
    n_raters: int | None = None
    clusters: Codes | None = None

    @property
    def times(self) -> Floats:
        """Return the number of texts with each pattern."""
        return np.bincount(self.patterns, minlength=len(self.table)).astype(np.float64)

    @property
    def sizes(self) -> Floats:
        """Return the number of ratings of a text with each pattern."""
        return np.asarray(self.table.sum(axis=1), dtype=np.float64)

    def pairable(self) -> Counted:
        """Return the texts with two ratings or more."""
        several = self.sizes > 1
        new_places, mask = np.cumsum(several) - 1, several[self.patterns]
        clusters = None if self.clusters is None else self.clusters[mask]
        return Counted(new_places[self.patterns[mask]], self.table[several], self.scale, self.n_raters, clusters)

    def agreement(self, similar: Floats | None = None) -> Floats:
        """Return the share of agreeing pairs of ratings for each pattern, NaN for fewer than two ratings.

        `similar`, shape (n_values, n_values), is the agreement of two values, with ones on its diagonal.
        """
        sizes = self.sizes
        similar_counts = self.table if similar is None else self.table @ similar
        pairs = (self.table * (similar_counts - 1)).sum(axis=1)
        out: Floats = np.divide(pairs, sizes * (sizes - 1), out=np.full(sizes.size, np.nan), where=sizes > 1)
        return out

    def estimate(self, value: float | None, **fields: object) -> Estimate:
        """Return an estimate with the numbers of ratings, texts and raters."""
        times = self.times
        counts = {"n_ratings": int(times @ self.sizes), "n_items": int(times.sum()), "n_raters": self.n_raters}
        return partial(Estimate, value, **counts)(**fields)  # type: ignore[arg-type]


def counted(
    values: ArrayLike,
    units: ArrayLike,
    *,
    domain: ArrayLike | None = None,
    raters: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
) -> Counted | None:
    """Count ratings by text and value; None if the table would be too large for categories.

    Raises
    ------
    ValueError
        Wrong shapes or codes, or a value outside the domain.

    Examples
    --------
    >>> counted([1, 1, 2, 2], [0, 0, 1, 1], domain=[1, 2, 3]).table.tolist()
    [[0.0, 2.0, 0.0], [2.0, 0.0, 0.0]]
    """
    # Units stand in for raters or clusters that were not given, so that `rated` always gets three codes.
    rater_and_cluster = (units if raters is None else raters, units if clusters is None else clusters)
    numbers, (unit, rater, cluster) = rated(values, units, *rater_and_cluster)
    scale, codes = value_codes(numbers) if domain is None else on_scale(numbers, domain)
    unit_codes, places = compressed(unit)
    if unit_codes.size * max(scale.size, 1) > _CELLS:
        return None
    n_raters = compressed(rater)[0].size if raters is not None else None
    if not unit_codes.size:
        return Counted(np.zeros(0, dtype=np.intp), np.zeros((0, scale.size)), scale, n_raters)
    unit_clusters = cluster_of_units(unit, cluster) if clusters is not None else None
    patterns, table = count_patterns(places, codes, unit_codes.size, scale.size, aligned=unit_clusters is not None)
    return Counted(patterns, table, scale, n_raters, unit_clusters)


def of_categories(
    values: ArrayLike,
    units: ArrayLike,
    *,
    what: str,
    domain: ArrayLike | None = None,
    raters: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
) -> Counted | Estimate:
    """Count the ratings that can be compared, or return an empty estimate with the reason why it is undefined."""
    table = counted(values, units, domain=domain, raters=raters, clusters=clusters)
    if table is None:
        cells = compressed(np.asarray(units, dtype=np.intp))[0].size * np.unique(np.asarray(values)).size
        return Estimate(None, note=TOO_WIDE.format(cells=cells))
    if not table.patterns.size:
        return Estimate(None, n_ratings=0, n_items=0, note=NOT_RATED.format(what=what))
    if not (table.sizes > 1).any():
        return Estimate(None, n_ratings=0, n_items=0, note=NOT_SHARED.format(what=what))
    return table


def resampled(
    table: Counted,
    value: float,
    statistic: Callable[[Floats], Floats],
    *,
    n_resamples: int,
    confidence: float,
    rng: np.random.Generator | None,
    note: str | None = None,
    k: float | None = None,
    n_judgments: int | None = None,
) -> Estimate:
    """Return a value with its bootstrap interval over texts, or over the documents that the texts belong to.

    `statistic` takes weights of shape (n_resamples, n_patterns) and returns one value each, NaN undefined. `k` is the
    number of ratings of a text where the value is a coefficient of agreement (`agreement_interval`). `n_judgments` is
    given where the value is a share of so many yes-or-no judgments (`exact_if_all_alike`).
    """
    if rng is None or n_resamples == 0:
        return table.estimate(value, note=note)
    n_units = table.patterns.size
    if few_note := too_few(n_units, table.clusters):
        return table.estimate(value, note=joined(note, few_note))
    if table.clusters is None:
        chunks = weights(n_units, n_resamples, rng, classes=table.patterns, width=max(table.table.shape))
        samples = np.concatenate([statistic(chunk.astype(np.float64)) for chunk in chunks])
    else:
        cluster_weights = drawn_together(table.clusters, table.patterns, n_resamples, rng)
        samples = np.concatenate([statistic(chunk) for chunk in cluster_weights])
    n_drawn = n_units if table.clusters is None else compressed(table.clusters)[0].size
    exact = False
    if k is not None:
        limits = agreement_interval(samples, confidence, n_drawn, value=value, k=k)
    else:
        limits = interval(samples, confidence, n_drawn)
    if n_judgments is not None:
        limits, exact = exact_if_all_alike(
            limits, value, n_judgments=n_judgments, n_units=n_drawn, confidence=confidence
        )
    return table.estimate(value, **{**limits._asdict(), "note": joined(note, limits.note)}, exact=exact)


def over_expected(observed: Floats, expected: Floats, undefined: NDArray[np.bool_]) -> Floats:
    """Return (observed - expected) / (1 - expected), NaN if it is undefined."""
    out: Floats = np.divide(observed - expected, 1 - expected, out=np.full(observed.shape, np.nan), where=~undefined)
    return out
