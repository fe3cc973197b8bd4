"""Power for preferences between two systems, by the exact sign test."""

from math import ceil

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from analytics_app.show.cells import Cell, percent, whole
from analytics_app.show.table import Column, Table
from analytics_app.stats.planning.sign_power import (
    MOST_ITEMS,
    items_for_sign_test,
    power_of_sign_test,
    sign_test_curve,
)
from analytics_app.views.planning.answer import Answer, Curve
from analytics_app.views.planning.base import PlanningForm, exactly, power_words, share
from tasks_app.settings.fields import number_field, whole_field

# Enumerating more preferences for each point of the curve would make the page slow.
MOST = 5000
POINTS = 60
WINS = (0.52, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8)


class PreferencesPlan(PlanningForm):
    title = gettext_lazy("Power for preferences")
    summary = gettext_lazy("The probability that the sign test finds a preference for one of two systems. Exact.")
    folded = ("alpha", "wanted")

    n_items = whole_field(
        gettext_lazy("Items"),
        gettext_lazy("One preference each: of one rater, or of the majority of several."),
        within=(1, MOST),
        initial=200,
    )
    wins = number_field(
        gettext_lazy("Share of preferences for one system"),
        gettext_lazy("Of those that are not ties; one half is no preference."),
        within=(0.01, 0.99),
        initial=0.6,
    )
    ties = number_field(
        gettext_lazy("Share of ties"), gettext_lazy("They are left out of the test."), within=(0, 0.95), initial=0.2
    )
    alpha = number_field(gettext_lazy("Alpha, two-sided"), within=(0.0001, 0.5), initial=0.05)
    wanted = number_field(gettext_lazy("Target power"), within=(0.1, 0.999), initial=0.8)

    def answer(self) -> Answer:
        """Answer with the power, and the number of items for the target power."""
        values = self.cleaned_data
        n, settings = values["n_items"], {name: values[name] for name in ("wins", "ties", "alpha")}
        power = power_of_sign_test(n, **settings)
        power_in_words = power_words(power, values["wanted"])
        words = {"n": whole(n).text, "wins": share(values["wins"], 1), "power": power_in_words}
        lead = _("With %(n)s items a preference of %(wins)s is found with a probability of %(power)s.") % words
        n_enough = items_for_sign_test(**settings, power=values["wanted"])
        largest = min(MOST, max(2 * n, ceil(1.2 * n_enough) if n_enough else 2 * n))
        sizes = sorted({*range(1, largest + 1, max(1, largest // POINTS)), n})
        return Answer(
            lead,
            [_enough(n_enough, values["wanted"]), self._scope()],
            [_("One half is no preference: there is nothing to be found.")] if values["wins"] == 0.5 else [],
            [
                Curve(
                    title=_("Power by number of items"),
                    across=_("Items"),
                    points=list(zip(map(float, sizes), sign_test_curve(sizes, **settings), strict=True)),
                    limit=(values["wanted"], _("target")),
                    mark=(n, power, _("%(n)s items: %(power)s") % {"n": whole(n).text, "power": power_in_words}),
                )
            ],
            [self._table()],
            (),
            self.assumptions(),
            _("Exact two-sided sign test by enumeration; ties are left out, as many as fall."),
        )

    def _scope(self) -> str:
        return _(
            "This is the power of the sign test over items, whose conclusion is about the raters who took part. "
            "Results test by default whether a preference holds for further raters, too, which takes more: raters who "
            "differ in what they prefer lower its power. Plan for more items and more raters than this page says."
        )

    def _table(self) -> Table:
        """Return the table of power and items for other preferences."""
        values = self.cleaned_data
        heads = [Column(_("Preference")), Column(_("Power with these items")), Column(_("Items for the power wanted"))]
        rows = []
        for wins in sorted({*WINS, values["wins"]}):
            settings = {"wins": wins, "ties": values["ties"], "alpha": values["alpha"]}
            is_own, power = wins == values["wins"], power_of_sign_test(values["n_items"], **settings)
            n_enough = items_for_sign_test(**settings, power=values["wanted"])
            items_cell = (
                whole(n_enough) if n_enough is not None else Cell(_("over %(n)s") % {"n": whole(MOST_ITEMS).text})
            )
            rows.append(
                [
                    percent(wins, 1),
                    Cell(power_words(power, values["wanted"]), power, strong=is_own),
                    Cell(items_cell.text, items_cell.sort, strong=is_own),
                ]
            )
        return Table(_("Other preferences"), heads, rows, [_("Your case is bold.")])


def _enough(n: int | None, target: float) -> str:
    if n is None:
        return _("More than %(n)s items would be needed for %(power)s.") % {
            "n": whole(MOST_ITEMS).text, "power": exactly(target),
        }  # fmt: skip
    return _("From %(n)s items on it is at least %(power)s.") % {"n": whole(n).text, "power": exactly(target)}
