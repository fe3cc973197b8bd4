"""Choose which units get more judgments than the rest: a random share, the same for all that is compared."""

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from random import Random

from tasks_app.designs.base import PlanUnit

# Changes tried to bring every combination of systems to its share; where items are all alike none is needed.
_TRIES = 20_000
# Far below any distance from a share, above what floats blur.
_BLUR = 1e-9


@dataclass(slots=True)
class _Kind:
    """Groups of units in which each combination of systems comes equally often, and how many of them are drawn."""

    holds: Counter[int]
    groups: list[list[int]]
    drawn: int = 0


def with_more(
    units: Sequence[PlanUnit], more: int, share: float, rng: Random, *, by_document: bool = False
) -> list[PlanUnit]:
    """Give a share of the units `more` judgments each.

    All units of an item are drawn or none, since agreement needs the same items over systems; where a design keeps
    documents whole, all of a document. Of every combination of systems (and criterion) that is shown, the share is
    drawn to within one unit wherever the items leave that possible; else it is as near as random changes bring it. The
    same units in the same order, share and seed give the same units.
    """
    combinations: dict[Hashable, int] = {}
    shown = [combinations.setdefault((unit.systems, unit.criterion), len(combinations)) for unit in units]
    groups: dict[Hashable, list[int]] = {}
    for index, unit in enumerate(units):
        groups.setdefault(_group(unit, by_document), []).append(index)
    kinds: dict[tuple[int, ...], _Kind] = {}
    for group in groups.values():
        holds = sorted(shown[index] for index in group)
        kinds.setdefault(tuple(holds), _Kind(Counter(holds), [])).groups.append(group)
    drawn = _drawn(list(kinds.values()), share, rng)
    return [replace(unit, k=more) if index in drawn else unit for index, unit in enumerate(units)]


def _group(unit: PlanUnit, by_document: bool) -> Hashable:
    """Return the key of the group with which a unit is drawn."""
    if by_document and unit.document is not None:
        return "document", unit.document
    return ("item", unit.item) if unit.item is not None else ("unit", unit.key)


def _drawn(kinds: list[_Kind], share: float, rng: Random) -> set[int]:
    rng.shuffle(kinds)
    ends = [0, *(round(share * n) for n in accumulate(len(kind.groups) for kind in kinds))]
    for kind, (start, end) in zip(kinds, pairwise(ends), strict=True):
        kind.drawn = end - start
    _level(kinds, share, rng)
    return {index for kind in kinds for group in rng.sample(kind.groups, kind.drawn) for index in group}


def _level(kinds: Sequence[_Kind], share: float, rng: Random) -> None:
    """Draw groups of one kind more and of another less until every combination is less than one from its share."""
    away: dict[int, float] = {}
    for kind in kinds:
        for combination, n in kind.holds.items():
            away[combination] = away.get(combination, 0.0) + n * (kind.drawn - share * len(kind.groups))
    choices = [*kinds, None]
    for _try in range(_TRIES):
        if all(abs(distance) < 1 - _BLUR for distance in away.values()):
            return
        gains, loses = rng.choice(choices), rng.choice(choices)
        if gains is loses or (gains and gains.drawn == len(gains.groups)) or (loses and not loses.drawn):
            continue
        change = Counter(gains.holds if gains else ())
        change.subtract(loses.holds if loses else ())
        # Changes that make nothing worse are made, too: they lead on to others.
        if sum(by * (2 * away[combination] + by) for combination, by in change.items()) <= 0:
            for combination, by in change.items():
                away[combination] += by
            for moved, step in ((gains, 1), (loses, -1)):
                if moved is not None:
                    moved.drawn += step
