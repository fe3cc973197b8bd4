"""The order in which one rater sees the pairs, with the repeated ones and those that are turned round."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from tasks_app.task_types.base import Arrangement, Criterion

# Enough to find an order at random where there is room for one; what is left over is put apart by rule.
TRIES = 200


@dataclass(frozen=True, slots=True)
class Shown:
    """A pair at its place on the screen. `number` is 2 where it is shown for the second time.

    `flipped` says that the word of the high end comes first.
    """

    place: int
    criterion: Criterion
    number: int
    flipped: bool


def draw_flipped(keys: Sequence[str], rng: Random) -> list[str]:
    """Draw the pairs that are shown the other way round: half of them, so that no side is the better one."""
    half = len(keys) // 2 + (rng.randint(0, 1) if len(keys) % 2 else 0)
    return sorted(rng.sample(list(keys), half))


def draw_sequence(keys: Sequence[str], share: float, apart: int, rng: Random) -> list[str]:
    """Draw the order of the pairs, a share of them twice, the two at least `apart` places from each other.

    With fewer pairs than that, they are as far apart as there are pairs; a single pair is not repeated.
    """
    order = list(keys)
    rng.shuffle(order)
    count = round(share * len(order)) if len(order) > 1 else 0
    repeated = order[:count]
    distance = min(max(2, apart), len(order))
    for _try in range(TRIES if count else 0):
        drawn = [*order, *repeated]
        rng.shuffle(drawn)
        if least_distance(drawn) >= distance:
            return drawn
    # Every pair once, then those again in the same order: as many places lie between as there are pairs.
    return [*order, *repeated]


def least_distance(drawn: Sequence[str]) -> int:
    """Return the number of places from a pair to its repeat, for the pair that is repeated soonest."""
    last: dict[str, int] = {}
    least = len(drawn)
    for place, key in enumerate(drawn):
        if key in last:
            least = min(least, place - last[key])
        last[key] = place
    return least


def shown_pairs(criteria: Sequence[Criterion], arrangement: Arrangement, *, turn_repeats: bool) -> list[Shown]:
    """Return the pairs in the order of the screen.

    A screen that asks only some of the pairs shows a repeat only where something else lies between.
    """
    by_key = {criterion.key: criterion for criterion in criteria}
    drawn = [key for key in _keys(arrangement, "sequence") if key in by_key]
    drawn += [key for key in by_key if key not in drawn]
    sequence = [key for place, key in enumerate(drawn) if place == 0 or drawn[place - 1] != key]
    flipped = set(_keys(arrangement, "flipped"))
    shown: list[Shown] = []
    shown_keys: set[str] = set()
    for key in sequence:
        again = key in shown_keys
        turned = (key in flipped) != (again and turn_repeats)
        shown.append(Shown(len(shown) + 1, by_key[key], 2 if again else 1, turned))
        shown_keys.add(key)
    return shown


def _keys(arrangement: Arrangement, name: str) -> list[str]:
    given = arrangement.get(name)
    return [str(key) for key in given] if isinstance(given, list | tuple) else []
