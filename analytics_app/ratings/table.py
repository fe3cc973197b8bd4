"""The ratings of a task as columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from analytics_app.stats.scales.standardise import judge_wise_z

Floats: TypeAlias = NDArray[np.float64]
Mask: TypeAlias = NDArray[np.bool_]

# The range of keys over their number up to which a lookup table is used; beyond it would waste memory.
SPARSE = 8


# The name by which results are split by documents, as by features of items.
DOCUMENT = "document"


@dataclass(frozen=True, slots=True)
class Judgments:
    """The counted judgments of a task, by code; `id` is ascending.

    `order` is the place in the rater's sequence where the unit was first shown, `seconds` active seconds (NaN unknown),
    `at` the time of submission in seconds since 1970, `group` a code into `groups` or -1.
    """

    id: NDArray[np.int64]
    rater: NDArray[np.int32]
    unit: NDArray[np.int32]
    order: NDArray[np.int32]
    seconds: Floats
    at: Floats
    wave: NDArray[np.int32]
    group: NDArray[np.int32]
    simulated: Mask

    def where(self, codes: NDArray[np.int32]) -> Judgments:
        """Return some judgments, in the order of their codes."""
        return Judgments(**{column.name: getattr(self, column.name)[codes] for column in fields(self)})


@dataclass(frozen=True, slots=True)
class Names:
    """Names and ids behind codes. A part belongs to a unit; an output shown by a part belongs to a system and an item.

    `shown_part`, `shown_system` and `shown_item` list which outputs each part shows, sorted by part: several where
    identical outputs are shown once. `features` holds the items' features, by name, "" where an item has none.
    """

    raters: tuple[str, ...]
    rater_ids: NDArray[np.int64]
    units: tuple[str, ...]
    unit_ids: NDArray[np.int64]
    part_ids: NDArray[np.int64]
    unit_of_part: NDArray[np.int32]
    item_of_unit: NDArray[np.int32]
    criteria: tuple[str, ...]
    criterion_ids: NDArray[np.int64]
    labels: tuple[str, ...]
    systems: tuple[str, ...]
    items: tuple[str, ...]
    document_of_item: NDArray[np.int32]
    documents: tuple[str, ...]
    groups: tuple[str, ...]
    shown_part: NDArray[np.int32]
    shown_system: NDArray[np.int32]
    shown_item: NDArray[np.int32]
    features: Mapping[str, NDArray[Any]] = field(default_factory=dict)

    def feature(self, name: str) -> NDArray[Any] | None:
        """Return the value of a feature for each item, "" for none; None if there is no such feature.

        `document` is the key of each item's document, unless the items have a feature of that name.
        """
        if name in self.features or name != DOCUMENT or not self.documents:
            return self.features.get(name)
        keys = np.array([*self.documents, ""], dtype=object)  # an item without a document has the code -1
        return keys[self.document_of_item]

    def criterion_codes(self, ids: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return codes into `criteria` for ids of criteria; versions of one criterion have one code."""
        first_code = {key: code for code, key in reversed(list(enumerate(self.criteria)))}
        code_of = np.array([first_code[key] for key in self.criteria] or [-1], dtype=np.int32)
        codes = Coding(self.criterion_ids)(ids)
        return np.where(codes >= 0, code_of[codes], np.int32(-1))

    def criterion_code(self, key: str) -> int:
        """Return the code of a criterion by its key, -1 if there is none."""
        return self.criteria.index(key) if key in self.criteria else -1


@dataclass(frozen=True, slots=True)
class Table:
    """Ratings as columns of equal length, one row per rating; -1 is none, NaN no value.

    `judgment` is a code into `judgments`, the others into `names`. `id` is ascending.
    """

    id: NDArray[np.int64]
    judgment: NDArray[np.int32]
    rater: NDArray[np.int32]
    unit: NDArray[np.int32]
    part: NDArray[np.int32]
    part_b: NDArray[np.int32]
    criterion: NDArray[np.int32]
    number: NDArray[np.int32]
    value: Floats
    shown: Floats
    label: NDArray[np.int32]
    judgments: Judgments
    names: Names

    def __len__(self) -> int:
        return len(self.id)

    def where(self, mask: Mask) -> Table:
        """Return the rows selected by a mask; judgments and names stay whole, so codes keep their meaning."""
        return replace(self, **{name: getattr(self, name)[mask] for name in COLUMNS})

    def by_system(self) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
        """Return (row, system, item) for every output a rating counts for.

        A text that several systems produced was shown once, and its rating counts for each of them; a rating that is
        about no part, as of a questionnaire, counts for none.
        """
        begin = np.searchsorted(self.names.shown_part, self.part, side="left")
        end = np.searchsorted(self.names.shown_part, self.part, side="right")
        times = np.where(self.part >= 0, end - begin, 0)
        row = np.repeat(np.arange(len(self), dtype=np.int64), times)
        begins = np.repeat(begin - np.r_[0, np.cumsum(times)[:-1]], times) if len(self) else begin
        output_rows = begins + np.arange(len(row))
        return row, self.names.shown_system[output_rows], self.names.shown_item[output_rows]

    def z(self, **settings: Any) -> Floats:
        """Return judge-wise z within rater and criterion, aligned with the rows; NaN where it is undefined and dropped.

        `settings` are those of `judge_wise_z`.
        """
        if not len(self):
            return np.empty(0)
        n_criteria = len(self.names.criteria) + 1
        judge = self.rater.astype(np.int64) * n_criteria + self.criterion + 1
        return judge_wise_z(self.value, judge, **settings).z

    @property
    def n_raters(self) -> int:
        """Number of raters who gave these ratings."""
        return _different(self.rater, len(self.names.raters))

    @property
    def n_texts(self) -> int:
        """Number of rated texts: parts, or units where a rating is about no part or compares two."""
        n_parts, n_units = len(self.names.part_ids), len(self.names.unit_ids)
        of_unit = n_parts + self.unit.astype(np.int64)
        return _different(np.where(self.part_b >= 0, of_unit, self.text), n_parts + n_units)

    @property
    def text(self) -> NDArray[np.int64]:
        """Code of the rated text of each rating: ratings with the same code can agree or disagree."""
        about_part = self.part.astype(np.int64)
        return np.where(about_part >= 0, about_part, len(self.names.part_ids) + self.unit)


def _different(codes: NDArray[np.int32] | NDArray[np.int64], n: int) -> int:
    """Return how many different codes there are, all below n; much faster than by sorting. -1 is the code of none."""
    occurs = np.zeros(n + 1, dtype=bool)
    occurs[codes] = True
    return int(np.count_nonzero(occurs))


# The columns of a table that `where` filters.
COLUMNS = tuple(column.name for column in fields(Table) if column.name not in {"judgments", "names"})


class Coding:
    """Codes of keys: the index of each key in an array of known keys, -1 for unknown keys."""

    def __init__(self, keys: NDArray[np.int64]) -> None:
        ascending = np.argsort(keys, kind="stable").astype(np.int32)
        self._order = None if np.array_equal(ascending, np.arange(len(keys))) else ascending
        keys = keys if self._order is None else keys[ascending]
        self.known = keys
        span = int(keys[-1] - keys[0]) + 1 if len(keys) else 0
        self._first = int(keys[0]) if len(keys) else 0
        self._table: NDArray[np.int32] | None = None
        if 0 < span <= SPARSE * len(keys) + 1_000_000:
            self._table = np.full(span, -1, dtype=np.int32)
            self._table[keys - self._first] = np.arange(len(keys), dtype=np.int32)

    def __call__(self, keys: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return the code of each key."""
        codes = self._ascending(keys)
        return codes if self._order is None else np.where(codes >= 0, self._order[codes], np.int32(-1))

    def _ascending(self, keys: NDArray[np.int64]) -> NDArray[np.int32]:
        if not len(self.known):
            return np.full(len(keys), -1, dtype=np.int32)
        if self._table is not None:
            place = keys - self._first
            inside = (place >= 0) & (place < len(self._table))
            return np.where(inside, self._table[np.where(inside, place, 0)], np.int32(-1))
        places = np.minimum(np.searchsorted(self.known, keys), len(self.known) - 1)
        return np.where(self.known[places] == keys, places, -1).astype(np.int32)
