"""Finding rows of one analysis by what they are, for its tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from analytics_app.models import ResultRow
from analytics_app.views import tables
from analytics_app.views.tables import DASH, Cell


class Found:
    """The rows of one analysis: those after the rules, or all where nothing was removed; and those before."""

    def __init__(self, rows: Sequence[ResultRow]) -> None:
        self.before = [row for row in rows if row.basis == "all"]
        self.kept = [row for row in rows if row.basis == "kept"] or self.before
        self.both = bool(self.before) and self.kept is not self.before

    def of(self, *statistics: str) -> list[ResultRow]:
        """Return the rows of some statistics, in the order of the document."""
        return [row for row in self.kept if row.statistic in statistics]

    def one(self, statistic: str, *, before: bool = False, **columns: Any) -> ResultRow | None:
        """Return the first row of a statistic that has these values."""
        rows = self.before if before else self.kept
        return next(
            (
                row
                for row in rows
                if row.statistic == statistic and all(getattr(row, name) == value for name, value in columns.items())
            ),
            None,
        )

    def values(self, column: str, rows: Iterable[ResultRow]) -> list[Any]:
        """Return the different values of a column, in the order of the document."""
        return list(dict.fromkeys(getattr(row, column) for row in rows))


def value(row: ResultRow | None, digits: int = 2) -> Cell:
    """Return the cell of a row's value."""
    return tables.number(row.value if row is not None else None, digits)


def count(row: ResultRow | None) -> Cell:
    """Return the cell of a row's value that is a whole number."""
    return tables.whole(int(row.value)) if row is not None and row.value is not None else Cell(DASH)


def ends(row: ResultRow | None, digits: int = 2) -> Cell:
    """Return the cell of a row's interval."""
    return tables.interval(row.low, row.high, digits) if row is not None else Cell(DASH)


def tested(row: ResultRow | None, limit: float) -> Iterator[Cell]:
    """Yield the cells of t, its degrees of freedom, p and adjusted p."""
    t = (row.settings or {}).get("t") if row is not None else None
    yield tables.number(t if isinstance(t, float) else None)
    yield degrees(row)
    yield tables.p_value(row.p if row is not None else None)
    yield tables.p_value(row.p_adjusted if row is not None else None, limit)


def degrees(row: ResultRow | None) -> Cell:
    """Return the cell of degrees of freedom, whole or with one digit."""
    df = row.df if row is not None else None
    return tables.number(df, 0 if df is None or df == int(df) else 1)
