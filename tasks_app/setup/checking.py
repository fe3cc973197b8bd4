"""Check a set-up: each step as it is filled in, and the whole of it, which makes the study."""

from collections.abc import Callable

from django.utils.translation import gettext as _

from tasks_app.hooks import sections
from tasks_app.hooks.sections import Json
from tasks_app.models import Invitation, Media, Setup, SetupWork, Study
from tasks_app.models.setup_document import SetupDocument
from tasks_app.services import events
from tasks_app.services.arrival.invitations import regroup
from tasks_app.services.database import atomically
from tasks_app.services.study.items import keep_media
from tasks_app.setup.changes import ChangedMeanwhile, hold
from tasks_app.setup.files import SetupFiles
from tasks_app.studyfile.checking import STORING, Loaded, Report, Slot, check, store_reading
from tasks_app.studyfile.files.source import STUDY_YAML
from tasks_app.studyfile.files.yaml_text import tree_of
from tasks_app.studyfile.files.yaml_tree import parse
from tasks_app.studyfile.problems import Problem, Problems, StudyFileError
from tasks_app.studyfile.reading import StudyReading
from tasks_app.studyfile.screens import draft_tasks

# Number of items with which a form is checked; all items are checked when the study is created.
ITEMS_CHECKED = 12


def reading_of(setup: Setup, items: int | None = ITEMS_CHECKED) -> StudyReading:
    """Check every section of a set-up with its first items, or all tables for None; no plan is drawn.

    Problems are collected, not raised.
    """
    reading = StudyReading(SetupFiles(setup, items), tree_of(STUDY_YAML, setup.given))
    for section in sections.registered():
        reading.document[section.name] = section.check(reading)
    return reading


def problems_of_tables(reading: StudyReading) -> list[str]:
    """Return the problems of the texts that were read, or of their fit to a task."""
    draft_tasks(reading)
    try:
        reading.problems.raise_if_any()
    except StudyFileError as error:
        return [problem.message for problem in error.problems if problem.file not in {STUDY_YAML, reading.files.label}]
    return []


def study_yaml_of(setup: Setup, text: str) -> tuple[dict[str, Json], StudyFileError | None]:
    """Read an edited study.yaml: its content, and the problems at its lines, as long as it can be read.

    Raises
    ------
    StudyFileError
        Where it is no YAML, or would give the study another slug.
    """
    problems = Problems()
    tree = parse(STUDY_YAML, text, problems)
    if not isinstance(tree.data, dict) and not problems.count:
        problems.add(STUDY_YAML, 1, 1, _("This must be a group of settings (name: value)."))
    problems.raise_if_any()
    given = {name: value for name, value in tree.data.items() if name != "evalweb"}
    if SetupDocument(given).value(("study", "slug")) != setup.study.slug:
        place = tree.place(("study", "slug"))
        sentence = _("study.slug: The short name must stay “%(slug)s”, because the study's addresses contain it.") % {
            "slug": setup.study.slug
        }
        raise StudyFileError([Problem(STUDY_YAML, place.line, place.column, sentence)])
    files = SetupFiles(setup, ITEMS_CHECKED)
    files.write(STUDY_YAML, text.encode())
    reading = StudyReading(files)
    for section in sections.registered():
        reading.document[section.name] = section.check(reading)
    try:
        reading.problems.raise_if_any()
    except StudyFileError as error:
        return given, error
    return given, None


_OWN_DRAFT = Slot(None, replace=True)


@atomically
def make_study(*, setup: Setup, by: events.Actor) -> tuple[Study, Loaded]:
    """Check the whole set-up and make the study of it, in place of the study's present content.

    Raises
    ------
    tasks_app.studyfile.StudyFileError
        With every problem; the study stays as it was.
    tasks_app.services.study.drafts.NotADraft
        Where the study was opened meanwhile.
    """
    setup = hold(setup)
    SetupWork.objects.filter(setup=setup, kind=SetupWork.Kind.CHECK).delete()
    return _make(setup, check(SetupFiles(setup), _OWN_DRAFT), by)


def make_study_in_steps(
    *, setup: Setup, by: events.Actor, report: Report, made: Callable[[Loaded], None]
) -> tuple[Study, Loaded]:
    """Do the same without holding the set-up while it is read and the plan is drawn, so that people can go on.

    `report` is told what is done next, and `made` what was noticed, in the transaction that makes the study. Raises
    StudyFileError and NotADraft as `make_study` does, and `tasks_app.setup.changes.ChangedMeanwhile` where the set-up
    was changed before the study was stored.
    """
    reading = check(SetupFiles(setup), _OWN_DRAFT, report)
    report(STORING)
    return _make_if_unchanged(setup=setup, reading=reading, by=by, made=made)


@atomically
def _make_if_unchanged(
    *, setup: Setup, reading: StudyReading, by: events.Actor, made: Callable[[Loaded], None]
) -> tuple[Study, Loaded]:
    held = hold(setup)
    if held.revision != setup.revision:
        raise ChangedMeanwhile
    study, loaded = _make(held, reading, by)
    made(loaded)
    return study, loaded


def _make(setup: Setup, reading: StudyReading, by: events.Actor) -> tuple[Study, Loaded]:
    uploaded = list(Media.objects.filter(study=setup.study))
    groups_of_invited = dict(
        Invitation.objects.filter(study=setup.study, group__isnull=False).values_list("pk", "group__key")
    )
    study, loaded = store_reading(reading, _OWN_DRAFT)
    keep_media(study=study, media=uploaded)
    regroup(study=study, groups=groups_of_invited)
    Setup.objects.filter(pk=setup.pk).update(stored_revision=setup.revision)
    events.log(study, by, "set up", about=study.slug, after={"revision": setup.revision})
    return study, loaded
