"""Tuples for best-worst scaling: each text in equally many of them, pairs of texts spread as evenly as can be found.

A balanced incomplete block design is exact, but exists for few numbers only. Here tuples are dealt in rounds, each text
once a round, every next text being one that met those in the tuple least often; where there are few texts, exchanging
them between tuples then evens the pairs out.
"""

from collections import Counter
from collections.abc import Hashable, Sequence
from functools import lru_cache
from itertools import combinations
from math import ceil, exp
from random import Random
from typing import TypeAlias

Tuples: TypeAlias = list[tuple[int, ...]]

# Most texts that are tried for the next place of a tuple: enough to find one that has hardly ever met the others.
LOOK = 64

# If the tuples have at most FEW places in all, STEPS exchanges are tried for each place, and the best of TRIES results
# is taken.
FEW, STEPS, TRIES = 240, 100, 4

# The temperature at which the search starts: how readily it accepts exchanges that make pairs less even.
HEAT = 1.0


def draw(alike: Sequence[Hashable], size: int, times: int, rng: Random) -> Tuples:
    """Draw tuples of the texts 0, 1 …; each stands in `times` of them, a few in one more where the numbers ask for it.

    `alike` holds for each text what it looks like: two texts that look alike never stand in one tuple. Where there are
    so many alike that a tuple cannot be filled, it is shorter, and those left over stand in fewer tuples.
    """
    n, different = len(alike), len(set(alike))
    if different < 2:
        return []
    if n <= size and different == n:
        return [tuple(range(n))]
    size = min(size, different)
    if ceil(n * times / size) * size > FEW:
        return [tuple(texts) for texts in _deal(alike, size, times, rng)]
    best: Tuples = []
    least: int | None = None
    ideal = _ideal(n, ceil(n * times / size), size)
    for _try in range(TRIES):
        tuples = _deal(alike, size, times, rng)
        uneven = _even_out(tuples, alike, ideal, rng)
        if least is None or uneven < least:
            best, least = [tuple(texts) for texts in tuples], uneven
        if least <= ideal:
            break
    return best


@lru_cache(maxsize=256)
def design(n: int, size: int, times: int | None) -> tuple[tuple[int, ...], ...]:
    """Return tuples of n different texts, always the same; without `times` as few as let every two texts meet."""
    every_pair = n * (n - 1) // 2
    tries = [times] if times is not None else range(max(1, ceil((n - 1) / (size - 1))), n + 1)
    tuples: Tuples = []
    for appearances in tries:
        tuples = draw(range(n), size, appearances, Random(f"{n} {size} {appearances}"))  # noqa: S311  reproducible, not secret
        if times is None and len(pairs_of(tuples)) == every_pair:
            break
    return tuple(tuples)


def pairs_of(tuples: Sequence[Sequence[int]]) -> Counter[tuple[int, int]]:
    """Count the tuples that each two texts share."""
    return Counter(pair for texts in tuples for pair in combinations(sorted(texts), 2))


def _ideal(n: int, blocks: int, size: int) -> int:
    """Return the sum of squares of the pairs of n texts if all met equally often, within one."""
    pairs = n * (n - 1) // 2
    each, more = divmod(blocks * size * (size - 1) // 2, pairs)
    return more * (each + 1) ** 2 + (pairs - more) * each**2


class _Dealer:
    """Deals texts into tuples, each once a round; those that did not fit in a round come first in the next."""

    def __init__(self, alike: Sequence[Hashable], rng: Random) -> None:
        self.alike, self.rng = alike, rng
        self.met: Counter[tuple[int, int]] = Counter()
        self.late: list[int] = []
        self.pool: list[int] = []

    def round(self) -> None:
        """Begin a new round."""
        self.late += self.pool
        self.pool = list(range(len(self.alike)))
        self.rng.shuffle(self.pool)

    def next(self, chosen: list[int]) -> int | None:
        """Take the text that met those in the tuple least; return None where no text of this round fits."""
        looks = {self.alike[text] for text in chosen}
        for among in (self.late, self.pool):
            fitting = self._fitting(among, looks)
            if fitting:
                place = min(
                    fitting, key=lambda position: sum(self.met[_pair(among[position], text)] for text in chosen)
                )
                among[place], among[-1] = among[-1], among[place]
                return among.pop()
        return None

    def _fitting(self, among: list[int], looks: set[Hashable]) -> list[int]:
        """Return places of texts that do not look like any in the tuple: a few, or all where these do not fit."""
        if len(among) > LOOK:
            some = self.rng.sample(range(len(among)), LOOK)
            if fitting := [position for position in some if self.alike[among[position]] not in looks]:
                return fitting
        return [position for position, text in enumerate(among) if self.alike[text] not in looks]

    def meet(self, chosen: Sequence[int]) -> None:
        """Count the pairs of texts in a tuple."""
        self.met.update(_pair(a, b) for a, b in combinations(chosen, 2))


def _pair(a: int, b: int) -> tuple[int, int]:
    return (a, b) if a < b else (b, a)


def _deal(alike: Sequence[Hashable], size: int, times: int, rng: Random) -> list[list[int]]:
    dealer, tuples, rounds = _Dealer(alike, rng), [], 0
    for _number in range(ceil(len(alike) * times / size)):
        chosen: list[int] = []
        while len(chosen) < size:
            text = dealer.next(chosen)
            if text is not None:
                chosen.append(text)
            elif rounds <= times:
                dealer.round()
                rounds += 1
            else:
                break
        if len(chosen) > 1:
            dealer.meet(chosen)
            tuples.append(chosen)
    _level(tuples, alike, size, times)
    return tuples


def _level(tuples: list[list[int]], alike: Sequence[Hashable], size: int, times: int) -> None:
    """Give texts that were left over, since they look like others, the places of texts that stand too often."""
    counts = Counter(text for texts in tuples for text in texts)
    for text in [text for text in range(len(alike)) if counts[text] < times]:
        for texts in tuples:
            if counts[text] == times:
                break
            for out in [*([None] if len(texts) < size else []), *(c for c in texts if counts[c] > times)]:
                if all(alike[c] != alike[text] for c in texts if c != out):
                    if out is not None:
                        texts.remove(out)
                        counts[out] -= 1
                    texts.append(text)
                    counts[text] += 1
                    break


def _even_out(tuples: list[list[int]], alike: Sequence[Hashable], ideal: int, rng: Random) -> int:
    """Exchange texts between tuples to make pairs more even, and return the sum of squares of the pairs.

    How often a text stands stays the same. At first exchanges that make pairs less even are taken too, and ever more
    seldom: without that the search ends at the first arrangement that no single exchange betters.
    """
    met = pairs_of(tuples)
    uneven = sum(count**2 for count in met.values())
    steps = STEPS * sum(map(len, tuples)) if len(tuples) > 1 else 0
    for step in range(steps):
        if uneven <= ideal:
            break
        first, second = rng.sample(tuples, 2)
        a, b = rng.choice(first), rng.choice(second)
        if not _fits(first, second, a, b, alike):
            continue
        gain = _gain(met, first, second, a, b)
        if gain >= 0 or rng.random() < exp(gain / (HEAT * (1 - step / steps))):
            _exchange(met, first, second, a, b)
            uneven -= 2 * gain
    return uneven


def _fits(first: list[int], second: list[int], a: int, b: int, alike: Sequence[Hashable]) -> bool:
    """Return whether texts of two tuples can change places without joining a text that looks like them."""
    return not (
        a in second
        or b in first
        or any(alike[c] == alike[b] for c in first if c != a)
        or any(alike[c] == alike[a] for c in second if c != b)
    )


def _gain(met: Counter[tuple[int, int]], first: list[int], second: list[int], a: int, b: int) -> int:
    """Return by how much the sum of squares of the pairs falls, halved, when a and b change places."""
    gain = 0
    for group, apart, out, into in ((first, second, a, b), (second, first, b, a)):
        for c in group:
            # A text that is in both tuples meets a and b as often as before.
            if c != out and c not in apart:
                gain += met[_pair(out, c)] - met[_pair(into, c)] - 1
    return gain


def _exchange(met: Counter[tuple[int, int]], first: list[int], second: list[int], a: int, b: int) -> None:
    for group, out, into in ((first, a, b), (second, b, a)):
        for c in group:
            if c != out:
                met[_pair(out, c)] -= 1
                met[_pair(into, c)] += 1
        group[group.index(out)] = into
