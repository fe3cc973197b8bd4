"""Make a study of files of a named format: its texts, its tasks and its ratings, all of it or nothing."""

from __future__ import annotations

import os
import shutil
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tasks_app import studyfile
from tasks_app.importing import Imported, RatingsFile, from_document, import_ratings
from tasks_app.importing.formats.opening import plain_form
from tasks_app.importing.named import apart
from tasks_app.importing.named.base import Converted, Recognised
from tasks_app.importing.named.collected import ITEMS, RATINGS, STUDY
from tasks_app.importing.source import PlainForm
from tasks_app.models import Study
from tasks_app.services.database import atomically
from tasks_app.services.progress import Tell, tell_nobody
from tasks_app.setup import starting
from tasks_app.studyfile.files.apart import read_apart
from tasks_app.studyfile.files.limits import limits, megabytes
from tasks_app.studyfile.problems import Problem, StudyFileError


@dataclass(frozen=True, slots=True)
class Upload:
    """Files of some format: a file, a zip or a tar as a stream, by its name in messages."""

    name: str
    stream: IO[bytes]

    def recognised(self) -> tuple[Recognised, ...]:
        """Return the formats that it may be of, the surest first. Raises StudyFileError."""
        return read_apart(apart.recognise, self.stream, name=self.name, classes=(Recognised,))

    def converted(
        self, target: IO[bytes], format: str, options: Mapping[str, str], slug: str, title: str = "",
        public_title: str = "",
    ) -> Converted:  # fmt: skip
        """Write it as a study file with ratings. Raises StudyFileError."""
        return read_apart(
            apart.convert, self.stream, target, name=self.name, classes=(Converted,), format=format,
            options=dict(options), slug=slug, title=title, public_title=public_title,
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
    return starting.free_slug(Path(name).name.partition(".")[0])


def kept_form(file: RatingsFile, target: IO[bytes]) -> RatingsFile:
    """Return an upload of a named format as it is, with the formats it may be of; any other as a table is kept.

    Raises
    ------
    StudyFileError
        Where it is neither, or damaged.
    """
    with file.open() as stream:
        found = Upload(file.name, stream).recognised()
    if not found:
        return plain_form(file, target)
    return replace(file, form=PlainForm(file.name, formats=tuple((sign.format, sign.sure, sign.why) for sign in found)))


@dataclass(frozen=True, slots=True)
class Made:
    """A study made of files, or one that could be made: the converted files, and the stored study if any."""

    study: Study
    converted: Converted
    imported: Imported

    @property
    def summary(self) -> str:
        """Say how many texts, ratings and raters there are."""
        counts = self.converted.counts
        words = {
            "texts": ngettext("%(n)s text", "%(n)s texts", counts["texts"]),
            "systems": ngettext("%(n)s system", "%(n)s systems", counts["systems"]),
            "ratings": ngettext("%(n)s rating", "%(n)s ratings", counts["ratings"]),
            "raters": ngettext("%(n)s rater", "%(n)s raters", counts["raters"]),
        }
        return ", ".join(word % {"n": f"{counts[noun]:,}"} for noun, word in words.items())

    @property
    def notes(self) -> tuple[str, ...]:
        """Return the notes for the researcher."""
        return (*self.converted.notes, *self.imported.notes)


def make_study(
    *, upload: Upload, format: str, options: Mapping[str, str], owner: AbstractBaseUser | None, slug: str = "",
    instead_of: Study | None = None, check: bool = False, tell: Tell = tell_nobody,
) -> Made:  # fmt: skip
    """Store files of a format as a closed study with its ratings, or only find out with `check` whether they could be.

    The study takes the place of the draft `instead_of`, with its titles, where one is given. `tell` is called with a
    sentence whenever the import is further.

    Raises
    ------
    StudyFileError
        With every problem; nothing is stored then.
    """
    title = public_title = ""
    if instead_of is not None:
        slug, title, public_title = instead_of.slug, instead_of.title, instead_of.public_title
    slug = slug or free_slug(upload.name)
    with tempfile.TemporaryFile() as target, tempfile.TemporaryDirectory() as place:
        tell(_("Reading the files"))
        converted = upload.converted(target, format, options, slug, title, public_title)
        tell(_("Storing the texts"))
        folder = Path(place)
        _unpack(target, folder)
        imported, study = _store(folder, format, owner, is_instead=instead_of is not None, check=check, tell=tell)
    return Made(study, converted, imported)


@atomically
def _store(
    folder: Path, format: str, owner: AbstractBaseUser | None, *, is_instead: bool, check: bool, tell: Tell
) -> tuple[Imported, Study]:
    # Ratings are read from beside the study's own folder.
    study, _loaded = studyfile.load_with_notes(folder / "study", owner=owner, replace=is_instead)
    file = RatingsFile.at(str(folder / RATINGS))
    mapping = from_document(format, {"repeats": "keep"})
    imported = import_ratings(study=study, file=file, mapping=mapping, by=owner, tell=tell)
    study.refresh_from_db()
    if check:
        transaction.set_rollback(True)
    return imported, study


@contextmanager
def ratings_at(path: str, format: str, options: Mapping[str, str], slug: str) -> Iterator[RatingsFile]:
    """Read the ratings of files in a format, for a study that has their texts and questions already.

    `slug` is that of the study. Raises StudyFileError.
    """
    with tempfile.TemporaryFile() as target, tempfile.TemporaryDirectory() as place, upload_at(path) as upload:
        upload.converted(target, format, options, slug)
        _unpack(target, Path(place))
        yield RatingsFile.at(str(Path(place) / RATINGS))


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
