"""Suitability of scales for factors (KMO, Bartlett) and the number of factors (parallel analysis)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from analytics_app.stats.values import Codes, Estimate, Floats

# With fewer rows per scale, or a lower KMO, factors are not extracted.
ROWS_PER_SCALE = 5
LEAST_KMO = 0.5
# A smallest eigenvalue below this share of the largest counts as 0: the correlation matrix is singular.
_SINGULAR = 1e-10
# Most cells of the random correlation matrices held at once: 2**22 cells of 8 bytes are 32 MiB.
_CELLS = 2**22


@dataclass(frozen=True, slots=True)
class Factorability:
    """Kaiser, Meyer and Olkin's measure, over all scales and for each, with Bartlett's test.

    `bartlett` holds chi-squared with its degrees of freedom and p. `refusal` says why factors are not extracted, or is
    None.
    """

    kmo: Estimate
    of_scales: tuple[Estimate, ...]
    bartlett: Estimate
    refusal: str | None


def correlations(data: ArrayLike) -> Floats:
    """Pearson correlations of the columns of complete data.

    Parameters
    ----------
    data : array_like of float, shape (n, p)
        No NaN, at least two rows, and no column whose values are all the same.

    Returns
    -------
    ndarray of float, shape (p, p)
        Symmetric, with a diagonal of 1.

    Raises
    ------
    ValueError
        NaN or infinite values, fewer than two rows, or a constant column.

    Examples
    --------
    >>> correlations([[1, 2], [2, 4], [3, 6]]).round(6).tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    rows = checked_rows(data)
    if len(rows) < 2:
        raise ValueError(f"Correlations take at least two rows, not {len(rows)}.")
    if constant_columns(rows).size:
        raise ValueError("The values of a column are all the same, so it correlates with nothing.")
    centred = rows - rows.mean(axis=0)
    scaled = centred / np.sqrt((centred**2).sum(axis=0))
    matrix: Floats = np.clip(scaled.T @ scaled, -1, 1)
    np.fill_diagonal(matrix, 1.0)
    return matrix


def constant_columns(data: ArrayLike) -> Codes:
    """Return the indices of the columns with values that are all the same.

    Examples
    --------
    >>> constant_columns([[1, 2], [3, 2]]).tolist()
    [1]
    """
    rows = checked_rows(data)
    return np.flatnonzero(rows.max(axis=0) == rows.min(axis=0)) if len(rows) else np.arange(rows.shape[1])


def checked_rows(data: ArrayLike) -> Floats:
    """Return complete data as floats, shape (n, p); ValueError where they are not."""
    rows = np.asarray(data, dtype=np.float64)
    if rows.ndim != 2:
        raise ValueError(f"Data have two dimensions, rows and scales, not {rows.ndim}.")
    if not np.isfinite(rows).all():
        raise ValueError("Data are finite and complete: leave out rows with missing values first.")
    return rows


def factorability(correlation: ArrayLike, n: int) -> Factorability:
    """Suitability of a correlation matrix for factors: KMO [1]_ and Bartlett's test of sphericity [2]_.

    With q_ij the correlation of two scales when all others are held constant,
    ``KMO = sum r_ij^2 / (sum r_ij^2 + sum q_ij^2)`` over all pairs i != j; of one scale, over the pairs it is in.
    Bartlett: ``chi2 = -(n - 1 - (2p + 5)/6) ln|R|`` with p(p - 1)/2 degrees of freedom.

    Parameters
    ----------
    correlation : array_like of float, shape (p, p)
    n : int
        Rows that the correlations are of.

    Returns
    -------
    Factorability
        Without values if a scale follows from the others. Refused with fewer than 5 rows per scale or a KMO below .5.

    Raises
    ------
    ValueError
        No correlation matrix, or n below 1.

    References
    ----------
    .. [1] H. F. Kaiser and J. Rice (1974). Little Jiffy, Mark IV. Educational and Psychological Measurement 34,
       111-117.
    .. [2] M. S. Bartlett (1951). The effect of standardization on a chi-square approximation in factor analysis.
       Biometrika 38, 337-344.

    Examples
    --------
    >>> found = factorability([[1, 0.5, 0.5], [0.5, 1, 0.5], [0.5, 0.5, 1]], 100)
    >>> round(found.kmo.value, 4), found.bartlett.df, found.refusal
    (0.6923, 3.0, None)
    """
    r = checked_correlation(correlation)
    p = len(r)
    if n < 1:
        raise ValueError(f"Correlations are of at least one row, not {n}.")
    few_note = too_few_rows(n, p)
    values: Floats = np.asarray(np.linalg.eigvalsh(r), dtype=np.float64)
    if p < 3 or values[0] <= _SINGULAR * values[-1]:
        reason = few_note or (
            "Factors take at least three scales."
            if p < 3
            else "Some scale follows exactly from the others, so that nothing can be held constant."
        )
        undefined = Estimate(None, n_items=p, note=reason)
        return Factorability(undefined, (undefined,) * p, undefined, reason)
    inverse = np.linalg.inv(r)
    scale = np.sqrt(np.diag(inverse))
    partial = inverse / np.outer(scale, scale)
    off = ~np.eye(p, dtype=bool)
    squares, partials = np.where(off, r**2, 0).sum(axis=1), np.where(off, partial**2, 0).sum(axis=1)
    if not squares.sum() > 0:
        reason = few_note or "No two scales correlate, so there are no factors."
        undefined = Estimate(None, n_items=p, note=reason)
        return Factorability(undefined, (undefined,) * p, _bartlett(values, n), reason)
    kmo = float(squares.sum() / (squares.sum() + partials.sum()))
    low_kmo = None if kmo >= LEAST_KMO else f"KMO is {kmo:.2f}, below {LEAST_KMO:g}: the scales share too little."
    return Factorability(
        Estimate(kmo, n_items=p),
        tuple(
            Estimate(float(a / (a + b)), n_items=p)
            if a > 0
            else Estimate(None, n_items=p, note="It correlates with no other scale.")
            for a, b in zip(squares, partials, strict=True)
        ),
        _bartlett(values, n),
        few_note or low_kmo,
    )


def too_few_rows(n: int, p: int) -> str | None:
    """Return a note if n rows are too few for the factors of p scales, else None.

    Examples
    --------
    >>> too_few_rows(30, 9)
    'Factors take at least 5 complete rows a scale: 45 for 9 scales, and here are 30.'
    """
    if n >= ROWS_PER_SCALE * p:
        return None
    needed = ROWS_PER_SCALE * p
    return f"Factors take at least {ROWS_PER_SCALE} complete rows a scale: {needed} for {p} scales, and here are {n}."


def _bartlett(eigenvalues: Floats, n: int) -> Estimate:
    # Lazy import: web processes import this module but never run the test.
    from scipy.special import chdtrc  # noqa: PLC0415

    p = len(eigenvalues)
    factor = n - 1 - (2 * p + 5) / 6
    if factor <= 0:
        return Estimate(None, n_items=p, note="There are too few rows for Bartlett's test.")
    df = p * (p - 1) / 2
    chi2 = float(-factor * np.log(eigenvalues).sum())
    return Estimate(chi2, df=df, p=float(chdtrc(df, max(chi2, 0))), n_items=p)


def checked_correlation(correlation: ArrayLike) -> Floats:
    """Return a correlation matrix as floats; ValueError if it is not a correlation matrix."""
    r = np.asarray(correlation, dtype=np.float64)
    if r.ndim != 2 or r.shape[0] != r.shape[1] or not r.size:
        raise ValueError(f"A correlation matrix is square, not of shape {r.shape}.")
    if not np.isfinite(r).all() or not np.allclose(r, r.T, atol=1e-8) or not np.allclose(np.diag(r), 1, atol=1e-8):
        raise ValueError("A correlation matrix is symmetric and finite, with a diagonal of 1.")
    if (np.abs(r) > 1 + 1e-8).any():
        raise ValueError("Correlations are between -1 and 1.")
    return r


@dataclass(frozen=True, slots=True)
class Parallel:
    """Eigenvalues of the data, quantiles of those of random data, and the number of factors they suggest."""

    eigenvalues: tuple[float, ...]
    random: tuple[float, ...]
    n_factors: int


def parallel_analysis(
    correlation: ArrayLike, n: int, *, n_draws: int = 1000, quantile: float = 0.95, rng: np.random.Generator
) -> Parallel:
    """Number of factors: eigenvalues above those of random data of the same size [1]_, at their 95th percentile [2]_.

    The correlations of n rows of p independent normal values are drawn as those of a Wishart matrix by its
    Bartlett decomposition: the same distribution, at a cost that does not depend on n.

    Parameters
    ----------
    correlation : array_like of float, shape (p, p)
    n : int
        Rows that the correlations are of; above p.
    n_draws : int
        Random correlation matrices.
    quantile : float
        Quantile of each of their eigenvalues.
    rng : numpy.random.Generator

    Returns
    -------
    Parallel
        `n_factors` counts the eigenvalues before the first that is not above its random counterpart.

    Raises
    ------
    ValueError
        No correlation matrix, n not above p, no draws, or a quantile not between 0 and 1.

    References
    ----------
    .. [1] J. L. Horn (1965). A rationale and test for the number of factors in factor analysis. Psychometrika 30,
       179-185.
    .. [2] L. W. Glorfeld (1995). An improvement on Horn's parallel analysis methodology. Educational and Psychological
       Measurement 55, 377-393.

    Examples
    --------
    >>> r = [[1, 0.5, 0.5], [0.5, 1, 0.5], [0.5, 0.5, 1]]
    >>> parallel_analysis(r, 100, n_draws=200, rng=np.random.default_rng(1)).n_factors
    1
    """
    r = checked_correlation(correlation)
    p = len(r)
    if n <= p:
        raise ValueError(f"There are more rows than scales, not {n} for {p}.")
    if n_draws < 1 or not 0 < quantile < 1:
        raise ValueError("Parallel analysis takes at least one draw, and a quantile between 0 and 1.")
    values = np.linalg.eigvalsh(r)[::-1]
    chunk = max(1, _CELLS // p**2)
    samples = [_random_eigenvalues(n, p, min(chunk, n_draws - start), rng) for start in range(0, n_draws, chunk)]
    random = np.quantile(np.concatenate(samples), quantile, axis=0)
    above = values > random
    return Parallel(tuple(values.tolist()), tuple(random.tolist()), int(p if above.all() else np.argmin(above)))


def _random_eigenvalues(n: int, p: int, draws: int, rng: np.random.Generator) -> Floats:
    """Return the eigenvalues, in descending order, of correlation matrices of n rows of independent normal values."""
    lower = np.tril(rng.standard_normal((draws, p, p)), -1)
    lower[:, np.arange(p), np.arange(p)] = np.sqrt(rng.chisquare(n - 1 - np.arange(p), size=(draws, p)))
    lower /= np.sqrt((lower**2).sum(axis=2))[:, :, np.newaxis]
    eigenvalues: Floats = np.asarray(np.linalg.eigvalsh(lower @ lower.transpose(0, 2, 1))[:, ::-1], dtype=np.float64)
    return eigenvalues
