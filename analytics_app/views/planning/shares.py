"""Preferences of an earlier study: the parts of their variance, cautious where a small study says 0, and warnings."""

from functools import cached_property

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from analytics_app.selectors.planning import COUNTS, SHARE, Pilot
from analytics_app.show.cells import figure, whole
from analytics_app.stats.planning.pilot import NONE_BELOW, largest_of_zero, reach_of_sd, shares_of_variance
from analytics_app.views.planning.base import share
from analytics_app.views.planning.components import FEW

PARTS = {
    "between_items": gettext_lazy("Share of variance between items"),
    "between_raters": gettext_lazy("Share of variance between raters"),
}
# The terms of the model that each part is the sum of: items of a document share what is common to the document.
TERMS = {"between_items": ("item", "cluster"), "between_raters": ("rater",)}
# The largest share of the variance that a form takes, and that both may have together: something is left to chance.
MOST_SHARE, MOST_TOGETHER = 0.9, 0.99


class PilotShares:
    """The comparison of two systems in an earlier study, by the row of their share of wins."""

    def __init__(self, pilot: Pilot) -> None:
        """Read the rows of a pair of systems."""
        row = pilot.rows[SHARE]
        self.pilot, self.row = pilot, row
        self.sd: dict[str, float] = {name: float(value) for name, value in (row.settings or {})["sd"].items()}
        self.levels = {"between_items": row.n_items or 0, "between_raters": row.n_raters or 0}
        self.ratings = row.n_ratings or 0

    @cached_property
    def estimates(self) -> dict[str, float]:
        """The parts of the variance as the earlier study estimates them; parts that its model leaves out have none."""
        return self._parts({})

    @cached_property
    def zero(self) -> list[str]:
        """The parts that are estimated as 0."""
        least = NONE_BELOW * self.sd["residual"]
        return [name for name in self.estimates if all(self.sd.get(term, 0.0) <= least for term in TERMS[name])]

    @cached_property
    def cautious(self) -> dict[str, float]:
        """The parts to plan with: the estimates, and for 0 the largest that is not ruled out where it is known."""
        limits = {}
        for name in self.zero:
            limit = largest_of_zero(self.sd["residual"], levels=self.levels[name], ratings=self.ratings)
            if limit is not None:
                limits[TERMS[name][0]] = limit
        return self._parts(limits)

    def _parts(self, limits: dict[str, float]) -> dict[str, float]:
        spreads = self.sd | limits
        parts = {name: terms for name, terms in TERMS.items() if terms[0] in spreads}
        return shares_of_variance(spreads, parts, most_together=MOST_TOGETHER)

    @cached_property
    def ties(self) -> float | None:
        """The share of ties; None if the earlier study has no counts."""
        counts = {name: float(self.pilot.rows[name].value or 0) for name in COUNTS if name in self.pilot.rows}
        total = sum(counts.values())
        return round((counts.get("pair_ties", 0.0) + counts.get("pair_both_bad", 0.0)) / total, 4) if total else None

    @cached_property
    def wins(self) -> float | None:
        """The share of preferences that are not ties for the first of the two systems; None if all were ties."""
        ties, value = self.ties or 0.0, self.row.value
        return None if value is None or ties >= 1 else min(1.0, max(0.0, (float(value) - ties / 2) / (1 - ties)))

    def result_in_words(self) -> str:
        """Return a sentence with the share of wins that the earlier study found, and its interval."""
        first, second = self.pilot.pair or ("", "")
        words = {"first": first, "second": second, "share": share(float(self.row.value or 0), 1)}
        if self.row.low is None or self.row.high is None:
            return _("In the earlier study %(first)s was preferred to %(second)s in %(share)s (ties half).") % words
        words |= {"low": figure(100 * self.row.low, 1), "high": share(self.row.high, 1)}
        return (
            _(
                "In the earlier study %(first)s was preferred to %(second)s in %(share)s of the comparisons (ties "
                "half; interval %(low)s to %(high)s)."
            )
            % words
        )

    def warnings(self) -> list[str]:
        """Return warnings about few raters and items, parts estimated as 0 or left out, and documents."""
        warnings = [*self._few(), *map(self._none, self.zero)]
        for name, words in PARTS.items():
            if name not in self.estimates:
                left_out = _(
                    "%(part)s: the earlier study cannot tell it from the rest. This page plans with the value entered "
                    "under Assumptions."
                )
                warnings.append(left_out % {"part": words})
        if "cluster" in self.sd:
            warnings.append(
                _(
                    "Items of the earlier study belong to documents, and items of one document are alike. Enter the "
                    "number of documents as the number of items to plan cautiously."
                )
            )
        return warnings

    def _few(self) -> list[str]:
        names = {"between_raters": _("from %(n)s raters"), "between_items": _("from %(n)s items")}
        parts = []
        for name, words in names.items():
            if 1 < self.levels[name] < FEW and name in self.estimates:
                low, high = (end**2 for end in reach_of_sd(self.levels[name]))
                reach = _("at best from %(low)s to %(high)s times the estimate")
                about = {"n": whole(self.levels[name]).text}
                parts.append(f"{words % about}: {reach % {'low': figure(low, 2), 'high': figure(high, 2)}}")
        if not parts:
            return []
        start = _(
            "The earlier study is small, and estimates the variance between raters and between items badly. The 95 % "
            "intervals of these variances reach"
        )
        return [f"{start} {'; '.join(parts)}. {_('Try larger values, too.')}"]

    def _none(self, name: str) -> str:
        words = {"part": PARTS[name], "value": share(self.cautious[name], 1)}
        return (
            _(
                "%(part)s is 0 in the earlier study, which does not show that it is 0. This page plans with %(value)s: "
                "the largest value that the earlier study does not rule out (upper end of a one-sided 95 %% interval)."
            )
            % words
        )
