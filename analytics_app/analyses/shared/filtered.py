"""Analyses with settings that choose the part of the ratings that they use."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from django.utils.translation import gettext_lazy as _

from analytics_app.analyses.base import Analysis, Sample
from analytics_app.analyses.shared import conditions
from analytics_app.ratings import Mask, Table
from tasks_app.settings.fields import LineField, naming
from tasks_app.settings.study import Block
from tasks_app.studyfile.fields import ListField


class FilteredAnalysis(Analysis):
    """An analysis of the ratings that its settings choose, as most are: without some systems, and slice by slice."""

    slices = naming(
        ListField(
            label=_("Also for each value of"),
            help_text=_(
                "Features of items, such as domain for feature_domain: rows for each of their values are added."
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
                "A condition on a feature of items: bicleaner>=0.7, domain=news; also <=, >, < and !=. Leave empty to "
                "include all items."
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

    def parts(self, sample: Sample) -> Iterator[Sample]:
        """Yield the sample without the systems left out, then the slice of each value of each named feature."""
        base = leave_out(sample, self.without_systems)
        if self.where:
            condition = conditions.Condition.read(self.where)
            description = "; ".join(filter(None, (str(condition), base.slice)))
            base = base.part(condition.holds(base.table), slice=description)
        yield base
        names = base.table.names
        for feature in self.slices:
            of_items = names.features.get(feature)
            if of_items is None:
                continue
            item = names.item_of_unit[base.table.unit]
            values = np.where(item >= 0, of_items[item], "")
            for value in sorted({str(text) for text in of_items} - {""}):
                label = f"{feature}={value}"
                yield base.part(values == value, slice=label if base.slice is None else f"{label}; {base.slice}")


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
