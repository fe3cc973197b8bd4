"""The tables of a study file, declared once: their columns, what a cell may hold, and what is said about them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tasks_app.sections import Json
from tasks_app.studyfile.jsontext import BadJson, loads
from tasks_app.studyfile.problems import shown

# Between file names in one cell.
BETWEEN_FILES = "|"

# Above any position in a document, and what PostgreSQL's integer holds.
MOST = 2_147_483_647


class Kind(Enum):
    """What a cell may hold."""

    TEXT = gettext_lazy("text")
    WORD = gettext_lazy("a name; spaces around it do not count")
    WHOLE = gettext_lazy("a whole number, 0 or more")
    OBJECT = gettext_lazy('a JSON object, such as {"options": ["a", "b"]}')
    JSON = gettext_lazy("JSON")
    ANSWER = gettext_lazy("JSON, or a plain word")
    FILES = gettext_lazy("file names, with | between several")


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table."""

    name: str
    kind: Kind
    doc: Promise
    needed: bool = False


@dataclass(frozen=True, slots=True)
class TableDeclaration:
    """A table: the stem of its file's name, the suffixes it may have, its columns and open-ended ones."""

    stem: str
    suffixes: tuple[str, ...]
    columns: tuple[Column, ...]
    prefix: Column | None = None

    def column(self, name: str) -> Column | None:
        """Find a column by its name in a file, or None where there is none such."""
        for column in self.columns:
            if column.name == name:
                return column
        if self.prefix is not None and re.fullmatch(rf"{self.prefix.name}[A-Za-z0-9._-]{{1,60}}", name):
            return self.prefix
        return None

    @property
    def names(self) -> list[str]:
        """The names of all columns."""
        return [column.name for column in self.columns]

    @property
    def needed(self) -> list[str]:
        """The names of the columns that no file may leave out."""
        return [column.name for column in self.columns if column.needed]


class BadCell(ValueError):
    """A cell does not hold what its column is for."""


def from_text(column: Column, text: str) -> Json:
    """Read a cell of a CSV or TSV file; None where it is empty. Raises BadCell."""
    if column.kind is Kind.TEXT:
        return text.replace("\r\n", "\n").replace("\r", "\n") or None
    text = text.strip()
    if not text or column.kind is Kind.WORD:
        return text or None
    if column.kind is Kind.WHOLE:
        return _whole(int(text) if re.fullmatch(r"[0-9]{1,12}", text) else text)
    if column.kind is Kind.FILES:
        return [name.strip() for name in text.split(BETWEEN_FILES) if name.strip()]
    try:
        value = loads(text)
    except BadJson as found:
        if column.kind is Kind.ANSWER and text[0] not in '[{"':
            return text
        raise BadCell(found.sentence) from found
    return _object(value) if column.kind is Kind.OBJECT else value


def from_json(column: Column, value: Json) -> Json:
    """Read a value of a JSON Lines file; None where it is empty. Raises BadCell."""
    if value is None or column.kind in {Kind.JSON, Kind.ANSWER}:
        return value
    if column.kind is Kind.OBJECT:
        return _object(value)
    if column.kind is Kind.WHOLE:
        return _whole(value)
    if column.kind is Kind.FILES and isinstance(value, list) and all(isinstance(one, str) for one in value):
        return value
    if isinstance(value, Mapping | list):
        raise BadCell(_("Expected text; this is %(value)s.") % {"value": shown(value)})
    if isinstance(value, bool):
        value = "true" if value else "false"
    return from_text(column, str(value))


def _whole(value: Json) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST:
        return value
    raise BadCell(_("Expected a whole number, 0 or more; this is %(value)s.") % {"value": shown(value)})


def _object(value: Json) -> dict[str, Json]:
    if isinstance(value, dict):
        return value
    raise BadCell(_('Expected a JSON object, such as {"name": 1}; this is %(value)s.') % {"value": shown(value)})


ITEMS = TableDeclaration(
    "items",
    ("csv", "tsv", "jsonl"),
    (
        Column(
            "item", Kind.WORD, gettext_lazy("Key of the item; rows with the same key are outputs of one item."), True
        ),
        Column(
            "system", Kind.WORD, gettext_lazy("Key of the system that produced the output. Raters never see it."), True
        ),
        Column("output", Kind.TEXT, gettext_lazy("The text to be judged."), True),
        Column("variant", Kind.WORD, gettext_lazy("Tells several outputs of one system for one item apart.")),
        Column("unit", Kind.WORD, gettext_lazy("A name of your own for the screen that shows the output.")),
        Column("source", Kind.TEXT, gettext_lazy("The input, such as the text that was translated.")),
        Column("reference", Kind.TEXT, gettext_lazy("An example of a good output.")),
        Column("document", Kind.WORD, gettext_lazy("Key of the document that the item is a piece of.")),
        Column(
            "position",
            Kind.WHOLE,
            gettext_lazy("Place of the item in its document; without it, the order of the file."),
        ),
        Column("language", Kind.WORD, gettext_lazy("Language tag of the output, such as en or pt-BR.")),
        Column("source_language", Kind.WORD, gettext_lazy("Language tag of the source.")),
        Column("format", Kind.WORD, gettext_lazy("text (default), markdown or code.")),
        Column("options", Kind.OBJECT, gettext_lazy("What a task type needs for this item alone.")),
        Column("context_image", Kind.FILES, gettext_lazy("Pictures shown with the item (PNG, JPEG, WebP, GIF).")),
        Column("context_audio", Kind.FILES, gettext_lazy("Sounds played with the item (MP3, M4A, WAV, Ogg, FLAC).")),
        Column("context_video", Kind.FILES, gettext_lazy("Videos shown with the item (MP4, WebM, Ogg).")),
    ),
    Column(
        "feature_",
        Kind.TEXT,
        gettext_lazy("A property of the item by which results can be split, such as feature_domain."),
    ),
)

CONTROLS = TableDeclaration(
    "controls",
    ("csv", "tsv", "jsonl"),
    (
        Column("unit", Kind.WORD, gettext_lazy("Key of the unit whose answer is known."), True),
        Column("purpose", Kind.WORD, gettext_lazy("training, exam or control."), True),
        Column("kind", Kind.WORD, gettext_lazy("exact, range, set, span or order."), True),
        Column(
            "answer", Kind.ANSWER, gettext_lazy("What is right: a value, [low, high] for range, a list for set."), True
        ),
        Column(
            "criterion", Kind.WORD, gettext_lazy("Key of the criterion that the answer is about; without one, all.")
        ),
        Column("explanation", Kind.TEXT, gettext_lazy("Shown after a training unit.")),
        Column("task", Kind.WORD, gettext_lazy("Key of the task; needed where several tasks have such a unit.")),
    ),
)

PREFILL = TableDeclaration(
    "prefill",
    ("csv", "tsv", "jsonl"),
    (
        Column("unit", Kind.WORD, gettext_lazy("Key of the unit."), True),
        Column("part", Kind.WHOLE, gettext_lazy("Which of its texts, counted from 1 in the order of the file."), True),
        Column("payload", Kind.JSON, gettext_lazy("What the text already carries when it is first shown."), True),
        Column("task", Kind.WORD, gettext_lazy("Key of the task; needed where several tasks have such a unit.")),
    ),
)

TABLES = (ITEMS, CONTROLS, PREFILL)
