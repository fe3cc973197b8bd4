"""The base of designs that mix units in rounds, balanced over booklets and over positions."""

from collections.abc import Sequence
from random import Random
from typing import ClassVar

from tasks_app.designs.base import Design, Plan, PlanSettings, PlanUnit
from tasks_app.designs.engine.advice import refusal
from tasks_app.designs.engine.drawing import Drawing, keeps_places, refuse_bad_input


class InRounds(Design):
    """A design that draws with its own `drawing`; its last margin is that of the position."""

    drawing: ClassVar[type[Drawing]]

    def promised(self, units: Sequence[PlanUnit], settings: PlanSettings) -> tuple[str, ...]:
        """Return all margins, that of the position only where places can have every class equally often."""
        return self.margins if keeps_places(units, settings) else self.margins[:-1]

    def draw(self, units: Sequence[PlanUnit], settings: PlanSettings, rng: Random) -> Plan:
        """Booklets in which all margins are even; the order inside each is random."""
        refuse_bad_input(units, settings)
        drawing = self.drawing(units)
        if settings.set_size <= drawing.largest_set:
            plan = drawing.draw(settings, rng)
            if plan is not None:
                return plan
        raise refusal(drawing, settings, rng)
