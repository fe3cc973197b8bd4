"""The Latin square: each rater sees each item at most once, and each system equally often and at every position."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random

from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from tasks_app.designs import registry
from tasks_app.designs.balance import measure
from tasks_app.designs.base import Design, Plan, PlanImpossible, PlanSettings, PlanUnit
from tasks_app.designs.engine.apart import draw_apart
from tasks_app.designs.engine.crossing import Crossing, crossed, n_items
from tasks_app.designs.engine.drawing import refuse_bad_input


@registry.register
class LatinSquare(Design):
    """Items and systems are crossed: a booklet holds so many items, each once, with systems in equal number.

    Where every item has one unit of each system and k is the same, units, systems, items and the systems at every
    place of a booklet are within one in every prefix of the booklets, and systems are in each booklet. Where
    `set_size` is a multiple of the number of systems, systems follow each other equally often in a booklet's blocks.

    Judgments that some items get beyond the others come after all others; places are as even as can be then, with
    all else kept. Where items lack outputs, or identical outputs are shared by systems, no item comes twice in a
    booklet all the same, units and systems keep to their shares, and the rest is as even as can be. Some sets are
    shorter than `set_size` there, lest an item with many units come twice. Spacing has no say: nobody meets an item
    again.
    """

    label = _("Latin square")
    margins = ("unit", "system", "system in a booklet", "item", "position")

    def in_words(self, set_size: int) -> str:
        """Describe how sets were drawn."""
        return (
            f"Sets of {set_size} units were drawn as Latin squares of items and systems: no set had an item twice, and "
            "systems were balanced over the sets"
        )

    def promised(self, units: Sequence[PlanUnit], settings: PlanSettings) -> tuple[str, ...]:
        """Return all margins for a full crossing, fewer where k differs, units and systems alone for anything else."""
        levels = list(_levels([unit for unit in units if unit.k > 0]))
        if not all(crossed(level) for level, _rounds in levels):
            return ("unit", "system")
        return self.margins if len(levels) < 2 else self.margins[:-1]

    def draw(self, units: Sequence[PlanUnit], settings: PlanSettings, rng: Random) -> Plan:
        """Return booklets without an item twice, with systems in turns."""
        refuse_bad_input(units, settings)
        due_units = [unit for unit in units if unit.k > 0]
        items = n_items(due_units)
        if settings.set_size > items:
            self.draw(units, PlanSettings(items, settings.spacing), rng)
            sentence = _(
                "Sets of {set_size} are too large: no rater sees an item twice, and there are only "
                "{items} items. Choose a set size of {items}."
            )
            message = format_lazy(sentence, set_size=settings.set_size, items=items)
            raise PlanImpossible(message, {"set_size": items})
        plan: Plan = []
        for level, rounds in _levels(due_units):
            size = min(settings.set_size, n_items(level))
            if crossed(level):
                plan += Crossing(level, size, rng).draw(rounds)
            else:
                own = {unit.key: unit for unit in due_units}
                plan += [tuple(own[unit.key] for unit in booklet) for booklet in draw_apart(level, size, rng)]
        self._check(plan, units, settings)
        return plan

    def _check(self, plan: Plan, units: Sequence[PlanUnit], settings: PlanSettings) -> None:
        """Raise RuntimeError unless the plan keeps every promise."""
        balance = measure(plan, units)
        broken = [margin for margin in self.promised(units, settings) if max(balance.spread(margin)) > 1]
        if (
            broken
            or not balance.complete
            or balance.smallest_spacing is not None
            or balance.system_class.worst_deviation >= 1
        ):
            raise RuntimeError(
                f"The Latin square drew a plan that breaks its promises: uneven {broken}, missing {balance.missing}, "
                f"beyond k {balance.beyond_k}, repeated {balance.repeated}, spacing {balance.smallest_spacing}, "
                f"class deviation {balance.system_class.worst_deviation}."
            )


def _levels(units: Sequence[PlanUnit]) -> Iterator[tuple[list[PlanUnit], int]]:
    """Yield judgments in levels: those that all units have in common, then the further ones of units that have more.

    Once a level is no full crossing it holds all that is left, in its rounds.
    """
    left = {unit.key: unit.k for unit in units}
    while left:
        level = [unit for unit in units if unit.key in left]
        rounds = min(left.values())
        if not crossed(level):
            yield [replace(unit, k=left[unit.key]) for unit in level], max(left.values())
            return
        yield level, rounds
        left = {key: k - rounds for key, k in left.items() if k > rounds}
