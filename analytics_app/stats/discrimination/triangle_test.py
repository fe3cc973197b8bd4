"""The triangle test: exact tests of whether people can tell two products apart, and how many people can.

Judges who cannot tell guess right one time in three. Tests are exact (binomial): normal approximations are too liberal.
"""

from dataclasses import dataclass
from math import isfinite, sqrt

import numpy as np
from numpy.typing import ArrayLike

from analytics_app.stats.values import Codes, Estimate, Floats

GUESS = 1 / 3

NOBODY = "Nobody judged a triad."

# Most steps up from a normal approximation to the exact number; normally a few are enough.
_MOST_STEPS = 10_000


def probability_correct(pd: ArrayLike) -> Floats:
    """Probability of a right choice if a share `pd` of people can tell and the others guess: pd + (1 - pd) / 3.

    Examples
    --------
    >>> probability_correct([0.0, 0.5]).round(4).tolist()
    [0.3333, 0.6667]
    """
    share = np.asarray(pd, dtype=np.float64)
    if not ((share >= 0) & (share <= 1)).all():
        raise ValueError(f"A share of discriminators is between 0 and 1, not {pd!r}.")
    correct: Floats = share + (1 - share) * GUESS
    return correct


def difference_p(correct: int, n: int) -> float:
    """Exact one-sided p of at least this many right choices by guessing, P(X >= correct; n, 1/3) [1]_.

    Raises
    ------
    ValueError
        `correct` is not a whole number from 0 to n.

    References
    ----------
    .. [1] ISO 4120:2021. Sensory analysis. Methodology. Triangle test.

    Examples
    --------
    >>> round(difference_p(15, 30), 7)
    0.0434823
    """
    checked_counts(correct, n)
    # 1 - cdf would lose precision for small p: 30 of 30 is 4.857e-15, not 4.885e-15.
    return float(above(np.array(correct), np.array(n), GUESS))


def similarity_p(correct: int, n: int, pd: float) -> float:
    """Exact one-sided p of at most this many right choices if a share `pd` can tell, P(X <= correct; n, pd + (1-pd)/3).

    Examples
    --------
    >>> round(similarity_p(25, 66, 0.3), 7)
    0.008318
    """
    checked_counts(correct, n)
    return float(up_to(np.array(correct), np.array(n), float(probability_correct(pd))))


def least_correct(n: ArrayLike, alpha: float) -> Codes:
    """Fewest right choices of n that show a difference: the smallest x with P(X >= x; n, 1/3) <= alpha [1]_.

    Parameters
    ----------
    n : array_like of int, any shape
        Numbers of judges, from 0.
    alpha : float
        Risk of finding a difference that is not there, between 0 and 1.

    Returns
    -------
    ndarray of int, the shape of n
        n + 1 if even n right choices are not enough.

    References
    ----------
    .. [1] ISO 4120:2021, table A.1; González Corbelle, Alonso Moral and Bugarín Diz (2020), table 2.

    Examples
    --------
    >>> least_correct([24, 30, 1], 0.05).tolist()
    [13, 15, 2]
    """
    judges = _judges(n)
    _check_risk("alpha", alpha)
    counts = _near(judges, GUESS, 1 - alpha)
    for _step in range(_MOST_STEPS):
        too_few = (above(counts, judges, GUESS) > alpha) & (counts <= judges)
        if not too_few.any():
            return counts
        counts = counts + too_few
    raise ValueError("No number of right choices was found.")


def most_correct(n: ArrayLike, beta: float, pd: float) -> Codes:
    """Most right choices of n that show similarity: the largest x with P(X <= x; n, pd + (1 - pd)/3) <= beta [1]_.

    Parameters
    ----------
    n : array_like of int, any shape
    beta : float
        Risk of concluding similarity when a share `pd` of people can tell.
    pd : float
        Share of discriminators that is still allowed, between 0 and 1.

    Returns
    -------
    ndarray of int, the shape of n
        -1 if even 0 right choices are not few enough.

    References
    ----------
    .. [1] ISO 4120:2021, table A.2; González Corbelle, Alonso Moral and Bugarín Diz (2020), table 3.

    Examples
    --------
    >>> most_correct([98, 66, 2], 0.01, 0.3).tolist()
    [40, 25, -1]
    """
    judges = _judges(n)
    _check_risk("beta", beta)
    p = float(probability_correct(pd))
    counts = np.minimum(_near(judges, p, beta) - 1, judges)
    for _step in range(_MOST_STEPS):
        too_low = (up_to(counts + 1, judges, p) <= beta) & (counts < judges)
        if not too_low.any():
            return counts
        counts = counts + too_low
    raise ValueError("No number of right choices was found.")


def discriminators(correct: int, n: int, *, confidence: float) -> Estimate:
    """Share of people who can tell, (pc - 1/3) / (2/3), with exact limits (Clopper and Pearson [1]_), cut at 0.

    The share of right choices may be below one third; the share of discriminators is then 0.

    Returns
    -------
    Estimate
        `p` is the exact one-sided p against guessing. Without a value for n = 0.

    References
    ----------
    .. [1] C. J. Clopper and E. S. Pearson (1934). The use of confidence or fiducial limits illustrated in the case of
       the binomial. Biometrika 26(4), 404-413.

    Examples
    --------
    >>> found = discriminators(15, 30, confidence=0.95)
    >>> found.value, found.low, round(found.high, 4)
    (0.25, 0.0, 0.5305)
    """
    checked_counts(correct, n)
    if not n:
        return Estimate(None, n_raters=0, note=NOBODY)
    low, high = share_limits(correct, n, confidence=confidence)
    note = "Fewer are right than by guessing." if 3 * correct < n else None
    return Estimate(
        share_above_chance(correct / n),
        low=share_above_chance(low),
        high=share_above_chance(high),
        p=difference_p(correct, n),
        n_raters=n,
        note=note,
    )


def upper_limit(correct: int, n: int, *, risk: float, pd: float) -> Estimate:
    """One-sided exact upper limit, at confidence 1 - risk, of the share of people who can tell.

    If it is below the allowed share `pd`, similarity is shown at that risk. `p` is P(X <= correct) if `pd` can tell:
    it is at most `risk` exactly if the limit is at most `pd`.

    Examples
    --------
    >>> limit = upper_limit(36, 98, risk=0.01, pd=0.3)
    >>> round(limit.value, 4), round(limit.p, 6)
    (0.234, 0.000695)
    """
    checked_counts(correct, n)
    _check_risk("beta", risk)
    if not n:
        return Estimate(None, n_raters=0, note=NOBODY)
    _low, high = share_limits(correct, n, confidence=1 - 2 * risk) if risk < 0.5 else (0.0, correct / n)
    return Estimate(share_above_chance(high), p=similarity_p(correct, n, pd), n_raters=n)


def share_limits(correct: int, n: int, *, confidence: float) -> tuple[float, float]:
    """Clopper and Pearson's exact limits of a share; n is at least 1.

    Examples
    --------
    >>> low, high = share_limits(15, 30, confidence=0.95)
    >>> round(low, 4), round(high, 4)
    (0.313, 0.687)
    """
    from scipy.special import betaincinv  # noqa: PLC0415  lazy import: scipy loads slowly

    checked_counts(correct, n)
    if not n or not 0 < confidence < 1:
        raise ValueError(f"Limits need a judge and a confidence between 0 and 1, not {n} and {confidence}.")
    tail = round((1 - confidence) / 2, 12)
    low = float(betaincinv(correct, n - correct + 1, tail)) if correct else 0.0
    high = float(betaincinv(correct + 1, n - correct, 1 - tail)) if correct < n else 1.0
    return low, high


@dataclass(frozen=True, slots=True)
class NormalLimits:
    """Limits of the share of discriminators by the normal approximation that the paper prints."""

    low: float
    high: float


def normal_limits(correct: int, n: int, *, alpha: float, beta: float) -> NormalLimits:
    """The paper's approximation [1]_: 1.5 x/n - 0.5 -+ 1.5 z sqrt((nx - x^2)/n^3), one-sided each, z to two decimals.

    The lower limit is for a difference at `alpha`, the upper limit for similarity at `beta`. They are not cut to
    0 to 1, and the interval is too short, so it is only shown beside the exact limits.

    References
    ----------
    .. [1] J. González Corbelle, J. M. Alonso Moral and A. Bugarín Diz (2020). A proof of concept on triangular test
       evaluation for Natural Language Generation. EvalNLGEval.

    Examples
    --------
    >>> round(normal_limits(36, 98, alpha=0.05, beta=0.01).high, 4)
    0.2212
    """
    from scipy.special import ndtri  # noqa: PLC0415

    checked_counts(correct, n)
    if not n:
        raise ValueError(NOBODY)
    _check_risk("alpha", alpha)
    _check_risk("beta", beta)
    middle, spread = 1.5 * correct / n - 0.5, 1.5 * sqrt((n * correct - correct**2) / n**3)
    # The paper's values: 0.84, 1.28, 1.64, 2.33 and 3.09; it truncates 1.645 instead of rounding.
    low_z, high_z = (1.64 if risk == 0.05 else round(float(-ndtri(risk)), 2) for risk in (alpha, beta))
    return NormalLimits(middle - low_z * spread, middle + high_z * spread)


def evidence(p: float) -> str:
    """The words that ISO 4120 and the paper use for a p value.

    Examples
    --------
    >>> [evidence(p) for p in (0.2, 0.07, 0.02, 0.005, 0.0005)]
    ['no evidence', 'slight evidence', 'moderate evidence', 'strong evidence', 'very strong evidence']
    """
    steps = ((0.001, "very strong"), (0.01, "strong"), (0.05, "moderate"), (0.1, "slight"))
    return f"{next((word for limit, word in steps if p <= limit), 'no')} evidence"


# Helpers of the functions above ---------------------------------------------------------------------------


def checked_counts(correct: int, n: int) -> None:
    """Raise ValueError unless `correct` is a whole number from 0 to n."""
    if correct != int(correct) or n != int(n) or not 0 <= correct <= n:
        raise ValueError(f"Right choices are whole numbers from 0 to n; these are {correct} of {n}.")


def _check_risk(name: str, risk: float) -> None:
    if not (isfinite(risk) and 0 < risk < 1):
        raise ValueError(f"The risk {name} is between 0 and 1, not {risk}.")


def _judges(n: ArrayLike) -> Codes:
    judges = np.asarray(n)
    if judges.dtype.kind not in "iu" or (judges < 0).any():
        raise ValueError(f"Numbers of judges are whole numbers from 0, not {n!r}.")
    return judges.astype(np.intp)


def _near(judges: Codes, p: float, quantile: float) -> Codes:
    """Start a search safely below the quantile of the binomial."""
    from scipy.special import ndtri  # noqa: PLC0415

    # Subtract the largest effect of skewness on a quantile (Cornish and Fisher), and 2 for rounding to integers.
    z = float(ndtri(quantile))
    start = np.floor(judges * p + z * np.sqrt(judges * p * (1 - p)) - z * z / 6 - 2)
    return np.where(start < 4, -1, start).astype(np.intp)


def above(x: Codes, n: Codes, p: float | Floats) -> Floats:
    """P(X >= x) for X binomial; 1 for x <= 0, 0 above n."""
    from scipy.special import bdtrc  # noqa: PLC0415

    inside = (x > 0) & (x <= n)
    tail = bdtrc(np.where(inside, x - 1, 0), np.where(inside, n, 1), p)
    return np.where(x <= 0, 1.0, np.where(inside, tail, 0.0))


def up_to(x: Codes, n: Codes, p: float | Floats) -> Floats:
    """P(X <= x) for X binomial; 0 for x < 0, 1 from n on."""
    from scipy.special import bdtr  # noqa: PLC0415

    inside = (x >= 0) & (x < n)
    tail = bdtr(np.where(inside, x, 0), np.where(inside, n, 1), p)
    return np.where(x < 0, 0.0, np.where(inside, tail, 1.0))


def share_above_chance(share: float) -> float:
    return max(0.0, (share - GUESS) / (1 - GUESS))
