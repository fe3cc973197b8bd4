"""The slider: a number on a continuous range per criterion, such as 0 to 100 for direct assessment."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import floor

from django import forms
from django.core.validators import StepValueValidator
from django.utils.translation import gettext_lazy as _

from tasks_app.settings.fields import choice_field, number_field, whole_field
from tasks_app.task_types.base import Act, Criterion, Instruction, Outcome, Sample, Scale
from tasks_app.task_types.grid import AGREEMENT, GridType, in_agreement, questions_for_agreement
from tasks_app.task_types.instructed import in_lines
from tasks_app.task_types.registry import register
from tasks_app.task_types.set_time import TimedTexts
from tasks_app.task_types.texts import PagedTexts, ScoredDocuments
from tasks_app.texts import languages

# Scalar quality metric, as campaigns for machine translation use it: four levels, at every third of the range.
SQM = (
    _("Almost no meaning kept"),
    _("Some meaning kept, important parts missing"),
    _("Most meaning kept, few mistakes in grammar"),
    _("All meaning kept, no mistakes in grammar"),
)


@register
class Slider(PagedTexts, ScoredDocuments, GridType, TimedTexts):
    """A number on a range per criterion, for one text or for several side by side.

    The slider has no thumb until it is touched: a start position draws answers towards it.
    """

    label = _("Slider")
    purpose = _("Compare systems one text at a time, on a range")
    summary = _("A rater sets a slider, from 0 to 100 or on any range, for each criterion.")
    source = (
        "Graham, Baldwin, Moffat and Zobel (2013). Continuous measurement scales in human evaluation of machine "
        "translation. LAW. "
        "Kocmi et al. (2022). Findings of the 2022 Conference on Machine Translation. WMT (anchors of SQM)."
    )
    use_when = _(
        "Use it to learn how good texts are, when a few steps are too coarse: direct assessment of translations (a "
        "statement, 0 to 100), with the anchors of SQM, or any criterion on a range of your own. Give every rater a "
        "few texts to warm up, controls, repeats, and the same mix of systems."
    )
    analysed = _(
        "Per system and criterion: mean, raw and standardised by rater, with intervals over items and over raters, and "
        "the standard deviation. Per pair of systems: difference, effect size, p value, corrected for the number of "
        "comparisons; ranges of ranks and clusters. Between raters: interval alpha, intraclass correlation with its "
        "form, Pearson. Raters who hardly move the slider, and how often a degraded copy was rated lower."
    )
    limits = _(
        "Raters use the range differently: compare standardised values, and those only where every rater had the same "
        "mix of systems. The fine steps promise more than raters can tell apart; many answers end in 0 or 5. One text "
        "at a time needs many judgments to find small differences."
    )
    outcomes = (Outcome("rating", Scale.INTERVAL, per="criterion", doc=_("Position of the slider, in its own units.")),)
    default_instructions = _(
        "Read the text. Then set the slider for each question. There are no right or wrong answers: "
        "we want to know how you see it. Use the whole range."
    )
    acts = frozenset({Act.SLIDE})
    begins_with = Sample(
        criteria=(
            Criterion(
                "quality",
                "Overall quality",
                definition="Everything that matters to you in a text like this one.",
                question="How good or bad is this text?",
                low="Very bad",
                high="Very good",
            ),
        )
    )
    sample = Sample(
        criteria=(
            Criterion(
                "content",
                "Content",
                definition="Whether the text says what the source says, in whatever words.",
                question="How much of the meaning does this text keep?",
                low="Nothing",
                high="Everything",
                anchors={"33": "Some, important parts missing", "66": "Most of it"},
            ),
            Criterion("fluency", "Fluency", question="How well does it read?", low="Very badly", high="Very well"),
        )
    )

    minimum = whole_field(_("Least value"), within=(-1_000_000, 1_000_000), initial=0)
    maximum = whole_field(_("Greatest value"), within=(-1_000_000, 1_000_000), initial=100)
    step = number_field(_("Step"), _("The smallest difference."), within=(0.001, 1000), initial=1)
    agreement = AGREEMENT
    anchors = choice_field(
        _("Words along the range"),
        (("own", _("as each criterion words them")), ("sqm", _("the four levels of SQM"))),
        _("SQM words what is kept of a translation, at every third of the range."),
        initial="own",
    )

    class Settings(PagedTexts.Settings, ScoredDocuments.Settings):
        def clean(self) -> dict[str, object]:
            """Refuse a range that has no room for a step, or no whole number of steps, and two kinds of words."""
            cleaned = super().clean() or self.cleaned_data
            low, high, step = (cleaned.get(name) for name in ("minimum", "maximum", "step"))
            if low is not None and high is not None and step is not None:
                if high - low < step:
                    self.add_error("maximum", _("The greatest value must be at least one step above the least."))
                elif abs((high - low) / step - round((high - low) / step)) > 1e-9:
                    self.add_error("step", _("The range must be a whole number of steps."))
            if cleaned.get("agreement") and cleaned.get("anchors") == "sqm":
                self.add_error("anchors", _("Nobody agrees or disagrees with a level of SQM; set agreement to false."))
            return cleaned

    def problems(self, criteria: Sequence[Criterion]) -> Iterator[str]:
        """Yield a sentence for every anchor that is off the range, and for words that do not go together."""
        yield from super().problems(criteria)
        if self.agreement:
            yield from questions_for_agreement(criteria)
        low, high, _step = self.scale_of()
        for criterion in criteria:
            if criterion.labels:
                yield (
                    f"Criterion {criterion.key!r} words the steps of a scale (labels); a slider has none. "
                    "Use low, high and anchors."
                )
            for point in criterion.anchors:
                try:
                    on_range = low <= float(point) <= high
                except ValueError:
                    on_range = False
                if not on_range:
                    span = f"{low:.10g} to {high:.10g}"
                    yield f"Criterion {criterion.key!r} has an anchor at {point!r}; the range is {span}."

    def worded(self, criterion: Criterion) -> Criterion:
        """Put the levels of SQM along the range, or agreement at its ends, where the criterion has no such words."""
        if self.agreement:
            return in_agreement(criterion)
        if self.anchors == "sqm" and not criterion.anchors:
            with languages.speaking(criterion.language) as spoken:
                return replace(criterion, anchors=self._sqm(), scale_language=spoken)
        return criterion

    def _sqm(self) -> dict[str, str]:
        low, high, step = self.scale_of()
        # 0, 33, 66 and 100 of a hundred: the thirds are rounded down to a step.
        places = [low + floor((high - low) * third / 3 / step + 1e-9) * step for third in range(4)]
        return {f"{place:.10g}": str(words) for place, words in zip(places, SQM, strict=True)}

    def instructed(self, criteria: Sequence[Criterion], check: int) -> Instruction:
        """Ask for one end of the range of each criterion; the last tenth before it counts as the end."""
        low, high, _step = self.scale_of()
        tenth = (high - low) / 10
        instructions, answers = [], []
        for criterion in map(self.worded, criteria):
            words = criterion.low if check % 2 else criterion.high
            end = [low, low + tenth] if check % 2 else [high - tenth, high]
            instructions.append((criterion, words or f"{low if check % 2 else high:.10g}"))
            answers.append((criterion.key, "range", end))
        return Instruction((("", in_lines(instructions)),), tuple(answers))

    def field(self, criterion: Criterion, missing: str) -> forms.Field:
        """Return a number field; the page's script makes a slider of it."""
        low, high, step = self.scale_of()
        out_of_range = _("Set the slider between %(low)s and %(high)s.") % {
            "low": f"{low:.10g}",
            "high": f"{high:.10g}",
        }
        return forms.FloatField(
            min_value=low,
            max_value=high,
            validators=[StepValueValidator(step, offset=int(low))],
            widget=forms.NumberInput(
                attrs={"min": f"{low:.10g}", "max": f"{high:.10g}", "step": f"{step:.10g}", "inputmode": "decimal"}
            ),
            label=criterion.wording,
            error_messages={
                "required": missing,
                "invalid": out_of_range,
                "min_value": out_of_range,
                "max_value": out_of_range,
            },
        )

    def scale_of(self, criterion: Criterion | None = None) -> tuple[float, float, float]:
        """Return the range and step as set."""
        return float(self.minimum), float(self.maximum), self.step

    def heds(self, criterion: Criterion | None) -> dict[str, str]:
        """Answer the datasheet's questions about a rating instrument."""
        low, high, step = self.scale_of()
        shown = self.worded(criterion or Criterion("", ""))
        ends = {f"{low:.10g}": shown.low, f"{high:.10g}": shown.high}
        words = {point: word for point, word in {**ends, **shown.anchors}.items() if word}
        worded = "; ".join(f"{point}: {words[point]}" for point in sorted(words, key=float))
        return {
            "4.3.3": f"{round((high - low) / step) + 1}",
            "4.3.4": f"{low:.10g} to {high:.10g} in steps of {step:.10g}" + (f" ({worded})" if worded else ""),
            "4.3.5": "slider",
            "4.3.8": self.elicitation(),
        }
