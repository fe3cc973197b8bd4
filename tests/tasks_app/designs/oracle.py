"""What a plan keeps, counted from scratch for every prefix: slow, and written apart from `designs.balance`."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction

from tasks_app.designs.base import PlanUnit

Plan = Sequence[Sequence[PlanUnit]]


def prefixes(plan: Plan) -> Iterator[list[PlanUnit]]:
    """The places of the first booklet, of the first two, and so on."""
    for b in range(1, len(plan) + 1):
        yield [unit for booklet in plan[:b] for unit in booklet]


def unit_spread(places: Sequence[PlanUnit], units: Sequence[PlanUnit]) -> int:
    """Most less least judgments of the units below their k."""
    counts = Counter(unit.key for unit in places)
    below = [counts[unit.key] for unit in units if counts[unit.key] < unit.k]
    return max(below) - min(below) if below else 0


def deviations(
    places: Sequence[PlanUnit], units: Sequence[PlanUnit], members: Callable[[PlanUnit], Sequence[object]]
) -> dict[object, Fraction]:
    """Count less share of every member: the rounds are laid end to end and walked as far as has been counted."""
    counts = Counter(member for unit in places for member in members(unit))
    left = sum(counts.values())
    shares: Counter[object] = Counter()
    turn = 1
    while left > 0:
        of_round = Counter(member for unit in units if unit.k >= turn for member in members(unit))
        size = sum(of_round.values())
        walked = min(left, size)
        for member, n in of_round.items():
            shares[member] += Fraction(n * walked, size)
        left -= walked
        turn += 1
    everyone = {member for unit in units for member in members(unit)}
    return {member: counts[member] - shares[member] for member in everyone}


def spread(
    places: Sequence[PlanUnit], units: Sequence[PlanUnit], members: Callable[[PlanUnit], Sequence[object]]
) -> int:
    """Largest difference of two members that have the same units' worth of judgments due in every round."""
    counts = Counter(member for unit in places for member in members(unit))
    due: dict[object, Counter[int]] = {}
    for unit in units:
        for member in members(unit):
            due.setdefault(member, Counter()).update(range(1, unit.k + 1))
    return max(
        (abs(counts[a] - counts[b]) for a in due for b in due if due[a] == due[b]),
        default=0,
    )


def systems(unit: PlanUnit) -> Sequence[object]:
    """The systems a unit shows."""
    return sorted(set().union(*unit.shape))


def system_class(unit: PlanUnit) -> Sequence[object]:
    """The set of systems a unit shows, as one thing."""
    return [frozenset(system for part in unit.shape for system in part)]


def gaps(booklet: Sequence[PlanUnit]) -> list[int]:
    """The distance of every two units of one item."""
    return [
        j - i
        for i, one in enumerate(booklet)
        for j, other in enumerate(booklet)
        if i < j and one.item is not None and one.item == other.item
    ]


def due(units: Sequence[PlanUnit], members: Callable[[PlanUnit], Sequence[object]]) -> dict[object, Counter[int]]:
    """How often each member comes in each round."""
    found: dict[object, Counter[int]] = {}
    for unit in units:
        for member in members(unit):
            found.setdefault(member, Counter()).update(range(1, unit.k + 1))
    return found


def kin_spread(counts: Mapping[object, int], due_in_rounds: Mapping[object, Counter[int]]) -> int:
    """The largest difference of two members that are due equally often in every round."""
    return max(
        (
            abs(counts.get(a, 0) - counts.get(b, 0))
            for a in due_in_rounds
            for b in due_in_rounds
            if due_in_rounds[a] == due_in_rounds[b]
        ),
        default=0,
    )


def position_spread(plan: Plan, units: Sequence[PlanUnit]) -> int:
    """The largest difference, at any place of these booklets, of classes that are due equally often."""
    everyone = due(units, system_class)
    places = range(max(map(len, plan), default=0))
    return max(
        (kin_spread(Counter(c for b in plan if len(b) > p for c in system_class(b[p])), everyone) for p in places),
        default=0,
    )


def document_counts(plan: Plan) -> Counter[object]:
    """In how many booklets each document is."""
    return Counter(document for b in plan for document in {unit.document for unit in b} if document is not None)
