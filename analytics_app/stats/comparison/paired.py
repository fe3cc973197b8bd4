"""Compare two systems on their shared items: differences with intervals, tests, effect sizes."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from analytics_app.stats.comparison.signed_rank import MOST, exact_p, tied
from analytics_app.stats.comparison.superiority import superiority
from analytics_app.stats.resampling.bootstrap import check_settings, ratio_samples
from analytics_app.stats.resampling.pair_sums import Pairs, by_cluster, checked_pairs, limits, summed
from analytics_app.stats.resampling.permutation import sign_flip_p
from analytics_app.stats.values import Codes, Estimate, Floats, checked_codes, checked_values, compressed, joined, rated

__all__ = ["Paired", "item_means", "paired", "superiority"]

# Most differences of pairs at a time; each array of them takes 4 MiB.
_CELLS = 2**19

NOT_RANKED = Estimate(None, note="Wilcoxon's test was not asked for.")


@dataclass(frozen=True, slots=True)
class Paired:
    """System a against system b.

    Parameters
    ----------
    a, b : int
        System codes.
    difference : Estimate
        Mean over the shared items of a minus b.
    permutation_p : float or None
        Two-sided p value of the sign-flip test.
    wilcoxon : Estimate
        `value` is the signed-rank statistic (the smaller rank sum), `p` two-sided, `n_items` the differences that are
        not zero. Without a value if it was not asked for.
    effect_size : float or None
        dz: mean over standard deviation (ddof 1) of the item differences; None where they do not vary.
    n_items : int
        Items on which both were rated.
    n_units : int
        Units that are flipped: these items, or their documents.
    n_differing : int
        Units whose difference is not zero: only these enter a test, so p is at least 2^(1 - n_differing).
    """

    a: int
    b: int
    difference: Estimate
    permutation_p: float | None
    wilcoxon: Estimate
    effect_size: float | None
    n_items: int
    n_units: int
    n_differing: int


def item_means(values: ArrayLike, systems: ArrayLike, items: ArrayLike, n_systems: int) -> tuple[Floats, Codes]:
    """Return the mean rating of each system on each item.

    Parameters
    ----------
    values : array_like of float, shape (n,)
        NaN = not rated.
    systems : array_like of int, shape (n,)
        Codes 0 to n_systems - 1.
    items : array_like of int, shape (n,)
        Codes from 0.
    n_systems : int

    Returns
    -------
    matrix : ndarray of float, shape (n_items, n_systems)
        NaN where a system was not rated on an item.
    item_codes : ndarray of int, shape (n_items,)
        Codes of the items that have ratings, sorted.

    Examples
    --------
    >>> item_means([1, 2, 5], [0, 0, 1], [4, 4, 7], 2)
    (array([[1.5, nan],
           [nan, 5. ]]), array([4, 7]))
    """
    all_values = checked_values(values)
    checked_codes(systems, all_values.size, below=n_systems)
    numbers, (system, item) = rated(all_values, systems, items)
    item_codes, places = compressed(item)
    sums, counts = summed(places * n_systems + system, numbers, (item_codes.size, n_systems))
    return np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0), item_codes


def paired(
    matrix: ArrayLike,
    pairs: Pairs,
    *,
    clusters: ArrayLike | None = None,
    n_resamples: int,
    n_permutations: int = 9999,
    confidence: float,
    rng: np.random.Generator,
    ranks: bool = True,
) -> list[Paired]:
    """Compare systems on their item means: bootstrap interval [1]_, sign-flip permutation test [2]_, Wilcoxon [3]_.

    The null hypothesis of the permutation test is that on every item the two systems are exchangeable. Where items
    were shown as whole documents, documents are resampled and flipped, and their means enter Wilcoxon's test. All
    pairs share resamples and flips. Differences that are equal to 12 digits are ties.

    Parameters
    ----------
    matrix : array_like of float, shape (n_items, n_systems)
        Mean rating of a system on an item, NaN where there is none (see `item_means`).
    pairs : sequence of (int, int)
        Columns a and b of each comparison.
    clusters : array_like of int, shape (n_items,), optional
        Codes from 0 of the documents of the items; by default each item is its own document.
    n_resamples : int
        Bootstrap samples; 0 gives no intervals.
    n_permutations : int
        Random sign flips. If there are no more flips than this in all, they are enumerated. 0 gives no p values.
    confidence : float
    rng : numpy.random.Generator
    ranks : bool
        Whether to compute Wilcoxon's test.

    Returns
    -------
    list of Paired
        In the order of `pairs`. With fewer than 2 shared items everything is undefined; where all differences are
        zero, p is 1.

    Raises
    ------
    ValueError
        Wrong shapes, a pair that does not name two columns, or wrong settings.

    Notes
    -----
    p of the permutation test is (b + 1) / (B + 1) with b of B random flips at least as far from zero as the observed
    sum [4]_, and the exact share where flips are enumerated. Wilcoxon's test is scipy's with `zero_method="wilcox"`
    (zero differences are dropped) and `method="auto"`; with ties and at most 13 items all signs are enumerated.

    References
    ----------
    .. [1] P. Koehn (2004). Statistical significance tests for machine translation evaluation. EMNLP, 388-395.
    .. [2] R. A. Fisher (1935). The Design of Experiments, section 21. Oliver and Boyd.
    .. [3] F. Wilcoxon (1945). Individual comparisons by ranking methods. Biometrics Bulletin 1(6), 80-83.
    .. [4] B. Phipson and G. K. Smyth (2010). Permutation p-values should never be zero. SAGMB 9(1), 39.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> (one,) = paired([[3, 1], [4, 3], [5, 2]], [(0, 1)], n_resamples=0, confidence=0.95, rng=rng)
    >>> one.difference.value, one.permutation_p, one.wilcoxon.value, one.effect_size
    (2.0, 0.25, 0.0, 2.0)
    """
    table = np.asarray(matrix, dtype=np.float64)
    if table.ndim != 2:
        raise ValueError(f"The matrix has two dimensions, not {table.ndim}.")
    columns = checked_pairs(pairs, table.shape[1])
    check_settings(n_resamples, confidence)
    if n_permutations < 0:
        raise ValueError(f"The number of permutations is 0 or more, not {n_permutations}.")
    documents = np.arange(len(table)) if clusters is None else checked_codes(clusters, len(table))
    document_codes, places = compressed(documents)
    sizes = np.abs(checked_values(table.ravel()))
    scale = float(np.max(sizes, initial=0, where=~np.isnan(sizes))) or 1.0

    results: list[Paired] = []
    # Some pairs at a time, each time with the same draws: all pairs of many labels would take hundreds of megabytes.
    step, state = max(1, _CELLS // max(len(table), 1)), rng.bit_generator.state
    for begin in range(0, len(columns), step):
        some = columns[begin : begin + step]
        rng.bit_generator.state = state
        differences = table[:, some[:, 0]] - table[:, some[:, 1]]
        sums, counts = by_cluster(differences, places, document_codes.size)
        # Resamples are drawn first, so that they do not depend on the number of permutations.
        samples = ratio_samples(sums, counts, n_resamples, rng) if n_resamples and document_codes.size else None
        p_values = sign_flip_p(_settled(sums, scale), n_permutations, rng) if n_permutations else [None] * len(some)
        results += [
            _compared(
                (a, b),
                differences[:, k],
                (sums[:, k], counts[:, k]),
                scale,
                p_values[k],
                None if samples is None else samples[:, k],
                confidence,
                ranks=ranks,
            )
            for k, (a, b) in enumerate(some.tolist())
        ]
    return results


def _compared(
    pair: tuple[int, int],
    differences: Floats,
    clustered: tuple[Floats, Floats],
    scale: float,
    permutation_p: float | None,
    samples: Floats | None,
    confidence: float,
    *,
    ranks: bool,
) -> Paired:
    shared = differences[~np.isnan(differences)]
    settled = _settled(shared, scale)
    sums, counts = clustered
    # Mean differences by document, or differences by item where each item is its own document.
    units = _settled(sums[counts > 0] / counts[counts > 0], scale)
    return Paired(
        *pair,
        difference=_difference(shared, settled, units.size, samples, confidence),
        permutation_p=permutation_p if units.size > 1 else None,
        wilcoxon=_wilcoxon(units) if ranks else NOT_RANKED,
        effect_size=_effect_size(shared, settled),
        n_items=shared.size,
        n_units=units.size,
        n_differing=int(np.count_nonzero(units)),
    )


def _difference(
    shared: Floats, settled: Floats, n_clusters: int, samples: Floats | None, confidence: float
) -> Estimate:
    if shared.size < 2:
        note = "A comparison takes at least two items with ratings of both systems."
        return Estimate(None, n_items=shared.size, note=note)
    interval = limits(samples, n_clusters, confidence)
    zero = None if settled.any() else "All differences are zero."
    return Estimate(
        float(shared.mean()),
        low=interval.low,
        high=interval.high,
        se=interval.se,
        n_items=shared.size,
        note=joined(zero, interval.note),
    )


def _wilcoxon(units: Floats) -> Estimate:
    """Return Wilcoxon's signed-rank test of rounded differences."""
    if units.size < 2:
        note = "The test takes at least two items, or documents, with ratings of both systems."
        return Estimate(None, n_items=units.size, note=note)
    moving = int(np.count_nonzero(units))
    if not moving:
        return Estimate(0.0, p=1.0, n_items=0, note="All differences are zero.")
    # Lazy import: scipy.stats takes a second to load, and web processes never run tests.
    from scipy.stats import wilcoxon  # noqa: PLC0415

    if units.size <= MOST and tied(units):
        # scipy would enumerate the signs one by one; `exact_p` is faster, so scipy only computes the statistic.
        result = wilcoxon(units, zero_method="wilcox", method="asymptotic")
        return Estimate(result.statistic, p=exact_p(units), n_items=moving)
    result = wilcoxon(units, zero_method="wilcox", method="auto")
    return Estimate(result.statistic, p=result.pvalue, n_items=moving)


def _effect_size(shared: Floats, settled: Floats) -> float | None:
    if shared.size < 2 or settled.min() == settled.max():
        return None
    return float(shared.mean() / shared.std(ddof=1))


def _settled(differences: Floats, scale: float) -> Floats:
    """Return differences rounded to 12 digits of the largest rating, so that rounding errors do not affect ranks."""
    rounded: Floats = np.round(differences / scale, 12)
    return rounded
