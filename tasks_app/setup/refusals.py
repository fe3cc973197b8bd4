"""Reasons why no plan can be drawn from a form as it is filled in, and the settings that would put it right."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.utils import formats
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tasks_app import task_types
from tasks_app.hooks.sections import Json, Path
from tasks_app.models import Setup, Task
from tasks_app.setup.controls import name_of
from tasks_app.setup.numbers import checked_reading
from tasks_app.setup.page import SetupPage
from tasks_app.setup.steps import step_of
from tasks_app.studyfile.identical import keeps_identical
from tasks_app.studyfile.reading import StudyReading


@dataclass(frozen=True, slots=True)
class Fix:
    """A setting that puts a refusal right: its path, the value, and the words of its button."""

    path: Path
    value: Json
    label: str

    @property
    def name(self) -> str:
        """The name that its button posts."""
        return name_of(self.path)


@dataclass(frozen=True, slots=True)
class Refusal:
    """The reason why no plan can be drawn, or the loss of units; `task` is empty if the study has one task only."""

    task: str
    sentence: str
    fixes: Sequence[Fix]
    is_final: bool = True


def refusals_of(setup: Setup) -> list[Refusal]:
    """Return the refusals of the plan of a form, task by task, each with settings that put it right."""
    reading, _scale = checked_reading(setup)
    sentences = {path: tuple(of_path) for path, of_path in reading.sentences.items()}
    tasks = [(number, task) for number, task in enumerate(reading.document["tasks"]) if _is_judged(task)]
    refusals = []
    for number, task in tasks:
        name = "" if len(tasks) == 1 else str(task["title"] or _("Task %(n)d") % {"n": number + 1})
        nearest = {path: value for path, value in reading.nearest.items() if path[:2] == ("tasks", number)}
        if nearest:
            blamed = (sentences.get(path, ()) for path in [*nearest, ("tasks", number)])
            sentence = next((of_path[-1] for of_path in blamed if of_path), "")
            refusals.append(Refusal(name, sentence, fixes_for(setup, nearest)))
        refusals += [Refusal(name, *identical, is_final=False) for identical in _identical(reading, number, task)]
    return refusals


def _is_judged(task: Mapping[str, Json]) -> bool:
    return bool(task["stage"] == Task.Stage.MAIN)


def _identical(reading: StudyReading, number: int, task: Mapping[str, Json]) -> Iterator[tuple[str, list[Fix]]]:
    """Yield that identical texts are shown once, with the setting that keeps them apart."""
    n = reading.counts.get("identical", 0)
    if n and not keeps_identical(task):
        sentence = (
            ngettext(
                "%(n)s text is identical to that of another system: these two are not compared with each other.",
                "%(n)s texts are identical to those of other systems: these are not compared with each other.",
                n,
            )
            if task_types.registry[str(task["type"])].side_by_side
            else ngettext(
                "%(n)s text is identical to that of another system: they are shown once and share the rating.",
                "%(n)s texts are identical to those of other systems: they are shown once and share the rating.",
                n,
            )
        )
        fix = Fix(("tasks", number, "keep_identical"), True, _("Keep them apart"))
        yield sentence % {"n": formats.number_format(n, force_grouping=True)}, [fix]


def fixes_for(setup: Setup, nearest: Mapping[Path, Json]) -> list[Fix]:
    """Return the settings that would work, each with a button in the words of its field."""
    fixes = []
    for path, value in nearest.items():
        labels = SetupPage(setup, step_of(path) or "task").labels
        words = {"field": labels.get(path, str(path[-1])), "value": value}
        fixes.append(Fix(path, value, _("Set “%(field)s” to %(value)s") % words))
    return fixes


def fixes_of_task(setup: Setup, key: str, nearest: Mapping[str, Json]) -> list[Fix]:
    """Return the settings that would work for a task of this key, as a plan names them."""
    keys = [str(task.get("key", "")) for task in setup.document.entries("tasks")]
    if key not in keys:
        return []
    return fixes_for(setup, {("tasks", keys.index(key), *name.split(".")): value for name, value in nearest.items()})
