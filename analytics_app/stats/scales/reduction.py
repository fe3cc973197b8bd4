"""The scale to leave out next of a factor analysis, and matches between the factors of two solutions."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from analytics_app.stats.values import Floats

# Costello and Osborne (2005), page 4: an item below .40 is not related to the others, or points to another factor.
LEAST_COMMUNALITY = 0.4
# Macketanz et al. (2022): the two strongest loadings of a scale are at least .2 apart.
LEAST_GAP = 0.2
# The tolerance for rounding errors in differences of decimal fractions, such as .5 - .3.
_ROUNDING = 1e-9

Criterion: TypeAlias = Literal["communality", "cross-loading"]


@dataclass(frozen=True, slots=True)
class Weakest:
    """The scale that the criteria leave out next: its place, the criterion that it fails, and its value."""

    place: int
    criterion: Criterion
    value: float


def loading_gaps(pattern: ArrayLike) -> Floats:
    """Return the difference between the sizes of the two strongest loadings of each scale.

    Parameters
    ----------
    pattern : array_like of float, shape (p, k)
        Loadings of p scales on k factors.

    Returns
    -------
    ndarray, shape (p,)
        NaN with one factor, where no scale can load on two.

    Examples
    --------
    >>> loading_gaps([[0.75, -0.5], [0.25, 0.75]]).tolist()
    [0.25, 0.5]
    """
    sizes = np.sort(np.abs(np.asarray(pattern, dtype=np.float64)), axis=1)
    if sizes.shape[1] < 2:
        return np.full(len(sizes), np.nan)
    gaps: Floats = sizes[:, -1] - sizes[:, -2]
    return gaps


def weakest_scale(
    pattern: ArrayLike,
    communalities: ArrayLike,
    *,
    least_communality: float = LEAST_COMMUNALITY,
    least_gap: float = LEAST_GAP,
) -> Weakest | None:
    """Return the one scale to leave out next, or None where every scale meets both criteria [1]_.

    Low communalities come first, the lowest of them; only where there are none, the scale whose two strongest loadings
    are closest to each other. One at a time: without a scale, all other numbers change.

    Parameters
    ----------
    pattern : array_like of float, shape (p, k)
        Loadings.
    communalities : array_like of float, shape (p,)
        Shares of variance that the factors explain.
    least_communality, least_gap : float
        Scales below either are left out; a scale that is as large stays.

    References
    ----------
    .. [1] V. Macketanz, B. Naderi, S. Schmidt and S. Möller (2022). Perceptual quality dimensions of machine-generated
       text with a focus on machine translation. HumEval, 24-31. The paper names both criteria, and .2 for the second.

    Examples
    --------
    >>> weakest_scale([[0.8, 0.1], [0.5, 0.45], [0.3, 0.1]], [0.65, 0.45, 0.1])
    Weakest(place=2, criterion='communality', value=0.1)
    >>> weakest_scale([[0.8, 0.1], [0.5, 0.4]], [0.65, 0.45]).criterion
    'cross-loading'
    """
    shared = np.asarray(communalities, dtype=np.float64)
    if (lowest := int(np.argmin(shared))) >= 0 and shared[lowest] < least_communality - _ROUNDING:
        return Weakest(lowest, "communality", float(shared[lowest]))
    gaps = loading_gaps(pattern)
    if np.isnan(gaps).all():
        return None
    closest = int(np.nanargmin(gaps))
    return Weakest(closest, "cross-loading", float(gaps[closest])) if gaps[closest] < least_gap - _ROUNDING else None


def congruences(a: ArrayLike, b: ArrayLike) -> Floats:
    """Return Tucker's coefficients of congruence between the factors of two solutions over the same scales [1]_.

    Parameters
    ----------
    a : array_like of float, shape (p, k)
    b : array_like of float, shape (p, m)

    Returns
    -------
    ndarray, shape (k, m)
        0 where a factor has no loading at all.

    References
    ----------
    .. [1] L. R. Tucker (1951). A method for synthesis of factor analysis studies. Personnel Research Section Report
       984, Department of the Army.

    Examples
    --------
    >>> congruences([[1.0], [0.0]], [[0.6, 0.0], [0.8, -2.0]]).tolist()
    [[0.6, 0.0]]
    """
    left, right = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    lengths = np.sqrt(np.outer((left**2).sum(axis=0), (right**2).sum(axis=0)))
    coefficients: Floats = (left.T @ right) / np.where(lengths > 0, lengths, 1)
    return coefficients


def matched_factors(earlier: ArrayLike, later: ArrayLike) -> list[tuple[int, float]]:
    """Return for each later factor the matching earlier factor, with the sign of their congruence.

    Pairs are chosen to maximise the sum of the sizes of their congruences; an earlier factor is in at most one pair.

    Parameters
    ----------
    earlier : array_like of float, shape (p, k)
        Loadings of the scales that both solutions have.
    later : array_like of float, shape (p, m)

    Returns
    -------
    list of (int, float)
        For each of the m later factors the place of the earlier factor, -1 if none is left, and 1 or -1.

    Examples
    --------
    >>> matched_factors([[0.0, 0.9], [0.8, 0.1]], [[0.9, 0.0], [0.0, -0.7]])
    [(1, 1.0), (0, -1.0)]
    """
    # Lazy import: web processes import this module but never match factors.
    from scipy.optimize import linear_sum_assignment  # noqa: PLC0415

    alike = congruences(earlier, later)
    matches = [(-1, 1.0)] * alike.shape[1]
    for before, after in zip(*linear_sum_assignment(-np.abs(alike)), strict=True):
        matches[after] = (int(before), -1.0 if alike[before, after] < 0 else 1.0)
    return matches
