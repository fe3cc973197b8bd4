"""Width of the interval of Krippendorff's alpha."""

from math import ceil, sqrt
from typing import cast

import numpy as np
from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from analytics_app.selectors.planning import ALPHA
from analytics_app.show.cells import Cell, figure, interval, number, whole
from analytics_app.show.table import Column, Table
from analytics_app.stats.planning.alpha_width import Expected, Level, alpha_width, runs_within
from analytics_app.stats.values import Estimate
from analytics_app.views.planning.answer import Answer
from analytics_app.views.planning.base import PlanningForm, seed_field, share
from analytics_app.views.planning.curve import Curve
from tasks_app.settings.fields import choice_field, number_field, whole_field

RUNS = 1000
AROUND = (0.25, 0.5, 1.0, 1.5, 2.0, 3.0)
LEVELS = ("nominal", "ordinal", "interval")


class AgreementPlan(PlanningForm):
    title = gettext_lazy("Width of an interval of alpha")
    summary = gettext_lazy("The range in which Krippendorff's alpha will fall, for a number of texts and raters.")
    from_pilots = ALPHA
    folded = ("shares", "confidence", "seed")

    n_texts = whole_field(gettext_lazy("Texts judged by several raters"), within=(4, 50_000), initial=100)
    k = whole_field(gettext_lazy("Raters of each of them"), within=(2, 50), initial=3)
    level = choice_field(
        gettext_lazy("Level of measurement"),
        (
            ("nominal", gettext_lazy("nominal: labels")),
            ("ordinal", gettext_lazy("ordinal: steps, such as Likert")),
            ("interval", gettext_lazy("interval: numbers, such as sliders")),
        ),
        initial="ordinal",
    )
    steps = whole_field(gettext_lazy("Labels, or steps of the scale"), within=(2, 101), initial=5)
    expected = number_field(
        gettext_lazy("Alpha that you expect"), gettext_lazy("0 to 0.95."), within=(0, 0.95), initial=0.5
    )
    pilot = forms.CharField(required=False)
    shares = forms.CharField(
        required=False,
        max_length=1000,
        label=gettext_lazy("How often each is used"),
        help_text=gettext_lazy("Such as 10 20 40 20 10. Left empty: all equally often."),
    )
    confidence = number_field(gettext_lazy("Confidence"), within=(0.5, 0.999), initial=0.95)
    seed = seed_field()

    def clean(self) -> dict[str, object]:
        """Refuse shares that do not fit the steps, and simulations that are too large for a page."""
        cleaned = super().clean() or self.cleaned_data
        if self.errors:
            return cleaned
        try:
            self._expected()
        except ValueError:
            message = _("Give a number above 0 for each of the %(n)s steps, with spaces between.")
            self.add_error("shares", message % {"n": cleaned["steps"]})
            return cleaned
        try:
            runs_within(max(self._sizes()), cleaned["k"], RUNS)
        except ValueError:
            self.add_error(
                "n_texts", _("This is too large to compute on a page. Enter fewer texts or raters per text.")
            )
        return cleaned

    def answer(self) -> Answer:
        """Answer with the range in which alpha will fall."""
        values, sizes = self.cleaned_data, self._sizes()
        rng = np.random.default_rng(values["seed"])
        settings = {"confidence": values["confidence"], "n_runs": RUNS, "rng": rng}
        estimates = alpha_width(self._expected(), sizes, values["k"], **settings)
        estimate = estimates[sizes.index(values["n_texts"])]
        runs = runs_within(max(sizes), values["k"], RUNS)
        assumed = [
            *self.assumptions("shares"),
            (_("How often each is used"), values["shares"] or _("all equally often")),
        ]
        return Answer(
            self._lead(estimate),
            self._like_pilot(),
            [estimate.note] if estimate.note else [],
            self._curves(sizes, estimates),
            [self._table(sizes, estimates)],
            (),
            [*self._from_where(assumed), (_("Simulated studies"), whole(runs).text)],
            _(
                "Alpha in simulated studies: the outer percentiles of its values. The bootstrap interval of one study "
                "is about as wide. Texts with one rating do not count."
            ),
        )

    def _lead(self, estimate: Estimate) -> str:
        values = self.cleaned_data
        if estimate.low is None or estimate.high is None:
            return _("Nothing can be said: alpha would be undefined.")
        lead = _(
            "With %(n)s texts and %(k)s raters each, alpha will fall between %(low)s and %(high)s (%(confidence)s)."
        )
        return lead % {
            "n": whole(values["n_texts"]).text, "k": values["k"], "low": figure(estimate.low, 2), "high":
            figure(estimate.high, 2), "confidence": share(values["confidence"], 0 if round(values["confidence"] * 100,
            6) % 1 == 0 else 1),
        }  # fmt: skip

    def _value(self) -> float:
        """Return the expected alpha: that of the earlier study if there is one, within the limits of simulation."""
        row = self.chosen.rows["alpha"] if self.chosen else None
        alpha = float(self.cleaned_data["expected"]) if row is None or row.value is None else row.value
        return min(max(alpha, 0.0), 0.95)

    def _expected(self) -> Expected:
        values = self.cleaned_data
        level = self.chosen.level if self.chosen and self.chosen.level in LEVELS else values["level"]
        words = values["shares"].replace(",", " ").replace(";", " ").split()
        shares = tuple(float(word) for word in words) or (1.0,) * values["steps"]
        if len(shares) != values["steps"]:
            raise ValueError("There is a share for each step.")
        return Expected(self._value(), cast("Level", level), shares)

    def _sizes(self) -> list[int]:
        n = self.cleaned_data["n_texts"]
        return sorted({max(2, ceil(n * factor)) for factor in AROUND})

    def _like_pilot(self) -> list[str]:
        """Return the width expected from the earlier study: intervals shrink with the root of the number of texts."""
        row = self.chosen.rows["alpha"] if self.chosen else None
        if row is None or row.low is None or row.high is None or not row.n_items:
            return []
        n = self.cleaned_data["n_texts"]
        width = (row.high - row.low) * sqrt(row.n_items / n)
        return [
            _(
                "The earlier study had an interval from %(low)s to %(high)s on %(texts)s texts; on %(n)s it would be "
                "about %(width)s wide."
            )
            % {
                "low": figure(row.low, 2), "high": figure(row.high, 2), "texts": whole(row.n_items).text,
                "n": whole(n).text, "width": figure(width, 2),
            }
        ]  # fmt: skip

    def _from_where(self, listed: list[tuple[str, str]]) -> list[tuple[str, str]]:
        if self.chosen is None:
            return listed
        expected = self._expected()
        from_study = {
            str(self.fields["expected"].label): figure(expected.alpha, 3),
            str(self.fields["level"].label): expected.level,
        }
        return [(name, self.from_pilot(from_study[name]) if name in from_study else value) for name, value in listed]

    def _curves(self, sizes: list[int], estimates: list[Estimate]) -> list[Curve]:
        points = [
            (float(n), estimate.value, estimate.low, estimate.high)
            for n, estimate in zip(sizes, estimates, strict=True)
            if estimate.value is not None and estimate.low is not None and estimate.high is not None
        ]
        if len(points) < 2:
            return []
        curve = Curve(
            title=_("Where alpha falls, by number of texts"),
            across=_("Texts"),
            points=points,
            bottom=min(0.0, *(point[2] for point in points)),
            top=1.0,
            percent=False,
            limit=(0.8, _(".8")) if max(point[3] for point in points) > 0.7 else (0.667, _(".667")),
            dots=True,
        )
        return [curve]

    def _table(self, sizes: list[int], estimates: list[Estimate]) -> Table:
        heads = [Column(_("Texts")), Column(_("Ratings")), Column(_("Alpha falls between")), Column(_("Width"))]
        own = self.cleaned_data["n_texts"]
        rows = []
        for n, estimate in zip(sizes, estimates, strict=True):
            width = None if estimate.low is None or estimate.high is None else estimate.high - estimate.low
            cells = [interval(estimate.low, estimate.high, 2), number(width, 2)]
            rows.append(
                [
                    whole(n),
                    whole(n * self.cleaned_data["k"]),
                    *(Cell(cell.text, cell.sort, strong=n == own) for cell in cells),
                ]
            )
        return Table(_("Width by number of texts"), heads, rows, [_("Your case is bold.")])
