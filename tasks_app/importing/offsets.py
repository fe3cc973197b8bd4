"""Offsets of spans as a file counts them, turned into characters from 0 by the texts of the study."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db.models import F, Func, IntegerField, QuerySet
from django.db.models.functions import Length
from django.utils.translation import gettext as _

from tasks_app.importing.ratings import Report
from tasks_app.importing.shaping.declared import BYTES, CHARACTERS, UTF16, Offsets
from tasks_app.importing.targets import About
from tasks_app.models import Item, Output, Study
from tasks_app.studyfile.files.tables import Row

# The encodings whose units are counted, with the bytes of a unit.
_ENCODINGS: Mapping[str, tuple[str, int]] = {UTF16: ("utf-16-le", 2), BYTES: ("utf-8", 1)}


class OffsetReader:
    """Turns the offsets of rows into characters from 0, the end behind the span, and reports impossible offsets."""

    def __init__(self, study: Study, offsets: Offsets, report: Report) -> None:
        self._offsets, self._report = offsets, report
        self._outputs: Mapping[int, str] = {}
        self._sources: Mapping[str, str] = {}
        if offsets.count != CHARACTERS:
            # In texts of ASCII alone, all ways to count give the same numbers.
            outputs = Output.objects.filter(item__study=study, until=None)
            self._outputs = dict(_beyond_ascii(outputs, "text").values_list("pk", "text"))
            items = Item.objects.filter(study=study, until=None)
            self._sources = dict(_beyond_ascii(items, "source").values_list("key", "source"))

    def read(self, row: Row, about: About) -> None:
        """Replace the offsets of a row."""
        for column, more in (
            ("span_start", -int(self._offsets.start)),
            ("span_end", -int(self._offsets.start) + (self._offsets.end == "last")),
        ):
            if column in row.cells:
                row.cells[column] = self._characters(row, column, row.cells[column] + more, about)

    def _characters(self, row: Row, column: str, units: int, about: About) -> int:
        if row.cells.get("span_side") == "source":
            text = self._sources.get(about.unit.item or "")
        else:
            shown = (output.output for output in about.unit.shown if output.part == about.part)
            text = self._outputs.get(about.output or next(shown, 0))
        if text is None or self._offsets.count == CHARACTERS:
            return units
        encoding, size = _ENCODINGS[self._offsets.count]
        content = text.encode(encoding)
        beyond = units - len(content) // size
        if beyond >= 0:
            return len(text) + beyond
        try:
            return len(content[: units * size].decode(encoding))
        except UnicodeDecodeError:
            sentence = _(
                "If offsets count %(units)s, this is in the middle of a character. Say by offsets what they count."
            )
            self._report(row, column, sentence % {"units": self._offsets.count})
            return units


def _beyond_ascii(rows: QuerySet[Any], name: str) -> QuerySet[Any]:
    """Return the rows with characters beyond ASCII in their text."""
    n_bytes = Func(F(name), function="octet_length", output_field=IntegerField())
    longer: QuerySet[Any] = rows.annotate(n_bytes=n_bytes).exclude(n_bytes=Length(F(name)))
    return longer
