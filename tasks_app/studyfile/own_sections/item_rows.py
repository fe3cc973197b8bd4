"""Check the rows of items: each row by itself, and whether the rows of an item agree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from django.utils.translation import gettext as _

from tasks_app.hooks.sections import Document, Json
from tasks_app.studyfile.fields import (
    LONGEST_NAME,
    is_language,
    is_name,
    not_a_language,
    not_a_name,
    notes_on_keys,
    one_spelling,
)
from tasks_app.studyfile.files import captions
from tasks_app.studyfile.files.decoding import Place
from tasks_app.studyfile.files.media import CAPTIONS, OUTPUT_FILE, ROLES, MediaFile
from tasks_app.studyfile.files.removed import notes_on
from tasks_app.studyfile.files.source import MediaFiles, media_of
from tasks_app.studyfile.files.tables import Row
from tasks_app.studyfile.problems import Problems, closest, shown
from tasks_app.task_types.highlights import BadHighlights, read

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


FORMATS = ("text", "markdown", "code")

# Longest name of a variant and of a unit, as their columns in the database.
LONGEST = {"variant": 100, "unit": 300}

# Columns that describe the item, so that all its rows must agree on them.
_OF_ITEM = ("source", "reference", "document", "position", "source_language", "format", "options", *ROLES)
_OF_ITEM += tuple(f"{name}_highlight" for name in HIGHLIGHTED)
_FEATURE = "feature_"


@dataclass(slots=True)
class ItemFound:
    """An item while its rows are read: its values, and the line of each."""

    line: int
    values: dict[str, Json] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    outputs: list[dict[str, Json]] = field(default_factory=list)


def is_of_item(column: str) -> bool:
    """Return whether a column describes the item rather than one of its outputs."""
    return column in _OF_ITEM or column.startswith(_FEATURE)


class ItemReading(Protocol):
    """The part of a `StudyReading` that concerns items, which the checks need with or without a study file around it.

    `output_places` says where each (item, system, variant) stands, `file_places` where its file is named, `media` gives
    the media named, by their hash, and `media_places` where each (item, column) names some.
    """

    problems: Problems
    document: Document
    output_places: dict[tuple[str, str, str], Place]
    file_places: dict[tuple[str, str, str], Place]
    media: dict[str, MediaFile]
    media_places: dict[tuple[str, str], Place]
    items_file: str

    @property
    def files(self) -> MediaFiles:
        """Return the files that rows may name."""

    def read(self, name: str) -> bytes | None:
        """Return the content of a file; None where it cannot be read, which is then reported."""


class ItemRows:
    """Reads the rows of the items in one pass."""

    def __init__(self, reading: ItemReading) -> None:
        self.reading = reading
        self.items_by_key: dict[str, ItemFound] = {}
        self.media: dict[tuple[str, str], MediaFile | None] = {}
        self.declared = {system["key"] for system in reading.document["systems"]}
        self.systems: dict[str, None] = {}
        self.highlights = HighlightedTexts(reading.problems)

    def report(self, row: Row, column: str, sentence: str) -> None:
        row.report(self.reading.problems, column, sentence)

    def take(self, row: Row) -> None:
        """Take one row."""
        missing = [name for name in ("item", "system") if name not in row.cells]
        for name in missing:
            self.report(row, name, _("A value is needed here in every row."))
        named = [name for name in ("item", "system", "document") if name in row.cells]
        row.cells.update({name: one_spelling(row.cells[name]) for name in named})
        bad = [name for name in named if not is_name(row.cells[name])]
        for name in bad:
            self.report(row, name, not_a_name % {"most": LONGEST_NAME, "value": shown(row.cells[name])})
        for name in ("language", "source_language"):
            if name in row.cells and not is_language(row.cells[name]):
                self.report(row, name, f"{not_a_language} {_('This is')} {shown(row.cells[name])}.")
        for name, most in LONGEST.items():
            if len(row.cells.get(name, "")) > most:
                self.report(row, name, _("A name has at most %(n)d characters.") % {"n": most})
        if row.cells.get("format", "text") not in FORMATS:
            sentence = _("must be one of: %(choices)s; it is %(value)s.")
            self.report(row, "format", sentence % {"choices": ", ".join(FORMATS), "value": shown(row.cells["format"])})
        if not missing and not bad:
            item = self.items_by_key.setdefault(row.cells["item"], ItemFound(row.line))
            self._describe(item, row)
            self.add_output(item, row)

    def _describe(self, item: ItemFound, row: Row) -> None:
        for column, value in row.cells.items():
            if not is_of_item(column):
                continue
            if column not in item.values:
                item.values[column], item.lines[column] = value, row.line
                self.highlights.note(row, column)
            elif item.values[column] != value:
                sentence = _(
                    "The item “%(item)s” has another value here in line %(line)d (%(other)s). All rows of an item must "
                    "agree on it; leave the cell empty to say it once."
                )
                words = {"item": row.cells["item"], "line": item.lines[column], "other": shown(item.values[column])}
                self.report(row, column, sentence % words)
        for role in ROLES:
            for name in row.cells.get(role, ()):
                self.reading.media_places.setdefault((row.cells["item"], role), row.place(role))
                self.look_at(row, role, name)

    def add_output(self, item: ItemFound, row: Row) -> None:
        """Take the output of a row, unless there is one of that system and variant already."""
        system, variant = row.cells["system"], row.cells.get("variant", "")
        self.systems.setdefault(system)
        key = (row.cells["item"], system, variant)
        if key in self.reading.output_places:
            sentence = _(
                "Item “%(item)s”, system “%(system)s” and variant “%(variant)s” stand in line %(line)d already. "
                "Remove one of the rows, or tell them apart by the column “variant”."
            )
            words = {"item": key[0], "system": system, "variant": variant, "line": self.reading.output_places[key].line}
            self.report(row, "system", sentence % words)
            return
        self.reading.output_places[key] = row.place("unit" if "unit" in row.cells else "item")
        file = self._file_of(row)
        if file:
            self.reading.file_places[key] = row.place(OUTPUT_FILE)
        item.outputs.append(
            {
                "system": system,
                "variant": variant,
                "text": row.cells.get("output", ""),
                "language": row.cells.get("language", ""),
                "unit": row.cells.get("unit", ""),
                **({"highlights": marked} if (marked := self.highlights.of_output(row)) else {}),
                **({"file": file} if file else {}),
            }
        )

    def _file_of(self, row: Row) -> dict[str, Json]:
        """Return the file that a row has as its output, with its captions; empty where the output is a text."""
        for column in (OUTPUT_FILE, CAPTIONS):
            if column in row.cells:
                self.look_at(row, column, row.cells[column])
        if OUTPUT_FILE not in row.cells:
            if CAPTIONS in row.cells:
                sentence = _("Captions belong to a sound or film. Name it in output_file, or empty this cell.")
                self.report(row, CAPTIONS, sentence)
            return {}
        self.reading.media_places.setdefault((row.cells["item"], OUTPUT_FILE), row.place(OUTPUT_FILE))
        if "highlight" in row.cells:
            sentence = _("Words of a text can be highlighted; the output of this row is a file. Empty one of the two.")
            self.report(row, "highlight", sentence)
        if CAPTIONS in row.cells and self.kind_of(OUTPUT_FILE, row.cells[OUTPUT_FILE]).startswith("image/"):
            self.report(row, CAPTIONS, _("Captions belong to a sound or film; the output of this row is a picture."))
        file = self.media.get((row.cells[OUTPUT_FILE], OUTPUT_FILE))
        if file is None:
            return {}
        words = self.media.get((row.cells.get(CAPTIONS, ""), CAPTIONS))
        return {"sha256": file.sha256, "kind": file.kind, **({"captions": words.sha256} if words else {})}

    def kind_of(self, column: str, name: str) -> str:
        """Return the media type of a file; "" where it cannot be shown."""
        media = self.media.get((name, column))
        return media.kind if media is not None else ""

    def look_at(self, row: Row, role: str, name: str) -> None:
        """Identify a media file, once for each file and role."""
        if (name, role) in self.media:
            return
        self.media[name, role] = None
        if name not in self.reading.files.names:
            full = self.reading.problems.is_full(row.file)
            near = None if full else closest(name, self.reading.files.names)
            sentence = _("There is no file “%(name)s” beside study.yaml.") % {"name": name}
            self.report(row, role, sentence + (" " + _("Did you mean “%(name)s”?") % {"name": near} if near else ""))
            return
        content = self.reading.read(name)
        if content is None:
            return
        media, sentence = media_of(self.reading.files, name, content, role)
        if media is None:
            self.report(row, role, f"{name} {sentence}")
            return
        if role == CAPTIONS:
            for line, sentence in captions.faults_of(content):
                self.reading.problems.add(name, line, 1, sentence)
        self.media[name, role] = self.reading.media[media.sha256] = media

    def notes_on_names(self) -> Iterator[str]:
        """Yield notes on keys that are different, and may be meant to be the same."""
        yield from notes_on_keys(self.items_by_key, self.systems)

    def notes_on_media(self) -> list[str]:
        """Return notes on the metadata removed from the media files, and on misnamed files."""
        if self.reading.files.is_stored:
            return []
        files = {file.name: file for file in self.media.values() if file is not None}
        return notes_on(list(files.values()))

    def items(self) -> list[dict[str, Json]]:
        """Return the items with defaults filled in."""
        self.number_documents()
        return [
            {
                "key": key,
                "document": item.values.get("document", ""),
                "position": item.values.get("position", 0),
                "source": item.values.get("source", ""),
                "reference": item.values.get("reference", ""),
                "source_language": item.values.get("source_language", ""),
                "format": item.values.get("format", "text"),
                "options": item.values.get("options", {}),
                **({"highlights": marked} if (marked := self.highlights.of_item(key, item)) else {}),
                "features": {
                    name.removeprefix(_FEATURE): value
                    for name, value in item.values.items()
                    if name.startswith(_FEATURE)
                },
                "context": [
                    {"role": role, "sha256": media.sha256, "kind": media.kind}
                    for role in ROLES
                    for name in item.values.get(role, ())
                    if (media := self.media.get((name, role))) is not None
                ],
                "outputs": item.outputs,
            }
            for key, item in self.items_by_key.items()
        ]

    def number_documents(self) -> None:
        """Give the items of a document positions from 1, in the order of the file, unless the file has positions."""
        documents: dict[str, list[ItemFound]] = {}
        for item in self.items_by_key.values():
            if "document" in item.values:
                documents.setdefault(item.values["document"], []).append(item)
        for name, members in documents.items():
            line_of_position: dict[int, int] = {}
            has_positions = any("position" in item.values for item in members)
            for number, item in enumerate(members, start=1):
                if not has_positions:
                    item.values["position"] = number
                elif "position" not in item.values:
                    sentence = _("document “%(name)s”: give every item a position, or none.") % {"name": name}
                    self._report_item(item, sentence)
                elif item.values["position"] in line_of_position:
                    sentence = _("document “%(name)s” has an item at this position already, in line %(line)d.")
                    self._report_item(
                        item, sentence % {"name": name, "line": line_of_position[item.values["position"]]}
                    )
                line_of_position.setdefault(item.values.get("position", 0), item.line)

    def _report_item(self, item: ItemFound, sentence: str) -> None:
        self.reading.problems.add(self.reading.items_file, item.line, 1, f"position: {sentence}")
