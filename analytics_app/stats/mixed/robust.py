"""Compare systems with raters and items both random: two-way cluster-robust covariance."""

from numpy.typing import ArrayLike

from analytics_app.stats.mixed.results import CrossedComparison, CrossedPair
from analytics_app.stats.resampling.pair_sums import Pairs


def compare_crossed_robust(
    values: ArrayLike,
    systems: ArrayLike,
    items: ArrayLike,
    raters: ArrayLike,
    *,
    n_systems: int,
    pairs: Pairs,
    confidence: float,
    clusters: ArrayLike | None = None,
) -> CrossedComparison:
    """Compare means, shares (values 0 and 1) or counts of systems by a covariance clustered by item and by rater.

    Parameters, return value and errors as for `compare_crossed`; with `clusters`, documents take the place of items.
    """
    raise NotImplementedError


def preference_shares(
    preferences: ArrayLike,
    first: ArrayLike,
    second: ArrayLike,
    items: ArrayLike,
    raters: ArrayLike,
    *,
    pairs: Pairs,
    confidence: float,
    clusters: ArrayLike | None = None,
) -> tuple[CrossedPair, ...]:
    """Return the share of judgments in which a was preferred to b, for further raters and further items.

    Parameters
    ----------
    preferences : array_like of float, shape (n,)
        1 where the first system was preferred, 0 where the second was, 0.5 for a tie, NaN = not judged.
    first, second : array_like of int, shape (n,)
        Codes of the two systems of each judgment, from 0.
    items, raters : array_like of int, shape (n,)
        Codes from 0.
    pairs : sequence of (int, int)
        Systems a and b of each comparison; judgments in either order count.
    confidence : float
    clusters : array_like of int, shape (n,), optional
        Code of the document of each judgment's item; documents take the place of items.

    Returns
    -------
    tuple of CrossedPair
        `difference.value` is the share of wins of a (ties half), and its p tests a share of .5.

    Raises
    ------
    ValueError
        Wrong shapes or codes, a preference outside 0 to 1, or a confidence outside 0 to 1.
    """
    raise NotImplementedError
