"""From rows to a `Screen`. What a frozen unit or task shows never changes, so it is read once a process."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.db.models import F, QuerySet

from tasks_app.models import Assignment, Criterion, PartOutput, Study, Task
from tasks_app.models import TaskCriterion as Asked
from tasks_app.task_types import TaskType
from tasks_app.task_types import base as contract

UNITS_KEPT = 20_000
TASKS_KEPT = 200

# What a screen shows of a unit's item.
ITEM = {
    f"item_{name}": F(f"part__unit__item__{name}")
    for name in ("source", "source_language", "reference", "format", "options")
}


@dataclass(frozen=True, slots=True)
class Material:
    """The texts of a unit, and the row behind every part."""

    parts: tuple[contract.Part, ...]
    part_ids: tuple[int, ...]
    source: str
    source_language: str
    reference: str
    format: str
    options: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Frame:
    """What a task asks, and the row behind every criterion."""

    task: Task
    params: Mapping[str, object]
    criteria: tuple[contract.Criterion, ...]
    criterion_ids: Mapping[str, int]

    @property
    def kind(self) -> TaskType:
        """The task type."""
        return self.task.kind


def criterion_of(row: Criterion) -> contract.Criterion:
    """Turn a criterion's row into what a task type sees of it."""
    ends: Mapping[str, Any] = row.ends
    return contract.Criterion(
        key=row.key,
        name=row.name,
        definition=row.definition,
        question=row.question,
        low=ends.get("low", ""),
        high=ends.get("high", ""),
        labels=tuple(ends.get("labels", ())),
        anchors=ends.get("anchors", {}),
        kind=row.kind,
        language=row.language,
    )


def read_frame(task_id: int) -> Frame:
    """Read what a task asks."""
    task = Task.objects.select_related("study").get(pk=task_id)
    rows = [one.criterion for one in Asked.objects.filter(task=task).select_related("criterion").order_by("order")]
    return Frame(
        task=task,
        params=task.kind.params(task.params),
        criteria=tuple(criterion_of(row) for row in rows),
        criterion_ids={row.key: row.pk for row in rows},
    )


def read_materials(units: "Iterable[int] | QuerySet[Any, int]") -> dict[int, Material]:
    """Read the texts of units, in one query however many they are; a unit without texts is not among them."""
    rows = (
        PartOutput.objects.filter(part__unit__in=units)
        .order_by("part__unit", "part__number", "id")
        .values(
            "part_id", unit=F("part__unit"), number=F("part__number"), text=F("output__text"),
            language=F("output__language"), **ITEM,
        )
    )  # fmt: skip
    by_unit: dict[int, list[Any]] = {}
    for row in rows:
        by_unit.setdefault(row["unit"], []).append(row)
    return {unit_id: _material(found) for unit_id, found in by_unit.items()}


def _material(rows: Sequence[Any]) -> Material:
    shown: dict[int, tuple[int, contract.Part]] = {}
    for row in rows:
        # Several outputs of a part have one text; the first stands for all.
        part = contract.Part(row["number"], row["text"], row["language"])
        shown.setdefault(row["number"], (row["part_id"], part))
    item: Mapping[str, Any] = rows[0] if rows else {}
    return Material(
        parts=tuple(part for _pk, part in shown.values()),
        part_ids=tuple(pk for pk, _part in shown.values()),
        source=item.get("item_source") or "",
        source_language=item.get("item_source_language") or "",
        reference=item.get("item_reference") or "",
        format=item.get("item_format") or "text",
        options=item.get("item_options") or {},
    )


# What a unit without texts shows, as of a questionnaire.
NOTHING_TO_READ = _material(())

kept_frame = lru_cache(maxsize=TASKS_KEPT)(read_frame)

# The units shown last, oldest first. Threads may read the same one twice; what they keep is the same.
_kept: dict[int, Material] = {}


def _keep(materials: Mapping[int, Material]) -> None:
    _kept.update(materials)
    while len(_kept) > UNITS_KEPT:
        _kept.pop(next(iter(_kept)), None)


def frame_of(task_id: int, study: Study) -> Frame:
    """Return what a task asks; kept in memory once the study is frozen."""
    return kept_frame(task_id) if study.is_frozen else read_frame(task_id)


def material_of(assignment: Assignment, study: Study) -> Material:
    """Return the texts of an assignment's unit; kept in memory once the study is frozen.

    A unit that this process has not shown yet is read together with the others of the rater's set, which come next.
    """
    unit_id = assignment.unit_id
    found = _kept.get(unit_id) if study.is_frozen else None
    if found is None:
        of_set = Assignment.objects.filter(set=assignment.set_id).values_list("unit_id", flat=True)
        materials = read_materials(of_set if assignment.set_id is not None else [unit_id])
        found = materials.setdefault(unit_id, NOTHING_TO_READ)
        if study.is_frozen:
            _keep(materials)
    return found


def screen_of(assignment: Assignment, study: Study) -> contract.Screen:
    """Return the screen of an assignment, with the arrangement that was drawn for it."""
    frame = frame_of(assignment.unit.task_id, study)
    return make_screen(frame, material_of(assignment, study), study, assignment.arrangement)


def make_screen(frame: Frame, material: Material, study: Study, arrangement: Mapping[str, object]) -> contract.Screen:
    """Put together what a task asks and what a unit shows."""
    return contract.Screen(
        type=frame.task.type,
        parts=material.parts,
        criteria=frame.criteria,
        params=frame.params,
        source=material.source,
        source_language=material.source_language,
        reference=material.reference,
        language=study.language,
        format=material.format,
        options=material.options,
        arrangement=arrangement,
    )
