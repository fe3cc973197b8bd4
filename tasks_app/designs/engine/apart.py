"""Booklets without an item twice, where items lack outputs or share them, or k differs by unit."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from random import Random

from tasks_app.designs.balance import measure_evenness
from tasks_app.designs.base import Plan, PlanSettings, PlanUnit
from tasks_app.designs.engine.comparison_turns import TurnTaking


class _Apart(TurnTaking):
    """Classes of systems take turns, as comparisons do; an item comes once in a booklet at most."""

    def checked(self, plan: Plan, settings: PlanSettings) -> float:
        """Check the promises of a whole plan, and return the largest deviation of a system."""
        return measure_evenness(plan, self.units).system.worst_deviation


def draw_apart(units: Sequence[PlanUnit], size: int, rng: Random) -> Plan:
    """Booklets of `size` places in rounds; where an item would come twice, every round has booklets of its own.

    Those are as large as the item with most units lets them be. A booklet of one place always can be had.
    """
    plan = _Apart(units).draw(PlanSettings(size, size), rng)
    if plan is None:
        plan = []
        own = {unit.key: unit for unit in units}
        for turn in range(1, max(unit.k for unit in units) + 1):
            of_round = _round([replace(unit, k=1) for unit in units if unit.k >= turn], size, rng)
            plan += [tuple(own[unit.key] for unit in booklet) for booklet in of_round]
    return _settled(plan, rng)


def _round(units: Sequence[PlanUnit], size: int, rng: Random) -> Plan:
    most = max(Counter(unit.item or unit.key for unit in units).values())
    booklets = max(-(-len(units) // size), most)
    drawing, smaller = _Apart(units), -(-len(units) // booklets)
    plan = drawing.draw(PlanSettings(smaller, smaller), rng)
    while plan is None:
        smaller -= 1 + smaller // 10
        plan = drawing.draw(PlanSettings(smaller, smaller), rng)
    return plan


def _settled(plan: Plan, rng: Random) -> Plan:
    """Return the same booklets with their units at the least-used positions of their systems."""
    due = Counter(unit.systems for booklet in plan for unit in booklet)
    stood: Counter[tuple[int, tuple[str, ...]]] = Counter()
    settled: Plan = []
    for booklet in plan:
        left = rng.sample(booklet, len(booklet))
        order: dict[int, PlanUnit] = {}
        for place in rng.sample(range(len(booklet)), len(booklet)):
            index = min(range(len(left)), key=lambda i: stood[place, left[i].systems] / due[left[i].systems])
            order[place] = left.pop(index)
            stood[place, order[place].systems] += 1
        settled.append(tuple(order[place] for place in range(len(booklet))))
    return settled
