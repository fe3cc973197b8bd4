"""The registry of the tables of analyses: their own tables, and tables shared by several analyses."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from analytics_app.models import ResultRow
from analytics_app.show.general import general_table
from analytics_app.show.index import RowIndex
from analytics_app.show.shown import Rows
from analytics_app.show.table import Table

# Makes tables of the rows of an analysis; the number is below what a p value is significant.
Make: TypeAlias = Callable[[Rows, float], Iterator[Table]]


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
    """Return the tables of an analysis: its own, else the general one."""
    make = _own.get(analysis)
    return list(make(RowIndex(rows), limit) if make is not None else general_table(rows, limit))


def shared_tables(rows: Sequence[ResultRow], limit: float, *, folded: bool) -> list[tuple[int, Table]]:
    """Return the tables shared by several analyses, with their order."""
    tables = []
    for shared in sorted(_shared, key=lambda entry: entry.order):
        of_shared = [row for row in rows if row.analysis in shared.analyses]
        if of_shared and shared.folded == folded:
            tables += [(shared.order, table) for table in shared.make(RowIndex(of_shared), limit)]
    return tables
