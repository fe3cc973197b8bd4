"""Order comparisons so that systems appear equally often in every prefix."""

from collections.abc import Sequence
from itertools import combinations
from math import comb
from random import Random

from tasks_app.designs.engine.shares import Deviations

# Orders built step by step for comparisons that are no complete set of pairs; the most level one is taken.
_ORDERS = 6
# Comparisons looked at for each step: with more, such as tuples mixed over all items, a sample does as well.
_LOOKED_AT = 40

Comparison = tuple[int, ...]


def level_order(comparisons: Sequence[Comparison], rng: Random) -> list[int]:
    """Return an order of the indices of `comparisons`, each the systems that meet, as numbers in rising order.

    Where every two of n systems meet once, systems differ by one at most after any number of them; else they are as
    level as a few orders built step by step come.
    """
    if is_complete(comparisons) and len(comparisons[0]) == 2:
        systems = sorted({x for comparison in comparisons for x in comparison})
        numbers = {comparison: index for index, comparison in enumerate(comparisons)}
        names = rng.sample(systems, len(systems))
        pairs = _pairs(len(systems))
        return [numbers[min(names[a], names[b]), max(names[a], names[b])] for a, b in pairs]
    orders = [_step_by_step(comparisons, rng) for _order in range(_ORDERS if len(comparisons) <= _LOOKED_AT else 1)]
    return min(orders, key=lambda result: result[0])[1]


def is_complete(comparisons: Sequence[Comparison]) -> bool:
    """Return whether every choice of so many systems meets once, so that systems can change their names."""
    sizes = {len(comparison) for comparison in comparisons}
    if len(sizes) != 1 or len(set(comparisons)) < len(comparisons):
        return False
    systems = {x for comparison in comparisons for x in comparison}
    return len(comparisons) == comb(len(systems), sizes.pop())


def renamed(order: Sequence[int], comparisons: Sequence[Comparison], rng: Random) -> list[int]:
    """Return the order with systems that have changed their names at random; only for a complete set of comparisons."""
    systems = sorted({x for comparison in comparisons for x in comparison})
    names = dict(zip(systems, rng.sample(systems, len(systems)), strict=True))
    numbers = {comparison: index for index, comparison in enumerate(comparisons)}
    return [numbers[tuple(sorted(names[x] for x in comparisons[index]))] for index in order]


def _pairs(n: int) -> list[tuple[int, int]]:
    """Return all pairs of n systems in an order in which every prefix has every system equally often, to within one.

    An even number of systems: the rounds of a tournament, in each of which every system meets one other [1]_. An odd
    number: Hamiltonian cycles [1]_, of each first every second edge, which leaves one system out, then that one's,
    then the others.

    References
    ----------
    .. [1] E. Lucas (1892). Récréations mathématiques, vol. 2, Gauthier-Villars, 161-197.
    """
    last, ring = n - 1, n - 1
    if n < 3:
        return list(combinations(range(n), 2))
    if n % 2 == 0:
        return [
            (last, turn) if step == 0 else ((turn + step) % ring, (turn - step) % ring)
            for turn in range(ring)
            for step in range(n // 2)
        ]
    pairs = []
    for turn in range(ring // 2):
        zigzag = [(turn + (step + 1) // 2 * (-1) ** (step + 1)) % ring for step in range(ring)]
        cycle = [*zigzag, last]
        edges = [(cycle[place], cycle[(place + 1) % n]) for place in range(n)]
        # The edges 0, 2, ..., n - 3 leave out the last of the cycle; edge n - 1 brings it in.
        pairs += [*edges[: n - 1 : 2], edges[n - 1], *edges[1 : n - 1 : 2]]
    return pairs


def _step_by_step(comparisons: Sequence[Comparison], rng: Random) -> tuple[float, list[int]]:
    """Return an order in which each comparison leaves systems as even as can be, after its largest deviation."""
    deviations = Deviations(comparisons, [1] * len(comparisons))
    values = deviations.start()
    left = list(range(len(comparisons)))
    rng.shuffle(left)
    order: list[int] = []
    worst = 0.0
    while left:
        deviations.go_on(values, 1)
        squares, products, total = deviations.sums(values)
        best = (float("inf"), 0)
        for place in range(max(0, len(left) - _LOOKED_AT), len(left)):
            more = deviations.change(values, left[place], 1)
            best = min(best, (deviations.unevenness(squares + more[0], products + more[1], total + more[2]), place))
        place = best[1]
        left[place], left[-1] = left[-1], left[place]
        chosen = left.pop()
        order.append(chosen)
        deviations.add(values, chosen, 1)
        worst = max(worst, deviations.worst(values))
    return worst, order
