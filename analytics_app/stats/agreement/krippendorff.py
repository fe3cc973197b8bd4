"""Krippendorff's alpha with a bootstrap interval, for any number of raters, missing ratings and scales."""

from functools import partial
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analytics_app.stats.agreement.coincidences import RATIO_BOUND, Disagreement, disagreement
from analytics_app.stats.resampling.bootstrap import (
    agreement_interval,
    check_settings,
    cluster_of_units,
    drawn_together,
    too_few,
    weights,
)
from analytics_app.stats.values import Codes, Estimate, Floats, compressed, on_scale, rated, value_codes

Level = Literal["nominal", "ordinal", "interval", "ratio"]

# The package holds several arrays of units x values x values at once: 4 million cells are 32 MB each.
_LIBRARY_VALUES = 200
_LIBRARY_CELLS = 4_000_000
# The package squares unscaled differences, and squares of smaller differences underflow to 0.
_LIBRARY_SPAN = 1e-100


def krippendorff_alpha(
    values: ArrayLike,
    units: ArrayLike,
    *,
    level: Level,
    domain: ArrayLike | None = None,
    raters: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    n_resamples: int = 1000,
    confidence: float = 0.95,
    rng: np.random.Generator | None = None,
) -> Estimate:
    """Krippendorff's alpha: 1 minus observed over expected disagreement [1]_, with a bootstrap interval over units.

    The value comes from the `krippendorff` package for scales of at most 200 different values, as long as its arrays
    of units x values x values stay below 4 million cells; beyond that, and for the interval, from the same definition
    computed without those arrays (`coincidences`): the two agree up to rounding. Rater identity does not enter
    alpha, so several ratings of a unit by one rater must first be reduced to one, or self-agreement raises alpha.

    Parameters
    ----------
    values : array_like of float, shape (n,)
        Ratings of one criterion, never several criteria pooled; NaN = not rated.
    units : array_like of int, shape (n,)
        Code from 0 of the rated text. Units with a single rating say nothing about agreement and are left out.
    level : {"nominal", "ordinal", "interval", "ratio"}
        "ratio" takes values from 0, and has intervals for up to 2,000 different values.
    domain : array_like of float, optional
        The whole scale. At the ordinal level its order is the order of the values; else they are ordered by size.
    raters : array_like of int, shape (n,), optional
        Rater codes from 0, only to count the raters.
    clusters : array_like of int, shape (n,), optional
        Codes from 0 of the documents that units belong to, if shown as a whole: then documents are resampled.
    n_resamples : int
        Bootstrap samples of units, or of clusters; 0 gives no interval.
    confidence : float
    rng : numpy.random.Generator, optional
        None gives no interval.

    Returns
    -------
    Estimate
        `n_ratings` counts pairable ratings, `n_items` units with two ratings or more, `se` is the bootstrap's. The
        value is None where no unit has two ratings or where all pairable ratings are the same (0/0). With fewer than
        10 units, or clusters, there is a value, but no interval.

    Raises
    ------
    ValueError
        Wrong shapes, codes or level, values outside `domain`, or negative values at the ratio level.

    References
    ----------
    .. [1] K. Krippendorff (2011). Computing Krippendorff's alpha-reliability. University of Pennsylvania.
    .. [2] K. Krippendorff (2004). Content Analysis, 2nd ed., chapter 11. Sage.
    .. [3] A. Zapf, S. Castell, L. Morawietz and A. Karch (2016). Measuring inter-rater reliability for nominal data:
       which coefficients and confidence intervals are appropriate? BMC Medical Research Methodology 16, 93. (The
       bootstrap over units.)

    Examples
    --------
    >>> krippendorff_alpha([1, 1, 2, 2, 3, 1], [0, 0, 1, 1, 2, 2], level="nominal").value
    0.5454545454545454
    >>> krippendorff_alpha([3, 3, 3, 3], [0, 0, 1, 1], level="ordinal").note
    'All ratings are the same, so alpha is undefined.'
    """
    if level not in get_args(Level):
        raise ValueError(f"The level is one of {', '.join(get_args(Level))}, not {level!r}.")
    check_settings(n_resamples, confidence)
    # Units stand in for raters or clusters that were not given, so that `rated` always gets three codes.
    rater_and_cluster = (units if raters is None else raters, units if clusters is None else clusters)
    numbers, (unit, rater, cluster) = rated(values, units, *rater_and_cluster)
    if level == "ratio" and (numbers < 0).any():
        raise ValueError("Values at the ratio level are at least 0.")
    scale, codes = value_codes(numbers) if domain is None else on_scale(numbers, domain)
    _units, places = compressed(unit)
    pairable = np.bincount(places)[places] > 1 if places.size else np.zeros(0, dtype=bool)
    estimate = partial(
        Estimate,
        n_ratings=int(pairable.sum()),
        n_items=compressed(unit[pairable])[0].size,
        n_raters=compressed(rater[pairable])[0].size if raters is not None else None,
    )
    if reason := _undefined(codes, pairable, level):
        return estimate(None, note=reason)
    _units, places = compressed(places[pairable])
    unit_clusters = cluster_of_units(places, cluster[pairable]) if clusters is not None else None
    table, value = _table_and_alpha(places, codes[pairable], scale, level, aligned=unit_clusters is not None)
    if rng is None or n_resamples == 0:
        return estimate(value)
    if few_note := too_few(table.n_units, unit_clusters):
        return estimate(value, note=few_note)
    n_drawn = table.n_units if unit_clusters is None else compressed(unit_clusters)[0].size
    samples, k = _samples(table, unit_clusters, n_resamples, rng), float(pairable.sum()) / table.n_units
    return estimate(value, **agreement_interval(samples, confidence, n_drawn, value=value, k=k)._asdict())


def _table_and_alpha(
    places: Codes, codes: Codes, scale: Floats, level: Level, *, aligned: bool
) -> tuple[Disagreement, float]:
    used_values, codes = compressed(codes)
    table = disagreement(places, codes, scale[used_values], level, aligned=aligned)
    value = _by_library(table, scale[used_values], level)
    return table, table.alpha() if value is None else value


def _undefined(codes: Codes, pairable: NDArray[np.bool_], level: Level) -> str | None:
    """Return a note that says why alpha is undefined, or None."""
    if not codes.size:
        return "Nothing was rated, so alpha is undefined."
    if not pairable.any():
        return "No two raters rated the same text, so alpha is undefined."
    compared = codes[pairable]
    if codes.min() == codes.max():
        return "All ratings are the same, so alpha is undefined."
    if compared.min() == compared.max():
        return "All ratings that can be compared are the same, so alpha is undefined."
    different = compressed(compared)[0].size
    if level == "ratio" and different > RATIO_BOUND:
        return (
            f"Alpha at the ratio level is worked out for up to {RATIO_BOUND:,} different values, and these are "
            f"{different:,}. Take logarithms and the interval level."
        )
    return None


def _by_library(table: Disagreement, scale: Floats, level: Level) -> float | None:
    """Return alpha from the `krippendorff` package, or None where its arrays would be too large."""
    if scale.size > _LIBRARY_VALUES or table.n_units * scale.size**2 > _LIBRARY_CELLS:
        return None
    if level == "interval" and np.ptp(scale) < _LIBRARY_SPAN:
        return None
    # Lazy import: web processes import this module but never compute alpha.
    import krippendorff  # noqa: PLC0415

    # As floats: 8-bit integers overflow in the package from 12 equal ratings on.
    return float(
        krippendorff.alpha(value_counts=table.counts[table.patterns], value_domain=scale, level_of_measurement=level)
    )


def _samples(table: Disagreement, unit_clusters: Codes | None, n_resamples: int, rng: np.random.Generator) -> Floats:
    if unit_clusters is not None:
        return np.concatenate(
            [table.alphas(chunk) for chunk in drawn_together(unit_clusters, table.patterns, n_resamples, rng)]
        )
    chunks = weights(table.n_units, n_resamples, rng, classes=table.patterns, width=table.width)
    return np.concatenate([table.alphas(chunk.astype(np.float64)) for chunk in chunks])
