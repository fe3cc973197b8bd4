"""The numbers that follow from a set-up: places, raters, minutes, cost and pay per hour, before anything is stored."""

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

from tasks_app import channels
from tasks_app.channels.base import Channel
from tasks_app.designs.base import PlanUnit
from tasks_app.designs.filling import EVERYBODY, Sets, filled, full_sets, left_over
from tasks_app.hooks.sections import Json, Path
from tasks_app.models import Setup, Task
from tasks_app.pay import CENT, hourly, pay_for
from tasks_app.readiness import Facts, sets
from tasks_app.selectors.routing import ON_REQUEST
from tasks_app.settings.workload import Workload
from tasks_app.setup.checking import ITEMS_CHECKED, reading_of
from tasks_app.setup.detectable import TaskSize, smallest_difference
from tasks_app.setup.entries import task_called
from tasks_app.studyfile.reading import StudyReading
from tasks_app.studyfile.screens import DraftTask, check_plans, draft_tasks, plan_units
from tasks_app.studyfile.workload import workload_of

# Up to this number of texts, all tables are read and the plan is drawn whenever a setting changes; above it, numbers
# are scaled up from the first items, and the plan is drawn on Review.
MOST_TEXTS = 1_000


@dataclass(frozen=True, slots=True)
class TaskNumbers:
    """One task that is judged in sets: how many units, judgments of each, places, and sets they make.

    `smallest` is a sentence about the smallest difference that they show; empty where nothing is known about it.
    `sizes` are the units of each set; empty where no plan was drawn.
    """

    title: str
    units: int
    k: float
    places: int
    set_size: int
    sets: int
    groups: tuple[str, ...] = ()
    smallest: str = ""
    sizes: tuple[int, ...] = ()

    def sets_of(self, number: int, places: Mapping[str, int], first: int | None = None) -> Sets:
        """Return the sets of this task, which has this number; `places` are the numbers of groups by their keys.

        With `first`, the mean size is that of so many sets only.
        """
        sizes = self.sizes[:first]
        mean = Fraction(sum(sizes), len(sizes)) if sizes else Fraction(self.places, max(1, self.sets))
        full = min(self.set_size, max(self.sizes, default=self.set_size))
        groups = tuple(places[key] for key in self.groups if key in places)
        return Sets(number, self.sets, full, mean, groups)


@dataclass(frozen=True, slots=True)
class Numbers:
    """The numbers of a set-up. `is_exact` says that every text was read; the rest is about how many there will be.

    `cost` and `hourly` are in the study's currency; both None where nothing is paid or nothing is known of the minutes.
    `fee` is what the platform charges on top of the cost, in per cent of it.
    """

    tasks: Sequence[TaskNumbers]
    raters: int
    minutes: float | None
    is_stated: bool
    cost: Decimal | None
    hourly: Decimal | None
    minimum: Decimal
    currency: str
    is_exact: bool
    fee: float = 0.0

    @property
    def cost_with_fee(self) -> Decimal | None:
        """The cost with the fee of the platform; None where there is no fee."""
        if self.cost is None or not self.fee:
            return None
        return (self.cost * (1 + Decimal(f"{self.fee:.6f}") / 100)).quantize(CENT, ROUND_HALF_UP)

    @property
    def has_power(self) -> bool:
        """Whether something is known about the smallest difference that a task shows."""
        return any(task.smallest for task in self.tasks)

    @property
    def is_underpaid(self) -> bool:
        """Whether the pay per hour is below the study's own minimum."""
        return self.hourly is not None and self.hourly < self.minimum


def checked_reading(setup: Setup, *, with_plan: bool = True) -> tuple[StudyReading, float]:
    """Read a set-up with as many texts as can be read at once, and draw the plan where that is all of them.

    `with_plan` says whether to draw it. The number says how many times as many texts there are as were read.
    """
    rows = setup.rows.filter(table="items")
    total = rows.count()
    reading = reading_of(setup, None if total <= MOST_TEXTS else ITEMS_CHECKED)
    if with_plan and total <= MOST_TEXTS and reading.units_sound:
        was_sound = not reading.problems.count
        check_plans(reading, draft_tasks(reading))
        reading.lacks_only_a_plan = was_sound and bool(reading.problems.count)
    n_read = sum(len(item["outputs"]) for item in reading.document["items"])
    return reading, max(1.0, total / n_read) if n_read else 1.0


def numbers_of(reading: StudyReading, scale: float) -> Numbers | None:
    """Return the numbers of a set-up; None where nothing can be judged yet."""
    document, drafts = reading.document, draft_tasks(reading)
    tasks = [
        _task(draft, plan_units(draft, document), scale, reading.booklets.get(draft.task["key"], ()))
        for draft in drafts
        if draft.task["stage"] == Task.Stage.MAIN and draft.task["design"] not in ON_REQUEST and draft.units
    ]
    if not tasks:
        return None
    sets_each = document["flow"]["sets_per_rater"] or 1
    by_group, done = _filled(tasks, {row["key"]: row["share"] for row in document["groups"]})
    raters = math.ceil(round(sum(by_group.values())) / sets_each)
    pay, workload = document["pay"], workload_of(reading, drafts)
    minutes = _minutes(pay, workload)
    amount = Decimal(str(pay["amount"] or 0))
    cost = pay_for(full_sets(by_group, done), amount) if amount else None
    return Numbers(
        tasks=tasks, raters=raters, minutes=minutes, is_stated=pay["minutes"] is not None, cost=cost,
        hourly=hourly(amount, minutes) if amount and minutes else None,
        minimum=Decimal(str(pay["minimum_hourly"] or 0)), currency=pay["currency"], is_exact=scale == 1.0,
        fee=max((channel.fee_in_percent() for channel in _channels(document)), default=0.0),
    )  # fmt: skip


def _channels(document: Mapping[str, Json]) -> Iterator[Channel]:
    """Yield the channels of a document that have valid settings."""
    for name, settings in (document["channels"] or {}).items():
        if name in channels.registry:
            with suppress(ValueError):
                yield channels.registry[name](settings)


def _filled(tasks: Sequence[TaskNumbers], shares: Mapping[str, int]) -> tuple[dict[int, Fraction], list[Sets]]:
    """Return the raters by group until the study is full, and the sets that they do, counted as Plan counts them.

    `shares` are those of groups by key. Of a task with sets left over, only those that somebody takes are returned.
    """
    places = {key: place for place, key in enumerate(shares, start=1)}
    counted = [task.sets_of(number, places) for number, task in enumerate(tasks)]
    by_group = filled({places[key]: share for key, share in shares.items()} or {EVERYBODY: 1}, counted)
    left = left_over(by_group, counted)
    done = [task.sets_of(number, places, task.sets - left.get(number, 0)) for number, task in enumerate(tasks)]
    return by_group, done


def size_of_last_task(setup: Setup, values: Mapping[Path, Json]) -> int:
    """Return the set size with which a task has sets for as many raters as those before it; 0 where that is unknown.

    The task is the last one once the set-up has these `values`, which are not stored.
    """
    document = setup.document
    for path, value in values.items():
        document = document.with_value(path, value)
    changed = copy(setup)
    changed.given = document.given
    reading, scale = checked_reading(changed, with_plan=False)
    if scale != 1.0 or not reading.units_sound:
        return 0
    tasks = sets.sets_of(Facts(reading.document, workload_of(reading, draft_tasks(reading))))
    if len(tasks) < 2 or tasks[-1][0] != len(reading.document["tasks"]) - 1:
        return 0
    *others, (_place, _task, load) = tasks
    return sets.nearest_size(min(other.sets for _place, _task, other in others), load)


def _minutes(pay: Mapping[str, Json], workload: Workload | None) -> float | None:
    if pay["minutes"] is not None:
        return float(pay["minutes"])
    return workload.minutes if workload is not None else None


def _task(draft: DraftTask, judged: Sequence[PlanUnit], scale: float, drawn: tuple[int, ...]) -> TaskNumbers:
    """Count a task; `drawn` are the units of each of its sets where its plan was drawn, else empty."""
    task, units = draft.task, round(len(judged) * scale)
    k = float(task["k"])
    if task["k_more"] and task["k_more_share"]:
        k += (task["k_more"] - task["k"]) * float(task["k_more_share"])
    places = round(units * k)
    size = max(1, min(task["set_size"], units))
    raters = len(drawn) or math.ceil(places / size)
    return TaskNumbers(
        task_called(task, draft.number + 1), units, k, places, size, raters, tuple(task["groups"]),
        smallest_difference(_size(draft, judged, k, scale, raters)), drawn,
    )  # fmt: skip


def _size(draft: DraftTask, judged: Sequence[PlanUnit], k: float, scale: float, raters: int) -> TaskSize:
    """Count the comparisons of a task: items with several systems, systems that are judged, judgments of each text.

    `judged` are the units without a known answer. Where each criterion has units of its own, those of one are counted.
    """
    shown_only = draft.kind.shown_only()
    units = [draft.units[unit.key] for unit in judged]
    n_criteria = max(1, len({unit.criterion for unit in units}))
    systems_of = {
        key: {output.system for output in draft.items[key].outputs} - shown_only
        for key in {unit.item_of(number) for unit in units for number in range(len(unit.parts))} - {None}
        if key is not None
    }
    shown = [(unit.criterion, unit.item_of(number), part) for unit in units for number, part in enumerate(unit.parts)]
    n_units = round(len(units) * scale / n_criteria)
    return TaskSize(
        kind=draft.kind,
        items=round(sum(len(systems) > 1 for systems in systems_of.values()) * scale),
        systems=len(set().union(*systems_of.values())),
        units=n_units,
        per_text=k * len(shown) / len(set(shown)) if shown else 0.0,
        judgments=round(n_units * k),
        raters=raters,
    )
