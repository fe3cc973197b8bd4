"""The places of controls, attention checks, repeats and degraded copies in a set: random, but balanced over sets."""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

MAIN, CONTROL, ATTENTION, REPEAT, DEGRADED = "main", "control", "attention", "repeat", "degraded"


@dataclass(frozen=True, slots=True)
class Slot:
    """One place of a woven set: the `index`-th unit to judge, control or attention check, or the unit of a copy."""

    kind: str
    index: int


@dataclass(frozen=True, slots=True)
class Extras:
    """The numbers of extras of each kind in a set.

    `degradable` are the units to judge that have a degraded copy. `systems` names the systems of each unit, and `used`
    says for repeats and degraded copies how often other sets have shown one of each system: the rarest come first.
    """

    controls: int = 0
    attention: int = 0
    repeats: int = 0
    degraded: int = 0
    degradable: tuple[int, ...] = ()
    systems: tuple[tuple[str, ...], ...] = ()
    used: Mapping[str, Mapping[str, int]] = field(default_factory=dict)


def room_for_repeats(set_size: int, spacing: int) -> int:
    """Return the number of units of a set that can come again `spacing` places later."""
    return max(0, set_size - max(1, spacing) + 1)


def share_out(total: int, parts: int, turn: int) -> list[int]:
    """Share a number out over parts as evenly as can be; the remainder goes to other parts on each turn."""
    each, over = divmod(total, parts)
    return [each + ((part - turn * over) % parts < over) for part in range(parts)]


def weave(items: Sequence[Hashable | None], extras: Extras, spacing: int, *, seed: str, turn: int) -> list[Slot]:
    """Weave extras into the units of a set; `items` gives the item of each unit, in the order of the units.

    Controls fall into equal stretches of the set, one each; over consecutive turns (the numbers of booklets) a control
    stands at every place of its stretch before one comes twice. Repeats and degraded copies are of the systems that had
    the fewest so far, and among those go round the places of a set. They stand at least `spacing` places behind their
    unit, so that no judgment that counts is made in their light, and as far from every other unit of the same item; of
    those that have no room there are fewer. The same seed, turn and extras give the same set.
    """
    rng = Random(f"{seed}:{turn}")  # noqa: S311  reproducible, not secret
    n = len(items)
    gaps: list[list[Slot]] = [[] for _gap in range(n + 1)]
    for kind, count in ((CONTROL, extras.controls), (ATTENTION, extras.attention)):
        for index, gap in enumerate(_stretches(n, count, f"{seed}:{kind}", turn)):
            gaps[gap].append(Slot(kind, index))
    items_used: set[Hashable] = set()
    for kind, count, among in (
        (REPEAT, extras.repeats, tuple(range(n))),
        (DEGRADED, extras.degraded, extras.degradable),
    ):
        used = Counter(extras.used.get(kind, {}))
        room = {index: behind for index in among if count and (behind := _room(items, index, spacing))}
        left = _turned(list(room), f"{seed}:{kind}", turn)
        for _copy in range(count):
            possible = [candidate for candidate in left if _item(items, candidate) not in items_used]
            if not possible:
                break
            index = _rarest(possible, extras.systems, used)
            items_used.add(_item(items, index))
            used.update(extras.systems[index] if extras.systems else ())
            gaps[rng.choice(room[index])].append(Slot(kind, index))
    woven: list[Slot] = []
    for gap, slots in enumerate(gaps):
        rng.shuffle(slots)
        woven += slots
        if gap < n:
            woven.append(Slot(MAIN, gap))
    return woven


def _round(size: int, seed: str) -> list[int]:
    """Return the order in which places take turns; the same for every set of a task."""
    order = list(range(size))
    Random(f"{seed}:{size}").shuffle(order)  # noqa: S311  reproducible, not secret
    return order


def _turned(among: Sequence[int], seed: str, turn: int) -> list[int]:
    """Return the order in which a set tries units: another unit comes first on each turn."""
    order = _round(len(among), seed)
    start = turn % len(order) if order else 0
    return [among[place] for place in (*order[start:], *order[:start])]


def _stretches(n: int, count: int, seed: str, turn: int) -> list[int]:
    """Return one gap in each of `count` equal stretches of n units."""
    gaps = []
    for number in range(count):
        first, end = number * n // count, (number + 1) * n // count
        length = max(1, end - first)
        gaps.append(first + _round(length, f"{seed}:{number}")[turn % length])
    return gaps


def _rarest(among: Sequence[int], systems: Sequence[Sequence[str]], used: Mapping[str, int]) -> int:
    """Return the first unit among those with the systems that were copied least so far."""

    def met(index: int) -> float:
        own = systems[index] if systems else ()
        return sum(used.get(system, 0) for system in own) / len(own) if own else 0.0

    return min(among, key=met)


def _room(items: Sequence[Hashable | None], index: int, spacing: int) -> list[int]:
    """Return the gaps behind a unit in which it can come a second time, far enough from all units of its item."""
    item, apart = items[index], max(1, spacing)
    same = [
        other for other, other_item in enumerate(items) if other == index or (item is not None and other_item == item)
    ]
    return [
        gap
        for gap in range(index + 1, len(items) + 1)
        if all((gap - other if other < gap else other + 1 - gap) >= apart for other in same)
    ]


def _item(items: Sequence[Hashable | None], index: int) -> Hashable:
    """Return the key of an item, or of a unit without an item: a set repeats each key once at most."""
    return ("unit", index) if items[index] is None else ("item", items[index])
