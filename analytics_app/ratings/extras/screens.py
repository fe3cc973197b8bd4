"""Positions on the screen: parts and criteria in the order in which they were shown."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from analytics_app.ratings.copying import copy, rows
from analytics_app.ratings.extras.base import Extra, Loading, extra
from analytics_app.ratings.table import Coding, Table


@extra
@dataclass(frozen=True, slots=True)
class Screens(Extra):
    """Places on the screens of a task, from the stored arrangements.

    `parts` and `criteria` are aligned with the table's judgments and hold codes into the orders there are, -1 where
    none is stored. An order of parts lists part numbers by position on the screen, one of criteria lists keys.
    `part_number` is aligned with `names.part_ids`.
    """

    parts: NDArray[np.int32]
    criteria: NDArray[np.int32]
    orders_of_parts: tuple[tuple[int, ...], ...]
    orders_of_criteria: tuple[tuple[str, ...], ...]
    part_number: NDArray[np.int32]

    def places(self, table: Table) -> NDArray[np.int32]:
        """Return the position of each rating's part on its screen, from 0; -1 if unknown, alone or shown twice."""
        numbers = 1 + max((number for order in self.orders_of_parts for number in order), default=0)
        place_of = np.full((len(self.orders_of_parts) + 1, numbers), -1, dtype=np.int32)
        for code, order in enumerate(self.orders_of_parts):
            for place, number in enumerate(order):
                if len(order) > 1 and order.count(number) == 1:
                    place_of[code, number] = place
        has_part = table.part >= 0
        part = np.where(has_part, self.part_number[table.part] if len(self.part_number) else 0, 0)
        has_part &= part < numbers
        # The code -1 selects the last row, which has only unknown places.
        row_places = place_of[self.parts[table.judgment], np.where(has_part, part, 0)]
        return np.where(has_part, row_places, np.int32(-1))

    def criterion_places(self, table: Table) -> NDArray[np.int32]:
        """Return the position of each rating's criterion on its screen, from 0; -1 if unknown or alone there."""
        keys = table.names.criteria
        first = {key: code for code, key in reversed(list(enumerate(keys)))}
        place_of = np.full((len(self.orders_of_criteria) + 1, len(keys) + 1), -1, dtype=np.int32)
        for code, order in enumerate(self.orders_of_criteria):
            for place, key in enumerate(order if len(order) > 1 else ()):
                if key in first:
                    place_of[code, first[key]] = place
        return place_of[self.criteria[table.judgment], table.criterion]

    @classmethod
    def load(cls, loading: Loading) -> Self:
        """Read the different orders, then the order of each judgment."""
        params, table = loading.params, loading.table
        parts = _orders("parts", params["tasks"], params["judgment_high"])
        criteria = _orders("criteria", params["tasks"], params["judgment_high"])
        columns = copy(_SHOWN, {**params, "parts": parts, "orders": criteria}, _TYPE)
        place = Coding(table.judgments.id)(columns["judgment"])
        counted = place >= 0
        order_codes = []
        for name in ("parts", "criteria"):
            codes = np.full(len(table.judgments.id), -1, dtype=np.int32)
            codes[place[counted]] = columns[name][counted] - 1
            order_codes.append(codes)
        numbers = np.zeros(len(table.names.part_ids), dtype=np.int32)
        number = copy(_NUMBERS, params, {"part": np.int64, "number": np.int32})
        part_codes = Coding(table.names.part_ids)(number["part"])
        numbers[part_codes[part_codes >= 0]] = number["number"][part_codes >= 0]
        return cls(
            parts=order_codes[0],
            criteria=order_codes[1],
            orders_of_parts=tuple(tuple(int(str(entry)) for entry in _listed(text)) for text in parts),
            orders_of_criteria=tuple(tuple(str(entry) for entry in _listed(text)) for text in criteria),
            part_number=numbers,
        )

    @classmethod
    def empty(cls, table: Table) -> Self:
        """Return data without orders."""
        codes = np.full(len(table.judgments.id), -1, dtype=np.int32)
        return cls(codes, codes, (), (), np.zeros(len(table.names.part_ids), dtype=np.int32))


def _orders(key: str, tasks: Sequence[int], high: int) -> list[str]:
    """Return the different orders of parts or criteria, as JSON."""
    return [text for (text,) in rows(_ORDERS, what=key, tasks=tasks, high=high) if text is not None]


def _listed(text: str) -> Sequence[object]:
    entries = json.loads(text)
    return entries if isinstance(entries, list) else ()


_TYPE = {"judgment": np.int64, "parts": np.int32, "criteria": np.int32}

_ORDERS = """
SELECT DISTINCT (a.arrangement->>%(what)s) COLLATE "C"
  FROM tasks_app_judgment j
  JOIN tasks_app_assignment a ON a.id = j.assignment_id
  JOIN tasks_app_unit u ON u.id = a.unit_id
 WHERE u.task_id = ANY(%(tasks)s) AND j.id <= %(high)s
 ORDER BY 1
"""

_SHOWN = """
SELECT j.id, COALESCE(p.code, 0)::int, COALESCE(c.code, 0)::int
  FROM tasks_app_judgment j
  JOIN tasks_app_assignment a ON a.id = j.assignment_id
  JOIN tasks_app_unit u ON u.id = a.unit_id
  LEFT JOIN unnest(%(parts)s::text[]) WITH ORDINALITY p (word, code) ON p.word = a.arrangement->>'parts'
  LEFT JOIN unnest(%(orders)s::text[]) WITH ORDINALITY c (word, code) ON c.word = a.arrangement->>'criteria'
 WHERE u.task_id = ANY(%(tasks)s) AND j.id <= %(judgment_high)s
"""

_NUMBERS = """
SELECT p.id, p.number FROM tasks_app_part p JOIN tasks_app_unit u ON u.id = p.unit_id WHERE u.task_id = ANY(%(tasks)s)
"""
