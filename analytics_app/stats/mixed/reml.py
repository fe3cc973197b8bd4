"""Variances of crossed random terms by REML, with the items eliminated exactly."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from analytics_app.stats.mixed.design import Design, combined
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
# Cells times columns that are multiplied at once: 16 MB.
_AT_ONCE = 2_000_000

_RATER_TERMS = ("rater", "rater_system")


def inverted(matrices: Floats) -> Floats:
    """Return the inverses of matrices, shape (..., n, n)."""
    return np.asarray(np.linalg.inv(matrices), dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Point:
    """The profiled deviance at given variance ratios, and what derives from it.

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
    """Ratings summed up so that a deviance costs the same for two and for twenty ratings of a cell.

    With H the covariance of what items share, M the indicators of raters by systems and y the ratings, everything
    follows from the matrix K'H^-1 K of K = [M y], since raters and systems are sums of columns of M. H is block
    diagonal: a block is an item, or a document, and H^-1 differs from the identity by a small matrix between its
    cells (an item of a system). Blocks with the same pattern of cells share that matrix.
    """

    def __init__(self, design: Design) -> None:
        self.names = tuple(name for name in design.groups if name not in _RATER_TERMS)
        self.names += tuple(name for name in _RATER_TERMS if name in design.groups)
        self.n, self.n_systems = design.values.size, design.n_systems
        sizes = [int(design.groups[name].max()) + 1 for name in self.names]
        self.levels = np.array(sizes, dtype=np.float64)
        self._sum_up(design)

    def _sum_up(self, design: Design) -> None:
        n = self.n
        means = np.bincount(design.system, design.values) / np.bincount(design.system)
        centred = design.values - means[design.system]
        self.scale = float(np.sqrt((centred**2).mean())) or 1.0
        self.means, y = means, centred / self.scale
        column = combined(design.rater, design.system)
        q = int(column.max()) + 1
        first = np.zeros(q, dtype=np.intp)
        first[column] = np.arange(n)
        self._systems = np.zeros((q, self.n_systems))
        self._systems[np.arange(q), design.system[first]] = 1
        self._raters = np.zeros((q, int(design.rater.max()) + 1))
        self._raters[np.arange(q), design.rater[first]] = 1
        self._gram = np.zeros((q + 1, q + 1))
        self._gram[np.arange(q), np.arange(q)] = np.bincount(column)
        self._gram[q, :q] = self._gram[:q, q] = np.bincount(column, y)
        self._gram[q, q] = y @ y
        self._blocks(design, column, y, q)

    def _blocks(self, design: Design, column: Codes, y: Floats, q: int) -> None:
        """Lay out the cells of each block, (n_blocks, n_slots, q + 1); blocks of the same pattern follow another."""
        n = self.n
        cell = combined(design.item, design.system)
        n_cells = int(cell.max()) + 1
        first = np.zeros(n_cells, dtype=np.intp)
        first[cell] = np.arange(n)
        item, system = design.item[first], design.system[first]
        block = item if design.cluster is None else design.cluster[first]
        order = np.lexsort((system, item, block))
        starts = np.r_[0, np.flatnonzero(np.diff(block[order])) + 1]
        lengths = np.diff(np.r_[starts, n_cells])
        slot = np.zeros(n_cells, dtype=np.intp)
        slot[order] = np.arange(n_cells) - np.repeat(starts, lengths)
        n_blocks, n_slots = lengths.size, int(lengths.max())
        item_within = np.zeros(n_cells, dtype=np.intp)
        changes = np.r_[False, np.diff(item[order]) != 0]
        running = np.cumsum(changes)
        item_within[order] = running - np.repeat(running[starts], lengths)
        pattern = np.full((n_blocks, 3, n_slots), -1, dtype=np.intp)
        pattern[:, 0] = 0
        pattern[block, 0, slot] = np.bincount(cell)
        pattern[block, 1, slot], pattern[block, 2, slot] = item_within, system
        shapes, which = np.unique(pattern.reshape(n_blocks, -1), axis=0, return_inverse=True)
        which = which.reshape(-1)
        place = np.argsort(np.argsort(which, kind="stable"), kind="stable")
        self._which = np.sort(which, kind="stable")
        self._times = np.bincount(which).astype(np.float64)
        sums = np.zeros((n_blocks, n_slots, q + 1))
        at = place[block[cell]], slot[cell]
        np.add.at(sums, (*at, column), 1.0)
        np.add.at(sums, (*at, np.full(n, q)), y)
        self._cells = sums
        counts, items, systems = np.moveaxis(shapes.reshape(-1, 3, n_slots), 1, 0)
        self._counts = counts.astype(np.float64)
        kernels = {
            "item": items[:, :, np.newaxis] == items[:, np.newaxis],
            "system_item": np.broadcast_to(np.eye(n_slots, dtype=bool), (len(shapes), n_slots, n_slots)),
            "cluster": np.ones((len(shapes), n_slots, n_slots), dtype=bool),
            "cluster_system": systems[:, :, np.newaxis] == systems[:, np.newaxis],
        }
        self._kernels = [kernels[name].astype(np.float64) for name in self.names if name not in _RATER_TERMS]

    def at(self, ratios: Floats) -> Point:
        """Return the deviance at variance ratios of shape (n_terms,), each over the residual variance."""
        gram, inverse, log_items = self._eliminated(ratios)
        q = len(gram) - 1
        shared = self._between_raters(ratios)
        # J = (I + G Omega)^-1, with eigenvalues from 0 to 1.
        system = np.eye(q) + gram[:q, :q] @ shared
        _sign, log_raters = np.linalg.slogdet(system)
        shrunk = inverted(system)
        weights, right = shrunk @ gram[:q, :q], shrunk @ gram[:q, q]
        projected = weights @ self._systems
        information = self._systems.T @ projected
        covariance = inverted((information + information.T) / 2)
        effects = covariance @ (self._systems.T @ right)
        squares = float(gram[q, q] - (shared @ gram[:q, q]) @ right - effects @ (self._systems.T @ right))
        # The ratings have a mean square of 1; a model without residual leaves rounding errors.
        squares = max(squares, np.finfo(float).eps * self.n)
        fixed = shrunk.T @ self._systems
        removed = shared @ shrunk + fixed @ covariance @ fixed.T
        rest = np.r_[-removed @ gram[:q, q], 1.0]
        traces, quadratics = self._item_slopes(inverse, removed, rest)
        if len(traces) < len(self.names):
            within = weights - projected @ covariance @ projected.T
            residual = right - projected @ effects
            by_rater = self._raters.T @ residual
            found = {
                "rater": (float(((within @ self._raters) * self._raters).sum()), float(by_rater @ by_rater)),
                "rater_system": (float(np.trace(within)), float(residual @ residual)),
            }
            for name in self.names[len(traces) :]:
                traces.append(found[name][0])
                quadratics.append(found[name][1])
        freedom = self.n - self.n_systems
        deviance = log_items + log_raters - np.linalg.slogdet(covariance)[1] + freedom * np.log(squares)
        return Point(float(deviance), squares, np.array(traces), np.array(quadratics), effects, covariance)

    def _between_raters(self, ratios: Floats) -> Floats:
        found = dict(zip(self.names, ratios.tolist(), strict=True))
        shared: Floats = found.get("rater_system", 0.0) * np.eye(len(self._raters))
        if found.get("rater"):
            shared += found["rater"] * (self._raters @ self._raters.T)
        return shared

    def _eliminated(self, ratios: Floats) -> tuple[Floats, Floats, float]:
        """Return K'H^-1 K, the matrices (I + Sigma N)^-1 of the patterns, and log|H|."""
        n_patterns, m = self._counts.shape
        shared = np.zeros((n_patterns, m, m))
        for kernel, ratio in zip(self._kernels, ratios, strict=False):
            shared += ratio * kernel
        system = np.eye(m) + shared * self._counts[:, np.newaxis]
        _signs, logs = np.linalg.slogdet(system)
        inverse = inverted(system)
        weights = inverse @ shared
        gram = self._gram.copy()
        for blocks, which in self._parts():
            gram -= blocks.reshape(-1, len(gram)).T @ (weights[which] @ blocks).reshape(-1, len(gram))
        return (gram + gram.T) / 2, inverse, float(logs @ self._times)

    def _parts(self) -> Iterator[tuple[Floats, Codes]]:
        """Yield the cells, (n_blocks, n_slots, q + 1), and patterns of as many blocks as are multiplied at once."""
        blocks = self._cells
        step = max(1, _AT_ONCE // (blocks.shape[1] * blocks.shape[2]))
        for start in range(0, len(blocks), step):
            yield blocks[start : start + step], self._which[start : start + step]

    def _item_slopes(self, inverse: Floats, removed: Floats, rest: Floats) -> tuple[list[float], list[float]]:
        """Return traces and quadratic forms of the terms that items share."""
        if not self._kernels:
            return [], []
        between, outer = np.zeros_like(inverse), np.zeros_like(inverse)
        for blocks, which in self._parts():
            starts = np.r_[0, np.flatnonzero(np.diff(which)) + 1]
            counts = blocks[:, :, :-1]
            flat = blocks.reshape(-1, blocks.shape[2])[:, :-1]
            products = (flat @ removed).reshape(counts.shape) @ counts.transpose(0, 2, 1)
            between[which[starts]] += np.add.reduceat(products, starts, axis=0)
            vectors = blocks @ rest
            outer[which[starts]] += np.add.reduceat(vectors[:, :, np.newaxis] * vectors[:, np.newaxis], starts, axis=0)
        turned = inverse.transpose(0, 2, 1)
        between, outer = turned @ between @ inverse, turned @ outer @ inverse
        own = (self._counts[:, :, np.newaxis] * inverse).transpose(0, 2, 1) * self._times[:, np.newaxis, np.newaxis]
        return (
            [float((kernel * (own - between)).sum()) for kernel in self._kernels],
            [float((kernel * outer).sum()) for kernel in self._kernels],
        )


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


def fitted(design: Design) -> Fit:
    """Estimate variances by REML [1]_ and system means by generalised least squares.

    References
    ----------
    .. [1] H. D. Patterson and R. Thompson (1971). Recovery of inter-block information when block sizes are unequal.
       Biometrika 58(3), 545-554.
    """
    model = Model(design)
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
        point = model.at((grown - 1) / per_level)
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
    kept = roots > 1e-8
    inverse: Floats = 2 * (vectors[:, kept] / roots[kept]) @ vectors[:, kept].T / np.outer(scale, scale)
    return inverse
