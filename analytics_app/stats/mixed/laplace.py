"""The likelihood of a cumulative logit model with crossed random effects, by Laplace's approximation.

The logarithm of the odds that a rating is at most step k is threshold k minus a predictor: the effect of the system
plus normal effects of the item, of the system on the item, of the rater, and of the system for the rater.
"""

from dataclasses import dataclass

import numpy as np

from analytics_app.stats.mixed.hessian import Hessian, Ratings, sums
from analytics_app.stats.values import Codes, Floats

# Random effects in the order of their standard deviations in every array of this module.
TERMS = ("item", "system_item", "rater", "rater_system")

# Newton's method ends where the gradient is this small, and halves a step down to this share.
_FLAT = 1e-9
_MOST_STEPS, _SHORTEST = 100, 1e-12

# A step of Newton's method with an earlier second derivative must leave at most this share of the gradient.
_ENOUGH = 0.25


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
        self._hessian: Hessian | None = None

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
        ratings, scale = self.ratings, sd[:, None]
        fixed = effects[ratings.system]
        slopes, hessian = self._climb(thresholds, fixed, sd)
        own = self.mode[ratings.columns]
        leverage, parts = hessian.leverages()
        # What the mode moves by when a parameter moves: the adjoint of the derivative of log det through the mode.
        pull = slopes.third * leverage / 2
        adjoint = hessian.solve(self._gathered(pull * scale))
        felt = (adjoint[ratings.columns] * scale).sum(axis=0)

        log_det = hessian.log_det
        value = float(slopes.value.sum() - self.mode @ self.mode / 2 - log_det / 2)
        by_predictor = slopes.first - pull + felt * slopes.weight
        by_sd = (slopes.first - pull + felt * slopes.weight) @ own.T - slopes.weight @ parts.T
        by_sd -= (adjoint[ratings.columns] * slopes.first).sum(axis=1)
        by_effects = sums(ratings.system, by_predictor, ratings.n_systems)
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
            gradient += sums(side, of_value - of_weight * leverage / 2 - felt * density, n + 2)
        return gradient[1:-1]

    def _gathered(self, by_rating: Floats) -> Floats:
        """Return the sums, over the ratings of each column, of numbers of shape (4, n)."""
        return sums(self.ratings.columns.ravel(), by_rating.ravel(), self.ratings.n_columns)

    def _climb(self, thresholds: Floats, fixed: Floats, sd: Floats) -> tuple[_Slopes, Hessian]:
        """Find the mode of the random effects by Newton's method with halved steps.

        Second derivatives cost most, so that those of the last parameters serve as long as each step leaves a quarter
        of the gradient at most; at the mode they are computed anew.
        """
        ratings, scale = self.ratings, sd[:, None]
        mode = self.mode if np.isfinite(self.mode).all() else np.zeros(ratings.n_columns)

        def looked(point: Floats) -> tuple[float, _Slopes, Floats]:
            slopes = _slopes(thresholds, ratings.step, fixed + (point[ratings.columns] * scale).sum(axis=0))
            gradient = self._gathered(slopes.first * scale) - point
            return float(slopes.value.sum() - point @ point / 2), slopes, gradient

        height, slopes, gradient = looked(mode)
        hessian = self._hessian
        for _step in range(_MOST_STEPS):
            steepest = np.abs(gradient).max()
            if steepest < _FLAT:
                break
            hessian = hessian or Hessian(ratings, sd, slopes.weight)
            move, size = hessian.solve(gradient), 1.0
            new_height, new_slopes, new_gradient = looked(mode + move)
            while new_height < height - 1e-12 * abs(height) and size > _SHORTEST:
                size /= 2
                new_height, new_slopes, new_gradient = looked(mode + size * move)
            mode, height, slopes, gradient = mode + size * move, new_height, new_slopes, new_gradient
            if np.abs(gradient).max() > _ENOUGH * steepest:
                hessian = None
        self.mode, self._hessian = mode, Hessian(ratings, sd, slopes.weight)
        return slopes, self._hessian
