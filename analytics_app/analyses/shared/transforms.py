"""Reduced scales: steps merged, or compared with the source, before anything is computed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from analytics_app.analyses.base import Sample, in_words
from analytics_app.analyses.shared.filtered import FilteredAnalysis
from analytics_app.ratings import Floats
from analytics_app.ratings.extras.kinds import Kinds
from analytics_app.results import Row
from analytics_app.stats.scales.standardise import judge_wise_z
from tasks_app.settings.fields import LineField, YesNoField
from tasks_app.settings.study import Block

# The longest written reduction: the name of its slice also needs room for other slices.
LONGEST = 300

# The word for a comparison instead of groups: 1 for a text that is at least as good as its source, else 0.
SOURCE = "source"
AS_GOOD = "reduced=at least as good as its source"


class Reducible(FilteredAnalysis):
    """An analysis that may also be computed on a reduced scale; it needs `Kinds`."""

    reduce = LineField(
        required=False,
        initial="",
        max_length=LONGEST,
        label=_("On a reduced scale"),
        help_text=_(
            "Steps that count as one, groups divided by |: “0 | 1 2 | 3 4 | 5 6 | 7” makes 0 to 4 of 0 to 7. “1 2 = 5” "
            "gives a group a value of its own. The word source makes 1 of ratings at least as high as the same rater "
            "gave the source, 0 of the others. Without it, the scale as it is."
        ),
    )

    class Settings(Block):
        def clean_reduce(self) -> str:
            """Refuse a text that is no list of groups."""
            groups: str = self.cleaned_data["reduce"].strip()
            try:
                return Reduction.of(groups).text if groups not in {"", SOURCE} else groups
            except ValueError as problem:
                raise ValidationError(str(problem)) from problem

    def on_its_scale(self, sample: Sample) -> tuple[Sample, str | None]:
        """Return the sample on the scale of the settings, and a note on ratings that this left out."""
        if not self.reduce:
            return sample, None
        return against_source(sample) if self.reduce == SOURCE else Reduction.of(self.reduce).apply(sample)


class Overall(FilteredAnalysis):
    """An analysis that can also take all criteria of a task together."""

    overall = YesNoField(
        label=_("Also over all criteria together"),
        help_text=_("Mixes differences between texts with differences between criteria: only to compare with papers."),
    )

    def wants_all_criteria(self) -> bool:
        """Return whether the settings ask for all criteria of a task together."""
        return self.overall


@dataclass(frozen=True, slots=True)
class Reduction:
    """The new value of each step; `text` is the written form, with single spaces."""

    steps: tuple[float, ...]
    values: tuple[float, ...]
    text: str

    @classmethod
    def of(cls, text: str) -> Reduction:
        """Read groups of steps, such as "0 | 1 2 | 3 4 = 5"; groups without a value are numbered from 0.

        Raises
        ------
        ValueError
            A step is no number or stands twice, a group is empty, or there is one group only.
        """
        steps: list[float] = []
        values: list[float] = []
        parts = []
        for number, group in enumerate(text.split("|")):
            words, _equals, value = group.partition("=")
            group_steps = [_number(word) for word in words.replace(",", " ").split()]
            if not group_steps:
                raise ValueError(_now("A group of steps is empty: write “0 | 1 2 | 3”."))
            steps += group_steps
            values += [_number(value) if value.strip() else float(number)] * len(group_steps)
            parts.append(
                " ".join(f"{step:g}" for step in group_steps) + (f" = {_number(value):g}" if value.strip() else "")
            )
        if len(set(steps)) < len(steps):
            raise ValueError(_now("A step stands in two groups."))
        if len(set(values)) < 2:
            raise ValueError(_now("All steps would become one: write at least two groups, divided by |."))
        return cls(tuple(steps), tuple(values), " | ".join(parts))

    def apply(self, sample: Sample) -> tuple[Sample, str | None]:
        """Return the sample on the reduced scale, where a step that is in no group counts as not rated, and a note."""
        order = np.argsort(self.steps)
        steps, values = np.array(self.steps)[order], np.array(self.values)[order]
        ratings = sample.table.value
        place = np.minimum(np.searchsorted(steps, ratings), len(steps) - 1)
        known = steps[place] == ratings
        lost = int((~known & ~np.isnan(ratings)).sum())
        note = f"{in_words(lost, 'rating has', 'ratings have')} a step that is in no group and left out."
        domain = tuple(sorted(set(self.values)))
        changed = _on(sample, np.where(known, values[place], np.nan), domain, f"reduced={self.text}")
        return changed, note if lost else None


def _on(sample: Sample, values: Floats, domain: tuple[float, ...], name: str) -> Sample:
    """Return the sample with other values, their z, and a slice with the name of the reduction."""
    table = sample.table
    judge = table.rater.astype(np.int64) * (len(table.names.criteria) + 1) + table.criterion + 1
    return replace(
        sample,
        table=replace(table, value=values),
        z=judge_wise_z(values, judge, **sample.common.of_z).z,
        question=replace(sample.question, domain=domain, limits=(domain[0], domain[-1])),
        slice=name if sample.slice is None else f"{sample.slice}; {name}",
    )


def against_source(sample: Sample) -> tuple[Sample, str | None]:
    """Return the sample with 1 for ratings at least as high as the same rater gave the item's source, else 0.

    A source, and a text without a source, count as not rated; a text that is its own source is as good as it.
    """
    table, n_items, n_criteria = sample.table, len(sample.table.names.items), len(sample.table.names.criteria) + 1
    row, system, item = table.by_system()
    is_source = np.isin(system, sorted(sample.extras[Kinds].sources()))
    about = (table.rater[row].astype(np.int64) * n_items + item) * n_criteria + table.criterion[row] + 1
    ratings = table.value[row]
    rated = is_source & ~np.isnan(ratings)
    source_keys, place = np.unique(about[rated], return_inverse=True)
    means = np.bincount(place, weights=ratings[rated]) / np.bincount(place) if len(source_keys) else np.empty(0)
    values = np.full(len(table), np.nan)
    other = ~is_source & ~np.isnan(ratings)
    known = other & np.isin(about, source_keys)
    if len(source_keys):
        values[row[known]] = ratings[known] >= means[np.searchsorted(source_keys, about[known])]
    lost = int((other & ~known).sum())
    note = f"{in_words(lost, 'rating is', 'ratings are')} of a text whose source the same rater did not rate: left out."
    return _on(sample, values, (0.0, 1.0), AS_GOOD), note if lost else None


def _number(word: str) -> float:
    try:
        number = float(word)
    except ValueError as problem:
        raise ValueError(_now("“%(word)s” is no step of a scale: write numbers.") % {"word": word.strip()}) from problem
    if not np.isfinite(number):
        raise ValueError(_now("“%(word)s” is no step of a scale: write numbers.") % {"word": word.strip()})
    return number + 0.0


def noted(rows: Iterable[Row], note: str | None) -> Iterator[Row]:
    """Yield the rows, with a further note on the first."""
    for number, row in enumerate(rows):
        yield replace(row, note=" ".join(filter(None, (row.note, note)))) if note and not number else row
