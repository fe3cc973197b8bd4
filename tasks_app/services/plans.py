"""The plan: booklets and places drawn before a study opens."""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tasks_app import designs
from tasks_app.designs.balance import Balance, measure
from tasks_app.designs.base import PlanImpossible, PlanUnit, Settings
from tasks_app.models import Booklet, PartOutput, Place, Study, Task, Unit, Version


@dataclass(frozen=True, slots=True)
class Drawn:
    """A plan before it is stored: booklets in order, each place with its unit and arrangement."""

    booklets: tuple[tuple[PlanUnit, ...], ...]
    balance: Balance


def seeded(study: Study, *words: object) -> random.Random:
    """Return a random stream that is the study's own for this purpose, the same whenever it is asked for."""
    return random.Random(":".join(map(str, (study.seed, *words))))  # noqa: S311  reproducible, not secret


def plan_units(task: Task) -> tuple[PlanUnit, ...]:
    """Describe the units of a task to its design."""
    shapes: dict[int, dict[int, list[str]]] = {}
    shown = (
        PartOutput.objects.filter(part__unit__task=task, part__unit__until=None)
        .order_by("part__unit_id", "part__number", "id")
        .values_list("part__unit_id", "part__number", "output__system__key")
    )
    for unit_id, number, system in shown:
        shapes.setdefault(unit_id, {}).setdefault(number, []).append(system)
    units = (
        Unit.objects.filter(task=task, until=None, gold=None)
        .order_by("id")
        .values_list("id", "key", "k", "item__key", "item__position", "document__key", "features__criterion")
    )
    return tuple(
        PlanUnit(
            key=key,
            k=k,
            item=item,
            document=document,
            position=position or 0,
            shape=tuple(tuple(shapes.get(unit_id, {})[number]) for number in sorted(shapes.get(unit_id, {}))),
            criterion=criterion or "",
        )
        for unit_id, key, k, item, position, document, criterion in units
    )


def draw(task: Task, version: int) -> Drawn:
    """Draw the plan of a task from the study's seed, without storing it.

    Raises
    ------
    tasks_app.designs.base.PlanImpossible
        With the nearest settings that work.
    """
    units = plan_units(task)
    design = designs.registry[task.design]()
    booklets = designs.draw_booklets(
        design,
        units,
        Settings(set_size=task.set_size, spacing=task.spacing),
        task.design_params,
        task.criteria_mode,
        seeded(task.study, "plan", task.key, version),
    )
    return Drawn(tuple(booklets), measure(booklets, units))


def store(task: Task, version: Version) -> Drawn:
    """Draw the plan of a task and store its booklets and places, in a transaction of the caller's."""
    drawn = draw(task, version.number)
    ids = dict(Unit.objects.filter(task=task, until=None).values_list("key", "id"))
    booklets = Booklet.objects.bulk_create(
        [Booklet(version=version, task=task, number=number) for number in range(1, len(drawn.booklets) + 1)],
        batch_size=5000,
    )
    arrangements = arrange(task, drawn.booklets, version.number)
    counts: dict[str, int] = {}
    places: list[Place] = []
    for booklet, units in zip(booklets, drawn.booklets, strict=True):
        for order, unit in enumerate(units, start=1):
            counts[unit.key] = counts.get(unit.key, 0) + 1
            places.append(
                Place(
                    unit_id=ids[unit.key],
                    number=counts[unit.key],
                    booklet=booklet,
                    order=order,
                    arrangement=next(arrangements),
                )
            )
    Place.objects.bulk_create(places, batch_size=5000)
    return drawn


def arrange(task: Task, booklets: Sequence[Sequence[PlanUnit]], version: int) -> Iterator[dict[str, object]]:
    """Yield the arrangement of every place in the order of booklets, balanced among units of one shape."""
    kind, params = task.kind, task.kind.params(task.params)
    streams: dict[tuple[object, ...], Iterator[dict[str, object]]] = {}
    for booklet in booklets:
        for unit in booklet:
            alike = (unit.shape, unit.criterion) if unit.criterion else (unit.shape,)
            if alike not in streams:
                rng = seeded(task.study, "arrangement", task.key, version, *alike)
                streams[alike] = kind.arrange(len(unit.shape), params, rng)
            yield next(streams[alike])


@dataclass(frozen=True, slots=True)
class Report:
    """What a task's plan gives each system and unit, or why there is none and what would work."""

    task: Task
    booklets: int
    places: int
    balance: Balance | None
    refusal: str = ""
    nearest: Mapping[str, int] | None = None

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


def report(study: Study) -> list[Report]:
    """Describe the plan of every task: the stored one of a frozen study, else the one that opening would draw."""
    reports = []
    for task in Task.objects.filter(study=study, until=None).select_related("study").order_by("order"):
        try:
            drawn = stored(task) if study.is_frozen else draw(task, study.next_version)
        except PlanImpossible as error:
            reports.append(Report(task, 0, 0, None, str(error), error.nearest))
            continue
        reports.append(Report(task, len(drawn.booklets), sum(map(len, drawn.booklets)), drawn.balance))
    return reports


def stored(task: Task) -> Drawn:
    """Read the stored plan of a task back, and measure it anew."""
    units = plan_units(task)
    by_key = {unit.key: unit for unit in units}
    booklets: dict[int, list[PlanUnit]] = {}
    places = Place.objects.filter(booklet__task=task).order_by("booklet__number", "order")
    for number, key in places.values_list("booklet__number", "unit__key"):
        booklets.setdefault(number, []).append(by_key[key])
    rows = tuple(tuple(one) for one in booklets.values())
    return Drawn(rows, measure(rows, units))
