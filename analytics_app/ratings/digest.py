"""Digests of ratings and settings: equal digests give equal results, to the last digit.

Raters, units and judgments are included by their ids, not by their codes, which shift if other parts of a study grow.
So the ratings of a criterion keep their digest if no new judgment is about it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from django.utils.functional import Promise
from numpy.typing import NDArray

from analytics_app.ratings.extras import Extras
from analytics_app.ratings.table import Table

# Columns of judgments that do not hold codes.
OF_JUDGMENTS = ("id", "order", "seconds", "at", "wave", "group", "simulated")


class Digest:
    """The hash of everything that is added, in order."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()

    def add(self, *things: object) -> Digest:
        """Add arrays, numbers, texts, and collections or dataclasses of them.

        Raises
        ------
        TypeError
            For a value of another type, whose equality would be unknown.
        """
        for thing in things:
            self._add(thing)
        return self

    def _add(self, thing: object) -> None:
        if isinstance(thing, np.ndarray):
            self._array(thing)
        elif is_dataclass(thing) and not isinstance(thing, type):
            self._mark(type(thing).__name__)
            self.add(*(getattr(thing, field.name) for field in fields(thing)))
        elif isinstance(thing, Mapping):
            self._mark(f"mapping {len(thing)}")
            for key in sorted(thing, key=str):
                self.add(str(key), thing[key])
        elif isinstance(thing, set | frozenset):
            self.add(sorted(thing, key=str))
        elif isinstance(thing, list | tuple):
            self._mark(f"list {len(thing)}")
            self.add(*thing)
        elif thing is None or isinstance(thing, str | bool | int | float):
            self._mark(f"{type(thing).__name__} {thing!r}")
        elif isinstance(thing, Promise) or hasattr(thing, "isoformat"):
            self._mark(str(thing))  # a text that waits for its language, or a day
        else:
            raise TypeError(f"{type(thing).__name__} cannot be part of a digest.")

    def _array(self, thing: NDArray[Any]) -> None:
        if thing.dtype == object:
            self.add(thing.tolist())
            return
        self._mark(f"array {thing.dtype.str} {thing.shape}")
        self._hash.update(np.ascontiguousarray(thing).tobytes())

    def _mark(self, text: str) -> None:
        raw = text.encode()
        self._hash.update(f"{len(raw)}:".encode())
        self._hash.update(raw)

    @property
    def hex(self) -> str:
        """Return the SHA-256 of everything that was added."""
        return self._hash.hexdigest()


def of_table(table: Table) -> Iterable[object]:
    """Yield the columns of a table of ratings, with ids in place of codes that shift."""
    names, judgments = table.names, table.judgments
    yield from (getattr(judgments, column) for column in OF_JUDGMENTS)
    yield ids(names.rater_ids, judgments.rater)
    # Rows name raters, and the order of two raters depends on their names, which change if a rater is erased.
    yield tuple(names.raters[code] for code in np.unique(judgments.rater).tolist())
    yield ids(names.unit_ids, judgments.unit)
    yield from (table.id, ids(judgments.id, table.judgment), ids(names.rater_ids, table.rater))
    yield from (ids(names.unit_ids, table.unit), ids(names.part_ids, table.part), ids(names.part_ids, table.part_b))
    yield from (table.criterion, table.number, table.value, table.shown, table.label)
    yield from (names.criteria, names.labels, names.systems, names.items, names.documents, names.groups)
    yield from (names.units, names.unit_of_part, names.item_of_unit, names.document_of_item, names.features)
    yield from (names.shown_part, names.shown_system, names.shown_item)


def of_extras(extras: Extras, table: Table) -> Iterable[object]:
    """Yield further data on the ratings of a table; columns named `rater` hold codes.

    Raises
    ------
    TypeError
        For data that are no dataclass.
    """
    for kind, material in extras:
        yield kind.__name__
        of_kind: Any = material
        for column in fields(of_kind):
            value = getattr(material, column.name)
            yield column.name
            is_codes = column.name == "rater" and isinstance(value, np.ndarray)
            yield ids(table.names.rater_ids, value) if is_codes else value


def ids(known: NDArray[np.int64], codes: NDArray[Any]) -> NDArray[np.int64]:
    """Return the ids of codes, 0 for no code."""
    if not len(known):
        return np.zeros(len(codes), dtype=np.int64)
    return np.where(codes >= 0, known[codes], 0)
