"""The layout of a researcher's table: the use of each of its columns."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tasks_app.hooks.sections import Json
from tasks_app.models.base import KEY_PATTERN
from tasks_app.studyfile.columns import ITEMS, Column, Kind, TableDeclaration
from tasks_app.studyfile.files.headers import Naming

# Uses of a column besides the columns of items.csv.
FEATURE, SYSTEM = "feature", "system_outputs"

# The use of a column of which a guess would be a coin toss: the researcher says what it is.
ASKED = "?"

# Origins of the key of an item.
COLUMN, SOURCE, ORDER, ROW = "column", "source", "order", "row"
ITEM_KEYS = (
    (COLUMN, gettext_lazy("a column names the item")),
    (SOURCE, gettext_lazy("rows with the same source are one item; items are numbered")),
    (ORDER, gettext_lazy("the first row of each system is item 1, the second row item 2, and so on")),
    (ROW, gettext_lazy("every row is an item of its own; items are numbered")),
)

# The treatment of columns that are not used.
LEAVE, KEEP = "leave", "keep"

_OUTPUT_OF_SYSTEM = gettext_lazy("The text of one system.")

_FEATURE_NAME = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST_FEATURE = 60


@dataclass(frozen=True, slots=True)
class ColumnUse:
    """The use of a column of a file: a column of items.csv, FEATURE, SYSTEM, or "" where it is not used.

    `name` is that of the feature or system; without one, the column's own.
    """

    column: str
    use: str = ""
    name: str = ""

    @property
    def called(self) -> str:
        """Return the name of the feature or system."""
        return self.name.strip() or self.column


# The settings of a layout besides the uses of columns.
_STORED = ("items", "system", "unused", "quoting", "sheet")


@dataclass(frozen=True, slots=True)
class Layout:
    """How a table is read; `system` is the only system of a table that names none."""

    uses: Sequence[ColumnUse]
    items: str = COLUMN
    system: str = "system"
    unused: str = LEAVE
    quoting: str = ""
    sheet: str = ""
    _by_use: dict[str, list[ColumnUse]] = field(default_factory=dict)

    def of(self, use: str) -> list[ColumnUse]:
        """Return the columns of a use."""
        if not self._by_use:
            for column in self.uses:
                self._by_use.setdefault(column.use, []).append(column)
        return self._by_use.get(use, [])

    def to_store(self) -> dict[str, Json]:
        """Return the layout as JSON, for a worker that reads the table."""
        uses = [[use.column, use.use, use.name] for use in self.uses]
        return {"uses": uses, **{name: getattr(self, name) for name in _STORED}}

    @classmethod
    def stored(cls, given: Mapping[str, Json]) -> Layout:
        """Return a layout from its stored form."""
        return cls([ColumnUse(*entry) for entry in given["uses"]], **{name: given[name] for name in _STORED})

    @property
    def is_wide(self) -> bool:
        """Whether each system has a column of its own."""
        return bool(self.of(SYSTEM))

    @property
    def naming(self) -> Naming:
        """The names of our columns in the file."""
        return naming_of(self)

    def with_unused(self, left_out: Sequence[str] = ()) -> Layout:
        """Return the layout in which unused columns are features, if that is wanted, but for those `left_out`."""
        if self.unused != KEEP:
            return self
        uses = [
            replace(column, use=FEATURE)
            if not column.use and column.column not in left_out and column.column != PROBLEM
            else column
            for column in self.uses
        ]
        return replace(self, uses=uses, _by_use={})

    def faults(self) -> Iterator[str]:
        """Yield a sentence for every contradiction between uses and settings, and for every missing decision."""
        if asked := self.of(ASKED):
            names = ", ".join(f"“{column.column}”" for column in asked)
            yield _("Say what these columns are: %(names)s.") % {"names": names}
            return
        for use, columns in ((use, self.of(use)) for use in ITEMS.names):
            if len(columns) > 1:
                names = ", ".join(f"“{column.column}”" for column in columns)
                sentence = _("Only one column can be “%(use)s”. Choose one of %(names)s.")
                yield sentence % {"use": use_label(use), "names": names}
        features = Counter(feature_name(column.called) for column in self.of(FEATURE))
        for name in [name for name, n in features.items() if n > 1]:
            yield _("Two features are called “%(name)s”. Give one of them another name.") % {"name": name}
        if not self.of("output") and not self.of("output_file") and not self.is_wide:
            yield _(
                "Choose the column that holds the outputs, or the columns that hold the outputs of one system each."
            )
        if (self.of("output") or self.of("output_file")) and self.is_wide:
            yield _("Choose either one column with all outputs, or a column for each system, not both.")
        if self.of("system") and self.is_wide:
            yield _("Where each system has a column of its own, no other column can name the system.")
        if self.items == COLUMN and not self.of("item"):
            yield _("Choose the column that names the item, or choose another way to tell items apart.")
        if self.items == SOURCE and not self.of("source"):
            yield _("To take items from equal sources, choose the column that holds the source.")
        if self.items == ORDER and not self.of("system"):
            yield _("To count the rows of each system, choose the column that names the system.")
        if not self.of("system") and not self.is_wide and not self.system.strip():
            yield _("No column names the system. Write down the name of the system that wrote these texts.")


# The column of a downloaded file with the problem of each row; it is ignored when the file is uploaded again.
PROBLEM = "problem"


def use_label(use: str) -> str:
    """Return the words for a use in a form."""
    labels = {
        "": _("not used"),
        ASKED: _("Choose …"),
        FEATURE: _("feature of the item"),
        SYSTEM: _("outputs of one system"),
        "item": _("item (its key)"),
        "system": _("system (its name)"),
        "output": _("output (the text to judge)"),
        "source": _("source (the input)"),
        "reference": _("reference"),
        "document": _("document"),
        "position": _("position in the document"),
        "language": _("language of the output"),
        "source_language": _("language of the source"),
        "variant": _("variant"),
        "unit": _("name of the unit"),
        "format": _("format (text, markdown, code)"),
        "highlight": _("highlighted words of the output"),
        "source_highlight": _("highlighted words of the source"),
        "reference_highlight": _("highlighted words of the reference"),
        "options": _("options (JSON)"),
        "output_file": _("picture, sound or film to judge"),
        "captions": _("captions (WebVTT)"),
        "context_image": _("pictures"),
        "context_audio": _("sounds"),
        "context_video": _("videos"),
    }
    return labels.get(use, use)


def uses() -> list[str]:
    """Return everything that a column may be, in the order of a form."""
    main = ["", "item", "system", "output", SYSTEM, "source", "reference", "document", FEATURE]
    return [*main, *(name for name in ITEMS.names if name not in main)]


def feature_name(name: str) -> str:
    """Return the name of a feature as a column feature_… may have it."""
    return _FEATURE_NAME.sub("_", _plain_letters(name)).strip("_")[:_LONGEST_FEATURE] or "feature"


def key_of(text: str) -> str:
    """Return a key for a name: unchanged if it is a key already, else with hyphens for characters that no key may hold.

    "" where nothing of it can stay, or too much would have to go.
    """
    if re.fullmatch(KEY_PATTERN, text):
        return text
    key = re.sub(r"[^A-Za-z0-9._-]+", "-", _plain_letters(text)).strip("-").lstrip("._")
    letters = sum(character.isalnum() for character in text)
    letters_kept = sum(character.isalnum() for character in key)
    return key if re.fullmatch(KEY_PATTERN, key) and letters_kept * 2 >= letters else ""


def _plain_letters(text: str) -> str:
    """Return a text without the accents of its letters."""
    return "".join(
        character for character in unicodedata.normalize("NFKD", text) if not unicodedata.combining(character)
    )


def naming_of(layout: Layout) -> Naming:
    """Return the names of our columns in a file; the outputs of a system are a column named after the file's."""
    columns = [replace(column, needed=False) for column in ITEMS.columns]
    mapped = {}
    for column in layout.uses:
        if column.use == SYSTEM:
            columns.append(Column(wide_column(column.column), Kind.TEXT, _OUTPUT_OF_SYSTEM))
            mapped[wide_column(column.column)] = column.column
        elif column.use == FEATURE:
            mapped[f"feature_{feature_name(column.called)}"] = column.column
        elif column.use and column.use != ASKED:
            mapped[column.use] = column.column
    return Naming(TableDeclaration(ITEMS.stem, ITEMS.suffixes, tuple(columns), ITEMS.prefixes), mapped)


def wide_column(column: str) -> str:
    """Return the name of the outputs in a column of a system."""
    return f"output ({column})"
