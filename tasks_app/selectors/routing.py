"""Tasks that texts are sent to on request, and the texts that were sent."""

from collections.abc import Collection

from django.db.models import Exists, OuterRef, QuerySet

from tasks_app import designs
from tasks_app.designs.on_request import ROUTED_FROM
from tasks_app.models import Place, Study, Task, TaskGroup, Unit

# The designs whose sets are drawn when texts are sent.
ON_REQUEST = tuple(name for name, design in designs.registry.items() if not design.at_opening)


def receiving(study_id: int, key: str) -> QuerySet[Task]:
    """Return the tasks, in every version, to which texts of a task are sent."""
    tasks = Task.objects.filter(study=study_id, design__in=ON_REQUEST, **{f"design_params__{ROUTED_FROM}": key})
    return tasks.order_by("order", "id")


def on_request(study: Study) -> QuerySet[Task]:
    """Return the tasks of a study that texts are sent to."""
    return Task.objects.filter(study=study, until=None, design__in=ON_REQUEST).order_by("order", "id")


def source_of(task: Task) -> str:
    """Return the key of the task that sends its texts to this one."""
    return str(task.design_params[ROUTED_FROM])


def same_texts(task: Task, units: Collection[int]) -> dict[int, int]:
    """Return for units of another task those of a task that show the same outputs; known answers are none."""
    outputs = Unit.objects.filter(pk__in=units).values("parts__part_outputs__output")
    theirs = Unit.objects.filter(task=task, until=None, gold=None, parts__part_outputs__output__in=outputs)
    unit_of = dict(theirs.values_list("parts__part_outputs__output", "id"))
    shown = Unit.objects.filter(pk__in=units).values_list("id", "parts__part_outputs__output")
    return {unit: unit_of[output] for unit, output in shown if output in unit_of}


def unsent(task: Task) -> QuerySet[Unit]:
    """Return the units of a task on request that were not sent yet."""
    units = Unit.objects.filter(task=task, until=None, gold=None)
    return units.filter(~Exists(Place.objects.filter(unit=OuterRef("pk")))).order_by("id")


def groups_by_invitation(study_id: int) -> set[int]:
    """Return the groups of the tasks that texts are sent to: experts are invited, and never drawn from who comes."""
    of_tasks = TaskGroup.objects.filter(task__study=study_id, task__until=None, task__design__in=ON_REQUEST)
    return set(of_tasks.values_list("group", flat=True))
