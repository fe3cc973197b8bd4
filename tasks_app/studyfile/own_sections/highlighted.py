"""Check the highlights of items against the texts they are about, and report each at its cell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from tasks_app.hooks.sections import Json
from tasks_app.studyfile.files.media import OUTPUT_FILE
from tasks_app.studyfile.files.tables import Row
from tasks_app.studyfile.problems import Problems
from tasks_app.task_types.highlights import BadHighlights, read

if TYPE_CHECKING:
    from tasks_app.studyfile.own_sections.item_rows import ItemFound

# The texts of an item that may be highlighted; outputs have a column of their own.
HIGHLIGHTED = ("source", "reference")


class HighlightedTexts:
    """Reads highlights, and remembers the rows of those of an item until all its rows were read."""

    def __init__(self, problems: Problems) -> None:
        self._problems = problems
        self._rows: dict[tuple[str, str], Row] = {}
        self._of_outputs: dict[str, Row] = {}

    def note(self, row: Row, column: str) -> None:
        """Remember the row in which a column of an item was given first."""
        if column.endswith("_highlight"):
            self._rows[row.cells["item"], column] = row

    def of_output(self, row: Row) -> list[list[Json]]:
        """Return the highlights of the output of a row."""
        if "highlight" not in row.cells or OUTPUT_FILE in row.cells:
            return []
        self._of_outputs.setdefault(row.cells["item"], row)
        return self._read(row, "highlight", row.cells.get("output", ""))

    def of_item(self, key: str, item: ItemFound) -> dict[str, list[list[Json]]]:
        """Return the highlights of the source and the reference of an item, by these words."""
        rows = {name: row for name in HIGHLIGHTED if (row := self._rows.get((key, f"{name}_highlight"))) is not None}
        if item.values.get("format") == "markdown":
            self._refuse_markdown(key, rows)
            return {}
        spans = {name: self._read(row, f"{name}_highlight", item.values.get(name, "")) for name, row in rows.items()}
        return {name: marked for name, marked in spans.items() if marked}

    def _refuse_markdown(self, key: str, rows: Mapping[str, Row]) -> None:
        places = [(row, f"{name}_highlight") for name, row in rows.items()]
        places += [(row, "highlight")] if (row := self._of_outputs.get(key)) is not None else []
        for row, column in places:
            sentence = _("Words of a Markdown text cannot be highlighted. Set its format to text, or leave this empty.")
            self._report(row, column, sentence)

    def _read(self, row: Row, column: str, text: str) -> list[list[Json]]:
        try:
            return [highlight.as_list() for highlight in read(row.cells[column], text)]
        except BadHighlights as error:
            self._report(row, column, str(error))
            return []

    def _report(self, row: Row, column: str, sentence: str) -> None:
        row.report(self._problems, column, sentence)
