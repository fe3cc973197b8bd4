"""Resamples of items for correlations of metrics with people."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from analytics_app.stats.arrays import Codes, Floats
from analytics_app.stats.resampling.bootstrap import weights
from analytics_app.stats.resampling.pair_sums import rows_by_cluster

# Cells of a piece of all pairs of texts.
_CELLS = 4_000_000


def moment_samples(
    pairs: Sequence[tuple[Floats, Floats]], item: Codes, n_resamples: int, rng: np.random.Generator
) -> list[Floats]:
    """Return Pearson's r of each pair of variables in resamples of items, from sums over each item.

    All pairs share the resamples.
    """
    if not n_resamples:
        return [np.zeros(0) for _pair in pairs]
    terms = [np.ones(item.size)]
    for one, other in pairs:
        x, y = one - one.mean(), other - other.mean()
        x, y = x / np.abs(x).max(), y / np.abs(y).max()
        terms += [x, y, x * x, y * y, x * y]
    columns = np.column_stack([np.bincount(item, weights=term) for term in terms])
    chunks = weights(len(columns), n_resamples, rng)
    totals = np.concatenate([chunk.astype(np.float64) @ columns for chunk in chunks]).T
    found = []
    for place in range(len(pairs)):
        sx, sy, xx, yy, xy = totals[1 + 5 * place : 6 + 5 * place]
        n = totals[0]
        found.append(_ratio(xy - sx * sy / n, xx - sx**2 / n, yy - sy**2 / n, 1e-12 * xx, 1e-12 * yy))
    return found


def _ratio(product: Floats, xx: Floats, yy: Floats, floor_x: Floats, floor_y: Floats) -> Floats:
    defined = (xx > floor_x) & (yy > floor_y)
    size = np.sqrt(np.where(defined, xx, 1.0)) * np.sqrt(np.where(defined, yy, 1.0))
    return np.where(defined, np.clip(product / size, -1, 1), np.nan)


def tau_samples(x: Floats, y: Floats, item: Codes, n_items: int, n_resamples: int, rng: np.random.Generator) -> Floats:
    """Return tau-b in resamples of items: signs of all pairs of texts are summed by pairs of items once."""
    if not n_resamples:
        return np.zeros(0)
    order = np.argsort(item, kind="stable")
    x, y, item = x[order], y[order], item[order]
    starts = np.flatnonzero(np.r_[True, np.diff(item) != 0])
    tables = np.zeros((3, n_items, n_items))
    rows = max(1, _CELLS // x.size)
    for begin in range(0, x.size, rows):
        piece = slice(begin, begin + rows)
        of_x = np.sign(x[piece, np.newaxis] - x)
        of_y = np.sign(y[piece, np.newaxis] - y)
        for table, signs in zip(tables, (of_x * of_y, of_x != 0, of_y != 0), strict=True):
            np.add.at(table, item[piece], np.add.reduceat(signs.astype(np.float64), starts, axis=1))
    found = []
    for chunk in weights(n_items, n_resamples, rng, width=n_items):
        drawn = chunk.astype(np.float64)
        both, of_x, of_y = (((drawn @ table) * drawn).sum(axis=1) for table in tables)
        found.append(_ratio(both, of_x, of_y, np.zeros(len(drawn)), np.zeros(len(drawn))))
    return np.concatenate(found)


def mean_samples(
    gold: Floats, scores: Floats, n_resamples: int, rng: np.random.Generator, clusters: Codes | None = None
) -> tuple[Floats, Floats]:
    """Return the means of systems in resamples of items, or of documents; NaN where a system is in none of them."""
    n = gold.shape[1]
    if not n_resamples:
        return np.zeros((0, n)), np.zeros((0, n))
    tables = [np.nan_to_num(gold), ~np.isnan(gold)]
    tables += [np.nan_to_num(scores), ~np.isnan(scores)] if scores.ndim == 2 else []
    columns = rows_by_cluster(np.hstack(tables).astype(np.float64), clusters)
    chunks = weights(len(columns), n_resamples, rng, width=columns.shape[1])
    totals = np.concatenate([chunk.astype(np.float64) @ columns for chunk in chunks])
    made = []
    for place in range(0, len(tables), 2):
        tops, counts = totals[:, place * n : (place + 1) * n], totals[:, (place + 1) * n : (place + 2) * n]
        made.append(np.divide(tops, counts, out=np.full(tops.shape, np.nan), where=counts > 0))
    x, y = made if len(made) == 2 else (made[0], np.broadcast_to(scores, made[0].shape).copy())
    gone = np.isnan(x).any(axis=1) | np.isnan(y).any(axis=1)
    x[gone], y[gone] = np.nan, np.nan
    return x, y


def row_r(x: Floats, y: Floats) -> Floats:
    """Return Pearson's r of each row, NaN where one side is constant or missing."""
    if not len(x):
        return np.zeros(0)
    one = x - x.mean(axis=1, keepdims=True)
    other = y - y.mean(axis=1, keepdims=True)
    xx, yy = (one**2).sum(axis=1), (other**2).sum(axis=1)
    return _ratio((one * other).sum(axis=1), xx, yy, 1e-20 * (x**2).sum(axis=1), 1e-20 * (y**2).sum(axis=1))


def accuracy(x: Floats, y: Floats) -> Floats:
    """Return the share of pairs with different x that y orders alike, row by row."""
    if not len(x):
        return np.zeros(0)
    first, second = np.triu_indices(x.shape[1], 1)
    of_x, of_y = np.sign(x[:, first] - x[:, second]), np.sign(y[:, first] - y[:, second])
    asked = (of_x != 0) & ~np.isnan(of_x)
    right = asked & (of_x == of_y)
    n = asked.sum(axis=1)
    shares: Floats = np.divide(right.sum(axis=1), n, out=np.full(n.shape, np.nan), where=n > 0)
    return shares


def ranks_of_rows(rows: Floats) -> Floats:
    """Return mid-ranks within each row; a row with NaN stays NaN."""
    from scipy.stats import rankdata  # noqa: PLC0415  a second of start-up

    ranks: Floats = rankdata(rows, axis=1) if len(rows) else rows
    return ranks
