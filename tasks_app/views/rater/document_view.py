"""The page of a document as a table: its parts below each other, and their texts by each system side by side."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from django.utils.translation import gettext as _

from tasks_app.selectors.document_pages import Placed
from tasks_app.task_types.base import Criterion, DocumentCell, Screen, ShownPart, TaskType
from tasks_app.views.rater.text_block import ShownBlock


@dataclass(frozen=True, slots=True)
class ShownRow:
    """A part of the document: the screen with the material beside its texts, and its texts by column.

    A cell is None where the part has no text in a column.
    """

    number: int
    name: str
    beside: Screen
    cells: tuple[ShownBlock | None, ...]

    @property
    def id(self) -> str:
        """The number of the part, for ids on the page."""
        return str(self.number)


@dataclass(frozen=True, slots=True)
class ShownEnd:
    """The questions about the whole document by one system; they are part of the answer to its last text, `entry`."""

    entry: ShownBlock
    cells: Sequence[DocumentCell]

    @property
    def heading(self) -> str:
        """The name of what is asked about: the document, with the name of its column."""
        whole, column = _("The whole document"), self.entry.column_name
        return _("%(part)s, %(text)s") % {"part": whole, "text": column} if column else whole


@dataclass(frozen=True)
class ShownDocument:
    """The texts of a page in rows and columns; `columns` are names such as “Text A”, empty for the only column."""

    kind: TaskType
    columns: tuple[str, ...]
    rows: tuple[ShownRow, ...]

    @property
    def blocks(self) -> list[ShownBlock]:
        """The texts, row by row."""
        return [cell for row in self.rows for cell in row.cells if cell is not None]

    @property
    def first(self) -> ShownBlock:
        """The first text; its form has all that is the same for the others."""
        return self.blocks[0]

    @property
    def has_sources(self) -> bool:
        """Whether something stands beside the texts."""
        return any(
            row.beside.source or row.beside.reference or row.beside.context or row.beside.media for row in self.rows
        )

    @cached_property
    def ends(self) -> list[ShownEnd | None]:
        """The questions about the whole document by column, where the page has its end; else none."""
        by_column: dict[int, ShownEnd] = {}
        for row in self.rows:
            for column, cell in enumerate(row.cells):
                if cell is not None and (questions := cell.form.document_cells):
                    by_column[column] = ShownEnd(cell, questions)
        return [by_column.get(column) for column in range(len(self.columns))] if by_column else []

    @property
    def asked_of_whole(self) -> list[Criterion]:
        """The questions about the whole document, each once."""
        first = next((end for end in self.ends if end is not None), None)
        return [cell.criterion for cell in first.cells] if first else []

    @cached_property
    def data(self) -> dict[str, object] | None:
        """The data for the script of the task type, if it needs any."""
        cells = [(cell.number, row.number, cell.heading, cell.form) for row in self.rows for cell in row.cells if cell]
        return self.kind.document_data(cells)


def headings(places: Sequence[Placed], screens: Sequence[Screen]) -> list[str]:
    """Return the heading of each text of a page, in the order of the screens: its part and its column."""
    columns = _columns(places, screens)
    by_number = {place.number: place for place in places}
    found = []
    for number in range(len(screens)):
        place = by_number[number]
        part, column = part_name(place.row + 1), columns[place.column]
        found.append(_("%(part)s, %(text)s") % {"part": part, "text": column} if column else part)
    return found


def document_of(blocks: Sequence[ShownBlock], places: Sequence[Placed]) -> ShownDocument:
    """Return texts in rows and columns; `places` name the texts by their numbers from 0."""
    columns = _columns(places, [block.screen for block in blocks])
    by_row: dict[int, dict[int, ShownBlock]] = {}
    for place in places:
        block, name = blocks[place.number], columns[place.column]
        by_row.setdefault(place.row, {})[place.column] = replace(block, column=place.column + 1, column_name=name)
    rows = []
    for number, (_row, cells) in enumerate(sorted(by_row.items()), start=1):
        beside = next(iter(cells.values())).screen
        # What stands before the first part of the page is on no earlier row.
        beside = beside if number == 1 else replace(beside, context=(), context_texts=())
        in_order = tuple(cells.get(column) for column in range(len(columns)))
        rows.append(ShownRow(number, part_name(number), beside, in_order))
    return ShownDocument(blocks[0].screen.kind, columns, tuple(rows))


def part_name(number: int) -> str:
    """Name a part of a document by its number."""
    return _("Part %(n)s") % {"n": number}


def _columns(places: Sequence[Placed], screens: Sequence[Screen]) -> tuple[str, ...]:
    """Return the names of columns, by their letters; empty for the only one."""
    n_columns = max(place.column for place in places) + 1
    if n_columns == 1:
        return ("",)
    if any(len(screen.parts) > 1 for screen in screens):
        return tuple(_("Pair %(n)s") % {"n": column + 1} for column in range(n_columns))
    part = screens[0].parts[0]
    return tuple(ShownPart(column + 1, part).name for column in range(n_columns))
