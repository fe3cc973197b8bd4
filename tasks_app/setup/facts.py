"""The content of a set-up as the checks before opening see it, before it is stored as a study."""

from collections import Counter
from collections.abc import Iterator, Mapping

from django.db.models import Count

from tasks_app.models import Setup
from tasks_app.readiness import Facts
from tasks_app.setup.files import SetupFiles
from tasks_app.studyfile.reading import StudyReading
from tasks_app.studyfile.screens import draft_tasks
from tasks_app.studyfile.workload import workload_of


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
    counted = reading.files.known if isinstance(reading.files, SetupFiles) else None
    for task, purpose, n in counted if counted is not None else _counted(setup):
        for key in [task] if task in known else keys:
            known[key][purpose] = known[key].get(purpose, 0) + n
    return known


def _counted(setup: Setup) -> Iterator[tuple[str | None, str, int]]:
    """Yield task, purpose and number of the units with known answers; one query."""
    rows = setup.rows.filter(table="controls").values_list("cells__task", "cells__purpose")
    for task, purpose, n in rows.annotate(n=Count("cells__unit", distinct=True)):
        yield task, purpose or "", n
