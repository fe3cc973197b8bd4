"""Confirmatory factors: maximum likelihood where each scale belongs to one factor, and how well that fits."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analytics_app.stats.optimisation import minimum
from analytics_app.stats.scales.factor import LOWEST, chi2_p
from analytics_app.stats.scales.factorability import checked_correlation
from analytics_app.stats.values import Estimate, Floats

# The interval of RMSEA, as it is usually printed.
RMSEA_CONFIDENCE = 0.90
# The largest slope of the discrepancy that counts as zero.
_FLAT = 1e-6
# Below this share of its largest eigenvalue, the smallest one of the information counts as zero.
_SINGULAR = 1e-9
# Where the search begins, for standardised loadings.
_STARTS = (0.7, 0.4)

NO_TEST = "The factors fit any data exactly: there is no test of fit."


@dataclass(frozen=True, slots=True)
class Confirmed:
    """Factors of scales that were named before. `loadings` (p,) are standardised, `factors` (k, k) correlations.

    `n` is the number of rows that chi-squared counts. `chi2` has the test of exact fit with its df and p, and `rmsea`
    an interval of 90 %. `cfi` and `tli` compare with scales that do not correlate, and `srmr` is the typical error of a
    correlation. `heywood` lists scales whose unexplained variance ended at its bound. `refusal` says why the other
    fields must not be used, if they must not.
    """

    n: int
    loadings: Floats
    factors: Floats
    chi2: Estimate
    cfi: Estimate
    tli: Estimate
    rmsea: Estimate
    srmr: float
    heywood: tuple[int, ...]
    refusal: str | None = None


def degrees_of_freedom(sizes: Sequence[int]) -> int:
    """Degrees of freedom of factors with so many scales each: p(p + 1)/2 less loadings, uniquenesses, correlations.

    Examples
    --------
    >>> degrees_of_freedom([3, 3, 3]), degrees_of_freedom([3]), degrees_of_freedom([2])
    (24, 0, -1)
    """
    p, k = sum(sizes), len(sizes)
    return p * (p + 1) // 2 - 2 * p - k * (k - 1) // 2


def confirm(correlation: ArrayLike, groups: Sequence[int], n: int) -> Confirmed:
    """Fit correlated factors, each scale on one of them, by maximum likelihood [1]_, as lavaan's `cfa(std.lv = TRUE)`.

    ``F = log|S| + tr(R S^-1) - log|R| - p`` with ``S = L Phi L' + U``; chi-squared is ``n F``. Factor correlations are
    kept within those that are possible, and uniquenesses at .005 or above (lavaan warns where they leave these).
    CFI, TLI and RMSEA are those of [2]_, SRMR that of Bentler, over all p(p + 1)/2 elements.

    Parameters
    ----------
    correlation : array_like of float, shape (p, p)
        Invertible.
    groups : sequence of int, p long
        The factor of each scale, numbered from 0 without gaps; at least two scales a factor.
    n : int
        Number of rows behind the correlations.

    Returns
    -------
    Confirmed

    Raises
    ------
    ValueError
        No correlation matrix with an inverse; groups with gaps, of one scale, or with negative degrees of freedom.

    References
    ----------
    .. [1] K. G. Jöreskog (1969). A general approach to confirmatory maximum likelihood factor analysis. Psychometrika
       34(2), 183-202.
    .. [2] L. Hu and P. M. Bentler (1999). Cutoff criteria for fit indexes in covariance structure analysis. Structural
       Equation Modeling 6(1), 1-55.

    Examples
    --------
    >>> r = np.outer([0.5, 0.6, 0.7, 0.8], [0.5, 0.6, 0.7, 0.8])
    >>> np.fill_diagonal(r, 1)
    >>> fit = confirm(r, [0, 0, 0, 0], 100)
    >>> fit.loadings.round(3).tolist(), round(fit.chi2.value, 6), fit.chi2.df
    ([0.5, 0.6, 0.7, 0.8], 0.0, 2.0)
    """
    r = checked_correlation(correlation)
    model = _Model.of(r, np.asarray(groups, dtype=np.int64))
    starts = [model.start(r, loading) for loading in _STARTS]
    lowest = minimum(lambda point: model.discrepancy(point, r), starts, model.bounds, tolerance=_FLAT)
    loadings, factors, uniquenesses = model.parts(lowest.point)
    implied = model.implied(loadings, factors, uniquenesses)
    signs = np.array([np.sign(loadings[model.groups == factor].sum()) or 1.0 for factor in range(model.k)])
    error = (r - implied)[np.tril_indices(len(r))]
    fit = _Fit.of(r, n, lowest.value, model.df)
    return Confirmed(
        n,
        loadings * signs[model.groups],
        factors * np.outer(signs, signs),
        fit.chi2,
        fit.cfi,
        fit.tli,
        fit.rmsea,
        float(np.sqrt((error**2).mean())),
        tuple(np.flatnonzero(uniquenesses <= LOWEST * (1 + 1e-6)).tolist()),
        _refusal(model, lowest.point, converged=lowest.converged),
    )


@dataclass(frozen=True, slots=True)
class _Model:
    """Factors of groups of scales. A point has p loadings, p uniquenesses, then the lower triangle that makes Phi.

    Phi is ``T T'``, where T is the triangle with ones on its diagonal and each row divided by its length: so every
    point gives correlations that are possible.
    """

    groups: NDArray[np.int64]
    k: int

    @classmethod
    def of(cls, r: Floats, groups: NDArray[np.int64]) -> "_Model":
        if groups.shape != (len(r),):
            raise ValueError("There is one factor for each scale.")
        sizes = np.bincount(groups) if len(groups) and groups.min() >= 0 else np.zeros(1, dtype=np.int64)
        if (sizes < 2).any():
            raise ValueError("Factors are numbered from 0 without gaps, and have two scales or more.")
        if degrees_of_freedom(sizes.tolist()) < 0:
            raise ValueError("One factor alone needs three scales or more.")
        try:
            np.linalg.cholesky(r)
        except np.linalg.LinAlgError:
            raise ValueError("The correlation matrix has no inverse.") from None
        return cls(groups, len(sizes))

    @property
    def df(self) -> int:
        return degrees_of_freedom(np.bincount(self.groups).tolist())

    @property
    def below(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        return np.tril_indices(self.k, -1)

    @property
    def bounds(self) -> list[tuple[float, float]]:
        p, free = len(self.groups), np.inf
        return [(-free, free)] * p + [(LOWEST, free)] * p + [(-free, free)] * (self.k * (self.k - 1) // 2)

    def start(self, r: Floats, loading: float) -> Floats:
        """Return a point with loadings of one size, each with the sign that the correlations within its group ask."""
        signs = np.ones(len(r))
        for factor in range(self.k):
            mine = np.flatnonzero(self.groups == factor)
            first = np.linalg.eigh(r[np.ix_(mine, mine)])[1][:, -1]
            signs[mine] = np.where(first < 0, -1.0, 1.0)
        across = np.zeros(self.k * (self.k - 1) // 2)
        return np.concatenate([signs * loading, np.full(len(r), 1 - loading**2), across])

    def _triangle(self, point: Floats) -> tuple[Floats, Floats]:
        triangle = np.eye(self.k)
        triangle[self.below] = point[2 * len(self.groups) :]
        length = np.sqrt((triangle**2).sum(axis=1))[:, np.newaxis]
        return triangle / length, length

    def parts(self, point: Floats) -> tuple[Floats, Floats, Floats]:
        """Return loadings (p,), correlations of factors (k, k) and uniquenesses (p,) of a point."""
        p = len(self.groups)
        triangle, _length = self._triangle(point)
        return point[:p], triangle @ triangle.T, point[p : 2 * p]

    def implied(self, loadings: Floats, factors: Floats, uniquenesses: Floats) -> Floats:
        """Return the covariances that the model implies, shape (p, p)."""
        implied: Floats = np.outer(loadings, loadings) * factors[np.ix_(self.groups, self.groups)]
        return implied + np.diag(uniquenesses)

    def discrepancy(self, point: Floats, r: Floats) -> tuple[float, Floats]:
        """Return F and its gradient, shape of the point."""
        loadings, factors, uniquenesses = self.parts(point)
        inverse = np.linalg.inv(self.implied(loadings, factors, uniquenesses))
        value = -np.linalg.slogdet(inverse)[1] + np.einsum("ij,ji->", r, inverse) - np.linalg.slogdet(r)[1] - len(r)
        slope = inverse - inverse @ r @ inverse
        phi = factors[np.ix_(self.groups, self.groups)]
        of_loadings = 2 * (slope * phi) @ loadings
        of_factors = np.zeros_like(factors)
        np.add.at(of_factors, np.ix_(self.groups, self.groups), slope * np.outer(loadings, loadings))
        triangle, length = self._triangle(point)
        of_triangle = 2 * of_factors @ triangle
        of_triangle = (of_triangle - (of_triangle * triangle).sum(axis=1)[:, np.newaxis] * triangle) / length
        return float(value), np.concatenate([of_loadings, np.diag(slope), of_triangle[self.below]])

    def slopes(self, fit: Confirmed) -> Iterator[Floats]:
        """Yield the slopes of the implied covariances by each loading, uniqueness and factor correlation."""
        p = len(self.groups)
        across = fit.factors[np.ix_(self.groups, self.groups)] * fit.loadings
        for place in range(p):
            slope = np.zeros((p, p))
            slope[place] += across[place]
            slope[:, place] += across[place]
            yield slope
        for place in range(p):
            yield np.diag(np.arange(p) == place).astype(np.float64)
        for one, other in zip(*self.below, strict=True):
            of_one, of_other = (np.where(self.groups == factor, fit.loadings, 0.0) for factor in (one, other))
            yield np.outer(of_one, of_other) + np.outer(of_other, of_one)

    def information(self, point: Floats) -> Floats:
        """Return the expected information of loadings, uniquenesses and triangle, for one row and without its half."""
        inverse = np.linalg.inv(self.implied(*self.parts(point)))
        step = 1e-6
        slopes = []
        for place in range(len(point)):
            up, down = point.copy(), point.copy()
            up[place] += step
            down[place] -= step
            slopes.append((self.implied(*self.parts(up)) - self.implied(*self.parts(down))) / (2 * step))
        weighted = [inverse @ slope for slope in slopes]
        return np.array([[np.einsum("ij,ji->", a, b) for b in weighted] for a in weighted])


def robust_fit(values: ArrayLike, groups: Sequence[int], fit: Confirmed, *samples: ArrayLike) -> Estimate:
    """Test of exact fit where rows share raters and texts: chi-squared scaled by how much such rows vary together.

    Satorra and Bentler's mean-and-variance adjusted test [1]_ (`T tr(UG) / tr(UGUG)` on `tr(UG)^2 / tr(UGUG)` degrees
    of freedom), with the covariance G of the elements of the covariance matrix summed over clusters instead of rows; of
    two samples, such as raters and texts, that of the first plus that of the second less that of their pairs [2]_.

    Parameters
    ----------
    values : array_like of float, shape (n, p)
        Complete rows.
    groups : sequence of int, p long
    fit : Confirmed
        The fit of the same rows.
    *samples : array_like of int, shape (n,) each
        One or two: the cluster of each row.

    Returns
    -------
    Estimate
        The adjusted chi-squared, its df (not whole) and p; without a value where the clusters are too few to tell.

    References
    ----------
    .. [1] A. Satorra and P. M. Bentler (1994). Corrections to test statistics and standard errors in covariance
       structure analysis. In A. von Eye and C. C. Clogg (eds), Latent Variables Analysis, 399-419. Sage.
    .. [2] A. C. Cameron, J. B. Gelbach and D. L. Miller (2011). Robust inference with multiway clustering. Journal of
       Business & Economic Statistics 29(2), 238-249.
    """
    if fit.chi2.value is None:
        return fit.chi2
    z = np.asarray(values, dtype=np.float64)
    z = (z - z.mean(axis=0)) / z.std(axis=0)
    n, p = z.shape
    rows, columns = np.tril_indices(p)
    products = z[:, rows] * z[:, columns]
    products -= products.mean(axis=0)
    codes = [np.unique(np.asarray(sample), return_inverse=True)[1] for sample in samples]
    spread = sum(_spread(products, code) for code in codes)
    if len(codes) > 1:
        spread = spread - _spread(products, codes[0] * (int(codes[1].max()) + 1) + codes[1])
    residual = _residual_weights(_Model.of(z.T @ z / n, np.asarray(groups, dtype=np.int64)), fit, rows, columns)
    weighted = residual @ (spread / n)
    total, squared = float(np.trace(weighted)), float(np.einsum("ij,ji->", weighted, weighted))
    if total <= 0 or squared <= 0:
        return Estimate(None, note="There are too few raters or texts for a test that takes them as samples.")
    # Of all rows, where the fit counts fewer as independent.
    chi2, df = fit.chi2.value * n / fit.n * total / squared, total**2 / squared
    return Estimate(chi2, df=df, p=chi2_p(chi2, df))


def _spread(products: Floats, code: NDArray[np.intp]) -> Floats:
    """Return the sum over clusters of the outer product of their sums, shape (q, q)."""
    sums = np.zeros((int(code.max()) + 1, products.shape[1]))
    np.add.at(sums, code, products)
    spread: Floats = sums.T @ sums
    return spread


def _residual_weights(model: _Model, fit: Confirmed, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> Floats:
    """Return the weights U = V - V D (D' V D)^-1 D' V of the residual of each element, shape (q, q)."""
    implied = model.implied(fit.loadings, fit.factors, 1 - fit.loadings**2)
    inverse = np.linalg.inv(implied)
    twice = np.where(rows == columns, 1.0, 2.0)
    # Half of D' (S^-1 x S^-1) D, with the duplication matrix D.
    weights = inverse[np.ix_(rows, rows)] * inverse[np.ix_(columns, columns)]
    weights = weights + inverse[np.ix_(rows, columns)] * inverse[np.ix_(columns, rows)]
    weights *= np.outer(twice, twice) / 4
    slopes = np.column_stack([slope[rows, columns] for slope in model.slopes(fit)])
    inner = np.linalg.inv(slopes.T @ weights @ slopes)
    residual: Floats = weights - weights @ slopes @ inner @ slopes.T @ weights
    return residual


def _refusal(model: _Model, point: Floats, *, converged: bool) -> str | None:
    if not converged:
        return "The maximum likelihood search did not converge."
    sizes = np.linalg.eigvalsh(model.information(point))
    if sizes[0] <= _SINGULAR * sizes[-1]:
        return (
            "The loadings cannot be told: a factor of two scales needs another factor that it correlates with, or a "
            "third scale."
        )
    return None


@dataclass(frozen=True, slots=True)
class _Fit:
    chi2: Estimate
    cfi: Estimate
    tli: Estimate
    rmsea: Estimate

    @classmethod
    def of(cls, r: Floats, n: int, discrepancy: float, df: int) -> "_Fit":
        p = len(r)
        chi2, chi2_apart, df_apart = n * max(discrepancy, 0.0), -n * float(np.linalg.slogdet(r)[1]), p * (p - 1) // 2
        if df == 0:
            none = Estimate(None, df=0, note=NO_TEST)
            return cls(none, none, none, none)
        excess, excess_apart = chi2 - df, chi2_apart - df_apart
        most = max(excess, excess_apart, 0.0)
        cfi = Estimate(1 - max(excess, 0.0) / most if most > 0 else 1.0)
        apart = chi2_apart / df_apart
        uncorrelated = "The scales hardly correlate, so there is nothing to compare with."
        tli = Estimate((apart - chi2 / df) / (apart - 1)) if apart > 1 else Estimate(None, note=uncorrelated)
        return cls(Estimate(chi2, df=df, p=chi2_p(chi2, df)), cfi, tli, _rmsea(chi2, df, n))


def _rmsea(chi2: float, df: int, n: int) -> Estimate:
    """Return RMSEA, with an interval between the noncentralities for which chi-squared is at either tail."""
    from scipy.optimize import brentq  # noqa: PLC0415  lazy import: web processes never need it
    from scipy.stats import chi2 as central  # noqa: PLC0415
    from scipy.stats import ncx2  # noqa: PLC0415

    def end(probability: float) -> float:
        if central.cdf(chi2, df) < probability:
            return 0.0
        above = chi2 + 10.0
        while ncx2.cdf(chi2, df, above) > probability:
            above *= 2
        return float(np.sqrt(brentq(lambda size: ncx2.cdf(chi2, df, size) - probability, 1e-12, above) / (df * n)))

    tail = (1 - RMSEA_CONFIDENCE) / 2
    return Estimate(float(np.sqrt(max(chi2 - df, 0.0) / (df * n))), low=end(1 - tail), high=end(tail))
