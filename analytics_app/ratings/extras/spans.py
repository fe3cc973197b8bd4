"""Marked errors: position, severity and category; lengths of the texts; excluded raters."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from analytics_app.models import Exclusion, Run
from analytics_app.ratings.copying import copy, rows
from analytics_app.ratings.extras.base import Extra, Loading, extra
from analytics_app.ratings.table import Coding, Table

SIDES = ("output", "source")


@extra
@dataclass(frozen=True, slots=True)
class Spans(Extra):
    """The marks of people in a task, by the id of their rating, ascending.

    `side` is a code into `SIDES`, -1 where a mark has no place; `start` and `end` are code points, 0 without a place.
    `category` and `severity` are codes into the tuples of their names, -1 none. `output_length` holds the code points
    of what each part shows, `source_length` those of each item's source, both by the codes of the table's names.

    An answer without errors has no rating that a rule could exclude, so the raters and judgments that rules and people
    excluded from this run are listed here by id, as `gone_raters` and `gone_judgments`.
    """

    id: NDArray[np.int64]
    side: NDArray[np.int32]
    start: NDArray[np.int32]
    end: NDArray[np.int32]
    category: NDArray[np.int32]
    severity: NDArray[np.int32]
    categories: tuple[str, ...]
    severities: tuple[str, ...]
    output_length: NDArray[np.int32]
    source_length: NDArray[np.int32]
    gone_raters: NDArray[np.int64]
    gone_judgments: NDArray[np.int64]

    @classmethod
    def load(cls, loading: Loading) -> Self:
        """Read every mark up to the run's mark."""
        params, names = loading.params, loading.table.names
        categories, severities = (
            tuple(word for (word,) in rows(_WORDS.format(column=column), **params))
            for column in ("category", "severity")
        )
        columns = copy(_SPANS, {**params, "categories": list(categories), "severities": list(severities)}, _TYPE)
        columns = columns[np.argsort(columns["id"], kind="stable")]
        raters, judgments = excluded_ids(loading.run, params["tasks"])
        return cls(
            id=columns["id"],
            side=columns["side"],
            start=columns["start"],
            end=columns["end"],
            category=columns["category"] - np.int32(1),
            severity=columns["severity"] - np.int32(1),
            categories=categories,
            severities=severities,
            output_length=_by_code(names.part_ids, copy(_OUTPUTS, params, _LENGTH)),
            source_length=_of_items(loading),
            gone_raters=raters,
            gone_judgments=judgments,
        )

    @classmethod
    def empty(cls, table: Table) -> Self:
        """Return data without marks, and texts of length 0."""
        codes, ids = np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int64)
        return cls(
            ids, codes, codes, codes, codes, codes, (), (),
            np.zeros(len(table.names.part_ids), dtype=np.int32), np.zeros(len(table.names.items), dtype=np.int32),
            ids, ids,
        )  # fmt: skip


def excluded_ids(run: Run, tasks: list[int]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the ids of raters and of judgments that a run excludes from these tasks, with ratings or without."""
    exclusions = Exclusion.objects.filter(run=run, task__in=tasks)
    if run.heeds_exclusions:
        exclusions |= Exclusion.objects.filter(pk__in=run.facts.get("manual_exclusions", ()))
    raters = set(exclusions.filter(rater__isnull=False).values_list("rater_id", flat=True))
    judgments = set(exclusions.filter(judgment__isnull=False).values_list("judgment_id", flat=True))
    judgments |= set(run.facts.get("replaced", ()))
    return np.array(sorted(raters), dtype=np.int64), np.array(sorted(judgments), dtype=np.int64)


def _by_code(ids: NDArray[np.int64], columns: NDArray[np.void]) -> NDArray[np.int32]:
    """Return a length for each id, 0 for ids without a row."""
    lengths = np.zeros(len(ids), dtype=np.int32)
    code = Coding(ids)(columns["id"])
    lengths[code[code >= 0]] = columns["length"][code >= 0]
    return lengths


def _of_items(loading: Loading) -> NDArray[np.int32]:
    """Return the length of each item's source, by the item's code: items are in the order of their keys."""
    lengths = rows(_SOURCES, loading.params["study"])
    return np.array([length for (length,) in lengths], dtype=np.int32)


_WORDS = """
SELECT DISTINCT r.{column} COLLATE "C" FROM tasks_app_rating r
 WHERE r.task_id = ANY(%(tasks)s) AND r.id <= %(high)s AND r.{column} IS NOT NULL
   AND r.rater_id <> ALL(%(metrics)s::bigint[])
 ORDER BY 1
"""

_TYPE: dict[str, type] = {
    "id": np.int64,
    "side": np.int32,
    "start": np.int32,
    "end": np.int32,
    "category": np.int32,
    "severity": np.int32,
}

_SPANS = """
SELECT r.id, CASE r.span_side WHEN 'output' THEN 0 WHEN 'source' THEN 1 ELSE -1 END,
       COALESCE(r.span_start, 0)::int, COALESCE(r.span_end, 0)::int,
       COALESCE(c.code, 0)::int, COALESCE(s.code, 0)::int
  FROM tasks_app_rating r
  LEFT JOIN unnest(%(categories)s::text[]) WITH ORDINALITY c (word, code) ON c.word = r.category
  LEFT JOIN unnest(%(severities)s::text[]) WITH ORDINALITY s (word, code) ON s.word = r.severity
 WHERE r.task_id = ANY(%(tasks)s) AND r.id <= %(high)s
   AND r.rater_id <> ALL(%(metrics)s::bigint[])
   AND (r.span_side IS NOT NULL OR r.category IS NOT NULL OR r.severity IS NOT NULL)
"""

_LENGTH: dict[str, type] = {"id": np.int64, "length": np.int32}

# A part shows one text, of one output or of several that are equal.
_OUTPUTS = """
SELECT p.id, COALESCE(max(char_length(o.text)), 0)::int
  FROM tasks_app_part p
  JOIN tasks_app_unit u ON u.id = p.unit_id
  LEFT JOIN tasks_app_partoutput po ON po.part_id = p.id
  LEFT JOIN tasks_app_output o ON o.id = po.output_id
 WHERE u.task_id = ANY(%(tasks)s)
 GROUP BY p.id
"""

_SOURCES = 'SELECT char_length(source) FROM tasks_app_item WHERE study_id = %s ORDER BY key COLLATE "C", id'
