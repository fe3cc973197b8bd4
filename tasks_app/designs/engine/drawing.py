"""Draw a plan round by round, for designs that mix units freely."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from random import Random

from django.utils.translation import gettext_lazy as _

from tasks_app.designs.base import Plan, PlanImpossible, PlanSettings, PlanUnit
from tasks_app.designs.engine.chairman import DeadEnd
from tasks_app.designs.engine.crossing import Crossing, crossed, n_items
from tasks_app.designs.engine.filling import Filling, Shares
from tasks_app.designs.engine.rounds import Segment, booklet_sizes, cut, may_fit
from tasks_app.designs.engine.spacing import room, spaced_order
from tasks_app.designs.engine.squares import matchings

# Whole draws before the settings are called impossible. Where a plan exists the first draw nearly always finds one.
_DRAWS = 12
# If systems overlap and a draw is not level everywhere, the most level of a few draws is taken; fewer if their places
# come to more than this in all, since drawing these takes seconds.
_LEVEL_DRAWS = 4
_LEVEL_PLACES = 20_000

# A function that returns how many units of every class each segment of a round takes, from the sizes of the classes,
# the segments, and the most units of each class that the first segment may take (None: no limit). It may raise DeadEnd.
Deal = Callable[[Sequence[int], Sequence[Segment], Mapping[int, int] | None], Shares]


def refuse_bad_input(units: Sequence[PlanUnit], settings: PlanSettings) -> None:
    """Raise ValueError for mistakes of a caller, PlanImpossible where there is nothing to judge."""
    keys = Counter(unit.key for unit in units)
    twice = [key for key, count in keys.items() if count > 1]
    if twice:
        raise ValueError(f"Units have the same key: {', '.join(sorted(twice))}.")
    if settings.set_size < 1:
        raise ValueError(f"A booklet needs at least one place, not {settings.set_size}.")
    if not any(unit.k > 0 for unit in units):
        raise PlanImpossible(_("No unit needs a judgment yet. Add items, or ask for at least one judgment each."))


def keeps_places(units: Sequence[PlanUnit], settings: PlanSettings) -> bool:
    """Return whether places of booklets have every class of units equally often: where as many units of each are due.

    Units of one item that stand apart in a booklet may leave no such order. Therefore no booklet holds two of an item
    where every item has all classes and booklets are no larger than the items are many; else places are not kept.
    """
    due = [unit for unit in units if unit.k > 0]
    if len({unit.k for unit in due}) > 1 or len(set(Counter(unit.systems for unit in due).values())) > 1:
        return False
    of_item = Counter(unit.item for unit in due if unit.item is not None)
    if settings.spacing <= 1 or max(of_item.values(), default=0) <= 1:
        return True
    return is_square(due, settings)


def is_square(units: Sequence[PlanUnit], settings: PlanSettings) -> bool:
    """Return whether a Latin square keeps every promise about the units, and more: then a plan always exists."""
    return len({unit.k for unit in units}) == 1 and settings.set_size <= n_items(units) and crossed(units)


class Drawing(ABC):
    """The units as numbers, and the draws made with them.

    Round r gives every unit with k >= r its r-th judgment; the rounds one after another are cut into booklets. A
    *class* is all units that show the same systems.
    """

    def __init__(self, units: Sequence[PlanUnit]) -> None:
        self.units = units
        self.rounds = _rounds(units)
        self.largest_set = len(self.rounds[0])
        items = {item: i for i, item in enumerate(dict.fromkeys(unit.item for unit in units))}
        self.items = [None if unit.item is None else items[unit.item] for unit in units]
        loads: dict[int, Counter[int]] = {}
        for of_round in self.rounds:
            if len(of_round) not in loads:
                loads[len(of_round)] = Counter(item for unit in of_round if (item := self.items[unit]) is not None)
        self._loads = [loads[len(of_round)] for of_round in self.rounds]
        shown_by = [unit.systems for unit in units]
        signatures = {systems: c for c, systems in enumerate(sorted(set(shown_by)))}
        self.classes = [signatures[systems] for systems in shown_by]
        systems = {system: x for x, system in enumerate(sorted({s for shown in signatures for s in shown}))}
        self.signatures = [tuple(systems[system] for system in shown) for shown in signatures]
        self.overlap = sum(map(len, self.signatures)) > len(systems)
        self.judged = [units[unit] for unit in self.rounds[0]]

    @abstractmethod
    def dealer(self, rng: Random) -> Deal:
        """Return the function that deals units of every class to segments, for one draw."""

    @abstractmethod
    def checked(self, plan: Plan, settings: PlanSettings) -> float:
        """Return the largest deviation of a system, after checking that the plan keeps every promise."""

    def may_fit(self, settings: PlanSettings) -> bool:
        """Return whether items have room in the booklets, as far as counting tells."""
        return may_fit(self._loads, self._cut(settings), settings.spacing)

    def draw(self, settings: PlanSettings, rng: Random) -> Plan | None:
        """Return a plan that keeps every promise, the most level of a few; None where none was found."""
        if not self.may_fit(settings):
            return None
        best: tuple[float, Plan] | None = None
        level_draws = _LEVEL_PLACES // sum(map(len, self.rounds)) if self.overlap else 1
        for draw in range(_DRAWS):
            drawn = self.draw_once(settings, rng)
            if drawn is not None and (best is None or drawn[0] < best[0]):
                best = drawn
            if best is not None and (best[0] < 1 or draw + 1 >= min(level_draws, _LEVEL_DRAWS)):
                break
        if best is None and is_square(self.judged, settings):
            plan = Crossing(self.judged, settings.set_size, rng).draw(len(self.rounds))
            best = self.checked(plan, settings), plan
        return best and best[1]

    def draw_once(self, settings: PlanSettings, rng: Random) -> tuple[float, Plan] | None:
        """Return a plan after the largest deviation of a system in it, or None where this draw came to a dead end."""
        try:
            plan = self._draw(settings, rng)
        except DeadEnd:
            return None
        return self.checked(plan, settings), plan

    def sizes(self, of_round: Sequence[int]) -> list[int]:
        """Return the number of units of each class in a round."""
        sizes = [0] * len(self.signatures)
        for unit in of_round:
            sizes[self.classes[unit]] += 1
        return sizes

    def _cut(self, settings: PlanSettings) -> list[list[Segment]]:
        return cut(list(map(len, self.rounds)), settings.set_size)

    def _draw(self, settings: PlanSettings, rng: Random) -> Plan:
        segments = self._cut(settings)
        even = keeps_places(self.judged, settings)
        apart = settings.set_size if even and settings.spacing > 1 else settings.spacing
        rooms = [room(size, apart) for size in booklet_sizes(segments)]
        filling = Filling(self.classes, self.items, rooms, rng)
        deal = self.dealer(rng)
        before: tuple[int, list[int], dict[int, int]] | None = None
        for of_round, cuts in zip(self.rounds, segments, strict=True):
            sizes = self.sizes(of_round)
            limits = None
            if before is not None and before[0] == cuts[0].booklet:
                # The booklet ends the round before: of each class it can take what it does not hold already.
                limits = {c: size - before[2].get(c, 0) for c, size in enumerate(before[1])}
            shares = deal(sizes, cuts, limits)
            filling.fill_round(of_round, [booklet for booklet, _length in cuts], shares)
            before = (cuts[-1].booklet, sizes, shares.counts[-1])
        booklets = [list(booklet.units) for booklet in filling.booklets]
        if even:
            return [tuple(self.units[unit] for unit in booklet) for booklet in placed(booklets, self.classes, rng)]
        return [self._spaced(booklet, settings.spacing, rng) for booklet in booklets]

    def _spaced(self, booklet: Sequence[int], spacing: int, rng: Random) -> tuple[PlanUnit, ...]:
        order = spaced_order([self.items[unit] for unit in booklet], spacing, rng)
        if order is None:
            raise DeadEnd
        return tuple(self.units[booklet[index]] for index in order)


def _rounds(units: Sequence[PlanUnit]) -> list[Sequence[int]]:
    """Return the numbers of the units with k >= r for each round r; rounds with the same units are one sequence."""
    rounds: list[Sequence[int]] = []
    of_round: Sequence[int] = range(len(units))
    for r in range(1, max(unit.k for unit in units) + 1):
        due = [i for i in of_round if units[i].k >= r]
        of_round = due if len(due) < len(of_round) or not rounds else of_round
        rounds.append(of_round)
    return rounds


def placed(booklets: Sequence[Sequence[int]], classes: Sequence[int], rng: Random) -> list[list[int]]:
    """Put the units of every booklet in order, so that every class stands at every position equally often.

    `classes` has that of each unit. All booklets but the last are of one size, and classes are within one of each
    other in every prefix of them. Then every *turn*, as many booklets as there are classes, holds each class as often
    as a booklet has places, and the graph of its booklets and classes falls into one matching a place: each place goes
    through all classes in a turn.
    """
    size = max(map(len, booklets), default=0)
    several = len({classes[unit] for booklet in booklets for unit in booklet})
    starts = range(0, len(booklets), several or 1)
    return [order for start in starts for order in _turn(booklets[start : start + several], classes, size, rng)]


def _turn(booklets: Sequence[Sequence[int]], classes: Sequence[int], size: int, rng: Random) -> list[list[int]]:
    """Return orders in which each class is at most once at each position."""
    edges = [(b, classes[unit]) for b, booklet in enumerate(booklets) for unit in booklet]
    matching = matchings(edges, size, rng)
    # Where the last booklet is shorter, the places that it fills come first.
    last = len(booklets) - 1
    colours = sorted(rng.sample(range(size), size), key=lambda colour: (last, colour) not in matching)
    orders: list[list[int]] = []
    for b, booklet in enumerate(booklets):
        left: dict[int, list[int]] = {}
        for unit in rng.sample(booklet, len(booklet)):
            left.setdefault(classes[unit], []).append(unit)
        orders.append([left[matching[b, colour]].pop() for colour in colours if (b, colour) in matching])
    return orders
