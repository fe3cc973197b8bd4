"""Variances of crossed random terms by REML, with the items eliminated exactly."""

from dataclasses import dataclass

import numpy as np

from analytics_app.stats.mixed.blocks import RATER_TERMS, Blocks, Layout, inverted
from analytics_app.stats.mixed.design import Design
from analytics_app.stats.optimisation import minimum
from analytics_app.stats.values import Codes, Floats

# Largest ratio of a variance to that of the residual; a fit that reaches it has no residual.
_LARGEST = 1e7
# The projected gradient of the deviance that counts as zero. Parameters are scaled so that the curvature is about 1.
_TOLERANCE = 1e-4
# Variances whose share in the mean of a group's ratings is below this, in residual variances, are 0.
_ZERO = 1e-8
# Relative step of central differences; gradients are exact to about 1e-13, so that curvatures are good to 1e-8.
_STEP = 1e-4


@dataclass(frozen=True, slots=True)
class Point:
    """The profiled deviance at given variance ratios, and the values that derive from it.

    Parameters
    ----------
    deviance : float
        -2 times the restricted log-likelihood at the best residual variance, less a constant.
    squares : float
        Generalised residual sum of squares: y'Py.
    traces, quadratics : ndarray, shape (n_terms,)
        tr(P ZZ') and y'P ZZ' Py of each term.
    effects : ndarray, shape (n_systems,)
        Means of the systems.
    covariance : ndarray, shape (n_systems, n_systems)
        Their covariance over the residual variance.
    """

    deviance: float
    squares: float
    traces: Floats
    quadratics: Floats
    effects: Floats
    covariance: Floats


class Model:
    """Ratings summed up so that a deviance costs the same for a hundred items and for a million.

    With H the covariance of what items share, M the indicators of raters by systems and y the ratings, everything
    follows from the matrix K'H^-1 K of K = [M y], since raters and systems are sums of columns of M.
    """

    def __init__(self, design: Design, layout: Layout) -> None:
        self.n, self.n_systems = design.values.size, design.n_systems
        means = np.bincount(design.system, design.values) / np.bincount(design.system)
        centred = design.values - means[design.system]
        self.scale = float(np.sqrt((centred**2).mean())) or 1.0
        self.means = means
        self._blocks = Blocks(design, layout, centred / self.scale)
        self.names = self._blocks.names + tuple(name for name in RATER_TERMS if name in design.groups)
        sizes = [int(design.groups[name].max()) + 1 for name in self.names]
        self.levels = np.array(sizes, dtype=np.float64)
        first = np.zeros(layout.n_columns, dtype=np.intp)
        first[layout.column] = np.arange(self.n)
        self._rater = design.rater[first]
        self._systems = np.eye(self.n_systems)[design.system[first]]
        self._raters = np.eye(int(design.rater.max()) + 1)[self._rater]
        self._points: dict[bytes, Point] = {}

    def at(self, ratios: Floats) -> Point:
        """Return the deviance at variance ratios of shape (n_terms,), each over the residual variance."""
        key = ratios.tobytes()
        if key not in self._points:
            self._points[key] = self._at(ratios)
        return self._points[key]

    def _at(self, ratios: Floats) -> Point:
        items = self._blocks.eliminated(ratios)
        gram, shared = items.gram, _Shared(self._raters, self._rater, *self._of_raters(ratios))
        q = len(gram) - 1
        values = gram[:q, q]
        weights, right, log_raters = shared.eliminated(gram[:q, :q], values)
        projected = weights @ self._systems
        information = self._systems.T @ projected
        covariance = inverted((information + information.T) / 2)
        effects = covariance @ (self._systems.T @ right)
        of_raters = shared.times(right)
        squares = float(gram[q, q] - of_raters @ values - effects @ (self._systems.T @ right))
        # The ratings have a mean square of 1; a model without residual leaves rounding errors.
        squares = max(squares, np.finfo(float).eps * self.n)
        fixed = self._systems - shared.times(projected)
        removed = shared.removed(weights) + fixed @ covariance @ fixed.T
        traces, quadratics = self._blocks.slopes(items.inverse, removed, np.r_[-of_raters - fixed @ effects, 1.0])
        residual = right - projected @ effects
        spent = projected @ covariance
        for name in self.names[len(traces) :]:
            if name == "rater":
                own = self._raters.T @ projected
                trace = (weights @ self._raters * self._raters).sum() - ((self._raters.T @ spent) * own).sum()
                by_rater = self._raters.T @ residual
            else:
                trace, by_rater = np.trace(weights) - (spent * projected).sum(), residual
            traces.append(float(trace))
            quadratics.append(float(by_rater @ by_rater))
        freedom = self.n - self.n_systems
        deviance = items.log_determinant + log_raters - np.linalg.slogdet(covariance)[1]
        # Over the degrees of freedom, since digits of large numbers are few, and the search needs those behind.
        deviance += freedom * np.log(squares / freedom)
        return Point(float(deviance), squares, np.array(traces), np.array(quadratics), effects, covariance)

    def _of_raters(self, ratios: Floats) -> tuple[float, float]:
        ratio_of = dict(zip(self.names, ratios.tolist(), strict=True))
        return ratio_of.get("rater", 0.0), ratio_of.get("rater_system", 0.0)


@dataclass(frozen=True, slots=True)
class _Shared:
    """The covariance Omega of raters by systems: `rater` between those of a rater, and `rater_system` more for each."""

    raters: Floats
    codes: Codes
    rater: float
    rater_system: float

    def times(self, right: Floats) -> Floats:
        """Return Omega times a vector or matrix."""
        product: Floats = self.rater_system * right
        if self.rater:
            product = product + self.rater * (self.raters.T @ right)[self.codes]
        return product

    def removed(self, weights: Floats) -> Floats:
        """Return (G^-1 + Omega^-1)^-1 = Omega - Omega W Omega for the W of `eliminated`."""
        left = np.eye(len(weights)) - self.times(weights)
        return self.times(left.T)

    def eliminated(self, gram: Floats, values: Floats) -> tuple[Floats, Floats, float]:
        """Return W = (G^-1 + Omega)^-1, (I + G Omega)^-1 times the values, and log |I + G Omega|, for a matrix G.

        With G = FF' the eigenvalues of I + F'Omega F are at least 1, so that no digits are lost however large the
        variances are.
        """
        from scipy.linalg import solve_triangular  # noqa: PLC0415  lazy import: web processes never need it

        root = _root(gram)
        inner = np.eye(len(gram))
        if self.rater_system:
            inner += self.rater_system * (root.T @ root)
        if self.rater:
            by_rater = self.raters.T @ root
            inner += self.rater * (by_rater.T @ by_rater)
        factor = np.linalg.cholesky(inner)
        half = solve_triangular(factor, root.T, lower=True, check_finite=False)
        inside = solve_triangular(root, values, lower=True, check_finite=False)
        right = half.T @ solve_triangular(factor, inside, lower=True, check_finite=False)
        return half.T @ half, right, float(2 * np.log(np.diag(factor)).sum())


def _root(gram: Floats) -> Floats:
    """Return the Cholesky factor of a positive definite matrix, also where rounding errors have made it less."""
    try:
        return np.asarray(np.linalg.cholesky(gram), dtype=np.float64)
    except np.linalg.LinAlgError:
        return np.asarray(np.linalg.cholesky(gram + np.diag(1e-10 * np.diag(gram))), dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Fit:
    """Estimates of a model.

    Parameters
    ----------
    names : tuple of str
        The random terms.
    variances : ndarray, shape (n_terms,)
    residual : float
        Residual variance.
    effects : ndarray, shape (n_systems,)
    covariance : ndarray, shape (n_systems, n_systems)
    slopes : ndarray, shape (n_systems, n_systems, n_parameters)
        Derivatives of `covariance` by the parameters that are not at 0: variance ratios, log residual variance.
    parameters : ndarray, shape (n_parameters, n_parameters)
        Asymptotic covariance of these parameters.
    converged : bool
    """

    names: tuple[str, ...]
    variances: Floats
    residual: float
    effects: Floats
    covariance: Floats
    slopes: Floats
    parameters: Floats
    converged: bool
    deviance: float

    def contrast(self, signs: Floats, most: int | None) -> tuple[float, float, float]:
        """Return a contrast of means, its standard error, and Satterthwaite's degrees of freedom, at most `most`."""
        variance = float(signs @ self.covariance @ signs)
        slope = np.einsum("i,ijk,j->k", signs, self.slopes, signs)
        freedom = 2 * variance**2 / float(slope @ self.parameters @ slope)
        # Below 1 the approximation has no meaning: there is at least one difference to learn a variance from.
        freedom = max(1.0, freedom if most is None else min(freedom, most))
        return float(signs @ self.effects), variance**0.5, freedom


def fitted(design: Design, layout: Layout) -> Fit:
    """Estimate variances by REML [1]_ and system means by generalised least squares.

    References
    ----------
    .. [1] H. D. Patterson and R. Thompson (1971). Recovery of inter-block information when block sizes are unequal.
       Biometrika 58(3), 545-554.
    """
    model = Model(design, layout)
    ratios, converged = _best(model)
    best = model.at(ratios)
    freedom = model.n - model.n_systems
    variance = best.squares / freedom * model.scale**2
    active = np.flatnonzero(ratios * (model.n / model.levels) > _ZERO)
    curvature, slopes = _derivatives(model, ratios, active, best)
    return Fit(
        names=model.names,
        variances=np.where(np.isin(np.arange(ratios.size), active), ratios, 0.0) * variance,
        residual=variance,
        effects=model.means + model.scale * best.effects,
        covariance=best.covariance * variance,
        slopes=slopes * variance,
        parameters=_inverted(curvature),
        converged=converged and not (ratios >= 0.99 * _LARGEST).any(),
        deviance=best.deviance,
    )


def _best(model: Model) -> tuple[Floats, bool]:
    """Return the variance ratios with the least deviance, and whether the search converged.

    The parameters of the search are sqrt(levels) log(1 + ratings per level x ratio): in balanced designs the deviance
    is nearly quadratic in them, with a curvature of about 1, and its slope at 0 is not 0.
    """
    if not model.names:
        return np.zeros(0), True
    per_level, spread = model.n / model.levels, np.sqrt(model.levels)
    freedom = model.n - model.n_systems

    def deviance(x: Floats) -> tuple[float, Floats]:
        grown = np.exp(x / spread)
        point = model.at(np.expm1(x / spread) / per_level)
        slope = point.traces - freedom / point.squares * point.quadratics
        return point.deviance, slope * grown / (per_level * spread)

    bounds = [(0.0, float(top)) for top in spread * np.log1p(per_level * _LARGEST)]
    starts = [spread * np.log1p(per_level * 0.2)]
    end = minimum(deviance, starts, bounds, tolerance=_TOLERANCE)
    return np.expm1(end.point / spread) / per_level, end.converged


def _derivatives(model: Model, ratios: Floats, active: Codes, best: Point) -> tuple[Floats, Floats]:
    """Return second derivatives of the deviance, and first ones of the covariance over the residual variance.

    Parameters are the ratios that are not at 0, and the log of the residual variance. A ratio at 0 takes no part, as
    in lmerTest, whose parameters are standard deviations: nothing depends on them to first order there.
    """
    freedom = model.n - model.n_systems
    residual = best.squares / freedom
    size = active.size
    curvature = np.zeros((size + 1, size + 1))
    slopes = np.zeros((*best.covariance.shape, size + 1))
    for place, term in enumerate(active):
        step = _STEP * ratios[term]
        ends = []
        for sign in (1, -1):
            moved = ratios.copy()
            moved[term] += sign * step
            ends.append(model.at(moved))
        up, down = ends
        slope = (up.traces - down.traces - (up.quadratics - down.quadratics) / residual) / (2 * step)
        curvature[place, :size] = slope[active]
        curvature[place, size] = curvature[size, place] = best.quadratics[term] / residual
        slopes[:, :, place] = (up.covariance - down.covariance) / (2 * step)
    curvature[size, size] = freedom
    slopes[:, :, size] = best.covariance
    return (curvature + curvature.T) / 2, slopes


def _inverted(curvature: Floats) -> Floats:
    """Return twice the inverse of the second derivatives, without directions in which the deviance is flat."""
    scale = np.sqrt(np.abs(np.diag(curvature)))
    scale[scale == 0] = 1.0
    roots, vectors = np.linalg.eigh(curvature / np.outer(scale, scale))
    is_positive = roots > 1e-8
    inverse: Floats = (
        2 * (vectors[:, is_positive] / roots[is_positive]) @ vectors[:, is_positive].T / np.outer(scale, scale)
    )
    return inverse
