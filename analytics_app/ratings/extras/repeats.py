"""Answers to repeated questions: repeated units, and adjective pairs repeated on a screen."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from analytics_app.ratings.copying import copy, rows
from analytics_app.ratings.extras.base import Extra, Loading, extra, rater_codes
from analytics_app.ratings.judgment_conditions import counts
from analytics_app.ratings.table import Coding, Floats, Mask, Table
from tasks_app.models import Task
from tasks_app.selectors import pair_order


@extra
@dataclass(frozen=True, slots=True)
class Repeats(Extra):
    """Pairs of answers of one rater to the same question about the same text; the columns are of equal length.

    `rater`, `unit`, `part` and `criterion` are codes of the table's names, -1 none. `first` and `again` are canonical
    values, `first_shown` and `again_shown` the positions on the screen, NaN none; `first_label` and `again_label` are
    codes into `labels`, -1 none, where several labels of one answer are one, such as "a + b". `apart` says how many
    screens later it was asked again, 0 on one screen. `first_judgment` and `again_judgment` are ids, which are equal
    on one screen.
    """

    rater: NDArray[np.int32]
    unit: NDArray[np.int32]
    part: NDArray[np.int32]
    criterion: NDArray[np.int32]
    first: Floats
    again: Floats
    first_label: NDArray[np.int32]
    again_label: NDArray[np.int32]
    first_shown: Floats
    again_shown: Floats
    apart: NDArray[np.int32]
    first_judgment: NDArray[np.int64]
    again_judgment: NDArray[np.int64]
    labels: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.rater)

    def where(self, mask: Mask) -> Repeats:
        """Return the pairs selected by a mask."""
        return replace(self, **{name: getattr(self, name)[mask] for name in COLUMNS})

    def of(self, table: Table) -> Repeats:
        """Return the pairs that have their first answer among the ratings of a table, on one of its criteria.

        A repeat of a repeat is kept if its rater and its unit are in the table.
        """
        judgment_ids = table.judgments.id[np.unique(table.judgment)]
        counted = np.isin(self.first_judgment, table.judgments.id)
        mask = np.where(counted, np.isin(self.first_judgment, judgment_ids), np.isin(self.rater, table.rater))
        return self.where(mask & np.isin(self.unit, table.unit) & np.isin(self.criterion, table.criterion))

    @classmethod
    def load(cls, loading: Loading) -> Self:
        """Read both kinds of pairs, from answers that the run counts, as of the run's marks."""
        table = loading.table
        spans = any(
            outcome.per == "span"
            for task in Task.objects.filter(pk__in=loading.params["tasks"])
            for outcome in task.kind.outcomes
        )
        params = {**loading.params, "spans": spans}
        pair = {"part": pair_order.part("r"), "part_b": pair_order.part_b("r"), "label": pair_order.label("r")}
        answers = _GIVEN.format(again=counts(), first=counts("o", "b"), **pair)
        labels = tuple(word for (word,) in rows(_WORDS.format(given=answers), **params))
        columns = copy(_UNITS.format(given=answers), {**params, "words": list(labels)}, _TYPE)
        if not spans:
            screens = copy(_SCREENS, params, _TYPE)
            counted = Coding(table.judgments.id)(screens["first_judgment"]) >= 0
            columns = np.concatenate((columns, screens[counted]))
        names = table.names
        keys = ("again", "first", "again_label", "first_label", "criterion", "part", "again_judgment", "first_judgment")
        order = np.lexsort([columns[name] for name in keys])
        columns = columns[order]
        unchanged: dict[str, Any] = {name: columns[name] for name in _AS_THEY_ARE}
        return cls(
            rater=rater_codes(names, columns["rater"]),
            unit=Coding(names.unit_ids)(columns["unit"]),
            part=Coding(names.part_ids)(columns["part"]),
            criterion=names.criterion_codes(columns["criterion"]),
            first_label=columns["first_label"] - np.int32(1),
            again_label=columns["again_label"] - np.int32(1),
            labels=labels,
            **unchanged,
        )

    @classmethod
    def empty(cls, table: Table) -> Self:
        """Return data without pairs."""
        codes, values, ids = np.empty(0, dtype=np.int32), np.empty(0), np.empty(0, dtype=np.int64)
        kinds: dict[str, Any] = dict.fromkeys(COLUMNS, codes)
        kinds |= dict.fromkeys(("first", "again", "first_shown", "again_shown"), values)
        kinds |= dict.fromkeys(("first_judgment", "again_judgment"), ids)
        return cls(**kinds)


COLUMNS = tuple(column.name for column in fields(Repeats) if column.name != "labels")

_TYPE: dict[str, type] = {
    "rater": np.int64,
    "unit": np.int64,
    "part": np.int64,
    "criterion": np.int64,
    "first": np.float64,
    "again": np.float64,
    "first_label": np.int32,
    "again_label": np.int32,
    "first_shown": np.float64,
    "again_shown": np.float64,
    "apart": np.int32,
    "first_judgment": np.int64,
    "again_judgment": np.int64,
}

_AS_THEY_ARE = ("first", "again", "first_shown", "again_shown", "apart", "first_judgment", "again_judgment")

# Every answer to a unit that was shown twice: its value, and its labels joined into one.
_GIVEN = """
WITH pair AS MATERIALIZED (
    SELECT j.id AS again, o.id AS first, a.rater_id, a.unit_id, GREATEST(a."order" - b."order", 1) AS apart
      FROM tasks_app_assignment a
      JOIN tasks_app_unit u ON u.id = a.unit_id
      JOIN tasks_app_assignment b ON b.id = a.repeat_of_id
      JOIN tasks_app_judgment j ON j.assignment_id = a.id
      JOIN tasks_app_judgment o ON o.assignment_id = b.id
     WHERE u.task_id = ANY(%(tasks)s) AND a.purpose = 'repeat'
       AND b.purpose IN ('main', 'screening', 'exit', 'repeat')
       AND {again} AND {first}),
given AS MATERIALIZED (
    SELECT r.judgment_id AS judgment, COALESCE({part}, 0) AS part, COALESCE({part_b}, 0) AS part_b,
           COALESCE(r.criterion_id, 0) AS criterion, max(r.value) FILTER (WHERE r.number = 1) AS value,
           max(r.shown_value) FILTER (WHERE r.number = 1) AS shown,
           string_agg({label}, ' + ' ORDER BY {label} COLLATE "C") FILTER (WHERE NOT %(spans)s) AS label
      FROM tasks_app_rating r
     WHERE r.judgment_id IN (SELECT again FROM pair UNION SELECT first FROM pair)
       AND r.id <= %(high)s AND r.span_side IS NULL
     GROUP BY 1, 2, 3, 4)
"""

_WORDS = '{given} SELECT DISTINCT label COLLATE "C" FROM given WHERE label IS NOT NULL ORDER BY 1'

_UNITS = """
{given}, words AS (SELECT word, code FROM unnest(%(words)s::text[]) WITH ORDINALITY w (word, code))
SELECT p.rater_id, p.unit_id, f.part, f.criterion, COALESCE(f.value, 'NaN'::float8), COALESCE(g.value, 'NaN'::float8),
       COALESCE(v.code, 0)::int, COALESCE(w.code, 0)::int,
       COALESCE(f.shown, 'NaN'::float8), COALESCE(g.shown, 'NaN'::float8), p.apart, p.first, p.again
  FROM pair p
  JOIN given f ON f.judgment = p.first
  JOIN given g ON g.judgment = p.again AND (g.part, g.part_b, g.criterion) = (f.part, f.part_b, f.criterion)
  LEFT JOIN words v ON v.word = f.label
  LEFT JOIN words w ON w.word = g.label
 WHERE (f.value IS NOT NULL AND g.value IS NOT NULL) OR (f.label IS NOT NULL AND g.label IS NOT NULL)
"""

# A number of 2 is the second answer to a question of the same screen.
_SCREENS = """
SELECT g.rater_id, g.unit_id, COALESCE(g.part_id, 0), COALESCE(g.criterion_id, 0), f.value, g.value, 0, 0,
       COALESCE(f.shown_value, 'NaN'::float8), COALESCE(g.shown_value, 'NaN'::float8), 0, f.judgment_id, g.judgment_id
  FROM tasks_app_rating g
  JOIN tasks_app_rating f ON f.judgment_id = g.judgment_id AND f.number = g.number - 1
   AND COALESCE(f.part_id, 0) = COALESCE(g.part_id, 0) AND COALESCE(f.part_b_id, 0) = COALESCE(g.part_b_id, 0)
   AND COALESCE(f.criterion_id, 0) = COALESCE(g.criterion_id, 0)
 WHERE g.task_id = ANY(%(tasks)s) AND g.id <= %(high)s AND g.number > 1
   AND g.value IS NOT NULL AND f.value IS NOT NULL
"""
