"""What is left to settle in a set-up that is not stored yet."""

from collections.abc import Mapping

from django.db.models import Count

from tasks_app import readiness
from tasks_app.models import Setup
from tasks_app.readiness import Facts, Level, Point
from tasks_app.studyfile.reading import StudyReading
from tasks_app.studyfile.screens import draft_tasks
from tasks_app.studyfile.workload import workload_of

# The sections that a consent text is compared with.
_BEHIND_CONSENT = frozenset({"about", "channels", "consent", "flow", "pay", "study"})


def left_to_settle(setup: Setup, reading: StudyReading) -> list[Point]:
    """Return the points that would keep the study closed, the gravest first.

    As long as the reading has problems, only left-over text is looked for, and what the consent text says and lacks,
    unless it is the settings behind it that have problems: those cannot be compared.
    """
    if reading.problems.count:
        found = readiness.leftovers_in(Facts(setup.given))
        if not any(path and path[0] in _BEHIND_CONSENT for path in reading.sentences):
            facts = Facts(reading.document)
            found += [*readiness.contradictions.told_to_raters(facts), *readiness.numbers.of_consent(facts)]
    else:
        workload = workload_of(reading, draft_tasks(reading)) if reading.units_sound else None
        # What was noticed in the texts when all were read, as long as nothing was changed since.
        noticed = setup.study.options.text_findings if setup.is_stored else ()
        found = readiness.points(Facts(reading.document, workload, _known(setup, reading), noticed))
    return sorted((point for point in found if point.level < Level.NOTE), key=lambda point: point.level)


def _known(setup: Setup, reading: StudyReading) -> Mapping[str, Mapping[str, int]]:
    """Count the known answers of the form by task and purpose; a row that names no task may be of any."""
    keys = [str(task["key"]) for task in reading.document["tasks"]]
    known: dict[str, dict[str, int]] = {key: {} for key in keys}
    rows = setup.rows.filter(table="controls").values_list("cells__task", "cells__purpose")
    for task, purpose, n in rows.annotate(n=Count("cells__unit", distinct=True)):
        for key in [task] if task in known else keys:
            known[key][purpose or ""] = known[key].get(purpose or "", 0) + n
    return known
