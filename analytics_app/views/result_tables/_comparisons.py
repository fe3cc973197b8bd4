"""What tables of comparisons share: a row a system or a pair, columns by statistic, values before rules beside."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from analytics_app.models import ResultRow
from analytics_app.views import tables, words
from analytics_app.views.picking import notes_of
from analytics_app.views.result_tables._finding import Found, ends, value
from analytics_app.views.result_tables._finding import count as whole
from analytics_app.views.result_tables.registry import general_table
from analytics_app.views.tables import DASH, Cell, Column, Table, Words

__all__ = ["Parts", "Shown", "whole"]

Show = Callable[[ResultRow | None], Cell]


@dataclass(frozen=True, slots=True)
class Shown:
    """A column: its head, the statistic it shows, and how."""

    head: Words
    statistic: str
    show: Show


def digits(n: int) -> Show:
    """Show a value with so many digits."""
    return lambda row: value(row, n)


def interval(n: int) -> Show:
    """Show an interval with so many digits."""
    return lambda row: ends(row, n)


def share(row: ResultRow | None) -> Cell:
    """Show a value as a percentage."""
    return tables.percent(row.value if row is not None else None)


def share_ends(row: ResultRow | None) -> Cell:
    """Show an interval of shares."""
    if row is None or row.low is None or row.high is None:
        return Cell(DASH)
    low, high = tables.figure(row.low * 100, 0), tables.figure(row.high * 100, 0)
    return Cell(_("%(low)s to %(high)s %%") % {"low": low, "high": high}, row.low)


def ranks(row: ResultRow | None) -> Cell:
    """Show a range of ranks."""
    if row is None or row.low is None or row.high is None:
        return Cell(DASH)
    return Cell(f"{row.low:g}" if row.low == row.high else f"{row.low:g}–{row.high:g}", row.low)


def ratings(row: ResultRow | None) -> Cell:
    """Show how many ratings went in."""
    return tables.whole(row.n_ratings if row is not None else None)


def items(row: ResultRow | None) -> Cell:
    """Show how many items went in."""
    return tables.whole(row.n_items if row is not None else None)


def p(row: ResultRow | None) -> Cell:
    """Show p before the correction for several tests."""
    return tables.p_value(row.p if row is not None else None)


def p_below(limit: float) -> Show:
    """Show corrected p, or p where nothing is corrected; bold below a limit."""

    def show(row: ResultRow | None) -> Cell:
        if row is None:
            return Cell(DASH)
        return tables.p_value(row.p_adjusted if row.p_adjusted is not None else row.p, limit)

    return show


def _measure(row: ResultRow) -> str:
    said = words.statistic(row.statistic)
    return f"{said}: {row.label}" if row.label else said


class Parts:
    """The rows of one analysis: those of everything, found by statistic, and those of slices, groups and waves."""

    def __init__(self, rows: Sequence[ResultRow]) -> None:
        self.found = Found([row for row in rows if not (row.slice or row.group or row.wave)])
        self.rest = [row for row in rows if row.slice or row.group or row.wave]

    def by_system(
        self, caption: Words, columns: Sequence[Shown], *, lead: str, lowest_first: bool = False, also: str = ""
    ) -> Iterator[Table]:
        """Yield a table with a row a system, by the values of `lead`, which is also shown before the rules.

        What the rows of the statistic `also` have to say stands below it.
        """
        sign = 1 if lowest_first else -1
        systems = [str(key) for key in self.found.values("system", self.found.of(*(one.statistic for one in columns)))]
        place = {row.system: sign * row.value for row in self.found.of(lead) if row.value is not None}
        names = sorted(systems, key=lambda key: place.get(key, float("inf")))
        yield from self._table(caption, _("System"), columns, lead, [(key, {"system": key}) for key in names], also)

    def by_pair(self, caption: Words, columns: Sequence[Shown], *, lead: str, sign: str) -> Iterator[Table]:
        """Yield a table with a row a pair of systems, in the order of the document."""
        pairs = dict.fromkeys((row.system, row.system_b) for row in self.found.of(lead))
        named = [(f"{a} {sign} {b}", {"system": a, "system_b": b}) for a, b in pairs]
        yield from self._table(caption, _("Pair"), columns, lead, named)

    def _table(
        self,
        caption: Words,
        head: Words,
        columns: Sequence[Shown],
        lead: str,
        named: Sequence[tuple[str, Mapping[str, Any]]],
        also: str = "",
    ) -> Iterator[Table]:
        if not named:
            return
        shown = [Column(head, number=False), *(Column(one.head) for one in columns)]
        cells = [
            [tables.name(name), *(one.show(self.found.one(one.statistic, **which)) for one in columns)]
            for name, which in named
        ]
        if self.found.both:
            first = next(one for one in columns if one.statistic == lead and one.show not in {ratings, items})
            shown.append(Column(_("%(measure)s before rules") % {"measure": first.head}))
            for (_name, which), row in zip(named, cells, strict=True):
                row.append(first.show(self.found.one(lead, before=True, **which)))
        used = [number for number in range(len(shown)) if number == 0 or any(row[number].text != DASH for row in cells)]
        about = self.found.of(*dict.fromkeys(one.statistic for one in columns), also)
        yield Table(caption, [shown[n] for n in used], [[row[n] for n in used] for row in cells], notes_of(about))

    def others(self, caption: Words, statistics: Sequence[str], limit: float) -> Iterator[Table]:
        """Yield a general table of some statistics, before and after the rules."""
        rows = [*self.found.of(*statistics)]
        if self.found.both:
            rows += [row for row in self.found.before if row.statistic in statistics]
        if rows:
            yield general_table(rows, limit, caption=str(caption))

    def facts(self, caption: Words, shown: Mapping[str, Show]) -> Iterator[Table]:
        """Yield a table with a row a number, each shown in its own way, the value before the rules beside."""
        rows = [row for statistic in shown for row in self.found.of(statistic)]
        if not rows:
            return
        parts: list[tuple[Column, list[Cell]]] = [
            (Column(_("Measure"), number=False), [tables.name(_measure(row)) for row in rows]),
            (Column(_("Value")), [shown[row.statistic](row) for row in rows]),
            (Column(_("Interval")), [ends(row, 2) for row in rows]),
            (Column(_("df")), [tables.number(row.df, 0) for row in rows]),
            (Column(_("p")), [p(row) for row in rows]),
            (Column(_("Ratings")), [ratings(row) for row in rows]),
            (Column(_("Items")), [items(row) for row in rows]),
            (Column(_("Raters")), [tables.whole(row.n_raters) for row in rows]),
        ]
        if self.found.both:
            before = [self.found.one(row.statistic, before=True, label=row.label) for row in rows]
            cells = [shown[row.statistic](old) for row, old in zip(rows, before, strict=True)]
            parts.append((Column(_("Before rules")), cells))
        used = [(column, cells) for column, cells in parts if any(cell.text != DASH for cell in cells)]
        lines = [list(line) for line in zip(*(cells for _column, cells in used), strict=True)]
        yield Table(caption, [column for column, _cells in used], lines, notes_of(rows))

    def part_by_part(self, caption: Words, limit: float) -> Iterator[Table]:
        """Yield a general table of slices, groups and waves."""
        if self.rest:
            yield general_table(self.rest, limit, caption=str(caption))
