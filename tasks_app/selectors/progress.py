"""The progress of a rater, and how many judgments a study has, of how many that are planned."""

import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from django.db.models import F, OuterRef, Q, Sum
from django.db.models.functions import Now

from tasks_app.models import Assignment, Booklet, Judgment, Rater, RaterSet, Study, Task
from tasks_app.models.statements import PreparedQuery
from tasks_app.selectors.studies import number_of

Purpose, State = Assignment.Purpose, Assignment.State

# The weight of the study's estimate of the time per unit, in answers: this number, or this share of all units if that
# is more. The rater's own pace outweighs the estimate only gradually, so the time left does not jump between pages.
ESTIMATE_COUNTS, ESTIMATE_SHARE = 5, 0.25

# Units of a wave do not count before the wave opens.
REACHABLE = Q(set__opens_at=None) | Q(set__opens_at__lte=Now())


@dataclass(frozen=True, slots=True)
class RaterProgress:
    """The units that a rater has answered, all units, and the estimated minutes left.

    `done` and `total` count the units of the current sequence, such as the training or the units to judge; `purpose` is
    the purpose of its units, empty for units to judge. `number` is the place of the shown unit in the sequence, from 1;
    0 if no unit is shown. `orders` holds the order numbers of all units of the sequence, `answered` those of the units
    that the rater may go back to. `minutes_left` is the time for all units, not only those of the sequence. `tasks` has
    the task of each unit of the rater by its order number, without questions before the first task and after the last.
    """

    done: int
    total: int
    minutes_left: int
    answered: tuple[int, ...] = ()
    purpose: str = ""
    number: int = 0
    orders: tuple[int, ...] = ()
    tasks: Mapping[int, int] = field(default_factory=dict)

    def new_task(self, order: int) -> tuple[int, int] | None:
        """Return which of how many tasks begins with a unit; None within a task, and for the first.

        Two sets of a task are one unless units of another task are between them.
        """
        orders = sorted(self.tasks)
        begins = [at for before, at in pairwise(orders) if self.tasks[before] != self.tasks[at]]
        return (begins.index(order) + 2, len(begins) + 1) if order in begins else None

    def number_of(self, order: int) -> int:
        """Return the place of a unit in the sequence, from 1."""
        return sum(other <= order for other in self.orders)

    def answered_before(self, order: int) -> int | None:
        """Return the order number of the last answered unit before another unit; None if there is none."""
        return max((answered for answered in self.answered if answered < order), default=None)


class _Row(NamedTuple):
    """The columns of a rater's unit that are needed to count it."""

    state: str
    order: int
    purpose: str
    attempt: int
    task: int
    seconds: float | None
    replaces: int | None

    @property
    def is_answered(self) -> bool:
        return self.state in State.DONE


# A rater's units, which every page of a rater asks for.
_UNITS = PreparedQuery(
    "units_of_rater",
    lambda rater: (
        Assignment.objects.filter(REACHABLE, rater=rater, state__in=(*State.DONE, *State.WAITING))
        .values_list("state", "order", "purpose", "attempt", "unit__task", "judgments__seconds_active")
        .annotate(replaces=F("judgments__replaces"))
    ),
    rater=-1,
)


def progress_of(rater: Rater, set_size: int, assignment: Assignment | None = None) -> RaterProgress:
    """Count a rater's units in one query: those of the sequence of an assignment, or without one the units to judge.

    Units that the rater lost, because their lease ran out, do not count.
    """
    rows = [row for row in map(_Row._make, _UNITS.rows(rater=rater.pk)) if row.replaces is None]
    in_sequence = [row for row in rows if _in_sequence(row, assignment)]
    seconds = [row.seconds for row in rows if row.seconds is not None and row.purpose in Purpose.JUDGED]
    estimate = rater.study.options.expected_minutes * 60 / max(1, set_size, len(rows))
    n_left = sum(not row.is_answered for row in rows)
    return RaterProgress(
        done=sum(row.is_answered for row in in_sequence),
        total=len(in_sequence),
        minutes_left=max(1, round(seconds_per_unit(estimate, seconds, len(rows)) * n_left / 60)),
        answered=tuple(row.order for row in rows if row.is_answered and row.purpose not in Purpose.PRELIMINARY),
        purpose="" if assignment is None or assignment.purpose in Purpose.JUDGED else assignment.purpose,
        number=sum(row.order <= assignment.order for row in in_sequence) if assignment else 0,
        orders=tuple(row.order for row in in_sequence),
        tasks={row.order: row.task for row in rows if row.purpose not in {Purpose.SCREENING, Purpose.EXIT}},
    )


def seconds_per_unit(estimate: float, seconds: Sequence[float], n_units: int) -> float:
    """Return the expected seconds per unit: the weighted mean of the study's estimate and the rater's own median."""
    if not seconds:
        return estimate
    weight = max(ESTIMATE_COUNTS, ESTIMATE_SHARE * n_units)
    return (weight * estimate + len(seconds) * statistics.median(seconds)) / (weight + len(seconds))


def _in_sequence(row: _Row, assignment: Assignment | None) -> bool:
    """Return whether a unit is in the sequence of an assignment.

    Training is one sequence for each task, and so is each attempt at an exam.
    """
    if assignment is None or assignment.purpose in Purpose.JUDGED:
        return row.purpose in Purpose.JUDGED
    if assignment.purpose in {"training", "exam"}:
        sequence = (assignment.purpose, assignment.attempt, assignment.unit.task_id)
        return (row.purpose, row.attempt, row.task) == sequence
    return row.purpose == assignment.purpose


def next_purpose(rater: Rater) -> str | None:
    """Return the purpose of a rater's next unit; None where no unit is held for them now."""
    waiting = Assignment.objects.filter(REACHABLE, rater=rater, state__in=State.WAITING).order_by("order")
    return waiting.values_list("purpose", flat=True).first()


def units_by_purpose(rater: Rater) -> Counter[tuple[int, str]]:
    """Count a rater's answered and waiting units by task and purpose; of an exam, those of the first attempt."""
    rows = Assignment.objects.filter(REACHABLE, rater=rater, attempt=1, state__in=(*State.DONE, *State.WAITING))
    return Counter(rows.order_by().values_list("unit__task", "purpose"))


def count_judgments(study: Study) -> int:
    """Count the judgments of a study's people, including revised ones, but not of those who only tried it out."""
    people = Rater.objects.filter(study=study).exclude(Rater.METRICS)
    judgments = Judgment.objects.filter(assignment__rater__in=people)
    return judgments.exclude(assignment__rater_kind=Rater.Kind.SANDBOX).count()


@dataclass(frozen=True, slots=True)
class Collected:
    """The number of planned places of a study that are answered."""

    answered: int
    places: int

    @property
    def is_complete(self) -> bool:
        """Whether every place is answered, or the study has no places, such as one with imported ratings."""
        return self.answered >= self.places


def collected(study: Study) -> Collected:
    """Count the places of a study and its answers as Monitor does; one query."""
    tasks = Task.objects.filter(study=study, until=None).order_by()
    counted = tasks.values_list(
        number_of(RaterSet.objects.filter(task=OuterRef("pk")).order_by().values("task"), Sum("n_answered")),
        number_of(Booklet.objects.filter(task=OuterRef("pk")).order_by().values("task"), Sum("n_places")),
    )
    answered, places = map(sum, zip((0, 0), *counted, strict=True))
    return Collected(answered, places)
