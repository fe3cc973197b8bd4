"""Values in groups: numbers between limits, or in groups of about equal size."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray


def as_numbers(values: Sequence[float | str | None]) -> NDArray[np.float64] | None:
    """Return the values as numbers, NaN for no value; None if a value is a word, or if there are no values."""
    numbers = np.full(len(values), np.nan)
    for place, value in enumerate(values):
        if value is None:
            continue
        try:
            numbers[place] = float(value)
        except ValueError:
            return None
        if not np.isfinite(numbers[place]):
            return None
    return numbers


def between_limits(
    numbers: NDArray[np.float64], counts: NDArray[np.bool_], n_groups: int, limits: Sequence[float] | None = None
) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """Return the group of each number, -1 for none, and the names of the groups, from the numbers that count.

    Without limits, up to `n_groups` different numbers are groups of their own; more are cut by quantiles. At least one
    number counts.
    """
    known = np.unique(numbers[counts & ~np.isnan(numbers)])
    if limits is None and len(known) <= n_groups:
        group = np.where(np.isin(numbers, known), np.searchsorted(known, numbers), -1)
        return group.astype(np.int64), tuple(f"{value:g}" for value in known)
    cuts = np.array(limits or _quantiles(numbers[counts & ~np.isnan(numbers)], n_groups))
    texts = [f"{limit:.6g}" for limit in cuts.tolist()]
    between = [f"over {low} to {high}" for low, high in pairwise(texts)]
    group = np.where(np.isnan(numbers), -1, np.searchsorted(cuts, numbers, side="left"))
    return group.astype(np.int64), (f"up to {texts[0]}", *between, f"over {texts[-1]}")


def _quantiles(numbers: NDArray[np.float64], n_groups: int) -> list[float]:
    """Return limits that cut values into groups of about equal size; the highest value is never a limit."""
    steps = np.arange(1, n_groups) / n_groups
    limits = np.unique(np.quantile(numbers, steps, method="inverted_cdf"))
    below = limits[limits < numbers.max()]
    # If nearly all values are the highest value, it is a group of its own.
    return [float(limit) for limit in below] or [float(np.max(numbers[numbers < numbers.max()]))]
