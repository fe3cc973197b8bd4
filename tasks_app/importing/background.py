"""Import a large file in the background: a worker reads, checks and stores it, and says how far it is.

The import is a row, and how workers take rows is in `tasks_app.services.background`.
"""

import logging
import os
from collections.abc import Callable, Mapping
from typing import Any, Protocol, cast

from django.contrib.auth.models import User
from django.db.models.functions import Now
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tasks_app import importing
from tasks_app.hooks.sections import Json
from tasks_app.importing import uploads, whole
from tasks_app.importing.named import studies
from tasks_app.importing.source import RatingsFile
from tasks_app.models import ImportWork, Membership, SetupRow, Study, Task
from tasks_app.services import events
from tasks_app.services.background import BackgroundWork, Busy
from tasks_app.services.database import IMPORT_WORKS, atomically
from tasks_app.services.imports import mappings
from tasks_app.services.progress import Progress, Tell
from tasks_app.services.study.lifecycle import NotPossible

# A page waits for smaller files: about 40,000 rows, which take two or three seconds.
LARGE = 2 * 1024 * 1024

# How many times larger a gzipped table mostly is when it is unpacked.
_PACKED = 8

State, Kind = ImportWork.State, ImportWork.Kind

# The role that each kind asks for: a table and files of a format take the place of a whole draft.
ROLES = {Kind.TABLE: Membership.Role.OWNER, Kind.FORMAT: Membership.Role.OWNER, Kind.RATINGS: Membership.Role.EDITOR}

log = logging.getLogger(__name__)


class _Read(Protocol):
    """The outcome of reading a file, and of storing it unless it was only checked."""

    @property
    def summary(self) -> str: ...

    @property
    def notes(self) -> tuple[str, ...]: ...


def is_large(file: RatingsFile) -> bool:
    """Return whether no page should wait for a file."""
    with file.open() as stream:
        size = stream.seek(0, os.SEEK_END)
    return size * (_PACKED if file.name.lower().endswith(".gz") else 1) >= LARGE


def why_no_table(study: Study) -> str:
    """Return why a study takes no table in place of its texts; "" if it does."""
    has_tasks = Task.objects.filter(study=study).exists()
    if study.is_frozen or has_tasks or SetupRow.objects.filter(setup__study=study).exists():
        return _("This study has texts or tasks already. Begin a new study with the table, or import the ratings.")
    return ""


def ask(*, study: Study, kind: str, given: Mapping[str, Json], only_check: bool, by: events.Actor) -> ImportWork:
    """Have a worker import a kept upload, as `given` says, or only check it.

    The same import that is under way goes on. Raises Busy where another one is.
    """
    work, is_new = _note(study_id=study.pk, kind=kind, given=given, only_check=only_check, by=by)
    if is_new:
        WORK.send(work)
    return work


@atomically
def _note(
    *, study_id: int, kind: str, given: Mapping[str, Json], only_check: bool, by: events.Actor
) -> tuple[ImportWork, bool]:
    study = Study.objects.select_for_update().get(pk=study_id)
    work = ImportWork.objects.filter(study=study).first()
    if work is not None and work.is_under_way:
        if (work.kind, work.given, work.only_checked) != (kind, given, only_check):
            raise Busy(_("Another file is being imported into this study. Wait until that is done."))
        return work, False
    values: dict[str, Any] = {
        "kind": kind, "given": given, "only_checked": only_check, "state": State.QUEUED, "progress": "",
        "by_id": getattr(by, "pk", None), "problems": [], "n_more": 0, "summary": "", "notes": [],
    }  # fmt: skip
    work, _is_created = ImportWork.objects.update_or_create(study=study, defaults={**values, "asked_at": Now()})
    return work, True


def _import(row: ImportWork) -> None:
    """Import the file of a row; forget it where it was stored."""
    file = uploads.find(row.study, row.given["file"])
    if file is None:
        raise NotPossible(_("The uploaded file was deleted after a day. Upload it again."))
    _store(row=row, file=file)
    if not row.only_checked:
        try:
            uploads.forget(row.study, row.given["file"])
        except OSError:
            # The ratings are stored; the file is deleted with later uploads, after a day.
            log.exception("The file of an import into %s could not be deleted", row.study.slug)


@atomically
def _store(*, row: ImportWork, file: RatingsFile) -> None:
    """Store a file and that it is stored in one transaction: a process that dies afterwards repeats nothing."""
    with Progress(row) as progress:
        read = _DO[Kind(row.kind)](row, file, progress.tell)
    WORK.done(row, notes=read.notes, summary=read.summary[:200])


def _table(row: ImportWork, file: RatingsFile, tell: Tell) -> _Read:
    if why_not := why_no_table(row.study):
        raise NotPossible(why_not)
    study = row.study
    return whole.study_of_table(
        file=file, mapping=whole.mapping_of(_("mapping"), row.given["mapping"]), title=study.title, slug=study.slug,
        public_title=study.public_title, owner=cast("User", row.by), replace_draft=True, check=row.only_checked,
        tell=tell,
    )  # fmt: skip


def _format(row: ImportWork, file: RatingsFile, tell: Tell) -> _Read:
    if why_not := why_no_table(row.study):
        raise NotPossible(why_not)
    with file.open() as stream:
        return studies.make_study(
            upload=studies.Upload(file.name, stream), format=row.given["format"], options=row.given["options"],
            owner=cast("User", row.by), instead_of=row.study, check=row.only_checked, tell=tell,
        )  # fmt: skip


def _ratings(row: ImportWork, file: RatingsFile, tell: Tell) -> _Read:
    document, name = row.given["mapping"], row.given["save_as"]
    mapping = importing.from_document(_("mapping"), document)
    imported = importing.import_ratings(
        study=row.study, file=file, mapping=mapping, by=row.by, check=row.only_checked, tell=tell
    )
    if name and not row.only_checked:
        mappings.save(study=row.study, name=name, document=document, by=row.by)
    return imported


_DO: Mapping[str, Callable[[ImportWork, RatingsFile, Tell], _Read]] = {
    Kind.TABLE: _table, Kind.FORMAT: _format, Kind.RATINGS: _ratings,
}  # fmt: skip

WORK = BackgroundWork(
    model=ImportWork, related=("study",), job="tasks_app.jobs.work_on_import", lock=IMPORT_WORKS,
    begins=State.WORKING, study=lambda row: row.study, do=_import, role=lambda row: ROLES[Kind(row.kind)],
    not_allowed=gettext_lazy(
        "The person who started this may no longer import into the study. Somebody else has to start it again."
    ),
    too_long=gettext_lazy("This took longer than a background worker may take. Nothing was stored. Split the file."),
)  # fmt: skip
