"""Workload of a rater in a study file, before it is stored."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random
from statistics import fmean

from django.utils import formats
from django.utils.translation import gettext as _

from tasks_app.hooks.sections import Json
from tasks_app.models import Gold, Task
from tasks_app.selectors.routing import ON_REQUEST
from tasks_app.services.plan.loads import load_in_words
from tasks_app.settings.workload import (
    MOST_ANSWERS,
    MOST_TEXTS,
    SECONDS_A_SCREEN,
    TaskLoad,
    Workload,
)
from tasks_app.studyfile.reading import StudyReading
from tasks_app.studyfile.screens import DraftTask, is_imported, plan_units
from tasks_app.task_types.base import Screen, UnitDraft, without_document_score
from tasks_app.texts.reading_time import reading_seconds

# Reading time is estimated from this many evenly spaced units.
UNITS_READ = 300


def workload_of(reading: StudyReading, drafts: Sequence[DraftTask]) -> Workload | None:
    """Return the workload of a rater in the group with the largest one; None if there is nothing to judge."""
    loads = {draft.task["key"]: _load(reading, draft) for draft in drafts if draft.units}
    # Texts sent on request go to other raters.
    tasks = {draft.task["key"]: draft.task for draft in drafts if draft.task["design"] not in ON_REQUEST}
    if not any(task["stage"] == Task.Stage.MAIN for task in tasks.values()):
        return None
    groups = [row["key"] for row in reading.document["groups"]] or [""]
    shared = [
        Workload.of(loads, {key: not task["groups"] or group in task["groups"] for key, task in tasks.items()})
        for group in groups
    ]
    return max(shared, key=lambda workload: workload.minutes)


def _load(reading: StudyReading, draft: DraftTask) -> TaskLoad:
    """Measure one task: the number of screens in a set, and the texts and answers on them."""
    criteria = reading.document["criteria"]
    units = list(draft.units.values())
    shapes = Counter(map(_shape_of, units))
    answers: dict[tuple[int, str, bool], int] = {}
    n_shown: dict[tuple[int, str, bool], int] = {}
    for unit in units:
        shape = _shape_of(unit)
        if shape not in answers:
            screen = screen_of(draft, unit, criteria)
            answers[shape], n_shown[shape] = draft.kind.answers_on(screen), len(screen.shown_parts)
    n_answers = sum(answers[shape] * times for shape, times in shapes.items()) / len(units)
    texts = sum(n_shown[shape] * times for shape, times in shapes.items()) / len(units)
    read = [_seconds_to_read(draft, unit) for unit in units[:: max(1, len(units) // UNITS_READ)]]
    return TaskLoad(
        screens=_screens(reading, draft),
        texts=texts,
        answers=n_answers,
        seconds=SECONDS_A_SCREEN + fmean(read) + n_answers * draft.kind.seconds_an_answer,
        most_texts=max(n_shown.values()),
        most_answers=max(answers.values()),
        **_plan_of(reading, draft),
    )


def _shape_of(unit: UnitDraft) -> tuple[int, str, bool]:
    """Return what the number of answers on a screen depends on."""
    return (len(unit.parts), unit.criterion, unit.ends_document)


def _plan_of(reading: StudyReading, draft: DraftTask) -> dict[str, int]:
    """Return the units to judge of a task, the judgments of them and the sets that these make; empty without a plan."""
    if draft.task["stage"] != Task.Stage.MAIN or draft.task["design"] in ON_REQUEST or is_imported(reading):
        return {}
    judged = plan_units(draft, reading.document)
    places = sum(unit.k for unit in judged)
    size = max(1, min(draft.task["set_size"], len(judged)))
    sets = len(reading.booklets.get(draft.task["key"], ())) or math.ceil(places / size)
    return {"units": len(judged), "places": places, "sets": sets}


def screen_of(draft: DraftTask, unit: UnitDraft, criteria: list[dict[str, Json]]) -> Screen:
    """Return the arranged screen of a unit, with only its own criterion if criteria have separate units."""
    screen = draft.screen(unit, criteria)
    arranged = next(iter(draft.kind.arrange(len(unit.parts), Random(1))))  # noqa: S311  any will do
    screen = replace(screen, arrangement=arranged)
    if not unit.ends_document:
        screen = replace(screen, criteria=without_document_score(screen.criteria))
    if not unit.criterion:
        return screen
    other_keys = {criterion.key for criterion in draft.kind.asked(screen.criteria)} - {unit.criterion}
    return replace(
        screen, criteria=tuple(criterion for criterion in screen.criteria if criterion.key not in other_keys)
    )


def _seconds_to_read(draft: DraftTask, unit: UnitDraft) -> float:
    # How long a sound or film is to be played is not known; what says what a file shows is not read.
    texts = [text.text for text in draft.texts(unit) if text.file is None]
    if unit.item is not None:
        item, params = draft.items[unit.item], draft.kind.params
        texts += [item.source] if params.get("show_source", True) else []
        texts += [item.reference] if params.get("show_reference") else []
    return sum(map(reading_seconds, texts))


def _screens(reading: StudyReading, draft: DraftTask) -> int:
    """Count the screens of a full set: units to judge, training, exam and checks; all units in other stages."""
    if draft.task["stage"] != Task.Stage.MAIN:
        return len(draft.units)
    units = reading.set_sizes.get(draft.task["key"]) or min(draft.task["set_size"], len(draft.units))
    known_units = _known_units(reading.document["controls"], draft.task["key"])
    return draft.checks.screens_with(units, known_units)


def _known_units(controls: Sequence[Mapping[str, Json]], task: str) -> Counter[str]:
    """Count the units with known answers of a task by purpose."""
    units = {(control["purpose"], control["unit"]) for control in controls if control["task"] == task}
    return Counter(str(Gold.Purpose(purpose)) for purpose, _unit in units)


def workload_sentence(reading: StudyReading) -> str:
    """Describe the workload and time of a rater; "" if there is nothing to judge, or ratings are imported."""
    load = reading.workload
    if load is None or is_imported(reading):
        return ""
    stated, estimated = reading.document["pay"]["minutes"], formats.number_format(round(load.minutes))
    words = {"load": load_in_words(load.screens, load.texts, load.answers), "minutes": estimated}
    if stated is None:
        return _("One rater gets %(load)s: about %(minutes)s minutes (estimated).") % words
    all_words = {**words, "stated": formats.number_format(int(stated) if float(stated).is_integer() else stated)}
    sentence = _("One rater gets %(load)s. You expect %(stated)s minutes; the estimate is about %(minutes)s.")
    return sentence % all_words


def crowded_notes(reading: StudyReading) -> list[str]:
    """Return warnings about tasks with too much on one screen."""
    load = reading.workload
    return (
        [crowded_note(key, task_load) for key, task_load in load.tasks.items() if task_load.is_crowded] if load else []
    )


def crowded_note(task: str, load: TaskLoad) -> str:
    """Return a warning about screens with too many texts or answers."""
    return _(
        "The task “%(task)s” puts up to %(texts)d texts and %(answers)d answers on one screen. Above %(most_texts)d "
        "texts or %(most_answers)d answers raters tire and judge less carefully: show fewer systems of an item at a "
        "time, or ask fewer criteria together."
    ) % {
        "task": task,
        "texts": load.most_texts,
        "answers": load.most_answers,
        "most_texts": MOST_TEXTS,
        "most_answers": MOST_ANSWERS,
    }
