"""Draw in which wording each set of a task asks its questions, for wording experiments."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from random import Random
from typing import Any

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import OuterRef, QuerySet
from django.db.models.functions import JSONObject

from tasks_app.designs.base import PlanUnit
from tasks_app.models import Task, TaskCriterion
from tasks_app.task_types.data import FIRST_WORDING

# The wording of each question that has several, by the key of its criterion.
Wordings = dict[str, str]


def read_with_criteria(tasks: QuerySet[Task]) -> QuerySet[Task]:
    """Read the words of the questions of tasks with the tasks, so that `wordings_of` needs no query for each."""
    rows = TaskCriterion.objects.filter(task=OuterRef("pk")).order_by("order")
    asked = ArraySubquery(rows.values(asked=JSONObject(key="criterion__key", ends="criterion__ends")))
    return tasks.annotate(asked_criteria=asked)


def wordings_of(task: Task) -> dict[str, tuple[str, ...]]:
    """Return the names of the wordings of the questions of a task that have several, by the key of the criterion."""
    read = vars(task).get("asked_criteria")
    rows: Iterable[tuple[str, Mapping[str, Any]]] = (
        task.task_criteria.order_by("order").values_list("criterion__key", "criterion__ends")
        if read is None
        else [(criterion["key"], criterion["ends"]) for criterion in read]
    )
    return with_wordings((key, [wording["key"] for wording in ends.get("wordings", ())]) for key, ends in rows)


def with_wordings(criteria: Iterable[tuple[str, Sequence[str]]]) -> dict[str, tuple[str, ...]]:
    """Return the names of all wordings by criterion, from those that are added to a question's own words."""
    return {key: (FIRST_WORDING, *added) for key, added in criteria if added}


def draw_wordings(
    booklets: Sequence[Sequence[PlanUnit]], keys: Mapping[str, Sequence[str]], rng: Random
) -> list[Wordings]:
    """Draw the wordings of each set: of every question equally often in every part of the plan, and for every unit.

    Sets are taken in their order, in blocks of as many sets as a question has wordings. A block has each wording once,
    so that raters who come early are balanced too. Within a block, a set gets the wording in which its units stand
    least often so far; chance decides between equals. Where raters judge by one criterion each, the sets of each
    criterion have blocks of their own.
    """
    drawn: list[Wordings] = [{} for _booklet in booklets]
    for criterion, names in keys.items():
        for criterion_of_sets in dict.fromkeys(_criterion_of(booklet) for booklet in booklets):
            if criterion_of_sets not in {"", criterion}:
                continue
            places = [n for n, booklet in enumerate(booklets) if _criterion_of(booklet) == criterion_of_sets]
            for place, name in zip(places, _in_blocks([booklets[n] for n in places], names, rng), strict=True):
                drawn[place][criterion] = name
    return drawn


def _criterion_of(booklet: Sequence[PlanUnit]) -> str:
    """Return the criterion that all units of a set have; empty where they have several."""
    criteria = {unit.criterion for unit in booklet}
    return criteria.pop() if len(criteria) == 1 else ""


def _in_blocks(booklets: Sequence[Sequence[PlanUnit]], names: Sequence[str], rng: Random) -> Iterator[str]:
    used: Counter[tuple[str, str]] = Counter()
    left: list[str] = []
    for booklet in booklets:
        if not left:
            left = list(names)
            rng.shuffle(left)
        name = min(left, key=lambda one: sum(used[unit.key, one] for unit in booklet))
        left.remove(name)
        used.update((unit.key, name) for unit in booklet)
        yield name
