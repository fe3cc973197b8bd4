"""Percent agreement: how often two raters of the same text agree."""

import numpy as np
from numpy.typing import ArrayLike

from analytics_app.stats.agreement.counted import of_categories, resampled
from analytics_app.stats.resampling.bootstrap import check_settings
from analytics_app.stats.values import Estimate, Floats


def percent_agreement(
    values: ArrayLike,
    units: ArrayLike,
    *,
    raters: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    n_resamples: int = 1000,
    confidence: float = 0.95,
    rng: np.random.Generator | None = None,
) -> Estimate:
    """Mean over texts of the share of pairs of raters who gave the text the same value [1]_.

    On a text with c ratings of each value and m = sum(c) in all, that share is sum(c (c - 1)) / (m (m - 1)). It allows
    any number of raters per text. It is not corrected for chance, which alone gives high values with few categories.

    Parameters
    ----------
    values, units, raters, n_resamples, confidence, rng
        As for `analytics_app.stats.agreement.fleiss.fleiss_kappa`.

    Returns
    -------
    Estimate
        A share from 0 to 1. None where no text has two ratings. Where all agree, or nobody, and each text has one pair
        of raters, the interval is exact (`exact_if_all_alike`).

    References
    ----------
    .. [1] J. L. Fleiss (1971). Measuring nominal scale agreement among many raters. Psychological Bulletin 76(5),
       378-382. (The mean of P_i.)

    Examples
    --------
    >>> percent_agreement([1, 1, 2, 2, 3, 1], [0, 0, 1, 1, 2, 2]).value
    0.6666666666666666
    """
    check_settings(n_resamples, confidence)
    table = of_categories(values, units, what="percent agreement", raters=raters, clusters=clusters)
    if isinstance(table, Estimate):
        return table
    table = table.pairable()
    shares = table.agreement()

    def mean(weights: Floats) -> Floats:
        return np.asarray(weights @ shares / weights.sum(axis=1))

    value = float(mean(table.times[np.newaxis])[0])
    n_pairs = int(table.times @ (table.sizes * (table.sizes - 1)) / 2)
    return resampled(table, value, mean, n_resamples=n_resamples, confidence=confidence, rng=rng, n_judgments=n_pairs)
