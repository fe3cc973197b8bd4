"""Where in a set controls, loud checks, repeats and degraded copies stand: at random, but balanced over sets."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from random import Random

MAIN, CONTROL, ATTENTION, REPEAT, DEGRADED = "main", "control", "attention", "repeat", "degraded"


@dataclass(frozen=True, slots=True)
class Slot:
    """One place of a woven set: the `index`-th unit to judge, control or loud check, or the one a copy is of."""

    kind: str
    index: int


@dataclass(frozen=True, slots=True)
class Extras:
    """How many of each kind go into a set. `degradable` are the units to judge that have a degraded copy."""

    controls: int = 0
    attention: int = 0
    repeats: int = 0
    degraded: int = 0
    degradable: tuple[int, ...] = ()


def room_for_repeats(set_size: int, spacing: int) -> int:
    """How many units of a set can come again `spacing` places later."""
    return max(0, set_size - max(1, spacing) + 1)


def weave(items: Sequence[Hashable | None], extras: Extras, spacing: int, *, seed: str, turn: int) -> list[Slot]:
    """Weave extras into the units of a set, whose items are given in the order of the units.

    Controls fall into equal stretches of the set, one each; over consecutive turns (the numbers of booklets) a control
    stands at every place of its stretch before one comes twice. Which units are repeated goes round in the same way. A
    repeat, and a degraded copy, stand at least `spacing` places from every unit of the same item; of those that have no
    room there are fewer. The same seed and turn give the same set.
    """
    rng = Random(f"{seed}:{turn}")  # noqa: S311  reproducible, not secret
    n = len(items)
    gaps: list[list[Slot]] = [[] for _gap in range(n + 1)]
    for kind, wanted in ((CONTROL, extras.controls), (ATTENTION, extras.attention)):
        for index, gap in enumerate(_stretches(n, wanted, f"{seed}:{kind}", turn)):
            gaps[gap].append(Slot(kind, index))
    used: set[Hashable] = set()
    everything = range(n)
    for kind, wanted, among in (
        (REPEAT, extras.repeats, everything),
        (DEGRADED, extras.degraded, extras.degradable),
    ):
        if not (wanted and among):
            continue
        order = _round(len(among), f"{seed}:{kind}")
        turned = [among[place] for place in order[turn % len(order) :] + order[: turn % len(order)]]
        for index, gap in _copies(kind, items, turned, wanted, spacing, used, rng):
            gaps[gap].append(Slot(kind, index))
    woven: list[Slot] = []
    for gap, slots in enumerate(gaps):
        rng.shuffle(slots)
        woven += slots
        if gap < n:
            woven.append(Slot(MAIN, gap))
    return woven


def _round(size: int, seed: str) -> list[int]:
    """The order in which places take turns; the same for every set of a task."""
    order = list(range(size))
    Random(f"{seed}:{size}").shuffle(order)  # noqa: S311  reproducible, not secret
    return order


def _stretches(n: int, wanted: int, seed: str, turn: int) -> list[int]:
    """One gap in each of `wanted` equal stretches of n units."""
    gaps = []
    for number in range(wanted):
        first, end = number * n // wanted, (number + 1) * n // wanted
        length = max(1, end - first)
        gaps.append(first + _round(length, f"{seed}:{number}")[turn % length])
    return gaps


def _copies(
    kind: str,
    items: Sequence[Hashable | None],
    among: Sequence[int],
    wanted: int,
    spacing: int,
    used: set[Hashable],
    rng: Random,
) -> list[tuple[int, int]]:
    """Choose units that come a second time and the gap of each; a repeat comes after its unit."""
    chosen: list[tuple[int, int]] = []
    for index in among:
        if len(chosen) == wanted:
            break
        item = ("unit", index) if items[index] is None else items[index]
        if item in used:
            continue
        possible = [gap for gap in range(len(items) + 1) if _fits(kind, items, index, gap, spacing)]
        if possible:
            used.add(item)
            chosen.append((index, rng.choice(possible)))
    return chosen


def _fits(kind: str, items: Sequence[Hashable | None], index: int, gap: int, spacing: int) -> bool:
    """Whether a copy of a unit may stand before the unit that is number `gap` now."""
    if kind == REPEAT and gap <= index:
        return False
    same = [other for other, item in enumerate(items) if other == index or (item is not None and item == items[index])]
    return all((gap - other if other < gap else other + 1 - gap) >= max(1, spacing) for other in same)
