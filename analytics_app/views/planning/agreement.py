"""How wide an interval of Krippendorff's alpha will be."""

from __future__ import annotations

from math import ceil, sqrt
from typing import cast

import numpy as np
from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from analytics_app.selectors.planning import ALPHA
from analytics_app.show.cells import Cell, figure, interval, number, whole
from analytics_app.show.table import Column, Table
from analytics_app.stats.estimate import Estimate
from analytics_app.stats.planning.alpha_width import Expected, Level, alpha_width, runs_within
from analytics_app.views.planning.answer import Answer, Curve
from analytics_app.views.planning.base import PlanningForm, seed_field, share

RUNS = 1000
AROUND = (0.25, 0.5, 1.0, 1.5, 2.0, 3.0)
LEVELS = ("nominal", "ordinal", "interval")


class AgreementPlan(PlanningForm):
    title = gettext_lazy("Width of an interval of alpha")
    summary = gettext_lazy("The range in which Krippendorff's alpha will fall, for a number of texts and raters.")
    from_pilots = ALPHA

    n_texts = forms.IntegerField(
        min_value=4,
        max_value=50_000,
        initial=100,
        label=gettext_lazy("Texts judged by several raters"),
    )
    k = forms.IntegerField(min_value=2, max_value=50, initial=3, label=gettext_lazy("Raters of each of them"))
    pilot = forms.CharField(required=False)
    expected = forms.FloatField(
        min_value=0, max_value=0.95, initial=0.5, label=gettext_lazy("Alpha that you expect"),
        help_text=gettext_lazy("0 to 0.95."),
    )  # fmt: skip
    level = forms.ChoiceField(
        choices=(
            ("nominal", gettext_lazy("nominal: labels")),
            ("ordinal", gettext_lazy("ordinal: steps, such as Likert")),
            ("interval", gettext_lazy("interval: numbers, such as sliders")),
        ),
        initial="ordinal",
        label=gettext_lazy("Level of measurement"),
    )
    steps = forms.IntegerField(
        min_value=2, max_value=101, initial=5, label=gettext_lazy("Labels, or steps of the scale")
    )
    shares = forms.CharField(
        required=False,
        max_length=1000,
        label=gettext_lazy("How often each is used"),
        help_text=gettext_lazy("Such as 10 20 40 20 10. Left empty: all equally often."),
    )
    confidence = forms.FloatField(min_value=0.5, max_value=0.999, initial=0.95, label=gettext_lazy("Confidence"))
    seed = seed_field()

    def clean(self) -> dict[str, object]:
        """Refuse shares that do not fit the steps, and what is too large for a page."""
        cleaned = super().clean() or self.cleaned_data
        if self.errors:
            return cleaned
        try:
            self._expected()
        except ValueError:
            wrong = _("Give a number above 0 for each of the %(n)s steps, with spaces between.")
            self.add_error("shares", wrong % {"n": cleaned["steps"]})
            return cleaned
        try:
            runs_within(max(self._sizes()), cleaned["k"], RUNS)
        except ValueError:
            self.add_error(
                "n_texts", _("This is too large to compute on a page. Enter fewer texts or raters per text.")
            )
        return cleaned

    def answer(self) -> Answer:
        """Say between which values alpha will fall."""
        said, sizes = self.cleaned_data, self._sizes()
        rng = np.random.default_rng(said["seed"])
        about = {"confidence": said["confidence"], "n_runs": RUNS, "rng": rng}
        found = alpha_width(self._expected(), sizes, said["k"], **about)
        own = found[sizes.index(said["n_texts"])]
        runs = runs_within(max(sizes), said["k"], RUNS)
        listed = [*self.assumptions("shares"), (_("How often each is used"), said["shares"] or _("all equally often"))]
        return Answer(
            self._lead(own),
            self._like_pilot(),
            [own.note] if own.note else [],
            self._curve(sizes, found),
            [self._table(sizes, found)],
            (),
            [*self._from_where(listed), (_("Simulated studies"), whole(runs).text)],
            _(
                "Alpha in simulated studies: the outer percentiles of its values. The bootstrap interval of one study "
                "is about as wide. Texts with one rating do not count."
            ),
        )

    def _lead(self, own: Estimate) -> str:
        said = self.cleaned_data
        if own.low is None or own.high is None:
            return _("Nothing can be said: alpha would be undefined.")
        lead = _(
            "With %(n)s texts and %(k)s raters each, alpha will fall between %(low)s and %(high)s (%(confidence)s)."
        )
        return lead % {
            "n": whole(said["n_texts"]).text, "k": said["k"], "low": figure(own.low, 2), "high": figure(own.high, 2),
            "confidence": share(said["confidence"], 0 if round(said["confidence"] * 100, 6) % 1 == 0 else 1),
        }  # fmt: skip

    def _value(self) -> float:
        """The alpha that is expected: that of the earlier study, as far as it can be simulated."""
        row = self.chosen.rows["alpha"] if self.chosen else None
        found = float(self.cleaned_data["expected"]) if row is None or row.value is None else row.value
        return min(max(found, 0.0), 0.95)

    def _expected(self) -> Expected:
        said = self.cleaned_data
        level = self.chosen.level if self.chosen and self.chosen.level in LEVELS else said["level"]
        words = said["shares"].replace(",", " ").replace(";", " ").split()
        shares = tuple(float(word) for word in words) or (1.0,) * said["steps"]
        if len(shares) != said["steps"]:
            raise ValueError("There is a share for each step.")
        return Expected(self._value(), cast("Level", level), shares)

    def _sizes(self) -> list[int]:
        n = self.cleaned_data["n_texts"]
        return sorted({max(2, ceil(n * factor)) for factor in AROUND})

    def _like_pilot(self) -> list[str]:
        """Say what the interval of the earlier study itself lets expect: it shrinks with the root of texts."""
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
        own = {
            str(self.fields["expected"].label): figure(expected.alpha, 3),
            str(self.fields["level"].label): expected.level,
        }
        return [(name, self.from_pilot(own[name]) if name in own else value) for name, value in listed]

    def _curve(self, sizes: list[int], found: list[Estimate]) -> Curve | None:
        points = [
            (float(n), one.value, one.low, one.high)
            for n, one in zip(sizes, found, strict=True)
            if one.value is not None and one.low is not None and one.high is not None
        ]
        if len(points) < 2:
            return None
        least = min(0.0, *(one[2] for one in points))
        return Curve(
            title=_("Where alpha falls, by number of texts"),
            across=_("Texts"),
            points=points,
            bottom=least,
            top=1.0,
            percent=False,
            limit=(0.8, _(".8")) if max(one[3] for one in points) > 0.7 else (0.667, _(".667")),
            dots=True,
        )

    def _table(self, sizes: list[int], found: list[Estimate]) -> Table:
        heads = [Column(_("Texts")), Column(_("Ratings")), Column(_("Alpha falls between")), Column(_("Width"))]
        own = self.cleaned_data["n_texts"]
        rows = []
        for n, one in zip(sizes, found, strict=True):
            width = None if one.low is None or one.high is None else one.high - one.low
            cells = [interval(one.low, one.high, 2), number(width, 2)]
            rows.append(
                [
                    whole(n),
                    whole(n * self.cleaned_data["k"]),
                    *(Cell(cell.text, cell.sort, strong=n == own) for cell in cells),
                ]
            )
        return Table(_("Width by number of texts"), heads, rows, [_("Your case is bold.")])
