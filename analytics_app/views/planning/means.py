"""Power for a difference of means between systems, for further raters and further items."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from math import ceil
from typing import cast

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from analytics_app.selectors.planning import SPREADS
from analytics_app.services.smallest_difference import LEFT
from analytics_app.show.cells import Cell, number, whole
from analytics_app.show.table import Column, Table
from analytics_app.stats.planning.power import Assumed, half_width, power_of_means, spread_of_difference
from analytics_app.stats.planning.smallest import fewest
from analytics_app.views.planning.answer import Answer
from analytics_app.views.planning.base import (
    PlanningForm,
    Words,
    alpha_field,
    exactly,
    plain,
    power_words,
    raters_field,
    target_power_field,
)
from analytics_app.views.planning.components import COMPONENTS, PilotSpreads
from analytics_app.views.planning.curve import Curve
from tasks_app.settings.fields import number_field, whole_field

# Most items and raters that a form takes, and that are looked for.
MOST = 20_000
LEAST_ITEMS = 4
# A power that need not be raised, and a difference between two powers that is none.
CERTAIN, ALIKE = 0.99, 0.005
# Numbers of items and raters of the curves, as shares of those in the form.
AROUND = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0)
CONFIDENCE = 0.95
# The components of which at least one must be above 0.
VARYING = ("sd_system_item", "sd_rater_system", "sd_residual")


def spread(name: str, initial: float, help_text: Words) -> forms.FloatField:
    """Return a field for a standard deviation."""
    return number_field(cast("str", COMPONENTS[name]), cast("str", help_text), within=(0, 1e6), initial=initial)


class MeansPlan(PlanningForm):
    title = gettext_lazy("Power for a difference of means")
    summary = gettext_lazy("The probability of finding a difference between systems, for a number of items and raters.")
    from_pilots = SPREADS
    folded = ("wanted", "alpha", "middle", *SPREADS)

    systems = whole_field(gettext_lazy("Systems"), within=(2, 12), initial=2)
    n_items = whole_field(
        gettext_lazy("Items"), gettext_lazy("Judged for every system."), within=(LEAST_ITEMS, MOST), initial=100
    )
    per_text = whole_field(gettext_lazy("Raters per text"), within=(1, 100), initial=3)
    raters = raters_field(gettext_lazy("They share the texts of every system evenly."), most=MOST)
    steps = whole_field(
        gettext_lazy("Steps of the scale"),
        gettext_lazy("Ratings are rounded to 1, 2, … and cut at the ends. 0: not at all."),
        within=(0, 1001),
        initial=5,
    )
    difference = number_field(
        gettext_lazy("Difference to be found"),
        gettext_lazy("Between the first system and all others, in units of the scale."),
        within=(0, 1e6),
        initial=0.3,
    )
    pilot = forms.CharField(required=False)
    alpha = alpha_field()
    wanted = target_power_field()
    middle = number_field(
        gettext_lazy("Mean rating"),
        gettext_lazy(
            "Of the systems that are alike, where the lowest step is 1: near an end of the scale differences shrink."
        ),
        within=(-1e6, 1e6),
        initial=3,
    )
    sd_item = spread("sd_item", 0.5, gettext_lazy("Cancels out in comparisons, except near the ends of the scale."))
    sd_system_item = spread("sd_system_item", 0.4, gettext_lazy("How differently one system does on different items."))
    sd_rater = spread(
        "sd_rater",
        0.5,
        gettext_lazy("How much raters differ in leniency. Cancels out, as every rater judges all systems."),
    )
    sd_rater_system = spread(
        "sd_rater_system", 0.2, gettext_lazy("How much raters differ in which system they prefer.")
    )
    sd_residual = spread("sd_residual", 0.8, gettext_lazy("Variation of one rater on the same text."))

    def clean(self) -> dict[str, object]:
        """Refuse assumptions under which nothing varies, and numbers of raters that the ratings do not allow."""
        cleaned = super().clean() or self.cleaned_data
        if self.errors:
            return cleaned
        ratings = cleaned["n_items"] * cleaned["per_text"] * cleaned["systems"]
        if cleaned["raters"] < cleaned["per_text"]:
            self.add_error("raters", _("The raters per text are more than the raters in total."))
        elif cleaned["raters"] > ratings:
            error = _("There are only %(ratings)s ratings: items × raters per text × systems.")
            self.add_error("raters", error % {"ratings": whole(ratings).text})
        spreads = self._spreads()
        if not any(spreads[name] for name in VARYING):
            self.add_error("sd_residual", _("At least one standard deviation must be above 0."))
        return cleaned

    def answer(self) -> Answer:
        """Answer with the power, the values it depends on, and how it changes with items and with raters."""
        values, assumed, n = self.cleaned_data, self._assumed(), self.cleaned_data["n_items"]
        power = self._power(assumed, n)
        words = {
            "n": whole(n).text, "raters": whole(assumed.raters).text, "difference": plain(values["difference"]),
            "power": self._words(power),
        }  # fmt: skip
        lead = _(
            "With %(n)s items and %(raters)s raters a difference of %(difference)s is found with a probability of "
            "%(power)s."
        )
        return Answer(
            lead % words,
            [*self._shrunk(assumed, n), self._interval(assumed, n), *self._enough(assumed, n, power), *self._advice()],
            [*self._thinly_spread(assumed, n), *self._of_pilot(n)],
            self._curves(assumed, n, power),
            [self._changes(assumed, n)],
            (),
            self._from_where(),
            _(
                "Mixed model with raters and items random: the difference of two means over its standard error has a "
                "noncentral t distribution with Satterthwaite's degrees of freedom. With several systems alpha is "
                "divided by the number of pairs; Holm's correction finds at least as much."
            ),
        )

    def _power(self, assumed: Assumed, n_items: int) -> float:
        pairs = assumed.systems * (assumed.systems - 1) // 2
        return power_of_means(assumed, n_items, alpha=self.cleaned_data["alpha"] / pairs)

    def _words(self, power: float) -> str:
        return power_words(power, self.cleaned_data["wanted"])

    @cached_property
    def _from_pilot(self) -> PilotSpreads | None:
        return PilotSpreads(self.chosen) if self.chosen else None

    def _spreads(self) -> dict[str, float]:
        """Return the standard deviations, from the earlier study where it has them, cautious where it has 0."""
        entered = {name: float(self.cleaned_data[name]) for name in SPREADS}
        return entered if self._from_pilot is None else entered | self._from_pilot.cautious(entered)

    def from_earlier_study(self) -> Mapping[str, float]:
        """Return the standard deviations that an earlier study replaces, as this page plans with them."""
        if self._from_pilot is None:
            return {}
        return {name: value for name, value in self._spreads().items() if name in self._from_pilot.estimates}

    def _of_pilot(self, n: int) -> list[str]:
        """Return warnings about a small earlier study, with the power by its estimates as they are."""
        if self._from_pilot is None:
            return []
        entered = {name: float(self.cleaned_data[name]) for name in SPREADS}
        warnings = self._from_pilot.warnings(entered)
        as_estimated = entered | self._from_pilot.estimates
        if as_estimated != self._spreads() and any(as_estimated[name] for name in VARYING):
            power = self._power(self._assumed(as_estimated), n)
            warnings.append(
                _("With the estimates as they are, power would be %(power)s.") % {"power": self._words(power)}
            )
        return warnings

    def _assumed(self, spreads: Mapping[str, float] | None = None) -> Assumed:
        """Return the assumptions, with the standard deviations of the page unless others are given."""
        values = self.cleaned_data
        return Assumed(
            difference=values["difference"],
            systems=values["systems"],
            raters_per_text=values["per_text"],
            raters=values["raters"],
            steps=values["steps"],
            middle=values["middle"],
            **(spreads or self._spreads()),
        )

    def _shrunk(self, assumed: Assumed, n: int) -> list[str]:
        """Return the part of the difference that the ends of the scale leave, where they take some of it away."""
        on_scale = spread_of_difference(assumed, n).difference
        if on_scale > LEFT * assumed.difference:
            return []
        left = {"difference": plain(round(on_scale, 2))}
        return [_("On this scale %(difference)s of the difference is left, since ratings are cut at its ends.") % left]

    def _interval(self, assumed: Assumed, n: int) -> str:
        width = plain(round(half_width(spread_of_difference(assumed, n), confidence=CONFIDENCE), 2))
        return _("A 95 %% interval of the difference will reach about %(width)s to either side.") % {"width": width}

    def _thinly_spread(self, assumed: Assumed, n: int) -> list[str]:
        """Return a warning where there are more raters than ratings of a system."""
        own = n * assumed.raters_per_text
        if assumed.raters <= own:
            return []
        words = {"raters": whole(assumed.raters).text, "own": whole(own).text}
        warning = _(
            "%(raters)s raters are more than the %(own)s ratings of each system. Some raters do not rate every system, "
            "so that the leniency of raters does not cancel out."
        )
        return [warning % words]

    def _enough(self, assumed: Assumed, n: int, power: float) -> list[str]:
        """Return the fewest items, and the fewest raters, that reach the target power."""
        target = self.cleaned_data["wanted"]
        if not assumed.difference:
            return []
        if power >= target:
            return [self._fewer(assumed, n)]
        # With more raters than ratings of a system some would rate one system only.
        most = min(MOST, n * assumed.raters_per_text)
        items = fewest(lambda number: self._power(assumed, number), above=n, most=MOST, power=target)
        raters = fewest(
            lambda number: self._power(replace(assumed, raters=number), n),
            above=assumed.raters, most=most, power=target,
        )  # fmt: skip
        words = {
            "power": exactly(target), "items": whole(items).text, "raters": whole(raters).text, "n": whole(n).text,
            "now": whole(assumed.raters).text, "most": whole(MOST).text, "ratings": _ratings(assumed, n),
            "of_items": _ratings(assumed, items or n),
        }  # fmt: skip
        if items and raters:
            reached = _(
                "%(power)s is reached with %(items)s items (%(of_items)s ratings), or with %(raters)s raters who share "
                "the %(ratings)s ratings of %(n)s items."
            )
        elif items:
            reached = _(
                "%(power)s is reached with %(items)s items (%(of_items)s ratings). The %(ratings)s ratings of %(n)s "
                "items are too few, however many raters share them."
            )
        elif raters:
            reached = _(
                "%(power)s is reached with %(raters)s raters who share the %(ratings)s ratings of %(n)s items. %(now)s "
                "raters are too few, even with %(most)s items."
            )
        elif self._power(replace(assumed, raters=MOST), MOST) >= target:
            reached = _("%(power)s takes both more items and more raters.")
        else:
            reached = _("%(power)s is not reached even with %(most)s items and as many raters.")
        return [reached % words]

    def _fewer(self, assumed: Assumed, n: int) -> str:
        """Return the fewest items, and the fewest raters, where the power is above the target."""
        target = self.cleaned_data["wanted"]
        # Fewer items would leave raters without a rating.
        rated = -(-assumed.raters // (assumed.raters_per_text * assumed.systems))
        items = fewest(
            lambda number: self._power(assumed, number), above=min(n, max(LEAST_ITEMS, rated)) - 1, most=n, power=target
        )
        raters = fewest(
            lambda number: self._power(replace(assumed, raters=number), n),
            above=max(2, assumed.raters_per_text) - 1, most=assumed.raters, power=target,
        )  # fmt: skip
        words = {
            "power": exactly(target), "items": whole(items or n).text, "of_items": _ratings(assumed, items or n),
            "now": whole(assumed.raters).text, "raters": whole(raters or assumed.raters).text,
            "ratings": _ratings(assumed, n), "n": whole(n).text,
        }  # fmt: skip
        return (
            _(
                "%(power)s is reached with as few as %(items)s items (%(of_items)s ratings) and these %(now)s raters, "
                "or with as few as %(raters)s raters who share the %(ratings)s ratings of %(n)s items."
            )
            % words
        )

    def _advice(self) -> list[str]:
        """Answer whether more raters or more items would help more, and how many ratings each takes."""
        assumed, n = self._assumed(), self.cleaned_data["n_items"]
        if self._power(assumed, n) >= CERTAIN or not assumed.difference:
            return []
        items, raters = self._power(assumed, 2 * n), self._power(replace(assumed, raters=2 * assumed.raters), n)
        words = {
            "items": self._words(items), "raters": self._words(raters), "ratings": _ratings(assumed, n),
            "twice": _ratings(assumed, 2 * n),
        }  # fmt: skip
        if 2 * assumed.raters > n * assumed.raters_per_text:
            sentence = _(
                "Twice as many items take twice as many ratings (%(twice)s instead of %(ratings)s) and give a power of "
                "%(items)s. Twice as many raters would need more ratings, too."
            )
        elif abs(items - raters) < ALIKE:
            sentence = _(
                "Twice as many raters for the same %(ratings)s ratings give a power of %(raters)s. Twice as many items "
                "take twice as many ratings and give about the same power: %(items)s."
            )
        elif raters > items:
            sentence = _(
                "More raters help more than more items: twice as many raters for the same %(ratings)s ratings give a "
                "power of %(raters)s. Twice as many items take twice as many ratings and give %(items)s."
            )
        else:
            sentence = _(
                "More items help more than more raters, but take more ratings: twice as many items (%(twice)s ratings "
                "instead of %(ratings)s) give a power of %(items)s, twice as many raters for the same ratings "
                "%(raters)s."
            )
        return [sentence % words]

    def _curves(self, assumed: Assumed, n: int, power: float) -> list[Curve]:
        items = [(float(size), self._power(assumed, size)) for size in _around(n, 2)]
        raters = [
            (float(size), self._power(replace(assumed, raters=size), n))
            for size in _around(assumed.raters, max(2, assumed.raters_per_text), n * assumed.raters_per_text)
        ]
        limit = (self.cleaned_data["wanted"], _("target"))
        of_items = _("%(n)s items: %(power)s") % {"n": n, "power": self._words(power)}
        of_raters = _("%(n)s raters: %(power)s") % {"n": assumed.raters, "power": self._words(power)}
        return [
            Curve(
                _("Power by number of items"), _("Items"), items, limit=limit, mark=(n, power, of_items), dots=True
            ),
            Curve(
                _("Power by number of raters, the number of ratings unchanged"), _("Raters"), raters, limit=limit,
                mark=(assumed.raters, power, of_raters), dots=True,
            ),
        ]  # fmt: skip

    def _changes(self, assumed: Assumed, n: int) -> Table:
        """Return power and interval of this study and of larger ones."""
        more_raters, own = replace(assumed, raters=2 * assumed.raters), n * assumed.raters_per_text
        per_text = min(2 * assumed.raters_per_text, assumed.raters)
        cases = [
            (_("As entered"), assumed, n),
            (_("Twice as many items"), assumed, 2 * n),
            *([(_("Twice as many raters"), more_raters, n)] if more_raters.raters <= own else []),
            *([(_("Twice as many raters and items"), more_raters, 2 * n)] if assumed.raters <= own else []),
            (_("%(n)s raters per text") % {"n": per_text}, replace(assumed, raters_per_text=per_text), n),
        ]
        heads = [
            Column(_("Study")), Column(_("Items")), Column(_("Raters")), Column(_("Ratings")), Column(_("Power")),
            Column(_("95 % ±")),
        ]  # fmt: skip
        rows = []
        for place, (words, case, size) in enumerate(cases):
            power = self._power(case, size)
            rows.append([
                Cell(words, words), whole(size), whole(case.raters),
                whole(size * case.raters_per_text * case.systems), Cell(self._words(power), power, strong=place == 0),
                number(half_width(spread_of_difference(case, size), confidence=CONFIDENCE), 2),
            ])  # fmt: skip
        return Table(_("What would help"), heads, rows, [])

    def _from_where(self) -> list[tuple[str, str]]:
        """List the assumptions, with the source of standard deviations from an earlier study."""
        listed = self.assumptions(*SPREADS)
        spreads = self._spreads()
        for name in SPREADS:
            words = plain(round(spreads[name], 4))
            if self._from_pilot is not None and self._from_pilot.estimates.get(name) == spreads[name]:
                words = self.from_pilot(words)
            elif self._from_pilot is not None and name in self._from_pilot.zero:
                words = _("%(value)s, since the earlier study has 0") % {"value": words}
            listed.append((str(COMPONENTS[name]), words))
        return listed


def _ratings(assumed: Assumed, n_items: int) -> str:
    """Write the number of all ratings with so many items."""
    return whole(n_items * assumed.raters_per_text * assumed.systems).text


def _around(number: int, least: int, most: int | None = None) -> list[int]:
    """Return numbers around another one, for a curve; none but this one is above `most`."""
    sizes = {max(least, ceil(number * factor)) for factor in AROUND}
    return sorted({size for size in sizes if most is None or size <= most} | {number})
