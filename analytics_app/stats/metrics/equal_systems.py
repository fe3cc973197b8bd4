"""Whether a metric agrees with people equally well on the texts of every system."""

import numpy as np
from numpy.typing import ArrayLike

from analytics_app.stats.metrics.score_matrix import score_matrices
from analytics_app.stats.values import Codes, Estimate, Floats, settled

# A correlation over fewer texts of a system has no spread on Fisher's scale.
FEWEST_TEXTS = 5
# Permutations of one chunk, so that memory stays small.
_CELLS = 2**21
# Correlations this close to 1 have no end on Fisher's scale.
_MOST = 1 - 1e-9
TOO_FEW = "Whether systems differ takes two systems with at least {n} scored texts each that vary; here are {systems}."
NOT_SHARED = "The systems share no items, so their scores cannot be exchanged within items."


def systems_differ(
    human: ArrayLike,
    metric: ArrayLike,
    *,
    ranks: bool = False,
    clusters: Codes | None = None,
    n_permutations: int,
    rng: np.random.Generator,
) -> Estimate:
    """Test whether the correlation of a metric with people is the same within every system.

    Scores of people and metric are standardised within each system. If a metric agrees with people equally well
    everywhere, it does not matter of which system a pair of both is: pairs are exchanged at random between the
    systems of an item, and the weighted variance of the correlations, on Fisher's scale, is compared with that after
    exchanges.

    Parameters
    ----------
    human, metric : array_like of float, shape (n_items, n_systems)
        NaN where there is no score. Systems with fewer than 5 scored texts, or a side without variation, are left out.
    ranks : bool
        Whether the correlation is Spearman's rho, which is Pearson's r of ranks within a system.
    clusters : ndarray of int, shape (n_items,), optional
        Codes from 0 of the documents that items belong to, if shown as a whole: then the items of a document are
        exchanged alike.
    n_permutations : int
    rng : numpy.random.Generator

    Returns
    -------
    Estimate
        `value` is the largest less the least correlation, `p` is (b + 1) / (B + 1), `n_ratings` counts the systems.

    Raises
    ------
    ValueError
        Shapes differ, or there is no permutation.

    Examples
    --------
    >>> people, rng = np.arange(24.0).reshape(12, 2), np.random.default_rng(1)
    >>> scores = np.column_stack([people[:, 0], -people[:, 1]])
    >>> found = systems_differ(people, scores, n_permutations=99, rng=rng)
    >>> round(found.value, 6), found.p
    (2.0, 0.01)
    """
    if n_permutations < 1:
        raise ValueError(f"There is at least 1 permutation, not {n_permutations}.")
    gold, scores, unit = score_matrices(human, metric, clusters)
    gold = settled(gold.ravel()).reshape(gold.shape)
    missing = np.isnan(gold) | np.isnan(scores)
    sides = [np.where(missing, np.nan, side) for side in (gold, scores)]
    kept = np.array([_varies(*columns) for columns in zip(*(side.T for side in sides), strict=True)], dtype=bool)
    if kept.sum() < 2:
        return Estimate(None, n_ratings=int(kept.sum()), note=TOO_FEW.format(n=FEWEST_TEXTS, systems=int(kept.sum())))
    x, y = (_standardised(side[:, kept], ranks=ranks) for side in sides)
    missing = np.isnan(x)
    n_items = int((~missing).any(axis=1).sum())
    observed = _correlations(x[np.newaxis], y[np.newaxis])[0]
    spread = float(observed.max() - observed.min())
    if not ((~missing).sum(axis=1) > 1).any():
        return Estimate(spread, n_ratings=len(observed), n_items=n_items, note=NOT_SHARED)
    weights = (~missing).sum(axis=0) - 3.0
    at_least = _variance(observed[np.newaxis], weights)[0] * (1 - 1e-12)
    _codes, unit = np.unique(unit, return_inverse=True)
    place = np.argsort(missing, axis=1, kind="stable")
    larger, left = 0, n_permutations
    while left:
        n = min(left, max(1, _CELLS // x.size))
        keys = rng.random((n, int(unit.max()) + 1, x.shape[1]))[:, unit]
        source = np.argsort(np.where(missing, np.inf, keys), axis=2)
        exchanged = [np.empty(source.shape), np.empty(source.shape)]
        for side, target in zip((x, y), exchanged, strict=True):
            taken = np.take_along_axis(np.broadcast_to(side, source.shape), source, axis=2)
            np.put_along_axis(target, np.broadcast_to(place, source.shape), taken, axis=2)
        larger += int((_variance(_correlations(*exchanged), weights) >= at_least).sum())
        left -= n
    p = (larger + 1) / (n_permutations + 1)
    return Estimate(spread, p=p, n_ratings=len(observed), n_items=n_items)


def _varies(x: Floats, y: Floats) -> bool:
    known = ~np.isnan(x)
    return int(known.sum()) >= FEWEST_TEXTS and all(np.ptp(side[known]) > 0 for side in (x, y))


def _standardised(table: Floats, *, ranks: bool) -> Floats:
    """Return scores, or ranks, with mean 0 and variance 1 within each column; NaN stays."""
    from scipy.stats import rankdata  # noqa: PLC0415  takes a second to load

    values = rankdata(table, axis=0, nan_policy="omit") if ranks else table
    deviations = values - np.nanmean(values, axis=0)
    scaled: Floats = deviations / np.sqrt(np.nanmean(deviations**2, axis=0))
    return scaled


def _correlations(x: Floats, y: Floats) -> Floats:
    """Return Pearson's r of each system, shape (n, n_systems), from shape (n, n_items, n_systems)."""
    n = (~np.isnan(x)).sum(axis=1)
    x, y = np.nan_to_num(x), np.nan_to_num(y)
    sum_x, sum_y = x.sum(axis=1), y.sum(axis=1)
    xx, yy = (x * x).sum(axis=1) - sum_x**2 / n, (y * y).sum(axis=1) - sum_y**2 / n
    xy = (x * y).sum(axis=1) - sum_x * sum_y / n
    size = np.sqrt(np.maximum(xx * yy, 0))
    r: Floats = np.divide(xy, size, out=np.zeros_like(xy), where=size > 1e-12)
    return np.clip(r, -1, 1)


def _variance(r: Floats, weights: Floats) -> Floats:
    """Return the weighted sum of squared deviations on Fisher's scale, shape (n,)."""
    z = np.arctanh(np.clip(r, -_MOST, _MOST))
    mean = (z @ weights) / weights.sum()
    spread: Floats = ((z - mean[:, np.newaxis]) ** 2) @ weights
    return spread
