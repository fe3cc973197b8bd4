"""Choose the position of each system in a booklet, by Latin squares."""

from collections import Counter
from collections.abc import Sequence
from random import Random


def williams(n: int) -> list[tuple[int, ...]]:
    """Return rows of one Latin square, or of two if n is odd, in which numbers follow each other equally often [1]_.

    References
    ----------
    .. [1] E. J. Williams (1949). Experimental designs balanced for the estimation of residual effects of treatments.
       Australian Journal of Scientific Research A 2, 149-168.
    """
    first = [place // 2 + 1 if place % 2 else (n - place // 2) % n for place in range(n)]
    rows = [tuple((x + row) % n for x in first) for row in range(n)]
    return rows if n % 2 == 0 or n == 1 else rows + [row[::-1] for row in rows]


def matchings(edges: Sequence[tuple[int, int]], colours: int, rng: Random) -> dict[tuple[int, int], int]:
    """Colour the edges (u, v) of a bipartite graph: v by u and colour, no colour twice at a vertex [1]_.

    As many colours as the largest degree do; two vertices may have several edges.

    References
    ----------
    .. [1] D. König (1916). Über Graphen und ihre Anwendung auf Determinantentheorie und Mengenlehre. Mathematische
       Annalen 77, 453-465.
    """
    left: dict[tuple[int, int], int] = {}
    right: dict[tuple[int, int], int] = {}
    everything = (1 << colours) - 1
    # The colours that a vertex does not have yet, as bits: of many colours, the common ones are found at once.
    free_left = dict.fromkeys((u for u, _v in edges), everything)
    free_right = dict.fromkeys((v for _u, v in edges), everything)
    for u, v in rng.sample(edges, len(edges)):
        common = free_left[u] & free_right[v]
        colour = _any_bit(common or free_left[u], colours, rng)
        if not common:
            other = _any_bit(free_right[v], colours, rng)
            end, on_right = _exchange(v, colour, other, left, right)
            both = 1 << colour | 1 << other
            free_right[v] ^= both
            (free_right if on_right else free_left)[end] ^= both
        left[u, colour], right[v, colour] = v, u
        free_left[u] ^= 1 << colour
        free_right[v] ^= 1 << colour
    return left


def _any_bit(bits: int, n: int, rng: Random) -> int:
    """Return the number of a bit that is set: the first at or after a random one."""
    start = rng.randrange(n)
    after = bits >> start
    return start + (after & -after).bit_length() - 1 if after else (bits & -bits).bit_length() - 1


def _exchange(
    v: int, colour: int, other: int, left: dict[tuple[int, int], int], right: dict[tuple[int, int], int]
) -> tuple[int, bool]:
    """Exchange two colours along the path that begins at v with the first, so that v is free of it.

    Returns the vertex at which the path ends, and whether that is on the right.
    """
    path: list[tuple[int, int, int]] = []
    vertex, on_right, c = v, True, colour
    while (step := (right if on_right else left).get((vertex, c))) is not None:
        path.append((step, vertex, c) if on_right else (vertex, step, c))
        vertex, on_right, c = step, not on_right, colour + other - c
    for u, w, c in path:
        del left[u, c], right[w, c]
    for u, w, c in path:
        left[u, colour + other - c], right[w, colour + other - c] = w, u
    return vertex, on_right


class Placing:
    """Puts the systems of booklets in order, so that each place has each system equally often in every prefix.

    Booklets have `size` places, but for the last one, and systems are in each and in every prefix of them within one
    of each other: then every `systems` booklets one after another, a *turn*, hold each system `size` times. Each
    place goes through all systems in a turn. A booklet is made of blocks that hold each system once, in an order that
    is a row of a Williams square, and of a rest shorter than that.
    """

    def __init__(self, systems: int, size: int, rng: Random) -> None:
        self.systems, self.size, self.rng = systems, size, rng
        self.blocks, self.rest = divmod(size, systems)
        self._rows = williams(systems)
        self._labels = list(range(systems))
        self._steps: list[int] = []

    def orders(self, counts: Sequence[Counter[int]]) -> list[list[int]]:
        """Return the system at each place of each booklet, from how often each system is in it."""
        orders: list[list[int]] = []
        for start in range(0, len(counts), self.systems):
            turn = counts[start : start + self.systems]
            half = start // self.systems % (len(self._rows) // self.systems)
            if not half:
                self.rng.shuffle(self._labels)
            orders += self._turn(turn, self._rows[half * self.systems : (half + 1) * self.systems])
        return orders

    def _turn(self, counts: Sequence[Counter[int]], rows: Sequence[tuple[int, ...]]) -> list[list[int]]:
        """Return orders of booklets in which no place repeats a system. The last may be shorter than the others."""
        order = self.rng.sample(range(self.systems), len(counts))
        last = counts[-1].total()
        whole = last // self.systems
        more = {system for system, n in counts[-1].items() if n > whole}
        orders: list[list[int]] = [[] for _ in counts]
        offset = 0
        for block in range(self.blocks):
            laid = [[self._labels[(x + offset) % self.systems] for x in rows[number]] for number in order]
            # Where the last booklet ends inside a block, the places of the systems it has once more come first.
            self._lay(orders, laid, more if block == whole else set())
            offset += rows[0][-1] - rows[0][0] + self._step()
        if self.rest:
            self._lay(orders, self._rests(counts), more if self.blocks == whole else set())
        orders[-1] = orders[-1][:last]
        return orders

    def _lay(self, orders: list[list[int]], laid: Sequence[Sequence[int]], first: set[int]) -> None:
        """Lengthen the orders, with the places at which the last of them has one of those systems in front."""
        places = sorted(range(len(laid[-1])), key=lambda place: laid[-1][place] not in first)
        for order, of_booklet in zip(orders, laid, strict=True):
            order += [of_booklet[place] for place in places]

    def _rests(self, counts: Sequence[Counter[int]]) -> list[list[int]]:
        """Return the systems of which booklets have one more than blocks, each at another place in every booklet."""
        edges = [
            (number, system)
            for number, of_booklet in enumerate(counts)
            for system, n in of_booklet.items()
            if n > self.blocks
        ]
        laid = [[-1] * self.rest for _ in counts]
        for (number, place), system in matchings(edges, self.rest, self.rng).items():
            laid[number][place] = system
        return laid

    def _step(self) -> int:
        """Return the step from the last system of a block to the first of the next: never 0, and each equally often."""
        if not self._steps:
            self._steps = self.rng.sample(range(1, self.systems), self.systems - 1) or [0]
        return self._steps.pop()
