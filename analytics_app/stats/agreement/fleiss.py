"""Fleiss' kappa: categories, the same number of raters for every text."""

import numpy as np
from numpy.typing import ArrayLike

from analytics_app.stats.agreement.counted import Counted, of_categories, over_expected, resampled
from analytics_app.stats.resampling.bootstrap import check_settings
from analytics_app.stats.values import Estimate, Floats

ALL_SAME = "All ratings are the same, so Fleiss' kappa is undefined."


def fleiss_kappa(
    values: ArrayLike,
    units: ArrayLike,
    *,
    raters: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    n_resamples: int = 1000,
    confidence: float = 0.95,
    rng: np.random.Generator | None = None,
) -> Estimate:
    """Fleiss' kappa: (P - Pe) / (1 - Pe), P the percent agreement and Pe the sum of squared shares [1]_.

    The value is that of `statsmodels.stats.inter_rater.fleiss_kappa`. It needs the same number of ratings, at least
    two, for every text; each text may have different raters.

    Parameters
    ----------
    values : array_like of float, shape (n,)
        Values or codes of labels; NaN = not rated.
    units : array_like of int, shape (n,)
        Code from 0 of the rated text; at most one rating per rater.
    raters : array_like of int, shape (n,), optional
        Only to count the raters.
    clusters, n_resamples, confidence, rng
        As of `krippendorff_alpha`.

    Returns
    -------
    Estimate
        None where texts have different numbers of ratings, where none has two, or where all ratings are the same.

    References
    ----------
    .. [1] J. L. Fleiss (1971). Measuring nominal scale agreement among many raters. Psychological Bulletin 76(5),
       378-382.

    Examples
    --------
    >>> round(fleiss_kappa([1, 1, 2, 2, 3, 1], [0, 0, 1, 1, 2, 2]).value, 4)
    0.4545
    >>> fleiss_kappa([1, 1, 2, 2, 3], [0, 0, 1, 1, 1]).note
    "Texts have 2 to 3 ratings; Fleiss' kappa takes the same number for each. Take Krippendorff's alpha."
    """
    check_settings(n_resamples, confidence)
    table = of_categories(values, units, what="Fleiss' kappa", raters=raters, clusters=clusters)
    if isinstance(table, Estimate):
        return table
    least, most = int(table.sizes.min()), int(table.sizes.max())
    if least < most:
        uneven = f"Texts have {least} to {most} ratings; Fleiss' kappa takes the same number for each."
        return table.estimate(None, note=f"{uneven} Take Krippendorff's alpha.")
    if table.scale.size < 2:
        return table.estimate(None, note=ALL_SAME)
    # Lazy import: web processes import this module but never compute kappa.
    from statsmodels.stats.inter_rater import fleiss_kappa as published  # noqa: PLC0415

    value = float(published(table.table[table.patterns]))
    return resampled(
        table,
        value,
        lambda weights: _kappas(table, weights),
        n_resamples=n_resamples,
        confidence=confidence,
        rng=rng,
        k=float(least),
    )


def _kappas(table: Counted, weights: Floats) -> Floats:
    """Return kappa of each resample."""
    observed = weights @ table.agreement() / weights.sum(axis=1)
    totals = weights @ table.table
    shares = totals / totals.sum(axis=1, keepdims=True)
    return over_expected(observed, (shares**2).sum(axis=1), (totals > 0).sum(axis=1) == 1)
