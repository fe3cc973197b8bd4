"""Compare systems on ordinal steps with raters and items both random: a cumulative logit mixed model."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from analytics_app.stats.mixed.design import design
from analytics_app.stats.mixed.reml import inverted
from analytics_app.stats.mixed.results import NOTHING, TERMS, Ratings, counts, ratings
from analytics_app.stats.optimisation import minimum
from analytics_app.stats.resampling.pair_sums import Pairs
from analytics_app.stats.values import Codes, Estimate, Floats, value_codes

# The time of a fit grows with the cube of the number of groups of all random terms.
MOST_GROUPS = 1500

_TOLERANCE = 1e-3
# Random effects are found to this change of a standardised effect.
_MODE = 1e-9
_STEP = 1e-4
# Standard deviations up to this are 0; those that ended there are tried at the next one.
_NOTHING = 1e-4
_NUDGE = 0.02
_SEARCHES = 3
# Limits of thresholds, differences and standard deviations, in logits; a fit that reaches them is not a minimum.
_FARTHEST = 50.0
_WIDEST = 20.0


@dataclass(frozen=True, slots=True)
class OrdinalPair:
    """System a against system b on ordinal steps.

    Parameters
    ----------
    a, b : int
        System codes.
    log_odds : Estimate
        Log of the ratio of the odds to get more than a step, a over b, with `se`, limits and two-sided p (normal).
    superiority : float or None
        Chance that a latent rating of a is above one of b, for the same item and rater.
    """

    a: int
    b: int
    log_odds: Estimate
    superiority: float | None = None


@dataclass(frozen=True, slots=True)
class OrdinalComparison:
    """All pairs, and the standard deviation of each random term in logits; `note` says why there is no fit."""

    pairs: tuple[OrdinalPair, ...]
    sd: dict[str, Estimate]
    left_out: dict[str, str]
    zero: tuple[str, ...] = ()
    log_likelihood: float | None = None
    note: str | None = None


def compare_ordinal(
    values: ArrayLike,
    systems: ArrayLike,
    items: ArrayLike,
    raters: ArrayLike,
    *,
    n_systems: int,
    pairs: Pairs,
    confidence: float,
    clusters: ArrayLike | None = None,
) -> OrdinalComparison:
    """Compare systems by a cumulative logit model with the random terms of `compare_crossed` [1]_.

    logit P(rating <= step) = threshold of the step - system - item - item:system - rater - rater:system, by Laplace's
    approximation as in R's `ordinal::clmm`. Parameters and errors are those of `compare_crossed`; every different value
    is a step.

    Returns
    -------
    OrdinalComparison
        Without estimates, and with a note, where there are fewer than two steps, more than 1500 groups of random terms,
        a system that always got the lowest or the highest step, or no minimum.

    References
    ----------
    .. [1] R. H. B. Christensen (2018). Cumulative link models for ordinal regression with the R package ordinal.

    Examples
    --------
    >>> found = compare_ordinal(
    ...     [1, 2, 2, 3, 3, 3, 1, 1, 2, 2, 1, 3], [0, 1] * 6, [0, 0, 1, 1, 2, 2] * 2, [0] * 6 + [1] * 6,
    ...     n_systems=2, pairs=[(1, 0)], confidence=0.95,
    ... )
    >>> found.pairs[0].log_odds.value > 0, found.pairs[0].superiority > 0.5
    (True, True)
    """
    given = ratings(values, systems, items, raters, n_systems, pairs, confidence, clusters)
    if not given.values.size:
        return _undefined(given, NOTHING)
    crossed = design(given.values, given.system, given.item, given.rater, given.cluster)
    steps, step = value_codes(crossed.values)
    if steps.size < 2:
        return _undefined(given, "All ratings are the same.")
    lowest, highest = (np.bincount(crossed.system, step == end) for end in (0, steps.size - 1))
    if (np.maximum(lowest, highest) == np.bincount(crossed.system)).any():
        return _undefined(given, "A system always got the lowest or the highest step, so its odds have no limit.")
    n_groups = sum(int(codes.max()) + 1 for codes in crossed.groups.values())
    if n_groups > MOST_GROUPS:
        return _undefined(given, "There are more texts and raters than the ordinal model takes.")
    model = _Model(step, crossed.system, list(crossed.groups.values()))
    best = model.fitted()
    if best is None:
        return _undefined(given, "The ordinal model could not be fitted.")
    return _compared(given, dict(zip(crossed.groups, best.deviations.tolist(), strict=True)), best, crossed.left_out)


def _compared(given: Ratings, deviations: dict[str, float], fit: "_Fit", left_out: dict[str, str]) -> OrdinalComparison:
    from scipy.special import ndtr, ndtri  # noqa: PLC0415  lazy import: web processes never need it

    present = np.unique(given.system).tolist()
    by_system = ("system_item", "rater_system", "cluster_system")
    spread = float(np.sqrt(2 * sum(deviations.get(name, 0.0) ** 2 for name in by_system)))
    found = []
    for a, b in given.pairs.tolist():
        numbers = counts(given, a, b)
        if not {a, b} <= set(present):
            found.append(OrdinalPair(a, b, Estimate(None, note=NOTHING, **numbers)))
            continue
        signs = np.eye(len(present))[present.index(a)] - np.eye(len(present))[present.index(b)]
        value, se = float(signs @ fit.effects), float(signs @ fit.covariance @ signs) ** 0.5
        reach = float(ndtri((1 + given.confidence) / 2)) * se
        p = float(2 * ndtr(-abs(value) / se))
        log_odds = Estimate(value, low=value - reach, high=value + reach, se=se, p=p, note=None, **numbers)
        found.append(OrdinalPair(a, b, log_odds, _superiority(value, spread)))
    zero = tuple(name for name in TERMS if deviations.get(name) == 0)
    sd = {name: Estimate(deviations[name]) for name in TERMS if name in deviations}
    return OrdinalComparison(tuple(found), sd, left_out, zero, -fit.deviance / 2)


def _superiority(log_odds: float, spread: float) -> float:
    """Return the chance that a logistic latent rating is above another, with a normal difference of this spread."""
    points, weights = np.polynomial.hermite_e.hermegauss(40)
    shifts = log_odds + spread * points
    small = np.abs(shifts) < 1e-2
    safe = np.where(small, 1.0, np.clip(shifts, -30, 30))
    grown = np.exp(safe)
    # The distribution of the difference of two logistic variables; near 0 its series.
    chances = np.where(small, 0.5 + shifts / 6, grown * (grown - 1 - safe) / (grown - 1) ** 2)
    return float(weights @ chances / weights.sum())


def _undefined(given: Ratings, note: str) -> OrdinalComparison:
    pairs = tuple(OrdinalPair(a, b, Estimate(None, note=note, **counts(given, a, b))) for a, b in given.pairs.tolist())
    return OrdinalComparison(pairs, {}, {}, note=note)


@dataclass(frozen=True, slots=True)
class _Fit:
    """System effects (the first is 0), their covariance, standard deviations of the terms, and -2 log-likelihood."""

    effects: Floats
    covariance: Floats
    deviations: Floats
    deviance: float


class _Model:
    """The Laplace deviance and its gradient, by thresholds, systems after the first, and standard deviations."""

    def __init__(self, step: Codes, system: Codes, groups: list[Codes]) -> None:
        self.step, self.system, self.groups = step, system, groups
        self.n_thresholds, self.n_effects = int(step.max()), int(system.max())
        sizes = [int(codes.max()) + 1 for codes in groups]
        self.starts = np.r_[0, np.cumsum(sizes)].astype(np.intp)
        self.columns = np.stack([codes + start for codes, start in zip(groups, self.starts, strict=False)])
        self.term = np.repeat(np.arange(len(groups)), sizes)
        self._mode = np.zeros(int(self.starts[-1]))

    def fitted(self) -> _Fit | None:
        """Return the fit, or None without a minimum."""
        shares = np.cumsum(np.bincount(self.step))[:-1] / self.step.size
        start = np.r_[1.5 * np.log(shares / (1 - shares)), np.zeros(self.n_effects), np.ones(len(self.groups))]
        # Thresholds are the first one and positive gaps, so that they stay in order.
        start[1 : self.n_thresholds] = np.diff(start[: self.n_thresholds])
        bounds = [(-_FARTHEST, _FARTHEST), *[(1e-6, _FARTHEST)] * (self.n_thresholds - 1)]
        bounds += [(-_FARTHEST, _FARTHEST)] * self.n_effects + [(0.0, _WIDEST)] * len(self.groups)
        free = self.n_thresholds + self.n_effects
        end = minimum(self.deviance, [start], bounds, tolerance=_TOLERANCE)
        for _search in range(_SEARCHES):
            again = self._left_zero(end.point, free)
            if again is None:
                break
            end = min(end, minimum(self.deviance, [again], bounds, tolerance=_TOLERANCE), key=lambda one: one.value)
        point = end.point
        ends = np.array(bounds)
        if not end.converged or (point >= 0.99 * ends[:, 1]).any() or (point[:free] <= 0.99 * ends[:free, 0]).any():
            return None
        active = np.flatnonzero(np.r_[np.ones(free, dtype=bool), point[free:] > _NOTHING])
        curvature = np.zeros((active.size, active.size))
        for place, parameter in enumerate(active):
            move = np.zeros(point.size)
            move[parameter] = _STEP * max(1.0, abs(point[parameter]))
            slope = self.deviance(point + move)[1] - self.deviance(point - move)[1]
            curvature[place] = slope[active] / (2 * move[parameter])
        covariance = np.zeros((self.n_effects + 1, self.n_effects + 1))
        chosen = slice(self.n_thresholds, free)
        covariance[1:, 1:] = (2 * inverted((curvature + curvature.T) / 2))[chosen, chosen]
        deviations = np.where(point[free:] > _NOTHING, point[free:], 0.0)
        return _Fit(np.r_[0.0, point[chosen]], covariance, deviations, end.value)

    def _left_zero(self, point: Floats, free: int) -> Floats | None:
        """Return a start near a point whose deviance falls where deviations leave 0, or None where it does not.

        The deviance does not depend on the sign of a deviation, so its slope at 0 is 0, and a search may stop there.
        """
        zero = free + np.flatnonzero(point[free:] <= _NOTHING)
        if not zero.size:
            return None
        moved = point.copy()
        moved[zero] = _NUDGE
        falling = zero[self.deviance(moved)[1][zero] < 0]
        if not falling.size:
            return None
        start = point.copy()
        start[falling] = 2 * _NUDGE
        return start

    def deviance(self, point: Floats) -> tuple[float, Floats]:
        """Return -2 times the Laplace log-likelihood and its gradient."""
        free = self.n_thresholds + self.n_effects
        thresholds = np.r_[-np.inf, np.cumsum(point[: self.n_thresholds]), np.inf]
        fixed = np.r_[0.0, point[self.n_thresholds : free]][self.system]
        scale = point[free:][self.term]
        mode, parts, hessian = self._found(thresholds, fixed, scale)
        inverse = inverted(hessian)
        weighted = scale[self.columns]
        leverage = np.zeros(self.step.size)
        for one in range(len(self.groups)):
            for other in range(len(self.groups)):
                leverage += weighted[one] * weighted[other] * inverse[self.columns[one], self.columns[other]]
        value = -2 * parts.log_likelihood + float(mode @ mode) + float(np.linalg.slogdet(hessian)[1])
        # What each rating's linear predictor and thresholds do to log|H|, directly and by moving the mode.
        pull = inverse @ (scale * self._summed(leverage * parts.third))
        indirect = self._predictor(scale * pull)
        by_predictor = -2 * parts.score + leverage * parts.third - indirect * parts.weight
        # A threshold moves the ratings below and above it.
        upper = -2 * parts.upper + leverage * parts.weight_upper + indirect * parts.score_upper
        lower = -2 * parts.lower + leverage * parts.weight_lower + indirect * parts.score_lower
        by_threshold = np.bincount(self.step, upper)[:-1] + np.bincount(self.step, lower)[1:]
        gradient = np.zeros(point.size)
        gradient[: self.n_thresholds] = np.cumsum(by_threshold[::-1])[::-1]
        gradient[self.n_thresholds : free] = np.bincount(self.system, by_predictor)[1:]
        gradient[free:] = self._by_deviation(mode, parts, inverse, scale, by_predictor, pull)
        return value, gradient

    def _by_deviation(
        self, mode: Floats, parts: "_Parts", inverse: Floats, scale: Floats, by_predictor: Floats, pull: Floats
    ) -> Floats:
        summed = self._summed(by_predictor)
        cross = self._crossed(parts.weight)
        trace = 2 * np.einsum("ij,ji->i", inverse * scale, cross)
        score = self._summed(parts.score)
        each = summed * mode + trace + pull * score
        return np.bincount(self.term, each, len(self.groups)).astype(np.float64)

    def _found(self, thresholds: Floats, fixed: Floats, scale: Floats) -> tuple[Floats, "_Parts", Floats]:
        """Return the mode of the standardised random effects by Newton's method, and the likelihood there."""
        mode = self._mode
        parts = _parts(self.step, thresholds, fixed + self._predictor(scale * mode))
        goal = parts.log_likelihood - mode @ mode / 2
        for _round in range(100):
            hessian = self._crossed(parts.weight) * np.outer(scale, scale) + np.eye(mode.size)
            step = np.linalg.solve(hessian, scale * self._summed(parts.score) - mode)
            size = 1.0
            while True:
                moved = mode + size * step
                tried = _parts(self.step, thresholds, fixed + self._predictor(scale * moved))
                reached = tried.log_likelihood - moved @ moved / 2
                if reached >= goal - 1e-10 * abs(goal) or size < 1e-6:
                    break
                size /= 2
            mode, parts, goal = moved, tried, reached
            if np.abs(step).max() < _MODE:
                break
        self._mode = mode
        return mode, parts, self._crossed(parts.weight) * np.outer(scale, scale) + np.eye(mode.size)

    def _predictor(self, effects: Floats) -> Floats:
        total: Floats = effects[self.columns].sum(axis=0)
        return total

    def _summed(self, values: Floats) -> Floats:
        n = int(self.starts[-1])
        total: Floats = np.zeros(n)
        for codes in self.columns:
            total += np.bincount(codes, values, n)
        return total

    def _crossed(self, weights: Floats) -> Floats:
        """Return Z'WZ."""
        n = int(self.starts[-1])
        total = np.zeros(n * n)
        for one in self.columns:
            for other in self.columns:
                total += np.bincount(one * n + other, weights, n * n)
        return total.reshape(n, n)


@dataclass(frozen=True, slots=True)
class _Parts:
    """Log-likelihood and its derivatives by each rating's predictor (score, -weight) and by its two thresholds.

    `third` is the derivative of the weight by the predictor; `upper` and `lower` are derivatives of the log-likelihood
    by the threshold above and below, `score_*` and `weight_*` those of score and weight.
    """

    log_likelihood: float
    score: Floats
    weight: Floats
    third: Floats
    upper: Floats
    lower: Floats
    score_upper: Floats
    score_lower: Floats
    weight_upper: Floats
    weight_lower: Floats


def _parts(step: Codes, thresholds: Floats, predictor: Floats) -> _Parts:
    high, low = thresholds[step + 1] - predictor, thresholds[step] - predictor
    # log(F(high) - F(low)) = log F(high) + log(1 - F(low)) + log(1 - exp(low - high)) for the logistic F.
    gap = thresholds[step + 1] - thresholds[step]
    above, below = _logistic(high), _logistic(low)
    log_likelihood = _log_logistic(high) + _log_logistic(-low) + np.log1p(-np.exp(-gap))
    density_high, density_low = above * (1 - above), below * (1 - below)
    # The score is F(high) + F(low) - 1, and so its derivatives are those of the two logistics.
    score = above + below - 1
    slope_high, slope_low = density_high * (1 - 2 * above), density_low * (1 - 2 * below)
    odds = np.where(np.isinf(gap), 0.0, 1 / np.expm1(np.where(np.isinf(gap), 1.0, gap)))
    return _Parts(
        float(log_likelihood.sum()),
        score=score,
        weight=density_high + density_low,
        third=-(slope_high + slope_low),
        upper=1 - above + odds,
        lower=-below - odds,
        score_upper=density_high,
        score_lower=density_low,
        weight_upper=slope_high,
        weight_lower=slope_low,
    )


def _logistic(values: Floats) -> Floats:
    found: Floats = 0.5 * (1 + np.tanh(values / 2))
    return found


def _log_logistic(values: Floats) -> Floats:
    found: Floats = -np.logaddexp(0.0, -values)
    return found
