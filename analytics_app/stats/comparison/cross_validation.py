"""How much of a value some predictors explain, in the same rows and in rows that were not used to fit."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analytics_app.stats.values import Codes, Floats


@dataclass(frozen=True, slots=True)
class Explained:
    """Shares of the variance that ordinary least squares explain: in the rows of the fit, and in rows left out.

    `left_out` is the mean over repetitions of 1 - (squared errors) / (squared distances from the mean of the rows of
    the fit). It is 0 for predictors that help nothing, and below 0 for those that mislead.
    """

    fitted: float
    left_out: float


def explained(
    predictors: ArrayLike,
    values: ArrayLike,
    clusters: Codes,
    *,
    n_folds: int,
    n_repetitions: int,
    rng: np.random.Generator,
) -> Explained:
    """Share of variance explained, fitted and by cross-validation that keeps clusters together [1]_.

    Parameters
    ----------
    predictors : array_like of float, shape (n, p)
    values : array_like of float, shape (n,)
    clusters : ndarray of int, shape (n,)
        Rows of one cluster, such as texts of one item, are left out together.
    n_folds : int
        At most; each repetition draws the clusters into so many folds anew, or leaves one cluster out at a time.
    n_repetitions : int
    rng : numpy.random.Generator

    Returns
    -------
    Explained

    Raises
    ------
    ValueError
        Fewer than two clusters, fewer rows than predictors and 2 in what a fold leaves, or values that do not vary.

    References
    ----------
    .. [1] M. Stone (1974). Cross-validatory choice and assessment of statistical predictions. Journal of the Royal
       Statistical Society B 36(2), 111-147.

    Examples
    --------
    >>> x, item = np.arange(12.0)[:, np.newaxis], np.arange(12)
    >>> found = explained(x, 2 * x[:, 0] + 1, item, n_folds=4, n_repetitions=2, rng=np.random.default_rng(1))
    >>> round(found.fitted, 6), round(found.left_out, 6)
    (1.0, 1.0)
    """
    x, y = np.asarray(predictors, dtype=np.float64), np.asarray(values, dtype=np.float64)
    known, code = np.unique(clusters, return_inverse=True)
    n_folds = min(n_folds, len(known))
    if n_folds < 2:
        raise ValueError("Cross-validation needs two clusters or more.")
    if np.ptp(y) <= 0:
        raise ValueError("The values do not vary.")
    design = np.column_stack([np.ones(len(y)), x])
    everything = np.ones(len(y), dtype=bool)
    fitted = 1 - _errors(design, y, everything, everything) / float(((y - y.mean()) ** 2).sum())
    shares = []
    for _repetition in range(n_repetitions):
        fold = (rng.permutation(len(known)) % n_folds)[code]
        errors = distances = 0.0
        for number in range(n_folds):
            out = fold == number
            if (~out).sum() < design.shape[1] + 1:
                raise ValueError("There are too few rows for so many predictors.")
            errors += _errors(design, y, ~out, out)
            distances += float(((y[out] - y[~out].mean()) ** 2).sum())
        shares.append(1 - errors / distances)
    return Explained(fitted, float(np.mean(shares)))


def _errors(design: Floats, y: Floats, fit: NDArray[np.bool_], out: NDArray[np.bool_]) -> float:
    """Return the sum of squared errors of some rows by a fit to others."""
    weights = np.linalg.lstsq(design[fit], y[fit], rcond=None)[0]
    return float(((y[out] - design[out] @ weights) ** 2).sum())
