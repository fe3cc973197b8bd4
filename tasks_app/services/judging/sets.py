"""Compose the set of a rater: units to judge, training and exam before them, checks among them."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from django.db.models import Count, Exists, OuterRef, QuerySet

from tasks_app.designs import BLOCK, weaving
from tasks_app.designs.base import PlanUnit
from tasks_app.models import Assignment, Gold, OwnUnit, PartOutput, Rater, Task, Unit, WithdrawnUnit
from tasks_app.services.plan import plans
from tasks_app.settings.checks import CheckSettings, checks_of
from tasks_app.task_types.base import WORDINGS

Purpose = Assignment.Purpose
State = Assignment.State

# Units with known answers that are woven into a set, by kind of slot.
_KNOWN = {weaving.CONTROL: Purpose.CONTROL, weaving.ATTENTION: Purpose.ATTENTION}


@dataclass(frozen=True, slots=True)
class ClaimedPlace:
    """A unit to judge that a claim has chosen, with the place that it fills."""

    place: int
    unit: int
    item: int | None
    booklet: int
    booklet_number: int
    criterion: str
    arrangement: dict[str, Any]

    @property
    def wordings(self) -> dict[str, str]:
        """The wording of each question that has several, by the key of its criterion."""
        wordings: dict[str, str] = self.arrangement.get(WORDINGS, {})
        return wordings


Drawn = TypeVar("Drawn", ClaimedPlace, PlanUnit)


@dataclass(slots=True)
class Planned:
    """An assignment to be stored; `repeats` is the position in the set of the assignment that it repeats."""

    purpose: str
    unit: int
    place: int | None = None
    arrangement: dict[str, Any] = field(default_factory=dict)
    repeats: int | None = None
    attempt: int = 1


@dataclass(frozen=True, slots=True)
class Composed:
    """A set in its order. `gap` places stay free after the first `gap_after` ones, for further attempts at the exam."""

    planned: tuple[Planned, ...]
    gap_after: int = 0
    gap: int = 0


@dataclass(frozen=True, slots=True)
class Known:
    """The units of a task with known answers, in the order of the file, by purpose; `criteria` by unit."""

    by_purpose: Mapping[str, tuple[int, ...]]
    criteria: Mapping[int, str]

    def of(self, purpose: str, criteria: Collection[str] = ()) -> tuple[int, ...]:
        """Return the units for a purpose; with `criteria`, those that ask one of them or all at once."""
        asked_criteria = {"", *criteria}
        units = self.by_purpose.get(purpose, ())
        return tuple(unit for unit in units if asked_criteria == {""} or self.criteria[unit] in asked_criteria)


def known_units(task: Task) -> Known:
    """Read the units with known answers out of the study file: not the copies that the tool makes."""
    return known_units_of([task])[task.pk]


def known_units_of(tasks: Sequence[Task]) -> dict[int, Known]:
    """Read the units with known answers of several tasks, by task, as `known_units` does; one query."""
    by_purpose: dict[int, dict[str, list[int]]] = {task.pk: {} for task in tasks}
    criteria: dict[int, dict[int, str]] = {task.pk: {} for task in tasks}
    if not by_purpose:
        return {}
    # As a join, it would have PostgreSQL expect few units that are not withdrawn, and look at each of them.
    withdrawn = WithdrawnUnit.objects.filter(unit=OuterRef("unit"))
    rows = (
        Gold.objects.filter(~Exists(withdrawn), unit__task__in=by_purpose, unit__until=None)
        .exclude(kind=Gold.Kind.WORSE)
        .order_by("unit_id")
        .values_list("unit__task", "purpose", "unit_id", "unit__features__criterion")
        .distinct()
    )
    for task, purpose, unit, criterion in rows:
        criteria[task][unit] = criterion or ""
        by_purpose[task].setdefault(purpose, []).append(unit)
    return {
        task: Known({purpose: tuple(units) for purpose, units in of_task.items()}, criteria[task])
        for task, of_task in by_purpose.items()
    }


def compose(rater: Rater, task: Task, places: Sequence[ClaimedPlace], turn: int, *, is_first: bool = False) -> Composed:
    """Put a set together: training and exam before a rater's first set, then warm-up, then units woven with checks.

    A set `is_first` where its rater was given no unit before, of any task.
    """
    checks = checks_of(task.checks)
    known = known_units(task)
    given = _Given({}) if is_first else _given(rater, task)
    criteria = {place.criterion for place in places} - {""}
    before, gap = _before(checks, known, criteria, given)
    warm_up = _warm_up(rater, task, places, checks.warm_up if Purpose.WARM_UP not in given.met else 0)
    planned = [*before, *warm_up]
    weaver = _Weaver(task, places, known, given.met, turn)
    blocks = blocks_of(task, places)
    for number, block in enumerate(blocks):
        planned += weaver.woven(block, number, len(blocks), len(planned))
    draw_arrangements(rater, task, planned)
    return Composed(tuple(planned), len(before), gap)


@dataclass(frozen=True, slots=True)
class _Given:
    """Units that a rater was given of a task before. Units that went back unseen do not count."""

    met: Mapping[str, set[int]]
    attempt: int = 1
    # Units of the last attempt at the exam that went back without an answer.
    exam_left: tuple[int, ...] = ()


def _given(rater: Rater, task: Task) -> _Given:
    met: dict[str, set[int]] = {}
    exam: dict[int, dict[int, bool]] = {}
    rows = Assignment.objects.filter(rater=rater, unit__task=task).order_by("order")
    for purpose, unit, state, shown, attempt in rows.values_list(
        "purpose", "unit_id", "state", "first_shown", "attempt"
    ):
        went_back = state in {State.RETURNED, State.PASSED_OVER}
        if purpose == Purpose.EXAM:
            shown_units = exam.setdefault(attempt, {})
            shown_units[unit] = shown_units.get(unit, False) or not went_back
        # Training that was shown but not answered is still to be done; another unit that was seen is known.
        if not went_back or (shown is not None and purpose != Purpose.TRAINING):
            met.setdefault(purpose, set()).add(unit)
    last = max(exam, default=1)
    return _Given(met, last, tuple(unit for unit, was_shown in exam.get(last, {}).items() if not was_shown))


def exam_units(units: Sequence[int], size: int | None, attempt: int) -> list[int]:
    """Return the units of an attempt at the exam: different from those of earlier attempts where there are enough."""
    n = len(units) if size is None else min(size, len(units))
    return [units[((attempt - 1) * n + number) % len(units)] for number in range(n)]


def _before(checks: CheckSettings, known: Known, criteria: set[str], given: _Given) -> tuple[list[Planned], int]:
    """Plan the training and exam units that a rater has still to do, and count the places for further attempts."""
    trained = given.met.get(Purpose.TRAINING, set())
    training = [unit for unit in known.of(Purpose.TRAINING, criteria)[: checks.training] if unit not in trained]
    exam_of_all = exam_units(known.of(Purpose.EXAM, criteria), checks.exam, 1)
    exam = list(given.exam_left)
    if not exam and Purpose.EXAM not in given.met:
        exam = exam_of_all
    planned = [Planned(Purpose.TRAINING, unit) for unit in training]
    planned += [Planned(Purpose.EXAM, unit, attempt=given.attempt) for unit in exam]
    return planned, len(exam_of_all) * (checks.exam_attempts - given.attempt) if exam else 0


def _warm_up(rater: Rater, task: Task, places: Sequence[ClaimedPlace], size: int) -> list[Planned]:
    """Choose warm-up units of items that are not in the set; fewer, or none, where there are not enough."""
    if not (size and places):
        return []
    units = Unit.objects.filter(task=task, until=None, gold=None, withdrawn=None)
    units = units.exclude(pk__in=[place.unit for place in places])
    units = units.exclude(pk__in=Assignment.objects.filter(rater=rater).values("unit"))
    units = units.exclude(pk__in=OwnUnit.objects.filter(rater=rater).values("unit"))
    if places[0].criterion:
        units = units.filter(features__criterion=places[0].criterion)
    items = {place.item for place in places if place.item is not None}
    if items:
        units = units.exclude(item__in=items)
    candidates = list(units.order_by("id").values_list("id", "item"))
    plans.seeded(task.study, "warm-up", rater.seed, task.key).shuffle(candidates)
    # One text of an item: outputs of one item would stand too near to each other.
    by_item: dict[object, int] = {item or f"unit {unit}": unit for unit, item in candidates}
    return [Planned(Purpose.WARM_UP, unit) for unit in list(by_item.values())[:size]]


def blocks_of(task: Task, units: Sequence[Drawn]) -> list[Sequence[Drawn]]:
    """Divide a set into blocks between which nothing is moved: one per criterion where criteria are blocked."""
    if task.criteria_mode != BLOCK:
        return [units]
    criteria = dict.fromkeys(unit.criterion for unit in units)
    return [[unit for unit in units if unit.criterion == criterion] for criterion in criteria]


class _Weaver:
    """Weaves the checks of a task into the units of one set; texts that are rare in the sets so far come first."""

    def __init__(
        self, task: Task, places: Sequence[ClaimedPlace], known: Known, met: Mapping[str, set[int]], turn: int
    ) -> None:
        self.task, self.checks, self.known, self.turn = task, checks_of(task.checks), known, turn
        criteria = {place.criterion for place in places} - {""}
        self.unused: dict[str, list[int]] = {
            purpose: [unit for unit in known.of(purpose, criteria) if unit not in met.get(purpose, set())]
            for purpose in _KNOWN.values()
        }
        self.n_by_purpose: dict[str, int] = {
            Purpose.CONTROL: self.checks.controls_among(len(places), len(self.unused[Purpose.CONTROL])),
            Purpose.ATTENTION: self.checks.attention_among(len(self.unused[Purpose.ATTENTION])),
        }
        self.used_units = self._used_units()
        self.used = {
            kind: Counter(self._used_systems(kind))
            for kind, n in ((weaving.REPEAT, self.checks.repeats), (weaving.DEGRADED, self.checks.degraded))
            if n
        }

    def woven(self, block: Sequence[ClaimedPlace], number: int, n_blocks: int, start: int) -> list[Planned]:
        """Plan one block, the first assignment of which is at position `start` of the set."""
        copies = self._copies(block) if self.checks.degraded else {}
        systems = self._systems(block) if self.used else ()
        check_units = {kind: self._choose(purpose, block, number, n_blocks) for kind, purpose in _KNOWN.items()}
        extras = weaving.Extras(
            controls=len(check_units[weaving.CONTROL]),
            attention=len(check_units[weaving.ATTENTION]),
            repeats=weaving.share_out(self.checks.repeats, n_blocks, self.turn)[number],
            degraded=weaving.share_out(self.checks.degraded, n_blocks, self.turn)[number],
            degradable=tuple(index for index, place in enumerate(block) if place.unit in copies),
            systems=systems,
            used=self.used,
        )
        seed = f"{self.task.study.seed}:{self.task.key}:{block[0].criterion if n_blocks > 1 else ''}"
        planned: list[Planned] = []
        positions: dict[int, int] = {}
        items = [place.item for place in block]
        for slot in weaving.weave(items, extras, self.task.spacing, seed=seed, turn=self.turn):
            if slot.kind in _KNOWN:
                planned.append(Planned(_KNOWN[slot.kind], check_units[slot.kind][slot.index]))
                continue
            place = block[slot.index]
            if slot.kind == weaving.MAIN:
                positions[slot.index] = start + len(planned)
                planned.append(Planned(Purpose.MAIN, place.unit, place.place, dict(place.arrangement)))
                continue
            self.used[slot.kind].update(systems[slot.index])
            if slot.kind == weaving.REPEAT:
                planned.append(Planned(Purpose.REPEAT, place.unit, repeats=positions[slot.index]))
            else:
                planned.append(Planned(Purpose.CONTROL, copies[place.unit]))
        return planned

    def _choose(self, purpose: str, block: Sequence[ClaimedPlace], number: int, n_blocks: int) -> list[int]:
        """Choose known units for a block: those that the fewest sets had, in a drawn order."""
        fitting = set(self.known.of(purpose, {place.criterion for place in block} - {""}))
        units_left = [unit for unit in self.unused[purpose] if unit in fitting]
        share = weaving.share_out(self.n_by_purpose[purpose], n_blocks, self.turn)[number]
        plans.seeded(self.task.study, "known", self.task.key, purpose).shuffle(units_left)
        units = sorted(units_left, key=lambda unit: self.used_units[unit])[:share]
        self.unused[purpose] = [unit for unit in self.unused[purpose] if unit not in units]
        plans.seeded(self.task.study, "places", self.task.key, purpose, self.turn, number).shuffle(units)
        return units

    def _sets_before(self) -> QuerySet[Assignment]:
        """Return the assignments of this task, without those given back unseen."""
        rows = Assignment.objects.filter(unit__task=self.task, rater_kind__in=Rater.Kind.COUNTED)
        return rows.exclude(state__in=(State.RETURNED, State.EXPIRED, State.PASSED_OVER), first_shown=None)

    def _used_units(self) -> Counter[int]:
        units = [unit for units_of_purpose in self.unused.values() for unit in units_of_purpose]
        if not units:
            return Counter()
        rows = self._sets_before().filter(unit__in=units, purpose__in=_KNOWN.values())
        return Counter(dict(rows.values_list("unit").annotate(n=Count("pk"))))

    def _used_systems(self, kind: str) -> dict[str, int]:
        """Count the repeats, or degraded copies, of each system in the sets so far."""
        rows = self._sets_before()
        if kind == weaving.DEGRADED:
            copies = rows.filter(purpose=Purpose.CONTROL, unit__features__has_key="degraded_of")
            shown_copies = copies.values_list("unit__features__systems").annotate(n=Count("pk"))
            counts: Counter[str] = Counter()
            for systems, n in shown_copies:
                counts.update(dict.fromkeys(systems, n))
            return counts
        repeats = rows.filter(purpose=Purpose.REPEAT)
        return dict(repeats.values_list("unit__parts__part_outputs__output__system__key").annotate(n=Count("pk")))

    def _copies(self, block: Sequence[ClaimedPlace]) -> dict[int, int]:
        """Return the degraded copies of units, by the id of the original."""
        rows = Unit.objects.filter(
            task=self.task,
            until=None,
            gold__kind=Gold.Kind.WORSE,
            features__degraded_of__in=[place.unit for place in block],
        )
        return dict(rows.values_list("features__degraded_of", "id"))

    def _systems(self, block: Sequence[ClaimedPlace]) -> tuple[tuple[str, ...], ...]:
        """Return the systems of the texts in each unit."""
        systems: dict[int, dict[str, None]] = {}
        rows = PartOutput.objects.filter(part__unit__in=[place.unit for place in block]).order_by("part__number", "id")
        for unit, system in rows.values_list("part__unit", "output__system__key"):
            systems.setdefault(unit, {})[system] = None
        return tuple(tuple(systems.get(place.unit, ())) for place in block)


def draw_arrangements(rater: Rater, task: Task, planned: Sequence[Planned]) -> None:
    """Draw an arrangement for every unit that has none from a place."""
    missing = [assignment for assignment in planned if assignment.place is None]
    if not missing:
        return
    units = Unit.objects.filter(pk__in={assignment.unit for assignment in missing}).annotate(parts_shown=Count("parts"))
    parts = dict(units.values_list("pk", "parts_shown"))
    kind = task.kind
    for number, assignment in enumerate(missing):
        rng = plans.seeded(task.study, "extra", rater.seed, task.key, assignment.unit, assignment.attempt, number)
        assignment.arrangement = next(iter(kind.arrange(parts[assignment.unit], rng)))
