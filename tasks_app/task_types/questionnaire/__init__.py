"""The questionnaire: questions to the raters themselves, asked once a wave, such as PANAS or demographics."""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from random import Random
from types import MappingProxyType
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import get_language, gettext
from django.utils.translation import gettext_lazy as _

from tasks_app.settings.fields import Typed, YesNoField, choice_field, line_field
from tasks_app.task_types.base import (
    Criterion,
    ItemTexts,
    Outcome,
    Quality,
    Sample,
    Scale,
    Screen,
    TaskType,
    UnitDraft,
    Value,
    Words,
)
from tasks_app.task_types.questionnaire import facts
from tasks_app.task_types.questionnaire.form import QuestionnaireForm, field_name
from tasks_app.task_types.questionnaire.instruments import OWN, instrument_choices, instrument_data, questions_of
from tasks_app.task_types.questionnaire.questions import MULTIPLE, Prompt, Question, as_data, prompts_of
from tasks_app.task_types.questionnaire.reading import LONGEST_LETTERS, LONGEST_QUESTION, read_questions
from tasks_app.task_types.questionnaire.simulate import answer
from tasks_app.task_types.registry import register
from tasks_app.texts.languages import spoken


class QuestionsField(Typed[list[dict[str, Any]]], forms.JSONField):
    """A researcher's own questions: a list as a study file has it, or the same as JSON text."""

    def to_python(self, value: Any) -> list[dict[str, object]]:  # type: ignore[override]
        """Return the questions as plain data, without settings that have their usual values.

        Raises
        ------
        ValidationError
            With a sentence for every question that cannot be asked.
        """
        if isinstance(value, str) and len(value) > LONGEST_LETTERS:
            raise ValidationError(gettext("Write at most %(n)d characters.") % {"n": LONGEST_LETTERS})
        try:
            given = super().to_python(value)
        except RecursionError:
            raise ValidationError(gettext("This is nested too deeply.")) from None
        questions, problems = read_questions(given or [])
        if problems:
            raise ValidationError(problems)
        return [as_data(question) for question in questions]

    def json_schema(self) -> dict[str, object]:
        """Return the schema of the questions in a study file."""
        return facts.QUESTIONS_SCHEMA


NO_INSTRUCTION = _(
    "A questionnaire is asked once, so a check would take its place. Ask a question in a task of the stage "
    "“screening” before it, and give its answer in the table of known answers."
)


@register
class Questionnaire(TaskType):
    """Questions to the raters themselves, without a text.

    Every question is a criterion of its own; a grid has one for each row, a choice of several one for each option.
    """

    label = _("Questionnaire")
    purpose = _("Ask questions without a text")
    summary = _("Raters answer questions about themselves, once: how they feel (PANAS), who they are, how it went.")
    source = facts.SOURCE
    use_when = facts.USE_WHEN
    analysed = facts.ANALYSED
    limits = facts.LIMITS
    outcomes = (
        Outcome("step", Scale.ORDINAL, per="unit", doc=_("Chosen step; 1 is the first."), optional=True),
        Outcome("choice", Scale.NOMINAL, per="unit", doc=_("Key of the chosen option."), column="label", optional=True),
        Outcome("ticked", Scale.NOMINAL, per="unit", doc=_("1 where the box is ticked, else 0."), optional=True),
        Outcome("number", Scale.INTERVAL, per="unit", doc=_("The number given."), optional=True),
        Outcome("words", Scale.TEXT, per="unit", doc=_("The answer in words."), column="text", optional=True),
        Outcome("day", Scale.TEXT, per="unit", doc=_("The day, as YYYY-MM-DD."), column="text", optional=True),
    )
    default_instructions = _(
        "Please answer these questions about yourself. There are no right or wrong answers: choose what fits best."
    )
    criteria_needed = (0, 0)
    needs_items = False
    has_styles = True
    begins_with = Sample(params={"instrument": "panas"})
    sample = Sample(params={"instrument": OWN, "questions": facts.SAMPLE})

    Form = QuestionnaireForm

    instrument = choice_field(
        _("Questionnaire"),
        instrument_choices,
        _("Each rater answers it once a wave: set k to the number of raters, set_size to 1. Own questions follow."),
        initial=OWN,
    )
    timeframe = choice_field(
        _("Time asked about"),
        (
            ("moment", _("right now")),
            ("today", _("today")),
            ("past_few_days", _("the past few days")),
            ("past_week", _("the past week")),
            ("past_few_weeks", _("the past few weeks")),
            ("past_year", _("the past year")),
            ("general", _("in general")),
        ),
        _("For PANAS: the published wording of its question follows from it."),
        initial="moment",
    )
    introduction = line_field(
        _("Introduction"),
        _("Above the questions, in place of that of the questionnaire, such as a published translation."),
        length=LONGEST_QUESTION,
    )
    questions = QuestionsField(
        required=False,
        initial=(),
        label=_("Own questions"),
        help_text=_("A list; each has a key, a kind, a question, and what the kind needs. See the catalogue."),
    )
    all_required = YesNoField(
        initial=True,
        label=_("All questions must be answered"),
        help_text=_("Otherwise a question that was left out is missing. Boxes of consent must be ticked anyway."),
    )
    show_numbers = YesNoField(label=_("Show numbers"), help_text=_("Beside the steps of scales."))
    personal_text = choice_field(
        _("Personal text"),
        facts.PERSONAL_TEXTS,
        _("Shown above the questions. Upload the texts under Data: one per rater, seen by nobody else."),
        initial=facts.NO_TEXT,
    )

    def shows_personal_text(self) -> bool:
        """Return whether each rater is shown a text of their own above the questions."""
        return self.personal_text != facts.NO_TEXT

    def waits_for_personal_text(self) -> bool:
        """Return whether raters without a text have to wait for it."""
        return self.personal_text == facts.WAIT

    def prompts(self) -> Mapping[str, Prompt]:
        """Return the prompts by the keys of their criteria: the instrument's, then the researcher's own."""
        return _prompts(self.instrument, self.timeframe, json.dumps(self.questions), get_language() or "")

    def prompt_of(self, criterion: Criterion | None) -> Prompt | None:
        """Return the prompt of a criterion; None where it is no question of this questionnaire."""
        return self.prompts().get(criterion.key) if criterion is not None else None

    def worded(self, screen: Screen) -> list[tuple[Prompt, Criterion]]:
        """Return the prompts that the study asks, each with its criterion in the study's words."""
        given = {criterion.key: criterion for criterion in screen.criteria}
        return [(prompt, given[key]) for key, prompt in self.prompts().items() if key in given]

    def brings(self) -> tuple[Criterion, ...]:
        """Return every question, row and option as a criterion."""
        return tuple(prompt.criterion for prompt in self.prompts().values())

    def outcome_of(self, criterion: Criterion | None) -> Outcome | None:
        """Return the outcome of a question by its kind; every answer is to a question."""
        prompt = self.prompt_of(criterion)
        name = outcome_name(prompt.question) if prompt is not None else ""
        return next((outcome for outcome in self.outcomes if outcome.name == name), None)

    def problems(self, criteria: Sequence[Criterion]) -> Iterator[str]:
        """Yield a sentence where nothing is asked, where two questions share a key, or criteria cannot be asked."""
        everything = [*questions_of(self.instrument, self.timeframe), *self.questions]
        if not everything:
            yield gettext("Nothing is asked. Choose a questionnaire, or give own questions.")
        _questions, problems = read_questions(everything)
        yield from problems
        for criterion in criteria:
            yield gettext(
                "A questionnaire asks its own questions; leave the criterion “%(key)s” out of its criteria."
            ) % {"key": criterion.key}

    def heds(self, criterion: Criterion | None) -> dict[str, str]:
        """Describe the question as an instrument, by its kind."""
        prompt = self.prompt_of(criterion)
        return facts.heds(prompt, criterion) if prompt is not None and criterion is not None else {}

    def scale_of(self, criterion: Criterion | None = None) -> tuple[float, float, float] | None:
        """Return steps from 1, 0 to 1 for boxes, and the range of a number where both limits are set."""
        prompt = self.prompt_of(criterion)
        if prompt is None:
            return None
        question, name = prompt.question, outcome_name(prompt.question)
        if name == "step":
            return 1.0, float(len(question.choices)), 1.0
        if name == "ticked":
            return 0.0, 1.0, 1.0
        low, high = question.minimum, question.maximum
        if name == "number" and isinstance(low, int | float) and isinstance(high, int | float):
            return float(low), float(high), 0.01 if question.decimals else 1.0
        return None

    def problem_in_value(self, value: float, criterion: Criterion | None) -> str | None:
        """Refuse a number that could not have been answered."""
        prompt = self.prompt_of(criterion)
        if prompt is None:
            return None
        question, scale = prompt.question, self.scale_of(criterion)
        low, high = (question.minimum, question.maximum) if scale is None else scale[:2]
        whole = not (outcome_name(question) == "number" and question.decimals)
        if whole and not float(value).is_integer():
            return gettext("must be a whole number; it is %(value)s.") % {"value": f"{value:.12g}"}
        if (isinstance(low, int | float) and value < low) or (isinstance(high, int | float) and value > high):
            about = {"low": "…" if low is None else f"{low:.12g}", "high": "…" if high is None else f"{high:.12g}"}
            return gettext("must be from %(low)s to %(high)s; it is %(value)s.") % {**about, "value": f"{value:.12g}"}
        return None

    def instructed(self, criteria: Sequence[Criterion], turn: int) -> Words:
        """Return the sentence that a check has to be one of the questions, since a questionnaire is asked once."""
        return NO_INSTRUCTION

    def units(self, items: Sequence[ItemTexts], rng: Random) -> Iterator[UnitDraft]:
        """Make one unit without a text: each rater answers it once."""
        yield UnitDraft("once", None, ())

    def ratings(self, screen: Screen, cleaned: Mapping[str, object]) -> Iterator[Value]:
        """Yield one rating for each answer; a question that was left out has none."""
        for prompt, criterion in self.worded(screen):
            given = cleaned[field_name(criterion.key)]
            if given in (None, ""):
                continue
            name = outcome_name(prompt.question)
            column = next(outcome.column for outcome in self.outcomes if outcome.name == name)
            if column != "value":
                yield Value(name, criterion=criterion.key, **{column: str(given)})  # type: ignore[arg-type]
            elif prompt.question.kind != MULTIPLE or self._answered(prompt.question, screen, cleaned):
                yield Value(name, criterion=criterion.key, value=float(given))  # type: ignore[arg-type]

    def _answered(self, question: Question, screen: Screen, cleaned: Mapping[str, object]) -> bool:
        """Return whether any box of a question is ticked: no tick at all is no answer, rather than a no to each."""
        return any(
            cleaned[field_name(criterion.key)]
            for prompt, criterion in self.worded(screen)
            if prompt.question.key == question.key
        )

    def labels_of(self, criterion: Criterion | None) -> tuple[str, ...] | None:
        """Return the keys of the options of a choice; None for other questions, which have answers without labels."""
        prompt = self.prompt_of(criterion)
        if prompt is None or outcome_name(prompt.question) != "choice":
            return None
        return tuple(option.key for option in prompt.question.choices)

    def simulate(self, screen: Screen, quality: Quality, rng: Random) -> dict[str, str]:
        """Answer from a latent leaning for each question, with the noise of the rater's quality."""
        answers: dict[str, str] = {}
        for key, given in answer([prompt for prompt, _criterion in self.worded(screen)], quality, rng).items():
            answers[field_name(key)] = given
        return answers


def outcome_name(question: Question) -> str:
    """Return the name of the outcome of a question."""
    return "step" if question.is_scale else facts.OUTCOME_OF_KIND[question.kind]


# A datasheet or an import calls this for each rating. The words of “prefer not to say” depend on the language.
@lru_cache(maxsize=64)
def _prompts(instrument: str, timeframe: str, own: str, _language: str) -> Mapping[str, Prompt]:
    shipped, _problems = read_questions(questions_of(instrument, timeframe))
    given, _problems = read_questions(json.loads(own))
    language = str(instrument_data(instrument)["language"]) or spoken()
    prompts = [prompt for question in shipped for prompt in prompts_of(question, language)]
    prompts += [prompt for question in given for prompt in prompts_of(question)]
    return MappingProxyType({prompt.criterion.key: prompt for prompt in prompts})
