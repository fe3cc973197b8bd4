"""Sequences of classes in which every class keeps its share in every prefix (the chairman assignment problem)."""

import heapq
from collections.abc import Callable, Mapping, Sequence
from random import Random

# Number of equally good next classes that are offered to `prefer`.
_OFFERED = 12


class DeadEnd(Exception):
    """This draw cannot be finished; another may."""


def chairmen(
    sizes: Sequence[int],
    rng: Random,
    *,
    head: int = 0,
    limits: Mapping[int, int] | None = None,
    prefer: Callable[[Sequence[int]], int] | None = None,
) -> list[int]:
    """Return a sequence with sizes[c] places of class c, each less than one place from its proportional share.

    The chairman assignment of Tijdeman [1]_: in every prefix the count of each of m classes differs from its
    share by at most 1 - 1 / (2m - 2). A class may take its next place as soon as it is not too far ahead; of
    those that may, the one that would first fall too far behind does. Ties are drawn.

    Parameters
    ----------
    sizes : how often each class stands in the sequence
    head, limits : class c stands at most limits[c] times within the first `head` places; DeadEnd is raised where
        that would put a class a whole place away
    prefer : chooses among some of the classes that are tied, called for every place with at least one class

    References
    ----------
    .. [1] R. Tijdeman (1980). The chairman assignment problem. Discrete Mathematics 32, 323-330.
    """
    total = sum(sizes)
    half = max(2 * sum(map(bool, sizes)) - 2, 1)

    def wait(c: int, turn: int) -> tuple[int, int, int]:
        release = -(-((turn - 1) * half + 1) * total // (sizes[c] * half))
        limited = limits is not None and turn > limits.get(c, 0)
        return (max(release, head + 1) if limited else release, c, turn)

    waiting = [wait(c, 1) for c, size in enumerate(sizes) if size]
    heapq.heapify(waiting)
    ready: list[_Turn] = []
    sequence: list[int] = []
    for place in range(1, total + 1):
        while waiting and waiting[0][0] <= place:
            _release, c, turn = heapq.heappop(waiting)
            # The first prefix in which the class would be too far behind without this turn.
            due = (turn * half - 1) * total // (sizes[c] * half) + 1
            heapq.heappush(ready, (due, rng.random(), c, turn))
        if not ready:
            raise DeadEnd
        _due, _tie, c, turn = heapq.heappop(ready) if prefer is None else _preferred(ready, prefer, rng)
        if place > -(-turn * total // sizes[c]):
            raise DeadEnd
        sequence.append(c)
        if turn < sizes[c]:
            heapq.heappush(waiting, wait(c, turn + 1))
    return sequence


_Turn = tuple[int, float, int, int]


def _preferred(ready: list[_Turn], prefer: Callable[[Sequence[int]], int], rng: Random) -> _Turn:
    tied = [heapq.heappop(ready)]
    while ready and ready[0][0] == tied[0][0] and len(tied) < _OFFERED:
        tied.append(heapq.heappop(ready))
    chosen = prefer([c for _due, _tie, c, _turn in tied])
    turn_taken = next(turn for turn in tied if turn[2] == chosen)
    for turn in tied:
        if turn is not turn_taken:
            # Drawn anew, else those nobody wants would be offered again and again.
            heapq.heappush(ready, (turn[0], rng.random(), turn[2], turn[3]))
    return turn_taken
