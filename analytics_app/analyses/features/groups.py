"""Outputs grouped by the value of a feature: each word is a group, numbers are in groups between limits."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analytics_app.analyses.base import Sample
from analytics_app.analyses.features.rules import Feature, computed
from analytics_app.analyses.shared.value_groups import as_numbers, between_limits
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
    numbers = as_numbers(values)
    if numbers is not None:
        return _between_limits(feature, numbers, counts, n_groups)
    if feature.limits is not None:
        return f"The feature “{feature.name}” has values that are not numbers, so limits mean nothing."
    return _by_word(feature, values, counts)


def _between_limits(
    feature: Feature, numbers: NDArray[np.float64], counts: NDArray[np.bool_], n_groups: int
) -> Grouped | str:
    if not np.any(counts & ~np.isnan(numbers)):
        return f"No output has a value of “{feature.name}”."
    return Grouped(feature, *between_limits(numbers, counts, n_groups, feature.limits))


def _by_word(feature: Feature, values: Sequence[float | str | None], counts: NDArray[np.bool_]) -> Grouped | str:
    words = ["" if value is None else str(value)[:LONGEST_VALUE] for value in values]
    known = sorted({word for word, n_ratings in zip(words, counts.tolist(), strict=True) if word and n_ratings})
    if not known:
        return f"No output has a value of “{feature.name}”."
    if len(known) > MOST_VALUES:
        return f"The feature “{feature.name}” has {len(known)} values; at most {MOST_VALUES} can be compared."
    code = {word: place for place, word in enumerate(known)}
    return Grouped(feature, np.array([code.get(word, -1) for word in words], dtype=np.int64), tuple(known))
