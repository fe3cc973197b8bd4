"""What a plan gives every system, item, place and rater, in numbers, before a study opens and after."""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from django.db.models import Count, Sum

from tasks_app.check_settings import checks_of
from tasks_app.designs.balance import Balance, measure
from tasks_app.designs.base import PlanImpossible
from tasks_app.designs.weaving import room_for_repeats
from tasks_app.models import Booklet, Gold, Place, Study, Task, Unit
from tasks_app.services import plans, sets
from tasks_app.services.plan_columns import Columns, columns_of
from tasks_app.services.plan_promises import Line, lines_of

# More places than these are neither drawn nor read for a page: so many take three to four seconds of computing.
MOST_PLACES = 60_000


@dataclass(frozen=True, slots=True)
class SetContents:
    """What one rater gets with a first set of the usual size."""

    training: int
    exam: int
    warm_up: int
    units: int
    controls: int
    attention: int
    repeats: int
    degraded: int

    @property
    def screens(self) -> int:
        """All screens, where the exam is passed at once."""
        judged = self.units + self.controls + self.attention + self.repeats + self.degraded
        return self.training + self.exam + self.warm_up + judged


@dataclass(frozen=True, slots=True)
class SystemLine:
    """What a system gets: judgments, how far that is from the average system, and where it stands."""

    key: str
    judgments: int
    away: float
    places: tuple[int, ...]
    columns: tuple[int, ...]

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
    """What a task's plan gives, or why there is none and what would work.

    `places` and `booklets` are those of the whole plan, of which only the first booklets may have been measured.
    """

    task: Task
    booklets: int = 0
    places: int = 0
    is_stored: bool = False
    drawn: plans.Drawn | None = None
    balance: Balance | None = None
    contents: SetContents | None = None
    refusal: str = ""
    nearest: Mapping[str, int] = field(default_factory=dict)

    @property
    def is_partial(self) -> bool:
        """Whether only the first booklets were measured."""
        return self.balance is not None and sum(self.balance.sizes) < self.places

    @property
    def measured(self) -> int:
        """How many booklets were measured."""
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
    def systems(self) -> list[tuple[str, int]]:
        """Judgments each system gets, by system."""
        return sorted(self.balance.system_totals.items()) if self.balance else []

    @cached_property
    def columns(self) -> Columns:
        """How systems stand beside each other on screens with several texts."""
        return columns_of(self.drawn.booklets, self.drawn.arrangements) if self.drawn else Columns()

    @cached_property
    def lines(self) -> list[SystemLine]:
        """What every system gets."""
        if self.balance is None:
            return []
        at = self.balance.position_totals
        mean = sum(n for _system, n in self.systems) / max(1, len(self.systems))
        return [
            SystemLine(key, n, n - mean, tuple(one.get(key, 0) for one in at), self.columns.of_system(key))
            for key, n in self.systems
        ]

    @property
    def wanted(self) -> list[tuple[int, int]]:
        """How many units want so many judgments: (judgments, units)."""
        return sorted(Counter(unit.k for unit in self.drawn.units).items()) if self.drawn else []

    @property
    def per_unit(self) -> tuple[int, int]:
        """The fewest and the most judgments of a unit."""
        return _ends(self.balance.unit_totals.values() if self.balance else ())

    @property
    def per_item(self) -> tuple[int, int]:
        """The fewest and the most judgments of an item."""
        return _ends(self.balance.item_totals.values() if self.balance else ())

    @property
    def items(self) -> int:
        """How many items are judged."""
        return len(self.balance.item_totals) if self.balance else 0

    @property
    def pairs(self) -> list[tuple[str, str, int]]:
        """How often every two systems meet on a screen."""
        return sorted((*pair, n) for pair, n in self.balance.pair_totals.items()) if self.balance else []

    @cached_property
    def promises(self) -> list[Line]:
        """What is promised, then what is measured besides."""
        if self.drawn is None or self.balance is None:
            return []
        return lines_of(self.task, self.drawn, self.balance, self.columns, whole=not self.is_partial)

    @property
    def keeps_all(self) -> bool:
        """Whether everything promised was found to hold."""
        return all(line.holds for line in self.promises if line.promised)


def _ends(counts: Collection[int]) -> tuple[int, int]:
    return min(counts, default=0), max(counts, default=0)


def reports(study: Study) -> list[Report]:
    """Describe the plan of every task that has one: the stored plan, else the one that opening would draw."""
    return [report(task) for task in planned(study)]


def planned(study: Study) -> list[Task]:
    """Return the tasks that have a plan: those of the stages screening and exit are asked of everybody."""
    tasks = Task.objects.filter(study=study, until=None, stage=Task.Stage.MAIN)
    return list(tasks.select_related("study").order_by("order", "id"))


def report(task: Task) -> Report:
    """Describe the plan of a task; of a very large one, what can be said without drawing or reading all of it."""
    own = Booklet.objects.filter(task=task).aggregate(booklets=Count("id"))["booklets"]
    if own:
        places = Place.objects.filter(booklet__task=task).count()
        return _measured(task, plans.stored(task, MOST_PLACES), own, places, is_stored=True)
    units = Unit.objects.filter(task=task, until=None, gold=None)
    places = units.aggregate(n=Sum("k"))["n"] or 0
    if places > MOST_PLACES:
        return Report(task, -(-places // task.set_size), places)
    try:
        drawn = plans.draw(task, version_of_plan(task.study))
    except PlanImpossible as error:
        return Report(task, refusal=str(error), nearest=error.nearest)
    return _measured(task, drawn, len(drawn.booklets), places, is_stored=False)


def version_of_plan(study: Study) -> int:
    """Return the number of the version for which opening would draw plans that are missing."""
    return study.current_version if study.is_frozen else study.next_version


def _measured(task: Task, drawn: plans.Drawn, booklets: int, places: int, *, is_stored: bool) -> Report:
    balance = measure(drawn.booklets, drawn.units)
    usual = max(balance.sizes, default=0)
    return Report(task, booklets, places, is_stored, drawn, balance, _contents(task, drawn, usual))


def _contents(task: Task, drawn: plans.Drawn, units: int) -> SetContents:
    """Say what a first set holds: known answers as far as there are, repeats and copies as far as there is room."""
    checks, known = checks_of(task.checks), sets.known_units(task)
    asked = [unit.criterion for booklet in drawn.booklets[:1] for unit in booklet if unit.criterion]
    room = room_for_repeats(units, task.spacing)
    return SetContents(
        training=len(known.of(Gold.Purpose.TRAINING, asked)[: checks.training]),
        exam=len(sets.exam_units(known.of(Gold.Purpose.EXAM, asked), checks.exam, 1)),
        warm_up=checks.warm_up,
        units=units,
        controls=checks.controls_among(units, len(known.of(Gold.Purpose.CONTROL, asked))),
        attention=checks.loud_among(len(known.of(Gold.Purpose.ATTENTION, asked))),
        repeats=min(checks.repeats, room),
        degraded=min(checks.degraded, room),
    )
