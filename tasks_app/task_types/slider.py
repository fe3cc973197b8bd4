"""The slider: a number on a continuous range per criterion, such as 0 to 100 for direct assessment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from django import forms
from django.core.validators import StepValueValidator
from django.utils.translation import gettext_lazy as _

from tasks_app.task_types._grid import GridParams, GridType
from tasks_app.task_types.base import Criterion, Outcome, Scale
from tasks_app.task_types.registry import register


@register
class Slider(GridType):
    """A number on a range per criterion, for one text or for several side by side.

    The slider has no thumb until it is touched: a start position draws answers towards it.
    """

    label = _("Slider")
    summary = _("A rater sets a slider, from 0 to 100 or on any range, for each criterion.")
    source = (
        "Graham, Baldwin, Moffat and Zobel (2013). Continuous measurement scales in human evaluation of machine "
        "translation. LAW."
    )
    outcomes = (Outcome("rating", Scale.INTERVAL, per="criterion", doc=_("Position of the slider, in its own units.")),)
    default_instructions = _(
        "Read the text. Then set the slider for each question. There are no right or wrong answers: "
        "we want to know how you see it. Use the whole range."
    )

    class Params(GridParams):
        minimum = forms.IntegerField(min_value=-1_000_000, max_value=1_000_000, initial=0, label=_("Least value"))
        maximum = forms.IntegerField(min_value=-1_000_000, max_value=1_000_000, initial=100, label=_("Greatest value"))
        step = forms.FloatField(
            min_value=0.001,
            max_value=1000,
            initial=1,
            label=_("Step"),
            help_text=_("The smallest difference."),
        )

        def clean(self) -> dict[str, object]:
            """Refuse a range that has no room for a step, or no whole number of steps."""
            cleaned = super().clean() or self.cleaned_data
            low, high, step = (cleaned.get(name) for name in ("minimum", "maximum", "step"))
            if low is not None and high is not None and step is not None:
                if high - low < step:
                    self.add_error("maximum", _("The greatest value must be at least one step above the least."))
                elif abs((high - low) / step - round((high - low) / step)) > 1e-9:
                    self.add_error("step", _("The range must be a whole number of steps."))
            return cleaned

    def problems(self, criteria: Sequence[Criterion], params: Mapping[str, object]) -> Iterator[str]:
        """Yield a sentence for every anchor that is off the range."""
        yield from super().problems(criteria, params)
        low, high, _step = self.scale_of(params)
        for criterion in criteria:
            for point in criterion.anchors:
                try:
                    on_range = low <= float(point) <= high
                except ValueError:
                    on_range = False
                if not on_range:
                    yield f"Criterion {criterion.key!r} has an anchor at {point!r}; the range is {low:g} to {high:g}."

    def field(self, criterion: Criterion, missing: str, params: Mapping[str, object]) -> forms.Field:
        """Return a number field; the page's script makes a slider of it."""
        low, high, step = self.scale_of(params)
        out_of_range = _("Set the slider between %(low)s and %(high)s.") % {
            "low": f"{low:g}",
            "high": f"{high:g}",
        }
        return forms.FloatField(
            min_value=low,
            max_value=high,
            validators=[StepValueValidator(step, offset=int(low))],
            widget=forms.NumberInput(
                attrs={"min": f"{low:g}", "max": f"{high:g}", "step": f"{step:g}", "inputmode": "decimal"}
            ),
            label=criterion.question or criterion.name,
            error_messages={
                "required": missing,
                "invalid": out_of_range,
                "min_value": out_of_range,
                "max_value": out_of_range,
            },
        )

    def scale_of(
        self, params: Mapping[str, object], criterion: Criterion | None = None
    ) -> tuple[float, float, float]:
        """The range and step as set."""
        return float(str(params["minimum"])), float(str(params["maximum"])), float(str(params["step"]))
