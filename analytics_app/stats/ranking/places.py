"""How often each position on the screen was chosen, compared with chance."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from analytics_app.stats.arrays import checked_codes, compressed
from analytics_app.stats.comparison.means import group_means
from analytics_app.stats.estimate import Estimate
from analytics_app.stats.resampling.bootstrap import check_settings

NOTHING = "Nothing was chosen."
# Below so many choices expected at a place the chi-square distribution is no good any more (Cochran 1954).
_EXPECTED = 5


def choices_by_place(
    chosen: ArrayLike,
    raters: ArrayLike,
    *,
    n_places: int,
    n_resamples: int,
    confidence: float,
    rng: np.random.Generator,
) -> tuple[list[Estimate], Estimate]:
    """Share of the choices that fell on each place, and a test that places do not matter.

    Where texts are put into places by lot, every place is chosen equally often by whoever does not mind the place,
    however well they choose: the expected share is 1 / n_places. Two places are tested exactly (binomial), more by
    chi-square; the shares have percentile intervals over raters, since some raters may mind the place and others not.

    Parameters
    ----------
    chosen : array_like of int, shape (n,)
        The place of each choice, from 0.
    raters : array_like of int, shape (n,)
        Codes from 0.
    n_places : int
        At least 2.
    n_resamples, confidence, rng
        Of the bootstrap over raters.

    Returns
    -------
    tuple of (list of Estimate, Estimate)
        The share of each place; and chi-square (value, df, p), whose p is exact for two places.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> shares, test = choices_by_place(
    ...     [0, 0, 0, 1], [0, 1, 2, 3], n_places=2, n_resamples=99, confidence=0.9, rng=rng
    ... )
    >>> shares[0].value, test.p
    (0.75, 0.625)
    """
    if n_places < 2:
        raise ValueError(f"There are at least two places, not {n_places}.")
    check_settings(n_resamples, confidence)
    place = checked_codes(chosen, np.asarray(chosen).size, below=n_places)
    rater = checked_codes(raters, place.size)
    n = place.size
    about = {"n_ratings": n, "n_raters": compressed(rater)[0].size}
    if not n:
        nothing = Estimate(None, **about, note=NOTHING)
        return [nothing] * n_places, nothing
    counts = np.bincount(place, minlength=n_places).astype(np.float64)
    shares = []
    for number in range(n_places):
        found = group_means(
            (place == number).astype(np.float64),
            np.zeros(n, dtype=np.intp),
            rater,
            n_groups=1,
            n_resamples=n_resamples,
            confidence=confidence,
            rng=rng,
        )[0]
        note = "One rater: no interval." if about["n_raters"] < 2 else found.note
        shares.append(Estimate(found.value, found.low, found.high, found.se, **about, note=note))
    expected = n / n_places
    chi2 = float(((counts - expected) ** 2).sum() / expected)
    # Web processes import this module and never test anything.
    from scipy.special import bdtr, chdtrc  # noqa: PLC0415

    exact = n_places == 2
    p = min(1.0, 2 * float(bdtr(counts.min(), n, 0.5))) if exact else float(chdtrc(n_places - 1, chi2))
    few = f"Fewer than {_EXPECTED} choices expected a place: p is rough."
    note = few if n_places > 2 and expected < _EXPECTED else None
    return shares, Estimate(chi2, df=n_places - 1, p=p, **about, note=note)
