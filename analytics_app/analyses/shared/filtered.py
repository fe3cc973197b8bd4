"""Analyses with settings that choose the part of the ratings that they use."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from django.utils.translation import gettext_lazy as _

from analytics_app.analyses.base import Analysis, Sample
from analytics_app.analyses.shared import conditions
from analytics_app.analyses.shared.rater_groups import RaterSlice
from analytics_app.analyses.shared.system_groups import SystemSlice, only_systems
from analytics_app.ratings import Extra, Mask, Table
from analytics_app.ratings.extras.rater_attributes import ATTRIBUTE, RaterAttributes
from analytics_app.ratings.extras.system_attributes import OF_SYSTEM, SystemAttributes
from tasks_app.settings.fields import LineField, naming
from tasks_app.settings.study import Block
from tasks_app.studyfile.fields import ListField


class FilteredAnalysis(Analysis):
    """An analysis of the ratings that its settings choose, as most are: without some systems, and slice by slice."""

    slices = naming(
        ListField(
            label=_("Also for each value of"),
            help_text=_(
                "Features of items, such as domain for feature_domain, their document (write document), answers of "
                "raters about themselves, such as rater_age or rater_age (30, 50), or attributes of systems, such as "
                "system_size: rows for each of their values are added."
            ),
        ),
        "features",
    )
    without_systems = naming(
        ListField(
            label=_("Leave out these systems"),
            help_text=_("Such as the human reference. Leave empty to include all systems."),
        ),
        "systems",
    )
    where = naming(
        LineField(
            required=False,
            initial="",
            max_length=80,
            validators=[conditions.check],
            label=_("Condition on items"),
            help_text=_(
                "A condition on a feature of items: bicleaner>=0.7, domain=news; also <=, >, < and !=; or on an answer "
                "of raters about themselves: rater_expertise=high; or on an attribute of systems: system_kind=human. "
                "Leave empty to include all ratings."
            ),
        ),
        "conditions",
    )

    class Settings(Block):
        """The part of the ratings that the analysis uses."""

        def clean_where(self) -> str:
            """Return the condition in its normal spelling, by which its rows are looked up."""
            condition: str = self.cleaned_data["where"]
            return str(conditions.Condition.read(condition)) if condition else condition

        def clean_slices(self) -> list[str]:
            """Refuse limits between groups of raters or systems that do not rise."""
            slices: list[str] = self.cleaned_data["slices"]
            for text in slices:
                RaterSlice.read(text)
                SystemSlice.read(text)
            return slices

    @property
    def named_by_filters(self) -> list[str]:
        """Return the features and attributes that the settings name."""
        named: list[str] = []
        for text in self.slices:
            found = RaterSlice.read(text) or SystemSlice.read(text)
            named.append(text if found is None else found.attribute)
        return [*named, conditions.Condition.read(self.where).feature] if self.where else named

    @property
    def needed_by_filters(self) -> frozenset[type[Extra]]:
        """Return the extras that the choice of ratings needs: attributes of raters or systems where one is named."""
        kinds: dict[str, type[Extra]] = {ATTRIBUTE: RaterAttributes, OF_SYSTEM: SystemAttributes}
        named = self.named_by_filters
        return frozenset(kind for prefix, kind in kinds.items() if any(name.startswith(prefix) for name in named))

    def needed(self) -> frozenset[type[Extra]]:
        """Return the extras of the analysis, and those that the choice of ratings needs."""
        return super().needed() | self.needed_by_filters

    def parts(self, sample: Sample) -> Iterator[Sample]:
        """Yield the sample without the systems left out, then the slice of each value of each feature and attribute."""
        base = leave_out(sample, self.without_systems)
        if self.where:
            base = _meeting(base, conditions.Condition.read(self.where))
        yield base
        for feature in self.slices:
            yield from _slices(base, feature)


def _meeting(base: Sample, condition: conditions.Condition) -> Sample:
    """Return the ratings that meet a condition on a feature of items, or on an attribute of raters or systems."""
    label = _labelled(base, str(condition))
    feature, of_raters = condition.feature, None
    if base.table.names.feature(feature) is None:
        if feature.startswith(OF_SYSTEM):
            words = base.extras[SystemAttributes].words.get(feature)
            systems = () if words is None else np.flatnonzero(condition.met_by(words)).tolist()
            return only_systems(base, systems, label)
        if feature.startswith(ATTRIBUTE):
            of_raters = base.extras[RaterAttributes].words.get(feature)
    return base.part(condition.holds(base.table, of_raters), slice=label)


def _slices(base: Sample, feature: str) -> Iterator[Sample]:
    """Yield the ratings of each value of a feature of items, or of an attribute of raters or systems."""
    names = base.table.names
    of_items = names.feature(feature)
    if of_items is not None:
        item = names.item_of_unit[base.table.unit]
        values = np.where(item >= 0, of_items[item], "")
        for value in sorted({str(text) for text in of_items} - {""}):
            yield base.part(values == value, slice=_labelled(base, f"{feature}={value}"))
    elif (by_rater := RaterSlice.read(feature)) is not None:
        for label, mask in by_rater.parts(base):
            yield base.part(mask, slice=_labelled(base, label))
    elif (by_system := SystemSlice.read(feature)) is not None:
        for label, systems in by_system.parts(base):
            yield only_systems(base, systems, _labelled(base, label))


def _labelled(base: Sample, label: str) -> str:
    return label if base.slice is None else f"{label}; {base.slice}"


def leave_out(sample: Sample, systems: Sequence[str]) -> Sample:
    """Leave out ratings of texts that only these systems produced; a text shared with another system stays.

    An answer about two texts stays where both do.
    """
    names = sample.table.names
    without = frozenset(code for code, key in enumerate(names.systems) if key in set(systems))
    if not without:
        return sample
    stays = _stay(sample.table, without)
    if (sample.table.part_b >= 0).any():
        stays &= _stay(replace(sample.table, part=sample.table.part_b), without)
    label = "; ".join(f"system!={names.systems[code]}" for code in sorted(without))
    return sample.where(stays, slice=label, without=without)


def _stay(table: Table, without: frozenset[int]) -> Mask:
    row, system, _item = table.by_system()
    stays = np.ones(len(table), dtype=bool)
    stays[row] = False
    stays[row[~np.isin(system, sorted(without))]] = True
    return stays
