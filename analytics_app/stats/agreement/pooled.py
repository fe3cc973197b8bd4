"""Correlation over all pairs of ratings of the same unit, computed without listing the pairs.

A rating that has p ratings of its unit before it (by raters with lower codes) and q after it is the second of p pairs
and the first of q. Sums over pairs are thus weighted sums over ratings, and the sum of products of a unit is the sum of
each rating times those before it: the work grows with the ratings, not with their pairs.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from analytics_app.stats.resampling.bootstrap import cluster_of_units, weights
from analytics_app.stats.resampling.pair_sums import rows_by_cluster
from analytics_app.stats.values import Codes, Floats, compressed, value_codes

Method = Literal["pearson", "spearman"]

# Tables of units x values x values for the resamples of ranks: 8 million cells are 64 MB.
_SCALE = 20
_CELLS = 8_000_000


@dataclass(frozen=True, slots=True)
class SharedUnits:
    """Ratings of units that two raters or more rated, sorted by unit and rater.

    Parameters
    ----------
    values : ndarray of float, shape (n,)
    units, raters : ndarray of int, shape (n,)
        Places from 0 without gaps.
    rater_codes : ndarray of int, shape (n_raters,)
    before, after : ndarray of int, shape (n,)
        How many ratings of the unit come before and after each.
    clusters : ndarray of int, shape (n_units,), or None
        The document each unit is resampled with.
    """

    values: Floats
    units: Codes
    raters: Codes
    rater_codes: Codes
    before: Codes
    after: Codes
    clusters: Codes | None = None

    @property
    def n_units(self) -> int:
        """Number of units with two ratings or more."""
        return int(self.units[-1]) + 1 if self.units.size else 0


def shared_units(values: Floats, units: Codes, raters: Codes, clusters: Codes | None = None) -> SharedUnits:
    """Return the ratings that can be paired; ValueError where a rater has several ratings of one unit."""
    _unit_codes, places = compressed(units)
    pairable = np.bincount(places)[places] > 1 if places.size else np.zeros(0, dtype=bool)
    _unit_codes, places = compressed(units[pairable])
    codes, rater_places = compressed(raters[pairable])
    order = np.lexsort((rater_places, places))
    places, rater_places = places[order], rater_places[order]
    if ((np.diff(places) == 0) & (np.diff(rater_places) == 0)).any():
        raise ValueError("A rater has several ratings of one unit; reduce them to one before.")
    sizes = np.bincount(places)
    before = np.arange(places.size) - (np.cumsum(sizes) - sizes)[places]
    unit_clusters = None if clusters is None else cluster_of_units(units[pairable], clusters[pairable])
    return SharedUnits(
        values[pairable][order], places, rater_places, codes, before, sizes[places] - 1 - before, unit_clusters
    )


def pooled_r(shared: SharedUnits, method: Method) -> float | None:
    """Return the correlation over all pairs, or None where one side of them is constant."""
    first, second = shared.values[shared.after > 0], shared.values[shared.before > 0]
    if first.min() == first.max() or second.min() == second.max():
        return None
    x = y = shared.values
    if method == "spearman":
        _scale, codes = value_codes(shared.values)
        x = _mid_ranks(np.bincount(codes, weights=shared.after).astype(np.float64))[codes]
        y = _mid_ranks(np.bincount(codes, weights=shared.before).astype(np.float64))[codes]
    n = shared.after.sum()
    x, y = x - (shared.after @ x) / n, y - (shared.before @ y) / n
    # Scaled, so that no square is too small or too large for a float.
    x, y = x / np.abs(x).max(), y / np.abs(y).max()
    product = (y * _sum_before(x, shared)).sum()
    return float(product / np.sqrt(shared.after @ x**2) / np.sqrt(shared.before @ y**2))


def pooled_samples(shared: SharedUnits, method: Method, n_resamples: int, rng: np.random.Generator) -> Floats | None:
    """Return bootstrap samples of `pooled_r` over units, or over the documents they are in, shape (n_resamples,).

    NaN where one side is constant. None for ranks on a scale of more than 20 values, since every resample would have
    to be ranked again.
    """
    correlate = _moments(shared) if method == "pearson" else _ranked(shared)
    if correlate is None:
        return None
    columns, width = correlate
    columns = rows_by_cluster(columns, shared.clusters)
    drawn = weights(len(columns), n_resamples, rng, width=columns.shape[1])
    chunks = [chunk.astype(np.float64) @ columns for chunk in drawn]
    totals = np.concatenate(chunks) if chunks else np.zeros((0, columns.shape[1]))
    return _from_moments(totals) if width is None else _from_tables(totals, width)


def _moments(shared: SharedUnits) -> tuple[Floats, None]:
    """Return the number of pairs of each unit, with their sums, sums of squares and sum of products."""
    x = shared.values - np.median(shared.values)
    x = x / np.abs(x).max()
    terms = [shared.after + 0.0, shared.after * x, shared.before * x, shared.after * x**2, shared.before * x**2]
    return np.column_stack(
        [np.bincount(shared.units, weights=term) for term in [*terms, x * _sum_before(x, shared)]]
    ), None


def _from_moments(totals: Floats) -> Floats:
    n, x, y, xx, yy, xy = totals.T
    return _ratio(xy - x * y / n, xx - x**2 / n, yy - y**2 / n, floors=(1e-12 * xx, 1e-12 * yy))


def _ranked(shared: SharedUnits) -> tuple[Floats, int] | None:
    """Return, by unit, how often each value is first in a pair, second in a pair, and before each other value."""
    scale, codes = value_codes(shared.values)
    v, n_units = scale.size, shared.n_units
    if v > _SCALE or n_units * v**2 > _CELLS or codes.size * v > _CELLS:
        return None
    cells = shared.units * v + codes
    first = np.bincount(cells, weights=shared.after, minlength=n_units * v).reshape(n_units, v)
    second = np.bincount(cells, weights=shared.before, minlength=n_units * v).reshape(n_units, v)
    one_each = np.zeros((codes.size, v))
    one_each[np.arange(codes.size), codes] = 1
    preceding = _sum_before(one_each, shared)
    order = np.argsort(cells, kind="stable")
    used_cells, starts = np.unique(cells[order], return_index=True)
    pairs = np.zeros((n_units * v, v))
    pairs[used_cells] = np.add.reduceat(preceding[order], starts, axis=0)
    return np.hstack([first, second, pairs.reshape(n_units, v * v)]), v


def _from_tables(totals: Floats, v: int) -> Floats:
    first, second = totals[:, :v], totals[:, v : 2 * v]
    # Ranks are centred on their mean, which is half the number of pairs.
    half = first.sum(axis=1, keepdims=True) / 2
    x, y = _mid_ranks(first) / half - 1, _mid_ranks(second) / half - 1
    product = np.einsum("byx,bx,by->b", totals[:, 2 * v :].reshape(-1, v, v), x, y)
    zeros = np.zeros(len(totals))
    several = (np.count_nonzero(first, axis=1) > 1) & (np.count_nonzero(second, axis=1) > 1)
    spread_x = np.where(several, (first * x**2).sum(axis=1), 0)
    return _ratio(product, spread_x, (second * y**2).sum(axis=1), floors=(zeros, zeros))


def _ratio(product: Floats, xx: Floats, yy: Floats, *, floors: tuple[Floats, Floats]) -> Floats:
    defined = (xx > floors[0]) & (yy > floors[1])
    sizes = np.sqrt(np.where(defined, xx, 1)) * np.sqrt(np.where(defined, yy, 1))
    return np.where(defined, np.clip(product / sizes, -1, 1), np.nan)


def _mid_ranks(totals: Floats) -> Floats:
    ranks: Floats = np.cumsum(totals, axis=-1) - totals / 2
    return ranks


def _sum_before(x: Floats, shared: SharedUnits) -> Floats:
    """Return, for each rating, the sum of x over the earlier ratings of its unit."""
    running = np.cumsum(x, axis=0) - x
    starts = np.flatnonzero(shared.before == 0)
    result: Floats = running - running[starts][shared.units]
    return result
