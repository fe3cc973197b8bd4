"""Compare systems on ordinal steps with raters and items random: a cumulative logit mixed model."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np
from numpy.typing import ArrayLike

from analytics_app.stats.mixed.hessian import Ratings
from analytics_app.stats.mixed.laplace import TERMS, Likelihood
from analytics_app.stats.mixed.results import ratings as checked_ratings
from analytics_app.stats.optimisation import minimum
from analytics_app.stats.resampling.pair_sums import Pairs
from analytics_app.stats.values import Codes, Estimate, Floats, compressed, joined

# The model is fitted up to so many ratings and multiplications; at the limits a fit takes about twenty seconds and
# 100 MB.
MOST_RATINGS, MOST_WORK = 20_000, 300_000_000_000

# Deviations below are estimated as 0. Log odds beyond are a system that differs from all others without exception.
_ZERO, _MOST_LOG_ODDS = 1e-4, 30.0

# The largest component of the gradient that counts as zero, in units of log likelihood; the step of its differences.
_TOLERANCE, _STEP = 1e-3, 1e-4
_NODES = 40

Objective = Callable[[Floats], tuple[float, Floats]]

Z_TEST = "z test (Wald)"
NOT_CONVERGED = "No maximum of the likelihood was found, so the cumulative logit mixed model has no estimates."
ALONE = "The comparison of means, which takes steps as equally far apart, stands alone."
TOO_MANY = f"There are too many systems, texts and raters for the model of ordinal steps. {ALONE}"
SEPARATED = "No rating of some systems is above any rating of the others, so the log odds have no finite estimate."


@dataclass(frozen=True, slots=True)
class OrdinalPair:
    """System a against system b on the ordinal scale.

    Parameters
    ----------
    a, b : int
        System codes.
    log_odds : Estimate
        Log odds ratio of a higher step for a than for b, for the same item and rater; with `se`, interval and two-sided
        `p`. `df` is None for the z test.
    superiority : Estimate
        Probability that a is rated above b by the same rater on the same item, where the rating is thought of as
        continuous, so that there are no ties. The limits are those of the log odds, with the deviations held.
    """

    a: int
    b: int
    log_odds: Estimate
    superiority: Estimate


@dataclass(frozen=True, slots=True)
class OrdinalComparison:
    """All pairs of systems, and the model that they come from.

    Parameters
    ----------
    pairs : tuple of OrdinalPair
        In the order asked for.
    thresholds : tuple of float
        Log odds of a rating up to each step but the highest, for system 0; empty where there is no estimate.
    sd : dict of str to float
        Standard deviations of the terms that were fitted, in log odds.
    zero : tuple of str
        Terms whose variance is estimated as 0.
    log_likelihood : float or None
    note : str or None
        Why there are no estimates.
    """

    pairs: tuple[OrdinalPair, ...]
    thresholds: tuple[float, ...] = ()
    sd: dict[str, float] = field(default_factory=dict)
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
    left_out: Collection[str] = (),
    df: Sequence[float | None] | None = None,
) -> OrdinalComparison:
    """Compare systems by a cumulative logit mixed model, by Laplace's approximation [1]_ as in R's `ordinal::clmm`.

    logit P(rating <= step k) = threshold k - (system + item + system on item + rater + system for rater), the last four
    normal with mean 0.

    Values are steps, of which only the order counts. The other parameters that `compare_crossed` has are the same.

    Parameters
    ----------
    left_out : collection of str
        Names of `analytics_app.stats.mixed.laplace.TERMS` that the design cannot tell apart from others.
    df : sequence of float or None, as long as pairs, optional
        Degrees of freedom of each pair, such as Satterthwaite's of the linear model: t then takes the place of the
        normal distribution, which is too narrow with few raters, and standard errors are larger by the root of
        n / (n - 1), with n items or raters, whichever are fewer: by maximum likelihood their variances are too small
        by this factor, as a variance is that is divided by n. Without, the z test of `clmm`.

    Returns
    -------
    OrdinalComparison
        Without estimates, but with a note, where fewer than two steps or systems were used, where a system's ratings
        are separated from all others, or beyond the limits: 20,000 ratings, and 300 thousand million multiplications,
        nearly as many as thirty systems with 40 texts and 400 raters take.

    Raises
    ------
    ValueError
        As in `compare_crossed`, or an unknown term.

    References
    ----------
    .. [1] R. H. B. Christensen (2019). Cumulative link models for ordinal regression with the R package ordinal,
       sections 2 and 5. CRAN.
    """
    given = checked_ratings(values, systems, items, raters, n_systems, pairs, confidence, None)
    if not set(left_out) <= set(TERMS):
        raise ValueError(f"Unknown terms: {', '.join(sorted(set(left_out) - set(TERMS)))}.")
    numbers, item, rater = given.values, given.item, given.rater
    known, system = compressed(given.system) if numbers.size else (np.arange(0), given.system)
    place = {int(code): number for number, code in enumerate(known)}
    reason = _reason_against(numbers, system, item, rater)
    if reason is not None:
        return _without(pairs, reason)
    ratings, names = _fewer_second(np.unique(numbers, return_inverse=True)[1], system, item, rater, known.size)
    if _work(ratings) > MOST_WORK:
        return _without(pairs, TOO_MANY)
    fitted = _fit(ratings, [term not in left_out for term in names])
    if fitted is None:
        return _without(pairs, NOT_CONVERGED)
    specific = fitted.sd[1] ** 2 + fitted.sd[3] ** 2
    wider = _for_few(item, rater, left_out)
    odds_of_pairs = []
    for number, (a, b) in enumerate(pairs):
        if a not in place or b not in place:
            odds_of_pairs.append(_undefined(a, b, "One of the systems has no ratings."))
            continue
        own_df = df[number] if df is not None else None
        scale = wider if own_df is not None else 1.0
        odds_of_pairs.append(_pair(fitted, (a, b), (place[a], place[b]), specific, confidence, own_df, scale))
    by_name = dict(zip(names, fitted.sd, strict=True))
    deviations = {term: by_name[term] for term in TERMS if term not in left_out}
    return OrdinalComparison(
        tuple(odds_of_pairs),
        thresholds=tuple(map(float, fitted.thresholds)),
        sd={term: 0.0 if sd < 2 * _ZERO else float(sd) for term, sd in deviations.items()},
        zero=tuple(term for term, sd in deviations.items() if sd < 2 * _ZERO),
        log_likelihood=fitted.log_likelihood,
    )


def latent_superiority(log_odds: float, variance: float = 0.0) -> float:
    """Return the probability that one logistic variable exceeds another with a mean that is lower by `log_odds`.

    Without random effects it is o (o - 1 - ln o) / (o - 1)^2 for the odds ratio o = exp(log_odds) [1]_. The difference
    of the two systems varies with the given variance over items and raters, over which the probability is averaged by
    Gauss-Hermite quadrature.

    References
    ----------
    .. [1] A. Agresti (2010). Analysis of Ordinal Categorical Data, second edition. Wiley, section 2.1.

    Examples
    --------
    >>> latent_superiority(0.0), round(latent_superiority(1.0), 4), round(latent_superiority(1.0, 4.0), 4)
    (0.5, 0.6613, 0.6237)
    """
    nodes, weights = _quadrature()
    shifts = log_odds + np.sqrt(2 * variance) * nodes
    # Near 0 the formula is 0 over 0; its series begins with a half plus a sixth of the log odds.
    near = np.abs(shifts) < 1e-3
    safe = np.clip(np.where(near, 1.0, shifts), -300, 300)
    odds = np.exp(-np.abs(safe))
    beyond = odds * (odds - 1 - np.log(odds)) / (odds - 1) ** 2
    shares = np.where(near, 0.5 + shifts / 6, np.where(safe > 0, 1 - beyond, beyond))
    return float(weights @ shares / np.sqrt(np.pi))


@cache
def _quadrature() -> tuple[Floats, Floats]:
    nodes, weights = np.polynomial.hermite.hermgauss(_NODES)
    return nodes, weights


def _reason_against(numbers: Floats, system: Codes, item: Codes, rater: Codes) -> str | None:
    """Return why the model cannot be fitted, in a sentence; None where it can."""
    if numbers.size < 2 or np.ptp(numbers) == 0:
        return "Fewer than two steps were used, so a cumulative logit model has nothing to explain."
    if np.unique(system).size < 2:
        return "Fewer than two systems were rated."
    if numbers.size > MOST_RATINGS:
        return f"The model of ordinal steps takes up to {MOST_RATINGS:,} ratings; there are {numbers.size:,}. {ALONE}"
    if _is_separated(numbers, system):
        return SEPARATED
    return None


def _fewer_second(
    step: Codes, system: Codes, item: Codes, rater: Codes, n_systems: int
) -> tuple[Ratings, Sequence[str]]:
    """Return the ratings with the terms of their deviations: raters and items change places where items are fewer.

    The model has the same terms of both. Those in the first place are eliminated exactly, whatever their number.
    """
    item, rater = compressed(item)[1], compressed(rater)[1]
    by_item, by_rater = Ratings(step, system, item, rater, n_systems), Ratings(step, system, rater, item, n_systems)
    if by_rater.n_of_raters < by_item.n_of_raters:
        return by_rater, (*TERMS[2:], *TERMS[:2])
    return by_item, TERMS


def _for_few(item: Codes, rater: Codes, left_out: Collection[str]) -> float:
    """Return the factor of standard errors for the fewer of items and raters, of those that the model has a term of."""
    sides = (("item", "system_item", item), ("rater", "rater_system", rater))
    numbers = [np.unique(codes).size for own, both, codes in sides if not {own, both} <= set(left_out)]
    n = min((number for number in numbers if number > 1), default=0)
    return float(np.sqrt(n / (n - 1))) if n else 1.0


def _work(ratings: Ratings) -> int:
    """Return about how many multiplications the search for the maximum and the standard errors take."""
    n, evaluations = ratings.n_of_raters, 30 + 2 * (ratings.n_steps + ratings.n_systems)
    return evaluations * n * n * (n + ratings.n_items)


def _is_separated(numbers: Floats, system: Codes) -> bool:
    """Return whether the systems fall into two groups of which one has no rating above any rating of the other.

    The log odds between the two groups then grow without end. In the order of the lowest ratings, the lower group comes
    first.
    """
    low = np.array([numbers[system == code].min() for code in range(int(system.max()) + 1)])
    high = np.array([numbers[system == code].max() for code in range(low.size)])
    order = np.lexsort((high, low))
    below, above = np.maximum.accumulate(high[order])[:-1], np.minimum.accumulate(low[order][::-1])[::-1][1:]
    return bool((below <= above).any())


@dataclass(frozen=True, slots=True)
class _Fit:
    thresholds: Floats
    effects: Floats
    sd: Floats
    covariance: Floats
    log_likelihood: float


def _fit(ratings: Ratings, is_fitted: Sequence[bool]) -> _Fit | None:
    """Maximise the likelihood over thresholds (the first, and the steps between), effects and variances.

    By a standard deviation the likelihood is flat at 0 whether or not it rises behind; by a variance it is not.
    """
    likelihood = Likelihood(ratings)
    n_thresholds, n_effects = ratings.n_steps - 1, ratings.n_systems - 1
    terms = np.flatnonzero(is_fitted)

    def parts(point: Floats) -> tuple[Floats, Floats, Floats]:
        thresholds = np.cumsum(point[:n_thresholds])
        effects = np.concatenate([[0.0], point[n_thresholds : n_thresholds + n_effects]])
        sd = np.zeros(len(TERMS))
        sd[terms] = np.sqrt(point[n_thresholds + n_effects :])
        return thresholds, effects, sd

    def objective(point: Floats) -> tuple[float, Floats]:
        thresholds, effects, sd = parts(point)
        value, by_threshold, by_effect, by_sd = likelihood(thresholds, effects, sd)
        rising = np.cumsum(by_threshold[::-1])[::-1]
        return -value, -np.concatenate([rising, by_effect[1:], by_sd[terms] / (2 * sd[terms])])

    shares = np.cumsum(np.bincount(ratings.step))[:-1] / ratings.n
    start = np.concatenate([
        np.diff(np.log(shares / (1 - shares)), prepend=0.0) * 1.5, np.zeros(n_effects), np.ones(terms.size)
    ])  # fmt: skip
    bounds = [
        (-100.0, 100.0), *([(1e-6, 100.0)] * (n_thresholds - 1)),
        *([(-_MOST_LOG_ODDS, _MOST_LOG_ODDS)] * n_effects), *([(_ZERO**2, 2500.0)] * terms.size),
    ]  # fmt: skip
    best = minimum(objective, [start], bounds, tolerance=_TOLERANCE)
    thresholds, effects, sd = parts(best.point)
    if not best.converged or np.abs(effects).max() > _MOST_LOG_ODDS / 2:
        return None
    covariance = _covariance(objective, best.point, n_thresholds, n_effects)
    return None if covariance is None else _Fit(thresholds, effects, sd, covariance, -best.value)


def _covariance(objective: Objective, point: Floats, n_thresholds: int, n_effects: int) -> Floats | None:
    """Return the covariance of the effects of systems, system 0's included, from differences of the gradient.

    Variances at 0 are held there. None where the information is not positive definite.
    """
    n_fixed = n_thresholds + n_effects
    free = [n for n in range(point.size) if n < n_fixed or point[n] > 2 * _ZERO**2]
    information = np.empty((len(free), len(free)))
    for row, number in enumerate(free):
        step = np.zeros(point.size)
        step[number] = _STEP * max(1.0, abs(point[number])) if number < n_fixed else _STEP * point[number]
        ahead, behind = objective(point + step)[1], objective(point - step)[1]
        information[row] = (ahead - behind)[free] / (2 * step[number])
    information = (information + information.T) / 2
    try:
        np.linalg.cholesky(information)
    except np.linalg.LinAlgError:
        return None
    inverse = np.linalg.inv(information)
    covariance = np.zeros((n_effects + 1, n_effects + 1))
    covariance[1:, 1:] = inverse[n_thresholds : n_thresholds + n_effects, n_thresholds : n_thresholds + n_effects]
    return covariance


def _pair(
    fitted: _Fit,
    names: tuple[int, int],
    places: tuple[int, int],
    specific: float,
    confidence: float,
    df: float | None,
    scale: float,
) -> OrdinalPair:
    from scipy import stats  # noqa: PLC0415  lazy import: web processes never need it

    a, b = places
    value = float(fitted.effects[a] - fitted.effects[b])
    variance = fitted.covariance[a, a] + fitted.covariance[b, b] - 2 * fitted.covariance[a, b]
    se = scale * float(np.sqrt(variance))
    distribution = stats.norm() if df is None else stats.t(df)
    reach = se * float(distribution.ppf((1 + confidence) / 2))
    p = 2 * float(distribution.sf(abs(value) / se))
    log_odds = Estimate(value, low=value - reach, high=value + reach, se=se, df=df, p=p)
    # The difference of two systems varies with the effects of both on the item and for the rater.
    at = [latent_superiority(number, 2 * specific) for number in (value, value - reach, value + reach)]
    return OrdinalPair(*names, log_odds, Estimate(at[0], low=at[1], high=at[2], p=p))


def _undefined(a: int, b: int, reason: str) -> OrdinalPair:
    nothing = Estimate(None, note=joined(reason))
    return OrdinalPair(a, b, nothing, nothing)


def _without(pairs: Pairs, reason: str) -> OrdinalComparison:
    return OrdinalComparison(tuple(_undefined(a, b, reason) for a, b in pairs), note=reason)
