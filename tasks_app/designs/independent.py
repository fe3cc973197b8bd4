"""The independent design: every rater gets a mixed set, and the sets are balanced however many are taken."""

from collections.abc import Mapping, Sequence
from random import Random

from django.utils.translation import gettext_lazy as _

from tasks_app.designs import registry
from tasks_app.designs.balance import measure_evenness
from tasks_app.designs.base import Plan, PlanSettings
from tasks_app.designs.engine.chairman import DeadEnd
from tasks_app.designs.engine.drawing import Deal, Drawing, keeps_places
from tasks_app.designs.engine.in_rounds import InRounds
from tasks_app.designs.engine.rounds import Segment
from tasks_app.designs.engine.shares import RoundShares

# Draws of one round's shares: cheap, and with few units one may clash with the end of the round before.
_SHARE_DRAWS = 20


class _Mixing(Drawing):
    """Classes take their turns as they fall due, systems levelled where classes share them."""

    def dealer(self, rng: Random) -> Deal:
        """Draw the shares of each round apart from the others."""

        def deal(sizes: Sequence[int], cuts: Sequence[Segment], limits: Mapping[int, int] | None) -> RoundShares:
            lengths = [length for _booklet, length in cuts]
            for _draw in range(_SHARE_DRAWS):
                try:
                    return RoundShares(sizes, lengths, self.signatures, rng, limits=limits, overlap=self.overlap)
                except DeadEnd:
                    continue
            raise DeadEnd

        return deal

    def checked(self, plan: Plan, settings: PlanSettings) -> float:
        """Check that the plan keeps all promises, and return the largest deviation of a system."""
        balance = measure_evenness(plan, self.units)
        gap = balance.smallest_spacing
        if not (
            balance.complete
            and balance.worst_unit_spread <= 1
            and balance.system_class.worst_deviation < 1
            and (max(balance.position_spread) <= 1 or not keeps_places(self.units, settings))
            and (gap is None or gap >= settings.spacing)
        ):
            raise RuntimeError(
                "The independent design drew a plan that breaks its promises: "
                f"unit spread {balance.worst_unit_spread}, class deviation {balance.system_class.worst_deviation}, "
                f"position spread {max(balance.position_spread)}, spacing {gap}, missing {balance.missing}, "
                f"beyond k {balance.beyond_k}, repeated {balance.repeated}."
            )
        return balance.system.worst_deviation


@registry.register
class Independent(InRounds):
    """Units are drawn independently of each other, in rounds.

    Round r gives every unit with k >= r its r-th judgment; the rounds one after another are cut into booklets of
    `set_size` places, so that no unit is ever more than one judgment ahead of another that still needs one. The
    last booklet may be shorter; where k differs by unit, so may those where one round ends and too few units go on
    to the next. Units that show the same systems stay less than one unit from their share in every prefix of the
    booklets, and so does every system where no system is shown in two combinations. Where some are (texts shared by
    systems, comparisons of several), systems are brought as near as exchanges can; `balance.measure` says how near.
    Where as many units of each are due, every place of the booklets has them equally often in every prefix, unless
    units of one item, which stand apart, leave no such order.
    """

    label = _("Independent sets")
    margins = ("unit", "system", "position")
    drawing = _Mixing

    def in_words(self, set_size: int) -> str:
        """Describe how sets were drawn."""
        return (
            f"Units, each being what one screen shows, were assigned at random to sets of {set_size}, so that the "
            "numbers of judgments per unit differed by at most one and each system appeared in proportion to its units"
        )
