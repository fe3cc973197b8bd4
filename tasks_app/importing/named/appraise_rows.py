"""The rows of Appraise's exports of scores. They have no header and are known by the kind of item in column 4."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from tasks_app.hooks.sections import Json
from tasks_app.importing.named.files import Files, refused
from tasks_app.studyfile.files.jsontext import BadJson, loads

# Kinds of items: evaluated texts, references, degraded texts and repeats for control.
KINDS = ("TGT", "REF", "BAD", "CHK", "SRC")
_KIND_AT = 3
_SECONDS = re.compile(r"[0-9]{9,11}(\.[0-9]+)?")
_SCORE = re.compile(r"-?[0-9]+(\.[0-9]+)?")


@dataclass(frozen=True, slots=True)
class Score:
    """A row: who gave which score to which segment of which system. `start` and `end` are seconds since 1970 or 0."""

    line: int
    rater: str
    system: str
    segment: str
    kind: str
    source_language: str
    language: str
    value: float
    document: str
    errors: tuple[Mapping[str, Json], ...]
    start: float
    end: float
    has_errors: bool


def is_row(row: Sequence[str]) -> bool:
    """Return whether a row is one of Appraise's."""
    return (
        len(row) >= 7 and row[_KIND_AT] in KINDS and len(row[4]) <= 8 and _SCORE.fullmatch(row[6].strip()) is not None
    )


def files_of(files: Files) -> list[str]:
    """Return the CSV files that begin with a row of Appraise's."""
    return [name for name in files.ending(".csv") if is_row(_first(files.head(name)))]


def _first(head: str) -> list[str]:
    return head.split("\n", 1)[0].split(",")


def scores(files: Files, names: Iterable[str]) -> Iterator[Score]:
    """Yield the rows of files. Raises StudyFileError for one that is none of Appraise's."""
    for name in names:
        for line, row in files.rows(name):
            if not is_row(row):
                raise refused(name, line, f"Expected a row of Appraise, with TGT or the like in column {_KIND_AT + 1}.")
            yield _score(name, line, row)


def _score(name: str, line: int, row: list[str]) -> Score:
    rest = row[7:]
    times = [float(cell) for cell in rest if _SECONDS.fullmatch(cell)]
    # Documents are followed by whether they are complete; then come errors, where these were marked.
    has_document = len(rest) >= 2 and rest[1] in {"True", "False"}
    marked = rest[2] if has_document and len(rest) >= 3 and not _SECONDS.fullmatch(rest[2]) else None
    start, end = times[:2] if len(times) >= 2 else (0.0, 0.0)
    errors = tuple(_errors(name, line, marked or "[]"))
    document = rest[0] if has_document else ""
    rater, system, segment, kind, source_language, language = row[:6]
    return Score(
        line, rater, system, segment, kind, source_language, language, float(row[6]), document, errors, start, end,
        marked is not None,
    )  # fmt: skip


def _errors(name: str, line: int, text: str) -> Iterator[Mapping[str, Json]]:
    """Yield marked errors, written as JSON or, by some versions, as Python's dictionaries."""
    try:
        value = loads(text) if text.strip() else []
    except BadJson:
        try:
            value = ast.literal_eval(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            raise refused(name, line, "The errors of this row are no JSON.") from None
    for error in value if isinstance(value, list | tuple) else [value]:
        if isinstance(error, dict):
            yield error


def time_of(seconds: float) -> str | None:
    """Return a time as ISO 8601; None where there is none."""
    return datetime.fromtimestamp(seconds, UTC).isoformat() if seconds else None
