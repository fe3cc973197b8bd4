"""The rows about units of a study that is set up: store a table, add, change and remove rows, and search them."""

from collections.abc import Mapping, Sequence

from django.db.models import QuerySet
from django.db.models.fields.json import KeyTextTransform
from django.utils.translation import gettext as _

from tasks_app.hooks.sections import Json
from tasks_app.models import Setup, SetupRow
from tasks_app.services import events
from tasks_app.services.database import atomically
from tasks_app.setup import changes, table_rows
from tasks_app.setup.changes import ChangedMeanwhile
from tasks_app.setup.tables.marking import MarkedProblems
from tasks_app.setup.unit_tables.checking import check_rows, reading_of_units, stored_rows, texts_of
from tasks_app.setup.unit_tables.declared import UnitTable
from tasks_app.studyfile.files.headers import Naming
from tasks_app.studyfile.files.tables import Row
from tasks_app.studyfile.problems import Problem, StudyFileError

ROWS_ON_A_PAGE = 50

# A filter with more values than this is no help.
MOST_FILTERS = 200


@atomically
def store(
    *,
    setup: Setup,
    table: UnitTable,
    rows: Sequence[Mapping[str, str]],
    base: int,
    by: events.Actor,
    add: bool = False,
    source: Mapping[str, Json] | None = None,
) -> Setup:
    """Put checked rows in place of those of a table, or behind them; all of them, or none.

    `base` is the revision of the set-up that they were checked at, `source` says for the log where they come from.

    Raises
    ------
    ChangedMeanwhile
        Where the set-up was changed since, so that the check no longer holds.
    tasks_app.services.study.drafts.NotADraft
        Where the study was opened meanwhile.
    """
    setup = changes.hold(setup)
    if setup.revision != base:
        raise ChangedMeanwhile
    before, after = table_rows.store(setup, table.stem, rows, by, add=add)
    if forgotten := table_rows.how_it_was_read(setup, table.stem):
        setup = changes.change(setup=setup, values=forgotten, base=setup.revision, by=by).setup
    after_words = {"rows": after, **(source or {})}
    events.log(setup.study, by, "stored", about=table.stem, before={"rows": before}, after=after_words)
    return setup


@atomically
def put_row(
    *,
    setup: Setup,
    table: UnitTable,
    number: int | None,
    cells: Mapping[str, str],
    by: events.Actor,
    digest_shown: str = "",
) -> tuple[SetupRow, Sequence[Problem]]:
    """Change a row, or add one where `number` is None; `digest_shown` is that of the row as the page showed it.

    Return the row, and what is wrong with the table besides: a table that is filled in row by row is complete only in
    the end, when the whole study is checked.

    Raises
    ------
    StudyFileError
        Where the row itself is wrong, or where no units can be made yet.
    tasks_app.services.study.drafts.NotADraft
        Where the study was opened meanwhile.
    tasks_app.setup.table_rows.RowChanged
        Where somebody else has changed the row since it was shown, or removed it.
    """
    setup = changes.hold(setup)
    row = table_rows.row_as_seen(setup, table.stem, number, digest_shown)
    values = table_rows.values_of(table.declared, cells)
    row.number = row.number or table_rows.next_number(setup, table.stem)
    row.cells = texts_of(table.declared, values)
    others = _checked(setup, table, row.number, values)
    table_rows.save(setup, row, by)
    events.log(setup.study, by, "changed", about=table.stem, after={"row": row.number, "added": number is None})
    return row, others


def _checked(setup: Setup, table: UnitTable, number: int, values: Mapping[str, Json]) -> Sequence[Problem]:
    """Check a row among the others; return the other problems. Raises StudyFileError."""
    own = _("this row")
    problems = MarkedProblems(own)
    # It comes last, so that it is the one that is told to repeat another.
    rows = [*stored_rows(setup, table, without=number), Row(own, number, dict(values), Naming(table.declared))]
    check_rows(reading_of_units(setup, table), table, rows, problems)
    if sentences := problems.by_line.get(number):
        raise StudyFileError([Problem(own, 0, 0, sentence) for sentence in sentences])
    try:
        problems.raise_if_any()
    except StudyFileError as error:
        return error.problems
    return ()


@atomically
def remove_rows(*, setup: Setup, table: UnitTable, rows: QuerySet[SetupRow], by: events.Actor) -> int:
    """Remove rows of a table; return how many. Raises NotADraft."""
    setup = changes.hold(setup)
    before, n = table_rows.remove(setup, table.stem, rows, by)
    if n:
        events.log(setup.study, by, "removed", about=table.stem, before={"rows": before}, after={"rows": before - n})
    return n


@atomically
def bring_back(*, setup: Setup, table: UnitTable, by: events.Actor) -> int:
    """Put the rows back that were removed or replaced last; return how many. Raises NotADraft."""
    setup = changes.hold(setup)
    n = table_rows.bring_back(setup, table.stem, by)
    if n:
        events.log(setup.study, by, "brought back", about=table.stem, after={"rows": n})
    return n


def search(setup: Setup, table: UnitTable, words: str = "", value: str = "") -> QuerySet[SetupRow]:
    """Return the rows that contain some words, and have a value in the column that the table is filtered by."""
    rows = table_rows.rows_of(setup, table.stem)
    if value:
        rows = rows.filter(**{f"cells__{table.filtered_by}": value})
    return table_rows.containing(rows, words, table.declared.names)


def filters_of(setup: Setup, table: UnitTable) -> list[str]:
    """Return the values that a table can be filtered by; none where there is no choice, or far too much of it."""
    rows = table_rows.rows_of(setup, table.stem).order_by()
    named = rows.annotate(value=KeyTextTransform(table.filtered_by, "cells")).exclude(value__isnull=True)
    values = list(named.values_list("value", flat=True).distinct()[: MOST_FILTERS + 1])
    return sorted(values) if 1 < len(values) <= MOST_FILTERS else []
