"""Pairs of raters over the units that both rated: their ratings and correlations."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from analytics_app.stats.agreement.pooled import Method, SharedUnits
from analytics_app.stats.ranking.ranks import ranks_within
from analytics_app.stats.values import Codes, Floats

# Pairs of ratings processed at once: a dozen arrays of 16 MB.
_BLOCK = 2_000_000


@dataclass(frozen=True, slots=True)
class PairTable:
    """Every two raters who share a unit.

    Parameters
    ----------
    a, b : ndarray of int, shape (n_pairs,)
        Places of the raters, a < b.
    n : ndarray of int, shape (n_pairs,)
        Units that both rated.
    r : ndarray of float, shape (n_pairs,)
        NaN where one of them gave all these units the same rating.
    """

    a: Codes
    b: Codes
    n: Codes
    r: Floats


def n_rating_pairs(shared: SharedUnits) -> int:
    """Return how many pairs of ratings of the same unit there are."""
    return int(shared.after.sum())


def correlate_pairs(shared: SharedUnits, method: Method) -> PairTable:
    """Correlate every two raters who share a unit, in the order of their codes.

    Parameters
    ----------
    shared : SharedUnits
        All pairs of its ratings are processed in blocks of bounded memory.
    method : {"pearson", "spearman"}
    """
    tables = [_correlated(shared, block, method) for block in rating_pairs(shared)]
    return PairTable(
        np.concatenate([table.a for table in tables]),
        np.concatenate([table.b for table in tables]),
        np.concatenate([table.n for table in tables]),
        np.concatenate([table.r for table in tables]),
    )


@dataclass(frozen=True, slots=True)
class RatingPairs:
    """All pairs of ratings of the same unit by some raters (lower codes) and all others, sorted by pair of raters.

    Parameters
    ----------
    a, b, n : ndarray of int, shape (n_pairs,)
        The pairs of raters, as in `PairTable`.
    first, second : ndarray of int, shape (n,)
        Places of the ratings in `SharedUnits`, that of the lower code first.
    pairs : ndarray of int, shape (n,)
        The pair of raters of each pair of ratings.
    starts : ndarray of int, shape (n_pairs,)
        Where each pair of raters begins.
    """

    a: Codes
    b: Codes
    n: Codes
    first: Codes
    second: Codes
    pairs: Codes
    starts: Codes


def rating_pairs(shared: SharedUnits) -> Iterator[RatingPairs]:
    """Yield all pairs of ratings of the same unit in blocks of about `_BLOCK` pairs, some raters with all others."""
    n_raters = shared.rater_codes.size
    work = np.cumsum(np.bincount(shared.raters, weights=shared.after, minlength=n_raters))
    start = 0
    while start < n_raters:
        done = work[start - 1] if start else 0
        end = max(start + 1, int(np.searchsorted(work, done + _BLOCK, side="right")))
        yield _pairs_of(shared, start, end)
        start = end


def _pairs_of(shared: SharedUnits, start: int, end: int) -> RatingPairs:
    """Pair the raters from `start` to below `end` with all that have higher codes."""
    n_raters = shared.rater_codes.size
    chosen = np.flatnonzero((shared.raters >= start) & (shared.raters < end))
    partners = shared.after[chosen]
    first = np.repeat(chosen, partners)
    second = first + 1 + np.arange(first.size) - np.repeat(np.cumsum(partners) - partners, partners)
    keys = shared.raters[first] * n_raters + shared.raters[second]
    order = np.argsort(keys, kind="stable")
    keys, first, second = keys[order], first[order], second[order]
    new = np.r_[True, np.diff(keys) > 0] if keys.size else np.zeros(0, dtype=bool)
    pairs, starts = np.cumsum(new) - 1, np.flatnonzero(new)
    pair_keys = keys[starts]
    return RatingPairs(pair_keys // n_raters, pair_keys % n_raters, np.bincount(pairs), first, second, pairs, starts)


def _correlated(shared: SharedUnits, block: RatingPairs, method: Method) -> PairTable:
    """Correlate the pairs of raters in a block."""
    if not block.first.size:
        return PairTable(block.a, block.b, block.n, np.zeros(0))
    x, xx = _deviations(shared.values[block.first], block.pairs, block.starts, block.n, method)
    y, yy = _deviations(shared.values[block.second], block.pairs, block.starts, block.n, method)
    defined = (xx > 0) & (yy > 0)
    product = np.bincount(block.pairs, weights=x * y)
    r = np.divide(product, np.sqrt(xx) * np.sqrt(yy), out=np.full(block.n.size, np.nan), where=defined)
    return PairTable(block.a, block.b, block.n, np.clip(r, -1, 1))


def _deviations(x: Floats, pairs: Codes, starts: Codes, n: Codes, method: Method) -> tuple[Floats, Floats]:
    """Return the deviations from the mean of each pair, and their sums of squares, exactly 0 where all are the same."""
    if method == "spearman":
        order = np.lexsort((x, pairs))
        ranks = np.empty(x.size)
        ranks[order] = ranks_within(pairs[order], x[order])
        x = ranks
    low, high = np.minimum.reduceat(x, starts), np.maximum.reduceat(x, starts)
    # Each pair scaled to its own range, so that no square is too small or too large for a float.
    x = (x - low[pairs]) / np.where(high > low, high - low, 1)[pairs]
    x = x - (np.bincount(pairs, weights=x) / n)[pairs]
    return x, np.where(high > low, np.bincount(pairs, weights=x**2), 0)
