"""The comparisons design: every rater meets every pair, triad or tuple of systems equally often."""

from django.utils.translation import gettext_lazy as _

from tasks_app.designs import registry
from tasks_app.designs.balance import measure
from tasks_app.designs.base import Plan, PlanSettings
from tasks_app.designs.engine.comparison_turns import TurnTaking
from tasks_app.designs.engine.in_rounds import InRounds


class _Comparing(TurnTaking):
    """Classes, which are comparisons here, take turns."""

    def checked(self, plan: Plan, settings: PlanSettings) -> float:
        """Check that the plan keeps all promises, and return the largest deviation of a system."""
        balance = measure(plan, self.units)
        gap = balance.smallest_spacing
        broken = [
            margin
            for margin in Comparisons().promised(self.units, settings)
            if max(balance.spread(margin), default=0) > 1
        ]
        if (
            broken
            or not balance.complete
            or balance.system_class.worst_deviation >= 1
            or (gap is not None and gap < settings.spacing)
        ):
            raise RuntimeError(
                f"The design of comparisons drew a plan that breaks its promises: uneven {broken}, deviation "
                f"{balance.system_class.worst_deviation}, spacing {gap}, missing {balance.missing}, beyond k "
                f"{balance.beyond_k}, repeated {balance.repeated}."
            )
        return balance.system.worst_deviation


@registry.register
class Comparisons(InRounds):
    """Comparisons, the systems that meet on a screen, take turns through the whole plan.

    Rounds and booklets are those of independent sets. Comparisons that are due equally often differ by one at most in
    every booklet and in every prefix of the booklets, and every comparison stays less than one from its share. Where
    every two systems meet in pairs over the same items, so do systems: by one at most in every prefix. For triads and
    tuples, and where outputs are missing, systems are as level as their comparisons allow; `balance.measure` says how
    near. No unit is more than one judgment ahead of another, and units of one item stand `spacing` apart. Where as many
    of each comparison are due, every place of the booklets has them equally often in every prefix, unless units of one
    item leave no such order.
    """

    label = _("Balanced comparisons")
    margins = ("unit", "comparison", "comparison in a booklet", "position")
    drawing = _Comparing

    def in_words(self, set_size: int) -> str:
        """Describe how sets were drawn."""
        return (
            f"Units, each being what one screen shows, were assigned at random to sets of {set_size}, so that the "
            "numbers of judgments per unit differed by at most one and the pairs of systems alternated"
        )
