"""Power for preferences between two systems: for further raters and items, and by the exact sign test."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from math import ceil
from typing import Any

from django import forms
from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from analytics_app.selectors.planning import Pilot, pilots_of_pairs
from analytics_app.show.cells import Cell, percent, whole
from analytics_app.show.table import Column, Table
from analytics_app.stats.planning.power import half_width
from analytics_app.stats.planning.preference_power import AssumedShares, power_of_share, spread_of_share
from analytics_app.stats.planning.sign_power import MOST_ITEMS, items_for_sign_test, power_of_sign_test
from analytics_app.stats.planning.smallest import fewest
from analytics_app.views.planning.answer import Answer
from analytics_app.views.planning.base import (
    PlanningForm,
    alpha_field,
    exactly,
    plain,
    power_words,
    raters_field,
    share,
    target_power_field,
)
from analytics_app.views.planning.curve import Curve
from analytics_app.views.planning.shares import MOST_SHARE, MOST_TOGETHER, PARTS, PilotShares
from tasks_app.models import Study
from tasks_app.settings.fields import number_field, whole_field

# Enumerating more preferences by the sign test would make the page slow.
MOST = 5000
LEAST_ITEMS = 4
WINS = (0.52, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8)
AROUND = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0)
CONFIDENCE = 0.95


class PreferencesPlan(PlanningForm):
    title = gettext_lazy("Power for preferences")
    summary = gettext_lazy(
        "The probability of finding that one of two systems is preferred, for a number of items and raters."
    )
    folded = ("alpha", "wanted", "ties", *PARTS)

    n_items = whole_field(
        gettext_lazy("Items"),
        gettext_lazy("Compared for every pair of systems."),
        within=(LEAST_ITEMS, MOST),
        initial=200,
    )
    per_text = whole_field(gettext_lazy("Raters per comparison"), within=(1, 100), initial=3)
    raters = raters_field(gettext_lazy("They share the comparisons of every pair evenly."), most=MOST)
    systems = whole_field(
        gettext_lazy("Systems"),
        gettext_lazy("With more than two, alpha is divided by the number of pairs."),
        within=(2, 12),
        initial=2,
    )
    wins = number_field(
        gettext_lazy("Share of preferences for one system"),
        gettext_lazy("Of those that are not ties; one half is no preference."),
        within=(0.01, 0.99),
        initial=0.6,
    )
    ties = number_field(
        gettext_lazy("Share of ties"), gettext_lazy("They count as half a win."), within=(0, 0.95), initial=0.2
    )
    pilot = forms.CharField(required=False)
    alpha = alpha_field()
    wanted = target_power_field()
    between_items = number_field(
        PARTS["between_items"],
        gettext_lazy(
            "How much the probability of a win differs from item to item: 0 if not at all, 1 if items decide."
        ),
        within=(0, MOST_SHARE),
        initial=0.2,
    )
    between_raters = number_field(
        PARTS["between_raters"],
        gettext_lazy("How much raters differ in which of the two systems they prefer."),
        within=(0, MOST_SHARE),
        initial=0.05,
    )

    def __init__(
        self, query: Mapping[str, str], start: Mapping[str, Any], pilots: Mapping[str, Pilot] | None = None
    ) -> None:
        """Take the first pair of a criterion where the address names an earlier study and a criterion alone."""
        pilot = query.get("pilot", "")
        if pilot.endswith("/"):
            query = {**query, "pilot": next((key for key in pilots or {} if key.startswith(pilot)), "")}
        super().__init__(query, start, pilots)

    @classmethod
    def pilots_among(cls, studies: QuerySet[Study]) -> dict[str, Pilot]:
        """Return the pairs of systems of these studies with preferences that may replace assumptions."""
        return pilots_of_pairs(studies)

    def clean(self) -> dict[str, object]:
        """Refuse numbers of raters that the comparisons do not allow, and shares of the variance that are too much."""
        cleaned = super().clean() or self.cleaned_data
        if self.errors:
            return cleaned
        if sum(self._parts().values()) > MOST_TOGETHER + 1e-3:  # the parts are rounded
            self.add_error("between_raters", _("Both shares of the variance are together at most 0.99."))
        comparisons = cleaned["n_items"] * cleaned["per_text"]
        if cleaned["raters"] < cleaned["per_text"]:
            self.add_error("raters", _("The raters per comparison are more than the raters in total."))
        elif cleaned["raters"] > comparisons:
            error = _("There are only %(n)s comparisons of each pair: items × raters per comparison.")
            self.add_error("raters", error % {"n": whole(comparisons).text})
        return cleaned

    def answer(self) -> Answer:
        """Answer with the power for further raters and items, that of the sign test, and the assumptions."""
        values, assumed, n = self.cleaned_data, self._assumed(), self.cleaned_data["n_items"]
        words = {
            "n": whole(n).text, "raters": whole(assumed.raters).text, "wins": share(values["wins"], 1),
            "power": self._words(self._power(assumed, n)),
        }  # fmt: skip
        lead = _(
            "With %(n)s items and %(raters)s raters a preference of %(wins)s is found with a probability of %(power)s."
        )
        return Answer(
            lead % words,
            [self._interval(assumed, n), *self._enough(assumed, n), self._sign_test(), *self._as_found(n)],
            [*self._no_preference(), *(self._from_pilot.warnings() if self._from_pilot else [])],
            self._curves(assumed, n),
            [self._table()],
            (),
            self._from_where(),
            _(
                "Mixed model of preferences (win 1, tie one half, loss 0) with raters and items random, as in results: "
                "the share of wins less one half, over its standard error, has about a noncentral t distribution with "
                "Satterthwaite's degrees of freedom. Sign test: exact, two-sided, by enumeration; ties are left out, "
                "as many as fall. With several systems alpha is divided by the number of pairs."
            ),
        )

    @cached_property
    def _from_pilot(self) -> PilotShares | None:
        return PilotShares(self.chosen) if self.chosen else None

    def _parts(self) -> dict[str, float]:
        """Return the shares of the variance, from the earlier study where it has them."""
        entered = {name: float(self.cleaned_data[name]) for name in PARTS}
        return entered if self._from_pilot is None else entered | self._from_pilot.cautious

    def from_earlier_study(self) -> Mapping[str, float]:
        """Return the shares that an earlier study replaces, as this page plans with them."""
        pilot = self._from_pilot
        if pilot is None:
            return {}
        return pilot.cautious | ({} if pilot.ties is None else {"ties": self._ties})

    @property
    def _ties(self) -> float:
        """The share of ties, from the earlier study if there is one."""
        ties = self._from_pilot.ties if self._from_pilot else None
        # All of them ties would leave no preference to plan for.
        return float(self.cleaned_data["ties"]) if ties is None else min(ties, 0.95)

    @property
    def _alpha(self) -> float:
        systems: int = self.cleaned_data["systems"]
        return float(self.cleaned_data["alpha"]) / (systems * (systems - 1) // 2)

    def _assumed(self) -> AssumedShares:
        values = self.cleaned_data
        return AssumedShares(
            wins=values["wins"], ties=self._ties, raters_per_item=values["per_text"], raters=values["raters"],
            **self._parts(),
        )  # fmt: skip

    def _power(self, assumed: AssumedShares, n_items: int) -> float:
        return power_of_share(assumed, n_items, alpha=self._alpha)

    def _words(self, power: float) -> str:
        return power_words(power, self.cleaned_data["wanted"])

    def _no_preference(self) -> list[str]:
        return [_("One half is no preference: there is nothing to be found.")] if self._assumed().share == 0.5 else []

    def _interval(self, assumed: AssumedShares, n: int) -> str:
        reach = 100 * half_width(spread_of_share(assumed, n), confidence=CONFIDENCE)
        return _(
            "A 95 %% interval of the share of wins (ties half) will reach about %(points)s percentage points to either "
            "side."
        ) % {"points": plain(round(reach, 1))}

    def _enough(self, assumed: AssumedShares, n: int) -> list[str]:
        """Return the fewest items, and the fewest raters, that reach the target power; none for one half."""
        if assumed.share == 0.5:
            return []
        items, raters = self._fewest_items(assumed), self._fewest_raters(assumed, n)
        words = {
            "power": exactly(self.cleaned_data["wanted"]), "items": whole(items).text, "raters": whole(raters).text,
            "n": whole(n).text, "now": whole(assumed.raters).text, "most": whole(MOST).text,
        }  # fmt: skip
        if items and raters:
            reached = _(
                "%(power)s is reached from %(items)s items on with these %(now)s raters, and from %(raters)s raters on "
                "who share the comparisons of %(n)s items."
            )
        elif items:
            reached = _(
                "%(power)s is reached from %(items)s items on with these %(now)s raters. The comparisons of %(n)s "
                "items are too few, however many raters share them."
            )
        elif raters:
            reached = _(
                "%(power)s is reached from %(raters)s raters on who share the comparisons of %(n)s items. %(now)s "
                "raters are too few, even with %(most)s items: raters differ in which system they prefer."
            )
        else:
            reached = _("%(power)s takes both more items and more raters, or a clearer preference.")
        return [reached % words]

    def _fewest_items(self, assumed: AssumedShares) -> int | None:
        # Fewer items would leave raters without a comparison.
        least = max(LEAST_ITEMS, -(-assumed.raters // assumed.raters_per_item))
        wanted = self.cleaned_data["wanted"]
        return fewest(lambda number: self._power(assumed, number), above=least - 1, most=MOST, power=wanted)

    def _fewest_raters(self, assumed: AssumedShares, n: int) -> int | None:
        least, most = max(2, assumed.raters_per_item), min(MOST, n * assumed.raters_per_item)
        return fewest(
            lambda number: self._power(replace(assumed, raters=number), n),
            above=least - 1, most=most, power=self.cleaned_data["wanted"],
        )  # fmt: skip

    def _of_sign_test(self, wins: float) -> float:
        n: int = self.cleaned_data["n_items"]
        return power_of_sign_test(n, wins=wins, ties=self._ties, alpha=self._alpha)

    def _sign_test(self) -> str:
        wins, wanted = self.cleaned_data["wins"], self.cleaned_data["wanted"]
        power = self._of_sign_test(wins)
        n_enough = items_for_sign_test(wins=wins, ties=self._ties, alpha=self._alpha, power=wanted)
        words = {
            "found": self._words(power), "n": whole(n_enough or MOST_ITEMS).text,
            "power": exactly(self.cleaned_data["wanted"]),
        }  # fmt: skip
        start = _(
            "The sign test over items, with one preference for each (of a single rater, or of the majority), finds it "
            "with a probability of %(found)s. Its conclusion is about the raters who took part; the power above is "
            "that of the test for further raters, too, which Results show first."
        )
        reached = (
            _("The sign test needs more than %(n)s items for %(power)s.")
            if n_enough is None
            else _("From %(n)s items on the sign test has at least %(power)s.")
        )
        return f"{start % words} {reached % words}"

    def _as_found(self, n: int) -> list[str]:
        """Return the result of the earlier study, and the power if the preference is as strong as that."""
        pilot = self._from_pilot
        if pilot is None:
            return []
        sentences = [pilot.result_in_words()]
        if pilot.wins is not None:
            power = self._words(self._power(replace(self._assumed(), wins=pilot.wins), n))
            as_it_is = _(
                "If the preference is as strong as that, the power is %(power)s. Plan for the smallest preference that "
                "matters to you instead: what a small study finds is often too strong."
            )
            sentences.append(as_it_is % {"power": power})
        return [" ".join(sentences)]

    def _curves(self, assumed: AssumedShares, n: int) -> list[Curve]:
        limit = (self.cleaned_data["wanted"], _("target"))
        by_items = [(float(size), self._power(assumed, size)) for size in _around(n, LEAST_ITEMS)]
        crowds = _around(assumed.raters, max(2, assumed.raters_per_item), n * assumed.raters_per_item)
        power = self._power(assumed, n)
        words = {"n": whole(n).text, "raters": whole(assumed.raters).text, "power": self._words(power)}
        return [
            Curve(
                _("Power by number of items"), _("Items"), by_items,
                limit=limit, mark=(n, power, _("%(n)s items: %(power)s") % words), dots=True,
            ),
            Curve(
                _("Power by number of raters, the number of comparisons unchanged"), _("Raters"),
                [(float(size), self._power(replace(assumed, raters=size), n)) for size in crowds],
                limit=limit, mark=(assumed.raters, power, _("%(raters)s raters: %(power)s") % words), dots=True,
            ),
        ]  # fmt: skip

    def _table(self) -> Table:
        """Return the table of power and items for other preferences."""
        values, assumed = self.cleaned_data, self._assumed()
        heads = [
            Column(_("Preference")), Column(_("Power")), Column(_("Items needed")), Column(_("Power of the sign test")),
        ]  # fmt: skip
        rows = []
        for wins in sorted({*WINS, values["wins"]}):
            is_own, case = wins == values["wins"], replace(assumed, wins=wins)
            power, of_signs = self._power(case, values["n_items"]), self._of_sign_test(wins)
            cells = [
                Cell(self._words(power), power), _items(self._fewest_items(case)),
                Cell(self._words(of_signs), of_signs),
            ]  # fmt: skip
            rows.append([percent(wins, 1), *(Cell(cell.text, cell.sort, strong=is_own) for cell in cells)])
        return Table(_("Other preferences"), heads, rows, [_("Your case is bold.")])

    def _from_where(self) -> Sequence[tuple[str, str]]:
        """List the assumptions, with the source of those from an earlier study."""
        listed, pilot = self.assumptions("ties", *PARTS), self._from_pilot
        ties = plain(self._ties)
        from_pilot = pilot is not None and pilot.ties is not None
        listed.append((str(self.fields["ties"].label), self.from_pilot(ties) if from_pilot else ties))
        for name, value in self._parts().items():
            words = plain(value)
            if pilot is not None and name in pilot.zero:
                words = _("%(value)s, since the earlier study has 0") % {"value": words}
            elif pilot is not None and name in pilot.estimates:
                words = self.from_pilot(words)
            listed.append((str(PARTS[name]), words))
        return listed


def _items(number: int | None) -> Cell:
    return whole(number) if number is not None else Cell(_("over %(n)s") % {"n": whole(MOST).text})


def _around(number: int, least: int, most: int = MOST) -> list[int]:
    """Return numbers around another one, for a curve, within the least and the most."""
    sizes = {max(least, ceil(number * factor)) for factor in AROUND}
    return sorted({size for size in sizes if size <= most} | {number})
