"""Observed and expected disagreement of Krippendorff's alpha, for the ratings and for many resamples at once.

The `krippendorff` package holds a value x value table for every unit. Here each level of measurement uses only what it
needs: with c ratings of each value in a unit, m = sum(c), n the totals of the values over all units and N = sum(n),

    alpha = 1 - (N - 1) * sum over units(sum(c c' D) / (m - 1)) / sum(n n' D)

where D is the squared difference of the level (Krippendorff 2011, the coincidence matrix written with counts). For
squares of differences the double sums are moments, sum(c c' (x - x')^2) = 2 (m sum(c x^2) - sum(c x)^2), and the
ordinal difference is the interval difference between the mid-ranks of the values in the same sample.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from analytics_app.stats.agreement.patterns import count_patterns
from analytics_app.stats.values import Codes, Floats

if TYPE_CHECKING:
    from scipy.sparse import csr_array

# The ratio level needs the differences between all values as a table: 2,000 values are 32 MB.
RATIO_BOUND = 2000
# Larger tables of units x values (more than 64 MB, or more values than a rating scale has) are mostly zeros.
_DENSE_CELLS = 8_000_000
_DENSE_VALUES = 200


@dataclass(frozen=True, slots=True)
class Disagreement(ABC):
    """Ratings of units, counted so that units can be weighted; made by `disagreement`.

    Parameters
    ----------
    patterns : ndarray of int, shape (n_units,)
        Sorted, or in the order of the units. Units with the same ratings have the same pattern, and patterns are in an
        order that depends on the ratings alone, so recoding the units does not change the resamples. On wide scales
        every unit has its own pattern.
    counts : ndarray or sparse array of float, shape (n_patterns, n_values)
    sizes : ndarray of float, shape (n_patterns,)
        Ratings of a unit, at least 2.
    """

    patterns: Codes
    counts: Floats | csr_array
    sizes: Floats

    @property
    def n_units(self) -> int:
        """Number of units."""
        return self.patterns.size

    @property
    def width(self) -> int:
        """Columns of the widest array that one resample needs."""
        n_patterns, n_values = self.counts.shape
        return max(int(n_patterns), int(n_values))

    def alpha(self) -> float:
        """Return alpha of the ratings, each unit counted once."""
        once = np.bincount(self.patterns).astype(np.float64)
        return float(self.alphas(once[np.newaxis])[0])

    @abstractmethod
    def alphas(self, weights: Floats) -> Floats:
        """Return alpha for units that count several times or not at all.

        Parameters
        ----------
        weights : ndarray of float, shape (n_resamples, n_patterns)

        Returns
        -------
        ndarray of float, shape (n_resamples,)
            NaN where all ratings of a resample are the same.
        """


def _alphas(observed: Floats, expected: Floats, n: Floats) -> Floats:
    ratio = np.full(n.size, np.nan)
    # Where all ratings are the same, the expected disagreement is exactly 0: it is a sum of zeros or whole numbers.
    np.divide((n - 1) * observed, expected, out=ratio, where=expected > 0)
    # Where differences cancel, rounding may take the disagreement just below 0. NaN stays.
    alphas: Floats = 1 - np.maximum(ratio, 0)
    return alphas


@dataclass(frozen=True, slots=True)
class _Nominal(Disagreement):
    def alphas(self, weights: Floats) -> Floats:
        totals = np.asarray(weights @ self.counts)
        n = totals.sum(axis=1)
        squares = np.asarray((self.counts * self.counts).sum(axis=1)).ravel()
        observed = weights @ ((self.sizes**2 - squares) / (self.sizes - 1))
        return _alphas(observed, n**2 - (totals**2).sum(axis=1), n)


@dataclass(frozen=True, slots=True)
class _Ordinal(Disagreement):
    def alphas(self, weights: Floats) -> Floats:
        totals = np.asarray(weights @ self.counts)
        n = totals.sum(axis=1)
        # Mid-ranks as shares of the sample, centred on their mean, which is exactly one half.
        ranks = (np.cumsum(totals, axis=1) - totals / 2) / n[:, np.newaxis] - 0.5
        sums = np.asarray(self.counts @ ranks.T).T
        scaled = weights / (self.sizes - 1)
        squares = ((scaled * self.sizes) @ self.counts * ranks**2).sum(axis=1)
        observed = 2 * (squares - np.einsum("bu,bu,bu->b", scaled, sums, sums))
        return _alphas(observed, 2 * n * (totals * ranks**2).sum(axis=1), n)


@dataclass(frozen=True, slots=True)
class _Interval(Disagreement):
    moments: Floats
    """Shape (n_patterns, 4): ratings, their sum, their sum of squares, their disagreement within the unit."""

    def alphas(self, weights: Floats) -> Floats:
        n, sums, squares, observed = (weights @ self.moments).T
        spread = squares - sums**2 / n
        # Without disagreement within units, the spread alone shows whether ratings vary, up to rounding of the sums.
        varied = (observed > 0) | (spread > 1e-12 * squares)
        return _alphas(observed, np.where(varied, 2 * n * spread, 0), n)


@dataclass(frozen=True, slots=True)
class _Ratio(Disagreement):
    differences: Floats

    def alphas(self, weights: Floats) -> Floats:
        totals = np.asarray(weights @ self.counts)
        observed = np.asarray((self.counts * (self.counts @ self.differences)).sum(axis=1)).ravel() / (self.sizes - 1)
        expected = ((totals @ self.differences) * totals).sum(axis=1)
        return _alphas(weights @ observed, expected, totals.sum(axis=1))


def disagreement(units: Codes, values: Codes, scale: Floats, level: str, *, aligned: bool = False) -> Disagreement:
    """Count the ratings for a level of measurement.

    Parameters
    ----------
    units : ndarray of int, shape (n,)
        Codes 0, 1, ... without gaps, each at least twice.
    values : ndarray of int, shape (n,)
        Places on the scale, without gaps.
    scale : ndarray of float, shape (n_values,)
        At least two values in their order; at most `RATIO_BOUND` at the ratio level.
    level : str
    aligned : bool
        Whether patterns are in the order of the units, as resampling whole clusters needs.
    """
    n_units = int(units.max()) + 1
    dense = scale.size <= _DENSE_VALUES and n_units * scale.size <= _DENSE_CELLS
    patterns, counts = (
        count_patterns(units, values, n_units, scale.size, aligned=aligned)
        if dense
        else _sparse(units, values, n_units, scale.size)
    )
    sizes = np.asarray(counts.sum(axis=1), dtype=np.float64).ravel()
    if level == "nominal":
        return _Nominal(patterns, counts, sizes)
    if level == "ordinal":
        return _Ordinal(patterns, counts, sizes)
    if level == "interval":
        # Centred on the median, so that a few extreme values do not cost the others precision.
        centred = scale - np.median(scale[values])
        return _Interval(patterns, counts, sizes, _moments(counts, sizes, centred / np.abs(centred).max()))
    sums = np.add.outer(scale, scale)
    shares = np.subtract.outer(scale, scale) / np.where(sums > 0, sums, 1)
    return _Ratio(patterns, counts, sizes, shares**2)


def _sparse(units: Codes, values: Codes, n_units: int, n_values: int) -> tuple[Codes, csr_array]:
    """Return each unit as its own pattern; on a wide scale hardly any two units have the same ratings."""
    # Lazy import: scipy.sparse loads slowly, and only wide scales need it.
    from scipy.sparse import csr_array  # noqa: PLC0415

    counts = csr_array((np.ones(units.size), (units, values)), shape=(n_units, n_values))
    return np.arange(n_units), counts


def _moments(counts: Floats | csr_array, sizes: Floats, scale: Floats) -> Floats:
    sums, squares = np.asarray(counts @ scale), np.asarray(counts @ scale**2)
    within = 2 * (sizes * squares - sums**2) / (sizes - 1)
    # Exactly 0 where all raters agree, despite rounding.
    constant = np.asarray((counts > 0).sum(axis=1)).ravel() == 1
    return np.column_stack([sizes, sums, squares, np.where(constant, 0, np.maximum(within, 0))])
