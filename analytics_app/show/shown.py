"""The tables of analyses: declared by their columns, general ones for all other rows, and the registry of both."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from django.utils.translation import gettext as _

from analytics_app.models import ResultRow
from analytics_app.show import formats, labels
from analytics_app.show.cells import DASH, Cell, Words, number
from analytics_app.show.formats import Format
from analytics_app.show.index import RowIndex
from analytics_app.show.notes import left_out, notes_of
from analytics_app.show.signatures import with_signatures
from analytics_app.show.table import Column, Table

StoredRows: TypeAlias = RowIndex[ResultRow]


@dataclass(frozen=True, slots=True)
class Shown:
    """A column: its head, the statistic it shows ("" for the row of the line itself), and how.

    `where` gives columns of the statistic's row other values than the line has. A column of values `before` the rules
    is left off where rules took nothing.
    """

    head: Words
    statistic: str
    show: Format
    where: Mapping[str, Any] = field(default_factory=dict)
    before: bool = False
    number: bool = True


def own(head: Words, show: Format) -> Shown:
    """Return a column of numbers of the line's own row."""
    return Shown(head, "", show)


def named(head: Words, text: Callable[[ResultRow], object]) -> Shown:
    """Return a column of words about the line's own row."""
    return Shown(head, "", formats.text(text), number=False)


def lines_of(rows: Iterable[ResultRow], *by: str) -> list[ResultRow]:
    """Return the lines of a table: the first of some rows for each system, pair, label and so on."""
    first: dict[tuple[Any, ...], ResultRow] = {}
    for row in rows:
        first.setdefault(tuple(getattr(row, name) for name in by), row)
    return list(first.values())


def table_of(
    rows: StoredRows,
    caption: Words,
    columns: Sequence[Shown],
    lines: Sequence[ResultRow],
    *,
    by: Sequence[str] = (),
    notes: Sequence[str] | None = None,
    most: int | None = None,
    more: str = "",
    used_only: bool = False,
    for_notes: bool = False,
) -> Iterator[Table]:
    """Yield a table, if there are lines for it, or notes where a table is `for_notes` too.

    A column shows the row of its statistic that has the same values as the line in the columns `by`. The notes are
    those of the statistics that are shown, else of the lines. Of more than `most` lines the sentence `more` says how
    many are left out. With `used_only` a column of dashes is left off, but for the first.
    """
    if not lines and not (for_notes and notes):
        return
    shown = [column for column in columns if rows.both or not column.before]
    cells = [[column.show(_row(rows, column, line, by)) for column in shown] for line in lines[:most]]
    if used_only:
        used = [n for n in range(len(shown)) if n == 0 or any(line[n].text != DASH for line in cells)]
        shown, cells = [shown[n] for n in used], [[line[n] for n in used] for line in cells]
    if notes is None:
        statistics = [column.statistic for column in columns if column.statistic]
        notes = notes_of(rows.of(*statistics) if statistics else lines[:most])
    yield Table(
        caption,
        [Column(column.head, column.number) for column in shown],
        cells,
        [*notes, *(left_out(len(lines) - most, more) if most is not None else [])],
    )


def _row(rows: StoredRows, column: Shown, line: ResultRow, by: Sequence[str]) -> ResultRow | None:
    if not (column.statistic or column.before or column.where):
        return line
    about = {name: getattr(line, name) for name in by} | dict(column.where)
    return rows.one(column.statistic or line.statistic, before=column.before, **about)


def by_system(
    rows: StoredRows, caption: Words, columns: Sequence[Shown], *, lead: str, lowest_first: bool = False, also: str = ""
) -> Iterator[Table]:
    """Yield a table with one line for each system, by the values of `lead`, which is also shown before the rules.

    What the rows of the statistic `also` have to say stands below it.
    """
    sign = 1 if lowest_first else -1
    place = {row.system: sign * row.value for row in rows.of(lead) if row.value is not None}
    lines = lines_of(rows.of(*(column.statistic for column in columns)), "system")
    lines.sort(key=lambda row: place.get(row.system, float("inf")))
    head = named(_("System"), lambda row: row.system)
    yield from _compared(rows, caption, [head, *columns], lines, ("system",), lead, also)


def by_pair(rows: StoredRows, caption: Words, columns: Sequence[Shown], *, lead: str, sign: str) -> Iterator[Table]:
    """Yield a table with one line for each pair of systems, in the order of the document."""
    by = ("system", "system_b")
    head = named(_("Pair"), formats.pair(sign))
    yield from _compared(rows, caption, [head, *columns], lines_of(rows.of(lead), *by), by, lead)


def _compared(
    rows: StoredRows,
    caption: Words,
    columns: Sequence[Shown],
    lines: Sequence[ResultRow],
    by: Sequence[str],
    lead: str,
    also: str = "",
) -> Iterator[Table]:
    counts = {formats.ratings, formats.items}
    first = next(column for column in columns if column.statistic == lead and column.show not in counts)
    before = Shown(_("%(measure)s before rules") % {"measure": first.head}, lead, first.show, before=True)
    notes = notes_of(rows.of(*(column.statistic for column in columns), also))
    yield from table_of(rows, caption, [*columns, before], lines, by=by, notes=notes, used_only=True)


def facts(rows: StoredRows, caption: Words, shown: Mapping[str, Format]) -> Iterator[Table]:
    """Yield a table with one line for each number, in its own format, with the value before the rules."""

    def value(row: ResultRow | None) -> Cell:
        return shown[row.statistic](row) if row is not None else Cell(DASH)

    columns = [
        named(_("Measure"), formats.statistic_and_label),
        own(_("Value"), value),
        own(_("Interval"), formats.interval(2)),
        own(_("df"), lambda row: number(row.df if row is not None else None, 0)),
        own(_("p"), formats.p),
        own(_("Ratings"), formats.ratings),
        own(_("Items"), formats.items),
        own(_("Raters"), formats.raters),
        Shown(_("Before rules"), "", value, before=True),
    ]
    lines = [row for statistic in shown for row in rows.of(statistic)]
    yield from table_of(rows, caption, columns, lines, by=("label",), used_only=True)


# What a page shows of one analysis; more is in the file of results.
MOST_ROWS = 200


def general_table(rows: Sequence[ResultRow], limit: float, *, caption: Words = "") -> Iterator[Table]:
    """Yield rows with the columns that are in use, if there are some; the value before the rules beside.

    Rows of which the rules kept nothing are shown as they were before. Without a caption the table has the name of the
    analysis.
    """
    index = RowIndex(rows)
    before = {_about(row): row for row in index.before} if index.kept else {}
    was = formats.digits(3)
    columns = [
        named(_("Measure"), formats.statistic),
        named(_("Part"), formats.part),
        named(_("System"), lambda row: " – ".join(filter(None, (row.system, row.system_b)))),
        named(_("Rater"), lambda row: row.rater),
        named(_("Label"), lambda row: row.label),
        own(_("Value"), formats.digits(3)),
        own(_("Interval"), formats.interval(3)),
        own(_("df"), formats.df),
        own(_("p"), formats.p_uncorrected(limit)),
        own(_("Adjusted p"), formats.p_adjusted(limit)),
        own(_("Ratings"), formats.ratings),
        own(_("Items"), formats.items),
        own(_("Raters"), formats.raters),
        own(_("Before rules"), lambda row: was(before.get(_about(row)) if row is not None else None)),
    ]
    lines = index.kept or index.before
    yield from table_of(
        index,
        caption or (labels.analysis(rows[0].analysis) if rows else ""),
        columns,
        lines,
        most=MOST_ROWS,
        more=_("Further rows in the file of results: %(n)s."),
        used_only=True,
    )


def others(rows: StoredRows, statistics: Sequence[str], limit: float, caption: Words) -> Iterator[Table]:
    """Yield a general table of some statistics."""
    yield from general_table([row for row in rows.rows if row.statistic in statistics], limit, caption=caption)


def subsets(rows: StoredRows, limit: float, caption: Words) -> Iterator[Table]:
    """Yield a general table of slices, groups and waves."""
    yield from general_table(rows.parts, limit, caption=caption)


def _about(row: ResultRow) -> tuple[object, ...]:
    """Return the identity of a row without its basis."""
    return (
        row.statistic, row.system, row.system_b, row.label, row.rater, row.group, row.wave, row.slice, row.metric,
        row.metric_b, str((row.settings or {}).get("level", "")),
    )  # fmt: skip


# Makes tables of the rows of an analysis; the number is below what a p value is significant.
Make: TypeAlias = Callable[[StoredRows, float], Iterator[Table]]


@dataclass(frozen=True, slots=True)
class Shared:
    """A table shared by several analyses. Shared tables come after all others, those of a lower `order` first."""

    analyses: frozenset[str]
    make: Make
    order: int
    folded: bool


_own: dict[str, Make] = {}
_shared: list[Shared] = []


def tables_of(*analyses: str) -> Callable[[Make], Make]:
    """Register the tables of an analysis; with several names, those of each separately."""

    def known(make: Make) -> Make:
        for name in analyses:
            if _own.setdefault(name, make) is not make:
                raise ValueError(f"There are tables of the analysis {name!r} already.")
        return make

    return known


def shared_table(*analyses: str, order: int, folded: bool = False) -> Callable[[Make], Make]:
    """Register a table of the rows of several analyses, which then have no tables of their own.

    It is also made where the rules kept nothing, so that it can show what was before them as such.
    """

    def known(make: Make) -> Make:
        _shared.append(Shared(frozenset(analyses), make, order, folded))
        return make

    return known


def is_shared(analysis: str) -> bool:
    """Return whether the rows of an analysis are in tables shared with others."""
    return any(analysis in shared.analyses for shared in _shared)


def tables_for(analysis: str, rows: Sequence[ResultRow], limit: float) -> list[Table]:
    """Return the tables of an analysis: its own, else the general one, with the signatures of metrics below each."""
    make, index = _own.get(analysis), RowIndex(rows)
    tables = make(index, limit) if make is not None else general_table(rows, limit)
    return list(with_signatures(tables, index.kept))


def shared_tables(rows: Sequence[ResultRow], limit: float, *, folded: bool) -> list[tuple[int, Table]]:
    """Return the tables shared by several analyses, with their order."""
    tables = []
    for shared in sorted(_shared, key=lambda entry: entry.order):
        of_shared = [row for row in rows if row.analysis in shared.analyses]
        if of_shared and shared.folded == folded:
            tables += [(shared.order, table) for table in shared.make(RowIndex(of_shared), limit)]
    return tables
