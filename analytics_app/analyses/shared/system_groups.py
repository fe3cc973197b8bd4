"""Ratings by an attribute of their systems, such as system_kind, or system_size (10, 50) with limits between groups."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

import numpy as np

from analytics_app.analyses.base import Sample
from analytics_app.analyses.shared.rater_groups import grouped, read_slice
from analytics_app.ratings import Mask, Table
from analytics_app.ratings.extras.system_attributes import OF_SYSTEM, SystemAttributes


@dataclass(frozen=True, slots=True)
class SystemSlice:
    """An attribute of systems, and perhaps the limits between groups of its numbers."""

    attribute: str
    limits: tuple[float, ...] | None = None

    @classmethod
    def read(cls, text: str) -> SystemSlice | None:
        """Read a slice; None for another name. Raises ValidationError for limits that do not rise."""
        found = read_slice(text, OF_SYSTEM)
        return None if found is None else cls(*found)

    def parts(self, sample: Sample) -> Iterator[tuple[str, frozenset[int]]]:
        """Yield the name and the codes of the systems of each group; nothing where no system has a value."""
        words = sample.extras[SystemAttributes].words.get(self.attribute)
        if words is None or not len(sample.table):
            return
        code, names = grouped(words.tolist(), self.limits)
        for place, name in enumerate(names):
            systems = frozenset(np.flatnonzero(code == place).tolist())
            if systems:
                yield f"{self.attribute}={name}", systems


def only_systems(sample: Sample, systems: Collection[int], label: str) -> Sample:
    """Return the ratings of texts of these systems; a text shared with another system counts for these alone.

    An answer about two texts stays where both are theirs.
    """
    others = frozenset(range(len(sample.table.names.systems))) - frozenset(systems)
    stays = _of_systems(sample.table, systems)
    second = sample.table.part_b >= 0
    if second.any():
        stays &= ~second | _of_systems(replace(sample.table, part=sample.table.part_b), systems)
    return sample.part(stays, slice=label, without=sample.without | others)


def _of_systems(table: Table, systems: Collection[int]) -> Mask:
    row, system, _item = table.by_system()
    mask = np.zeros(len(table), dtype=bool)
    mask[row[np.isin(system, sorted(systems))]] = True
    return mask
