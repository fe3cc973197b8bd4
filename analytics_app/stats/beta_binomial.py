"""Several triads a judge: the chance-corrected beta-binomial, since answers of one person are not independent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from analytics_app.stats.arrays import Codes, Floats, checked_codes
from analytics_app.stats.discrimination import GUESS
from analytics_app.stats.estimate import Estimate, joined

# Both parameters stay this far from 0 and 1, where the likelihood is a limit.
_EDGE = 1e-6
_STARTS = ((0.2, 0.2), (0.5, 0.5), (0.8, 0.3), (0.1, 0.8))


@dataclass(frozen=True, slots=True)
class BetaBinomial:
    """What replicated tests show.

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
        `p` of both are likelihood-ratio tests against 0, a point at the edge, so half a chi-square. Without values
        where no judge judged several triads; gamma has none where all can always tell or none ever.

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
        none = Estimate(None, note="No judge judged several triads.", **counts)
        return BetaBinomial(none, none)
    fit = _Fit(right, judged)
    mu, gamma, best = fit.maximum()
    if mu <= 2 * _EDGE:
        none = Estimate(None, note="No judge can tell, so how they differ is undefined.", **counts)
        low, high = 0.0, fit.limit(mu, 1 - _EDGE, best, confidence)
        return BetaBinomial(Estimate(0.0, low=low, high=high, p=1.0, **counts), none, best)
    p = _half_chi(best - fit.at(_EDGE, 0.5))
    if mu >= 1 - 2 * _EDGE:
        none = Estimate(None, note="Everybody can always tell, so how judges differ is undefined.", **counts)
        low = fit.limit(mu, _EDGE, best, confidence)
        return BetaBinomial(Estimate(1.0, low=low, high=1.0, p=p, **counts), none, best)
    low, high = (fit.limit(mu, end, best, confidence) for end in (_EDGE, 1 - _EDGE))
    edge = joined(
        "Judges do not differ more than by chance." if gamma <= 2 * _EDGE else None,
        "Some judges can always tell and the others never." if gamma >= 1 - 2 * _EDGE else None,
    )
    alike = _half_chi(best - fit.best_mu(_EDGE))
    return BetaBinomial(
        Estimate(mu, low=low, high=high, p=p, **counts),
        Estimate(0.0 if gamma <= 2 * _EDGE else gamma, p=alike, note=edge, **counts),
        best,
    )


class _Fit:
    """The likelihood of judges' counts, with judges of equal counts taken together."""

    def __init__(self, right: Codes, judged: Codes) -> None:
        from scipy.special import gammaln  # noqa: PLC0415  scipy is for what needs it

        pairs, self.times = np.unique(np.column_stack((right, judged)), axis=0, return_counts=True)
        self.x, self.n = pairs[:, :1].astype(float), pairs[:, 1:].astype(float)
        self.i = np.arange(int(right.max()) + 1, dtype=float)[np.newaxis, :]
        # What is right was either told (i of them) or guessed (x - i of them).
        there = self.i <= self.x
        guessed = np.where(there, self.x - self.i, 0.0)
        ways = gammaln(self.n + 1) - gammaln(self.n - self.x + 1) - gammaln(self.i + 1) - gammaln(guessed + 1)
        chance = (self.n - self.x + self.i) * np.log(1 - GUESS) + guessed * np.log(GUESS)
        self.fixed: Floats = np.where(there, ways + chance, -np.inf)

    def at(self, mu: float, gamma: float) -> float:
        """Return the log-likelihood."""
        from scipy.special import betaln, logsumexp  # noqa: PLC0415

        rest = (1 - gamma) / gamma
        a, b = mu * rest, (1 - mu) * rest
        terms = self.fixed + betaln(a + self.i, self.n - self.x + b) - betaln(a, b)
        return float(self.times @ logsumexp(terms, axis=1))

    def maximum(self) -> tuple[float, float, float]:
        """Return mu, gamma and the log-likelihood there."""
        from scipy.optimize import minimize  # noqa: PLC0415

        bounds = [(_EDGE, 1 - _EDGE)] * 2
        found = [
            minimize(lambda both: -self.at(*both), start, method="L-BFGS-B", bounds=bounds, options={"ftol": 1e-13})
            for start in _STARTS
        ]
        best = min(found, key=lambda one: float(one.fun))
        return float(best.x[0]), float(best.x[1]), -float(best.fun)

    def best_mu(self, gamma: float) -> float:
        """Return the greatest log-likelihood at this gamma."""
        return _greatest(lambda mu: self.at(mu, gamma))

    def limit(self, mu: float, end: float, best: float, confidence: float) -> float:
        """Return where between mu and an end the profile leaves the interval; the end if it does nowhere."""
        from scipy.optimize import brentq  # noqa: PLC0415
        from scipy.special import chdtri  # noqa: PLC0415

        drop = float(chdtri(1, 1 - confidence)) / 2

        def left(at: float) -> float:
            return best - drop - _greatest(lambda gamma: self.at(at, gamma))

        if left(end) <= 0:
            return float(round(end))
        return float(brentq(left, mu, end, xtol=1e-8))


def _greatest(function: Callable[[float], float]) -> float:
    from scipy.optimize import minimize_scalar  # noqa: PLC0415

    inside = minimize_scalar(lambda at: -function(at), bounds=(_EDGE, 1 - _EDGE), method="bounded")
    return max(-float(inside.fun), function(_EDGE), function(1 - _EDGE))


def _half_chi(gain: float) -> float:
    """p of a likelihood ratio where what is tested lies at the edge of its range."""
    from scipy.special import chdtrc  # noqa: PLC0415

    return float(chdtrc(1, 2 * gain)) / 2 if gain > 0 else 1.0
