"""Open an archive and check that every file is there as it was written."""

import hashlib
import json
import lzma
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from analytics_app.archive import describing, writing
from tasks_app.studyfile.files.archive import entries_of, packing_of

# Read at once while a file is hashed.
CHUNK = 1 << 20
# The second has a signature.
FORMATS = (1, 2)
# Descriptors are small; what is larger was not written by evalweb.
MOST_BYTES = 8_000_000
# Bytes of one row: a few texts, each of which may have 100,000 characters.
LONGEST_LINE = 8_000_000
# Files, and bytes that they unpack to. Ten million ratings have about one and a half GB.
MOST_FILES, MOST_UNPACKED = 10_000, 4_000_000_000


class BadArchive(ValueError):
    """A file that is no archive of evalweb; the message has the reason."""


@dataclass(frozen=True, slots=True)
class Archive:
    """An open archive and its descriptor."""

    zip: zipfile.ZipFile
    descriptor: Mapping[str, Any]

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open an archive.

        Raises
        ------
        BadArchive
            Where it cannot be read, or is something else.
        """
        try:
            with path.open("rb") as stream:
                n = entries_of(stream)
            if n > 2 * MOST_FILES:  # before a list of them is made; a file may hold what looks like an entry
                raise BadArchive(f"{path} holds about {n:,} files, an archive at most {MOST_FILES:,}.")
            archive = zipfile.ZipFile(path)
        except (OSError, zipfile.BadZipFile) as error:
            raise BadArchive(f"{path} is not a readable zip file: {error}.") from None
        _refuse_bombs(path, archive.infolist())
        try:
            descriptor = json.loads(_small(archive, describing.PACKAGE))
            number = descriptor["evalweb"]["format"]
            listed = [resource["path"] for resource in descriptor["resources"]]
        except (KeyError, TypeError, ValueError, RecursionError):
            raise BadArchive(f"{path} has no {describing.PACKAGE} of an evalweb archive.") from None
        if number not in FORMATS:
            raise BadArchive(f"{path} has format {number}; this version of evalweb reads formats 1 and 2.")
        if not all(isinstance(name, str) for name in listed):
            raise BadArchive(f"{path}: a resource of {describing.PACKAGE} has no path.")
        return cls(archive, descriptor)

    @property
    def _needed(self) -> set[str]:
        """The files without which nothing can be computed and compared."""
        tables = {resource["path"] for resource in self.descriptor["resources"] if resource["path"].startswith("rows/")}
        return {writing.RUN, writing.VERSIONS, writing.RESULTS, writing.DOCUMENT, writing.RATINGS, *tables}

    @property
    def misses_files(self) -> bool:
        """Return whether a file is missing that computation and comparison need."""
        return not self._needed <= set(self.zip.namelist())

    def digests(self) -> dict[str, tuple[int, str]]:
        """Return the size and SHA-256 of every file by its path."""
        sizes = {info.filename: info.file_size for info in self.zip.infolist() if not info.is_dir()}
        return {name: (size, self._digest(name)) for name, size in sizes.items()}

    def faults(self, digests: Mapping[str, tuple[int, str]]) -> Iterator[str]:
        """Yield a sentence for every file that is missing, changed, or not listed."""
        listed = {resource["path"]: resource for resource in self.descriptor["resources"]}
        present = set(digests)
        own = {describing.README, describing.PACKAGE, describing.CRATE, describing.MANIFEST, describing.SIGNATURE}
        for name in sorted((set(listed) | self._needed) - present):
            yield f"{name} is missing."
        for name in sorted(present - set(listed) - own):
            yield f"{name} is not listed in {describing.PACKAGE}."
        for name in sorted(set(listed) & present):
            if f"sha256:{digests[name][1]}" != listed[name].get("hash"):
                yield f"{name} was changed: its SHA-256 differs."

    def versions_now(self) -> Iterator[str]:
        """Yield a sentence for every library that is installed in another version."""
        then, now = self.json(writing.VERSIONS), writing.versions()
        if not isinstance(then, dict):
            raise BadArchive(f"{writing.VERSIONS} is not a JSON object.")
        for name in sorted({*then, *now}):
            if then.get(name) != now.get(name):
                yield f"{name} was {then.get(name, 'absent')} in the archive, {now.get(name, 'none')} is installed."

    def json(self, name: str) -> Any:
        """Return the content of a small JSON file. Raises BadArchive where it is something else."""
        try:
            return json.loads(self.small(name))
        except (ValueError, RecursionError):
            raise BadArchive(f"{name} is not a JSON file.") from None

    def lines(self, name: str) -> Iterator[dict[str, Any]]:
        """Yield the objects of a JSON Lines file.

        Raises
        ------
        BadArchive
            Where a line is no object, or far too long, with its number.
        """
        with self.zip.open(name) as member:
            for number, line in enumerate(iter(lambda: member.readline(LONGEST_LINE + 1), b""), start=1):
                if len(line) > LONGEST_LINE:
                    raise BadArchive(f"{name}, line {number}: longer than {LONGEST_LINE:,} bytes, which no row can be.")
                try:
                    row = json.loads(line)
                except (ValueError, RecursionError):
                    row = None
                if not isinstance(row, dict):
                    raise BadArchive(f"{name}, line {number}: not a JSON object.")
                yield row

    def text(self, name: str) -> str:
        """Return a file as text. Raises BadArchive where it is not UTF-8."""
        try:
            return self.zip.read(name).decode()
        except UnicodeDecodeError as error:
            raise BadArchive(f"{name} is not UTF-8: byte {error.start + 1:,} cannot be read.") from None

    def small(self, name: str) -> bytes:
        """Return the content of a small file.

        Raises
        ------
        BadArchive
            Where it is too large or damaged.
        """
        try:
            return _small(self.zip, name)
        except (ValueError, zipfile.BadZipFile, zlib.error, OSError) as error:
            raise BadArchive(f"{name} cannot be read: {error}") from None

    def _digest(self, name: str) -> str:
        digest = hashlib.sha256()
        try:
            with self.zip.open(name) as member:
                while chunk := member.read(CHUNK):
                    digest.update(chunk)
        # The last two are raised for methods of compression and for encryption that Python does not know.
        except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, NotImplementedError, RuntimeError):
            return "unreadable"
        return digest.hexdigest()


def _refuse_bombs(path: Path, members: Sequence[zipfile.ZipInfo]) -> None:
    """Raise BadArchive for a zip that unpacks to more than an archive can hold. Reading stops at the stated sizes."""
    if len(members) > MOST_FILES:
        raise BadArchive(f"{path} holds {len(members):,} files, an archive at most {MOST_FILES:,}.")
    for member in members:
        if (ratio := packing_of(member)) is not None:
            raise BadArchive(f"{member.filename} is packed {ratio:,} times smaller than it is, which no table can be.")
    total = sum(member.file_size for member in members)
    if total > MOST_UNPACKED:
        raise BadArchive(f"{path} unpacks to {total:,} bytes, an archive to at most {MOST_UNPACKED:,}.")


def _small(archive: zipfile.ZipFile, name: str) -> bytes:
    if archive.getinfo(name).file_size > MOST_BYTES:
        raise ValueError(f"{name} is too large.")
    return archive.read(name)
