"""Trust coefficients: high for raters in groups with high agreement."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from analytics_app.stats.values import Codes, Floats, compressed, rated, value_codes

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Level = Literal["nominal", "ordinal", "interval"]

# Up to this number of raters all groups are enumerated; for more raters groups are sampled.
EXACT = 14
SAMPLES = 4000

# The most raters for which callers compute coefficients: one rater hardly changes a random group of more.
MOST_RATERS = 200

# Cells (groups x texts x values) held at once (64 MB at most), and in all; to stay below, fewer groups are sampled.
_CELLS = 8_000_000
_ALL_CELLS = 600_000_000
_FEWEST_SAMPLES = 500
# With fewer raters than this, squares of their numbers are whole numbers in single precision.
_MOST_IN_SINGLE = 4_096

# Alphas that differ by less count as equal, since rounding depends on the order of summation.
_SAME = 1e-10


@dataclass(frozen=True, slots=True)
class Trust:
    """The coefficients of all raters who rated something.

    Parameters
    ----------
    raters : ndarray of int, shape (k,)
        Sorted codes.
    coefficients : ndarray of float, shape (k,), or None
        At most 1, the coefficient of the most trusted rater; None if undefined, and `note` says why.
    subsets : int
        Number of groups of raters whose alpha was computed.
    undefined : int
        Number of groups in which alpha is undefined; it counts as 1, as in the authors' code.
    sampled : bool
        Whether groups were sampled instead of enumerated.
    note : str or None
    """

    raters: Codes
    coefficients: Floats | None
    subsets: int = 0
    undefined: int = 0
    sampled: bool = False
    note: str | None = None


def trust_coefficients(
    values: ArrayLike,
    units: ArrayLike,
    raters: ArrayLike,
    *,
    level: Level = "nominal",
    n_samples: int = SAMPLES,
    rng: np.random.Generator | None = None,
) -> Trust:
    """Trust coefficients of Borovikova et al. [1]_, as their published code computes them.

    Krippendorff's alpha is computed for every group of two or more raters, 1 where it is undefined. Groups are sorted
    by alpha; a weight starts at 1 and grows by 1 whenever alpha is larger than the one before; each member of a group
    gains weight x alpha, and the sums are divided by the largest. The printed algorithm compares with a running maximum
    from 0 instead, which differs by up to .03 where alphas are negative.

    For up to 14 raters all 2^k - k - 1 groups are used. For more raters, or where that would take minutes, groups are
    sampled, each rater being in a group with probability one half, as in the list of all groups.

    Parameters
    ----------
    values : array_like of float, shape (n,)
        Ratings of one criterion, each rater's first of a unit only; NaN = not rated.
    units, raters : array_like of int, shape (n,)
        Codes from 0.
    level : {"nominal", "ordinal", "interval"}
        Nominal as published; ordinal fits a scale better.
    n_samples : int
        Number of groups, if groups are sampled.
    rng : numpy.random.Generator, optional
        Needed if groups are sampled.

    Returns
    -------
    Trust

    Raises
    ------
    ValueError
        Wrong shapes or level, a rater rated a unit twice, or groups must be drawn and there is no generator.

    References
    ----------
    .. [1] M. Borovikova, L. Grobol, A. Halftermeyer and S. Billot (2022). A methodology for the comparison of human
       judgments with metrics for coreference resolution. HumEval, 16-23.

    Examples
    --------
    Two raters who agree, and one who does not:

    >>> units, raters = [0, 1, 2, 3] * 3, [0] * 4 + [1] * 4 + [2] * 4
    >>> trust_coefficients([1, 2, 3, 1, 1, 2, 3, 1, 2, 3, 1, 2], units, raters).coefficients.round(3)
    array([ 1.   ,  1.   , -0.193])
    """
    if level not in get_args(Level):
        raise ValueError(f"The level is one of {', '.join(get_args(Level))}, not {level!r}.")
    numbers, (unit, rater_of) = rated(values, units, raters)
    rater_codes, rater = compressed(rater_of)
    if rater_codes.size < 2:
        problem = "Nothing was rated" if not rater_codes.size else "There is one rater"
        return Trust(rater_codes, None, note=f"{problem}, so there is no group of raters to compare.")
    table = _Ratings.of(numbers, unit, rater, rater_codes.size, level)
    groups, sampled = _groups(rater_codes.size, table.cells, n_samples, rng)
    alphas = np.concatenate([table.alphas(chunk) for chunk in _chunks(groups, table.cells)])
    undefined = np.isnan(alphas)
    sums = _weighted(np.where(undefined, 1.0, alphas), groups)
    result = partial(Trust, rater_codes, subsets=len(groups), undefined=int(undefined.sum()), sampled=sampled)
    if undefined.all():
        return result(coefficients=None, note="No two raters rated the same text, or all ratings are the same.")
    if sums.max() <= 0:
        return result(coefficients=None, note="No group of raters agrees more than by chance.")
    return result(coefficients=sums / sums.max())


def _weighted(alphas: Floats, groups: Floats) -> Floats:
    """Return each rater's sum of weight x alpha over the groups they are in."""
    order = np.argsort(alphas, kind="stable")
    ordered = alphas[order]
    grows = np.zeros(alphas.size, dtype=np.intp)
    grows[1:] = np.diff(ordered) > _SAME
    weight = np.empty(alphas.size)
    weight[order] = 1 + np.cumsum(grows)
    return np.asarray((weight * alphas) @ groups, dtype=np.float64)


def _groups(k: int, cells: int, n_samples: int, rng: np.random.Generator | None) -> tuple[Floats, bool]:
    """Return which raters are in which group, shape (n_groups, k), and whether the groups were sampled."""
    affordable = max(_FEWEST_SAMPLES, _ALL_CELLS // max(1, cells))
    if k <= EXACT and 2**k <= affordable:
        bits = (np.arange(2**k)[:, np.newaxis] >> np.arange(k)) & 1
        return bits[bits.sum(axis=1) >= 2].astype(np.float64), False
    if rng is None:
        raise ValueError(f"The groups of {k} raters are drawn, which takes a generator.")
    n_groups = min(n_samples, affordable)
    groups = (rng.random((2 * n_groups + 100, k)) < 0.5).astype(np.float64)
    return groups[groups.sum(axis=1) >= 2][:n_groups], True


def _chunks(groups: Floats, cells: int) -> Iterator[Floats]:
    size = max(1, _CELLS // max(1, cells))
    for begin in range(0, len(groups), size):
        yield groups[begin : begin + size]


@dataclass(frozen=True, slots=True)
class _Ratings:
    """Ratings in a form in which many groups of raters can be counted at once.

    `of_cells` has a row per cell (text, value) and a column per rater, `of_values` the sums of its rows for each value;
    `scale` holds the values.
    """

    of_cells: csr_array
    of_values: Floats
    n_units: int
    scale: Floats
    level: str

    @property
    def cells(self) -> int:
        return self.n_units * self.scale.size

    @classmethod
    def of(cls, values: Floats, units: Codes, raters: Codes, k: int, level: str) -> _Ratings:
        # Lazy import: scipy loads slowly, and web processes never need it.
        from scipy.sparse import csr_array  # noqa: PLC0415

        unit_codes, place = compressed(units)
        if np.unique(place * k + raters).size != place.size:
            raise ValueError("A rater counts once a unit: leave further ratings out.")
        # A text with a single rating does not enter alpha.
        pairable = np.bincount(place, minlength=unit_codes.size)[place] > 1
        unit_codes, place = compressed(place[pairable])
        scale, code = value_codes(values[pairable])
        cell = place * scale.size + code
        ones = np.ones(cell.size)
        shape = (unit_codes.size * scale.size, k)
        of_values = np.bincount(code * k + raters[pairable], minlength=scale.size * k).reshape(scale.size, k)
        of_cells = csr_array((ones, (cell, raters[pairable])), shape=shape)
        return cls(of_cells, of_values.astype(float), unit_codes.size, scale, level)

    def alphas(self, groups: Floats) -> Floats:
        """Return alpha of each group, shape (n_groups,); NaN where it is undefined."""
        if self.level == "nominal":
            return self._nominal_alphas(groups)
        by_cell = np.asarray(self.of_cells @ groups.T).reshape(self.n_units, self.scale.size, len(groups))
        counts = by_cell.transpose(2, 0, 1)
        m = counts.sum(axis=2)
        # A text with a single rating from a group does not count.
        counts *= (m > 1)[:, :, np.newaxis]
        m *= m > 1
        pairs = np.maximum(m - 1, 1)
        totals = counts.sum(axis=1)
        n = totals.sum(axis=1)
        if self.level == "ordinal":
            # Mid-ranks within the group: the ordinal difference is the interval difference between them.
            x = (np.cumsum(totals, axis=1) - totals / 2) / np.maximum(n, 1)[:, np.newaxis] - 0.5
        else:
            centred = self.scale - np.median(self.scale) if self.scale.size else self.scale
            x = np.broadcast_to(centred / max(1.0, np.abs(centred).max(initial=0)), totals.shape)
        sums = np.einsum("guv,gv->gu", counts, x)
        squares = np.einsum("guv,gv->gu", counts, x**2)
        observed = (2 * (m * squares - sums**2) / pairs).sum(axis=1)
        varied = (totals > 0).sum(axis=1) > 1
        spread = n * (totals * x**2).sum(axis=1) - (totals * x).sum(axis=1) ** 2
        return _ratio(observed, np.where(varied, 2 * spread, 0), n)

    def _nominal_alphas(self, groups: Floats) -> Floats:
        """Return alpha of each group on a nominal scale.

        Values and texts are added up with groups side by side, which is faster than rows of a few values. All of these
        are sums of whole numbers, and so exact in any order.
        """
        narrow = np.float32 if groups.shape[1] < _MOST_IN_SINGLE else np.float64
        shape = (self.n_units, self.scale.size, len(groups))
        by_cell = np.asarray(self.of_cells.astype(narrow) @ groups.T.astype(narrow)).reshape(shape)
        totals = groups @ self.of_values.T
        m, equal = by_cell.sum(axis=1), np.square(by_cell).sum(axis=1)
        # A text with a single rating from a group does not count.
        unit, group = np.nonzero(m == 1)
        value = (by_cell[unit, :, group] @ np.arange(self.scale.size)).astype(np.intp)
        totals -= np.bincount(group * self.scale.size + value, minlength=totals.size).reshape(totals.shape)
        n = totals.sum(axis=1)
        by_unit = np.divide(m**2 - equal, np.maximum(m - 1, 1), dtype=np.float64)
        observed = np.ascontiguousarray(by_unit.T).sum(axis=1)
        return _ratio(observed, n**2 - (totals**2).sum(axis=1), n)


def _ratio(observed: Floats, expected: Floats, n: Floats) -> Floats:
    ratio = np.full(n.size, np.nan)
    np.divide((n - 1) * np.maximum(observed, 0), expected, out=ratio, where=expected > 0)
    return 1 - ratio
