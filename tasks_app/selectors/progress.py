"""How far a rater and a study are."""

import statistics
from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Count, Q

from tasks_app.models import Assignment, Judgment, Place, Rater, Study, Task

ANSWERED = ("submitted", "surplus", "skipped")
OPEN = ("reserved", "live")

# Submitted, held, surplus and skipped of a task that nobody has begun.
NOBODY = (0, 0, 0, 0)

# A rater's own pace counts from the third unit on; before that the researcher's estimate is the better guess.
ENOUGH_FOR_PACE = 3


@dataclass(frozen=True, slots=True)
class RaterProgress:
    """What a rater has answered, of how many, and the minutes that are probably left."""

    done: int
    total: int
    minutes_left: int
    answered: tuple[int, ...] = ()

    def before(self, order: int) -> int | None:
        """Return the number of the unit answered before another."""
        return max((one for one in self.answered if one < order), default=None)

    @property
    def is_over(self) -> bool:
        """Say whether nothing is left to answer."""
        return self.done >= self.total


def progress_of(rater: Rater, expected_minutes: float, set_size: int) -> RaterProgress:
    """Count a rater's units in one query; units lost to others while away do not count."""
    states = list(
        Assignment.objects.filter(rater=rater)
        .exclude(purpose__in=("training", "exam"))
        .filter(state__in=(*ANSWERED, *OPEN))
        .values_list("state", "order", "judgments__seconds_active", "judgments__replaces")
    )
    firsts = [(state, order, seconds) for state, order, seconds, replaces in states if replaces is None]
    answered = tuple(order for state, order, _seconds in firsts if state in ANSWERED)
    done = len(answered)
    seconds = [one for _state, _order, one in firsts if one is not None]
    pace = statistics.median(seconds) if len(seconds) >= ENOUGH_FOR_PACE else expected_minutes * 60 / max(1, set_size)
    return RaterProgress(done, len(firsts), max(1, round(pace * (len(firsts) - done) / 60)), answered)


@dataclass(frozen=True, slots=True)
class TaskProgress:
    """How far a task is: its places by state, and what came beside them."""

    task: Task
    places: int
    submitted: int
    held: int
    surplus: int
    skipped: int
    least: int
    most: int

    @property
    def free(self) -> int:
        """Places that nobody holds."""
        return self.places - self.submitted - self.held

    @property
    def share(self) -> float:
        """Share of places with an answer, 0 to 1."""
        return self.submitted / self.places if self.places else 0.0


@dataclass(frozen=True, slots=True)
class StudyProgress:
    """How far a study is."""

    tasks: tuple[TaskProgress, ...]
    raters: Mapping[str, int]
    judgments: int

    @property
    def places(self) -> int:
        """Places of all tasks."""
        return sum(one.places for one in self.tasks)

    @property
    def submitted(self) -> int:
        """Places with an answer."""
        return sum(one.submitted for one in self.tasks)


def study_progress(study: Study) -> StudyProgress:
    """Count places, raters and judgments of a study; four queries, whatever its size."""
    tasks = list(Task.objects.filter(study=study, until=None).order_by("order"))
    held: dict[int, tuple[int, int, int, int]] = {
        row[0]: row[1:]
        for row in Assignment.objects.filter(unit__task__study=study)
        .exclude(rater_kind="sandbox")
        .values_list("unit__task")
        .annotate(
            submitted=Count("id", filter=Q(state="submitted", place__isnull=False)),
            held=Count("id", filter=Q(state__in=OPEN, place__isnull=False)),
            surplus=Count("id", filter=Q(state="surplus")),
            skipped=Count("id", filter=Q(state="skipped")),
        )
        .order_by()
    }
    per_unit: dict[int, list[int]] = {}
    places: dict[int, int] = {}
    units = (
        Place.objects.filter(unit__task__study=study)
        .values_list("unit__task", "unit")
        .annotate(
            k=Count("id", distinct=True),
            answered=Count("assignments", filter=Q(assignments__state="submitted"), distinct=True),
        )
        .order_by()
    )
    for task_id, _unit, k, answered in units:
        places[task_id] = places.get(task_id, 0) + k
        per_unit.setdefault(task_id, []).append(answered)
    return StudyProgress(
        tasks=tuple(
            TaskProgress(
                task,
                places.get(task.pk, 0),
                *held.get(task.pk, NOBODY),
                min(per_unit.get(task.pk, [0])),
                max(per_unit.get(task.pk, [0])),
            )
            for task in tasks
        ),
        raters={
            str(state if outcome is None else outcome): n
            for state, outcome, n in Rater.objects.filter(study=study)
            .exclude(kind="sandbox")
            .values_list("state", "outcome")
            .annotate(n=Count("id"))
            .order_by()
        },
        judgments=Judgment.objects.filter(assignment__rater__study=study)
        .exclude(assignment__rater_kind="sandbox")
        .count(),
    )
