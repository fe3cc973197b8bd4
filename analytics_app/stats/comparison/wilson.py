"""The interval of a proportion."""

from math import sqrt
from statistics import NormalDist

from analytics_app.stats.values import Estimate


def wilson(successes: int, n: int, *, confidence: float) -> Estimate:
    """Share of n independent trials with Wilson's score interval, without continuity correction [1]_.

    Parameters
    ----------
    successes, n : int
        0 <= successes <= n.
    confidence : float

    Returns
    -------
    Estimate
        `n_ratings` is n; without trials there is no value.

    Raises
    ------
    ValueError
        Counts or confidence are out of range.

    References
    ----------
    .. [1] E. B. Wilson (1927). Probable inference, the law of succession, and statistical inference. Journal of the
       American Statistical Association 22(158), 209-212.

    Examples
    --------
    >>> found = wilson(15, 25, confidence=0.95)
    >>> round(found.low, 4), round(found.high, 4)
    (0.4074, 0.766)
    """
    if not 0 <= successes <= n:
        raise ValueError(f"Successes are between 0 and the {n} trials, not {successes}.")
    if not 0 < confidence < 1:
        raise ValueError(f"The confidence is between 0 and 1, not {confidence}.")
    if not n:
        return Estimate(None, n_ratings=0, note="Nothing was rated.")
    z, share = NormalDist().inv_cdf((1 + confidence) / 2), successes / n
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    # Where all trials had the same outcome, rounding may take a limit slightly past the share.
    return Estimate(
        share, low=min(share, max(0.0, middle - half)), high=max(share, min(1.0, middle + half)), n_ratings=n
    )
