"""Pictures, sounds, videos and captions of a study that is set up: upload them, list them, find them by their names."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.db.models import Max, Q
from django.utils.translation import gettext as _

from tasks_app.models import ItemMedia, Media, Output, Setup, SetupRow, Study
from tasks_app.services import events
from tasks_app.services.database import atomically
from tasks_app.services.study.items import files_of as media_files
from tasks_app.services.study.items import remove_files, store_media
from tasks_app.setup import changes
from tasks_app.setup.tables.checking import UploadedMedia
from tasks_app.studyfile.columns import BETWEEN_FILES
from tasks_app.studyfile.files import plain
from tasks_app.studyfile.files.apart import read_apart
from tasks_app.studyfile.files.limits import limits
from tasks_app.studyfile.files.media import ACCEPTED, MediaFile, too_large, why_not_clean
from tasks_app.studyfile.files.removed import notes_on, sentences
from tasks_app.studyfile.files.writing import media_name
from tasks_app.studyfile.problems import Problems

# Rows of a set-up that say what an uploaded file was called; no table of a study file.
TABLE = "media"


@dataclass(frozen=True, slots=True)
class UploadedFileOfStudy:
    """A file: its name in rows, its names at each upload of the same content, its type and size."""

    name: str
    names: tuple[str, ...]
    kind: str
    bytes: int

    @property
    def called(self) -> str:
        """All names that the file had: files of the same content are kept once."""
        if len(self.names) == 1:
            return self.names[0]
        return _("%(names)s (the same file)") % {"names": ", ".join(self.names)}


def files_of(setup: Setup) -> list[UploadedFileOfStudy]:
    """Return the media of a study, by the names they had."""
    called = defaultdict[str, list[str]](list)
    for cells in setup.rows.filter(table=TABLE).order_by("number").values_list("cells", flat=True):
        called[cells["file"]].append(cells["name"])
    files = []
    for row in Media.objects.filter(study=setup.study):
        name = media_name(row.sha256, row.kind)
        files.append(UploadedFileOfStudy(name, tuple(called.get(name, [name])), row.kind, row.bytes))
    return sorted(files, key=lambda file: (file.called, file.name))


def uploaded(setup: Setup) -> UploadedMedia:
    """Return the media of a study as the check of a table wants them."""
    files = files_of(setup)
    by_name = {called: file.name for file in files for called in file.names}
    return UploadedMedia(by_name, {file.name: file.kind for file in files})


@dataclass(frozen=True, slots=True)
class _Accepted:
    """An uploaded file with its content without metadata."""

    media: MediaFile
    content: bytes


def keep(*, setup: Setup, uploads: Sequence[UploadedFile[bytes]], by: events.Actor) -> list[str]:
    """Keep uploaded files without metadata, all or none; return sentences about the removed metadata.

    Raises
    ------
    StudyFileError
        With every file that raters could not be shown.
    NotADraft
        Where the study was opened meanwhile.
    """
    problems = Problems()
    files: list[_Accepted] = []
    for upload in uploads:
        name = upload.name or ""
        if (upload.size or 0) > limits().media_bytes:
            problems.add(name, 0, 0, too_large(upload.size or 0))
            continue
        with tempfile.TemporaryFile() as target:
            identified = read_apart(plain.media, upload, target, name=name, classes=plain.IDENTIFIED)
            if identified.media is None:
                problems.add(name, 0, 0, identified.sentence)
                continue
            for line, sentence in identified.faults:
                problems.add(name, line, 1, sentence)
            files.append(_Accepted(identified.media, target.read()))
    problems.raise_if_any()
    notes = notes_on([file.media for file in files])
    written: list[str] = []
    try:
        _store(setup, files, notes, by, written)
    except BaseException:
        remove_files(written)
        raise
    return notes


@atomically
def _store(
    setup: Setup, files: Iterable[_Accepted], notes: Sequence[str], by: events.Actor, written: list[str]
) -> None:
    setup = changes.hold(setup)
    last = setup.rows.filter(table=TABLE).aggregate(last=Max("number"))["last"] or 0
    names = []
    for number, accepted in enumerate(files, start=last + 1):
        media = accepted.media
        written += store_media(study=setup.study, sha256=media.sha256, kind=media.kind, content=accepted.content)
        file = media_name(media.sha256, media.kind)
        setup.rows.filter(table=TABLE, cells__name=media.name).delete()
        SetupRow.objects.create(setup=setup, table=TABLE, number=number, cells={"name": media.name, "file": file})
        names.append(media.name)
    events.log(
        setup.study, by, "uploaded", about="media", after={"files": names[:100], "n": len(names), "notes": list(notes)}
    )


@dataclass(frozen=True, slots=True)
class EarlierFiles:
    """Files that were stored before files were cleaned: the removed metadata, and the files that raters do not get."""

    removed: tuple[str, ...]
    refused: tuple[str, ...]
    n_waiting: int


def earlier_files(study: Study) -> EarlierFiles | None:
    """Return the notes on files of a study that were stored before files were cleaned; None where there are none."""
    has_note = ~Q(removed=[]) | ~Q(refusal="") | Media.NOT_CLEANED
    files = list(Media.objects.filter(has_note, study=study).order_by("pk"))
    if not files:
        return None
    return EarlierFiles(
        tuple(sentences((file.kind, file.removed) for file in files)),
        tuple(_refused(study, [file for file in files if file.refusal])),
        sum(not file.clean_file and not file.refusal for file in files),
    )


def _refused(study: Study, files: Sequence[Media]) -> Iterator[str]:
    """Yield a sentence for each file that raters do not get, by the name that it had."""
    rows = SetupRow.objects.filter(setup__study=study, table=TABLE) if files else SetupRow.objects.none()
    called = dict(rows.values_list("cells__file", "cells__name"))
    for file in files:
        name = media_name(file.sha256, file.kind)
        yield f"{called.get(name, name)} {why_not_clean(file.refusal)}"


class IsUsed(Exception):
    """A file is named by a row, so that it stays; the message says by which."""


@atomically
def remove(*, setup: Setup, name: str, by: events.Actor) -> None:
    """Remove a file that no row names. Raises IsUsed, NotADraft."""
    setup = changes.hold(setup)
    for column in ACCEPTED:
        for row in setup.rows.filter(table="items", **{f"cells__{column}__icontains": name}).order_by("number"):
            if name in (part.strip() for part in row.cells[column].split(BETWEEN_FILES)):
                sentence = _("The item “%(item)s” shows this file. Remove it from the row first.")
                raise IsUsed(sentence % {"item": row.cells.get("item", "")})
    for media in Media.objects.filter(study=setup.study, sha256=name.rpartition("/")[2].partition(".")[0]):
        is_output = Output.objects.filter(Q(media=media) | Q(captions=media)).exists()
        if is_output or ItemMedia.objects.filter(media=media).exists():
            raise IsUsed(
                _("The study shows this file as it was last checked. Press “Check everything” on Review first.")
            )
        names = media_files(Media.objects.filter(pk=media.pk))
        media.delete()
        transaction.on_commit(partial(remove_files, names))
    setup.rows.filter(table=TABLE, cells__file=name).delete()
    events.log(setup.study, by, "removed", about="media", before={"file": name})
