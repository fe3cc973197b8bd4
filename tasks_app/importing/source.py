"""A file of ratings: its origin, and reading it repeatedly without holding it in memory."""

from __future__ import annotations

import gzip
import hashlib
import io
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import IO, Any, NamedTuple, cast

from django.utils.translation import gettext as _

from tasks_app.studyfile.files.decoding import Encoding, encoding_of, scan
from tasks_app.studyfile.files.limits import limits, megabytes
from tasks_app.studyfile.files.tables import ROWS
from tasks_app.studyfile.problems import Problem, Problems, StudyFileError

_GZIP = b"\x1f\x8b"
_DAMAGED = (gzip.BadGzipFile, EOFError, zlib.error)

# Enough for a look at a file with long texts.
HEAD_BYTES = 256 * 1024

# Longest first line that is looked for, in bytes.
LONGEST_LINE = 16 * 1024 * 1024

# Formats that are read, by their extensions; of the last ones, lines of text are made first (`formats`).
FORMATS = ("csv", "tsv", "txt", "jsonl", "json", "xlsx", "xlsm", "ods", "parquet", "arrow", "zip")

# Extensions of other files that people have, which are refused with advice.
_OTHERS = (".xls", ".sav")

# First bytes of such files, whatever their name: zip (as .xlsx and .ods are), old Excel, Parquet, SPSS.
_BEGINNINGS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"PAR1", b"$FL2")


class SheetLines(NamedTuple):
    """A sheet of a workbook that was written as lines: its name, the byte at which its lines begin, and notes on it."""

    name: str
    begin: int
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PlainForm:
    """An upload after its examination: it is text, or was written as lines of text.

    `name` is what it is called from then on, and `notes` say where it is not what its name said. The rows of each of a
    workbook's `sheets` are lists in JSON, one a line. `is_written` says that the lines were written, and are not the
    upload itself.
    """

    name: str
    notes: tuple[str, ...] = ()
    sheets: tuple[SheetLines, ...] = ()
    is_written: bool = False
    # Named formats that it may be of, each with how sure that is and why; it is kept as it was uploaded then.
    formats: tuple[tuple[str, str, str], ...] = ()

    @classmethod
    def read(cls, given: Mapping[str, Any]) -> PlainForm:
        """Return a form that was written as JSON."""
        sheets = tuple(SheetLines(name, begin, tuple(notes)) for name, begin, notes in given["sheets"])
        formats = tuple((name, sure, why) for name, sure, why in given.get("formats", ()))
        return cls(given["name"], tuple(given["notes"]), sheets, given["is_written"], formats)


@dataclass(frozen=True, slots=True)
class Reshaped:
    """A reshaped file: `numbers` are those of its columns, `words` our columns that paths fill.

    `width` is how many rows a line has at most, `names` the file's own columns. `is_text` says that cells are
    texts, as in CSV, and no values of JSON.
    """

    names: tuple[str, ...]
    numbers: dict[str, int]
    words: tuple[str, ...]
    width: int
    notes: tuple[str, ...] = ()
    is_text: bool = True


@dataclass(frozen=True, slots=True)
class RatingsFile:
    """A table in a file, perhaps gzipped.

    `open` opens it at its start, each time it is called. `most` is how many bytes it may hold, unpacked, where that is
    less than any file of ratings may. `form` is that of an upload that was looked through, `folder` that of a file of
    this machine, beside which others may stand. `reshaped` says that the lines are rows as a mapping shapes them.
    """

    name: str
    open: Callable[[], IO[bytes]]
    most: int | None = None
    form: PlainForm | None = None
    folder: str = ""
    reshaped: Reshaped | None = None

    @classmethod
    def at(cls, path: str) -> RatingsFile:
        """Return a file of this machine. Raises StudyFileError where there is none, or it may not be read."""
        if Path(path).is_dir() and (shards := _shards(Path(path))):
            return cls(f"{Path(path).resolve().name}.parquet", lambda: _packed(Path(path), shards), folder=path)
        if not Path(path).is_file():
            raise StudyFileError([Problem(path, 0, 0, _("There is no such file."))])
        try:
            Path(path).open("rb").close()
        except OSError as error:
            sentence = _("cannot be read: %(reason)s.") % {"reason": error.strerror}
            raise StudyFileError([Problem(path, 0, 0, sentence)]) from error
        return cls(PurePath(path).name, lambda: Path(path).open("rb"), folder=str(Path(path).parent))

    @property
    def table(self) -> str:
        """The name without .gz, by which the format is known."""
        return self.name[:-3] if self.name.lower().endswith(".gz") else self.name

    def check_name(self) -> None:
        """Raise StudyFileError for a format that is not read here."""
        suffix = PurePath(self.table).suffix.lower()
        if suffix.removeprefix(".") in FORMATS:
            return
        sentence = _(
            "is not a table that can be read here. Use CSV, TSV, JSON, JSON Lines (.jsonl) or a workbook (.xlsx, "
            ".ods); text files may be gzipped (.csv.gz), and several tables packed in one zip."
        )
        if suffix in _OTHERS:
            sentence += " " + _how_to_save()
        raise StudyFileError([Problem(self.name, 0, 0, sentence)])

    @property
    def format(self) -> str:
        """The suffix that says how the file is written."""
        if self.reshaped is not None:
            return ROWS
        return PurePath(self.table).suffix.lower().removeprefix(".")


class _Counted(io.RawIOBase):
    """A stream that ends with StudyFileError where it holds too much, and has the digest of its content."""

    def __init__(self, stream: IO[bytes], file: RatingsFile) -> None:
        self._stream = stream
        self._file = file.name
        self._most = file.most or limits().ratings_bytes
        self._left = self._most
        self.digest = hashlib.sha256()

    def readable(self) -> bool:
        """It is."""
        return True

    def read(self, size: int = -1) -> bytes:
        """Return up to `size` bytes, fewer only at the end."""
        try:
            chunk = self._stream.read(size)
        except _DAMAGED as error:
            sentence = _("This gzip file is damaged (%(reason)s). Create it again.") % {"reason": error}
            raise StudyFileError([Problem(self._file, 0, 0, sentence)]) from error
        self._left -= len(chunk)
        if self._left < 0:
            sentence = _("is larger than %(most)s. Split it.") % {"most": megabytes(self._most)}
            if self._most < limits().ratings_bytes:
                sentence += " " + _(
                    "Commands of manage.py take larger ones: import_ratings, import_scores, upload_outcomes."
                )
            raise StudyFileError([Problem(self._file, 0, 0, sentence)])
        self.digest.update(chunk)
        return chunk


@contextmanager
def unpacked(file: RatingsFile) -> Iterator[IO[bytes]]:
    """Open a file, unpacked on the way where its content is gzipped, under any name."""
    with file.open() as stream:
        start = stream.read(len(_BEGINNINGS[0]))
        stream.seek(0)
        if start.startswith(_BEGINNINGS):
            sentence = _("is not a text table, whatever its name: it begins like a workbook, zip or other binary file.")
            raise StudyFileError([Problem(file.name, 0, 0, f"{sentence} {_how_to_save()}")])
        if start.startswith(_GZIP):
            with gzip.GzipFile(fileobj=stream) as inner:
                yield cast("IO[bytes]", inner)
        else:
            yield stream


def _how_to_save() -> str:
    return _("Save the table as CSV (UTF-8) with the program it comes from.")


def head_of(file: RatingsFile) -> str:
    """Return the beginning of a file as text: unreadable bytes are replaced, a broken last line left out.

    Raises
    ------
    StudyFileError
        Where it is of another format, or damaged.
    """
    file.check_name()
    with unpacked(file) as stream:
        counted = _Counted(stream, file)
        content = counted.read(HEAD_BYTES)
        # A first line may be longer: thousands of columns, or a record with a long text.
        while b"\n" not in content and len(content) < LONGEST_LINE and (more := counted.read(HEAD_BYTES)):
            content += more
        is_whole = not counted.read(1)
    encoding = encoding_of(content)
    text = content[len(encoding.mark) :].decode(encoding.name, errors="replace")
    complete, line_end, _rest = text.rpartition("\n")
    if is_whole:
        return text
    if not line_end:
        sentence = _("The first line is longer than %(most)s, which no table has.") % {"most": megabytes(LONGEST_LINE)}
        raise StudyFileError([Problem(file.name, 1, 1, sentence)])
    return complete + line_end


@dataclass(frozen=True, slots=True)
class Scanned:
    """A file that was read to its end: its encoding, and the SHA-256 of its unpacked content."""

    encoding: Encoding
    sha256: str


def scan_file(file: RatingsFile, problems: Problems) -> Scanned | None:
    """Read a file to its end; where it cannot be read as text, report why and return None.

    Raises
    ------
    StudyFileError
        Where it is of another format, too large, or damaged.
    """
    file.check_name()
    with unpacked(file) as stream:
        counted = _Counted(stream, file)
        encoding = scan(file.name, cast("IO[bytes]", counted), problems)
    return None if encoding is None else Scanned(encoding, counted.digest.hexdigest())


def scan_whole(file: RatingsFile) -> Scanned:
    """Read a file to its end. Raises StudyFileError where it cannot be read as text."""
    problems = Problems()
    scanned = scan_file(file, problems)
    problems.raise_if_any()
    assert scanned is not None, "a file that is no text was reported"
    return scanned


@contextmanager
def lines_of(file: RatingsFile, encoding: Encoding) -> Iterator[Callable[[], Iterable[str]]]:
    """Give a function that opens a file as lines of text, as often as it is called; close them all at the end."""
    with ExitStack() as stack:
        yield lambda: stack.enter_context(_lines(file, encoding))


@contextmanager
def _lines(file: RatingsFile, encoding: Encoding) -> Iterator[IO[str]]:
    """Open a file as lines of text, their ends kept, as a reader of CSV wants them."""
    with unpacked(file) as stream:
        stream.read(len(encoding.mark))
        with io.TextIOWrapper(cast("io.BufferedReader", stream), encoding=encoding.name, newline="") as lines:
            yield lines


def _shards(folder: Path) -> list[Path]:
    """Return the files of a data set that `datasets` wrote, sorted; links are left out."""
    found = [path for ending in ("parquet", "arrow") for path in folder.rglob(f"*.{ending}")]
    return sorted(path for path in found if path.is_file() and not path.is_symlink())


def _packed(folder: Path, shards: Iterable[Path]) -> IO[bytes]:
    """Return the files of a data set as one zip, open at its start."""
    target = tempfile.TemporaryFile()  # noqa: SIM115  whoever asked closes it
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as archive:
        for path in shards:
            archive.write(path, path.relative_to(folder).as_posix())
    target.seek(0)
    return target
