"""A table of a page: its columns, lines and notes."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from django.utils.text import slugify

from analytics_app.show.cells import Cell, Words


@dataclass(frozen=True, slots=True)
class Column:
    """The head of a column. Numbers are right-aligned."""

    label: Words
    number: bool = True


@dataclass(frozen=True, slots=True)
class Table:
    """A table: the first cell of each row is its head. `notes` are sentences about its numbers.

    `aside` says why it stands behind what leads, of a table that does. `key` is its name in addresses, among the tables
    of its section. `signatures` are those of metrics that were computed here, by their names.
    """

    caption: Words
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    notes: Sequence[str] = field(default=())
    aside: str = ""
    key: str = ""
    signatures: Mapping[str, str] = field(default_factory=dict)

    @property
    def lines(self) -> Iterator[tuple[Cell, list[tuple[Cell, bool]]]]:
        """Each row: its head, and its other cells with whether they are numbers."""
        numbers = [column.number for column in self.columns[1:]]
        return ((head, list(zip(cells, numbers, strict=True))) for head, *cells in self.rows)


def with_keys(tables: Iterable[Table]) -> list[Table]:
    """Return the tables of a section with keys from their captions; later equal captions get a number."""
    times: Counter[str] = Counter()
    keyed = []
    for table in tables:
        name = slugify(str(table.caption)) or "table"
        times[name] += 1
        keyed.append(replace(table, key=name if times[name] == 1 else f"{name}-{times[name]}"))
    return keyed
