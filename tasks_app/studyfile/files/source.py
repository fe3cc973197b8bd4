"""Open a study file: a folder, or a zip on disk or uploaded."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, Protocol, TypeAlias

from django.core.files import File
from django.utils.translation import gettext as _

from tasks_app.studyfile.files.archive import Archive, ignored, read_at_most, summary_of_ignored
from tasks_app.studyfile.files.limits import limits, megabytes
from tasks_app.studyfile.problems import Problem, StudyFileError

Source: TypeAlias = "str | os.PathLike[str] | IO[bytes] | File[bytes]"


class Files(Protocol):
    """The files of a study, by their path within the folder, with `/` between the parts.

    They are stored where the study has them already, so that their digests stay as they are.
    """

    is_stored: bool
    label: str
    names: list[str]
    notes: list[str]

    def size(self, name: str) -> int:
        """Return the declared size of a file in bytes."""

    def read(self, name: str) -> bytes:
        """Return the content of a file. Raises StudyFileError if it cannot be read."""


class Folder:
    """A folder on this machine."""

    is_stored = False

    def __init__(self, root: Path) -> None:
        """List the files. Raises StudyFileError if the folder holds more than a study may."""
        self.root = root.resolve()
        self.label = root.name or str(root)
        self.names: list[str] = []
        self.notes: list[str] = []
        most, total, left_out = limits(), 0, []
        for name in sorted(self._walk()):
            if ignored(name):
                left_out.append(name)
                continue
            self.names.append(name)
            total += self.size(name)
            if len(self.names) > most.files:
                raise refusal(
                    self.label,
                    _("holds more than %(n)d files. Remove those you don't need, or split the study.")
                    % {"n": most.files},
                )
            if total > most.unpacked_bytes:
                sentence = _("holds more than %(most)s. Make the files smaller, or split the study.")
                raise refusal(self.label, sentence % {"most": megabytes(most.unpacked_bytes)})
        self.notes += summary_of_ignored(left_out)

    def _walk(self) -> Iterator[str]:
        for folder, folders, files in os.walk(self.root):
            folders.sort()
            for file in files:
                path = Path(folder, file)
                # Links are skipped, since they could lead anywhere on this machine.
                if not path.resolve().is_relative_to(self.root):
                    inside = str(path.relative_to(self.root))
                    raise refusal(inside, _("is a link to a file outside of the folder. Put the file itself there."))
                if path.is_file():
                    yield path.relative_to(self.root).as_posix()

    def size(self, name: str) -> int:
        """Return the size of a file in bytes."""
        return (self.root / PurePosixPath(name)).stat().st_size

    def read(self, name: str) -> bytes:
        """Return the content of a file."""
        try:
            with (self.root / PurePosixPath(name)).open("rb") as stream:
                return read_at_most(stream, limits().unpacked_bytes, name)
        except OSError as found:
            sentence = _("cannot be read: %(reason)s.") % {"reason": found.strerror or found}
            raise refusal(name, sentence) from found


def refusal(file: str, sentence: str) -> StudyFileError:
    """Return the error of a whole file."""
    return StudyFileError([Problem(file, 0, 0, sentence)])


@contextmanager
def open_files(source: Source) -> Iterator[Files]:
    """Open a folder or zip; nothing is unpacked to disk.

    Raises
    ------
    StudyFileError
        If it is neither, or holds files that no study may have.
    """
    if not isinstance(source, str | os.PathLike):
        with Archive(source, label_of(source)) as archive:
            yield archive
        return
    path = Path(source)
    if path.is_dir():
        yield Folder(path)
    elif not path.exists():
        raise refusal(str(path), _("There is no such folder or file."))
    elif path.suffix.lower() in {".yaml", ".yml"}:
        sentence = _("Give the folder that holds this file: %(folder)s")
        raise refusal(path.name, sentence % {"folder": path.parent})
    else:
        with path.open("rb") as stream, Archive(stream, path.name) as archive:
            yield archive


def label_of(upload: IO[bytes] | File[bytes]) -> str:
    """Name an upload in messages by the last part of its file name."""
    name = getattr(upload, "name", None)
    return PurePosixPath(name.replace("\\", "/")).name if isinstance(name, str) else _("the upload")
