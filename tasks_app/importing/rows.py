"""The rows of a file of ratings, with the words of a mapping in the place of the file's."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from django.utils.translation import gettext as _

from tasks_app.importing.columns import OF_ONE_RATER, RATINGS, is_used
from tasks_app.importing.mapping import ColumnMapping
from tasks_app.importing.names import from_word, tidied
from tasks_app.importing.source import RatingsFile
from tasks_app.sections import Json
from tasks_app.studyfile.columns import Column, Kind
from tasks_app.studyfile.limits import limits
from tasks_app.studyfile.naming import Naming
from tasks_app.studyfile.problems import Problems
from tasks_app.studyfile.quoting import Quoting
from tasks_app.studyfile.tables import Row, Table, word_of

# A text that a spreadsheet would take for a formula is exported with one apostrophe more in front.
_NEUTRALISED = re.compile(r"'+[=+\-@\t\r]")
_NUMBERS = (Kind.NUMBER, Kind.WHOLE)


class RatingsTable(Table):
    """A file of ratings as a mapping reads it."""

    def __init__(
        self, mapping: ColumnMapping, file: RatingsFile, lines: Callable[[], Iterable[str]], problems: Problems
    ) -> None:
        super().__init__(
            Naming(OF_ONE_RATER if "rater" in mapping.constant else RATINGS, mapping.columns),
            file.name,
            lines,
            problems,
            where=mapping.where,
            most_rows=limits().ratings_rows,
            format=file.format,
            quoting=Quoting(mapping.quoting, _("It belongs into the mapping.")),
            hint=_("A mapping says which columns count and what they are; see docs/ratings-file.md."),
        )
        # Columns that hold something an import does not use.
        self.left_out: dict[str, None] = {}
        self._met: set[str] = set()
        self._values = mapping.values
        # Only a file with our own names is one of our exports; in others an apostrophe belongs to the text.
        self._is_export = file.format != "jsonl" and mapping.has_our_names
        # What a row has where the file says nothing.
        self._otherwise = {ours: _read(ours, words[""]) for ours, words in mapping.values.items() if "" in words}
        self._otherwise |= {ours: _read(ours, word) for ours, word in mapping.constant.items()}

    def rows(self) -> Iterator[Row]:
        """Yield the rows that count, with constants filled in."""
        for row in super().rows():
            if not self._met.issuperset(row.cells):
                self.left_out.update(dict.fromkeys(name for name in row.cells if not is_used(name)))
                self._met.update(row.cells)
            for ours, value in self._otherwise.items():
                if ours not in row.cells and value is not None:
                    row.cells[ours] = value
            yield row

    def value(self, column: Column, name: str, given: Json) -> Json:
        """Read a cell, in the mapping's words."""
        if self._is_export and column.kind not in _NUMBERS and _NEUTRALISED.match(given):
            given = given[1:]
        words = self._values.get(name)
        if words is not None and (word := words.get(word_of(given))) is not None:
            return from_word(column, word)
        return tidied(column, super().value(column, name, given))


def _read(ours: str, word: str) -> Json:
    column = RATINGS.column(ours)
    return None if column is None else from_word(column, word)
