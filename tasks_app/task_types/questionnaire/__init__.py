"""The questionnaire: questions to the raters themselves, asked once a wave, such as PANAS or demographics."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
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
    ScreenForm,
    TaskType,
    UnitDraft,
    Value,
    Words,
)
from tasks_app.task_types.grid import Step, steps_of
from tasks_app.task_types.questionnaire import facts
from tasks_app.task_types.questionnaire.fields import TICKED, field_for
from tasks_app.task_types.questionnaire.instruments import (
    OWN,
    instrument_choices,
    instrument_data,
    introduction_of,
    questions_of,
)
from tasks_app.task_types.questionnaire.questions import (
    MULTIPLE,
    TICK,
    Prompt,
    Question,
    as_data,
    labels_of,
    prompts_of,
)
from tasks_app.task_types.questionnaire.reading import LONGEST_LETTERS, LONGEST_QUESTION, read_questions
from tasks_app.task_types.questionnaire.simulate import answer
from tasks_app.task_types.registry import register
from tasks_app.texts.languages import isolated, spoken


def field_name(criterion: str) -> str:
    """Name the form field of a criterion. A question may be called comment; the page has a field of that name."""
    return f"q-{criterion}"


@dataclass(frozen=True, slots=True)
class Cell:
    """One criterion on the page: as the study words it, with its form field."""

    prompt: Prompt
    criterion: Criterion
    field: forms.BoundField

    @property
    def steps(self) -> list[Step]:
        """The steps to choose from."""
        return steps_of(self.field)

    @property
    def labelled(self) -> bool:
        """Whether every step has a word of its own."""
        return all(step.word for step in self.steps)

    @property
    def checked(self) -> bool:
        """Whether a box is ticked."""
        return self.field.value() in (TICKED, True)


@dataclass(frozen=True, slots=True)
class Block:
    """One question with all its fields: a grid has one a row, a choice of several one an option."""

    question: Question
    cells: tuple[Cell, ...]
    required: bool
    shows_words: bool = True

    @property
    def template(self) -> str:
        """The template of the question."""
        name = "list" if self.question.kind == "single" and not self.question.points else self.question.kind
        return f"task_types/questionnaire/{'steps' if name == 'single' else name}.html"

    @property
    def first(self) -> Cell:
        """The only field, or the first of several."""
        return self.cells[0]

    @property
    def words(self) -> str:
        """The question as it is asked: for a grid, the words above its rows."""
        if self.question.kind == "grid":
            return self.question.question if self.shows_words else ""
        return self.first.criterion.question

    @property
    def missing(self) -> str:
        """The message while the question has no answer."""
        return str(self.first.field.field.error_messages["required"])

    @property
    def errors(self) -> list[str]:
        """The error messages of its fields."""
        return [str(error) for cell in self.cells for error in cell.field.errors]


class QuestionnaireForm(ScreenForm):
    """One field for each criterion, in the order of the questionnaire and in the words that the study has for them."""

    kind: Questionnaire
    introduction: str
    language: str
    # The keys of grids without words above them, since the study's own introduction says these.
    grids_without_words: frozenset[str]
    prompts: Sequence[tuple[Prompt, Criterion]]

    def make_fields(self) -> Iterator[tuple[str, forms.Field]]:
        """Yield the field of every prompt."""
        own, instrument = self.kind.introduction, self.kind.instrument
        shipped = instrument_data(instrument)
        self.introduction = own or introduction_of(instrument)
        shipped_keys = frozenset(question["key"] for question in shipped["questions"])
        self.grids_without_words = shipped_keys if own else frozenset()
        self.language = "" if own else str(shipped["language"])
        self.prompts = self.kind.worded(self.screen)
        for prompt, criterion in self.prompts:
            yield (
                field_name(criterion.key),
                field_for(
                    Prompt(prompt.question, criterion, prompt.option),
                    required=self._must_answer(prompt.question),
                    missing=missing_words(prompt.question, criterion),
                    labels=labels_of(prompt.question, criterion),
                ),
            )

    def _must_answer(self, question: Question) -> bool:
        return question.required and (self.kind.all_required or question.kind == TICK)

    def blocks(self) -> list[Block]:
        """Return the questions with their fields, in the order of the questionnaire."""
        cells: dict[str, list[Cell]] = {}
        questions: dict[str, Question] = {}
        for prompt, criterion in self.prompts:
            questions[prompt.question.key] = prompt.question
            cell = Cell(prompt, criterion, self[field_name(criterion.key)])
            cells.setdefault(prompt.question.key, []).append(cell)
        return [
            Block(
                question,
                tuple(cells[key]),
                self._must_answer(question),
                shows_words=key not in self.grids_without_words,
            )
            for key, question in questions.items()
        ]

    def clean(self) -> dict[str, Any]:
        """Check the boxes of each question together."""
        cleaned = super().clean() or self.cleaned_data
        boxes: dict[str, list[tuple[Prompt, str]]] = {}
        for prompt, criterion in self.prompts:
            if prompt.question.kind == MULTIPLE:
                boxes.setdefault(prompt.question.key, []).append((prompt, field_name(criterion.key)))
        for question_boxes in boxes.values():
            self._check_boxes(question_boxes, cleaned)
        return cleaned

    def _check_boxes(self, boxes: list[tuple[Prompt, str]], cleaned: Mapping[str, Any]) -> None:
        names = [name for _asked, name in boxes]
        if any(name in self.errors for name in names):
            return
        first, question = self.fields[names[0]], boxes[0][0].question
        ticked = [(prompt, name) for prompt, name in boxes if cleaned.get(name)]
        alone = [name for prompt, name in ticked if prompt.option is not None and prompt.option.alone]
        if not ticked and self._must_answer(question):
            self.add_error(names[0], str(first.error_messages["required"]))
        elif alone and len(ticked) > 1:
            sentence = gettext("“%(option)s” cannot be chosen together with others.")
            self.add_error(alone[0], sentence % {"option": isolated(str(self.fields[alone[0]].label))})


def missing_words(question: Question, criterion: Criterion) -> str:
    """Return the message for a question without an answer."""
    about = {"question": criterion.quoted}
    if question.kind == TICK:
        return gettext("Tick “%(question)s” to go on.") % about
    if question.kind == MULTIPLE:
        return gettext("Choose at least one: “%(question)s”") % about
    return gettext("Answer “%(question)s”.") % about


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
        _(
            "Each rater answers it once a wave, so set the judgments of every unit to the number of raters. Own "
            "questions follow."
        ),
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

    def instructed(self, criteria: Sequence[Criterion], check: int) -> Words:
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
