"""Factors of scales: maximum likelihood, promax with Kaiser normalisation, factor scores."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from analytics_app.stats.optimisation import minimum
from analytics_app.stats.scales.factorability import checked_correlation, checked_rows
from analytics_app.stats.values import Estimate, Floats

# The lower bound of uniquenesses, as in R's factanal; a scale that ends there is a Heywood case.
LOWEST = 0.005
NOT_CONVERGED = "The maximum likelihood search did not converge, so there are no factors."
# The largest slope of the discrepancy that counts as zero.
_FLAT = 1e-6
# Varimax ends when its criterion grows by less than this share, or after so many steps.
_VARIMAX_GROWTH, _VARIMAX_STEPS = 1e-12, 1000

Kaiser: TypeAlias = Literal["throughout", "varimax"]


@dataclass(frozen=True, slots=True)
class Extraction:
    """Unrotated factors. `loadings` (p, k), `uniquenesses` (p,); `fit` holds chi-squared, its df and p.

    `heywood` lists the scales whose uniqueness ended at its bound: the model explains more than their variance. If
    `converged` is false, no maximum was found and the other fields must not be used.
    """

    loadings: Floats
    uniquenesses: Floats
    fit: Estimate
    heywood: tuple[int, ...]
    converged: bool


@dataclass(frozen=True, slots=True)
class Rotation:
    """Rotated factors, the one that explains most first, each turned so that its loadings sum to a positive number.

    `pattern` (p, k) are regression weights of factors, `factors` (k, k) their correlations, `explained` (k,) the share
    of the variance of all scales that each explains (with correlated factors, Phi P'P as in R's psych).
    """

    pattern: Floats
    factors: Floats
    explained: Floats

    @property
    def structure(self) -> Floats:
        """Correlations of scales with factors, shape (p, k)."""
        structure: Floats = self.pattern @ self.factors
        return structure


def degrees_of_freedom(p: int, k: int) -> int:
    """Degrees of freedom of k factors of p scales: ``((p - k)^2 - (p + k)) / 2``.

    Examples
    --------
    >>> degrees_of_freedom(8, 4)
    2
    """
    return ((p - k) ** 2 - (p + k)) // 2


def most_factors(p: int) -> int:
    """Return the largest number of factors of p scales that leaves at least 0 degrees of freedom.

    Examples
    --------
    >>> most_factors(8), most_factors(2)
    (4, 0)
    """
    return max((k for k in range(1, p) if degrees_of_freedom(p, k) >= 0), default=0)


def chi2_p(chi2: float, df: float) -> float:
    """Probability of a chi-squared at least as large, such as that of a fit.

    Raises
    ------
    ValueError
        `chi2` is below 0, or `df` not above it.

    Examples
    --------
    >>> round(chi2_p(2.06, 2), 3)
    0.357
    """
    if chi2 < 0 or df <= 0:
        raise ValueError(f"Chi-squared is at least 0 and its degrees of freedom above it, not {chi2} and {df}.")
    # Lazy import: web processes import this module but never compute p values.
    from scipy.special import chdtrc  # noqa: PLC0415

    return float(chdtrc(df, chi2))


def maximum_likelihood(correlation: ArrayLike, n_factors: int, n: int) -> Extraction:
    """Maximum likelihood factors [1]_, as in R's `factanal`.

    The uniquenesses minimise ``F = -sum(log e_i - e_i) - (p - k)`` over the eigenvalues e_i beyond the k largest of
    ``U^-1/2 R U^-1/2`` (L-BFGS-B, each uniqueness between .005 and 1, start ``(1 - k/2p) / diag(R^-1)``); the fit is
    ``chi2 = (n - 1 - (2p + 5)/6 - 2k/3) F``. statsmodels' Factor finds the same, from random starts and without a
    lower bound, so its digits vary and it does not stop at Heywood cases.

    Parameters
    ----------
    correlation : array_like of float, shape (p, p)
        Invertible.
    n_factors : int
        At least 1, and few enough for degrees of freedom of at least 0.
    n : int
        Number of rows behind the correlations.

    Returns
    -------
    Extraction

    Raises
    ------
    ValueError
        No correlation matrix with an inverse, or a number of factors that is not possible.

    References
    ----------
    .. [1] D. N. Lawley and A. E. Maxwell (1971). Factor Analysis as a Statistical Method. Butterworths.

    Examples
    --------
    >>> r = np.outer([0.5, 0.6, 0.7, 0.8], [0.5, 0.6, 0.7, 0.8])
    >>> np.fill_diagonal(r, 1)
    >>> found = maximum_likelihood(r, 1, 100)
    >>> found.loadings.ravel().round(3).tolist(), found.fit.df
    ([0.5, 0.6, 0.7, 0.8], 2.0)
    """
    r = checked_correlation(correlation)
    p, k = len(r), n_factors
    if not 1 <= k <= most_factors(p):
        raise ValueError(f"{p} scales have between 1 and {most_factors(p)} factors, not {k}.")
    try:
        np.linalg.cholesky(r)
    except np.linalg.LinAlgError:
        raise ValueError("The correlation matrix has no inverse.") from None

    def discrepancy(uniquenesses: Floats) -> tuple[float, Floats]:
        root = np.sqrt(uniquenesses)
        values, vectors = np.linalg.eigh(r / np.outer(root, root))
        beyond = values[: p - k]
        loadings = _loadings(values, vectors, root, k)
        slope = ((loadings**2).sum(axis=1) + uniquenesses - np.diag(r)) / uniquenesses**2
        return float(-(np.log(beyond) - beyond).sum() - (p - k)), slope

    start = np.clip((1 - 0.5 * k / p) / np.diag(np.linalg.inv(r)), LOWEST, 1)
    lowest = minimum(discrepancy, [start], [(LOWEST, 1.0)] * p, tolerance=_FLAT)
    uniquenesses = lowest.point
    root = np.sqrt(uniquenesses)
    loadings = _loadings(*np.linalg.eigh(r / np.outer(root, root)), root, k)
    heywood = tuple(np.flatnonzero(uniquenesses <= LOWEST * (1 + 1e-6)).tolist())
    return Extraction(_reflected(loadings), uniquenesses, _fit(lowest.value, p, k, n), heywood, lowest.converged)


def _loadings(values: Floats, vectors: Floats, root: Floats, k: int) -> Floats:
    largest = slice(None, -k - 1, -1)
    loadings: Floats = root[:, np.newaxis] * vectors[:, largest] * np.sqrt(np.maximum(values[largest] - 1, 0))
    return loadings


def _fit(discrepancy: float, p: int, k: int, n: int) -> Estimate:
    df = degrees_of_freedom(p, k)
    factor = n - 1 - (2 * p + 5) / 6 - 2 * k / 3
    if df == 0:
        return Estimate(None, df=0, note="So many factors fit any data exactly: there is no test of fit.")
    if factor <= 0:
        return Estimate(None, df=df, note="There are too few rows for a test of fit.")
    chi2 = max(0.0, factor * discrepancy)
    return Estimate(chi2, df=df, p=chi2_p(chi2, df))


def varimax(loadings: ArrayLike) -> tuple[Floats, Floats]:
    """Rotate loadings to the varimax criterion [1]_; return the rotated loadings and the rotation.

    Rows are rotated as given: for Kaiser normalisation the caller divides them by the roots of their communalities.

    Parameters
    ----------
    loadings : array_like of float, shape (p, k)

    Returns
    -------
    rotated : ndarray of float, shape (p, k)
    rotation : ndarray of float, shape (k, k)
        Orthogonal; ``loadings @ rotation`` is `rotated`.

    References
    ----------
    .. [1] H. F. Kaiser (1958). The varimax criterion for analytic rotation in factor analysis. Psychometrika 23,
       187-200.

    Examples
    --------
    >>> rotated, _rotation = varimax([[0.7, 0.3], [0.6, 0.3], [0.6, -0.4], [0.7, -0.4]])
    >>> np.abs(rotated).round(2).tolist()
    [[0.72, 0.26], [0.64, 0.19], [0.17, 0.7], [0.24, 0.77]]
    """
    a = _checked_loadings(loadings)
    p, k = a.shape
    rotation, before = np.eye(k), 0.0
    for _step in range(_VARIMAX_STEPS if k > 1 else 0):
        z = a @ rotation
        u, size, v = np.linalg.svd(a.T @ (z**3 - z * ((z**2).sum(axis=0) / p)))
        rotation = u @ v
        if size.sum() < before * (1 + _VARIMAX_GROWTH):
            break
        before = float(size.sum())
    return a @ rotation, rotation


def promax(loadings: ArrayLike, *, power: int = 4, kaiser: Kaiser = "throughout") -> Rotation:
    """Promax [1]_: correlated factors with loadings that approximate those of varimax, raised to a power.

    With "throughout", rows are divided by the roots of their communalities before varimax and restored after promax,
    as in SPSS (kappa = `power`); with "varimax" they are restored between the two, as in R's `promax(varimax(x))`.
    Loadings differ in the second decimal.

    Parameters
    ----------
    loadings : array_like of float, shape (p, k)
        Unrotated. With k = 1 they stay as they are.
    power : int
    kaiser : {"throughout", "varimax"}

    Returns
    -------
    Rotation

    References
    ----------
    .. [1] A. E. Hendrickson and P. O. White (1964). Promax: a quick method for rotation to oblique simple structure.
       British Journal of Statistical Psychology 17, 65-70.

    Examples
    --------
    >>> found = promax([[0.7, 0.3], [0.6, 0.3], [0.6, -0.4], [0.7, -0.4]])
    >>> found.pattern.round(2).tolist(), round(float(found.factors[0, 1]), 2)
    ([[0.03, 0.74], [-0.02, 0.68], [0.73, -0.02], [0.78, 0.04]], 0.54)
    """
    a = _checked_loadings(loadings)
    if a.shape[1] == 1:
        return _ordered(a, np.eye(1))
    length = np.sqrt((a**2).sum(axis=1))
    height = np.where(length > 0, length, 1.0)[:, np.newaxis]
    v, rotation = varimax(a / height)
    if kaiser == "varimax":
        v, height = v * height, np.ones_like(height)
    weights = np.linalg.lstsq(v, v * np.abs(v) ** (power - 1), rcond=None)[0]
    weights = weights * np.sqrt(np.diag(np.linalg.inv(weights.T @ weights)))
    back = np.linalg.inv(rotation @ weights)
    return _ordered((v @ weights) * height, back @ back.T)


def _ordered(pattern: Floats, factors: Floats) -> Rotation:
    """Flip factors so that their loadings have a positive sum, and sort them by explained variance, largest first."""
    sign = np.where(pattern.sum(axis=0) < 0, -1.0, 1.0)
    pattern, factors = pattern * sign, factors * np.outer(sign, sign)
    explained = np.diag(factors @ pattern.T @ pattern) / len(pattern)
    order = np.argsort(-explained, kind="stable")
    return Rotation(pattern[:, order], factors[np.ix_(order, order)], explained[order])


def _reflected(loadings: Floats) -> Floats:
    return loadings * np.where(loadings.sum(axis=0) < 0, -1.0, 1.0)


def _checked_loadings(loadings: ArrayLike) -> Floats:
    a = np.asarray(loadings, dtype=np.float64)
    if a.ndim != 2 or not a.size or not np.isfinite(a).all():
        raise ValueError("Loadings are finite, with a row a scale and a column a factor.")
    return a


def regression_scores(data: ArrayLike, correlation: ArrayLike, structure: ArrayLike) -> Floats:
    """Factor scores of rows by regression [1]_: ``Z R^-1 S``, with Z the data standardised by column.

    Parameters
    ----------
    data : array_like of float, shape (n, p)
        Complete; no column with one value only.
    correlation : array_like of float, shape (p, p)
    structure : array_like of float, shape (p, k)
        Correlations of scales with factors.

    Returns
    -------
    ndarray of float, shape (n, k)
        Mean 0 over the rows.

    References
    ----------
    .. [1] L. L. Thurstone (1935). The Vectors of Mind. University of Chicago Press.

    Examples
    --------
    >>> regression_scores([[1, 5], [3, 1]], [[1, 0], [0, 1]], [[1], [0]]).round(3).ravel().tolist()
    [-0.707, 0.707]
    """
    rows = checked_rows(data)
    z = (rows - rows.mean(axis=0)) / rows.std(axis=0, ddof=1)
    scores: Floats = z @ np.linalg.solve(checked_correlation(correlation), np.asarray(structure, dtype=np.float64))
    return scores
