"""Power for a difference of means between systems, by simulated studies."""

from math import ceil
from typing import cast

import numpy as np
from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from analytics_app.selectors.planning import SPREADS
from analytics_app.show.cells import Cell, interval, percent, whole
from analytics_app.show.table import Column, Table
from analytics_app.stats.planning.power import Assumed, Power, power_of_means, power_of_t, runs_within
from analytics_app.stats.values import Estimate
from analytics_app.views.planning.answer import Answer, Curve
from analytics_app.views.planning.base import PlanningForm, Words, plain, seed_field, share
from tasks_app.setting_fields import YesNoField, number_field, whole_field

RUNS = 2000
# A power that need not be raised.
CERTAIN = 0.99
# Numbers of items to compute, as shares of the number in the form.
AROUND = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0)

COMPONENTS = {
    "sd_item": gettext_lazy("SD between items"),
    "sd_system_item": gettext_lazy("SD of system × item"),
    "sd_rater": gettext_lazy("SD between raters"),
    "sd_residual": gettext_lazy("Residual SD"),
}


def spread(name: str, initial: float, help_text: Words) -> forms.FloatField:
    """Return a field for a standard deviation."""
    return number_field(cast("str", COMPONENTS[name]), cast("str", help_text), within=(0, 1e6), initial=initial)


class MeansPlan(PlanningForm):
    title = gettext_lazy("Power for a difference of means")
    summary = gettext_lazy("The probability of finding a difference between systems, for a number of items and raters.")
    from_pilots = SPREADS
    folded = ("wanted", "alpha", "middle", *SPREADS, "seed")

    systems = whole_field(gettext_lazy("Systems"), within=(2, 12), initial=2)
    n_items = whole_field(
        gettext_lazy("Items"), gettext_lazy("Judged for every system."), within=(4, 20_000), initial=100
    )
    per_text = whole_field(gettext_lazy("Raters per text"), within=(1, 100), initial=3)
    raters = whole_field(gettext_lazy("Raters in total"), within=(1, 10_000), initial=30)
    same_raters = YesNoField(
        label=gettext_lazy("The same raters judge all systems of an item"),
        help_text=gettext_lazy("As side by side: their leniency cancels."),
    )
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
    alpha = number_field(gettext_lazy("Alpha, two-sided"), within=(0.0001, 0.5), initial=0.05)
    wanted = number_field(gettext_lazy("Target power"), within=(0.1, 0.999), initial=0.8)
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
    sd_rater = spread("sd_rater", 0.5, gettext_lazy("How much raters differ in leniency."))
    sd_residual = spread("sd_residual", 0.8, gettext_lazy("Variation of one rater on the same text."))
    seed = seed_field()

    def clean(self) -> dict[str, object]:
        """Refuse assumptions that cannot be simulated, and texts that need more raters than there are."""
        cleaned = super().clean() or self.cleaned_data
        if self.errors:
            return cleaned
        if cleaned["raters"] < cleaned["per_text"]:
            self.add_error("raters", _("The raters per text are more than the raters in total."))
            return cleaned
        if not any(self._spreads().get(name) for name in SPREADS if name != "sd_item"):
            self.add_error("sd_residual", _("At least one standard deviation must be above 0."))
            return cleaned
        try:
            runs_within(self._assumed(), max(self._sizes()), RUNS)
        except ValueError:
            too_large = _("This is too large to compute on a page. Enter fewer items, systems or raters per text.")
            self.add_error("n_items", too_large)
        return cleaned

    def answer(self) -> Answer:
        """Answer with the power, and how it changes with the number of items."""
        values, assumed, sizes = self.cleaned_data, self._assumed(), self._sizes()
        rng = np.random.default_rng(values["seed"])
        powers = power_of_means(assumed, sizes, alpha=values["alpha"], n_runs=RUNS, rng=rng)
        own = powers[sizes.index(values["n_items"])]
        runs = runs_within(assumed, max(sizes), RUNS)
        words = {"n": whole(own.n_items).text, "difference": plain(values["difference"]), "power": _near(_shown(own))}
        lead = _("With %(n)s items a difference of %(difference)s is found with a probability of %(power)s.") % words
        return Answer(
            lead,
            [*self._enough(powers), *self._at_best(own)],
            [],
            self._curve(powers, own),
            [self._table(powers)],
            (),
            [*self._from_where(), (_("Simulated studies"), whole(runs).text)],
            _(
                "Paired t tests on the means of items, in studies simulated from these assumptions; the interval is "
                "twice the Monte-Carlo error. Holm: corrected for all pairs of systems."
            ),
        )

    def _spreads(self) -> dict[str, float]:
        """Return the standard deviations, from the earlier study where it has them."""
        rows = self.chosen.rows if self.chosen else {}
        return {
            name: float(rows[name].value or 0) if name in rows and rows[name].value is not None
            else float(self.cleaned_data[name])
            for name in SPREADS
        }  # fmt: skip

    def _assumed(self) -> Assumed:
        values = self.cleaned_data
        return Assumed(
            difference=values["difference"],
            systems=values["systems"],
            raters_per_text=values["per_text"],
            raters=values["raters"],
            same_raters=bool(values["same_raters"]),
            steps=values["steps"],
            middle=values["middle"],
            **self._spreads(),
        )

    def _sizes(self) -> list[int]:
        n = self.cleaned_data["n_items"]
        return sorted({max(2, ceil(n * factor)) for factor in AROUND})

    def _enough(self, powers: list[Power]) -> list[str]:
        """Return between which numbers of items the target power is reached."""
        target = self.cleaned_data["wanted"]
        words = {"power": share(target)}
        reached = next((i for i, power in enumerate(powers) if (_shown(power).value or 0) >= target), None)
        if reached is None:
            n = {**words, "n": whole(powers[-1].n_items).text}
            return [_("Even %(n)s items do not reach %(power)s.") % n]
        if not reached:
            n = {**words, "n": whole(powers[0].n_items).text}
            return [_("%(n)s items, the fewest looked at, reach %(power)s.") % n]
        limits = {"least": whole(powers[reached - 1].n_items).text, "most": whole(powers[reached].n_items).text}
        return [_("%(power)s is reached between %(least)s and %(most)s items.") % {**words, **limits}]

    def _at_best(self, own: Power) -> list[str]:
        """Return the power with infinitely many raters of each text."""
        values, spreads = self.cleaned_data, self._spreads()
        if not spreads["sd_system_item"]:
            return []
        assumed = Assumed(values["difference"], sd_system_item=spreads["sd_system_item"], sd_residual=0.0)
        best = power_of_t(assumed, own.n_items, alpha=values["alpha"])
        message = _(
            "However many raters judge each text, these items give one pair at most %(power)s: take more items."
        )
        return [message % {"power": share(best)}] if best < CERTAIN else []

    def _curve(self, powers: list[Power], own: Power) -> Curve:
        estimates = [_shown(entry) for entry in powers]
        points = [
            (float(entry.n_items), e.value or 0.0, e.low or 0.0, e.high or 0.0)
            for entry, e in zip(powers, estimates, strict=True)
        ]
        power = _shown(own).value or 0.0
        several = self.cleaned_data["systems"] > 2
        return Curve(
            title=_("Power after Holm by number of items") if several else _("Power by number of items"),
            across=_("Items"),
            points=points,
            limit=(self.cleaned_data["wanted"], _("target")),
            mark=(own.n_items, power, _("%(n)s items: %(power)s") % {"n": own.n_items, "power": share(power)}),
            dots=True,
        )

    def _table(self, powers: list[Power]) -> Table:
        several = self.cleaned_data["systems"] > 2
        heads = [Column(_("Items")), Column(_("Power of one pair")), Column(_("Interval"))]
        heads += [Column(_("Power after Holm")), Column(_("Interval after Holm"))] if several else []
        rows = []
        for entry in powers:
            estimates = [entry.single, entry.adjusted] if several else [entry.single]
            cells = [whole(entry.n_items)]
            for estimate in estimates:
                own = percent(estimate.value, 1)
                cells.append(Cell(own.text, own.sort, strong=entry.n_items == self.cleaned_data["n_items"]))
                cells.append(interval(estimate.low, estimate.high, 3))
            rows.append(cells)
        return Table(_("Power by number of items"), heads, rows, [_("Your case is bold.")])

    def _from_where(self) -> list[tuple[str, str]]:
        """List the assumptions, with the source of standard deviations from an earlier study."""
        listed = self.assumptions(*SPREADS)
        pilot, spreads = self.chosen, self._spreads()
        for name in SPREADS:
            row = pilot.rows.get(name) if pilot else None
            words = plain(round(spreads[name], 4))
            if row is not None and row.value is not None:
                words = self.from_pilot(words)
            listed.append((str(COMPONENTS[name]), words))
        return listed


def _shown(power: Power) -> Estimate:
    """Return the power shown on the page: corrected for all pairs, which changes nothing for a single pair."""
    return power.adjusted


def _near(estimate: Estimate) -> str:
    off = 2 * (estimate.se or 0)
    return _("%(power)s (±%(off)s)") % {"power": share(estimate.value or 0.0), "off": share(off, 1)}
