"""The tables of a study file, declared once: columns, allowed values and descriptions."""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import Enum

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tasks_app.hooks.sections import Json
from tasks_app.studyfile.files.jsontext import BadJson, loads
from tasks_app.studyfile.problems import shown

# Between file names in one cell.
BETWEEN_FILES = "|"

# The largest integer of PostgreSQL, above any position in a document.
MOST = 2_147_483_647

# A program that knows only floats writes a whole number as 3.0.
_WHOLE = re.compile(r"([0-9]{1,12})(?:\.0+)?")
_NUMBER = re.compile(r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]{1,4})?")

# What follows the prefix in the name of a researcher's own column.
OWN_NAME = "[A-Za-z0-9._-]{1,60}"

# Years outside of which no rating was given; they also leave room for time zones.
_FIRST_YEAR, _LAST_YEAR = 1900, 9000


class Kind(Enum):
    """The kind of content of a cell."""

    TEXT = gettext_lazy("text")
    WORD = gettext_lazy("a name; spaces around it are ignored")
    EXACT = gettext_lazy("text, stored unchanged")
    WHOLE = gettext_lazy("a whole number, 0 or more")
    NUMBER = gettext_lazy("a number, such as 4 or 62.5")
    TIME = gettext_lazy("a time, such as 2026-03-31T14:05:00+02:00")
    OBJECT = gettext_lazy('a JSON object, such as {"options": ["a", "b"]}')
    JSON = gettext_lazy("JSON")
    ANSWER = gettext_lazy("JSON, or a plain word")
    FILES = gettext_lazy("file names, with | between several")
    FILE = gettext_lazy("a file name")
    SPANS = gettext_lazy("positions such as 4:9;20:25, a JSON list such as [[4, 9]], or the word itself")


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
    prefixes: tuple[Column, ...] = ()

    def column(self, name: str) -> Column | None:
        """Return a column by its name in a file, or None."""
        for column in self.columns:
            if column.name == name:
                return column
        return next((column for column in self.prefixes if _is_open_ended(column.name, name)), None)

    @property
    def open_ended(self) -> str:
        """Pattern of the names of a researcher's own columns, if the table has prefixes for them."""
        prefixes = "|".join(column.name for column in self.prefixes)
        return f"^({prefixes}){OWN_NAME}$" if self.prefixes else "(?!)"

    @property
    def files(self) -> list[str]:
        """Names that a file of this table may have."""
        return [f"{self.stem}.{suffix}" for suffix in self.suffixes]

    @property
    def names(self) -> list[str]:
        """Names of all columns."""
        return [column.name for column in self.columns]

    @property
    def needed(self) -> list[str]:
        """Names of the columns that every file needs."""
        return [column.name for column in self.columns if column.needed]


def _is_open_ended(prefix: str, name: str) -> bool:
    return name.startswith(prefix) and re.fullmatch(OWN_NAME, name.removeprefix(prefix)) is not None


class BadCell(ValueError):
    """The value of a cell does not fit its column."""


def from_text(column: Column, text: str) -> Json:
    """Read a cell of a CSV or TSV file; None where it is empty. Raises BadCell."""
    if column.kind is Kind.EXACT:
        return text or None
    if column.kind is Kind.TEXT:
        return text.replace("\r\n", "\n").replace("\r", "\n") or None
    text = text.strip()
    return _READ[column.kind](text) if text else None


def from_json(column: Column, value: Json) -> Json:
    """Read a value of a JSON Lines file; None where it is empty. Raises BadCell."""
    if value is None or column.kind in {Kind.JSON, Kind.ANSWER}:
        return value
    if column.kind in _TAKEN:
        return _TAKEN[column.kind](value)
    if column.kind is Kind.FILES and isinstance(value, list) and all(isinstance(entry, str) for entry in value):
        return value
    if column.kind is Kind.SPANS and isinstance(value, list):
        return value
    if isinstance(value, Mapping | list):
        raise BadCell(_("Expected text; this is %(value)s.") % {"value": shown(value)})
    if column.kind is Kind.EXACT and isinstance(value, str):
        return value
    if isinstance(value, bool):
        value = "true" if value else "false"
    return from_text(column, str(value))


def _whole(value: Json) -> int:
    if isinstance(value, str) and (digits := _WHOLE.fullmatch(value)):
        value = int(digits.group(1))
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST:
        return value
    raise BadCell(_("Expected a whole number, 0 or more; this is %(value)s.") % {"value": shown(value)})


def _number(value: Json) -> float | None:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _finite(value)
    text = value.strip() if isinstance(value, str) else ""
    if _NUMBER.fullmatch(text):
        return _finite(float(text))
    if value == "":
        return None
    hint = " " + _("Write it with a point.") if _NUMBER.fullmatch(text.replace(",", ".", 1)) else ""
    raise BadCell(_("Expected a number, such as 4 or 62.5; this is %(value)s.") % {"value": shown(value)} + hint)


def _finite(value: float) -> float:
    try:
        number = float(value)
    except OverflowError:  # a whole number of hundreds of digits
        number = math.inf
    if not math.isfinite(number):
        raise BadCell(_("This number is too large to be stored."))
    return number


def _time(text: str) -> datetime:
    try:
        time: datetime | None = datetime.fromisoformat(text)
    except ValueError:
        time = None
    if time is None or not _FIRST_YEAR <= time.year <= _LAST_YEAR:
        sentence = _("Expected a time, such as 2026-03-31 14:05 or 2026-03-31T14:05:00+02:00; this is %(value)s.")
        raise BadCell(sentence % {"value": shown(text)})
    return time


def _object(value: Json) -> dict[str, Json]:
    if isinstance(value, dict):
        return value
    raise BadCell(_('Expected a JSON object, such as {"name": 1}; this is %(value)s.') % {"value": shown(value)})


def _json(text: str) -> Json:
    try:
        return loads(text)
    except BadJson as found:
        raise BadCell(found.sentence) from found


def _answer(text: str) -> Json:
    try:
        return loads(text)
    except BadJson as found:
        if text[0] not in '[{"':
            return text
        raise BadCell(found.sentence) from found


def _files(text: str) -> list[str]:
    return [name.strip() for name in text.split(BETWEEN_FILES) if name.strip()]


def _spans(text: str) -> Json:
    """Return a list as JSON has it, and any other text as it stands: its meaning depends on the text that it marks."""
    try:
        return loads(text) if text.startswith("[") else text
    except BadJson as found:
        if text.startswith("[["):
            raise BadCell(found.sentence) from found
        return text


# Readers of non-empty, stripped texts by kind.
_READ: Mapping[Kind, Callable[[str], Json]] = {
    Kind.WORD: str,
    Kind.FILE: str,
    Kind.WHOLE: _whole,
    Kind.NUMBER: _number,
    Kind.TIME: _time,
    Kind.FILES: _files,
    Kind.SPANS: _spans,
    Kind.ANSWER: _answer,
    Kind.JSON: _json,
    Kind.OBJECT: lambda text: _object(_json(text)),
}

# Kinds whose values have a JSON type of their own.
_TAKEN: Mapping[Kind, Callable[[Json], Json]] = {Kind.OBJECT: _object, Kind.WHOLE: _whole, Kind.NUMBER: _number}


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
        Column(
            "output",
            Kind.TEXT,
            gettext_lazy("The text to be judged. With output_file, what the file shows in words: see below."),
            True,
        ),
        Column(
            "output_file",
            Kind.FILE,
            gettext_lazy("A picture, sound or film that is judged instead of a text (the formats of context_…)."),
        ),
        Column("captions", Kind.FILE, gettext_lazy("Captions of the sound or film in output_file (WebVTT).")),
        Column("variant", Kind.WORD, gettext_lazy("Tells several outputs of one system for one item apart.")),
        Column("unit", Kind.WORD, gettext_lazy("A name of your own for the screen that shows the output.")),
        Column("source", Kind.TEXT, gettext_lazy("The input, such as the text that was translated.")),
        Column("reference", Kind.TEXT, gettext_lazy("An example of a good output.")),
        Column("document", Kind.WORD, gettext_lazy("Key of the document that the item belongs to.")),
        Column(
            "position",
            Kind.WHOLE,
            gettext_lazy("Place of the item in its document; without it, the order of the file."),
        ),
        Column("language", Kind.WORD, gettext_lazy("Language tag of the output, such as en or pt-BR.")),
        Column("source_language", Kind.WORD, gettext_lazy("Language tag of the source.")),
        Column("format", Kind.WORD, gettext_lazy("text (default), markdown or code.")),
        Column(
            "highlight",
            Kind.SPANS,
            gettext_lazy("Words of the output that are shown marked; with a chain, such as 4:9=1, as its mentions."),
        ),
        Column("source_highlight", Kind.SPANS, gettext_lazy("Words of the source that are shown marked.")),
        Column("reference_highlight", Kind.SPANS, gettext_lazy("Words of the reference that are shown marked.")),
        Column(
            "options",
            Kind.OBJECT,
            gettext_lazy(
                "What a task type needs for this item alone. “only_tasks” lists the keys of the tasks that show it."
            ),
        ),
        Column("context_image", Kind.FILES, gettext_lazy("Pictures shown with the item (PNG, JPEG, WebP, GIF).")),
        Column("context_audio", Kind.FILES, gettext_lazy("Sounds played with the item (MP3, M4A, WAV, Ogg, FLAC).")),
        Column("context_video", Kind.FILES, gettext_lazy("Videos shown with the item (MP4, WebM, Ogg).")),
    ),
    (
        Column(
            "feature_",
            Kind.TEXT,
            gettext_lazy("A property of the item by which results can be split, such as feature_domain."),
        ),
    ),
)

CONTROLS = TableDeclaration(
    "controls",
    ("csv", "tsv", "jsonl"),
    (
        Column("unit", Kind.WORD, gettext_lazy("Key of the unit whose answer is known."), True),
        Column(
            "purpose", Kind.WORD, gettext_lazy("screening, training, exam, control or attention; see checks.md."), True
        ),
        Column("kind", Kind.WORD, gettext_lazy("exact, range, set, span or order."), True),
        Column(
            "answer",
            Kind.ANSWER,
            gettext_lazy("The known answer: a value, [low, high] for range, a list for set."),
            True,
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
        Column("payload", Kind.JSON, gettext_lazy("The suggestion that raters see first, as JSON."), True),
        Column(
            "given_by",
            Kind.WORD,
            gettext_lazy(
                "Who made the suggestion: a rater of an earlier study, or a system. Raters never see it. Where a text "
                "has suggestions by several, each rater is shown those of one of them."
            ),
        ),
        Column("task", Kind.WORD, gettext_lazy("Key of the task; needed where several tasks have such a unit.")),
    ),
)

BATCHES = TableDeclaration(
    "batches",
    ("csv", "tsv", "jsonl"),
    (
        Column("batch", Kind.WORD, gettext_lazy("Name of the batch; rows with the same name are one set."), True),
        Column(
            "unit", Kind.WORD, gettext_lazy("Key of the unit; without the criterion where criteria are apart."), True
        ),
        Column(
            "position", Kind.WHOLE, gettext_lazy("Place of the unit in its batch; without it, the order of the file.")
        ),
        Column("task", Kind.WORD, gettext_lazy("Key of the task; needed where several tasks have such a unit.")),
    ),
)

TABLES = (ITEMS, CONTROLS, PREFILL, BATCHES)
