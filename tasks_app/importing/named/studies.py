"""Make a study of files of a named format: its texts, what was asked, and the ratings, all of it or nothing."""

from __future__ import annotations

import os
import shutil
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.utils.text import slugify
from django.utils.translation import gettext as _

from tasks_app import studyfile
from tasks_app.importing import Imported, RatingsFile, from_document, import_ratings
from tasks_app.importing.named import apart
from tasks_app.importing.named.base import Converted, Recognised
from tasks_app.importing.named.collected import ITEMS, RATINGS, STUDY
from tasks_app.models import Study
from tasks_app.services.database import atomically
from tasks_app.studyfile.files.apart import read_apart
from tasks_app.studyfile.files.limits import limits, megabytes
from tasks_app.studyfile.problems import Problem, StudyFileError

_LONGEST_SLUG = 60


@dataclass(frozen=True, slots=True)
class Upload:
    """Files of some format: a file, a zip or a tar as a stream, by its name in messages."""

    name: str
    stream: IO[bytes]

    def recognised(self) -> tuple[Recognised, ...]:
        """Return the formats that it may be of, the surest first. Raises StudyFileError."""
        return read_apart(apart.recognise, self.stream, name=self.name, classes=(Recognised,))

    def converted(self, target: IO[bytes], format: str, options: Mapping[str, str], slug: str) -> Converted:
        """Write it as a study file with ratings. Raises StudyFileError."""
        return read_apart(
            apart.convert, self.stream, target, name=self.name, classes=(Converted,), format=format,
            options=dict(options), slug=slug,
        )  # fmt: skip


@contextmanager
def upload_at(path: str) -> Iterator[Upload]:
    """Open a file of this machine, or a folder as a zip. Raises StudyFileError where there is none."""
    found = Path(path)
    if found.is_dir():
        with tempfile.TemporaryFile() as packed:
            _pack(found, packed)
            yield Upload(found.resolve().name, packed)
        return
    file = RatingsFile.at(path)
    with file.open() as stream:
        yield Upload(file.name, stream)


def _pack(folder: Path, target: IO[bytes]) -> None:
    """Write the files of a folder into a zip; links are left out. Raises StudyFileError where they are too many."""
    most, total, count = limits(), 0, 0
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as archive:
        for place, folders, names in os.walk(folder):
            folders.sort()
            for name in sorted(names):
                path = Path(place, name)
                if path.is_symlink() or not path.is_file():
                    continue
                total, count = total + path.stat().st_size, count + 1
                if total > most.upload_bytes or count > most.files:
                    sentence = _(
                        "This folder holds more than %(most)s or %(n)d files. Remove files that are not needed."
                    )
                    words = {"most": megabytes(most.upload_bytes), "n": most.files}
                    raise StudyFileError([Problem(folder.name, 0, 0, sentence % words)])
                archive.write(path, path.relative_to(folder).as_posix())


def free_slug(name: str) -> str:
    """Return a slug for a study of this name that no study has yet."""
    base = slugify(Path(name).name.partition(".")[0])[: _LONGEST_SLUG - 4].strip("-_") or "ratings"
    taken = set(Study.objects.filter(slug__startswith=base).values_list("slug", flat=True))
    slug, number = base, 2
    while slug in taken:
        slug, number = f"{base}-{number}", number + 1
    return slug


@dataclass(frozen=True, slots=True)
class Made:
    """A study that was made of files, or only could be: what was read, and what was stored."""

    study: Study
    converted: Converted
    imported: Imported

    @property
    def notes(self) -> tuple[str, ...]:
        """Return what a researcher should know."""
        return (*self.converted.notes, *self.imported.notes)


def make_study(
    *, upload: Upload, format: str, options: Mapping[str, str], owner: AbstractBaseUser | None, slug: str = "",
    check: bool = False,
) -> Made:  # fmt: skip
    """Store files of a format as a closed study with its ratings; with `check`, only find out whether they could be.

    Raises
    ------
    StudyFileError
        With every problem; nothing is stored then.
    """
    slug = slug or free_slug(upload.name)
    with tempfile.TemporaryFile() as target, tempfile.TemporaryDirectory() as place:
        converted = upload.converted(target, format, options, slug)
        folder = Path(place)
        _unpack(target, folder)
        return _store(folder, converted, upload.name, format, owner, check)


@atomically
def _store(
    folder: Path, converted: Converted, name: str, format: str, owner: AbstractBaseUser | None, check: bool
) -> Made:
    # Ratings are read from beside the study's own folder.
    study, _loaded = studyfile.load_with_notes(folder / "study", owner=owner)
    file = RatingsFile.at(str(folder / RATINGS))
    mapping = from_document(format, {"repeats": "keep"})
    imported = import_ratings(study=study, file=file, mapping=mapping, by=owner)
    study.refresh_from_db()
    if check:
        transaction.set_rollback(True)
    return Made(study, converted, imported)


def _unpack(target: IO[bytes], folder: Path) -> None:
    """Lay out a converted upload: the study file in `study`, the ratings beside it."""
    (folder / "study").mkdir()
    with zipfile.ZipFile(target) as archive:
        for member, path in (
            (STUDY, folder / "study" / STUDY),
            (ITEMS, folder / "study" / ITEMS),
            (RATINGS, folder / RATINGS),
        ):
            with archive.open(member) as source, path.open("wb") as copy:
                shutil.copyfileobj(source, copy)
