"""Marks that texts came with, the origin of stored marks, and false marks planted in texts with known errors."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from analytics_app.ratings.copying import copy, rows
from analytics_app.ratings.extras.base import Extra, Loading, extra, rater_codes
from analytics_app.ratings.judgment_conditions import is_given
from analytics_app.ratings.table import Coding, Mask, Table
from tasks_app.models import Prefill
from tasks_app.task_types.error_spans.marks import Mark, prefilled

# Codes of the origin of a mark.
ORIGINS = ("own", "kept", "changed")


@extra
@dataclass(frozen=True, slots=True)
class GivenMarks(Extra):
    """The marks that the texts of a task came with, and the origin of the marks that raters stored.

    `n_given` has the number of marks of each part, by the codes of the table's names. `id` are ratings that say where
    they come from, ascending, and `origin` their codes into `ORIGINS`. The planted marks are those in texts with known
    errors (controls) that share no character with any known error: `planted_rater` is a code of the table's names and
    `planted_kept` says that the rater kept or changed the mark instead of removing it.
    """

    n_given: NDArray[np.int32]
    id: NDArray[np.int64]
    origin: NDArray[np.int32]
    planted_rater: NDArray[np.int32]
    planted_kept: Mask

    @classmethod
    def load(cls, loading: Loading) -> Self:
        """Read given marks, and the ratings and checks that the run counts."""
        names, params = loading.table.names, loading.params
        given = _marks_of_parts(Prefill.objects.filter(part__unit__task__in=params["tasks"]).order_by("id"))
        n_given = np.zeros(len(names.part_ids), dtype=np.int32)
        parts = np.array(sorted(given), dtype=np.int64)
        places = Coding(names.part_ids)(parts)
        for part, place in zip(parts.tolist(), places.tolist(), strict=True):
            if place >= 0:
                n_given[place] = len(given[part])
        columns = copy(_ORIGINS, {**params, "origins": list(ORIGINS)}, {"id": np.int64, "origin": np.int32})
        columns = columns[np.argsort(columns["id"], kind="stable")]
        planted = list(_planted(given, rows(_CHECKS.format(given=is_given()), **params))) if given else []
        raters = np.array([rater for rater, _kept in planted], dtype=np.int64)
        return cls(
            n_given=n_given,
            id=columns["id"],
            origin=columns["origin"] - np.int32(1),
            planted_rater=rater_codes(names, raters),
            planted_kept=np.array([kept for _rater, kept in planted], dtype=bool),
        )

    @classmethod
    def empty(cls, table: Table) -> Self:
        """Return data without given marks."""
        codes = np.empty(0, dtype=np.int32)
        n_given = np.zeros(len(table.names.part_ids), dtype=np.int32)
        return cls(n_given, np.empty(0, dtype=np.int64), codes, codes, np.empty(0, dtype=bool))


def _marks_of_parts(prefills: Any) -> dict[int, list[Mark]]:
    """Return the given marks of each part, by its id, in their order."""
    payloads: dict[int, list[object]] = {}
    for part, payload in prefills.values_list("part_id", "payload"):
        payloads.setdefault(part, []).append(payload)
    return {part: prefilled(of_part) for part, of_part in payloads.items()}


def _planted(given: Mapping[int, Sequence[Mark]], checks: Sequence[Any]) -> Iterator[tuple[int, bool]]:
    """Yield the rater of each false mark in a check that they answered, and whether they let it stand."""
    for rater, part, answers, numbers in checks:
        known = _errors(json.loads(answers) if isinstance(answers, str) else answers)
        errors = [Mark(str(error.get("side", "output")), error["start"], error["end"]) for error in known]
        standing = set(numbers or ())
        for number, mark in enumerate(given.get(part, ()), start=1):
            if not any(mark.overlaps(error) for error in errors):
                yield rater, number in standing


def _errors(answers: Sequence[Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the known errors of a text out of its known answers: each is one error or a list of them."""
    for answer in answers:
        yield from answer if isinstance(answer, list) else [answer]


_ORIGINS = """
SELECT r.id, o.code::int FROM tasks_app_rating r
  JOIN unnest(%(origins)s::text[]) WITH ORDINALITY o (word, code) ON o.word = r.mark_origin
 WHERE r.task_id = ANY(%(tasks)s) AND r.id <= %(high)s
"""

# One row for each check with known errors, one text and given marks that somebody answered, by its last graded answer:
# the rater, the part, all that is known of errors, and the numbers of the given marks that stand. Answers with marks of
# unknown origin are left out.
_CHECKS = """
SELECT rater_id, part, known, standing FROM (
    SELECT a.rater_id, a."order", j.id AS judgment, p.id AS part,
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
