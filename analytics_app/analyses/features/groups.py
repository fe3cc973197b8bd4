"""Outputs grouped by the value of a feature: each word is a group, numbers are in groups between limits."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from analytics_app.analyses.base import Sample
from analytics_app.analyses.features.rules import Feature, computed
from analytics_app.ratings.extras.due_units import Wanted
from analytics_app.ratings.extras.shown_texts import ShownTexts

# A feature with more different words than this names single outputs rather than groups.
MOST_VALUES = 12
LONGEST_VALUE = 60


@dataclass(frozen=True, slots=True)
class Grouped:
    """The group of each shown output: a code into `values`, -1 without a value; aligned with `names.shown_part`."""

    feature: Feature
    group: NDArray[np.int64]
    values: tuple[str, ...]


def grouped(sample: Sample, feature: Feature, n_groups: int) -> Grouped | str:
    """Group the shown outputs of a sample by a feature, or return a sentence that explains why that is impossible.

    Limits come from all outputs to be judged except those of systems left out, so that a slice has the same groups as
    the whole sample. Outputs of units with known answers are in no group.
    """
    names = sample.table.names
    if feature.rule:
        texts = sample.extras[ShownTexts]
        (of_part,) = sample.extras.derived((computed, feature), lambda: computed([feature], texts.text, texts.source))
        if isinstance(of_part, str):
            return of_part
        # A rule counts words, which pictures, sounds and films have none of.
        values = [None if part in texts.files else of_part[part] for part in names.shown_part.tolist()]
    elif feature.name in names.features:
        of_item = names.features[feature.name]
        values = [str(of_item[item]) or None for item in names.shown_item.tolist()]
    else:
        return unknown(feature, names.features)
    judged = np.union1d(sample.extras[Wanted].unit, sample.table.judgments.unit)
    is_judged = np.isin(names.unit_of_part[names.shown_part], judged)
    values = [value if mine else None for value, mine in zip(values, is_judged.tolist(), strict=True)]
    return group_values(feature, values, ~np.isin(names.shown_system, sorted(sample.without)), n_groups)


def unknown(feature: Feature, known: Iterable[str]) -> str:
    """Return the sentence that the items have no such feature."""
    return f"The items have no feature “{feature.name}”. Their features: {', '.join(sorted(known)) or 'none'}."


def group_values(
    feature: Feature, values: Sequence[float | str | None], counts: NDArray[np.bool_], n_groups: int
) -> Grouped | str:
    """Group the values of outputs (None for no value), or return a sentence that explains why that is impossible.

    Limits and groups come from the outputs that count.
    """
    numbers = _numbers(values)
    if numbers is not None:
        return _between_limits(feature, numbers, counts, n_groups)
    if feature.limits is not None:
        return f"The feature “{feature.name}” has values that are not numbers, so limits mean nothing."
    return _by_word(feature, values, counts)


def _numbers(values: Sequence[float | str | None]) -> NDArray[np.float64] | None:
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


def _between_limits(
    feature: Feature, numbers: NDArray[np.float64], counts: NDArray[np.bool_], n_groups: int
) -> Grouped | str:
    known = np.unique(numbers[counts & ~np.isnan(numbers)])
    if not len(known):
        return f"No output has a value of “{feature.name}”."
    if feature.limits is None and len(known) <= n_groups:
        group = np.where(np.isin(numbers, known), np.searchsorted(known, numbers), -1)
        return Grouped(feature, group.astype(np.int64), tuple(f"{value:g}" for value in known))
    limits = np.array(feature.limits or _quantiles(numbers[counts & ~np.isnan(numbers)], n_groups))
    limit_texts = [f"{limit:.6g}" for limit in limits.tolist()]
    between = [f"over {low} to {high}" for low, high in pairwise(limit_texts)]
    group = np.where(np.isnan(numbers), -1, np.searchsorted(limits, numbers, side="left"))
    return Grouped(feature, group.astype(np.int64), (f"up to {limit_texts[0]}", *between, f"over {limit_texts[-1]}"))


def _quantiles(numbers: NDArray[np.float64], n_groups: int) -> list[float]:
    """Return limits that cut values into groups of about equal size; the highest value is never a limit."""
    steps = np.arange(1, n_groups) / n_groups
    limits = np.unique(np.quantile(numbers, steps, method="inverted_cdf"))
    below = limits[limits < numbers.max()]
    # If nearly all values are the highest value, it is a group of its own.
    return [float(limit) for limit in below] or [float(np.max(numbers[numbers < numbers.max()]))]


def _by_word(feature: Feature, values: Sequence[float | str | None], counts: NDArray[np.bool_]) -> Grouped | str:
    words = ["" if value is None else str(value)[:LONGEST_VALUE] for value in values]
    known = sorted({word for word, mine in zip(words, counts.tolist(), strict=True) if word and mine})
    if not known:
        return f"No output has a value of “{feature.name}”."
    if len(known) > MOST_VALUES:
        return f"The feature “{feature.name}” has {len(known)} values; at most {MOST_VALUES} can be compared."
    code = {word: place for place, word in enumerate(known)}
    return Grouped(feature, np.array([code.get(word, -1) for word in words], dtype=np.int64), tuple(known))
