"""The Likert scale: one step per criterion."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from tasks_app.task_types._grid import GridParams, GridType
from tasks_app.task_types.base import Criterion, Outcome, Scale
from tasks_app.task_types.registry import register


@register
class Likert(GridType):
    """One step per criterion for one text, or for several side by side.

    No step is preselected: a default anchors raters and hides skipped items.
    """

    label = _("Likert scale")
    summary = _("A rater chooses one of a few labelled steps for each criterion.")
    source = "Amidei, Piwek and Willis (2019). The use of rating and Likert scales in NLG human evaluation tasks. INLG."
    outcomes = (Outcome("rating", Scale.ORDINAL, per="criterion", doc=_("Chosen step; 1 is the lowest.")),)
    default_instructions = _(
        "Read the text. Then choose one step for each question. There are no right or wrong answers: "
        "we want to know how you see it. Use the whole scale."
    )

    class Params(GridParams):
        points = forms.IntegerField(
            min_value=2, max_value=11, initial=5, label=_("Steps"), help_text=_("Five or seven are usual.")
        )
        agreement = forms.BooleanField(
            initial=False,
            required=False,
            label=_("Ask for agreement"),
            help_text=_("The question is a statement, and the ends say “disagree” and “agree”."),
        )

    def problems(self, criteria: Sequence[Criterion], params: Mapping[str, object]) -> Iterator[str]:
        """Yield a sentence where the labels of the steps are not as many as the steps."""
        yield from super().problems(criteria, params)
        for criterion in criteria:
            if criterion.labels and len(criterion.labels) != params["points"]:
                yield (
                    f"Criterion {criterion.key!r} words {len(criterion.labels)} steps, but the scale has "
                    f"{params['points']}. Word all of them, or only the ends (low, high)."
                )

    def field(self, criterion: Criterion, missing: str, params: Mapping[str, object]) -> forms.Field:
        """Return a choice of steps with their words; the ends are worded in any case."""
        _low, high, _step = self.scale_of(params)
        points = int(high)
        low_word, high_word = criterion.low, criterion.high
        if params["agreement"]:
            low_word, high_word = (
                low_word or str(_("Strongly disagree")),
                high_word or str(_("Strongly agree")),
            )
        words = criterion.labels or (low_word, *[""] * (points - 2), high_word)
        return forms.TypedChoiceField(
            choices=[(str(step), words[step - 1]) for step in range(1, points + 1)],
            coerce=int,
            empty_value=None,
            widget=forms.RadioSelect,
            label=criterion.question or criterion.name,
            error_messages={"required": missing, "invalid_choice": _("Choose one of the steps shown.")},
        )

    def scale_of(
        self, params: Mapping[str, object], criterion: Criterion | None = None
    ) -> tuple[float, float, float]:
        """Steps are 1, 2 … points."""
        return 1.0, float(str(params["points"])), 1.0

    def problem_in_value(self, value: float, criterion: Criterion | None, params: Mapping[str, object]) -> str | None:
        """Refuse what is no step of the scale."""
        if not value.is_integer():
            return gettext("must be a whole step of the scale; it is %(value)s.") % {"value": f"{value:g}"}
        return super().problem_in_value(value, criterion, params)
