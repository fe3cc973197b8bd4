"""Equitable colourings: spread evenly over booklets and every prefix of them, and within each group."""

from collections.abc import Sequence
from itertools import accumulate, combinations, groupby
from random import Random

# Rounds over all pairs of colours. Every exchange makes something more even, so a full crossing always comes to rest,
# mostly after five; where groups lack colours more rounds than this bring nothing.
_PASSES = 60

# Rounds in which weights are brought nearer; later ones change little.
_LEANINGS = 3


class Colouring:
    """A colour for each place, so that every booklet and every prefix of booklets has each colour equally often.

    Places are numbered in the order of their booklets: place p is of group groups[p] and in booklet booklets[p]. No
    colour comes twice in a group, and colours are exchanged inside groups only. Where every group has every colour,
    any two colours end within one of each other in every booklet and in every prefix; else they come near that.

    Two colours are levelled at a time, as equitable colourings of bipartite graphs are made [1]_: places of the two
    are paired inside their booklet, and one left over with the next left over, so that of each booklet and of each
    prefix all but one are in pairs. These pairs and those of the groups make even rings, along which the two
    colours are laid in turns.

    References
    ----------
    .. [1] D. de Werra (1971). Equitable colorations of graphs. Revue française d'informatique et de recherche
       opérationnelle 5 (R3), 3-8.
    """

    def __init__(self, colours: Sequence[int], groups: Sequence[int], booklets: Sequence[int], rng: Random) -> None:
        self.colours, self.booklets, self.rng = list(colours), booklets, rng
        self._at: dict[int, dict[int, int]] = {}
        for place, (colour, group) in enumerate(zip(colours, groups, strict=True)):
            self._at.setdefault(group, {})[colour] = place
        self._counts: dict[int, tuple[list[int], list[int]]] = {}
        for colour in set(colours):
            self._count(colour)

    def level(self) -> list[int]:
        """Return the colours once no exchange makes anything more even."""
        pairs = list(combinations(sorted(set(self.colours)), 2))
        for _pass in range(_PASSES):
            self.rng.shuffle(pairs)
            if not sum(self._level_two(a, b) for a, b in pairs):
                break
        return self.colours

    def _count(self, colour: int) -> None:
        """Count a colour in every booklet and up to its end."""
        inside = [0] * (self.booklets[-1] + 1)
        for of_group in self._at.values():
            if colour in of_group:
                inside[self.booklets[of_group[colour]]] += 1
        self._counts[colour] = inside, list(accumulate(inside))

    def _level_two(self, a: int, b: int) -> bool:
        """Level two colours; return whether that made anything more even."""
        before = self._unevenness(a, b)
        if before is None:
            return False
        both = [group for group in self._at.values() if a in group and b in group]
        twins = {group[colour]: group[partner] for group in both for colour, partner in ((a, b), (b, a))}
        signs = {place: sign for ring in self._rings(twins) for place, sign in ring.items()}
        turned = [group for group in both if signs[group[a]] == -1]
        self._turn(turned, a, b)
        after = self._unevenness(a, b)
        if after is not None and after >= before:
            self._turn(turned, a, b)
            return False
        return True

    def _turn(self, groups: Sequence[dict[int, int]], a: int, b: int) -> None:
        """Let two colours change places in those groups."""
        for group in groups:
            group[a], group[b] = group[b], group[a]
            self.colours[group[a]], self.colours[group[b]] = a, b
        self._count(a)
        self._count(b)

    def _unevenness(self, a: int, b: int) -> int | None:
        """Return the squared differences of two colours over booklets and prefixes; None where all are 1 at most."""
        differences = [
            n_a - n_b
            for counts_a, counts_b in zip(self._counts[a], self._counts[b], strict=True)
            for n_a, n_b in zip(counts_a, counts_b, strict=True)
        ]
        if max(differences) <= 1 and min(differences) >= -1:
            return None
        return sum(difference * difference for difference in differences)

    def _rings(self, twins: dict[int, int]) -> list[dict[int, int]]:
        """Return rings of places with signs that differ in each pair of twins and in each pair made of the booklets."""
        beside: dict[int, int] = {}
        left: int | None = None
        in_order = sorted(twins, key=lambda place: (self.booklets[place], self.rng.random()))
        for _booklet, inside in groupby(in_order, key=lambda place: self.booklets[place]):
            alone: int | None = None
            for place in inside:
                alone = _pair(beside, alone, place)
            if alone is not None:
                left = _pair(beside, left, alone)
        rings: list[dict[int, int]] = []
        visited: set[int] = set()
        for start in twins:
            if start in visited:
                continue
            ring: dict[int, int] = {}
            place, sign = start, self.rng.choice((1, -1))
            while place not in ring:
                ring[place], ring[twins[place]] = sign, -sign
                place = beside[twins[place]]
            visited.update(ring)
            rings.append(ring)
        return rings

    def lean(self, weights: Sequence[int]) -> list[int]:
        """Return the colours with sums of weights brought nearer to each other, and counts as even as before.

        The rings of two colours may each be laid either way round. One after the other is laid so that it makes up
        for what those before it have left uneven.
        """
        pairs = list(combinations(sorted(set(self.colours)), 2))
        for _pass in range(_LEANINGS):
            self.rng.shuffle(pairs)
            for a, b in pairs:
                self._lean_two(a, b, weights)
        return self.colours

    def _lean_two(self, a: int, b: int, weights: Sequence[int]) -> None:
        both = [group for group in self._at.values() if a in group and b in group]
        twins = {group[colour]: group[partner] for group in both for colour, partner in ((a, b), (b, a))}
        signs = {group[c]: sign for group in self._at.values() for c, sign in ((a, 1), (b, -1)) if c in group}
        now = self._sums(signs, weights)
        laid = self._sums({place: sign for place, sign in signs.items() if place not in twins}, weights)
        turned: set[int] = set()
        for ring in sorted(self._rings(twins), key=len, reverse=True):
            sums = self._sums(ring, weights)
            sign = -1 if sum(x * y for x, y in zip(laid, sums, strict=True)) > 0 else 1
            laid = [x + sign * y for x, y in zip(laid, sums, strict=True)]
            turned.update(place for place in ring if ring[place] * sign != signs[place])
        groups = [group for group in both if group[a] in turned]
        if groups and sum(x * x for x in laid) < sum(x * x for x in now):
            before = self._unevenness(a, b) or 0
            self._turn(groups, a, b)
            if (self._unevenness(a, b) or 0) > before:
                self._turn(groups, a, b)

    def _sums(self, signs: dict[int, int], weights: Sequence[int]) -> list[int]:
        """Return the weights of signed places, summed up to the end of each booklet."""
        inside = [0] * (self.booklets[-1] + 1)
        for place, sign in signs.items():
            inside[self.booklets[place]] += sign * weights[place]
        return list(accumulate(inside))


def _pair(beside: dict[int, int], first: int | None, second: int) -> int | None:
    """Put two places beside each other; return the second where there is no first one."""
    if first is None:
        return second
    beside[first], beside[second] = second, first
    return None
