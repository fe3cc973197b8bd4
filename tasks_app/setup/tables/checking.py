"""Turn the rows of a researcher's table into those of items.csv, and check each as the row of a study file."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tasks_app.hooks.sections import Document, Json
from tasks_app.setup.tables.layout import (
    COLUMN,
    KEEP,
    ORDER,
    SOURCE,
    SYSTEM,
    Layout,
    key_of,
    naming_of,
    wide_column,
)
from tasks_app.setup.tables.marking import CheckedRows, MarkedProblems
from tasks_app.setup.tables.source import TextsFile, table_of
from tasks_app.studyfile.columns import BETWEEN_FILES, from_text
from tasks_app.studyfile.fields import is_name, one_spelling
from tasks_app.studyfile.files.decoding import Place
from tasks_app.studyfile.files.headers import Naming
from tasks_app.studyfile.files.jsontext import dumps
from tasks_app.studyfile.files.media import CAPTIONS, OUTPUT_FILE, ROLES, MediaFile, belongs, is_file_name
from tasks_app.studyfile.files.tables import Row, Table
from tasks_app.studyfile.own_sections.item_rows import ItemFound, ItemRows
from tasks_app.studyfile.problems import Problems

# Names that were changed are listed up to this many.
_LISTED = 5


@dataclass(frozen=True, slots=True)
class UploadedMedia:
    """The pictures, sounds and videos of a study, by the file names that rows give, with their types."""

    by_name: Mapping[str, str] = field(default_factory=dict)
    kinds: Mapping[str, str] = field(default_factory=dict)
    is_stored = True

    @property
    def names(self) -> Sequence[str]:
        """Return the names that rows may contain."""
        return list(self.kinds)


class RowReading:
    """The reading of a study file that checks of rows need, where there is no study file around the rows."""

    def __init__(self, problems: Problems, file: str, media: UploadedMedia | None = None) -> None:
        self.problems = problems
        self.document: Document = {"systems": []}
        self.output_places: dict[tuple[str, str, str], Place] = {}
        self.file_places: dict[tuple[str, str, str], Place] = {}
        self.media: dict[str, MediaFile] = {}
        self.media_places: dict[tuple[str, str], Place] = {}
        self.items_file = file
        self.files = media or UploadedMedia()

    def read(self, _name: str) -> bytes | None:
        """Return nothing: media were identified when they were uploaded."""
        return None


class TextRows(ItemRows):
    """Checks rows after their media were identified; of outputs it keeps the places only, not the texts."""

    reading: RowReading

    def look_at(self, row: Row, role: str, name: str) -> None:
        """Report a file that is not there, or does not belong into its column."""
        kind = self.reading.files.kinds.get(name)
        if kind is None:
            sentence = _("There is no file “%(name)s”. Upload it first, under “Pictures, sounds and videos”.")
            self.report(row, role, sentence % {"name": name})
        elif not belongs(kind, role):
            sentence = _("%(name)s is %(kind)s, which does not belong into %(role)s.")
            self.report(row, role, sentence % {"name": name, "kind": kind, "role": role})

    def kind_of(self, column: str, name: str) -> str:
        """Return the media type of an uploaded file; "" where there is none."""
        return self.reading.files.kinds.get(name, "")

    def add_output(self, item: ItemFound, row: Row) -> None:
        """Take the output of a row, unless there is one of that system and variant already."""
        super().add_output(item, row)
        item.outputs.clear()


@dataclass(slots=True)
class CheckedTexts(CheckedRows):
    """A table of texts: its rows as those of items.csv; `systems` gives the names that systems have in it, by key."""

    items: int = 0
    systems: dict[str, str] = field(default_factory=dict)

    @property
    def in_words(self) -> str:
        """Describe the table: “300 outputs of 100 items by 3 systems”."""
        parts = {
            "outputs": ngettext("%(n)s output", "%(n)s outputs", len(self.rows)) % {"n": f"{len(self.rows):,}"},
            "items": ngettext("%(n)s item", "%(n)s items", self.items) % {"n": f"{self.items:,}"},
            "systems": ngettext("%(n)s system", "%(n)s systems", len(self.systems)) % {"n": len(self.systems)},
        }
        return _("%(outputs)s of %(items)s by %(systems)s") % parts


class _Keys:
    """Makes keys of names, and finds names that would get the same key."""

    def __init__(self) -> None:
        self.changed: dict[str, str] = {}
        self.names: dict[str, str] = {}

    def of(self, name: str) -> tuple[str, str]:
        """Return the key of a name, and the reason where it has none."""
        name = one_spelling(name)
        key = name if is_name(name) else key_of(name)
        if not key:
            return name, ""  # the check of the row says what a key may hold
        other = self.names.setdefault(key, name)
        if other != name:
            sentence = _("“%(name)s” and “%(other)s” would both get the key %(key)s. Rename one of them.")
            return name, sentence % {"name": name, "other": other, "key": key}
        if key != name:
            self.changed[name] = key
        return key, ""


class _LongRows:
    """The rows of a table, one for each output, with keys of items and systems."""

    def __init__(self, layout: Layout, table: Table, naming: Naming, media: UploadedMedia, problems: Problems) -> None:
        self.layout = layout
        self.table = table
        self.naming = naming
        self.media = media
        self.problems = problems
        self.empty = 0
        self.item_keys = _Keys()
        self.system_keys = _Keys()
        self.document_keys = _Keys()
        self._numbers: dict[str, int] = {}
        self._of_system: dict[str, int] = {}
        self._line_of_item: dict[str, int] = {}

    def __iter__(self) -> Iterator[Row]:
        """Yield the rows that can be used so far."""
        for row in self.table.rows():
            self._find_media(row)
            for long_row in self._long(row) if self.layout.is_wide else (row,):
                if self._give_keys(long_row):
                    yield long_row

    def _long(self, row: Row) -> Iterator[Row]:
        """Yield a row for every system of a line."""
        outputs = {use: wide_column(use.column) for use in self.layout.of(SYSTEM)}
        shared = {name: value for name, value in row.cells.items() if name not in outputs.values()}
        if self.layout.items != COLUMN:
            # All outputs of a line are of one item.
            shared["item"] = self._number(self._source(row) if self.layout.items == SOURCE else f"{row.line}")
        if self._is_repeated(row, str(shared.get("item", ""))):
            return
        for part, (use, column) in enumerate(outputs.items()):
            if column not in row.cells:
                self.empty += 1
                continue
            header = {**row.header, "output": row.header[column], "system": row.header[column]} if row.header else {}
            cells = {**shared, "system": use.called, "output": row.cells[column]}
            if is_file_name(row.cells[column]):
                name = row.cells[column].strip()
                cells |= {"output": "", OUTPUT_FILE: self.media.by_name.get(name, name)}
                header |= {OUTPUT_FILE: row.header[column]} if row.header else {}
            yield replace(row, cells=cells, header=header, part=part)

    def _is_repeated(self, row: Row, item: str) -> bool:
        """Report an item that has a line already, once rather than for each of its systems."""
        line = self._line_of_item.setdefault(item, row.line)
        if not item or line == row.line or self.layout.of("variant"):
            return False
        sentence = _("The item “%(item)s” stands in line %(line)d already. Remove one of the two rows.")
        self._report(row, "item", sentence % {"item": item, "line": line})
        return True

    def _give_keys(self, row: Row) -> bool:
        """Put the keys of item, system and document into a row; return False where that was refused."""
        if not self.layout.is_wide and not self.layout.of("system"):
            row.cells["system"] = self.layout.system.strip()
        if self.layout.items != COLUMN and not self.layout.is_wide and "system" in row.cells:
            row.cells["item"] = self._number(self._name_of_item(row))
        sound = True
        for name, keys in (("item", self.item_keys), ("system", self.system_keys), ("document", self.document_keys)):
            if name not in row.cells or (name == "document" and is_name(row.cells[name])):
                continue
            row.cells[name], sentence = keys.of(row.cells[name])
            if sentence:
                self._report(row, name, sentence)
                sound = False
        return sound

    def _name_of_item(self, row: Row) -> str:
        if self.layout.items == SOURCE:
            return self._source(row)
        if self.layout.items == ORDER:
            system = row.cells["system"]
            self._of_system[system] = self._of_system.get(system, 0) + 1
            return str(self._of_system[system])
        return f"{row.line}"

    def _source(self, row: Row) -> str:
        return str(row.cells.get("source", "")).strip()

    def _number(self, name: str) -> str:
        """Return the key of an item that has no name of its own: a running number."""
        number = self._numbers.setdefault(name, len(self._numbers) + 1)
        return f"item-{number:04d}"

    def _find_media(self, row: Row) -> None:
        for role in ROLES:
            if role in row.cells:
                row.cells[role] = [self.media.by_name.get(name, name) for name in row.cells[role]]
        for column in (OUTPUT_FILE, CAPTIONS):
            if column in row.cells:
                row.cells[column] = self.media.by_name.get(row.cells[column], row.cells[column])

    def _report(self, row: Row, column: str, sentence: str) -> None:
        row.report(self.problems, column, sentence)

    def notes(self) -> Iterator[str]:
        """Yield notes on the names that were changed and the cells that were left out."""
        for keys, words in (
            (self.system_keys, _("Names of systems were turned into keys: %(names)s.")),
            (self.item_keys, _("Names of items were turned into keys: %(names)s.")),
            (self.document_keys, _("Names of documents were turned into keys: %(names)s.")),
        ):
            if keys.changed:
                pairs = [f"“{name}” → {key}" for name, key in list(keys.changed.items())[:_LISTED]]
                if more := len(keys.changed) - len(pairs):
                    pairs.append(ngettext("and %(n)d more", "and %(n)d more", more) % {"n": more})
                yield words % {"names": ", ".join(pairs)}
        if self._numbers:
            sentence = ngettext(
                "No column names the items, so %(n)d item was numbered.",
                "No column names the items, so %(n)d items were numbered.",
                len(self._numbers),
            )
            yield sentence % {"n": len(self._numbers)}
        if self.empty:
            sentence = ngettext(
                "%(n)d empty cell in the columns of systems was left out.",
                "%(n)d empty cells in the columns of systems were left out.",
                self.empty,
            )
            yield sentence % {"n": self.empty}


def check_file(
    file: TextsFile, layout: Layout, media: UploadedMedia | None = None, before: Iterable[Mapping[str, str]] = ()
) -> CheckedTexts:
    """Check a whole table; `before` are rows that it is added to.

    Raises
    ------
    StudyFileError
        Where it is of another format, too large, or damaged.
    """
    media = media or UploadedMedia()
    problems = MarkedProblems()
    checked = CheckedTexts([], problems)
    left_out = _varying(file, layout) if layout.unused == KEEP else ()
    whole = layout.with_unused(left_out)
    naming = naming_of(whole)
    with table_of(file, naming, problems, sheet=layout.sheet, quoting=layout.quoting) as table:
        if table is None:
            return checked
        rows = _LongRows(whole, table, naming, media, problems)
        check = TextRows(RowReading(problems, file.name, media))
        _take_present(check, before, rows)
        for row in rows:
            check.take(row)
            if problems.count:
                checked.rows.clear()  # nothing is stored, so that nothing need be held
            else:
                checked.rows.append(cells_of(row.cells))
    _complete(checked.rows, check)
    check.number_documents()
    if not check.items_by_key and not problems.count:
        problems.add(file.name, 1, 1, _("There are no outputs below the header. Add one row for every output."))
    if problems.count:
        checked.rows.clear()
    checked.items = len(check.items_by_key)
    names = {key: name for name, key in rows.system_keys.changed.items()}
    checked.systems = {key: names.get(key, "") for key in check.systems}
    checked.notes += [*file.notes, *table.notes, *rows.notes(), *check.notes_on_names()]
    if left_out:
        sentence = _("Not kept as features, since they differ between the rows of one item: %(names)s.")
        checked.notes.append(sentence % {"names": ", ".join(left_out)})
    return checked


def _complete(rows: Iterable[dict[str, str]], check: TextRows) -> None:
    """Copy the columns about an item from one row into all rows of the item, so that any of them can be removed."""
    for row in rows:
        missing = {name: value for name, value in check.items_by_key[row["item"]].values.items() if name not in row}
        if missing:
            row.update(cells_of(missing))


def _take_present(check: TextRows, before: Iterable[Mapping[str, str]], rows: _LongRows) -> None:
    """Take the rows that the study has already; new names must not get their keys."""
    naming = Naming(rows.naming.declared)
    for number, cells in enumerate(before, start=1):
        row = row_of(cells, number, naming)
        for name, keys in (("item", rows.item_keys), ("system", rows.system_keys)):
            if name in row.cells:
                keys.names.setdefault(row.cells[name], row.cells[name])
        check.take(row)


def _varying(file: TextsFile, layout: Layout) -> list[str]:
    """Return the unused columns that differ between the rows of one item, and so are no features of it."""
    whole = layout.with_unused()
    naming = naming_of(whole)
    candidates = {
        ours: theirs
        for ours, theirs in (naming.mapped or {}).items()
        if ours.startswith("feature_") and not any(use.column == theirs and use.use for use in layout.uses)
    }
    first: dict[tuple[str, str], Json] = {}
    varying: dict[str, None] = {}
    problems = Problems()
    with table_of(file, naming, problems, sheet=layout.sheet, quoting=layout.quoting) as table:
        for row in _LongRows(whole, table, naming, UploadedMedia(), problems) if table is not None else ():
            for ours, theirs in candidates.items():
                value = row.cells.get(ours)
                if value is not None and first.setdefault((row.cells.get("item", ""), ours), value) != value:
                    varying[theirs] = None
    return list(varying)


def row_of(cells: Mapping[str, str], number: int, naming: Naming, file: str = "") -> Row:
    """Return a stored row as the check reads it; the values of its cells are sound."""
    read = {}
    for name, text in cells.items():
        column = naming.declared.column(name)
        value = None if column is None else from_text(column, text)
        if value is not None:
            read[name] = value
    return Row(file or _("texts of this study"), number, read, naming)


def cells_of(values: Mapping[str, Json]) -> dict[str, str]:
    """Write the values of a row as texts, as items.csv has them."""
    return {name: text for name, value in values.items() if (text := _written(value))}


def _written(value: Json) -> str:
    match value:
        case str():
            return value
        case list():
            return BETWEEN_FILES.join(value)
        case dict():
            return dumps(value)
        case _:
            return "" if value is None else str(value)
