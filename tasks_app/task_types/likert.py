"""The Likert scale: one step per criterion."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from tasks_app.settings.fields import whole_field
from tasks_app.task_types.base import NO_INSTRUCTION, Act, Criterion, Instruction, Outcome, Sample, Scale, Words
from tasks_app.task_types.elsewhere import ElsewhereTexts
from tasks_app.task_types.grid import AGREEMENT, GridType, in_agreement, questions_for_agreement
from tasks_app.task_types.instructed import in_lines, step_asked_for
from tasks_app.task_types.registry import register
from tasks_app.task_types.set_time import TimedTexts
from tasks_app.task_types.texts import PagedTexts
from tasks_app.task_types.written import written
from tasks_app.texts import languages

# Every step of agreement in words, for the numbers of steps that have customary ones.
AGREEMENT_STEPS = {
    5: (
        _("Strongly disagree"),
        _("Disagree"),
        _("Neither agree nor disagree"),
        _("Agree"),
        _("Strongly agree"),
    ),
    7: (
        _("Strongly disagree"),
        _("Disagree"),
        _("Somewhat disagree"),
        _("Neither agree nor disagree"),
        _("Somewhat agree"),
        _("Agree"),
        _("Strongly agree"),
    ),
}


@register
class Likert(PagedTexts, GridType, TimedTexts, ElsewhereTexts):
    """One step per criterion for one text, or for several side by side.

    No step is preselected: a default anchors raters and hides skipped items.
    """

    label = _("Likert scale")
    purpose = _("Compare systems one text at a time, in steps")
    summary = _("A rater chooses one of a few labelled steps for each criterion.")
    source = (
        "Likert (1932). A technique for the measurement of attitudes. Archives of Psychology 140. "
        "Amidei, Piwek and Willis (2019). The use of rating and Likert scales in natural language generation human "
        "evaluation tasks: a review and some recommendations. INLG."
    )
    use_when = _(
        "Use it to learn how good texts are on one or several criteria, in steps that everybody reads alike: how "
        "fluent, how faithful, how polite. It is the quickest to explain. Five or seven steps are usual. Word every "
        "step where you can, give each criterion one definition, and ask about this text rather than about texts in "
        "general."
    )
    analysed = _(
        "Per system and criterion: median, share of each step, and the mean, raw and standardised by rater, with an "
        "interval. Per pair of systems: difference, probability of superiority, p value, corrected for the number of "
        "comparisons. Between raters: ordinal alpha with an interval, weighted kappa, Spearman and Pearson. The "
        "ordinal results lead; means stand beside them and take the steps as equally far apart."
    )
    limits = _(
        "Steps have an order but no known distance: “good” may be further from “fair” than “fair” is from “poor”. "
        "Raters use the scale differently, some its middle only, so every rater should see every system. Small "
        "differences between good systems need many judgments; comparing the texts directly finds them sooner. "
        "Answers to several criteria on one screen pull each other along."
    )
    outcomes = (
        Outcome(
            "rating",
            Scale.ORDINAL,
            per="criterion",
            doc=_("Chosen step. The lowest step is 1 unless set otherwise."),
        ),
    )
    default_instructions = _(
        "Read the text. Then choose one step for each question. There are no right or wrong answers: "
        "we want to know how you see it. Use the whole scale."
    )
    acts = frozenset({Act.STEP})
    begins_with = Sample(
        criteria=(
            Criterion(
                "fluency",
                "Fluency",
                definition="A fluent text reads as if a practised writer had written it. What it says does not count.",
                question="How well or badly does this text read?",
                labels=("Very badly", "Badly", "So-so", "Well", "Very well"),
            ),
            Criterion(
                "adequacy",
                "Adequacy",
                definition="An adequate text says what it should say, and nothing else.",
                question="How much of what it should say does this text say?",
                labels=("Nothing", "Little", "About half", "Most", "Everything"),
            ),
        )
    )
    sample = Sample(
        criteria=(
            Criterion(
                "fluency",
                "Fluency",
                definition="A fluent text reads as if a practised writer had written it.",
                question="How well does this text read?",
                labels=("Very badly", "Badly", "So-so", "Well", "Very well"),
            ),
            Criterion(
                "content",
                "Content",
                question="How much of the source does this text say?",
                low="Nothing",
                high="Everything",
            ),
        )
    )

    points = whole_field(_("Steps"), _("Five or seven are usual."), within=(2, 11), initial=5)
    lowest = whole_field(
        _("Lowest step"),
        _(
            "The number of the lowest step, in results and wherever raters see numbers. Usually 1; some scales "
            "start at 0."
        ),
        within=(-10, 10),
        initial=1,
    )
    agreement = AGREEMENT

    @property
    def steps(self) -> range:
        """The numbers of the steps, the lowest first."""
        return range(self.lowest, self.lowest + self.points)

    def problems(self, criteria: Sequence[Criterion]) -> Iterator[str]:
        """Yield a sentence where the words of a criterion do not fit the steps."""
        yield from super().problems(criteria)
        if self.agreement:
            yield from questions_for_agreement(criteria)
        for criterion in criteria:
            if criterion.labels and len(criterion.labels) != self.points:
                yield (
                    f"Criterion {criterion.key!r} words {len(criterion.labels)} steps, but the scale has "
                    f"{self.points}. Word all of them, or only the ends (low, high)."
                )

    def worded(self, criterion: Criterion) -> Criterion:
        """Word every step of agreement where there are customary words for so many, else its ends."""
        if not self.agreement:
            return criterion
        customary = AGREEMENT_STEPS.get(self.points)
        if customary is None or criterion.low or criterion.high or criterion.labels:
            return in_agreement(criterion)
        with languages.speaking(criterion.language) as spoken:
            return replace(criterion, labels=tuple(map(str, customary)), scale_language=spoken)

    def instructed(self, criteria: Sequence[Criterion], check: int) -> Instruction | Words:
        """Ask for one step of each criterion, in the words of the scale; not where raters read no texts."""
        if self.hosts_elsewhere:
            return NO_INSTRUCTION
        instructions, answers = [], []
        for criterion in map(self.worded, criteria):
            words = criterion.labels or (criterion.low, *[""] * (self.points - 2), criterion.high)
            place = step_asked_for(words, check)
            instructions.append((criterion, words[place] or f"{self.steps[place]}"))
            answers.append((criterion.key, "exact", self.steps[place]))
        return Instruction((("", in_lines(instructions)),), tuple(answers))

    def field(self, criterion: Criterion, missing: str) -> forms.Field:
        """Return a choice of steps with their words."""
        words = criterion.labels or (criterion.low, *[""] * (self.points - 2), criterion.high)
        return forms.TypedChoiceField(
            choices=[(str(step), word) for step, word in zip(self.steps, words, strict=True)],
            coerce=int,
            empty_value=None,
            widget=forms.RadioSelect,
            label=criterion.wording,
            error_messages={"required": missing, "invalid_choice": _("Choose one of the steps shown.")},
        )

    def scale_of(self, criterion: Criterion | None = None) -> tuple[float, float, float]:
        """Steps are whole numbers from the lowest one on."""
        return float(self.steps[0]), float(self.steps[-1]), 1.0

    def problem_in_value(self, value: float, criterion: Criterion | None) -> str | None:
        """Refuse a number that is no step of the scale."""
        if not value.is_integer():
            return gettext("must be a whole step of the scale; it is %(value)s.") % {"value": written(value)}
        return super().problem_in_value(value, criterion)

    def heds(self, criterion: Criterion | None) -> dict[str, str]:
        """Answer the datasheet's questions about a rating instrument."""
        shown = self.worded(criterion or Criterion("", ""))
        words = shown.labels or (shown.low, *[""] * (self.points - 2), shown.high)
        steps = [f"{step} ({word})" if word else f"{step}" for step, word in zip(self.steps, words, strict=True)]
        return {
            "4.3.3": f"{self.points}",
            "4.3.4": ", ".join(steps),
            "4.3.5": "multiple choice",
            "4.3.8": self.elicitation(),
        }
