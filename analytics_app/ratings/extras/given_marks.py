"""Marks that texts came with, the origin of stored marks, and false marks planted in texts with known errors."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from analytics_app.ratings.copying import copy, rows
from analytics_app.ratings.extras.base import Extra, Loading, extra, rater_codes
from analytics_app.ratings.extras.spans import SIDES
from analytics_app.ratings.judgment_conditions import is_given
from analytics_app.ratings.table import Coding, Mask, Table
from tasks_app.models import Prefill
from tasks_app.task_types.error_spans.marks import Mark, prefilled

# Codes of the origin of a mark.
ORIGINS = ("own", "kept", "changed")

# The marks that a text comes with, by the part's id and the name of who made them ("" where nobody is named).
Lists = Mapping[tuple[int, str], Sequence[Mark]]


@extra
@dataclass(frozen=True, slots=True)
class GivenMarks(Extra):
    """The marks that the texts of a task came with, and the origin of the marks that raters stored.

    A text has a list of marks, or one by each of several people, of which each rater was shown one: `list_part` is the
    code of the part, `list_name` a code into `names` (those who made the lists), -1 where nobody is named. The marks of
    all lists are `mark_list` (the place of the list; ascending), `mark_side`, `mark_start`, `mark_end` and
    `mark_severity`, a code into `severities` or -1; those of a list are in the order that `of` counts from 1.

    `shown_judgment`, `shown_part` and `shown_list` say which list was shown, where a text has several: -1 is none.
    `id` are ratings that say where they come from, ascending, `origin` their codes into `ORIGINS`, and `of` the number
    of the given mark that they were, 0 for a rater's own.

    The planted marks are those in texts with known errors (controls) that share no character with any known error:
    `planted_rater` is a code of the table's names and `planted_kept` says that the rater kept or changed the mark
    instead of removing it.
    """

    names: tuple[str, ...]
    severities: tuple[str, ...]
    list_part: NDArray[np.int32]
    list_name: NDArray[np.int32]
    mark_list: NDArray[np.int32]
    mark_side: NDArray[np.int32]
    mark_start: NDArray[np.int32]
    mark_end: NDArray[np.int32]
    mark_severity: NDArray[np.int32]
    shown_judgment: NDArray[np.int32]
    shown_part: NDArray[np.int32]
    shown_list: NDArray[np.int32]
    id: NDArray[np.int64]
    origin: NDArray[np.int32]
    of: NDArray[np.int32]
    planted_rater: NDArray[np.int32]
    planted_kept: Mask

    @classmethod
    def load(cls, loading: Loading) -> Self:
        """Read given marks, and the ratings and checks that the run counts."""
        table, params = loading.table, loading.params
        given = _lists(Prefill.objects.filter(part__unit__task__in=params["tasks"]).order_by("id"))
        columns = copy(
            _ORIGINS, {**params, "origins": list(ORIGINS)}, {"id": np.int64, "origin": np.int32, "of": np.int32}
        )
        columns = columns[np.argsort(columns["id"], kind="stable")]
        planted = list(_planted(given, rows(_CHECKS.format(given=is_given()), **params))) if given else []
        raters = np.array([rater for rater, _kept in planted], dtype=np.int64)
        lists = _columns_of(given, table)
        return cls(
            **lists,
            **_shown(lists, table, params),
            id=columns["id"],
            origin=columns["origin"] - np.int32(1),
            of=columns["of"],
            planted_rater=rater_codes(table.names, raters),
            planted_kept=np.array([kept for _rater, kept in planted], dtype=bool),
        )

    @classmethod
    def empty(cls, table: Table) -> Self:
        """Return data without given marks."""
        codes = np.empty(0, dtype=np.int32)
        columns: dict[str, Any] = {**dict.fromkeys((*_LISTED, *_STORED), codes), "names": (), "severities": ()}
        return cls(**{**columns, "id": np.empty(0, dtype=np.int64), "planted_kept": np.empty(0, dtype=bool)})

    @property
    def n_marks(self) -> NDArray[np.int64]:
        """The number of marks of each list."""
        return np.bincount(self.mark_list, minlength=len(self.list_part)).astype(np.int64)

    def list_of(self, judgment: NDArray[np.int32], part: NDArray[np.int32]) -> NDArray[np.int64]:
        """Return the place of the list that was shown for a judgment about a part; -1 where it is unknown.

        Where nothing was stored, as in imports, it is the only list of the part.
        """
        n_parts = int(max(self.list_part.max(initial=-1), part.max(initial=-1))) + 1
        only = np.full(n_parts, -1, dtype=np.int64)
        only[self.list_part] = np.arange(len(self.list_part))
        only[np.bincount(self.list_part, minlength=n_parts) > 1] = -1
        shown = only[part] if len(part) else np.empty(0, dtype=np.int64)
        if len(self.shown_list):
            keys = self.shown_judgment.astype(np.int64) * n_parts + self.shown_part
            order = np.argsort(keys, kind="stable")
            wanted = judgment.astype(np.int64) * n_parts + part
            place = np.minimum(np.searchsorted(keys[order], wanted), len(keys) - 1)
            stored = keys[order][place] == wanted
            shown = np.where(stored, self.shown_list[order][place], shown)
        return shown


_LISTED = ("list_part", "list_name", "mark_list", "mark_side", "mark_start", "mark_end", "mark_severity")
_STORED = ("shown_judgment", "shown_part", "shown_list", "origin", "of", "planted_rater")


def _lists(prefills: Any) -> Lists:
    """Return the given marks of each part and person, in their order."""
    payloads: dict[tuple[int, str], list[object]] = {}
    # Where an archive has left out what a text came with, nothing is known about it.
    known = prefills.exclude(payload={})
    for part, name, payload in known.values_list("part_id", "given_by", "payload"):
        payloads.setdefault((part, name), []).append(payload)
    return {key: prefilled(of_list) for key, of_list in payloads.items()}


def _columns_of(given: Lists, table: Table) -> dict[str, Any]:
    """Return the lists, and the marks in them, as columns; lists of parts that the table does not know are left out."""
    names = tuple(sorted({name for _part, name in given if name}))
    severities = tuple(sorted({mark.severity for marks in given.values() for mark in marks if mark.severity}))
    parts = np.array([part for part, _name in given], dtype=np.int64)
    codes = Coding(table.names.part_ids)(parts).tolist()
    known = sorted(
        (code, names.index(name) if name else -1, marks)
        for code, ((_part, name), marks) in zip(codes, given.items(), strict=True)
        if code >= 0
    )
    marks = [
        (place, SIDES.index(mark.side), mark.start, mark.end, severities.index(mark.severity) if mark.severity else -1)
        for place, (_code, _name, of_list) in enumerate(known)
        for mark in of_list
    ]
    of_lists = np.array([(code, name) for code, name, _marks in known], dtype=np.int32).reshape(-1, 2)
    of_marks = np.array(marks, dtype=np.int32).reshape(-1, 5)
    columns = dict(zip(_LISTED, (*of_lists.T, *of_marks.T), strict=True))
    return {"names": names, "severities": severities, **columns}


def _shown(lists: Mapping[str, Any], table: Table, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return which list each counted judgment was shown of each of its parts, where that was stored."""
    types: dict[str, type] = {"judgment": np.int64, "part": np.int64, "name": np.int32}
    columns = copy(_SHOWN, {**params, "names": list(lists["names"])}, types)
    judgment = Coding(table.judgments.id)(columns["judgment"])
    part = Coding(table.names.part_ids)(columns["part"])
    counted = (judgment >= 0) & (part >= 0)
    place = {
        (int(at), int(name)): number
        for number, (at, name) in enumerate(zip(lists["list_part"], lists["list_name"], strict=True))
    }
    pairs = zip(part[counted].tolist(), (columns["name"][counted] - 1).tolist(), strict=True)
    return {
        "shown_judgment": judgment[counted],
        "shown_part": part[counted],
        "shown_list": np.array([place.get(pair, -1) for pair in pairs], dtype=np.int32),
    }


def _planted(given: Lists, checks: Sequence[Any]) -> Iterator[tuple[int, bool]]:
    """Yield the rater of each false mark in a check that they answered, and whether they let it stand."""
    named: dict[int, list[str]] = {}
    for part, name in given:
        named.setdefault(part, []).append(name)
    for rater, part, shown, answers, numbers in checks:
        known = _errors(json.loads(answers) if isinstance(answers, str) else answers)
        errors = [Mark(str(error.get("side", "output")), error["start"], error["end"]) for error in known]
        standing = set(numbers or ())
        names = named.get(part, [])
        chosen: str | None = shown if shown is not None else names[0] if len(names) == 1 else None
        for number, mark in enumerate(given.get((part, chosen), ()) if chosen is not None else (), start=1):
            if not any(mark.overlaps(error) for error in errors):
                yield rater, number in standing


def _errors(answers: Sequence[Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the known errors of a text out of its known answers: each is one error or a list of them."""
    for answer in answers:
        yield from answer if isinstance(answer, list) else [answer]


_ORIGINS = """
SELECT r.id, o.code::int, COALESCE(r.mark_of, 0)::int FROM tasks_app_rating r
  JOIN unnest(%(origins)s::text[]) WITH ORDINALITY o (word, code) ON o.word = r.mark_origin
 WHERE r.task_id = ANY(%(tasks)s) AND r.id <= %(high)s
"""

# Whose marks each text of a judgment came with; 0 where they are nobody's who is named.
_SHOWN = """
SELECT j.id, p.id, COALESCE(array_position(%(names)s::text[], a.arrangement->'given_by'->>p.number), 0)::int
  FROM tasks_app_judgment j
  JOIN tasks_app_assignment a ON a.id = j.assignment_id
  JOIN tasks_app_unit u ON u.id = a.unit_id
  JOIN tasks_app_part p ON p.unit_id = u.id
 WHERE u.task_id = ANY(%(tasks)s) AND j.id <= %(judgment_high)s
   AND a.arrangement->'given_by'->>p.number IS NOT NULL
"""

# One row for each check with known errors, one text and given marks that somebody answered, by its last graded answer:
# the rater, the part, whose marks were shown, all that is known of errors, and the numbers of the given marks that
# stand. Answers with marks of unknown origin are left out.
_CHECKS = """
SELECT rater_id, part, shown, known, standing FROM (
    SELECT a.rater_id, a."order", j.id AS judgment, p.id AS part, a.arrangement->'given_by'->>p.number AS shown,
           (SELECT jsonb_agg(k.answer) FROM tasks_app_gold k WHERE k.unit_id = u.id AND k.kind = 'span') AS known,
           (SELECT array_agg(r.mark_of) FROM tasks_app_rating r
             WHERE r.judgment_id = j.id AND r.part_id = p.id AND r.mark_of IS NOT NULL) AS standing,
           row_number() OVER (PARTITION BY a.rater_id, u.id ORDER BY j.id DESC) AS newest
      FROM tasks_app_unit u
      JOIN tasks_app_part p ON p.unit_id = u.id
      JOIN tasks_app_assignment a ON a.unit_id = u.id
      JOIN tasks_app_judgment j ON j.assignment_id = a.id
     WHERE u.task_id = ANY(%(tasks)s) AND a.purpose IN ('control', 'attention') AND j.skip_reason = '' AND {given}
       AND (SELECT count(*) FROM tasks_app_part q WHERE q.unit_id = u.id) = 1
       AND NOT EXISTS (SELECT 1 FROM tasks_app_rating r
                        WHERE r.judgment_id = j.id AND r.span_side IS NOT NULL AND r.mark_origin IS NULL)
       AND EXISTS (SELECT 1 FROM tasks_app_prefill f WHERE f.part_id = p.id)
       AND EXISTS (SELECT 1 FROM tasks_app_gold g WHERE g.unit_id = u.id AND g.kind = 'span')) answered
 WHERE newest = 1
 ORDER BY rater_id, "order", judgment
"""
