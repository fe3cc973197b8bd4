"""A table of a page: its columns, lines and notes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from analytics_app.show.cells import Cell, Words


@dataclass(frozen=True, slots=True)
class Column:
    """The head of a column. Numbers stand right-aligned."""

    label: Words
    number: bool = True


@dataclass(frozen=True, slots=True)
class Table:
    """A table: the first cell of each row is its head. `notes` are sentences about its numbers."""

    caption: Words
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    notes: Sequence[str] = field(default=())

    @property
    def lines(self) -> Iterator[tuple[Cell, list[tuple[Cell, bool]]]]:
        """Each row: its head, and its other cells with whether they are numbers."""
        numbers = [column.number for column in self.columns[1:]]
        return ((head, list(zip(cells, numbers, strict=True))) for head, *cells in self.rows)
