"""The points to settle in a set-up that is not stored yet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

from django.db.models import Count

from tasks_app import readiness
from tasks_app.models import Setup
from tasks_app.readiness import Facts, Level, Point
from tasks_app.studyfile.reading import StudyReading
from tasks_app.studyfile.screens import draft_tasks
from tasks_app.studyfile.workload import workload_of

if TYPE_CHECKING:
    from tasks_app.setup.page import SetupPage

# The sections that a consent text is compared with.
_BEHIND_CONSENT = frozenset({"about", "channels", "consent", "flow", "pay", "study"})


def left_to_settle(page: SetupPage) -> list[Point]:
    """Return the points that would keep the study closed, the gravest first.

    Where not all texts were read, what an estimate of the minutes decides is left to Review.

    As long as the reading has problems, only left-over text is looked for, and what the consent text says and lacks,
    unless it is the settings behind it that have problems: those cannot be compared.
    """
    reading = page.reading
    if reading.document["flow"].get("imported"):
        return []
    if reading.problems.count:
        found = readiness.leftovers_in(Facts(page.given))
        if not any(path and path[0] in _BEHIND_CONSENT for path in reading.sentences):
            is_counted = reading.units_sound and page.is_whole
            facts = Facts(reading.document, workload_of(reading, draft_tasks(reading)) if is_counted else None)
            found += readiness.contradictions.told_to_raters(facts)
            # Without a number of minutes, amounts per hour cannot be compared.
            has_minutes = facts.section("pay").get("minutes") or facts.workload
            found += readiness.numbers.of_consent(facts) if has_minutes else ()
    else:
        found = readiness.points(page.facts)
        if not (page.is_whole or page.setup.is_stored):
            found = [point for point in found if not _is_estimated(point, reading)]
    return sorted((point for point in found if point.level < Level.NOTE), key=lambda point: point.level)


def _is_estimated(point: Point, reading: StudyReading) -> bool:
    """Return whether a point depends on the minutes that are estimated from all texts."""
    has_text = any(text.strip() for text in reading.document["consent"].values())
    return point.kind in {"minutes", "pay", readiness.sets.KIND} or (point.kind == readiness.numbers.KIND and has_text)


def facts_of(setup: Setup, reading: StudyReading, *, is_whole: bool = False) -> Facts:
    """Return the content of a set-up without problems, as checks before opening see it.

    `is_whole` says that all texts were read, and with them all known answers.
    """
    known = _known_in(reading) if is_whole and reading.units_sound else known_answers(setup, reading)
    if setup.is_stored:
        # Nothing was changed since all texts were read.
        options = setup.study.options
        return Facts(reading.document, options.workload, known, options.text_findings)
    return Facts(reading.document, workload_of(reading, draft_tasks(reading)) if reading.units_sound else None, known)


def _known_in(reading: StudyReading) -> Mapping[str, Mapping[str, int]]:
    """Count the known answers that were read, as `known_answers` does."""
    rows = {(str(row["task"]), str(row["purpose"]), row["unit"]) for row in reading.document["controls"]}
    known: dict[str, Counter[str]] = {str(task["key"]): Counter() for task in reading.document["tasks"]}
    for task, purpose, _unit in rows:
        known[task][purpose] += 1
    return known


def known_answers(setup: Setup, reading: StudyReading) -> Mapping[str, Mapping[str, int]]:
    """Count the known answers of the form by task and purpose; a row that names no task may be of any."""
    keys = [str(task["key"]) for task in reading.document["tasks"]]
    known: dict[str, dict[str, int]] = {key: {} for key in keys}
    rows = setup.rows.filter(table="controls").values_list("cells__task", "cells__purpose")
    for task, purpose, n in rows.annotate(n=Count("cells__unit", distinct=True)):
        for key in [task] if task in known else keys:
            known[key][purpose or ""] = known[key].get(purpose or "", 0) + n
    return known
