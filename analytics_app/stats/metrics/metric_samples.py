"""Resamples of items for correlations of metrics with people."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analytics_app.stats.resampling.bootstrap import weights
from analytics_app.stats.resampling.pair_sums import rows_by_cluster
from analytics_app.stats.values import Codes, Floats


def moment_samples(
    pairs: Sequence[tuple[Floats, Floats]], item: Codes, n_resamples: int, rng: np.random.Generator
) -> list[Floats]:
    """Return Pearson's r of each pair of variables in resamples of items, from sums over each item.

    All pairs share the resamples.
    """
    if not n_resamples:
        return [np.zeros(0) for _pair in pairs]
    terms = [np.ones(item.size)]
    for left, right in pairs:
        x, y = left - left.mean(), right - right.mean()
        x, y = x / np.abs(x).max(), y / np.abs(y).max()
        terms += [x, y, x * x, y * y, x * y]
    columns = np.column_stack([np.bincount(item, weights=term) for term in terms])
    chunks = weights(len(columns), n_resamples, rng)
    totals = np.concatenate([chunk.astype(np.float64) @ columns for chunk in chunks]).T
    samples = []
    for i in range(len(pairs)):
        sx, sy, xx, yy, xy = totals[1 + 5 * i : 6 + 5 * i]
        n = totals[0]
        samples.append(_ratio(xy - sx * sy / n, xx - sx**2 / n, yy - sy**2 / n, 1e-12 * xx, 1e-12 * yy))
    return samples


def _ratio(product: Floats, xx: NDArray[Any], yy: NDArray[Any], floor_x: Floats, floor_y: Floats) -> Floats:
    defined = (xx > floor_x) & (yy > floor_y)
    size = np.sqrt(np.where(defined, xx, 1.0)) * np.sqrt(np.where(defined, yy, 1.0))
    return np.where(defined, np.clip(product / size, -1, 1), np.nan)


def tau_samples(x: Floats, y: Floats, item: Codes, n_items: int, n_resamples: int, rng: np.random.Generator) -> Floats:
    """Return tau-b in resamples of items, from signs of all pairs of texts summed by pairs of items."""
    if not n_resamples:
        return np.zeros(0)
    tables = [_products(x, y, item, n_items), _untied(x, item, n_items), _untied(y, item, n_items)]
    samples = []
    for chunk in weights(n_items, n_resamples, rng, width=n_items):
        counts = chunk.astype(np.float64)
        products, of_x, of_y = (((counts @ table) * counts).sum(axis=1) for table in tables)
        samples.append(_ratio(products, of_x, of_y, np.zeros(len(counts)), np.zeros(len(counts))))
    return np.concatenate(samples)


def _untied(scores: Floats, item: Codes, n_items: int) -> Floats:
    """Return how many pairs of texts of every two items have different scores, shape (n_items, n_items)."""
    from scipy.sparse import csr_array  # noqa: PLC0415  takes a second to load

    _scores, score = np.unique(scores, return_inverse=True)
    n_of_item = np.bincount(item, minlength=n_items).astype(np.float64)
    n_of_score = csr_array((np.ones(item.size), (item, score)), shape=(n_items, int(score.max()) + 1))
    untied: Floats = np.outer(n_of_item, n_of_item) - (n_of_score @ n_of_score.T).toarray()
    return untied


def _products(x: Floats, y: Floats, item: Codes, n_items: int) -> Floats:
    """Return the sums of sign(x - x') sign(y - y') over the pairs of texts of every two items, shape as above.

    The texts of one item at a time are compared with those of the items from it on, in bytes: this is much faster than
    a table of all texts by all texts in floats.
    """
    order = np.argsort(item, kind="stable")
    x, y = x[order], y[order]
    starts = np.searchsorted(item[order], np.arange(n_items))
    sums = np.zeros((n_items, n_items))
    for i, (begin, end) in enumerate(pairwise([*starts.tolist(), item.size])):
        products = _signs(x[begin:end], x[begin:])
        products *= _signs(y[begin:end], y[begin:])
        sums[i, i:] = np.add.reduceat(products.sum(axis=0, dtype=np.int32), starts[i:] - begin)
    sums += np.triu(sums, 1).T
    return sums


def _signs(left: Floats, right: Floats) -> NDArray[np.int8]:
    """Return the sign of each value on the left minus each on the right."""
    larger, smaller = left[:, np.newaxis] > right, left[:, np.newaxis] < right
    signs: NDArray[np.int8] = larger.view(np.int8) - smaller.view(np.int8)
    return signs


def mean_samples(
    gold: Floats, scores: Floats, n_resamples: int, rng: np.random.Generator, clusters: Codes | None = None
) -> tuple[Floats, Floats]:
    """Return the means of systems in resamples of items, or of documents; NaN where a system has no item."""
    n = gold.shape[1]
    if not n_resamples:
        return np.zeros((0, n)), np.zeros((0, n))
    tables = [np.nan_to_num(gold), ~np.isnan(gold)]
    tables += [np.nan_to_num(scores), ~np.isnan(scores)] if scores.ndim == 2 else []
    columns = rows_by_cluster(np.hstack(tables).astype(np.float64), clusters)
    chunks = weights(len(columns), n_resamples, rng, width=columns.shape[1])
    totals = np.concatenate([chunk.astype(np.float64) @ columns for chunk in chunks])
    means = []
    for i in range(0, len(tables), 2):
        tops, counts = totals[:, i * n : (i + 1) * n], totals[:, (i + 1) * n : (i + 2) * n]
        means.append(np.divide(tops, counts, out=np.full(tops.shape, np.nan), where=counts > 0))
    x, y = means if len(means) == 2 else (means[0], np.broadcast_to(scores, means[0].shape).copy())
    missing = np.isnan(x).any(axis=1) | np.isnan(y).any(axis=1)
    x[missing], y[missing] = np.nan, np.nan
    return x, y


def row_r(x: Floats, y: Floats) -> Floats:
    """Return Pearson's r of each row, NaN where one side is constant or missing."""
    if not len(x):
        return np.zeros(0)
    dx = x - x.mean(axis=1, keepdims=True)
    dy = y - y.mean(axis=1, keepdims=True)
    xx, yy = (dx**2).sum(axis=1), (dy**2).sum(axis=1)
    return _ratio((dx * dy).sum(axis=1), xx, yy, 1e-20 * (x**2).sum(axis=1), 1e-20 * (y**2).sum(axis=1))


def accuracy(x: Floats, y: Floats) -> Floats:
    """Return, by row, the share of pairs with different x that y orders in the same way."""
    if not len(x):
        return np.zeros(0)
    first, second = np.triu_indices(x.shape[1], 1)
    of_x, of_y = np.sign(x[:, first] - x[:, second]), np.sign(y[:, first] - y[:, second])
    untied = (of_x != 0) & ~np.isnan(of_x)
    right = untied & (of_x == of_y)
    n = untied.sum(axis=1)
    shares: Floats = np.divide(right.sum(axis=1), n, out=np.full(n.shape, np.nan), where=n > 0)
    return shares


def ranks_of_rows(rows: Floats) -> Floats:
    """Return mid-ranks within each row; a row with NaN stays NaN."""
    from scipy.stats import rankdata  # noqa: PLC0415  takes a second to load

    ranks: Floats = rankdata(rows, axis=1) if len(rows) else rows
    return ranks


def rank_taus(x: Floats, y: Floats) -> Floats:
    """Return Kendall's tau-b of each row, NaN where one side is constant or missing."""
    if not len(x):
        return np.zeros(0)
    first, second = np.triu_indices(x.shape[1], 1)
    of_x, of_y = np.sign(x[:, first] - x[:, second]), np.sign(y[:, first] - y[:, second])
    zeros = np.zeros(len(x))
    return _ratio((of_x * of_y).sum(axis=1), (of_x != 0).sum(axis=1), (of_y != 0).sum(axis=1), zeros, zeros)
