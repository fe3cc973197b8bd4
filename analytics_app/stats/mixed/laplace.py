"""The likelihood of a cumulative logit model with crossed random effects, by Laplace's approximation.

The logarithm of the odds that a rating is at most step k is threshold k minus a predictor: the effect of the system
plus normal effects of the item, of the system on the item, of the rater, and of the system for the rater.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from analytics_app.stats.values import Codes, Floats, compressed

# Random effects in the order of their standard deviations in every array of this module.
TERMS = ("item", "system_item", "rater", "rater_system")

# Newton's method ends where the gradient is this small, and halves a step down to this share.
_FLAT = 1e-9
_MOST_STEPS, _SHORTEST = 100, 1e-12

# Observations whose leverages are computed at once, to bound memory.
_CHUNK = 20_000


@dataclass(frozen=True)
class Ratings:
    """Ratings as codes from 0 without gaps, shape (n,) each, and the number of systems."""

    step: Codes
    system: Codes
    item: Codes
    rater: Codes
    n_systems: int

    @property
    def n(self) -> int:
        """The number of ratings."""
        return int(self.step.size)

    @cached_property
    def n_steps(self) -> int:
        """The number of steps."""
        return int(self.step.max()) + 1

    @cached_property
    def n_items(self) -> int:
        """The number of items."""
        return int(self.item.max()) + 1

    @cached_property
    def n_raters(self) -> int:
        """The number of raters."""
        return int(self.rater.max()) + 1

    @cached_property
    def rater_system(self) -> Codes:
        """A code for each rater and system that occur together."""
        return compressed(self.rater * self.n_systems + self.system)[1]

    @cached_property
    def columns(self) -> Codes:
        """The column of each random effect of each rating, shape (4, n).

        The columns of an item and of the systems on it stand together, so that their block of the Hessian can be
        inverted alone; the columns of raters, and of raters with a system, follow.
        """
        own = self.item * (1 + self.n_systems)
        first = self.n_items * (1 + self.n_systems)
        return np.stack([own, own + 1 + self.system, first + self.rater, first + self.n_raters + self.rater_system])

    @property
    def n_of_items(self) -> int:
        """The number of columns of items and of systems on items."""
        return self.n_items * (1 + self.n_systems)

    @cached_property
    def n_columns(self) -> int:
        """The number of all columns."""
        return self.n_of_items + self.n_raters + int(self.rater_system.max()) + 1


@dataclass(frozen=True)
class _Slopes:
    """Log probability of each rating and its derivatives, shape (n,) each.

    `first`, `weight` and `third` are the derivatives by the predictor: the first, minus the second, minus the third.
    `upper` and `lower` are the densities of the logistic distribution at the thresholds above and below the step, and
    `share` the probability of the step.
    """

    value: Floats
    first: Floats
    weight: Floats
    third: Floats
    upper: Floats
    lower: Floats
    at_upper: Floats
    at_lower: Floats
    share: Floats


def _slopes(thresholds: Floats, step: Codes, predictor: Floats) -> _Slopes:
    from scipy.special import expit  # noqa: PLC0415  lazy import: web processes never need it

    bounds = np.concatenate([[-np.inf], thresholds, [np.inf]])
    above, below = bounds[step + 1] - predictor, bounds[step] - predictor
    at_upper, at_lower = expit(above), expit(below)
    # Differences of numbers near 1 lose digits, differences of their complements do not.
    is_high = below > 0
    share = np.where(is_high, expit(-below) - expit(-above), at_upper - at_lower)
    share = np.maximum(share, 1e-300)
    upper, lower = at_upper * expit(-above), at_lower * expit(-below)
    third = -(upper * (1 - 2 * at_upper) + lower * (1 - 2 * at_lower))
    first = at_upper + at_lower - 1
    return _Slopes(np.log(share), first, upper + lower, third, upper, lower, at_upper, at_lower, share)


def _sums(places: Codes, numbers: Floats, n: int) -> Floats:
    """Return the sum of the numbers at each of n places."""
    return np.bincount(places, weights=numbers, minlength=n).astype(np.float64, copy=False)


@dataclass
class Likelihood:
    """The approximated likelihood of one set of ratings, as a function of thresholds, effects and deviations.

    Attributes
    ----------
    ratings : Ratings
    mode : ndarray of float, shape (n_columns,)
        The most likely standardised random effects for the parameters that were asked for last; the next search starts
        there.
    """

    ratings: Ratings

    def __post_init__(self) -> None:
        self.mode = np.zeros(self.ratings.n_columns)

    def __call__(self, thresholds: Floats, effects: Floats, sd: Floats) -> tuple[float, Floats, Floats, Floats]:
        """Return the log likelihood, and its gradients by thresholds, effects of systems and standard deviations.

        Parameters
        ----------
        thresholds : ndarray of float, shape (n_steps - 1,)
            Rising.
        effects : ndarray of float, shape (n_systems,)
            In log odds; the caller holds one of them at 0.
        sd : ndarray of float, shape (4,)
            Standard deviations of the random effects in the order of TERMS, from 0.
        """
        given, scale = self.ratings, sd[:, None]
        fixed = effects[given.system]
        slopes, hessian = self._climb(thresholds, fixed, sd)
        own = self.mode[given.columns]
        leverage, parts = hessian.leverages(slopes.weight)
        # What the mode moves by when a parameter moves: the adjoint of the derivative of log det through the mode.
        pull = slopes.third * leverage / 2
        adjoint = hessian.solve(self._gathered(pull * scale))
        felt = (adjoint[given.columns] * scale).sum(axis=0)

        log_det = hessian.log_det
        value = float(slopes.value.sum() - self.mode @ self.mode / 2 - log_det / 2)
        by_predictor = slopes.first - pull + felt * slopes.weight
        by_sd = (slopes.first - pull + felt * slopes.weight) @ own.T - slopes.weight @ parts.T
        by_sd -= (adjoint[given.columns] * slopes.first).sum(axis=1)
        by_effects = _sums(given.system, by_predictor, given.n_systems)
        return value, self._by_thresholds(slopes, leverage, felt, thresholds.size), by_effects, by_sd

    def _by_thresholds(self, slopes: _Slopes, leverage: Floats, felt: Floats, n: int) -> Floats:
        """Return the gradient by the thresholds: of the log probability, the weight and the mode."""
        step = self.ratings.step
        gradient = np.zeros(n + 2)
        for side, density, at, sign in (
            (step + 1, slopes.upper, slopes.at_upper, 1.0),
            (step, slopes.lower, slopes.at_lower, -1.0),
        ):
            of_value = sign * density / slopes.share
            of_weight = density * (1 - 2 * at)
            gradient += _sums(side, of_value - of_weight * leverage / 2 - felt * density, n + 2)
        return gradient[1:-1]

    def _gathered(self, by_rating: Floats) -> Floats:
        """Return the sums, over the ratings of each column, of numbers of shape (4, n)."""
        return _sums(self.ratings.columns.ravel(), by_rating.ravel(), self.ratings.n_columns)

    def _climb(self, thresholds: Floats, fixed: Floats, sd: Floats) -> "tuple[_Slopes, _Hessian]":
        """Find the mode of the random effects by Newton's method with halved steps."""
        given, scale = self.ratings, sd[:, None]
        mode = self.mode if np.isfinite(self.mode).all() else np.zeros(given.n_columns)

        def looked(point: Floats) -> tuple[float, _Slopes]:
            slopes = _slopes(thresholds, given.step, fixed + (point[given.columns] * scale).sum(axis=0))
            return float(slopes.value.sum() - point @ point / 2), slopes

        height, slopes = looked(mode)
        hessian = _Hessian(given, sd, slopes.weight)
        for _step in range(_MOST_STEPS):
            gradient = self._gathered(slopes.first * scale) - mode
            if np.abs(gradient).max() < _FLAT:
                break
            move, size = hessian.solve(gradient), 1.0
            new_height, new_slopes = looked(mode + move)
            while new_height < height - 1e-12 * abs(height) and size > _SHORTEST:
                size /= 2
                new_height, new_slopes = looked(mode + size * move)
            mode, height, slopes = mode + size * move, new_height, new_slopes
            hessian = _Hessian(given, sd, slopes.weight)
        self.mode = mode
        return slopes, hessian


class _Hessian:
    """Minus the second derivative of the log density by the standardised random effects.

    With A for items and systems on them, C for raters and raters with a system, and B between the two, it is
    [[A, B], [B', C]]. A has one block an item, an arrow whose inverse is known; the rest is the Schur complement
    C - B' A^-1 B, which is as large as there are raters and raters with a system.
    """

    def __init__(self, given: Ratings, sd: Floats, weight: Floats) -> None:
        self.given, self.sd = given, sd
        n_items, n_systems = given.n_items, given.n_systems
        cell = given.item * n_systems + given.system
        by_cell = _sums(cell, weight, n_items * n_systems).reshape(n_items, n_systems)
        self._own = 1 + sd[1] ** 2 * by_cell
        self._link = sd[0] * sd[1] * by_cell
        self._head = 1 + sd[0] ** 2 * by_cell.sum(axis=1) - (self._link**2 / self._own).sum(axis=1)
        self._between = self._matrix(weight)
        inner = self._of_items(self._between)
        self._inner = inner
        schur = self._of_raters(weight) - self._between.T @ inner
        self._factor = np.linalg.cholesky(schur)

    def _matrix(self, weight: Floats) -> Floats:
        """Return B, dense: columns of raters are few."""
        given, sd = self.given, self.sd
        first, n = given.n_of_items, given.n_columns - given.n_of_items
        matrix = np.zeros(first * n)
        for row in (0, 1):
            for column in (2, 3):
                place = given.columns[row] * n + given.columns[column] - first
                matrix += _sums(place, weight * (sd[row] * sd[column]), first * n)
        return matrix.reshape(first, n)

    def _of_raters(self, weight: Floats) -> Floats:
        """Return C."""
        given, sd = self.given, self.sd
        first, n = given.n_of_items, given.n_columns - given.n_of_items
        matrix = np.zeros(n * n)
        for row in (2, 3):
            for column in (2, 3):
                place = (given.columns[row] - first) * n + given.columns[column] - first
                matrix += _sums(place, weight * (sd[row] * sd[column]), n * n)
        return matrix.reshape(n, n) + np.eye(n)

    def _of_items(self, right: Floats) -> Floats:
        """Solve A x = right, of shape (n_of_items,) or (n_of_items, k)."""
        given = self.given
        blocks = right.reshape(given.n_items, 1 + given.n_systems, -1)
        own, link = self._own[:, :, None], self._link[:, :, None]
        head = (blocks[:, 0] - (link / own * blocks[:, 1:]).sum(axis=1)) / self._head[:, None]
        rest = (blocks[:, 1:] - link * head[:, None]) / own
        return np.concatenate([head[:, None], rest], axis=1).reshape(right.shape)

    def _of_complement(self, right: Floats) -> Floats:
        from scipy.linalg import cho_solve  # noqa: PLC0415  lazy import: web processes never need it

        solved: Floats = cho_solve((self._factor, True), right)
        return solved

    def solve(self, right: Floats) -> Floats:
        """Return the solution for one right side of shape (n_columns,)."""
        first = self.given.n_of_items
        upper = self._of_items(right[:first])
        lower = self._of_complement(right[first:] - self._between.T @ upper)
        return np.concatenate([upper - self._inner @ lower, lower])

    @property
    def log_det(self) -> float:
        """The logarithm of the determinant."""
        blocks = np.log(self._own).sum() + np.log(self._head).sum()
        return float(blocks + 2 * np.log(np.diag(self._factor)).sum())

    def leverages(self, weight: Floats) -> tuple[Floats, Floats]:
        """Return z' H^-1 z of each rating, where z holds its four deviations; and the four parts of H^-1 z, (4, n)."""
        given, sd, n = self.given, self.sd, self.given.n
        parts = np.empty((4, n))
        for start in range(0, n, _CHUNK):
            chosen = slice(start, start + _CHUNK)
            parts[:, chosen] = self._parts(given.columns[:, chosen], given.item[chosen], given.system[chosen])
        leverage: Floats = sd @ parts
        return leverage, parts

    def _parts(self, columns: Codes, item: Codes, system: Codes) -> Floats:
        sd, first = self.sd, self.given.n_of_items
        # A^-1 z of the rating's own item and system.
        own, link, head = self._own[item, system], self._link[item, system], self._head[item]
        of_item = (sd[0] - link / own * sd[1]) / head
        of_system = (sd[1] - link * of_item) / own
        n, rows = item.size, np.arange(item.size)
        inner = self._inner
        right = sd[0] * inner[columns[0]] + sd[1] * inner[columns[1]]
        for term in (2, 3):
            right[rows, columns[term] - first] -= sd[term]
        solved = self._of_complement(right.T).T
        parts = np.empty((4, n))
        parts[0] = of_item + (inner[columns[0]] * solved).sum(axis=1)
        parts[1] = of_system + (inner[columns[1]] * solved).sum(axis=1)
        for term in (2, 3):
            parts[term] = -solved[rows, columns[term] - first]
        return parts
