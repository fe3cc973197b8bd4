"""Batches made by researchers: the units of each, stored with the design of their task."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tasks_app.designs.base import Batch
from tasks_app.models import Study, Task
from tasks_app.services.database import atomically
from tasks_app.services.study.drafts import refuse_frozen


def batches_of(stored: Mapping[str, Any]) -> tuple[Batch, ...]:
    """Return the batches among the stored design parameters of a task; none where its design has no batches."""
    return tuple(Batch(str(entry["batch"]), tuple(entry["units"])) for entry in stored.get("batches", ()))


def params_of(rows: Sequence[Mapping[str, Any]], task: str) -> dict[str, Any]:
    """Return the design parameters of a task from the batch rows of all tasks; empty where it has none."""
    batches: dict[str, list[str]] = {}
    for row in rows:
        if row["task"] == task:
            batches.setdefault(row["batch"], []).append(row["unit"])
    return {"batches": [{"batch": name, "units": units} for name, units in batches.items()]} if batches else {}


@atomically
def store_batches(*, study: Study, rows: Sequence[Mapping[str, Any]]) -> None:
    """Store the batches of every task, in their order. Raises NotADraft."""
    refuse_frozen(study)
    for task in Task.objects.filter(study=study, until=None, key__in={row["task"] for row in rows}):
        task.design_params = {**task.design_params, **params_of(rows, task.key)}
        task.save(update_fields=["design_params"])


def rows_of(study: Study) -> Iterator[dict[str, str]]:
    """Yield the batches of a study, a row a unit, as they were stored."""
    for task in Task.objects.filter(study=study, until=None).order_by("order", "id"):
        for batch in batches_of(task.design_params):
            for unit in batch.units:
                yield {"task": task.key, "batch": batch.name, "unit": unit}
