"""Cohen's kappa, plain and weighted, of every two raters and as their mean."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from analytics_app.stats.agreement.pooled import SharedUnits, shared_units
from analytics_app.stats.agreement.rater_pairs import n_rating_pairs, rating_pairs
from analytics_app.stats.resampling.bootstrap import FEWEST_UNITS, check_settings
from analytics_app.stats.values import Codes, Estimate, Floats, compressed, joined, on_scale, rated

KappaWeights = Literal["none", "linear", "quadratic"]

# With more pairs of raters (ten raters), only the mean, least and greatest kappa are given: the package is slow.
_LISTED = 45
_RATING_PAIRS = 20_000_000
# Most cells of the tables that are held at once (64 MB).
_CELLS = 8_000_000

CUT = "The interval reached beyond the scale from -1 to 1 and is cut there: it is rough."
ONE_ANSWER = "Both raters gave all shared texts the same value, so kappa is undefined."


@dataclass(frozen=True, slots=True)
class KappaPair:
    """Kappa of two raters over the texts that both rated; `rater_a` and `rater_b` are their codes."""

    rater_a: int
    rater_b: int
    estimate: Estimate


@dataclass(frozen=True, slots=True)
class CohenKappas:
    """Kappa between raters.

    Parameters
    ----------
    mean : Estimate
        Plain mean over the pairs of raters who share enough texts, as defined by Light.
    least, most : float or None
        The least and the greatest kappa of these pairs; None if no pair has one.
    n_pairs : int
        How many pairs have a kappa.
    pairs : tuple of KappaPair
        Sorted by codes, including pairs with too few texts or no kappa; empty where there are more than 45.
    """

    mean: Estimate
    least: float | None = None
    most: float | None = None
    n_pairs: int = 0
    pairs: tuple[KappaPair, ...] = ()


def cohen_kappas(
    values: ArrayLike,
    units: ArrayLike,
    raters: ArrayLike,
    *,
    domain: ArrayLike | None = None,
    weights: KappaWeights = "none",
    min_shared: int = 3,
    confidence: float = 0.95,
) -> CohenKappas:
    """Cohen's kappa of every two raters [1]_, optionally weighted [2]_, and Light's mean over the pairs [3]_.

    With p the shares of the q x q table of two raters over the texts that both rated, e the product of its margins and
    D the distance of two values (0 or 1; |x - y|; (x - y)^2), kappa = 1 - sum(p D) / sum(e D). The table is over the
    whole scale, never only over the values that occur. Kappas and limits of single pairs are those of
    `statsmodels.stats.inter_rater.cohens_kappa`; limits beyond -1 or 1 are cut there [5]_.

    Parameters
    ----------
    values : array_like of float, shape (n,)
        Codes of labels, or steps of a scale; NaN = not rated.
    units, raters : array_like of int, shape (n,)
        Codes from 0. A rater has at most one rating of a unit.
    domain : array_like of float, shape (q,), optional
        The whole scale; None takes the values that occur, which changes no plain kappa but any weighted one.
    weights : {"none", "linear", "quadratic"}
        Weighted kappas take the numbers of the scale as they are.
    min_shared : int
        Texts that two raters must share, at least 2.
    confidence : float
        Limits are asymptotic, by linearisation over texts (the delta method): for two raters those of the package
        [4]_; for the mean of several pairs the influence of a text is summed over its pairs, which are not independent.
        There are none for a pair that shares fewer than 10 texts, or a mean over pairs whose median is below that.

    Returns
    -------
    CohenKappas
        A pair has no kappa where both raters gave all shared texts one and the same value (0/0).

    Raises
    ------
    ValueError
        Wrong shapes, codes or settings, or several ratings of one unit by one rater.

    References
    ----------
    .. [1] J. Cohen (1960). A coefficient of agreement for nominal scales. Educational and Psychological Measurement
       20(1), 37-46.
    .. [2] J. Cohen (1968). Weighted kappa. Psychological Bulletin 70(4), 213-220.
    .. [3] R. J. Light (1971). Measures of response agreement for qualitative data. Psychological Bulletin 76(5),
       365-377.
    .. [4] J. L. Fleiss, J. Cohen and B. S. Everitt (1969). Large sample standard errors of kappa and weighted kappa.
       Psychological Bulletin 72(5), 323-327.
    .. [5] K. L. Gwet (2019). irrCAC: Computing chance-corrected agreement coefficients (CAC). R package. (It cuts upper
       limits at 1.)

    Examples
    --------
    >>> result = cohen_kappas([1, 2, 3, 1, 2, 2], [0, 1, 2, 0, 1, 2], [0, 0, 0, 1, 1, 1], domain=[1, 2, 3])
    >>> round(result.mean.value, 3)
    0.5
    """
    by_weights = weighted_kappas(
        values, units, raters, (weights,), domain=domain, min_shared=min_shared, confidence=confidence
    )
    return by_weights[weights]


def weighted_kappas(
    values: ArrayLike,
    units: ArrayLike,
    raters: ArrayLike,
    kinds: Sequence[KappaWeights],
    *,
    domain: ArrayLike | None = None,
    min_shared: int = 3,
    confidence: float = 0.95,
) -> dict[KappaWeights, CohenKappas]:
    """Return `cohen_kappas` for several kinds of weights in one pass over the pairs of raters.

    Examples
    --------
    >>> kappas = weighted_kappas([1, 2, 3, 1, 2, 2], [0, 1, 2, 0, 1, 2], [0, 0, 0, 1, 1, 1], ("none", "linear"))
    >>> [round(kappa.mean.value, 3) for kappa in kappas.values()]
    [0.5, 0.571]
    """
    for weights in kinds:
        if weights not in get_args(KappaWeights):
            raise ValueError(f"The weights are one of {', '.join(get_args(KappaWeights))}, not {weights!r}.")
    if min_shared < 2:
        raise ValueError(f"Two raters share at least 2 texts to be compared, not {min_shared}.")
    check_settings(0, confidence)
    numbers, (unit, rater) = rated(values, units, raters)
    scale, _codes = on_scale(numbers, np.unique(numbers) if domain is None else domain)
    shared = shared_units(numbers, unit, rater)
    if not shared.units.size:
        note = "No two raters rated the same text, so kappa is undefined." if numbers.size else "Nothing was rated."
        return dict.fromkeys(kinds, CohenKappas(Estimate(None, n_ratings=0, n_items=0, n_raters=0, note=note)))
    if n_rating_pairs(shared) > _RATING_PAIRS:
        note = (
            f"Not worked out: there are {n_rating_pairs(shared):,} pairs of ratings, and at most {_RATING_PAIRS:,} are."
        )
        undefined = Estimate(None, n_items=shared.n_units, n_raters=shared.rater_codes.size, note=note)
        return dict.fromkeys(kinds, CohenKappas(undefined))
    tables = _PairTables.of(shared, on_scale(shared.values, scale)[1], scale.size, min_shared)
    return {weights: _of_kind(shared, tables, scale, weights, min_shared, confidence) for weights in kinds}


def _of_kind(
    shared: SharedUnits,
    tables: _PairTables,
    scale: Floats,
    weights: KappaWeights,
    min_shared: int,
    confidence: float,
) -> CohenKappas:
    kappas = tables.kappas(_distance(scale, weights))
    listed = tuple(_listed(shared, tables, scale, weights, min_shared, confidence))
    defined = kappas[~np.isnan(kappas)]
    if defined.size == 1 and listed:
        estimate = next(pair.estimate for pair in listed if pair.estimate.value is not None)
        return CohenKappas(estimate, float(defined[0]), float(defined[0]), 1, listed)
    mean = _mean(shared, tables, kappas, min_shared)
    if defined.size:
        mean = _with_interval(mean, tables, kappas, _distance(scale, weights), confidence)
    if not defined.size:
        return CohenKappas(mean, pairs=listed)
    return CohenKappas(mean, float(defined.min()), float(defined.max()), defined.size, listed)


@dataclass(frozen=True, slots=True)
class _PairTables:
    """Pairs of raters who share enough texts: `a`, `b` and `n` as in `PairTable`, and each pair of their ratings.

    `unit`, `pair` and `cell` locate each pair of ratings: it counts in cell x * q + y of the table of its two raters.
    `n_unshared` counts the pairs of raters who share fewer texts.
    """

    a: Codes
    b: Codes
    n: Codes
    q: int
    unit: Codes
    pair: Codes
    cell: Codes
    n_unshared: int

    @classmethod
    def of(cls, shared: SharedUnits, codes: Codes, q: int, min_shared: int) -> _PairTables:
        blocks, n_unshared, n_pairs = [], 0, 0
        for block in rating_pairs(shared):
            enough = block.n >= min_shared
            n_unshared += int((~enough).sum())
            places = np.cumsum(enough) - 1 + n_pairs
            n_pairs += int(enough.sum())
            chosen = enough[block.pairs]
            first, second = block.first[chosen], block.second[chosen]
            columns = (shared.units[first], places[block.pairs[chosen]], codes[first] * q + codes[second])
            blocks.append((block.a[enough], block.b[enough], block.n[enough], *columns))
        a, b, n, unit, pair, cell = (np.concatenate(column) for column in zip(*blocks, strict=True))
        return cls(a, b, n, q, unit, pair, cell, n_unshared)

    def _blocks(self) -> Iterator[tuple[slice, Codes, Floats]]:
        """Yield blocks of pairs of raters: the slice of their pairs of ratings, the raters of each, and the tables."""
        step = max(1, _CELLS // self.q**2)
        ends = np.r_[0, np.cumsum(self.n)]
        for start in range(0, self.n.size, step):
            end = min(start + step, self.n.size)
            chosen = slice(int(ends[start]), int(ends[end]))
            pair = self.pair[chosen] - start
            tables = np.bincount(pair * self.q**2 + self.cell[chosen], minlength=(end - start) * self.q**2)
            yield chosen, pair, tables.reshape(-1, self.q, self.q).astype(np.float64)

    def kappas(self, distance: Floats) -> Floats:
        """Return the kappa of each pair, NaN if undefined."""
        return np.concatenate([np.zeros(0), *(_kappas(tables, distance) for _chosen, _pair, tables in self._blocks())])

    def influences(self, distance: Floats) -> Floats:
        """Return the contribution of each pair of ratings to the kappa of its pair of raters, NaN if undefined.

        With O and E the observed and expected distance, kappa = 1 - O / E moves by -(d - O) / E + O / E^2 (e - 2 E),
        d being the distance of the two ratings and e how far each is on average from those of the other rater.
        """
        influences = [np.zeros(0)]
        for chosen, pair, tables in self._blocks():
            n = tables.sum(axis=(-2, -1))[:, np.newaxis]
            rows, columns = tables.sum(axis=-1) / n, tables.sum(axis=-2) / n
            to_columns, to_rows = columns @ distance.T, rows @ distance
            observed = ((tables * distance).sum(axis=(-2, -1)) / n[:, 0])[pair]
            expected = (to_rows * columns).sum(axis=-1)[pair]
            x, y = self.cell[chosen] // self.q, self.cell[chosen] % self.q
            excess = to_columns[pair, x] + to_rows[pair, y] - 2 * expected
            with np.errstate(invalid="ignore", divide="ignore"):
                change = -(distance[x, y] - observed) / expected + observed / expected**2 * excess
            influences.append(np.where(expected > 0, change, np.nan) / n[pair, 0])
        return np.concatenate(influences)

    def table(self, pair: int) -> Floats:
        """Return the table of one pair, shape (q, q)."""
        start = int(self.n[:pair].sum())
        cells = self.cell[start : start + int(self.n[pair])]
        return np.bincount(cells, minlength=self.q**2).reshape(self.q, self.q).astype(np.float64)


def _kappas(tables: Floats, distance: Floats) -> Floats:
    """Return kappa of tables of shape (..., q, q), NaN where all ratings have one value."""
    rows, columns = tables.sum(axis=-1), tables.sum(axis=-2)
    observed = (tables * distance).sum(axis=(-2, -1))
    expected = ((rows @ distance) * columns).sum(axis=-1)
    n = rows.sum(axis=-1)
    ratio: Floats = np.divide(n * observed, expected, out=np.full(n.shape, np.nan), where=expected > 0)
    return 1 - ratio


def _distance(scale: Floats, weights: KappaWeights) -> Floats:
    if weights == "none":
        return 1 - np.eye(scale.size)
    away = np.abs(np.subtract.outer(scale, scale))
    return np.asarray(away if weights == "linear" else away**2)


def _listed(
    shared: SharedUnits,
    tables: _PairTables,
    scale: Floats,
    weights: KappaWeights,
    min_shared: int,
    confidence: float,
) -> Iterator[KappaPair]:
    """Yield every pair of raters with the limits of the package; nothing for more than 45 pairs."""
    if tables.n.size > _LISTED:
        return
    # Lazy import: web processes import this module but never compute kappa.
    from scipy.special import ndtri  # noqa: PLC0415
    from statsmodels.stats.inter_rater import cohens_kappa  # noqa: PLC0415

    width = float(ndtri(0.5 + confidence / 2))
    for i in range(tables.n.size):
        table, n = tables.table(i), int(tables.n[i])
        counts: dict[str, Any] = {"n_ratings": 2 * n, "n_items": n, "n_raters": 2}
        if np.count_nonzero(table) == 1 and np.count_nonzero(np.diag(table)) == 1:
            estimate = Estimate(None, **counts, note=ONE_ANSWER)
        else:
            # With few texts the variance may be 0, and the package divides by it for a test not used here.
            with np.errstate(invalid="ignore", divide="ignore"):
                result = cohens_kappa(table, weights=scale, wt=weights) if weights != "none" else cohens_kappa(table)
            se = float(np.sqrt(result.var_kappa)) if result.var_kappa > 0 else 0.0
            estimate = Estimate(result.kappa, **counts)
            if n < FEWEST_UNITS:
                estimate = replace(estimate, note=f"Two raters share {n} texts: too few for an interval.")
            else:
                estimate = _with_limits(estimate, se, width)
        a, b = shared.rater_codes[tables.a[i]], shared.rater_codes[tables.b[i]]
        yield KappaPair(int(a), int(b), estimate)


def _mean(shared: SharedUnits, tables: _PairTables, kappas: Floats, min_shared: int) -> Estimate:
    defined = ~np.isnan(kappas)
    units, raters = compressed(tables.unit)[0].size, compressed(np.r_[tables.a, tables.b])[0].size
    if not kappas.size:
        note = f"No two raters share {min_shared} texts, so kappa is undefined."
        return Estimate(None, n_items=shared.n_units, n_raters=shared.rater_codes.size, note=note)
    if not defined.any():
        return Estimate(None, n_items=units, n_raters=raters, note="Every pair of raters gave one and the same value.")
    note = f"Mean over {defined.sum():,} pairs of raters."
    undefined_note = f"{(~defined).sum():,} pairs without a kappa are left out." if not defined.all() else None
    unshared_note = f"{tables.n_unshared:,} pairs share fewer than {min_shared} texts." if tables.n_unshared else None
    value = float(kappas[defined].mean())
    return Estimate(value, n_items=units, n_raters=raters, note=joined(note, undefined_note, unshared_note))


def _with_interval(
    mean: Estimate, tables: _PairTables, kappas: Floats, distance: Floats, confidence: float
) -> Estimate:
    """Return the mean with its limits over texts."""
    shared = float(np.median(tables.n))
    if shared < FEWEST_UNITS:
        few_note = f"Pairs of raters share {shared:g} texts, their median: too few for an interval."
        return replace(mean, note=joined(mean.note, few_note))
    defined = ~np.isnan(kappas)
    influence = tables.influences(distance)[defined[tables.pair]] / defined.sum()
    se = float(np.sqrt((np.bincount(tables.unit[defined[tables.pair]], weights=influence) ** 2).sum()))
    # Lazy import: web processes import this module but never compute limits.
    from scipy.special import ndtri  # noqa: PLC0415

    return _with_limits(mean, se, float(ndtri(0.5 + confidence / 2)))


def _with_limits(kappa: Estimate, se: float, quantile: float) -> Estimate:
    """Return a kappa with its normal limits, cut at -1 and 1; with the reason if its standard error is 0."""
    if se <= 0 or kappa.value is None:
        return replace(kappa, note=joined(kappa.note, "The standard error is nought: no interval."))
    low, high = kappa.value - quantile * se, kappa.value + quantile * se
    note = CUT if low < -1 or high > 1 else None
    return replace(kappa, low=max(-1.0, low), high=min(1.0, high), se=se, note=joined(kappa.note, note))
