"""What a rater's set is made of: the units to judge, with training and exam before and checks among them."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Count

from tasks_app.check_settings import CheckSettings, checks_of
from tasks_app.designs import weaving
from tasks_app.models import Assignment, Gold, Rater, Task, Unit
from tasks_app.services import plans

Purpose = Assignment.Purpose

# What is woven into a set out of the units with known answers.
_KNOWN = {weaving.CONTROL: Purpose.CONTROL, weaving.ATTENTION: Purpose.ATTENTION}

# Purposes in which a unit counts as met: nobody meets it again except as a repeat.
MEETING = (Purpose.MAIN, Purpose.WARM_UP)


@dataclass(frozen=True, slots=True)
class Taken:
    """A unit to judge that a claim has chosen, with the place that it fills."""

    place: int
    unit: int
    item: int | None
    booklet: int
    criterion: str
    arrangement: dict[str, Any]


@dataclass(slots=True)
class Planned:
    """One assignment to be; `repeats` is the position in the set of the one that it repeats."""

    purpose: str
    unit: int
    place: int | None = None
    arrangement: dict[str, Any] = field(default_factory=dict)
    repeats: int | None = None


@dataclass(frozen=True, slots=True)
class Composed:
    """A set in its order. `gap` places stay free after the first `gap_after` ones, for further attempts at the exam."""

    planned: tuple[Planned, ...]
    gap_after: int = 0
    gap: int = 0


@dataclass(frozen=True, slots=True)
class Known:
    """The units of a task with known answers, in the order of the file, by purpose; `copies` by their original."""

    by_purpose: Mapping[str, tuple[int, ...]]
    copies: Mapping[int, int]

    def of(self, purpose: str) -> tuple[int, ...]:
        """The units there are for a purpose."""
        return self.by_purpose.get(purpose, ())


def known_units(task: Task, criteria: Iterable[str] = ()) -> Known:
    """Read the units with known answers; with `criteria`, those that ask one of them or that ask all at once."""
    asked = {"", *criteria}
    rows = (
        Gold.objects.filter(unit__task=task, unit__until=None)
        .order_by("unit_id")
        .values_list("purpose", "unit_id", "unit__features")
        .distinct()
    )
    found: dict[str, list[int]] = {}
    copies: dict[int, int] = {}
    for purpose, unit, features in rows:
        if asked != {""} and features.get("criterion", "") not in asked:
            continue
        if "degraded_of" in features:
            copies[features["degraded_of"]] = unit
        elif unit not in found.setdefault(purpose, []):
            found[purpose].append(unit)
    return Known({purpose: tuple(units) for purpose, units in found.items()}, copies)


def compose(rater: Rater, task: Task, taken: Sequence[Taken], turn: int) -> Composed:
    """Put a set together: training and exam before a rater's first set, then warm-up, then units woven with checks."""
    checks = checks_of(task.checks)
    known = known_units(task, {one.criterion for one in taken} - {""})
    met: dict[str, set[int]] = {}
    for purpose, unit in Assignment.objects.filter(rater=rater, unit__task=task).values_list("purpose", "unit_id"):
        met.setdefault(purpose, set()).add(unit)
    before, gap = _before(checks, known, met)
    planned = [*before, *_warm_up(rater, task, taken, checks.warm_up if not met.get(Purpose.WARM_UP) else 0)]
    first = len(planned)
    slots = _woven(task, taken, checks, known, met, turn)
    counts = Counter(slot.kind for slot in slots)
    for slot in slots:
        if slot.kind in _KNOWN:
            purpose = _KNOWN[slot.kind]
            left = [unit for unit in known.of(purpose) if unit not in met.get(purpose, set())]
            # Sets take the known units in turn, so that each is used equally often.
            planned.append(Planned(purpose, left[(turn * counts[slot.kind] + slot.index) % len(left)]))
        else:
            planned.append(_of_slot(slot, taken, planned, first, known))
    draw_arrangements(rater, task, planned)
    return Composed(tuple(planned), len(before), gap)


def exam_units(units: Sequence[int], wanted: int | None, attempt: int) -> list[int]:
    """The units of an attempt at the exam: other ones than before as far as there are."""
    n = len(units) if wanted is None else min(wanted, len(units))
    return [units[((attempt - 1) * n + number) % len(units)] for number in range(n)]


def _before(checks: CheckSettings, known: Known, met: Mapping[str, set[int]]) -> tuple[list[Planned], int]:
    """Training and the first attempt at the exam, once; and how many places further attempts need."""
    if met.get(Purpose.TRAINING) or met.get(Purpose.EXAM):
        return [], 0
    training = known.of(Purpose.TRAINING)[: checks.training]
    exam = exam_units(known.of(Purpose.EXAM), checks.exam, 1)
    planned = [Planned(Purpose.TRAINING, unit) for unit in training] + [Planned(Purpose.EXAM, unit) for unit in exam]
    return planned, len(exam) * (checks.exam_attempts - 1)


def _warm_up(rater: Rater, task: Task, taken: Sequence[Taken], wanted: int) -> list[Planned]:
    """Units to begin with that the rater does not judge: of other items than those of the set, where there are."""
    if not (wanted and taken):
        return []
    units = Unit.objects.filter(task=task, until=None, gold=None).exclude(pk__in=[one.unit for one in taken])
    units = units.exclude(pk__in=Assignment.objects.filter(rater=rater).values("unit"))
    if taken[0].criterion:
        units = units.filter(features__criterion=taken[0].criterion)
    items = [one.item for one in taken if one.item is not None]
    others = units.exclude(item__in=items) if items else units
    candidates = list(others.order_by("id").values_list("id", flat=True)) or list(
        units.order_by("id").values_list("id", flat=True)
    )
    rng = plans.seeded(task.study, "warm-up", rater.seed, task.key)
    return [Planned(Purpose.WARM_UP, unit) for unit in rng.sample(candidates, min(wanted, len(candidates)))]


def _woven(
    task: Task, taken: Sequence[Taken], checks: CheckSettings, known: Known, met: Mapping[str, set[int]], turn: int
) -> list[weaving.Slot]:
    """Decide how many checks a set gets, and where."""
    controls = len(set(known.of(Purpose.CONTROL)) - met.get(Purpose.CONTROL, set()))
    loud = len(set(known.of(Purpose.ATTENTION)) - met.get(Purpose.ATTENTION, set()))
    extras = weaving.Extras(
        controls=checks.controls_among(len(taken), controls),
        attention=checks.loud_among(loud),
        repeats=checks.repeats,
        degraded=checks.degraded,
        degradable=tuple(number for number, one in enumerate(taken) if one.unit in known.copies),
    )
    items = [one.item for one in taken]
    return weaving.weave(items, extras, task.spacing, seed=f"{task.study.seed}:{task.key}", turn=turn)


def _of_slot(
    slot: weaving.Slot, taken: Sequence[Taken], planned: Sequence[Planned], first: int, known: Known
) -> Planned:
    if slot.kind == weaving.MAIN:
        one = taken[slot.index]
        return Planned(Purpose.MAIN, one.unit, one.place, dict(one.arrangement))
    if slot.kind == weaving.REPEAT:
        original = next(
            position
            for position in range(first, len(planned))
            if planned[position].purpose == Purpose.MAIN and planned[position].unit == taken[slot.index].unit
        )
        return Planned(Purpose.REPEAT, taken[slot.index].unit, repeats=original)
    return Planned(Purpose.CONTROL, known.copies[taken[slot.index].unit])


def draw_arrangements(rater: Rater, task: Task, planned: Sequence[Planned]) -> None:
    """Draw the arrangement of every unit that does not have its place's."""
    missing = [one for one in planned if one.place is None]
    if not missing:
        return
    units = Unit.objects.filter(pk__in={one.unit for one in missing}).annotate(parts_shown=Count("parts"))
    parts = dict(units.values_list("pk", "parts_shown"))
    params = task.kind.params(task.params)
    for number, one in enumerate(missing):
        rng = plans.seeded(task.study, "extra", rater.seed, task.key, one.unit, number)
        one.arrangement = next(iter(task.kind.arrange(parts[one.unit], params, rng)))
