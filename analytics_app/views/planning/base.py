"""Base of planning pages: a form that keeps its values in the address, with values from earlier studies."""

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from math import floor
from typing import Any, ClassVar, cast

from django import forms
from django.db.models import QuerySet
from django.utils import formats
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from analytics_app.selectors.planning import Pilot, pilots
from analytics_app.show.cells import figure
from analytics_app.views.planning.answer import Answer
from tasks_app.models import Study
from tasks_app.settings.fields import NumberField, number_field, whole_field

Words = str | Promise


class PlanningForm(forms.Form):
    """A form of a planning page. Fields that are not in the address have their defaults."""

    title: ClassVar[Words]
    summary: ClassVar[Words]
    # Statistics of earlier runs that may replace assumptions.
    from_pilots: ClassVar[tuple[str, ...]] = ()
    # Assumptions that most people leave as they are: folded, with their values in one line.
    folded: ClassVar[tuple[str, ...]] = ()

    study = forms.SlugField(required=False, widget=forms.HiddenInput)

    def __init__(
        self, query: Mapping[str, str], start: Mapping[str, Any], pilots: Mapping[str, Pilot] | None = None
    ) -> None:
        """Combine the query of the address, the values of a study (`start`) and earlier results (`pilots`)."""
        fields = self.base_fields
        initial = {name: start.get(name, field.initial) for name, field in fields.items()}
        filled = {name: value for name, value in query.items() if name in fields and name != "study"}
        if filled:
            # Browsers do not send unticked boxes.
            initial |= {name: False for name, field in fields.items() if isinstance(field, forms.BooleanField)}
        super().__init__({**initial, **filled, "study": query.get("study", "")})
        self.pilots = pilots or {}
        if "pilot" in self.fields:
            choices = [("", _("None")), *((key, str(pilot)) for key, pilot in self.pilots.items())]
            self.fields["pilot"] = forms.ChoiceField(
                required=False,
                choices=choices,
                label=gettext_lazy("Take from an earlier study"),
                help_text=gettext_lazy("What its newest finished run says takes the place of the values entered here."),
            )
            if not self.pilots:
                del self.fields["pilot"]
        for name, field in self.fields.items():
            # An error may come while the field is filled in, so its place is named from the start.
            about = f"id_{name}_helptext id_{name}_error" if field.help_text else f"id_{name}_error"
            field.widget.attrs["aria-describedby"] = about

    @classmethod
    def pilots_among(cls, studies: QuerySet[Study]) -> dict[str, Pilot]:
        """Return the results of these studies that may replace assumptions, by the key of their choice."""
        return pilots(studies, cls.from_pilots) if cls.from_pilots else {}

    @property
    def first_fields(self) -> list[forms.BoundField]:
        """The fields that are shown at once."""
        return [field for field in self.visible_fields() if field.name not in self.folded]

    @property
    def folded_fields(self) -> list[forms.BoundField]:
        """The fields that are folded."""
        return [self[name] for name in self.folded]

    @property
    def is_folded_wrong(self) -> bool:
        """Return whether a folded field has an error."""
        return any(field.errors for field in self.folded_fields)

    @property
    def folded_values(self) -> str:
        """Return the values of the folded fields in one line, such as "Alpha: 0.05; Beta: 0.05"."""
        return "; ".join(f"{field.label}: {words}" for field in self.folded_fields if (words := self._words_of(field)))

    def _words_of(self, field: forms.BoundField) -> str:
        replacement = self.from_earlier_study().get(field.name)
        if replacement is not None:
            return _("%(value)s (earlier study)") % {"value": plain(round(replacement, 4))}
        value = self.cleaned_data.get(field.name)
        return "" if value in (None, "") else _worded(field.field, value)

    def from_earlier_study(self) -> Mapping[str, float]:
        """Return the values that replace those of fields, from the earlier study that was chosen."""
        return {}

    @property
    def chosen(self) -> Pilot | None:
        """The earlier study that was chosen."""
        return self.pilots.get(self.cleaned_data.get("pilot") or "")

    def from_pilot(self, value: str) -> str:
        """Add to a value that it is from the earlier study."""
        run = self.chosen.run if self.chosen else ""
        return _("%(value)s, from %(study)s, run %(run)s") % {"value": value, "study": self.chosen, "run": run}

    def assumptions(self, *without: str) -> list[tuple[str, str]]:
        """List every field with its value, for the answer."""
        left_out = {"study", "pilot", *without}
        return [
            (str(field.label), _worded(field, self.cleaned_data[name]))
            for name, field in self.fields.items()
            if name not in left_out and self.cleaned_data.get(name) not in (None, "")
        ]

    @abstractmethod
    def answer(self) -> Answer:
        """Answer a valid form."""


def _worded(field: forms.Field, value: Any) -> str:
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(field, forms.ChoiceField):
        return next((words for choice, words in _choices(field) if choice == value), str(value))
    return plain(value) if isinstance(value, int | float) else str(value)


def _choices(field: forms.ChoiceField) -> list[tuple[str, str]]:
    return [(str(choice), str(words)) for choice, words in cast("Iterable[tuple[str, Words]]", field.choices)]


def plain(value: float) -> str:
    """Write a number with all its digits."""
    text = f"{value:.6g}" if abs(value) < 1e5 else f"{value:.0f}"
    digits = len(text.partition(".")[2])
    return formats.number_format(float(text), digits, force_grouping=True).replace("-", "−")


def exactly(value: float) -> str:
    """Write a share as a percentage with all its digits: 95 %, 99.99 %."""
    return f"{plain(round(value * 100, 6))}\u00a0%"


def share(value: float, digits: int = 0) -> str:
    """Write a share as a percentage; shares below 1 are never written as 100 %."""
    text = figure(value * 100, digits)
    if text == figure(100, digits) and value < 1:
        return _("over %(share)s") % {"share": f"{figure(100 - 10**-digits, digits)}\u00a0%"}
    return f"{text}\u00a0%"


def power_words(power: float, target: float) -> str:
    """Write a power as a percentage with one decimal; below the target, or below 1, it is never written as that.

    >>> power_words(0.78685, 0.8), power_words(0.7999, 0.8), power_words(0.99999, 0.8)
    ('78.7\\xa0%', '79.9\\xa0%', '99.9\\xa0%')
    """
    shown = round(power * 100, 1)
    if any(power < limit <= shown / 100 + 1e-12 for limit in (target, 1.0)):
        shown = floor(power * 1000) / 10
    return f"{figure(shown, 1)}\u00a0%"


def raters_field(help_text: Words, *, most: int) -> forms.IntegerField:
    """Return the form field of the number of raters who share the work of a study."""
    return whole_field(gettext_lazy("Raters in total"), help_text, within=(2, most), initial=30)


def alpha_field() -> NumberField[float]:
    """Return the form field of the level of a two-sided test."""
    return number_field(gettext_lazy("Alpha, two-sided"), within=(0.0001, 0.5), initial=0.05)


def target_power_field() -> NumberField[float]:
    """Return the form field of the power that a study is to have."""
    return number_field(gettext_lazy("Target power"), within=(0.1, 0.999), initial=0.8)


def seed_field() -> forms.IntegerField:
    """Return the form field of a seed."""
    return whole_field(
        gettext_lazy("Seed"),
        gettext_lazy("The same seed gives the same digits; another shows how much is chance."),
        within=(0, 2**31 - 1),
        initial=1,
    )
