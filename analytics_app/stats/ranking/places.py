"""Shares of the choices at each position on the screen, compared with chance."""

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from analytics_app.stats.comparison.means import group_means
from analytics_app.stats.resampling.bootstrap import check_settings
from analytics_app.stats.values import Estimate, Floats, checked_codes, compressed

NOTHING = "Nothing was chosen."
# With fewer expected choices per position the chi-square approximation is poor (Cochran 1954).
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
    """Share of the choices at each position, and a test that positions do not matter.

    If texts are in random order, a rater who ignores positions chooses each equally often, however well they choose:
    the expected share is 1 / n_places. Two positions are tested exactly (binomial), more by chi-square; the shares have
    percentile intervals over raters, since raters may differ in their preference for a position.

    Parameters
    ----------
    chosen : array_like of int, shape (n,)
        The position of each choice, from 0.
    raters : array_like of int, shape (n,)
        Codes from 0.
    n_places : int
        At least 2.
    n_resamples, confidence, rng
        Settings of the bootstrap over raters.

    Returns
    -------
    tuple of (list of Estimate, Estimate)
        The share of each position, and chi-square (value, df, p), whose p is exact for two positions.

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
    entered = {"n_ratings": n, "n_raters": compressed(rater)[0].size}
    if not n:
        undefined = Estimate(None, **entered, note=NOTHING)
        return [undefined] * n_places, undefined
    shares = []
    for k in range(n_places):
        share = group_means(
            (place == k).astype(np.float64),
            np.zeros(n, dtype=np.intp),
            rater,
            n_groups=1,
            n_resamples=n_resamples,
            confidence=confidence,
            rng=rng,
            shares=True,
        )[0]
        note = "One rater: no interval." if entered["n_raters"] < 2 else share.note
        shares.append(replace(share, n_items=None, **entered, note=note))
    return shares, _chi_square(np.bincount(place, minlength=n_places).astype(np.float64), entered)


def _chi_square(counts: Floats, entered: dict[str, int]) -> Estimate:
    """Return the test that all positions are chosen equally often."""
    n, n_places = int(counts.sum()), counts.size
    expected = n / n_places
    chi2 = float(((counts - expected) ** 2).sum() / expected)
    # Lazy import: web processes import this module but never run the test.
    from scipy.special import bdtr, chdtrc  # noqa: PLC0415

    exact = n_places == 2
    p = min(1.0, 2 * float(bdtr(counts.min(), n, 0.5))) if exact else float(chdtrc(n_places - 1, chi2))
    rough_note = f"Fewer than {_EXPECTED} choices expected a place: p is rough."
    note = rough_note if n_places > 2 and expected < _EXPECTED else None
    return Estimate(chi2, df=n_places - 1, p=p, **entered, note=note)
