"""A look at a file of ratings: its columns, its first rows, and the probable uses of the columns."""

import csv
import difflib
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from django.utils.translation import gettext as _

from tasks_app.hooks.sections import Json
from tasks_app.importing.columns import RATINGS, is_used
from tasks_app.importing.formats.worksheets import names_of, sheet_rows
from tasks_app.importing.shaping.paths import paths_of
from tasks_app.importing.source import RatingsFile, head_of
from tasks_app.studyfile.files.headers import fault_of_first_line
from tasks_app.studyfile.files.jsontext import BadJson, dumps, loads
from tasks_app.studyfile.files.limits import limits
from tasks_app.studyfile.files.quoting import Quoting
from tasks_app.studyfile.files.tables import DELIMITERS, word_of
from tasks_app.studyfile.problems import Problem, StudyFileError
from tasks_app.texts.plaintext import problem_in

ROWS = 5

# Paths into cells that a page offers.
MOST_PATHS = 100

# Other names of our columns, as found in published sets of ratings.
_KNOWN_AS: Mapping[str, Sequence[str]] = {
    "rater": (
        "annotator",
        "worker",
        "evaluator",
        "judge",
        "participant",
        "user",
        "assessor",
        "subject",
        "workerid",
        "who",
        "coder",
        "reviewer",
        "expert",
        "labeler",
        "labeller",
        "rated by",
        "annotated by",
        "prolific pid",
        "person",
    ),
    "item": ("segment", "seg", "example", "sample", "source", "sentence", "input", "mr", "doc seg", "instance"),
    "system": ("model", "sys", "mt", "system name", "model name", "method", "mt system", "generator", "condition"),
    "criterion": ("aspect", "dimension", "attribute", "quality", "scale", "question", "measure", "category"),
    "value": ("score", "rating", "raw score", "rate", "answer", "points", "grade", "raw", "likert", "judgement"),
    "label": ("class", "tag", "annotation", "choice"),
    "submitted_at": ("created at", "timestamp", "time", "date", "submit time", "end time", "datetime"),
    "seconds": ("time s", "duration", "work time in seconds", "elapsed", "seconds taken", "rt"),
    "judgment": ("submission", "assignment", "hit", "assignment id", "response", "trial"),
}

# Columns of these names mean something else in other people's files.
_OURS_ALONE = frozenset({"unit", "position", "rating"})

_MECHANICAL_TURK = re.compile(r"^(?:Input|Answer)\.(?=.)")

# Least similarity at which two names that are not in the list above count as the same.
_ALIKE = 0.85


@dataclass(frozen=True, slots=True)
class Peek:
    """The columns of a file and the cells of its first rows, as they stand there; `paths` lead into cells."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    paths: Sequence[str] = ()


def peek(file: RatingsFile, quoting: str = "", rows: int = ROWS) -> Peek:
    """Look at the first rows of a file; `quoting` is the chosen reading of its quotation marks.

    Raises
    ------
    StudyFileError
        Where it is of another format, damaged, or empty.
    """
    if file.reshaped is not None:
        return Peek(file.reshaped.names, [])
    if names_of(file):
        return _few_enough(file, _peek_sheet(file, rows))
    head = io.StringIO(head_of(file), newline="").readlines()
    if not any(line.strip() for line in head):
        sentence = _("This file is empty. Its first line must name the columns.")
        raise StudyFileError([Problem(file.name, 0, 0, sentence)])
    if file.format == "jsonl":
        return _few_enough(file, _peek_json(head, rows))
    if fault := fault_of_first_line(head[:1]):
        raise StudyFileError([Problem(file.name, 1, 1, fault)])
    return _few_enough(file, _peek_csv(head, DELIMITERS[file.format], Quoting(quoting), rows))


def numbered(peek: Peek) -> Peek:
    """Return a look at a file without a header: its first line is a row, and columns are called by their numbers."""
    names = [str(number) for number in range(1, len(peek.columns) + 1)]
    return Peek(names, [list(peek.columns), *peek.rows[: max(len(peek.rows), ROWS) - 1]])


def _peek_sheet(file: RatingsFile, n: int) -> Peek:
    with sheet_rows(file) as (opened, _notes):
        rows = [cells for cells in islice(opened, n + 1) if any(cells)]
    named = [(index, name.strip()) for index, name in enumerate(rows[0]) if name.strip()] if rows else []
    return Peek([name for _index, name in named], [[cells[index] for index, _name in named] for cells in rows[1:]])


def _few_enough(file: RatingsFile, peek: Peek) -> Peek:
    """Return a look at a table with as many columns as any may have, and with names that can be stored.

    Raises StudyFileError for another one.
    """
    most = limits().columns
    if len(peek.columns) > most:
        sentence = _("There are more than %(n)d columns. Remove those you don't need.") % {"n": most}
        raise StudyFileError([Problem(file.name, 1, 1, sentence)])
    for number, name in enumerate(peek.columns, start=1):
        if fault := problem_in(name):
            sentence = _("The name of this column cannot be used: %(fault)s") % {"fault": fault}
            raise StudyFileError([Problem(file.name, 1, number, sentence)])
    return peek


def _peek_csv(head: Sequence[str], delimiters: str, quoting: Quoting, n: int) -> Peek:
    csv.field_size_limit(max(csv.field_size_limit(), 2 * limits().text_characters))
    tables = [_table(head, delimiter, quoting) for delimiter in delimiters]
    best = max(tables, key=lambda rows: len(rows[0]) if rows else 0)
    named = [(index, name.strip()) for index, name in enumerate(best[0]) if name.strip()] if best else []
    rows = [[row[index] if index < len(row) else "" for index, _name in named] for row in best[1 : n + 1]]
    return Peek([name for _index, name in named], rows)


def _table(head: Sequence[str], delimiter: str, quoting: Quoting) -> list[list[str]]:
    rows: list[list[str]] = []
    try:
        rows += (row for row in csv.reader(head, delimiter=delimiter, quoting=quoting.of_reader) if any(row))
    except csv.Error:
        # The rows read so far are enough for guessing; the import itself reports what is wrong, and where.
        return rows
    return rows


def _peek_json(head: Sequence[str], n: int) -> Peek:
    columns: dict[str, None] = {}
    objects = []
    for line in head:
        try:
            record = loads(line) if line.strip() else None
        except BadJson:
            continue  # the import itself says what is wrong, and where
        if isinstance(record, dict):
            objects.append(record)
            columns.update(dict.fromkeys(map(str, record)))
    rows = [[_shown(record.get(name)) for name in columns] for record in objects[:n]]
    paths = dict.fromkeys(path for record in objects for path in paths_of(record) if path not in columns)
    return Peek(list(columns), rows, list(paths)[:MOST_PATHS])


def _shown(value: Json) -> str:
    return dumps(value) if isinstance(value, dict | list) else word_of(value)


def guess(columns: Sequence[str]) -> dict[str, str]:
    """Return which of a file's columns probably is which of ours, by our names; each is used once.

    Only in a file of ours do `unit`, `position` and `rating` mean what we mean by them: elsewhere they are numbers of a
    platform, places of texts on a screen, and scores. Item and system say what was rated.
    """
    is_ours = {"judgment", "unit", "position"} <= set(columns)
    ours = [column.name for column in RATINGS.columns if is_used(column.name)]
    ours = [name for name in ours if is_ours or name not in _OURS_ALONE]
    guessed: dict[str, str] = {}

    def take(name: str, theirs: str) -> None:
        if name not in guessed and theirs not in guessed.values():
            guessed[name] = theirs

    plain = {theirs: plain_name(theirs) for theirs in columns}
    for name in ours:
        for theirs in columns:
            if plain[theirs] == plain_name(name):
                take(name, theirs)
    for name in ours:
        words = {plain_name(word) for word in (name, *_KNOWN_AS.get(name, ()))}
        for theirs in columns:
            if plain[theirs] in words or plain[theirs].removesuffix(" id") in words:
                take(name, theirs)
    for name in ours:
        similar = difflib.get_close_matches(plain_name(name), plain.values(), n=1, cutoff=_ALIKE)
        for theirs in columns:
            if similar and plain[theirs] == similar[0]:
                take(name, theirs)
    return guessed


def plain_name(name: str) -> str:
    """Return a name in lower case with single spaces: RaterID, rater_id and “Rater id” are alike.

    Mechanical Turk puts “Input.” before the columns of a batch, and “Answer.” before what workers answered.
    """
    name = _MECHANICAL_TURK.sub("", name)
    parted = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    return re.sub(r"[^a-z0-9]+", " ", parted.lower()).strip()
