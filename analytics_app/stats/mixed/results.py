"""Results of comparisons in which raters and items are both random."""

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analytics_app.stats.resampling.bootstrap import check_settings
from analytics_app.stats.resampling.pair_sums import Pairs, checked_pairs
from analytics_app.stats.values import Codes, Estimate, Floats, checked_codes, checked_values, joined, rated

NOTHING = "Nothing was rated."

MIXED_MODEL = "mixed model"
ROBUST = "two-way robust"

# The terms of the model, in the order in which they are shown. "cluster" and "cluster_system" are there where items
# belong to documents.
TERMS = ("item", "system_item", "rater", "rater_system", "cluster", "cluster_system", "residual")


@dataclass(frozen=True, slots=True)
class CrossedPair:
    """System a against system b, for further raters and further items.

    Parameters
    ----------
    a, b : int
        System codes.
    difference : Estimate
        Mean of a minus mean of b, with interval, `se`, `df` and two-sided `p`; `n_items` and `n_raters` count those
        who have ratings of both systems. For preferences `value` is the share of wins of a over b, and p tests .5.
    effect_size : float or None
        Difference over the standard deviation of a single rating (the root of the sum of all variances of the model).
        None for the robust method and where nothing varies.
    """

    a: int
    b: int
    difference: Estimate
    effect_size: float | None = None


@dataclass(frozen=True, slots=True)
class CrossedComparison:
    """All systems and pairs of a comparison.

    Parameters
    ----------
    method : str
        "mixed model" or "two-way robust".
    means : tuple of Estimate
        Mean of each system, by code; for the mixed model the marginal mean (every item and rater counts alike).
    pairs : tuple of CrossedPair
        In the order asked for.
    sd : dict of str to Estimate
        Standard deviation of each term of `TERMS` that the model has, in units of the scale. Empty for the robust
        method.
    left_out : dict of str to str
        Terms that the design cannot tell apart from others, each with a sentence that says why.
    zero : tuple of str
        Terms of the model whose variance is estimated as 0.
    df_rule : str
        Sentence that says how the degrees of freedom were found.
    note : str or None
        Why the robust method took the place of the model, and other remarks on the whole comparison.
    """

    method: str
    means: tuple[Estimate, ...]
    pairs: tuple[CrossedPair, ...]
    sd: dict[str, Estimate] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    zero: tuple[str, ...] = ()
    df_rule: str = ""
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Ratings:
    """The checked arguments of a comparison, without ratings that have no value.

    `cluster` is None where items do not belong to documents; `pairs` has the shape (n_pairs, 2).
    """

    values: Floats
    system: Codes
    item: Codes
    rater: Codes
    cluster: Codes | None
    n_systems: int
    pairs: Codes
    confidence: float


def ratings(
    values: ArrayLike,
    systems: ArrayLike,
    items: ArrayLike,
    raters: ArrayLike,
    n_systems: int,
    pairs: Pairs,
    confidence: float,
    clusters: ArrayLike | None,
) -> Ratings:
    """Check the arguments of a comparison; ValueError where they are wrong."""
    check_settings(0, confidence)
    all_values = checked_values(values)
    checked_codes(systems, all_values.size, below=n_systems)
    numbers, (system, item, rater, *others) = rated(
        all_values, systems, items, raters, *([] if clusters is None else [clusters])
    )
    cluster = others[0] if others else None
    columns = checked_pairs(pairs, n_systems)
    return Ratings(numbers, system, item, rater, cluster, n_systems, columns, float(confidence))


def counts(given: Ratings, *systems: int) -> dict[str, int]:
    """Return the ratings of these systems, and the items and raters that have ratings of each of them."""
    masks = [given.system == system for system in systems]
    shared = {
        name: np.logical_and.reduce([_has(codes, mask) for mask in masks])
        for name, codes in (("n_items", given.item), ("n_raters", given.rater))
    }
    return {"n_ratings": int(sum(map(np.count_nonzero, masks)))} | {
        name: int(np.count_nonzero(present)) for name, present in shared.items()
    }


def _has(codes: Codes, mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    present = np.zeros(int(codes.max(initial=-1)) + 1, dtype=bool)
    present[codes[mask]] = True
    return present


def near_one(given: Ratings) -> tuple[Ratings, int]:
    """Divide values by the power of two above the largest of them; return them, and the power's exponent.

    Fourth powers of the values are computed, which a float does not hold for values of 1e80 or 1e-90. Powers of two
    change no digit.
    """
    largest = float(np.abs(given.values).max(initial=0.0))
    exponent = int(np.frexp(largest)[1])
    return replace(given, values=np.ldexp(given.values, -exponent)), exponent


def in_own_unit(comparison: CrossedComparison, exponent: int) -> CrossedComparison:
    """Return a comparison of values that `near_one` has divided, in the unit of the values that were given."""

    def back(number: float | None) -> float | None:
        return None if number is None else float(np.ldexp(number, exponent))

    def times(estimate: Estimate) -> Estimate:
        return replace(
            estimate, value=back(estimate.value), low=back(estimate.low), high=back(estimate.high), se=back(estimate.se)
        )

    pairs = tuple(replace(pair, difference=times(pair.difference)) for pair in comparison.pairs)
    deviations = {name: times(deviation) for name, deviation in comparison.sd.items()}
    return replace(comparison, means=tuple(map(times, comparison.means)), pairs=pairs, sd=deviations)


def estimate(
    value: float,
    se: float,
    df: float,
    confidence: float,
    numbers: dict[str, int],
    *,
    tested: float | None,
    note: str | None = None,
) -> Estimate:
    """Return a value with its t interval, and with the p of the hypothesis that it is `tested`, if that is not None."""
    from scipy.special import stdtr, stdtrit  # noqa: PLC0415  lazy import: web processes never need it

    if not se > 0:
        lacking = "The standard error is 0, so there is no interval."
        return Estimate(value, p=1.0 if value == tested else None, note=joined(lacking, note), **numbers)
    reach = float(stdtrit(df, (1 + confidence) / 2)) * se
    p = None if tested is None else min(1.0, float(2 * stdtr(df, -abs(value - tested) / se)))
    return Estimate(value, low=value - reach, high=value + reach, se=se, df=df, p=p, note=note, **numbers)
