"""Unpack a zip from an untrusted source: every member is checked before any is unpacked."""

from __future__ import annotations

import io
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from types import TracebackType
from typing import IO, Any, Self

from django.core.files import File
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tasks_app.studyfile.files.limits import MIB, limits, megabytes
from tasks_app.studyfile.problems import Problem, Problems, StudyFileError

# Files that operating systems leave in folders.
_LEFTOVERS = {"__MACOSX", "Thumbs.db", "desktop.ini"}

# Every entry of a zip's directory begins with these bytes.
_ENTRY = b"PK\x01\x02"

_CHUNK = 1 * MIB

# Errors of zipfile on damaged files, collected by damaging files at random.
_DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    NotImplementedError,
    RuntimeError,
    EOFError,
    OSError,
    ValueError,
    IndexError,
    OverflowError,
)


def ignored(name: str) -> bool:
    """Return whether a file is in the folder unintentionally: hidden, or left by an operating system."""
    return any(part.startswith(".") or part in _LEFTOVERS for part in PurePosixPath(name).parts)


def summary_of_ignored(names: Sequence[str]) -> Iterator[str]:
    """Yield a note about ignored files."""
    if names:
        sentence = ngettext(
            "%(n)d hidden file was ignored (%(first)s).",
            "%(n)d hidden files were ignored (%(first)s …).",
            len(names),
        )
        yield sentence % {"n": len(names), "first": names[0]}


def read_at_most(stream: IO[bytes], most: int, name: str) -> bytes:
    """Read a stream to its end, or raise StudyFileError if it holds more than `most` bytes."""
    read = io.BytesIO()
    while chunk := stream.read(_CHUNK):
        read.write(chunk)
        if read.tell() > most:
            sentence = _("is larger than %(most)s. Make it smaller, or split it.") % {"most": megabytes(most)}
            raise StudyFileError([Problem(name, 0, 0, sentence)])
    return read.getvalue()


def check_size(stream: Any, label: str) -> None:
    """Raise StudyFileError for a zip that is empty or too large, before any of it is read."""
    size = stream.seek(0, io.SEEK_END)
    if size is None:
        size = stream.tell()
    stream.seek(0)
    most, sentence = limits().upload_bytes, ""
    if size == 0:
        sentence = _("This file is empty (0 bytes). Choose the zip of the study's folder.")
    elif size > most:
        sentence = _("This file has %(size)s; at most %(most)s are accepted. Leave out media, or make them smaller.")
        sentence %= {"size": megabytes(size), "most": megabytes(most)}
    if sentence:
        raise StudyFileError([Problem(label, 0, 0, sentence)])


def entries_of(stream: IO[bytes]) -> int:
    """Return the most entries that the directory of a zip can have, without a list of them; read it from its start."""
    stream.seek(0)
    entries, tail = 0, b""
    while chunk := stream.read(_CHUNK):
        entries += (tail + chunk).count(_ENTRY)
        tail = chunk[-len(_ENTRY) + 1 :]
    stream.seek(0)
    return entries


def packing_of(member: zipfile.ZipInfo) -> int | None:
    """Return the compression ratio of a member, if it is higher than any real file can have."""
    size, packed = member.file_size, max(1, member.compress_size)
    return size // packed if size > MIB and size > limits().zip_ratio * packed else None


class Archive:
    """The files of a zip."""

    is_stored = False

    def __init__(self, stream: IO[bytes] | File[bytes], label: str) -> None:
        """Check the directory of a zip.

        Raises
        ------
        StudyFileError
            If this is not a zip, is too large, or has a member that no study may have.
        """
        self.label = label
        self.names: list[str] = []
        self.notes: list[str] = []
        self._left = limits().unpacked_bytes
        self._read: set[str] = set()
        self._members: dict[str, zipfile.ZipInfo] = {}
        self._refuse_unreadable(stream)
        try:
            # An uploaded file of Django behaves like a file; zipfile's types ask for more than it needs.
            self._zip = zipfile.ZipFile(stream)  # type: ignore[arg-type,unused-ignore]
        except _DAMAGED as found:
            raise self._refusal(_("This zip is damaged (%(reason)s). Create it again.") % {"reason": found}) from found
        self._look_through(self._zip.infolist())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._zip.close()

    def size(self, name: str) -> int:
        """Return the declared size of a member in bytes."""
        return self._members[name].file_size

    def read(self, name: str) -> bytes:
        """Return the content of a member, which must not be larger than its declared size."""
        member = self._members[name]
        try:
            with self._zip.open(member) as stream:
                content = read_at_most(stream, member.file_size if name in self._read else self._left, name)
        except _DAMAGED as found:
            sentence = _("cannot be unpacked (%(reason)s). Create the zip again.") % {"reason": found}
            raise StudyFileError([Problem(name, 0, 0, sentence)]) from found
        if name not in self._read:
            self._read.add(name)
            self._left -= len(content)
        return content

    def _refusal(self, sentence: str) -> StudyFileError:
        return StudyFileError([Problem(self.label, 0, 0, sentence)])

    def _refuse_unreadable(self, stream: Any) -> None:
        """Refuse by size and by the number of members, before zipfile builds a list of them."""
        check_size(stream, self.label)
        most = limits()
        # A member that is itself a zip adds a few entries; no member of a study doubles their number.
        if entries_of(stream) > 2 * most.files:
            raise self._refusal(
                _("This zip holds more than %(n)d files. Remove those you don't need, or split the study.")
                % {"n": most.files}
            )
        if not zipfile.is_zipfile(stream):
            raise self._refusal(_("This is not a zip. Zip the folder that holds study.yaml, and choose the zip."))
        stream.seek(0)

    def _look_through(self, members: Sequence[zipfile.ZipInfo]) -> None:
        most, problems, left_out = limits(), Problems(), []
        files = [member for member in members if not member.filename.endswith("/")]
        names_by_folded_name: dict[str, str] = {}
        for member in files:
            name = member.filename.replace("\\", "/")
            if sentence := _fault_of(member, name) or _bomb(member):
                problems.add(name.split("\x00")[0] or self.label, 0, 0, sentence)
            elif names_by_folded_name.setdefault(name.casefold(), name) != name or name in self._members:
                problems.add(name, 0, 0, _("is in the zip twice. Keep one of them."))
            elif ignored(name):
                left_out.append(name)
            else:
                self._members[name] = member
        if len(files) > most.files:
            problems.add(
                self.label,
                0,
                0,
                _("This zip holds more than %(n)d files. Remove those you don't need, or split the study.")
                % {"n": most.files},
            )
        total = sum(member.file_size for member in files)
        if total > most.unpacked_bytes:
            sentence = _("This zip unpacks to %(size)s; at most %(most)s can be taken.")
            sizes = {"size": megabytes(total), "most": megabytes(most.unpacked_bytes)}
            problems.add(self.label, 0, 0, sentence % sizes)
        problems.raise_if_any()
        self._members = _without_top_folder(self._members)
        self.names = sorted(self._members)
        self.notes += summary_of_ignored(left_out)


def _without_top_folder(members: dict[str, zipfile.ZipInfo]) -> dict[str, zipfile.ZipInfo]:
    """Remove the single top folder, which most tools add."""
    tops = {name.partition("/")[0] for name in members}
    if len(tops) == 1 and all("/" in name for name in members):
        return {name.partition("/")[2]: member for name, member in members.items()}
    return members


def _fault_of(member: zipfile.ZipInfo, name: str) -> str | None:
    parts = PurePosixPath(name).parts
    if "\x00" in member.orig_filename or not parts:
        return _("This member of the zip has no usable name. Rename it.")
    if name.startswith("/") or ":" in parts[0] or ".." in parts:
        return _("points outside of the study's folder. Put the file into the folder and zip the folder.")
    if stat.S_ISLNK(member.external_attr >> 16):
        return _("is a link. Put the file itself into the zip.")
    if member.flag_bits & 0x1:
        return _("is encrypted. Make the zip without a password.")
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return _("is packed in an unusual way. Make the zip with the usual method (deflate).")
    return None


def _bomb(member: zipfile.ZipInfo) -> str | None:
    most = limits()
    if member.file_size > most.unpacked_bytes:
        sentence = _("unpacks to %(size)s; at most %(most)s can be taken.")
        return sentence % {"size": megabytes(member.file_size), "most": megabytes(most.unpacked_bytes)}
    if (ratio := packing_of(member)) is not None:
        sentence = _("is packed %(ratio)d times smaller than it is, as no text or picture is; it was not unpacked.")
        return sentence % {"ratio": ratio}
    return None
