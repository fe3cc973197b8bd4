"""The form of a questionnaire, and the rows for its template."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django import forms
from django.utils.translation import gettext

from tasks_app.task_types.base import Criterion, ScreenForm
from tasks_app.task_types.grid import Step, steps_of
from tasks_app.task_types.questionnaire.fields import TICKED, field_for
from tasks_app.task_types.questionnaire.instruments import instrument_data, introduction_of
from tasks_app.task_types.questionnaire.questions import MULTIPLE, TICK, Prompt, Question

if TYPE_CHECKING:
    from tasks_app.task_types.questionnaire import Questionnaire


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
            self.add_error(alone[0], sentence % {"option": self.fields[alone[0]].label})


def labels_of(question: Question, criterion: Criterion) -> tuple[str, ...]:
    """Return the words of the options: the study's where it has one for each, else the questionnaire's."""
    own = tuple(option.words for option in question.choices)
    if criterion.labels:
        return criterion.labels if len(criterion.labels) == len(own) else own
    if question.points and (criterion.low or criterion.high):
        return (criterion.low, *[""] * (question.points - 2), criterion.high)
    return own


def missing_words(question: Question, criterion: Criterion) -> str:
    """Return the message for a question without an answer."""
    about = {"question": criterion.quoted}
    if question.kind == TICK:
        return gettext("Tick “%(question)s” to go on.") % about
    if question.kind == MULTIPLE:
        return gettext("Choose at least one: “%(question)s”") % about
    return gettext("Answer “%(question)s”.") % about
