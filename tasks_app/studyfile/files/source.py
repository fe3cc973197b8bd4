"""Open a study file: a folder, or a zip on disk or uploaded."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, Protocol, TypeAlias

from django.core.files import File
from django.utils.translation import gettext as _

from tasks_app.studyfile.files.apart import read_apart
from tasks_app.studyfile.files.archive import Archive, check_size, ignored, read_at_most, summary_of_ignored
from tasks_app.studyfile.files.decoding import Place
from tasks_app.studyfile.files.limits import limits, megabytes
from tasks_app.studyfile.files.media import MediaFile, belongs, identify, sniff
from tasks_app.studyfile.files.plain import IDENTIFIED, Unpacked, unpack
from tasks_app.studyfile.files.yaml_tree import Tree
from tasks_app.studyfile.problems import Problem, Problems, StudyFileError

STUDY_YAML = "study.yaml"

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


class MediaFiles(Protocol):
    """The files that rows may name."""

    @property
    def names(self) -> Collection[str]:
        """Return their names."""

    @property
    def is_stored(self) -> bool:
        """Return whether the study has them already, so that their digests stay as they are."""


class Upload:
    """The files of an uploaded zip, which another process has unpacked, with media that it has cleaned."""

    is_stored = False

    def __init__(self, source: IO[bytes] | File[bytes], target: IO[bytes]) -> None:
        """Have a zip unpacked into `target`. Raises StudyFileError."""
        self.label = label_of(source)
        check_size(source, self.label)
        classes = (Unpacked, Problem, Tree, Place, *IDENTIFIED)
        contents = read_apart(unpack, source, target, name=self.label, yaml=STUDY_YAML, classes=classes)
        self.names = sorted([*contents.files, *contents.faults])
        self.notes = list(contents.notes)
        self.tree = contents.tree
        self._found = contents
        self._target = target

    def size(self, name: str) -> int:
        """Return the size of a file in bytes."""
        return self._found.files.get(name, (0, 0))[1]

    def read(self, name: str) -> bytes:
        """Return the content of a file. Raises StudyFileError if it could not be unpacked, or read as YAML."""
        if name in self._found.faults:
            raise StudyFileError(self._found.faults[name])
        return self._at(*self._found.files[name])

    def media(self, name: str, role: str) -> tuple[MediaFile | None, str]:
        """Return the type of a file, or None and the reason why it cannot be shown as `role`, a column of files."""
        content, known = self.read(name), self._found.media.get(name)
        kind = sniff(content)
        if known is None or kind is None or not belongs(kind, role):
            return identify(name, content, role)  # refuses it by its first bytes
        return known.media, known.sentence

    def media_content(self, name: str) -> bytes:
        """Return a file without metadata."""
        return self._at(*self._found.cleaned[name])

    def _at(self, begin: int, size: int) -> bytes:
        self._target.seek(begin)
        return self._target.read(size)

    def tree_with(self, problems: Problems) -> Tree:
        """Return the content of study.yaml, and report its problems."""
        for problem in self._found.reported:
            problems.add(*problem)
        assert self.tree is not None, "there is a study.yaml"
        return self.tree


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


def media_of(files: MediaFiles, name: str, content: bytes, role: str) -> tuple[MediaFile | None, str]:
    """Return the type of a file of a study, or None and the reason why it cannot be shown as `role`."""
    if isinstance(files, Upload):
        return files.media(name, role)
    return identify(name, content, role, is_stored=files.is_stored)


def content_of(files: Files, media: MediaFile) -> bytes:
    """Return the content of a media file as it is to be stored, or as it is in a folder."""
    return files.media_content(media.name) if isinstance(files, Upload) else files.read(media.name)


def refusal(file: str, sentence: str) -> StudyFileError:
    """Return the error of a whole file."""
    return StudyFileError([Problem(file, 0, 0, sentence)])


@contextmanager
def open_files(source: Source) -> Iterator[Files]:
    """Open a folder or zip. A stream is an upload, which another process unpacks.

    Raises
    ------
    StudyFileError
        If it is neither, or holds files that no study may have.
    """
    if not isinstance(source, str | os.PathLike):
        with tempfile.TemporaryFile() as target:
            yield Upload(source, target)
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
