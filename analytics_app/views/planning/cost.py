"""Cost of a study: raters, hours and money, per set and in total."""

from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from math import ceil

from django import forms
from django.utils import formats
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from analytics_app.show.cells import Cell, whole
from analytics_app.show.table import Column, Table
from analytics_app.views.planning.answer import Answer
from analytics_app.views.planning.base import PlanningForm
from tasks_app import pay
from tasks_app.settings.fields import number_field, whole_field
from tasks_app.views.pay_words import money


class CostPlan(PlanningForm):
    title = gettext_lazy("Cost and hours")
    summary = gettext_lazy(
        "Raters, hours and money, from the number of units, judgments per unit and seconds per unit."
    )
    folded = ("extra", "training", "reading", "lost", "fee")

    units = whole_field(
        gettext_lazy("Units"),
        gettext_lazy("Screens to be judged: mostly items times systems."),
        within=(1, 10_000_000),
        initial=300,
    )
    k = number_field(gettext_lazy("Judgments per unit"), within=(1, 1000), initial=3)
    set_size = whole_field(
        gettext_lazy("Units per set"), gettext_lazy("What one rater judges."), within=(1, 100_000), initial=20
    )
    seconds = number_field(gettext_lazy("Seconds per unit"), within=(0.5, 36_000), initial=30)
    hourly = forms.DecimalField(
        min_value=0, max_value=10_000, decimal_places=2, initial=Decimal("12.00"), label=gettext_lazy("Pay per hour")
    )
    currency = forms.RegexField(r"^[A-Z]{3}$", initial="EUR", label=gettext_lazy("Currency"))
    extra = whole_field(
        gettext_lazy("Additional units per set"),
        gettext_lazy("Controls, attention checks, repeats, warm-up."),
        within=(0, 10_000),
        initial=2,
    )
    training = whole_field(gettext_lazy("Training and exam units of a rater"), within=(0, 10_000), initial=0)
    reading = number_field(
        gettext_lazy("Minutes before and after"),
        gettext_lazy("Consent, instructions, questions at the end: they are paid as well."),
        within=(0, 600),
        initial=3,
    )
    fee = number_field(
        gettext_lazy("Fee of the platform, in per cent of the pay"),
        gettext_lazy("As your platform charges it, taxes included; 0 for people you invite."),
        within=(0, 300),
        initial=0,
    )
    lost = number_field(
        gettext_lazy("Judgments to be replaced, in per cent"),
        gettext_lazy("Of raters who stop or are left out: paid, and their places go to others."),
        within=(0, 90),
        initial=5,
    )

    def answer(self) -> Answer:
        """Answer with the cost of a set and of all sets."""
        values = self.cleaned_data
        counted = ceil(values["units"] * values["k"])
        judgments = ceil(counted / (1 - values["lost"] / 100))
        size, currency = values["set_size"], values["currency"]
        raters = -(-judgments // size)
        screens = size + values["extra"] + values["training"]
        minutes = screens * values["seconds"] / 60 + values["reading"]
        amount = pay.needed(values["hourly"], minutes)
        # A short set is paid in proportion, as in the study itself.
        paid = pay.cents(Fraction(amount) * Fraction(judgments, size))
        fee = _fee(paid, values["fee"])
        hours = raters * minutes / 60
        words = {
            "raters": ngettext("%(n)s rater", "%(n)s raters", raters) % {"n": whole(raters).text},
            "hours": _rounded(hours),
            "cost": money(paid + fee, currency),
        }
        set_words = {"minutes": _rounded(minutes), "pay": money(amount, currency), "size": whole(size).text}
        return Answer(
            _("%(raters)s, %(hours)s hours of their time, %(cost)s in all.") % words,
            [
                ngettext(
                    "A set of %(size)s unit takes %(minutes)s minutes and pays %(pay)s.",
                    "A set of %(size)s units takes %(minutes)s minutes and pays %(pay)s.",
                    size,
                )
                % set_words
            ],
            [],
            (),
            [self._table(counted, judgments, raters, minutes, amount, paid, fee)],
            (),
            self.assumptions(),
            _(
                "Pay is rounded up to the cent, as raters are paid; training, checks and reading count as work. Part "
                "pay for people who are screened out, and bonuses, come on top."
            ),
        )

    def _table(
        self, counted: int, judgments: int, raters: int, minutes: float, amount: Decimal, paid: Decimal, fee: Decimal
    ) -> Table:
        values = self.cleaned_data
        size, currency = values["set_size"], values["currency"]
        screens = size + values["extra"] + values["training"]
        set_fee = _fee(amount, values["fee"])
        lines = [
            (_("Judgments that count"), whole(size).text, whole(counted).text),
            (_("with replacements"), "", whole(judgments).text),
            (_("Screens with a unit"), whole(screens).text, whole(screens * raters).text),
            (_("Minutes"), _rounded(minutes), _rounded(minutes * raters)),
            (_("Hours"), _rounded(minutes / 60, 2), _rounded(minutes * raters / 60)),
            (_("Pay"), money(amount, currency), money(paid, currency)),
            (_("Fee"), money(set_fee, currency), money(fee, currency)),
            (_("Together"), money(amount + set_fee, currency), money(paid + fee, currency)),
            (_("Cost of a judgment that counts"), "", money(_cent((paid + fee) / counted), currency)),
        ]
        rows = [[Cell(name), Cell(per_set or "–"), Cell(whole_study)] for name, per_set, whole_study in lines]
        heads = [Column(_("What"), number=False), Column(_("A set")), Column(_("In total"))]
        per_hour = pay.hourly(amount, minutes)
        note = _("The pay for a set comes to %(pay)s per hour.") % {"pay": money(per_hour or pay.NOTHING, currency)}
        return Table(_("Effort and cost"), heads, rows, [note])


def _fee(amount: Decimal, percent: float) -> Decimal:
    return _cent(amount * Decimal(f"{percent:.6f}") / 100)


def _cent(amount: Decimal) -> Decimal:
    return amount.quantize(pay.CENT, ROUND_HALF_UP)


def _rounded(value: float, digits: int = 1) -> str:
    return formats.number_format(round(value, digits), 0 if value >= 100 else digits, force_grouping=True)
