"""Standard deviations from an earlier study: as it estimates them, and cautious where a small study says 0."""

from collections.abc import Mapping
from functools import cached_property

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from analytics_app.selectors.planning import SPREADS, Pilot, systems_of
from analytics_app.show.cells import figure, whole
from analytics_app.show.findings import listed
from analytics_app.stats.planning.pilot import NONE_BELOW, largest_of_zero, reach_of_sd
from analytics_app.views.planning.base import plain

# With fewer raters or items the 95 % interval of a standard deviation reaches beyond .84 to 1.25 times its estimate.
FEW = 50

COMPONENTS = {
    "sd_item": gettext_lazy("SD between items"),
    "sd_system_item": gettext_lazy("SD of system × item"),
    "sd_rater": gettext_lazy("SD between raters"),
    "sd_rater_system": gettext_lazy("SD of rater × system"),
    "sd_residual": gettext_lazy("Residual SD"),
}
OF_ITEMS, OF_RATERS = ("sd_item", "sd_system_item"), ("sd_rater", "sd_rater_system")


class PilotSpreads:
    """The standard deviations of an earlier study, by the names of `SPREADS`, with a warning about a small study."""

    def __init__(self, pilot: Pilot) -> None:
        """Read the rows of an earlier study; components without a value are left out."""
        rows = pilot.rows
        self.pilot = pilot
        self.estimates = {
            name: float(value) for name in SPREADS if name in rows and (value := rows[name].value) is not None
        }
        of_spreads = [rows[name] for name in SPREADS if name in rows]
        self.items = max((row.n_items or 0 for row in of_spreads), default=0)
        self.raters = max((row.n_raters or 0 for row in of_spreads), default=0)
        self.ratings = max((row.n_ratings or 0 for row in of_spreads), default=0)

    @cached_property
    def zero(self) -> list[str]:
        """The components that are estimated as 0, in the order of the form."""
        least = NONE_BELOW * self.estimates.get("sd_residual", 0.0)
        return [name for name in (*OF_ITEMS, *OF_RATERS) if name in self.estimates and self.estimates[name] <= least]

    @cached_property
    def not_ruled_out(self) -> dict[str, float]:
        """The largest values that the data allow for components estimated as 0, where the counts are known."""
        residual, systems = self.estimates.get("sd_residual", 0.0), systems_of(self.pilot) if self.zero else 1
        limits = {}
        for name in self.zero:
            levels = self.items if name in OF_ITEMS else self.raters
            by_system = name in {"sd_system_item", "sd_rater_system"}
            limit = largest_of_zero(residual, levels=levels, ratings=self.ratings, systems=systems if by_system else 1)
            if limit is not None:
                limits[name] = round(limit, 4)
        return limits

    def cautious(self, entered: Mapping[str, float]) -> dict[str, float]:
        """Return the values to plan with: the estimates; for 0 the largest not ruled out, else the value entered."""
        return self.estimates | {name: self.not_ruled_out.get(name, entered[name]) for name in self.zero}

    def warnings(self, entered: Mapping[str, float]) -> list[str]:
        """Return warnings about few raters and items, and about each component that is estimated as 0."""
        return [*self._few(), *(self._none(name, entered) for name in self.zero)]

    def _few(self) -> list[str]:
        parts = []
        for levels, names, words in (
            (self.raters, OF_RATERS, _("from %(n)s raters (%(components)s)")),
            (self.items, OF_ITEMS, _("from %(n)s items (%(components)s)")),
        ):
            known = [str(COMPONENTS[name]) for name in names if name in self.estimates]
            if 1 < levels < FEW and known:
                low, high = reach_of_sd(levels)
                reach = _("at best from %(low)s to %(high)s times the estimate") % {
                    "low": figure(low, 2), "high": figure(high, 2),
                }  # fmt: skip
                parts.append(f"{words % {'n': whole(levels).text, 'components': listed(known)}}: {reach}")
        if not parts:
            return []
        start = _(
            "The earlier study is small, and estimates these standard deviations badly. Their 95 % intervals reach"
        )
        return [f"{start} {'; '.join(parts)}. {_('Try larger values, too.')}"]

    def _none(self, name: str, entered: Mapping[str, float]) -> str:
        words = {"component": COMPONENTS[name], "value": plain(self.not_ruled_out.get(name, entered[name]))}
        if name in self.not_ruled_out:
            return (
                _(
                    "%(component)s is 0 in the earlier study, which does not show that it is 0. This page plans with "
                    "%(value)s: the largest value that the earlier study does not rule out (upper end of a one-sided "
                    "95 %% interval)."
                )
                % words
            )
        return (
            _(
                "%(component)s is 0 in the earlier study, which does not show that it is 0. This page plans with the "
                "value entered under Assumptions, %(value)s."
            )
            % words
        )
