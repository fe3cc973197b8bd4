"""The ratings of a study in long form: one row per rating, streamed as CSV or JSON Lines, or as pages of objects.

- A rating of a text that several systems produced alike gives one row for each of them (of two compared texts, one
  for each pair); such rows share the column `rating`.
- A judgment without a rating gives one row: its label is `skip`, with the reason as text, or `none`.
- Only the current answer to an assignment is included, never a revised one, and no answer of a sandbox rater.
- Raters are pseudonyms; their ids on platforms are in no file.
- Answers to checks of raters (training, exam, known answers, attention checks) are left out unless they are asked for.
- Rows are sorted by the number of the rating; judgments without a rating are at the end.
"""

import csv
import io
import json
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from django.utils.translation import gettext as _

from analytics_app.exports import columns
from analytics_app.exports.copying import CSV, RAW, copy_out
from analytics_app.exports.statement import STUDY, OwnColumns, Selection, Statement, own_columns_of
from tasks_app.models import Assignment, Criterion, Study, Task, statements
from tasks_app.selectors import judgments
from tasks_app.selectors.judgments import UnknownName
from tasks_app.services.high_water import Marks

__all__ = ["COLUMNS", "CONTENT_TYPES", "Format", "Page", "UnknownName", "page", "stream", "stream_all"]

Format = Literal["csv", "jsonl"]

COLUMNS: tuple[str, ...] = tuple(column.name for column in columns.RATINGS)
CONTENT_TYPES: Mapping[Format, str] = {"csv": "text/csv; charset=utf-8", "jsonl": "application/jsonl; charset=utf-8"}

# What a file has without being asked: everything but answers to units with known answers, since no system is evaluated
# by their texts.
WITHOUT_CHECKS: tuple[str, ...] = tuple(
    purpose for purpose in Assignment.Purpose.values if purpose not in Assignment.Purpose.KNOWN
)

# The end of a line in RFC 4180; JSON Lines has a line feed.
CRLF = b"\r\n"

# Upper bound on the digits of a row id (bigint).
LONGEST = 19

# The ratings, and the judgments without a rating, that follow a mark.
_NEXT_RATINGS = """
SELECT r.id
  FROM tasks_app_rating r
  JOIN tasks_app_judgment j ON j.id = r.judgment_id
  JOIN tasks_app_assignment a ON a.id = j.assignment_id
 WHERE r.task_id = ANY(%(tasks)s) AND r.id > %(mark)s AND a.rater_kind <> 'sandbox'
   AND {current} {rated} {judged}
 ORDER BY r.id LIMIT %(limit)s
"""
_NEXT_SILENT = """
SELECT j.id
  FROM tasks_app_judgment j
  JOIN tasks_app_assignment a ON a.id = j.assignment_id
  JOIN tasks_app_unit u ON u.id = a.unit_id
 WHERE u.task_id = ANY(%(tasks)s) AND j.id > %(mark)s AND a.rater_kind <> 'sandbox'
   AND NOT EXISTS (SELECT 1 FROM tasks_app_rating r WHERE r.judgment_id = j.id)
   AND {current} {rated} {judged}
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
    checks: bool = False,
    until: Marks | None = None,
) -> Generator[bytes, None, None]:
    """Return the ratings of a study as chunks of a UTF-8 file, streamed at constant memory.

    Parameters
    ----------
    tasks, raters, criterion
        Keys of tasks, pseudonyms of raters, key of a criterion; None for all.
    since_id
        Leave out ratings up to this number, and equally old judgments without a rating.
    include
        Purposes to include, such as ("main", "repeat"); None for all but those of checks.
    checks
        Include answers to checks as well, where `include` does not say which purposes.
    until
        Leave out rows after these marks, so that a later request with `since_id` misses nothing.

    The connection is busy from the first chunk until the iterator is exhausted or closed.

    Raises
    ------
    UnknownName
        Before iterating, if the study has no such task, rater or criterion, or there is no such purpose.
    django.db.DatabaseError
        While iterating; earlier chunks are then incomplete.
    """
    selection = select(study, tasks=tasks, raters=raters, criterion=criterion, include=include, checks=checks)
    selection = replace(selection, after=since_id, until=until)
    own = own_columns_of(study)
    statement = Statement(selection, own, neutralised=format == "csv")
    if format == "csv":
        return copy_out(statement.cells(), statement.params, options=CSV, head=_header(COLUMNS, own), line_end=CRLF)
    return copy_out(statement.objects(), statement.params, options=RAW)


def stream_all(
    studies: Sequence[Study], *, format: Format = "csv", checks: bool = False
) -> Generator[bytes, None, None]:
    """Return the ratings of several studies as chunks of one file, study after study.

    The first column, `study`, is the slug of the study. Features of items and attributes of systems of any of the
    studies are columns of all; where a study does not have one, it is empty. Each study is read as it is when its turn
    comes.
    Answers to checks are left out unless `checks` says otherwise.

    The connection is busy while a study is read. Raises django.db.DatabaseError while iterating.
    """
    own = own_columns_of(*studies)
    head = _header((STUDY, *COLUMNS), own)
    for study in studies:
        statement = Statement(select(study, checks=checks), own, neutralised=format == "csv", named=True)
        if format == "csv":
            yield from copy_out(statement.cells(), statement.params, options=CSV, head=head, line_end=CRLF)
            head = b""
        else:
            yield from copy_out(statement.objects(), statement.params, options=RAW)


def _header(names: Sequence[str], own: OwnColumns) -> bytes:
    line = io.StringIO(newline="")
    csv.writer(line).writerow([*names, *own.names])
    return line.getvalue().encode()


def select(
    study: Study,
    *,
    tasks: Sequence[str] | None = None,
    raters: Sequence[str] | None = None,
    criterion: str | None = None,
    include: Sequence[str] | None = None,
    checks: bool = False,
) -> Selection:
    """Return the selection for some names, with every version of tasks and criteria. Raises UnknownName.

    Without purposes to include, answers to checks are left out unless `checks` says otherwise.
    """
    for purpose in include or ():
        if purpose not in Assignment.Purpose.values:
            facts = {"name": purpose, "names": ", ".join(Assignment.Purpose.values)}
            raise UnknownName(_("There is no purpose “%(name)s”. The purposes are: %(names)s.") % facts)
    task_ids = (
        judgments.task_ids(study, tasks)
        if tasks is not None
        else tuple(Task.objects.filter(study=study).values_list("pk", flat=True))
    )
    return Selection(
        study,
        task_ids,
        raters=None if raters is None else judgments.rater_ids(study, raters),
        criteria=None if criterion is None else _criterion_ids(study, criterion),
        purposes=tuple(include) if include is not None else None if checks else WITHOUT_CHECKS,
    )


def _criterion_ids(study: Study, key: str) -> tuple[int, ...]:
    sentence = _("There is no criterion “%(name)s” in this study.")
    return judgments.ids_of(Criterion.objects.filter(study=study), "key", [key], sentence)


@dataclass(frozen=True, slots=True)
class Page:
    """Rows as objects, and the mark after which the next page begins; None at the end."""

    rows: list[dict[str, Any]]
    next: str | None


def page(selection: Selection, mark: str, size: int) -> Page:
    """Return the rows of the next `size` ratings, or judgments without one, after a mark ("" at the beginning).

    A mark is r and the number of a rating, or j and the number of a judgment. Raises ValueError for other marks.
    """
    kind, after = _read_mark(mark)
    ids: dict[str, list[int]] = {"r": [], "j": []}
    for key in ("r", "j"):
        n_left = size + 1 - len(ids["r"])
        if n_left > 0 and (kind, key) != ("j", "r"):
            ids[key] = _next(selection, key, after if key == kind else 0, n_left)
    marks = [f"{key}{number}" for key, numbers in ids.items() for number in numbers]
    shown_marks = marks[:size]
    rows = (
        _rows(replace(selection, ratings=_of_kind(shown_marks, "r"), silent=_of_kind(shown_marks, "j")))
        if shown_marks
        else []
    )
    return Page(rows, shown_marks[-1] if len(marks) > size else None)


def _read_mark(mark: str) -> tuple[str, int]:
    kind, number = mark[:1], mark[1:]
    if not mark:
        return "r", 0
    if kind not in {"r", "j"} or not (number.isascii() and number.isdecimal() and len(number) < LONGEST):
        raise ValueError(_("This is no mark of a page: take the address of the next page as the answer gives it."))
    return kind, int(number)


def _of_kind(marks: Sequence[str], kind: str) -> tuple[int, ...]:
    return tuple(int(mark[1:]) for mark in marks if mark.startswith(kind))


def _next(selection: Selection, kind: str, mark: int, limit: int) -> list[int]:
    ratings = kind == "r"
    sql = (_NEXT_RATINGS if ratings else _NEXT_SILENT).format(
        rated=selection.rated if ratings else selection.without_rating,
        judged=selection.judged,
        current=selection.current,
    )
    return [pk for (pk,) in statements.rows(sql, {**selection.params(), "mark": mark, "limit": limit})]


def _rows(selection: Selection) -> list[dict[str, Any]]:
    statement = Statement(selection, own_columns_of(selection.study), neutralised=False)
    return [json.loads(line) for (line,) in statements.rows(statement.objects(), statement.params)]
