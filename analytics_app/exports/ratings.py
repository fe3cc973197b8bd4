"""The ratings of a study in long form: one row a rating, streamed as CSV or JSON Lines, or as pages of objects.

- A rating of a text that several systems produced alike gives one row for each of them (of two compared texts, one
  for each pair); such rows share the column `rating`.
- A judgment without a rating gives one row: its label is `skip`, with the reason as text, or `none`.
- Only the current answer to an assignment is there, never one that was revised, and nobody who only tried it out.
- Raters are pseudonyms; who they are to a platform is in no file.
- Rows come by the number of the rating; judgments without one stand at the end.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from django.utils.translation import gettext as _

from analytics_app.exports import columns
from analytics_app.exports.copying import CSV, RAW, copy_out
from analytics_app.exports.statement import Selection, Statement, features_of
from tasks_app.models import Assignment, Criterion, Study, Task
from tasks_app.selectors import judgments
from tasks_app.selectors.judgments import UnknownName, may_export
from tasks_app.services import database
from tasks_app.services.marks import Marks

__all__ = ["COLUMNS", "CONTENT_TYPES", "Format", "Page", "UnknownName", "may_export", "page", "stream"]

Format = Literal["csv", "jsonl"]

COLUMNS: tuple[str, ...] = tuple(one.name for one in columns.RATINGS)
CONTENT_TYPES: Mapping[Format, str] = {"csv": "text/csv; charset=utf-8", "jsonl": "application/jsonl; charset=utf-8"}

# RFC 4180 ends lines so; JSON Lines ends them with a line feed.
CRLF = b"\r\n"

# Numbers of rows have fewer digits.
LONGEST = 19

# Which ratings, and which judgments without one, follow a mark.
_NEXT_RATINGS = """
SELECT r.id
  FROM tasks_app_rating r
  JOIN tasks_app_judgment j ON j.id = r.judgment_id
  JOIN tasks_app_assignment a ON a.id = j.assignment_id
 WHERE r.task_id = ANY(%(tasks)s) AND r.id > %(mark)s AND a.rater_kind <> 'sandbox'
   AND {current} {said} {judged}
 ORDER BY r.id LIMIT %(limit)s
"""
_NEXT_SILENT = """
SELECT j.id
  FROM tasks_app_judgment j
  JOIN tasks_app_assignment a ON a.id = j.assignment_id
  JOIN tasks_app_unit u ON u.id = a.unit_id
 WHERE u.task_id = ANY(%(tasks)s) AND j.id > %(mark)s AND a.rater_kind <> 'sandbox'
   AND NOT EXISTS (SELECT 1 FROM tasks_app_rating r WHERE r.judgment_id = j.id)
   AND {current} {said} {judged}
 ORDER BY j.id LIMIT %(limit)s
"""


def stream(
    study: Study,
    *,
    format: Format = "csv",
    tasks: Sequence[str] | None = None,
    raters: Sequence[str] | None = None,
    criterion: str | None = None,
    since_id: int | None = None,
    include: Sequence[str] | None = None,
    until: Marks | None = None,
) -> Generator[bytes, None, None]:
    """Return the ratings of a study as chunks of a UTF-8 file, read while they are taken, at constant memory.

    Parameters
    ----------
    tasks, raters, criterion
        Keys of tasks, pseudonyms of raters, key of a criterion; None for all.
    since_id
        Leave out ratings up to this number, and judgments without a rating that are as old.
    include
        Purposes that are wanted, such as ("main", "repeat"); None for all.
    until
        Leave out what came after these marks, so that who asks again with `since_id` misses nothing.

    The connection is busy from the first chunk until the iterator is exhausted or closed.

    Raises
    ------
    UnknownName
        At once, where the study has no such task, rater or criterion, or there is no such purpose.
    django.db.DatabaseError
        While iterating; what came before is incomplete then.
    """
    wanted = select(study, tasks=tasks, raters=raters, criterion=criterion, include=include)
    wanted = replace(wanted, after=since_id, until=until)
    features = features_of(study)
    statement = Statement(wanted, features, neutralised=format == "csv")
    if format == "csv":
        return copy_out(statement.cells(), statement.params, options=CSV, head=_header(features), line_end=CRLF)
    return copy_out(statement.objects(), statement.params, options=RAW)


def _header(features: Sequence[str]) -> bytes:
    line = io.StringIO(newline="")
    csv.writer(line).writerow([*COLUMNS, *(columns.FEATURE + name for name in features)])
    return line.getvalue().encode()


def select(
    study: Study,
    *,
    tasks: Sequence[str] | None = None,
    raters: Sequence[str] | None = None,
    criterion: str | None = None,
    include: Sequence[str] | None = None,
) -> Selection:
    """Turn names into a selection; every version of a task and of a criterion counts. Raises UnknownName."""
    for purpose in include or ():
        if purpose not in Assignment.Purpose.values:
            given = {"name": purpose, "names": ", ".join(Assignment.Purpose.values)}
            raise UnknownName(_("There is no purpose “%(name)s”. The purposes are: %(names)s.") % given)
    found = (
        judgments.task_ids(study, tasks)
        if tasks is not None
        else tuple(Task.objects.filter(study=study).values_list("pk", flat=True))
    )
    return Selection(
        study,
        found,
        raters=None if raters is None else judgments.rater_ids(study, raters),
        criteria=None if criterion is None else _criterion_ids(study, criterion),
        purposes=None if include is None else tuple(include),
    )


def _criterion_ids(study: Study, key: str) -> tuple[int, ...]:
    sentence = _("There is no criterion “%(name)s” in this study.")
    return judgments.ids_of(Criterion.objects.filter(study=study), "key", [key], sentence)


@dataclass(frozen=True, slots=True)
class Page:
    """Some rows as objects, and the mark after which the next page begins; None at the end."""

    rows: list[dict[str, Any]]
    next: str | None


def page(wanted: Selection, mark: str, size: int) -> Page:
    """Return the rows of the next `size` ratings, or judgments without one, after a mark ("" at the beginning).

    A mark is r and the number of a rating, or j and that of a judgment. Raises ValueError where it is something else.
    """
    kind, after = _read_mark(mark)
    found: dict[str, list[int]] = {"r": [], "j": []}
    for one in ("r", "j"):
        left = size + 1 - len(found["r"])
        if left > 0 and (kind, one) != ("j", "r"):
            found[one] = _next(wanted, one, after if one == kind else 0, left)
    marks = [f"{one}{number}" for one, numbers in found.items() for number in numbers]
    shown = marks[:size]
    rows = _rows(replace(wanted, ratings=_of_kind(shown, "r"), silent=_of_kind(shown, "j"))) if shown else []
    return Page(rows, shown[-1] if len(marks) > size else None)


def _read_mark(mark: str) -> tuple[str, int]:
    kind, number = mark[:1], mark[1:]
    if not mark:
        return "r", 0
    if kind not in {"r", "j"} or not (number.isascii() and number.isdecimal() and len(number) < LONGEST):
        raise ValueError(_("This is no mark of a page: take the address of the next page as the answer gives it."))
    return kind, int(number)


def _of_kind(marks: Sequence[str], kind: str) -> tuple[int, ...]:
    return tuple(int(one[1:]) for one in marks if one.startswith(kind))


def _next(wanted: Selection, kind: str, mark: int, limit: int) -> list[int]:
    ratings = kind == "r"
    sql = (_NEXT_RATINGS if ratings else _NEXT_SILENT).format(
        said=wanted.said if ratings else wanted.without_rating, judged=wanted.judged, current=wanted.current
    )
    return [pk for (pk,) in database.rows(sql, {**wanted.params(), "mark": mark, "limit": limit})]


def _rows(wanted: Selection) -> list[dict[str, Any]]:
    statement = Statement(wanted, features_of(wanted.study), neutralised=False)
    return [json.loads(line) for (line,) in database.rows(statement.objects(), statement.params)]
