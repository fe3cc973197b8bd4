"""Validate a whole study file, and store it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from django.contrib.auth.models import AbstractBaseUser
from django.db import IntegrityError
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tasks_app.hooks import sections
from tasks_app.hooks.sections import Document
from tasks_app.models import Gold, Setup, Study
from tasks_app.pay import Offer
from tasks_app.services import events, pay
from tasks_app.services.database import atomically
from tasks_app.services.study import drafts, items
from tasks_app.services.study.drafts import NotADraft
from tasks_app.settings.study import USUAL_MINUTES, Pay
from tasks_app.studyfile.favoured import favoured_texts
from tasks_app.studyfile.files.source import STUDY_YAML, Files, Source, content_of, open_files
from tasks_app.studyfile.pictures import check_pictures
from tasks_app.studyfile.problems import Problem, StudyFileError
from tasks_app.studyfile.reading import StudyReading
from tasks_app.studyfile.screens import check_kinds, check_plans, draft_tasks
from tasks_app.studyfile.workload import crowded_notes, workload_of, workload_sentence
from tasks_app.texts.findings import findings_in

_SLUG = ("study", "slug")


@dataclass(frozen=True, slots=True)
class Loaded:
    """A valid study file: its document, notes for the researcher, and counts.

    `load` is a sentence about the workload of a rater.
    """

    document: Document
    notes: tuple[str, ...]
    counts: Mapping[str, int]
    load: str = ""


@dataclass(frozen=True, slots=True)
class Slot:
    """The place to store a study file: the owner of the study, and whether it may replace a draft."""

    owner: AbstractBaseUser | None
    replace: bool = False


# A function that is called with the name of the next phase, for pages that show progress.
Report = Callable[[str], None]
PLANNING, STORING = "planning", "storing"


def say_nothing(_phase: str) -> None:
    """Tell nobody."""


def check(files: Files, slot: Slot | None = None, report: Report = say_nothing) -> StudyReading:
    """Check every part of a study file; `report` is told when the plan is drawn.

    Raises
    ------
    StudyFileError
        With every problem.
    """
    reading = StudyReading(files)
    for section in sections.registered():
        reading.document[section.name] = section.check(reading)
    if reading.units_sound:
        draft_tasks(reading)
        reading.forget_places_of_outputs()
        report(PLANNING)
        check_plans(reading, draft_tasks(reading))
        if len(draft_tasks(reading)) == len(reading.document["tasks"]):
            check_pictures(reading, draft_tasks(reading))
            check_kinds(reading, draft_tasks(reading))
        reading.workload = workload_of(reading, draft_tasks(reading))
    if slot is not None and reading.sound(_SLUG):
        _check_slug(reading, slot)
    reading.problems.raise_if_any()
    _count_checks_apart(reading)
    reading.text_findings = findings_in(reading.document["items"], reading.document["systems"])
    if reading.units_sound:
        reading.text_findings += favoured_texts(reading, draft_tasks(reading))
    for note in crowded_notes(reading):
        reading.note(note)
    if note := pay_note(reading):
        reading.note(note)
    unused = [name for name in files.names if name not in reading.used]
    if unused:
        sentence = ngettext("%(n)d file is not used: %(names)s.", "%(n)d files are not used: %(names)s.", len(unused))
        ellipsis = " …" if len(unused) > 5 else ""
        reading.note(sentence % {"n": len(unused), "names": ", ".join(unused[:5]) + ellipsis})
    return reading


def _count_checks_apart(reading: StudyReading) -> None:
    """Count items with known answers as `checks`; neither they nor systems of theirs alone count as judged."""
    drafts_by_task = {draft.task["key"]: draft for draft in draft_tasks(reading)}
    rows = [row for row in reading.document["controls"] if row["kind"] != Gold.Kind.WORSE]
    units = [drafts_by_task[row["task"]].units.get(row["unit"]) for row in rows if row["task"] in drafts_by_task]
    known = {unit.item for unit in units if unit is not None and unit.item is not None}
    if known:
        judged = [item for item in reading.document["items"] if item["key"] not in known]
        with_text = {output["system"] for item in reading.document["items"] for output in item["outputs"]}
        of_judged = {output["system"] for item in judged for output in item["outputs"]}
        reading.counts |= {
            "items": len(judged),
            "outputs": sum(len(item["outputs"]) for item in judged),
            "systems": reading.counts["systems"] - len(with_text - of_judged),
            "checks": len(known),
        }


def pay_note(reading: StudyReading) -> str:
    """Return a warning if pay is too low for the expected minutes, by the study's own minimum."""
    settings = Pay(reading.document["pay"])
    minutes = settings.minutes
    if minutes is None:
        minutes = reading.workload.minutes if reading.workload else USUAL_MINUTES
    offer = Offer(settings.amount, settings.part_amount, settings.part_by_time, minutes, settings.minimum_hourly)
    return pay.offer_note(offer, settings.currency)


def _check_slug(reading: StudyReading, slot: Slot) -> None:
    study = Study.objects.filter(slug=reading.document["study"]["slug"]).first()
    if study is not None and (sentence := _why_not(study, slot)):
        reading.problem(_SLUG, sentence)


def _why_not(study: Study, slot: Slot) -> str | None:
    """Return the reason why a file cannot replace a study, or None."""
    if not drafts.may_edit(study=study, user=slot.owner):
        return _("“%(slug)s” is the slug of somebody else's study. Choose another.") % {"slug": study.slug}
    if study.is_frozen:
        sentence = _("There is a study “%(slug)s” that was opened, so it is not replaced. Choose another slug.")
        return sentence % {"slug": study.slug}
    if not slot.replace:
        sentence = _(
            "There is a draft “%(slug)s” already. Choose another slug, or say that the draft is to be replaced."
        )
        return sentence % {"slug": study.slug}
    return None


def read_file(source: Source, slot: Slot | None = None) -> Loaded:
    """Check a study file without storing it. Raises StudyFileError."""
    with open_files(source) as files:
        return _loaded(check(files, slot))


def store_file(source: Source, slot: Slot, report: Report = say_nothing) -> tuple[Study, Loaded]:
    """Store a whole study file or nothing; it also replaces the set-up made in the browser. `report` gets each phase.

    Raises
    ------
    StudyFileError
        With every problem.
    """
    with open_files(source) as files:
        reading = check(files, slot, report)
        report(STORING)
        study, loaded = store_reading(reading, slot)
        Setup.objects.filter(study=study).delete()
        return study, loaded


def store_reading(reading: StudyReading, slot: Slot) -> tuple[Study, Loaded]:
    """Store a study file that was checked: all of it or nothing. Raises StudyFileError."""
    reading.forget_items()
    written: list[str] = []
    try:
        return _store(reading, slot, written), _loaded(reading)
    except BaseException as error:
        # The database rolls back by itself; written files must be deleted.
        items.remove_files(written)
        if isinstance(error, NotADraft | IntegrityError) and (refusal := _refused(reading, slot, error)):
            raise refusal from error
        raise


def _loaded(reading: StudyReading) -> Loaded:
    return Loaded(reading.document, tuple(reading.notes), dict(reading.counts), workload_sentence(reading))


@atomically
def _store(reading: StudyReading, slot: Slot, written: list[str]) -> Study:
    about = reading.document["study"]
    study = Study.objects.select_for_update().filter(slug=about["slug"]).first()
    if study is None:
        study = drafts.create_draft(owner=slot.owner, **about)
    else:
        if sentence := _why_not(study, slot):
            raise NotADraft(sentence)
        before = sections.digest(sections.snapshot(study))
        sections.erase(study)
        drafts.describe_draft(study=study, **{name: about[name] for name in about if name != "slug"})
        events.log(study, slot.owner, "replaced", about=study.slug, before={"digest": before})
    for media in reading.media.values():
        written += items.store_media(
            study=study, sha256=media.sha256, kind=media.kind, content=content_of(reading.files, media)
        )
    sections.store(study, reading.document)
    store_counted(study, reading)
    events.log(study, slot.owner, "loaded", about=study.slug, after=dict(reading.counts))
    return study


def store_counted(study: Study, reading: StudyReading) -> None:
    """Store the counts and the findings in the texts of a study file, beside its settings."""
    if reading.workload is not None:
        drafts.set_settings(study=study, block="workload", values=reading.workload.to_store())
    findings = [finding.to_store() for finding in reading.text_findings]
    drafts.set_settings(study=study, block="texts", values={"findings": findings})


def _refused(reading: StudyReading, slot: Slot, error: Exception) -> StudyFileError | None:
    """Return a problem of the slug if a study was created or opened under it since the check."""
    sentence: str | None = str(error)
    if isinstance(error, IntegrityError):
        study = Study.objects.filter(slug=reading.document["study"]["slug"]).first()
        sentence = None if study is None else _why_not(study, slot)
    if not sentence:
        return None
    place = reading.tree.place(_SLUG)
    return StudyFileError([Problem(STUDY_YAML, place.line, place.column, f"study.slug: {sentence}")])
