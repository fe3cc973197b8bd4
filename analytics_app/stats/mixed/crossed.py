"""Compare systems with raters and items both random: a linear mixed model by REML."""

from numpy.typing import ArrayLike

from analytics_app.stats.mixed.results import CrossedComparison, CrossedPair
from analytics_app.stats.resampling.pair_sums import Pairs

__all__ = ["CrossedComparison", "CrossedPair", "compare_crossed"]


def compare_crossed(
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
    """Compare systems so that the conclusion holds for further raters and further items.

    The model is value ~ system + (1|item) + (1|item:system) + (1|rater) + (1|rater:system), estimated by REML, with
    Satterthwaite's degrees of freedom. Where items belong to documents, (1|document) and (1|document:system) are added.
    Beyond the limits of the model, and where it cannot be fitted, `compare_crossed_robust` takes its place.

    Parameters
    ----------
    values : array_like of float, shape (n,)
        NaN = not rated.
    systems : array_like of int, shape (n,)
        Codes 0 to n_systems - 1.
    items, raters : array_like of int, shape (n,)
        Codes from 0.
    n_systems : int
    pairs : sequence of (int, int)
        Systems a and b of each comparison.
    confidence : float
    clusters : array_like of int, shape (n,), optional
        Code of the document of each rating's item, from 0.

    Returns
    -------
    CrossedComparison

    Raises
    ------
    ValueError
        Wrong shapes or codes, a pair that does not name two systems, or a confidence outside 0 to 1.
    """
    raise NotImplementedError
