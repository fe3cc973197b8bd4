"""Check that tasks that send texts to another task on request fit this task."""

from collections.abc import Iterator, Mapping, Sequence

from django.utils.translation import gettext as _

from tasks_app.designs.on_request import ROUTED_FROM
from tasks_app.hooks.sections import Json, Path
from tasks_app.models import Task
from tasks_app.selectors.routing import ON_REQUEST
from tasks_app.studyfile.problems import nearest
from tasks_app.studyfile.reading import StudyReading

# Settings that must be equal in both tasks, so that a text of one is a text of the other.
ALIKE = ("type", "keep_identical", "items")


def check_requested(reading: StudyReading, tasks: Sequence[Mapping[str, Json]]) -> None:
    """Check every task with sets that are drawn when texts are sent to it."""
    by_key = {str(task["key"]): task for task in tasks}
    for number, task in enumerate(tasks):
        path: Path = ("tasks", number)
        if task["design"] not in ON_REQUEST or not reading.sound((*path, "design_params")):
            continue
        key = str(task["design_params"][ROUTED_FROM])
        source = by_key.get(key)
        sources = [task_key for task_key, other_task in by_key.items() if other_task["design"] not in ON_REQUEST]
        if source is None or key not in sources:
            sentence = _("“%(key)s” is no task whose texts can be sent here.") % {"key": key}
            reading.problem((*path, "design_params"), f"{sentence} {nearest(key, sources)}".rstrip())
            continue
        for name, sentence in _problems(task, source):
            reading.problem((*path, name), sentence)


def _problems(task: Mapping[str, Json], source: Mapping[str, Json]) -> Iterator[tuple[str, str]]:
    """Yield the problems of sending texts from one task to another, by the setting to change."""
    for name in ALIKE:
        if task[name] != source[name]:
            yield (
                name,
                _("It must be the same as in the task “%(key)s”, whose texts are sent here.") % {"key": source["key"]},
            )
    if missing := [key for key in task["criteria"] if key not in source["criteria"]]:
        yield (
            "criteria",
            _("The task “%(key)s” does not ask %(missing)s, so there is nothing to compare with.")
            % {
                "key": source["key"],
                "missing": ", ".join(missing),
            },
        )
    if task["stage"] != Task.Stage.MAIN:
        yield "stage", _("Texts are sent to tasks of the stage main.")
    if task["k_more"] is not None:
        yield "k_more", _("Every text that is sent gets k judgments: leave k_more out.")
    if not task["groups"] or not source["groups"] or set(task["groups"]) & set(source["groups"]):
        yield (
            "groups",
            _(
                "Experts and the raters of “%(key)s” are different people: give each of the two tasks a group of its "
                "own."
            )
            % {"key": source["key"]},
        )
