"""The chance-corrected beta-binomial for several triads per judge, since answers of a judge are not independent."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from analytics_app.stats.discrimination.triangle_test import GUESS, share_above_chance
from analytics_app.stats.optimisation import minimum
from analytics_app.stats.values import Codes, Estimate, Floats, checked_codes, joined

# The search stays this far from the edges, where a logarithm is undefined; the edges are computed exactly.
_EDGE = 1e-9
_STARTS = ((0.2, 0.2), (0.5, 0.5), (0.8, 0.3), (0.1, 0.8))
# Log-likelihoods closer than this count as equal, so that the smaller model does not depend on rounding.
_SAME = 1e-9
# The largest slope of the log-likelihood of one judge that counts as zero.
_FLAT = 1e-6

NOT_MAXIMISED = "The likelihood could not be maximised."


@dataclass(frozen=True, slots=True)
class BetaBinomial:
    """Result of replicated triangle tests.

    Parameters
    ----------
    discriminators : Estimate
        mu: mean over judges of the share of triads they can tell, with limits from the profile of the likelihood.
    overdispersion : Estimate
        gamma, from 0 (all judges alike) to 1 (some always can, the others never); `p` against 0.
    log_likelihood : float or None
    """

    discriminators: Estimate
    overdispersion: Estimate
    log_likelihood: float | None = None


def beta_binomial(correct: ArrayLike, totals: ArrayLike, *, confidence: float) -> BetaBinomial:
    """Maximum likelihood of the chance-corrected beta-binomial for replicated triangle tests [1]_.

    A judge's share of triads they can tell is beta-distributed with mean mu and overdispersion gamma,
    a = mu (1 - gamma)/gamma and b = (1 - mu)(1 - gamma)/gamma; what they cannot tell is right one time in three.

    Parameters
    ----------
    correct, totals : array_like of int, shape (n_judges,)
        Right choices of each judge, and how many triads they judged.
    confidence : float

    Returns
    -------
    BetaBinomial
        `p` of both are likelihood-ratio tests against 0, a point at the edge, so half a chi-square. No values if
        no judge judged several triads; no gamma if all judges can always tell, or none ever can.

    Raises
    ------
    ValueError
        Shapes differ, or a judge has more right choices than triads.

    References
    ----------
    .. [1] P. B. Brockhoff (2003). The statistical power of replications in difference tests. Food Quality and
       Preference 14(5-6), 405-417.

    Examples
    --------
    >>> found = beta_binomial([3, 0, 3, 1, 4, 0, 4, 1], [4] * 8, confidence=0.95)
    >>> round(found.discriminators.value, 2), round(found.overdispersion.value, 2)
    (0.32, 0.75)
    """
    judged = checked_codes(totals, np.asarray(totals).size)
    right = checked_codes(correct, judged.size)
    if (right > judged).any():
        raise ValueError("A judge has at most as many right choices as triads.")
    right, judged = right[judged > 0], judged[judged > 0]
    counts: dict[str, Any] = {"n_raters": int(judged.size), "n_ratings": int(judged.sum())}
    if not (judged > 1).any():
        undefined = Estimate(None, note="No judge judged several triads.", **counts)
        return BetaBinomial(undefined, undefined)
    likelihood = _Likelihood(right, judged)
    maximum = likelihood.maximum()
    if maximum is None:
        undefined = Estimate(None, note=NOT_MAXIMISED, **counts)
        return BetaBinomial(undefined, undefined)
    mu, gamma, best = maximum.mu, maximum.gamma, maximum.log_likelihood
    if mu == 0:
        undefined = Estimate(None, note="No judge can tell, so how they differ is undefined.", **counts)
        high = likelihood.limit(_EDGE, 1.0, best, confidence)
        return BetaBinomial(Estimate(0.0, low=0.0, high=high, p=1.0, **counts), undefined, best)
    p = _half_chi(best - likelihood.nobody)
    if mu == 1:
        undefined = Estimate(None, note="Everybody can always tell, so how judges differ is undefined.", **counts)
        low = likelihood.limit(1 - _EDGE, 0.0, best, confidence)
        return BetaBinomial(Estimate(1.0, low=low, high=1.0, p=p, **counts), undefined, best)
    low, high = (likelihood.limit(mu, end, best, confidence) for end in (0.0, 1.0))
    edge_note = joined(
        "Judges do not differ more than by chance." if gamma == 0 else None,
        "Some judges can always tell and the others never." if gamma == 1 else None,
    )
    p_alike = 1.0 if gamma == 0 else _half_chi(best - likelihood.alike().log_likelihood)
    return BetaBinomial(
        Estimate(mu, low=low, high=high, p=p, **counts),
        Estimate(gamma, p=p_alike, note=edge_note, **counts),
        best,
    )


@dataclass(frozen=True, slots=True)
class _Maximum:
    """A maximum of the likelihood."""

    mu: float
    gamma: float
    log_likelihood: float


class _Likelihood:
    """The log-likelihood of judges' counts; judges with equal counts are grouped.

    A judge with x of n right answers was right by telling in i of them and by guessing in x - i, and could not tell
    in the n - x wrong ones. The expectation of p^i (1 - p)^(n-x) over the beta distribution is a ratio of products,
    such as that over r < i of mu (1 - gamma) + r gamma. Unlike a difference of beta functions, whose arguments grow
    without bound towards gamma = 0, it loses no digits at either end.
    """

    def __init__(self, right: Codes, judged: Codes) -> None:
        from scipy.special import gammaln  # noqa: PLC0415  lazy import: web processes never need it

        pairs, self.times = np.unique(np.column_stack((right, judged)), axis=0, return_counts=True)
        x, n = pairs[:, :1], pairs[:, 1:]
        self.right, self.judged = int(right.sum()), int(judged.sum())
        self.n_judges = int(judged.size)
        self.told = np.arange(int(right.max()) + 1)[np.newaxis, :]
        self.wrong = n - x
        self.settled = np.minimum(self.told + self.wrong, n)  # told or wrong; where told > x nothing is possible
        self.steps = np.arange(1.0, int(judged.max()))
        possible = self.told <= x
        guessed = np.where(possible, x - self.told, 0)
        ways = gammaln(n + 1) - gammaln(self.wrong + 1) - gammaln(self.told + 1) - gammaln(guessed + 1)
        chance = (self.wrong + self.told) * np.log(1 - GUESS) + guessed * np.log(GUESS)
        self.fixed: Floats = np.where(possible, ways + chance, -np.inf)
        self.some_told, self.some_wrong = self.told > 0, self.wrong > 0
        self.both = self.some_told & self.some_wrong

    @property
    def nobody(self) -> float:
        """Return the log-likelihood where no judge can tell: mu = 0, for any gamma."""
        return float(self.times @ self.fixed[:, 0])

    def at(self, mu: float, gamma: float) -> float:
        """Return the log-likelihood for mu between 0 and 1, both excluded, and gamma from 0 to 1."""
        from scipy.special import logsumexp  # noqa: PLC0415

        return float(self.times @ logsumexp(self._terms(mu, gamma), axis=1))

    def slope(self, mu: float, gamma: float) -> tuple[float, Floats]:
        """Return the log-likelihood and its derivatives by mu and gamma, shape (2,)."""
        from scipy.special import logsumexp  # noqa: PLC0415

        terms = self._terms(mu, gamma)
        total = logsumexp(terms, axis=1, keepdims=True)
        weights = self.times[:, np.newaxis] * np.exp(terms - total)
        r, not_gamma = self.steps, 1 - gamma
        told_steps, wrong_steps, settled_steps = (
            mu * not_gamma + r * gamma,
            (1 - mu) * not_gamma + r * gamma,
            not_gamma + r * gamma,
        )
        by_mu = self.some_told / mu - self.some_wrong / (1 - mu)
        by_mu = by_mu + _sums(not_gamma / told_steps)[self.told] - _sums(not_gamma / wrong_steps)[self.wrong]
        by_gamma = _sums((r - mu) / told_steps)[self.told] + _sums((r - 1 + mu) / wrong_steps)[self.wrong]
        by_gamma = by_gamma - _sums((r - 1) / settled_steps)[self.settled] - self.both / not_gamma
        slopes: Floats = np.array([(weights * by_mu).sum(), (weights * by_gamma).sum()])
        return float(self.times @ total[:, 0]), slopes

    def maximum(self) -> _Maximum | None:
        """Return the maximum, at an edge where no point inside is better; None where the search did not converge."""
        if self.right == self.judged:
            return _Maximum(1.0, 0.0, 0.0)

        def loss(point: Floats) -> tuple[float, Floats]:
            value, slopes = self.slope(float(point[0]), float(point[1]))
            return -value / self.n_judges, -slopes / self.n_judges

        bounds = ((_EDGE, 1 - _EDGE), (0.0, 1 - _EDGE))
        inside = minimum(loss, [np.array(start) for start in _STARTS], bounds, tolerance=_FLAT)
        best = -inside.value * self.n_judges
        edges = (_Maximum(0.0, 0.0, self.nobody), self.alike(), self.apart())
        threshold = max(best, *(edge.log_likelihood for edge in edges)) - _SAME
        at_edge = next((edge for edge in edges if edge.log_likelihood >= threshold), None)  # the smallest model first
        if at_edge is None and inside.converged:
            mu, gamma = inside.point.tolist()
            return _Maximum(mu, gamma, best)
        return at_edge

    def alike(self) -> _Maximum:
        """Return the maximum where judges are all alike: gamma = 0, the plain binomial."""
        mu = share_above_chance(self.right / self.judged)
        return _Maximum(mu, 0.0, self.at(mu, 0.0) if 0 < mu < 1 else self.nobody)

    def apart(self) -> _Maximum:
        """Return the maximum where each judge can tell either always or never: gamma = 1."""
        mu, best = _greatest(lambda mu: self.at(mu, 1.0), _EDGE, 1 - _EDGE)
        return _Maximum(mu, 1.0, best)

    def limit(self, mu: float, end: float, best: float, confidence: float) -> float:
        """Return the share between mu and an end where the profile leaves the interval, or the end if it never does."""
        from scipy.optimize import brentq  # noqa: PLC0415
        from scipy.special import chdtri  # noqa: PLC0415

        drop = float(chdtri(1, 1 - confidence)) / 2

        def gap(share: float) -> float:
            _gamma, profile = _greatest(lambda gamma: self.at(share, gamma), 0.0, 1.0)
            return best - drop - profile

        bound = min(max(end, _EDGE), 1 - _EDGE)
        return end if gap(bound) <= 0 else float(brentq(gap, mu, bound, xtol=1e-10))

    def _terms(self, mu: float, gamma: float) -> Floats:
        """Return the log-probability of each pair of counts and each number told, shape (n_pairs, most_told + 1)."""
        r, not_gamma = self.steps, 1 - gamma
        with np.errstate(divide="ignore"):  # at gamma = 1 a judge tells all or none: mixed has probability 0
            mixed = np.log(not_gamma)
        powers = self.some_told * np.log(mu) + self.some_wrong * np.log1p(-mu) + np.where(self.both, mixed, 0.0)
        right = _sums(np.log(mu * not_gamma + r * gamma))[self.told]
        wrong = _sums(np.log((1 - mu) * not_gamma + r * gamma))[self.wrong]
        terms: Floats = self.fixed + powers + right + wrong - _sums(np.log(not_gamma + r * gamma))[self.settled]
        return terms


def _sums(values: Floats) -> Floats:
    """Return sums with the sum of the first k - 1 values as entry k; entries 0 and 1 are 0."""
    return np.concatenate(([0.0, 0.0], np.cumsum(values)))


def _greatest(function: Callable[[float], float], low: float, high: float) -> tuple[float, float]:
    """Return the maximum point of a single-peaked function between two bounds, both included, and its value there."""
    from scipy.optimize import minimize_scalar  # noqa: PLC0415

    inside = minimize_scalar(lambda x: -function(x), bounds=(low, high), method="bounded", options={"xatol": 1e-10})
    if not inside.success:
        raise ArithmeticError("A bounded search for a maximum did not end.")
    return max(((x, function(x)) for x in (float(inside.x), low, high)), key=lambda peak: peak[1])


def _half_chi(gain: float) -> float:
    """Return p of a likelihood ratio where the tested value lies at the edge of its range."""
    from scipy.special import chdtrc  # noqa: PLC0415

    return float(chdtrc(1, 2 * gain)) / 2 if gain > 0 else 1.0
