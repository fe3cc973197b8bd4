"""Sets of tasks that nobody would get: a rater takes one of each task, so the task with fewest sets ends the study."""

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tasks_app.designs.filling import EVERYBODY, Sets, filled, left_over
from tasks_app.hooks.sections import Path
from tasks_app.readiness.base import Facts, Level, Point, register
from tasks_app.settings.workload import TaskLoad
from tasks_app.task_types import name_of

KIND = "sets"


def sets_of(facts: Facts) -> list[tuple[int, Mapping[str, Any], TaskLoad]]:
    """Return the tasks of which sets are drawn before the study opens, with their places in the list and their load."""
    loads: Mapping[str, TaskLoad] = facts.workload.tasks if facts.workload else {}
    loaded = [(place, task, loads.get(str(task["key"]))) for place, task in facts.main_tasks]
    return [(place, task, load) for place, task, load in loaded if load is not None and load.places and load.sets]


def fitting_sizes(facts: Facts) -> dict[Path, int]:
    """Return the set sizes to change so that all tasks have sets for as many raters, as little as possible.

    Empty where none has to be changed, or no such sizes are found. Tasks of different groups of raters
    need not have as many sets.
    """
    tasks = sets_of(facts)
    chosen: list[int] = []
    least = math.inf
    for raters in range(1, 4 * max((load.sets for _place, _task, load in tasks), default=0) + 1):
        sizes = [
            min(task["set_size"], load.units) if load.sets == raters else size_for(raters, load)
            for _place, task, load in tasks
        ]
        if all(sizes):
            pairs = zip(sizes, tasks, strict=True)
            change = sum(abs(math.log(size / min(task["set_size"], load.units))) for size, (_n, task, load) in pairs)
            if change < least:
                chosen, least = sizes, change
    return {
        ("tasks", place, "set_size"): size
        for size, (place, task, load) in zip(chosen, tasks, strict=False)
        if size != min(task["set_size"], load.units)
    }


def size_for(raters: int, load: TaskLoad) -> int:
    """Return the size of sets with which a task has sets for exactly so many raters; 0 where there is none."""
    size = math.ceil(load.places / raters)
    return size if size <= load.units and math.ceil(load.places / size) == raters else 0


def nearest_size(raters: int, load: TaskLoad) -> int:
    """Return the size of sets with which a task has sets for so many raters, or for as few more as possible."""
    return next((size for more in range(raters, load.places + 1) if (size := size_for(more, load))), 1)


def _title(place: int, task: Mapping[str, Any]) -> str:
    return str(task["title"] or "") or name_of(str(task["type"]), place + 1)


@register
def sets_left_over(facts: Facts) -> Iterator[Point]:
    """Yield the tasks of which sets are left over once the other tasks are full: their judgments are never made."""
    tasks = sets_of(facts)
    if len({tuple(sorted(task["groups"])) for _place, task, _load in tasks}) != 1:
        return
    counted = [Sets(place, load.sets, 0, Fraction(0)) for place, _task, load in tasks]
    left = left_over(filled({EVERYBODY: 1}, counted), counted)
    sizes = fitting_sizes(facts) if left else {}
    for place, task, load in tasks:
        if place not in left:
            continue
        sentence = ngettext(
            "%(left)s of the %(n)s sets of “%(task)s” is left over once the other tasks are full, so its texts are "
            "judged less often than planned.",
            "%(left)s of the %(n)s sets of “%(task)s” are left over once the other tasks are full, so their texts are "
            "judged less often than planned.",
            left[place],
        ) % {"left": left[place], "n": load.sets, "task": _title(place, task)}
        if sizes:
            changed = {path[1]: size for path, size in sizes.items()}
            named = [
                _("%(size)s units in a set of “%(task)s”") % {"size": changed[n], "task": _title(n, other)}
                for n, other, _load in tasks
                if n in changed
            ]
            sentence += " " + _("With %(sizes)s, all tasks have sets for as many raters.") % {
                "sizes": _(" and ").join(named)
            }
        level = Level.PROBLEM if sizes else Level.NOTE
        yield Point(KIND, sentence, ("tasks", place, "set_size"), level)
