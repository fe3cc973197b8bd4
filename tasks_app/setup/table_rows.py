"""The rows of any table of a set-up: find, store, change and remove them; the caller holds the set-up."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_

from django.db.models import Count, Max, Q, QuerySet
from django.utils.translation import gettext as _

from tasks_app.hooks.sections import Json, Path, digest
from tasks_app.models import Setup, SetupRow
from tasks_app.services import events
from tasks_app.setup import changes
from tasks_app.setup.changes import REMOVED, REPLACED
from tasks_app.setup.tables.marking import MarkedProblems
from tasks_app.studyfile.columns import BadCell, TableDeclaration, from_text
from tasks_app.texts.plaintext import problem_in

# The mark of rows while they change places.
_ON_THE_WAY = "~"


@dataclass(frozen=True, slots=True)
class TakenOut:
    """Rows that can be brought back: their number, and whether others are in their place."""

    n: int
    is_replaced: bool


@dataclass(frozen=True, slots=True)
class TableCounts:
    """The number of rows in a table, and the rows that can be brought back into it."""

    rows: int
    taken_out: TakenOut | None


class RowChanged(Exception):
    """Another person has changed a row meanwhile, or removed it."""


def rows_of(setup: Setup, table: str) -> QuerySet[SetupRow]:
    """Return the rows of a table in their order."""
    return setup.rows.filter(table=table).order_by("number")


def containing(rows: QuerySet[SetupRow], words: str, columns: Iterable[str]) -> QuerySet[SetupRow]:
    """Return the rows that contain some words in one of these columns; all rows if there are no words."""
    matches = [Q(**{f"cells__{name}__icontains": words}) for name in columns] if words else []
    return rows.filter(reduce(or_, matches, Q()))


def cells_of_rows(setup: Setup, table: str) -> Iterator[dict[str, str]]:
    """Yield the cells of all rows of a table, without holding them."""
    yield from rows_of(setup, table).values_list("cells", flat=True).iterator(chunk_size=changes.ROWS_A_STATEMENT)


def item_of(unit: str) -> str:
    """Return the item that the key of a unit begins with; a name of the researcher's own names none."""
    return unit.partition("@")[0].partition("/")[0]


def items_of_checks(setup: Setup) -> set[str]:
    """Return the keys of the items with known answers, which are not evaluated."""
    known = rows_of(setup, changes.KNOWN_ANSWERS).order_by()
    return {item_of(str(unit)) for unit in known.values_list("cells__unit", flat=True).distinct()}


def next_number(setup: Setup, table: str) -> int:
    """Return the number of a row that is added; rows that were removed keep theirs."""
    last: int = setup.rows.filter(table__in=(table, REMOVED + table)).aggregate(last=Max("number"))["last"] or 0
    return last + 1


def store(
    setup: Setup, table: str, rows: Sequence[Mapping[str, str]], by: events.Actor, *, add: bool
) -> tuple[int, int]:
    """Put checked rows in place of those of a table, or behind them; return how many there were and are."""
    present = rows_of(setup, table)
    before = present.count()
    first = 1
    if add:
        first = next_number(setup, table)
    elif not take_out(setup, table, present, REPLACED):
        # Whatever was removed before stood where these rows come.
        setup.rows.filter(table=REMOVED + table).update(table=REPLACED + table)
    changes.write_rows(setup, table, rows, first)
    after = len(rows) + (before if add else 0)
    changes.log_table(setup, table, before, after, by)
    return before, after


def take_out(setup: Setup, table: str, rows: QuerySet[SetupRow], mark: str) -> int:
    """Take rows out of a table in such a way that they can be brought back; those taken out before are gone."""
    keys = list(rows.order_by().values_list("pk", flat=True))
    if keys:
        setup.rows.filter(table__in=(REMOVED + table, REPLACED + table)).delete()
        setup.rows.filter(pk__in=keys).update(table=mark + table)
    return len(keys)


def taken_out(setup: Setup, table: str) -> TakenOut | None:
    """Return the number of rows that can be brought back into a table; None where there are none."""
    return counted(setup, table).taken_out


def counted(setup: Setup, table: str) -> TableCounts:
    """Return the number of rows of a table, and of those that can be brought back into it; one query."""
    rows = setup.rows.filter(table__in=(table, REMOVED + table, REPLACED + table)).order_by()
    by_mark = dict(rows.values_list("table").annotate(n=Count("id")))
    taken_out = None
    for mark in (REPLACED, REMOVED):
        if n := by_mark.get(mark + table):
            taken_out = TakenOut(n, mark == REPLACED)
    return TableCounts(by_mark.get(table, 0), taken_out)


def bring_back(setup: Setup, table: str, by: events.Actor) -> int:
    """Put the rows back that were taken out last; where others are in their place, those are taken out instead."""
    away, before = taken_out(setup, table), rows_of(setup, table).count()
    if away is None:
        return 0
    if away.is_replaced:
        setup.rows.filter(table=table).update(table=_ON_THE_WAY + table)
        setup.rows.filter(table=REPLACED + table).update(table=table)
        setup.rows.filter(table=_ON_THE_WAY + table).update(table=REPLACED + table)
    else:
        setup.rows.filter(table=REMOVED + table).update(table=table)
    after = rows_of(setup, table).count()
    changes.log_table(setup, table, before, after, by)
    return away.n


def how_it_was_read(setup: Setup, table: str) -> dict[Path, Json]:
    """Return the change that forgets how a file of a table was to be read, which no longer holds."""
    return {(part, table): None for part in ("columns", "quoting") if setup.document.value((part, table)) is not None}


def row_as_seen(setup: Setup, table: str, number: int | None, digest_shown: str) -> SetupRow:
    """Return a row to change, or a new one for None. Raises RowChanged where it is not as it was shown."""
    if number is None:
        return SetupRow(setup=setup, table=table)
    row = rows_of(setup, table).filter(number=number).first()
    if row is None or (digest_shown and digest_shown != digest(row.cells)):
        raise RowChanged
    return row


def save(setup: Setup, row: SetupRow, by: events.Actor) -> None:
    """Store a row that was changed, or one that is new."""
    before = rows_of(setup, row.table).count()
    is_new = row.pk is None
    if is_new and not row.number:
        row.number = next_number(setup, row.table)
    row.save()
    changes.log_table(setup, row.table, before, before + is_new, by)


def remove(setup: Setup, table: str, rows: QuerySet[SetupRow], by: events.Actor) -> tuple[int, int]:
    """Remove rows of a table; return how many there were, and how many were removed."""
    before = rows_of(setup, table).count()
    n = take_out(setup, table, rows_of(setup, table).filter(pk__in=rows.order_by().values("pk")), REMOVED)
    if n:
        changes.log_table(setup, table, before, before - n, by)
    return before, n


def values_of(declared: TableDeclaration, cells: Mapping[str, str]) -> dict[str, Json]:
    """Return the values of the cells of a row, without the empty ones. Raises StudyFileError."""
    problems = MarkedProblems()
    values = {}
    for name, text in cells.items():
        column = declared.column(name)
        try:
            if sentence := problem_in(text):
                raise BadCell(sentence)
            value = None if column is None else from_text(column, text)
        except BadCell as error:
            problems.add(_("row"), 0, 0, f"{name}: {error}")
            continue
        if value is not None:
            values[name] = value
    problems.raise_if_any()
    return values
