"""Decide how many units of every class go into each booklet.

A *class* is all units that show the same systems, a *round* gives every unit that still needs one a further
judgment, a *segment* is what one booklet takes from one round, and after each segment but the last comes a
*boundary*.
"""

from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise
from random import Random

from tasks_app.designs.engine.chairman import chairmen

# Rounds of settling the boundaries that are not level, and swaps at random tried for each in one of them. On
# published data with 51 classes of 548 units three are enough; what is left after ten is reported as it is.
_PASSES = 10
_TRIES = 30

# Deviations are multiples of one part in as many as a round shows texts, far above this and what floats blur.
_BLUR = 1e-9


class Deviations:
    """The distance of each system's count from its share of all texts shown so far in a round.

    Kept as the counts less what the places so far would bring on average, from which follow the sums that make the
    *unevenness*, the sum of squared deviations: it can be told for one class more or less without going through
    all systems.
    """

    def __init__(self, signatures: Sequence[tuple[int, ...]], sizes: Sequence[int]) -> None:
        due = [0] * (1 + max((x for systems in signatures for x in systems), default=-1))
        for systems, size in zip(signatures, sizes, strict=True):
            for x in systems:
                due[x] += size
        texts, places = max(sum(due), 1), max(sum(sizes), 1)
        self.signatures = signatures
        self.masks = [sum(1 << x for x in systems) for systems in signatures]
        self.drift = [n / places for n in due]
        self.shares = [n / texts for n in due]
        self.share_of = [sum(self.shares[x] for x in systems) for systems in signatures]
        self.norm = sum(share * share for share in self.shares)

    def start(self) -> list[float]:
        """Return the values before the first place."""
        return [0.0] * len(self.drift)

    def go_on(self, values: list[float], places: int) -> None:
        """Let so many places pass: each brings every system its average."""
        for x, drift in enumerate(self.drift):
            values[x] -= places * drift

    def add(self, values: list[float], c: int, step: int) -> None:
        """Count one unit of class c, or one less."""
        for x in self.signatures[c]:
            values[x] += step

    def worst(self, values: Sequence[float]) -> float:
        """Return the largest deviation from the share of the texts shown."""
        total = sum(values)
        return max((abs(v - total * share) for v, share in zip(values, self.shares, strict=True)), default=0.0)

    def level(self, values: Sequence[float]) -> bool:
        """Return whether every deviation is below one; systems with equal shares then differ by one at most."""
        return self.worst(values) < 1 - _BLUR

    def sums(self, values: Sequence[float]) -> tuple[float, float, float]:
        """Return the sums that `unevenness` starts from: squares, products with the shares, total."""
        return (
            sum(v * v for v in values),
            sum(v * share for v, share in zip(values, self.shares, strict=True)),
            sum(values),
        )

    def unevenness(self, squares: float, products: float, total: float) -> float:
        """Return the sum of squared deviations from the shares of the texts shown."""
        return squares - 2 * total * products + total * total * self.norm

    def change(self, values: Sequence[float], c: int, step: int) -> tuple[float, float, int]:
        """Return the amounts that one unit of class c more (step 1) or less (step -1) adds to the sums."""
        systems = self.signatures[c]
        squares = len(systems) + 2 * step * sum(values[x] for x in systems)
        return squares, step * self.share_of[c], step * len(systems)


class _Chooser:
    """Prefers, among classes tied for a place, the one after which systems are most even."""

    def __init__(self, deviations: Deviations) -> None:
        self.deviations = deviations
        self.values = deviations.start()

    def __call__(self, tied: Sequence[int]) -> int:
        self.deviations.go_on(self.values, 1)
        chosen = tied[0]
        if len(tied) > 1:
            sums = self.deviations.sums(self.values)
            chosen = min(tied, key=lambda c: self._after(sums, c))
        self.deviations.add(self.values, chosen, 1)
        return chosen

    def _after(self, sums: tuple[float, float, float], c: int) -> float:
        squares, products, total = self.deviations.change(self.values, c, 1)
        return self.deviations.unevenness(sums[0] + squares, sums[1] + products, sums[2] + total)


class RoundShares:
    """The counts of classes in the segments of one round.

    counts[s][c] is the number of units of class c in segment s. At every boundary the count of each class is less
    than one unit from its share. Raises DeadEnd where the limits do not allow that.

    Parameters
    ----------
    sizes : units of each class in the round
    lengths : length of each segment
    signatures : for each class the systems it shows, as numbers
    limits : the most units of each class that the first segment may take, or None where nothing limits it
    overlap : whether classes share systems; systems are levelled then, else they follow from the classes
    """

    def __init__(
        self,
        sizes: Sequence[int],
        lengths: Sequence[int],
        signatures: Sequence[tuple[int, ...]],
        rng: Random,
        *,
        limits: Mapping[int, int] | None,
        overlap: bool,
    ) -> None:
        self.sizes, self.limits, self.rng = sizes, limits, rng
        self.total = sum(sizes)
        self.ends = list(accumulate(lengths))
        self.counts: list[dict[int, int]] = []
        self.uneven: list[int] = []
        self._upto: list[list[int]] = []
        self._values: list[list[float]] = []
        self._deviations = Deviations(signatures, sizes)
        prefer = _Chooser(self._deviations) if overlap else None
        self._deal(chairmen(sizes, rng, head=lengths[0], limits=limits, prefer=prefer))
        if overlap:
            self._level()

    def _deal(self, sequence: Sequence[int]) -> None:
        """Cut the sequence into segments, and note the counts and the values of the systems at every boundary."""
        upto = [0] * len(self.sizes)
        values = self._deviations.start()
        for start, end in pairwise([0, *self.ends]):
            counts: dict[int, int] = {}
            for c in sequence[start:end]:
                counts[c] = counts.get(c, 0) + 1
                upto[c] += 1
                self._deviations.add(values, c, 1)
            self._deviations.go_on(values, end - start)
            self.counts.append(counts)
            self._upto.append(upto.copy())
            self._values.append(values.copy())

    def _fair(self, s: int, c: int, step: int) -> bool:
        count = self._upto[s][c] + step
        return abs(count * self.total - self.ends[s] * self.sizes[c]) < self.total

    def _sides(self, s: int) -> tuple[list[int], list[int]]:
        """Return the classes that may leave segment s over its boundary, and those that may enter, in random order."""
        late = [c for c in self.counts[s] if self._fair(s, c, -1)]
        early = [c for c in self.counts[s + 1] if self._fair(s, c, 1)]
        if s == 0 and self.limits is not None:
            early = [c for c in early if self.counts[0].get(c, 0) < self.limits.get(c, 0)]
        self.rng.shuffle(late)
        self.rng.shuffle(early)
        return late, early

    def may_exchange(self, s: int, c: int, t: int, e: int) -> bool:
        """Return whether a unit of class c in segment s and one of class e in segment t may change places."""
        if s > t:
            s, c, t, e = t, e, s, c
        limited = s == 0 and self.limits is not None and self.counts[0].get(e, 0) >= self.limits.get(e, 0)
        return not limited and all(self._fair(b, c, -1) and self._fair(b, e, 1) for b in range(s, t))

    def stays_level(self, s: int, c: int, t: int, e: int) -> bool:
        """Return whether no boundary becomes less level when those two change places."""
        if s > t:
            s, c, t, e = t, e, s, c
        return all(self._no_worse(b, c, e) for b in range(s, t))

    def exchange(self, s: int, c: int, t: int, e: int) -> None:
        """Let a unit of class c in segment s and one of class e in segment t change places."""
        if s > t:
            s, c, t, e = t, e, s, c
        for counts, goes, comes in ((self.counts[s], c, e), (self.counts[t], e, c)):
            counts[goes] -= 1
            if not counts[goes]:
                del counts[goes]
            counts[comes] = counts.get(comes, 0) + 1
        for b in range(s, t):
            for moved, step in ((c, -1), (e, 1)):
                self._upto[b][moved] += step
                self._deviations.add(self._values[b], moved, step)

    def _level(self) -> None:
        """Bring the systems near their shares at every boundary; those where that fails are left in `uneven`.

        Units are swapped over one boundary at a time, which changes nothing at any other. Where the best swap is
        not good enough, swaps at random there and beside it change what there is to choose from.
        """
        self.uneven = [s for s in range(len(self.ends) - 1) if not self._descend(s)]
        for _pass in range(_PASSES):
            if not self.uneven:
                return
            self.uneven = [s for s in self.uneven if not self._settle(s)]

    def _descend(self, s: int) -> bool:
        """Make the best swap until the boundary is level, which it says, or none makes it more even."""
        values = self._values[s]
        while not self._deviations.level(values):
            best = self._best(s)
            if best is None:
                return False
            self.exchange(s, best[0], s + 1, best[1])
        return True

    def _best(self, s: int) -> tuple[int, int] | None:
        """Return the swap that makes boundary s most even, or None if none makes it more even than it is."""
        deviations, values = self._deviations, self._values[s]
        squares, products, total = deviations.sums(values)
        least = deviations.unevenness(squares, products, total) - _BLUR
        late, early = self._sides(s)
        norm = deviations.norm
        comings = [(e, deviations.masks[e], *deviations.change(values, e, 1)) for e in early]
        best: tuple[int, int] | None = None
        for c in late:
            mask, (gone_squares, gone_products, gone_total) = deviations.masks[c], deviations.change(values, c, -1)
            for e, other, more_squares, more_products, more_total in comings:
                # A system in both classes stays as it is: its two changes bring 2 too much.
                shared = 2 * (mask & other).bit_count()
                # As `unevenness`, written out: this is where large plans spend their time.
                all_texts = total + gone_total + more_total
                after = (
                    squares + gone_squares + more_squares - shared
                    - 2 * all_texts * (products + gone_products + more_products)
                    + all_texts * all_texts * norm
                )  # fmt: skip
                if after < least:
                    least, best = after, (c, e)
        return best

    def _settle(self, s: int) -> bool:
        for _try in range(_TRIES):
            if self._descend(s):
                return True
            self._stir(self.rng.choice([t for t in (s - 1, s, s + 1) if 0 <= t < len(self.ends) - 1]))
        return self._descend(s)

    def _stir(self, s: int) -> None:
        """Make a swap at random over boundary s that leaves it level, or at least no worse than it is."""
        late, early = self._sides(s)
        bound, total = self._bound(s), sum(self._values[s])
        for c, e in ((c, e) for c in late for e in early if c != e):
            if self._stays_within(s, c, e, bound, total):
                self.exchange(s, c, s + 1, e)
                return

    def _no_worse(self, s: int, c: int, e: int) -> bool:
        """Return whether boundary s gets no less level with one unit of class c less and one of class e more."""
        return self._stays_within(s, c, e, self._bound(s), sum(self._values[s]))

    def _bound(self, s: int) -> float:
        """Return the largest deviation at boundary s, or that of a level one if it is larger."""
        return max(self._deviations.worst(self._values[s]), 1 - 2 * _BLUR) + _BLUR

    def _stays_within(self, s: int, c: int, e: int, bound: float, total: float) -> bool:
        """Return whether all systems stay within the bound with one unit of class c less and one of class e more.

        `total` is the sum of the values. Systems that the swap moves are looked at first: most swaps fail there.
        """
        values, shares, signatures = self._values[s], self._deviations.shares, self._deviations.signatures
        goes, comes = signatures[c], signatures[e]
        after = total + len(comes) - len(goes)
        for x in goes:
            if x not in comes and abs(values[x] - 1 - after * shares[x]) > bound:
                return False
        for x in comes:
            if x not in goes and abs(values[x] + 1 - after * shares[x]) > bound:
                return False
        if len(comes) == len(goes):
            # The others deviate as before, which is within the bound.
            return True
        return all(
            abs(values[x] - after * share) <= bound for x, share in enumerate(shares) if (x in goes) == (x in comes)
        )
