"""Import a large file in the background: a worker reads, checks and stores it, and says how far it is.

The import is a row. A worker holds a lock of its connection while it works, so that nobody else does the same, and
stores everything in one transaction: one that dies leaves nothing, and the next one begins anew.
"""

import logging
import os
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any, Protocol, cast

from celery.exceptions import SoftTimeLimitExceeded
from django.contrib.auth.models import User
from django.db import InterfaceError, OperationalError
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.http import Http404
from django.utils import translation
from django.utils.translation import gettext as _

from tasks_app import access, importing
from tasks_app.hooks.sections import Json
from tasks_app.importing import uploads, whole
from tasks_app.importing.named import studies
from tasks_app.importing.source import RatingsFile
from tasks_app.models import ImportWork, Membership, SetupRow, Study, Task
from tasks_app.services import broker, events
from tasks_app.services.database import IMPORT_WORKS, atomically, held_alone, is_free, is_timeout
from tasks_app.services.imports import mappings
from tasks_app.services.progress import Progress, Tell
from tasks_app.services.study.lifecycle import NotPossible
from tasks_app.studyfile.problems import Problem, StudyFileError

JOB = "tasks_app.jobs.work_on_import"

# A page waits for smaller files: about 40,000 rows, which take two or three seconds.
LARGE = 2 * 1024 * 1024

# How many times larger a gzipped table mostly is when it is unpacked.
_PACKED = 8

# Seconds after which workers are notified again, and after which an import is given up.
AGAIN, GIVEN_UP = 60, 3_600

State, Kind = ImportWork.State, ImportWork.Kind

UNDER_WAY = (State.QUEUED, State.WORKING)

# The role that each kind asks for: a table and files of a format take the place of a whole draft.
ROLES = {Kind.TABLE: Membership.Role.OWNER, Kind.FORMAT: Membership.Role.OWNER, Kind.RATINGS: Membership.Role.EDITOR}

log = logging.getLogger(__name__)


class Busy(Exception):
    """A worker is importing another file into the study."""


class _Superseded(Exception):
    """The import was given up meanwhile, and may have been asked for anew: this worker must store nothing."""


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
        broker.send(JOB, [work.pk])
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


def notify_again() -> None:
    """Notify workers of imports that have been waiting for a while: nobody heard of them, or a process died.

    What could not be done within an hour is given up, so that it can be asked for again, unless a worker is doing it.
    """
    waiting = ImportWork.objects.filter(state__in=UNDER_WAY, asked_at__lt=Now() - timedelta(seconds=AGAIN))
    for row in waiting.filter(asked_at__lt=Now() - timedelta(seconds=GIVEN_UP)):
        _give_up(row=row)
    broker.send(JOB, waiting.values_list("pk", flat=True), expires=AGAIN)


@atomically
def _give_up(*, row: ImportWork) -> None:
    if is_free(IMPORT_WORKS, row.pk):
        _refuse(row, _("This could not be done within an hour. Nothing was stored. Try it again."))


def _unless_superseded(row: ImportWork) -> QuerySet[ImportWork]:
    """Select the row as long as it is the request that was read, and not over."""
    return ImportWork.objects.filter(pk=row.pk, asked_at=row.asked_at, state__in=UNDER_WAY)


def work(work_id: int) -> None:
    """Do the import of a row, unless it is over or another process is doing it."""
    with held_alone(IMPORT_WORKS, work_id) as is_mine:
        row = ImportWork.objects.select_related("study", "by").filter(pk=work_id).first() if is_mine else None
        if row is not None and row.is_under_way:
            _work(row)


def _work(row: ImportWork) -> None:
    """Do the import of a row, and write down its outcome."""
    try:
        if not _unless_superseded(row).update(state=State.WORKING):
            raise _Superseded
        if row.by is None:
            raise Http404
        access.study_for_researcher(row.by, row.study.slug, ROLES[Kind(row.kind)])
        with translation.override("en"):
            _import(row)
    except _Superseded:
        log.info("The import into %s was given up before it was over", row.study.slug)
    except StudyFileError as refusal:
        problems = [
            [problem.file, problem.line, problem.column, problem.message, problem.count, problem.places]
            for problem in refusal.problems
        ]
        _refuse(row, problems=problems, n_more=refusal.more)
    except Http404:
        _refuse(row, _("The person who started this may no longer import into the study. Somebody else has to."))
    except NotPossible as refusal:
        _refuse(row, str(refusal))
    except (OperationalError, InterfaceError) as error:
        if not is_timeout(error):
            # Another transaction was in the way, or the server is away: it is still to be done.
            raise
        _refuse(row, _("A database query took longer than this server allows. Nothing was stored."))
    except SoftTimeLimitExceeded:
        _refuse(row, _("This took longer than a background worker may take. Nothing was stored. Split the file."))
    except Exception:
        log.exception("The import into %s failed", row.study.slug)
        _refuse(row, _("An error occurred on the server. Nothing was stored. Try it again."))


def _refuse(row: ImportWork, *sentences: str, **values: Any) -> None:
    """Write down why a file was refused, unless the import is over already."""
    _unless_superseded(row).update(state=State.REFUSED, progress="", notes=sentences, **values)


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
    done = {"state": State.DONE, "progress": "", "summary": read.summary[:200], "notes": list(read.notes)}
    if not _unless_superseded(row).update(**done):
        raise _Superseded


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


def refusal_of(row: ImportWork) -> StudyFileError | None:
    """Return the problems of a refused file; None where it has none."""
    problems = [
        Problem(file, line, column, message, count, tuple((place[0], place[1]) for place in places))
        for file, line, column, message, count, places in row.problems
    ]
    return StudyFileError(problems, row.n_more) if problems else None
