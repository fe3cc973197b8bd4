"""The files of an upload: one file, or those of a zip or tar, also gzipped, within the limits of a study file."""

from __future__ import annotations

import csv
import gzip
import io
import tarfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePosixPath
from typing import IO

from django.utils.translation import gettext as _

from tasks_app.hooks.sections import Json
from tasks_app.studyfile.files.archive import Archive, ignored, read_at_most
from tasks_app.studyfile.files.decoding import decode
from tasks_app.studyfile.files.jsontext import BadJson, loads
from tasks_app.studyfile.files.limits import limits
from tasks_app.studyfile.problems import Problem, Problems, StudyFileError

_ZIP, _GZIP = b"PK\x03\x04", b"\x1f\x8b"
# Where a tar says that it is one.
_TAR_MARK, _TAR_AT = b"ustar", 257
_DAMAGED = (gzip.BadGzipFile, EOFError, zlib.error, tarfile.TarError)

# Characters of a file that are enough to recognise its format.
HEAD = 64 * 1024


class Files:
    """The files of an upload by their names, with `/` between folders; texts are read whole, one at a time."""

    def __init__(self, stream: IO[bytes], name: str) -> None:
        """Look at an upload; `name` is its name in messages. Raises StudyFileError where it is damaged or too large."""
        self.label = name
        self._contents: dict[str, bytes] = {}
        self._archive: Archive | None = None
        self._texts: dict[str, str] = {}
        stream.seek(0)
        start = stream.read(len(_ZIP))
        stream.seek(0)
        if start == _ZIP:
            self._archive = Archive(stream, name)
            self.names = list(self._archive.names)
        elif start.startswith(_GZIP):
            self._unpack(_gunzipped(stream, name), _without(name, ".gz", ".tgz"))
        else:
            self._unpack(read_at_most(stream, limits().unpacked_bytes, name), name)

    def _unpack(self, content: bytes, name: str) -> None:
        if content[_TAR_AT : _TAR_AT + len(_TAR_MARK)] == _TAR_MARK:
            self._contents = _members(content, self.label)
        else:
            self._contents = {name: content}
        self.names = sorted(self._contents)

    @property
    def is_single(self) -> bool:
        """Return whether the upload is one file and no folder."""
        return len(self.names) == 1

    def bytes_of(self, name: str) -> bytes:
        """Return the content of a file, unpacked where it is gzipped. Raises StudyFileError."""
        content = self._archive.read(name) if self._archive is not None else self._contents[name]
        return _gunzipped(io.BytesIO(content), name) if content.startswith(_GZIP) else content

    def text(self, name: str) -> str:
        """Return the text of a file. Raises StudyFileError where it is not UTF-8 (or UTF-16 with a mark)."""
        if name not in self._texts:
            problems = Problems()
            is_lines = not name.lower().removesuffix(".gz").endswith(".json")
            text = decode(name, self.bytes_of(name), problems, is_lines=is_lines)
            problems.raise_if_any()
            self._texts = {name: text or ""}  # one at a time, since an upload may have thousands
        return self._texts[name]

    def head(self, name: str) -> str:
        """Return the beginning of a file as text, "" where it is no text."""
        content = self.bytes_of(name)
        if content.startswith((b"PAR1", b"ARROW1", b"\xff\xff\xff\xff")) or b"\x00" in content[:64]:
            return ""
        return content[:HEAD].decode("utf-8-sig", errors="replace")

    def lines(self, name: str) -> Iterator[str]:
        """Yield the lines of a text file without their ends; only line feeds end a line, as in files of WMT."""
        text, at = self.text(name), 0
        while at < len(text):
            end = text.find("\n", at)
            end = len(text) if end < 0 else end
            yield text[at:end].removesuffix("\r")
            at = end + 1

    def rows(self, name: str, delimiter: str = ",") -> Iterator[tuple[int, list[str]]]:
        """Yield the rows of a CSV file, each with the number of its first line. Raises StudyFileError."""
        csv.field_size_limit(max(csv.field_size_limit(), 2 * limits().text_characters))
        # A field of a rating may hold all that a rater did, in JSON.
        reader = csv.reader(io.StringIO(self.text(name), newline=""), delimiter=delimiter)
        line = 1
        try:
            for row in reader:
                if row:
                    yield line, row
                line = reader.line_num + 1
        except csv.Error as error:
            sentence = _("This line cannot be read (%(reason)s).") % {"reason": error}
            raise StudyFileError([Problem(name, line, 0, sentence)]) from error

    def table(self, name: str, delimiter: str = ",") -> Iterator[tuple[int, dict[str, str]]]:
        """Yield the rows of a CSV file with a header as cells by names. Raises StudyFileError."""
        header: Sequence[str] | None = None
        for line, row in self.rows(name, delimiter):
            if header is None:
                header = [cell.strip() for cell in row]
            else:
                yield line, dict(zip(header, row, strict=False))

    def records(self, name: str) -> Iterator[tuple[int, Json]]:
        """Yield the values of JSON Lines, or of one JSON text that is a list or one value. Raises StudyFileError."""
        text = self.text(name)
        start = text.lstrip()[:1]
        if start == "[" or (start == "{" and not _is_lines(text)):
            value = _parsed(text, name, 1, is_whole=True)
            yield from enumerate(value if isinstance(value, list) else [value], start=1)
            return
        for number, line in enumerate(text.split("\n"), start=1):
            if line.strip():
                yield number, _parsed(line, name, number)

    def first_record(self, name: str) -> Json:
        """Return the first value of JSON Lines or of a list of JSON; None where the file has none."""
        try:
            return next((value for _line, value in self.records(name)), None)
        except StudyFileError:
            return None

    def ending(self, *endings: str) -> list[str]:
        """Return the names of the files with an ending, in upper or lower case."""
        return [name for name in self.names if name.lower().removesuffix(".gz").endswith(endings)]


def refused(name: str, line: int, sentence: str) -> StudyFileError:
    """Return the refusal of a file, to be raised."""
    return StudyFileError([Problem(name, line, 0, sentence)])


def _is_lines(text: str) -> bool:
    """Return whether the first line is a whole object of JSON, and others follow."""
    first, _end, rest = text.lstrip().partition("\n")
    if not rest.strip():
        return False
    try:
        loads(first, is_whole=True)
    except BadJson:
        return False
    return True


def _parsed(text: str, name: str, line: int, *, is_whole: bool = False) -> Json:
    try:
        return loads(text.removeprefix("\ufeff"), is_whole=is_whole)
    except BadJson as error:
        raise StudyFileError([Problem(name, line, error.column, error.sentence)]) from error


def _gunzipped(stream: IO[bytes], name: str) -> bytes:
    try:
        with gzip.GzipFile(fileobj=stream) as inner:
            return read_at_most(inner, limits().unpacked_bytes, name)  # type: ignore[arg-type]
    except _DAMAGED as error:
        raise refused(name, 0, _("This file is damaged (%(reason)s). Create it again.") % {"reason": error}) from error


def _members(content: bytes, label: str) -> dict[str, bytes]:
    """Return the files of a tar. Raises StudyFileError."""
    most, members = limits(), {}
    try:
        with tarfile.open(fileobj=io.BytesIO(content), mode="r:") as tar:
            for count, member in enumerate(tar):
                name = PurePosixPath(member.name).as_posix().removeprefix("./")
                if count >= most.files:
                    sentence = _("holds more than %(n)d files. Remove those you don't need.") % {"n": most.files}
                    raise refused(label, 0, sentence)
                file = tar.extractfile(member) if member.isfile() and not ignored(name) else None
                if file is not None and ".." not in PurePosixPath(name).parts:
                    members[name] = file.read()
    except _DAMAGED as error:
        raise refused(label, 0, _("This file is damaged (%(reason)s). Create it again.") % {"reason": error}) from error
    return _without_top(members)


def _without_top(members: dict[str, bytes]) -> dict[str, bytes]:
    """Remove the folder that holds everything else."""
    tops = {name.partition("/")[0] for name in members}
    if len(tops) == 1 and all("/" in name for name in members):
        return {name.partition("/")[2]: content for name, content in members.items()}
    return members


def _without(name: str, *endings: str) -> str:
    for ending in endings:
        if name.lower().endswith(ending):
            return name[: -len(ending)]
    return name


def same_names(columns: Iterable[str], wanted: Iterable[str]) -> bool:
    """Return whether a header has all the wanted names, in upper or lower case."""
    names = {column.strip().lower() for column in columns}
    return all(name in names for name in wanted)
