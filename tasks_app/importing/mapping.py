"""Mappings: how the columns and words of a foreign file translate to ours, and which of its rows count."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path as FilePath
from pathlib import PurePath

from django.utils.translation import gettext as _

from tasks_app.hooks.sections import Json, Path
from tasks_app.importing.columns import RATINGS, times_of
from tasks_app.importing.names import from_word
from tasks_app.importing.raters import LONGEST
from tasks_app.importing.shaping.declared import SCHEMA, Offsets, Preference, Shape
from tasks_app.importing.shaping.paths import BadPath, is_path, names_in
from tasks_app.importing.shaping.splits import fault_of
from tasks_app.importing.source import Reshaped
from tasks_app.importing.wide import Wide
from tasks_app.models.raters import METRIC
from tasks_app.studyfile.columns import BadCell, TableDeclaration
from tasks_app.studyfile.explain import violations
from tasks_app.studyfile.files.decoding import decode
from tasks_app.studyfile.files.limits import limits
from tasks_app.studyfile.files.quoting import QUOTINGS
from tasks_app.studyfile.files.tables import word_of
from tasks_app.studyfile.files.yaml_tree import Tree, is_word, parse, size_problem
from tasks_app.studyfile.problems import Problem, Problems, StudyFileError, nearest
from tasks_app.studyfile.schema import form_schema
from tasks_app.texts.plaintext import problems_in_json

# Ways to treat a second rating of the same place by the same rater.
REPEATS = ("refuse", "first", "last", "keep")

# What an empty output is: not in the file, or a text without a word that was rated so.
EMPTY = MISSING, EMPTY_TEXT = "missing", "text"

# The sign before the decimals of a number.
DECIMALS = POINT, COMMA = ".", ","

_WORD: Json = {"type": ["string", "number", "boolean"]}

# A pattern for the names of columns, one for each word, or columns that stand for their own names.
_NAME: Json = {"type": "string", "minLength": 1}
_PATTERNS: Json = {"type": ["string", "object", "array"], "additionalProperties": _NAME, "items": _NAME}

# The word for a file whose first line is data.
NO_HEADER = "none"

# Survives being written and read by every format that says day and year.
EXAMPLE = datetime(2031, 12, 30, 23, 58, 57)  # noqa: DTZ001  formats of files rarely have a zone


def schema(declared: TableDeclaration = RATINGS) -> dict[str, Json]:
    """Return the JSON Schema of a mapping to our columns."""
    ours = {column.name: {"description": str(column.doc)} for column in declared.columns}

    def by_ours(kind: Json) -> Json:
        return {
            "type": "object",
            "properties": {name: {**kind, **about} for name, about in ours.items()},
            "patternProperties": {declared.open_ended: kind},
            "additionalProperties": False,
        }

    return {
        "type": "object",
        "properties": {
            "columns": by_ours({"type": "string", "minLength": 1}),
            "constant": by_ours(_WORD),
            "values": by_ours({"type": "object", "additionalProperties": _WORD}),
            "where": {
                "type": "object",
                "additionalProperties": {"type": ["string", "number", "boolean", "array"], "items": _WORD},
            },
            "repeats": {"enum": list(REPEATS)},
            "quoting": {"enum": list(QUOTINGS)},
            "format": {
                "type": "object",
                "properties": {name: {"type": "string", "minLength": 1} for name in times_of(declared)},
                "additionalProperties": False,
            },
            **SCHEMA,
            "prefer": form_schema(Preference.Settings),
            "offsets": form_schema(Offsets.Settings),
            "unknown_raters": {"type": "boolean"},
            "metric": {"type": "string", "minLength": 1, "maxLength": LONGEST - len(METRIC)},
            "empty": {"enum": list(EMPTY)},
            "decimal": {"enum": list(DECIMALS)},
            "wide": {
                "type": "object",
                "properties": {"of": {"enum": list(ours)}, **{name: {**_PATTERNS, **ours[name]} for name in ours}},
                "additionalProperties": False,
            },
        },
        "additionalProperties": False,
    }


@dataclass(frozen=True, slots=True)
class ColumnMapping:
    """A checked mapping.

    `columns` gives the file's names by ours, or None where the file has our own; `constant` what stands in no column;
    `values` our words by the file's, for single columns of ours; `where` the words, by the file's columns, of the rows
    that count. Words are texts, as they stand in a cell. `format` says how the file writes times, by our columns, as
    Python's strptime does; `wide` which columns are of which rating where a row holds several. `quoting` is what
    quotation marks are in the file, "" where nothing was said; so is `empty`, what an empty output is. `decimal` is the
    sign before the decimals of a number. `metric` is the automatic metric whose marks the file has, whatever it says of
    raters; "" where people marked.
    `label` names the mapping in messages and logs.
    """

    columns: Mapping[str, str] | None = None
    constant: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    where: Mapping[str, Collection[str]] = field(default_factory=dict)
    repeats: str = "refuse"
    quoting: str = ""
    format: Mapping[str, str] = field(default_factory=dict)
    wide: Wide | None = None
    shape: Shape = field(default_factory=Shape)
    offsets: Offsets | None = None
    unknown_raters: bool = False
    metric: str = ""
    empty: str = ""
    decimal: str = POINT
    label: str = ""
    document: Mapping[str, Json] = field(default_factory=dict)
    declared: TableDeclaration = RATINGS

    @property
    def has_our_names(self) -> bool:
        """Return whether the file's columns are called as ours are, as in an export."""
        return (
            self.wide is None
            and self.shape.is_plain
            and all(ours == theirs for ours, theirs in (self.columns or {}).items())
        )

    def tells(self, ours: str) -> bool:
        """Return whether a column of the file, or a word in the names of its columns, says which of ours a row has."""
        return self.columns is None or ours in {*self.columns, *_brought(self)}

    def of_reshaped(self, file: Reshaped) -> ColumnMapping:
        """Return the mapping for a reshaped file, in which words in braces are columns."""
        words = {word: f"{{{word}}}" for word in file.words}
        if self.columns is None and not words:
            return self
        columns = self.columns
        if columns is None:
            columns = {name: name for name in file.names if self.declared.column(name) is not None}
        return replace(self, columns={**words, **columns})


NO_MAPPING = ColumnMapping()


# Our columns, or a function that returns them for a mapping, whose columns may have names of their own.
Declared = TableDeclaration | Callable[[Json], TableDeclaration]


def from_yaml(name: str, text: str, declared: Declared = RATINGS) -> ColumnMapping:
    """Read a mapping from YAML or JSON; `name` is the file's name in messages.

    Raises
    ------
    StudyFileError
        With every problem.
    """
    problems = Problems()
    if sentence := size_problem(text.encode()):
        problems.add(name, 0, 0, sentence)
    else:
        tree = parse(name, text, problems)
        if tree.data is None and not problems.count:
            problems.add(name, 0, 0, _("This mapping is empty. docs/ratings-file.md describes what to write."))
        if tree.data is not None:
            return _checked(tree, problems, declared(tree.data) if callable(declared) else declared)
    problems.raise_if_any()
    raise AssertionError("unreachable: a text without data was reported")


def from_file(path: str, declared: Declared = RATINGS) -> ColumnMapping:
    """Read a mapping from a YAML or JSON file of this machine. Raises StudyFileError."""
    name, problems = PurePath(path).name, Problems()
    try:
        with FilePath(path).open("rb") as stream:
            content = stream.read(limits().yaml_bytes + 1)
    except OSError as error:
        reason = _("cannot be read: %(reason)s.") % {"reason": error.strerror}
        raise StudyFileError([Problem(name, 0, 0, reason)]) from error
    if sentence := size_problem(content):
        problems.add(name, 0, 0, sentence)
        problems.raise_if_any()
    text = decode(name, content, problems)
    problems.raise_if_any()
    return from_yaml(name, text or "", declared)


def from_document(label: str, document: Json, declared: TableDeclaration = RATINGS) -> ColumnMapping:
    """Check a mapping that is data already, such as a saved one. Raises StudyFileError."""
    for path, sentence in problems_in_json(document):
        raise StudyFileError([Problem(label, 0, 0, f"{path.strip('/')}: {sentence}")])
    return _checked(Tree(label, document), Problems(), declared)


def _checked(tree: Tree, problems: Problems, declared: TableDeclaration) -> ColumnMapping:
    def report(path: Path, sentence: str, *, key: bool = False) -> None:
        place = tree.place(path, key=key)
        problems.add(tree.file, place.line, place.column, f"{'.'.join(map(str, path))}: {sentence}".removeprefix(": "))

    for path, sentence, key in violations(tree.data, schema(declared)):
        report(path, sentence, key=key)
    problems.raise_if_any()
    document = tree.data
    columns = document.get("columns")
    mapping = ColumnMapping(
        columns=columns,
        constant={ours: word_of(value) for ours, value in document.get("constant", {}).items()},
        values={
            ours: {str(theirs).strip(): word_of(value) for theirs, value in words.items()}
            for ours, words in document.get("values", {}).items()
        },
        where={
            theirs: frozenset(word_of(word) for word in (words if isinstance(words, list) else [words]))
            for theirs, words in document.get("where", {}).items()
        },
        repeats=document.get("repeats", "refuse"),
        quoting=document.get("quoting", ""),
        format=document.get("format", {}),
        wide=Wide.read(document["wide"]) if "wide" in document else None,
        shape=Shape.read(document),
        offsets=Offsets(document["offsets"]) if "offsets" in document else None,
        unknown_raters=document.get("unknown_raters", False),
        metric=document.get("metric", ""),
        empty=document.get("empty", ""),
        decimal=document.get("decimal", POINT),
        label=tree.file,
        document=document,
        declared=declared,
    )
    for path, sentence in _misfits(mapping):
        report(path, sentence, key=len(path) == 2)
    problems.raise_if_any()
    return mapping


def _misfits(mapping: ColumnMapping) -> Iterator[tuple[Path, str]]:
    """Yield the contradictions within a mapping, for any file: a path of two names is about the second one."""
    for ours, word in mapping.constant.items():
        if ours in (mapping.columns or ()):
            yield ("constant", ours), _("This is mapped to a column as well. Keep one of the two.")
        if sentence := _unreadable(mapping.declared, ours, word):
            yield ("constant", ours), sentence
    for ours, words in mapping.values.items():
        if mapping.columns is not None and ours not in {*mapping.columns, *_brought(mapping)}:
            sentence = _("No column is mapped to this, so there are no words to replace.")
            yield ("values", ours), f"{sentence} {nearest(ours, mapping.columns)}".rstrip()
        for theirs, word in words.items():
            if sentence := _unreadable(mapping.declared, ours, word):
                yield ("values", ours, theirs), sentence
    yield from _misfits_of_file(mapping)
    yield from _misfits_of_shape(mapping)
    for theirs, words_of_rows in mapping.where.items():
        if not words_of_rows:
            yield ("where", theirs), _("needs at least one word, or no row counts.")


def _misfits_of_file(mapping: ColumnMapping) -> Iterator[tuple[Path, str]]:
    """Yield the faults of the settings for times and for the layout of ratings."""
    for ours, pattern in mapping.format.items():
        if not _is_format(pattern):
            sentence = _("This is not a time format. Write one such as %(example)s, with day, month and year.")
            yield ("format", ours), sentence % {"example": "%m/%d/%Y %H:%M:%S"}
    yield from _misfits_of_raters(mapping)
    if mapping.empty and mapping.declared.column("output") is None:
        yield ("empty",), _("This is for tables that hold the texts as well; here the texts are those of the study.")
    if mapping.wide is not None:
        for ours, sentence in mapping.wide.problems({**(mapping.columns or {}), **mapping.constant}):
            yield ("wide", ours) if ours else ("wide",), sentence
        for ours, words in mapping.wide.patterns.items():
            for word in words:
                if sentence := _unreadable(mapping.declared, mapping.wide.of, word):
                    yield ("wide", ours, word), sentence


def _misfits_of_raters(mapping: ColumnMapping) -> Iterator[tuple[Path, str]]:
    """Yield the faults of the settings about raters."""
    if mapping.unknown_raters and "rater" in {*(mapping.columns or ()), *mapping.constant, *_brought(mapping)}:
        yield ("unknown_raters",), _("The mapping says who rated. Keep one of the two.")
    if not mapping.metric:
        return
    if mapping.declared.column("rater") is None or mapping.declared.column("output") is not None:
        yield ("metric",), _("This is for marks of a metric in texts that a study has already.")
    elif mapping.unknown_raters:
        yield ("metric",), _("The mapping says that nobody knows who rated. Keep one of the two.")
    elif mapping.metric != mapping.metric.strip() or mapping.metric.startswith(METRIC):
        yield ("metric",), _("Give the name of the metric alone, such as xCOMET, without spaces around it.")
    elif sentence := _unreadable(mapping.declared, "rater", mapping.metric):
        yield ("metric",), sentence


def _brought(mapping: ColumnMapping) -> set[str]:
    """Return our columns that a wide section, words in braces, a split or a preference fill."""
    texts = [*(mapping.columns or {}).values(), *mapping.shape.splits.values()]
    words = {column.name for column in mapping.declared.columns for text in texts
             if f"{{{column.name}}}" in text or f"(?P<{column.name}>" in text}  # fmt: skip
    if mapping.wide is not None:
        words |= mapping.wide.ours
    return words | ({"label"} if mapping.shape.preference is not None else set())


def _misfits_of_shape(mapping: ColumnMapping) -> Iterator[tuple[Path, str]]:
    """Yield the faults of paths and patterns."""
    paths = [(("columns", ours), path) for ours, path in (mapping.columns or {}).items()]
    for place, path in [*paths, *((("where", path), path) for path in mapping.where)]:
        try:
            unknown = [
                word for word in (names_in(path) if is_path(path) else ()) if mapping.declared.column(word) is None
            ]
        except BadPath:
            continue  # it may be the name of a column; the file says so
        for word in unknown:
            sentence = _("“{%(word)s}” is no column of evalweb's.") % {"word": word}
            yield place, f"{sentence} {nearest(word, mapping.declared.names)}".rstrip()
    if mapping.document.get("header") not in (None, NO_HEADER) and isinstance(mapping.document["header"], str):
        yield ("header",), _("Write none for a file without a header, or list the names of its columns.")
    for path, pattern in mapping.shape.splits.items():
        if sentence := fault_of(pattern):
            yield ("split", path), sentence


def _is_format(pattern: str) -> bool:
    """Return whether a format reads the day that it writes."""
    try:
        return datetime.strptime(EXAMPLE.strftime(pattern), pattern).date() == EXAMPLE.date()  # noqa: DTZ007
    except (ValueError, re.error):
        return False


def _unreadable(declared: TableDeclaration, ours: str, word: str) -> str:
    column = declared.column(ours)
    try:
        if column is not None:
            from_word(column, word)
    except BadCell as error:
        return str(error)
    return ""


def as_yaml(document: Mapping[str, Json]) -> str:
    """Write a mapping as a person would; reading it gives the same mapping."""
    lines: list[str] = []
    for part, content in document.items():
        if not isinstance(content, Mapping):
            lines.append(f"{part}: {_word(content)}")
        elif content:
            lines += [f"{part}:", *_indented(content, "  ")]
    return "\n".join(lines) + "\n" if lines else ""


def _indented(content: Mapping[str, Json], margin: str) -> Iterator[str]:
    for name, value in content.items():
        if isinstance(value, Mapping):
            yield f"{margin}{_word(name)}:"
            yield from _indented(value, margin + "  ")
        elif isinstance(value, list):
            yield f"{margin}{_word(name)}: [{', '.join(map(_word, value))}]"
        else:
            yield f"{margin}{_word(name)}: {_word(value)}"


def _word(value: Json) -> str:
    """Write a word without quotes where it is read as that word again."""
    if isinstance(value, str) and re.fullmatch(r"[A-Za-z_][A-Za-z0-9_.-]*", value) and is_word(value):
        return value
    written = json.dumps(value, ensure_ascii=False)
    # YAML refuses some characters that JSON takes as they are; as escapes it knows all of them.
    return "".join(character if character.isprintable() else f"\\U{ord(character):08x}" for character in written)
