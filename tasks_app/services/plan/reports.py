"""Reports on a plan in numbers: the share of every system, item, position and rater, before and after opening."""

import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from fractions import Fraction
from functools import cached_property, lru_cache

from django.db.models import Case, Count, Exists, Max, OuterRef, Sum, Value, When

from tasks_app.designs.balance import Balance, measure
from tasks_app.designs.base import PlanImpossible, PlanUnit
from tasks_app.models import Booklet, Gold, Study, Task, Unit
from tasks_app.selectors.routing import ON_REQUEST
from tasks_app.selectors.studies import number_of
from tasks_app.services.judging.sets import Known, known_units_of
from tasks_app.services.plan import plans
from tasks_app.services.plan.extras import Extras, SetContents, extras_of
from tasks_app.services.plan.meetings import Meetings, meetings_of
from tasks_app.services.plan.promises import Line, lines_of
from tasks_app.services.plan.screen_columns import Columns, columns_of
from tasks_app.services.plan.wordings import read_with_criteria

# Plans with more places are neither drawn nor read for a page: this many take two to three seconds to compute.
MOST_PLACES = 30_000

# A page counts a stored plan of at most so many places before it appears, which takes some 0.2 seconds; a larger plan
# only where it is asked to.
MOST_AT_ONCE = 2_000

# Plans that a process remembers, so that a page that is looked at again is not drawn again.
REMEMBERED = 4


@dataclass(frozen=True, slots=True)
class SystemLine:
    """The judgments of a system, their distance from the average, their positions, and their repeats."""

    key: str
    judgments: int
    away: float
    places: tuple[int, ...]
    columns: tuple[int, ...]
    repeats: int = 0
    degraded: int = 0

    @property
    def least_at_a_place(self) -> int:
        """Judgments at the place of a set where there are fewest."""
        return min(self.places, default=0)

    @property
    def most_at_a_place(self) -> int:
        """Judgments at the place of a set where there are most."""
        return max(self.places, default=0)


@dataclass(frozen=True)
class Report:
    """The results of a task's plan, or the reason why there is none and settings that would work.

    `units`, `places` and `booklets` are those of the whole plan, of which only the first booklets may have been
    measured, or none. What follows from the units alone is always there: every unit gets exactly its k judgments.
    Systems that are shown without being judged count in `shown_only` alone, with the judgments beside which they stand.
    """

    task: Task
    booklets: int = 0
    places: int = 0
    is_stored: bool = False
    units: tuple[PlanUnit, ...] = ()
    drawn: plans.Drawn | None = None
    balance: Balance | None = None
    columns: Columns = field(default_factory=Columns)
    extras: Extras | None = None
    shown_only: tuple[tuple[str, int], ...] = ()
    refusal: str = ""
    nearest: Mapping[str, int] = field(default_factory=dict)

    @property
    def is_partial(self) -> bool:
        """Whether only the first booklets were measured."""
        return self.balance is not None and sum(self.balance.sizes) < self.places

    @property
    def is_uncounted(self) -> bool:
        """Whether the plan is stored, and none of it was counted."""
        return self.is_stored and self.balance is None

    @property
    def measured(self) -> int:
        """The number of measured booklets."""
        return len(self.balance.sizes) if self.balance else 0

    @property
    def least_size(self) -> int:
        """Units in the shortest booklet."""
        return min(self.balance.sizes, default=0) if self.balance else 0

    @property
    def most_size(self) -> int:
        """Units in the longest booklet."""
        return max(self.balance.sizes, default=0) if self.balance else 0

    @property
    def full_size(self) -> int:
        """Units of a full set, for which the whole pay is due."""
        return min(self.task.set_size, self.most_size or self.task.set_size)

    def mean_size(self, first: int) -> Fraction:
        """Return the mean number of units of a set, over so many sets from the first on."""
        sizes = self.balance.sizes[:first] if self.balance and not self.is_partial else ()
        return Fraction(sum(sizes), len(sizes)) if sizes else Fraction(self.places, max(1, self.booklets))

    @cached_property
    def systems(self) -> list[tuple[str, int]]:
        """Judgments each system gets, by system."""
        counts: Counter[str] = Counter()
        for unit in self.units:
            counts.update(dict.fromkeys(unit.systems, unit.k))
        return sorted(counts.items())

    @cached_property
    def lines(self) -> list[SystemLine]:
        """The line of every system."""
        at = self.balance.position_totals if self.balance else ()
        repeats = self.extras.repeats if self.extras else {}
        degraded = self.extras.degraded if self.extras else {}
        mean = sum(n for _system, n in self.systems) / max(1, len(self.systems))
        return [
            SystemLine(
                key,
                n,
                n - mean,
                tuple(of_position.get(key, 0) for of_position in at),
                self.columns.of_system(key),
                repeats.get(key, 0),
                degraded.get(key, 0),
            )
            for key, n in self.systems
        ]

    @cached_property
    def contents(self) -> SetContents | None:
        """The contents of the first of the longest sets."""
        sets = self.extras.sets if self.extras else ()
        return max(sets, key=lambda contents: contents.units, default=None)

    @cached_property
    def in_sets(self) -> dict[str, tuple[int, int, int]]:
        """The fewest and the most of everything that one set holds, and how much all sets do."""
        sets = self.extras.sets if self.extras else ()
        columns = (
            {name: [asdict(contents)[name] for contents in sets] for name in SetContents.__slots__} if sets else {}
        )
        screens = {"screens": [contents.screens for contents in sets]} if sets else {}
        return {name: (min(numbers), max(numbers), sum(numbers)) for name, numbers in (columns | screens).items()}

    @cached_property
    def units_by_judgments(self) -> list[tuple[int, int]]:
        """The number of units by the number of judgments that each needs: (judgments, units)."""
        return sorted(Counter(unit.k for unit in self.units).items())

    @cached_property
    def item_lines(self) -> list[tuple[str, int, int]]:
        """Every item with its units and its judgments, in the order of the units."""
        units: Counter[str] = Counter()
        judgments: Counter[str] = Counter()
        for unit in self.units:
            if unit.item is not None:
                units[unit.item] += 1
                judgments[unit.item] += unit.k
        return [(item, n, judgments[item]) for item, n in units.items()]

    @property
    def per_item(self) -> tuple[int, int]:
        """The fewest and the most judgments of an item."""
        return _ends([judgments for _item, _units, judgments in self.item_lines])

    @cached_property
    def meetings(self) -> Meetings | None:
        """The number of screens that every two systems share; None if each screen has one system."""
        return meetings_of(self.units)

    @cached_property
    def promises(self) -> list[Line]:
        """The promised margins, then other measured ones."""
        if self.drawn is None or self.balance is None:
            return []
        return lines_of(self.task, self.drawn, self.balance, self.columns, whole=not self.is_partial)


def _ends(counts: Collection[int]) -> tuple[int, int]:
    return min(counts, default=0), max(counts, default=0)


@dataclass(frozen=True, slots=True)
class StoredCounts:
    """The number of stored booklets, places and known answers of a task, and the last of each.

    `wanted` is the number of judgments that the units want, counted only where no booklet is stored.
    """

    booklets: int
    places: int
    last_booklet: int
    known: int
    last_known: int
    wanted: int


def reports(
    study: Study, tasks: Sequence[Task] | None = None, *, with_units: bool = True, counts_large: bool = True
) -> list[Report]:
    """Describe the plan of every task that has one: the stored plan, else the one that opening would draw.

    `tasks` are those of `planned`, where a page has read them already. Without `with_units`, the units of a plan that
    is too large to be drawn for a page are not read, which takes seconds for 100,000: only numbers are returned then.
    Without `counts_large`, a stored plan that takes long to count is left uncounted, unless this process remembers it.
    """
    tasks = planned(study) if tasks is None else tasks
    counts = _counts_of(tasks)
    ahead = [task for task in tasks if not counts[task.pk].booklets]
    read = [task for task in ahead if with_units or _is_drawn_ahead(task, counts[task.pk].wanted)]
    units, known = plans.plan_units_of(read), known_units_of(ahead)
    return [
        _stored_report(task, counts[task.pk], counts_large=counts_large)
        if counts[task.pk].booklets
        else _report_ahead(task, counts[task.pk].wanted, units.get(task.pk, ()), known[task.pk])
        for task in tasks
    ]


def _counts_of(tasks: Sequence[Task]) -> dict[int, StoredCounts]:
    """Return the state of the stored plans of tasks, by task; one query, none without tasks."""
    if not tasks:
        return {}
    booklets = Booklet.objects.filter(task=OuterRef("pk")).order_by().values("task")
    known = Gold.objects.filter(unit__task=OuterRef("pk")).order_by().values("unit__task")
    units = Unit.objects.filter(task=OuterRef("pk"), until=None, gold=None).order_by().values("task")
    counted = Task.objects.filter(pk__in=[task.pk for task in tasks]).annotate(
        n_booklets=number_of(booklets, Count("id")),
        n_places=number_of(booklets, Sum("n_places")),
        last_booklet=number_of(booklets, Max("id")),
        n_known=number_of(known, Count("id")),
        last_known=number_of(known, Max("id")),
        wanted=Case(When(Exists(booklets), then=Value(0)), default=number_of(units, Sum("k"))),
    )
    rows = counted.values_list("pk", "n_booklets", "n_places", "last_booklet", "n_known", "last_known", "wanted")
    return {task: StoredCounts(*counts) for task, *counts in rows}


def planned(study: Study) -> list[Task]:
    """Return the tasks that have a plan from opening on: not those that everybody is asked, or that wait for texts."""
    tasks = read_with_criteria(Task.objects.filter(study=study, until=None))
    with_groups = tasks.select_related("study").prefetch_related("task_groups__group")
    return [task for task in with_groups.order_by("order", "id") if is_planned(task)]


def is_planned(task: Task) -> bool:
    """Return whether a task has a plan from opening on."""
    return task.stage == Task.Stage.MAIN and task.design not in ON_REQUEST


def _stored_report(task: Task, counts: StoredCounts, *, counts_large: bool) -> Report:
    """Describe a stored plan; leave out of a very large plan the figures that need all of it."""
    key = _Stored(task.pk, counts, task)
    if not counts_large and counts.places > MOST_AT_ONCE and key not in _stored:
        return Report(task, counts.booklets, counts.places, is_stored=True)
    return _with_task(_remembered_stored(key), task)


def _is_drawn_ahead(task: Task, places: int) -> bool:
    """Return whether pages draw a plan before opening: not a very large one, nor for ratings from elsewhere."""
    return places <= MOST_PLACES and not task.study.options.imported


def _report_ahead(task: Task, places: int, units: tuple[PlanUnit, ...], known: Known) -> Report:
    """Describe the plan that opening would draw, with `places` judgments; `units` may be empty if it is not drawn."""
    if not _is_drawn_ahead(task, places):
        judged, without_checks = _apart(task, units)
        return Report(task, -(-places // task.set_size), places, units=judged, shown_only=without_checks)
    try:
        measurement = drawn(task, units)
    except PlanImpossible as error:
        return Report(task, refusal=str(error), nearest=error.nearest)
    return _described(task, measurement, len(measurement.drawn.booklets), places, is_stored=False, known=known)


def version_of_plan(study: Study) -> int:
    """Return the number of the version for which opening would draw plans that are missing."""
    return study.current_version if study.is_frozen else study.next_version


@dataclass(frozen=True, slots=True)
class PlanMeasures:
    """A plan and its counts; its units are without the texts of systems that are only shown."""

    drawn: plans.Drawn
    balance: Balance
    columns: Columns
    shown_only: tuple[tuple[str, int], ...]


def measured(task: Task, drawn: plans.Drawn) -> PlanMeasures:
    """Count a plan."""
    units, without_checks = _apart(task, drawn.units)
    if without_checks:
        unit_of = {unit.key: unit for unit in units}
        booklets = tuple(tuple(unit_of[unit.key] for unit in booklet) for booklet in drawn.booklets)
        drawn = replace(drawn, units=units, booklets=booklets)
    return PlanMeasures(
        drawn, measure(drawn.booklets, drawn.units), columns_of(drawn.booklets, drawn.arrangements), without_checks
    )


def _apart(task: Task, units: tuple[PlanUnit, ...]) -> tuple[tuple[PlanUnit, ...], tuple[tuple[str, int], ...]]:
    """Return units without the texts of systems that are only shown, and how many judgments these stand beside."""
    only = task.kind.shown_only()
    beside: Counter[str] = Counter()
    for unit in units:
        beside.update(dict.fromkeys(only.intersection(unit.systems), unit.k))
    if not beside:
        return units, ()
    judged = (
        replace(unit, shape=tuple(part for part in unit.shape if not only.issuperset(part) or not part))
        for unit in units
    )
    return tuple(judged), tuple(sorted(beside.items()))


def _described(
    task: Task, measurement: PlanMeasures, booklets: int, places: int, *, is_stored: bool, known: Known | None = None
) -> Report:
    """Put a report together; known answers and copies may have changed since the plan was drawn."""
    extras = extras_of(task, measurement.drawn.units, measurement.drawn.booklets, known)
    units = measurement.drawn.units
    counted = measurement.drawn, measurement.balance, measurement.columns, extras, measurement.shown_only
    return Report(task, booklets, places, is_stored, units, *counted)


@dataclass(frozen=True, slots=True)
class _Stored:
    """The key of a stored plan, and of the known answers beside it, in the memory of reports: neither ever changes."""

    task_id: int
    counts: StoredCounts
    task: Task = field(compare=False)


# The attributes of a report that pages show of a drawn plan; they are computed from its units and booklets.
COMPUTED_FROM_PLAN = (
    "systems",
    "lines",
    "contents",
    "in_sets",
    "units_by_judgments",
    "item_lines",
    "meetings",
    "promises",
)


# The stored plans that this process has counted, the one that was shown last at the end.
_stored: dict[_Stored, Report] = {}


def _remembered_stored(key: _Stored) -> Report:
    """Describe a stored plan, and keep the numbers alone: 100,000 units would fill the memory of the process."""
    report = _stored.pop(key, None) or _count_stored(key)
    _stored[key] = report
    for oldest in list(_stored)[:-REMEMBERED]:
        _stored.pop(oldest, None)
    return report


def _count_stored(key: _Stored) -> Report:
    measurement = measured(key.task, plans.stored(key.task, MOST_PLACES))
    full_report = _described(key.task, measurement, key.counts.booklets, key.counts.places, is_stored=True)
    short_report = replace(full_report, units=(), drawn=None)
    short_report.__dict__.update({name: getattr(full_report, name) for name in COMPUTED_FROM_PLAN})
    return short_report


def _with_task(report: Report, task: Task) -> Report:
    """Give a remembered report the row of its task that was read just now."""
    fresh = replace(report, task=task)
    fresh.__dict__.update({name: report.__dict__[name] for name in COMPUTED_FROM_PLAN})
    return fresh


@dataclass(frozen=True, slots=True)
class _Asked:
    """The inputs of a plan; `task` is only needed to draw it."""

    units: tuple[PlanUnit, ...]
    settings: str
    task: Task = field(compare=False)


def drawn(task: Task, units: tuple[PlanUnit, ...]) -> PlanMeasures:
    """Draw and measure the plan of a task that has none, or remember it: the same settings give the same plan.

    Raises
    ------
    tasks_app.designs.base.PlanImpossible
        With the nearest settings that work.
    """
    follows_from = (task.study.seed, task.key, version_of_plan(task.study), task.type, task.params, task.design)
    settings = (task.design_params, task.criteria_mode, task.set_size, task.spacing, task.checks)
    remembered = _remembered(_Asked(units, json.dumps((follows_from, settings), sort_keys=True), task))
    if isinstance(remembered, PlanImpossible):
        raise PlanImpossible(remembered.message, remembered.nearest)
    return remembered


@lru_cache(maxsize=REMEMBERED)
def _remembered(key: _Asked) -> PlanMeasures | PlanImpossible:
    try:
        return measured(key.task, plans.drawn_of(key.task, key.units, version_of_plan(key.task.study)))
    except PlanImpossible as error:
        # Without its traceback, which would keep everything that was tried.
        return PlanImpossible(error.message, error.nearest)
