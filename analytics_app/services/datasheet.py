"""Write answers of the datasheet: by a researcher, taken back, or from a file of the public form."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from django.utils import timezone

from analytics_app.heds.answers import Answer
from analytics_app.heds.formats import public_form
from analytics_app.heds.sheet import Entry, is_untouched, sheet_of
from analytics_app.models import Datasheet
from tasks_app.models import Study
from tasks_app.services import events
from tasks_app.services.database import atomically
from tasks_app.services.events import Actor


class Changed(Exception):
    """Somebody else changed answers meanwhile; `entries` are their current state. Nothing was stored."""

    def __init__(self, entries: list[Entry]) -> None:
        super().__init__(", ".join(entry.question.number for entry in entries))
        self.entries = entries


@atomically
def answer(*, study: Study, given: Mapping[str, Answer], displayed: Mapping[str, str], by: Actor) -> int:
    """Store answers by the keys of their entries; return how many changed.

    `displayed` has for each the answer that the form showed (`Entry.shown`). An answer that equals the study's proposal
    becomes the study's again, and changes with the study. An empty answer stays empty. Answers that were not changed in
    the form are left alone.

    Raises
    ------
    Changed
        If somebody else changed one of these answers meanwhile.
    """
    study = Study.objects.select_for_update().get(pk=study.pk)
    entries = sheet_of(study).by_key()
    touched = {key: value for key, value in given.items() if not is_untouched(value, displayed.get(key, ""))}
    changes = {key: value for key, value in touched.items() if key in entries and value != entries[key].answer}
    late = [entries[key] for key in changes if key in displayed and displayed[key] != entries[key].shown]
    if late:
        raise Changed(late)
    stored, _created = Datasheet.objects.get_or_create(study=study, version=None)
    for key, value in changes.items():
        _put(stored, entries[key], value, by)
    if changes:
        stored.save()
        events.log(study, by, "answered", about="datasheet", after={"questions": sorted(changes)})
    return len(changes)


@atomically
def take_back(*, study: Study, key: str, by: Actor) -> bool:
    """Delete a researcher's answer, so that the study answers the question again; return whether there was one."""
    study = Study.objects.select_for_update().get(pk=study.pk)
    entry = sheet_of(study).by_key().get(key)
    if entry is None or entry.own is None:
        return False
    stored = Datasheet.objects.get(study=study, version=None)
    _answers(stored, entry).pop(entry.question.number)
    stored.save()
    events.log(study, by, "took back", about="datasheet", before={key: entry.own.answer.stored})
    return True


def _put(stored: Datasheet, entry: Entry, value: Answer, by: Actor) -> None:
    """Store an answer, or delete it if it equals the study's proposal."""
    answers = _answers(stored, entry)
    if (entry.proposed is not None and value == entry.proposed.answer) or (entry.proposed is None and not value):
        answers.pop(entry.question.number, None)
        return
    revision = entry.own.revision + 1 if entry.own is not None else 1
    name = by.get_username() if by is not None else ""
    about = {"revision": revision, "by": name, "at": timezone.now().isoformat()}
    answers[entry.question.number] = {**value.stored, **about}


def _answers(stored: Datasheet, entry: Entry) -> dict[str, Any]:
    answers: dict[str, Any] = stored.answers
    if entry.criterion:
        answers = stored.criterion_answers.setdefault(entry.criterion, {})
    return answers


@atomically
def freeze(study: Study) -> bool:
    """Store every current answer with the version that is opened, unless it has a sheet; return whether it was stored.

    The digest is SHA-256 over the answers as JSON with sorted keys.
    """
    if not study.current_version or Datasheet.objects.filter(study=study, version=study.current_version).exists():
        return False
    sheet = sheet_of(study)
    answers: dict[str, Any] = {}
    of_criteria: dict[str, dict[str, Any]] = {key: {} for key in sheet.names}
    for entry in sheet.entries:
        if entry.answer:
            target = of_criteria[entry.criterion] if entry.criterion else answers
            target[entry.question.number] = {**entry.answer.stored, "source": entry.source}
    content = json.dumps([answers, of_criteria], sort_keys=True, ensure_ascii=False)
    Datasheet.objects.create(
        study=study,
        version=study.current_version,
        answers=answers,
        criterion_answers=of_criteria,
        frozen_at=timezone.now(),
        digest=hashlib.sha256(content.encode()).hexdigest(),
    )
    return True


@atomically
def import_file(*, study: Study, content: bytes, by: Actor) -> tuple[int, list[str]]:
    """Store the answers of a file of the public form; return the number of changes, and the unknown fields.

    Raises
    ------
    analytics_app.heds.formats.public_form.BadFile
        With every problem; nothing was stored.
    """
    read = public_form.read(sheet_of(study), content)
    n = answer(study=study, given=read.answers, displayed={}, by=by)
    return n, list(read.unknown)
