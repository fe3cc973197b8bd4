"""The form of a questionnaire, and what its template draws."""

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
from tasks_app.task_types.questionnaire.questions import MULTIPLE, TICK, Asked, Question

if TYPE_CHECKING:
    from tasks_app.task_types.questionnaire import Questionnaire


def field_name(criterion: str) -> str:
    """Name the form field of a criterion. A question may be called comment; the page has a field of that name."""
    return f"q-{criterion}"


@dataclass(frozen=True, slots=True)
class Cell:
    """One criterion on the page: as the study words it, with its form field."""

    asked: Asked
    criterion: Criterion
    field: forms.BoundField

    @property
    def steps(self) -> list[Step]:
        """What can be chosen."""
        return steps_of(self.field)

    @property
    def labelled(self) -> bool:
        """Whether every step has a word of its own."""
        return all(one.word for one in self.steps)

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
    said: bool = True

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
        """The question as it is asked: of a grid, what stands above its rows."""
        if self.question.kind == "grid":
            return self.question.question if self.said else ""
        return self.first.criterion.question

    @property
    def missing(self) -> str:
        """What is said where it was left out."""
        return str(self.first.field.field.error_messages["required"])

    @property
    def errors(self) -> list[str]:
        """What is wrong with any of its fields."""
        return [str(error) for cell in self.cells for error in cell.field.errors]


class QuestionnaireForm(ScreenForm):
    """One field for each criterion, in the order of the questionnaire and in the words that the study has for them."""

    kind: Questionnaire
    introduction: str
    language: str
    # Grids above which nothing stands, since the study's own introduction says it.
    unsaid: frozenset[str]
    asked: Sequence[tuple[Asked, Criterion]]

    def make_fields(self) -> Iterator[tuple[str, forms.Field]]:
        """Yield the fields of what is asked."""
        own, instrument = self.kind.introduction, self.kind.instrument
        shipped = instrument_data(instrument)
        self.introduction = own or introduction_of(instrument)
        self.unsaid = frozenset(one["key"] for one in shipped["questions"]) if own else frozenset()
        self.language = "" if own else str(shipped["language"])
        self.asked = self.kind.worded(self.screen)
        for asked, criterion in self.asked:
            yield (
                field_name(criterion.key),
                field_for(
                    Asked(asked.question, criterion, asked.option),
                    required=self._must_answer(asked.question),
                    missing=missing_words(asked.question, criterion),
                    labels=labels_of(asked.question, criterion),
                ),
            )

    def _must_answer(self, question: Question) -> bool:
        return question.required and (self.kind.all_required or question.kind == TICK)

    def blocks(self) -> list[Block]:
        """The questions with their fields, in the order of the questionnaire."""
        cells: dict[str, list[Cell]] = {}
        questions: dict[str, Question] = {}
        for asked, criterion in self.asked:
            questions[asked.question.key] = asked.question
            cell = Cell(asked, criterion, self[field_name(criterion.key)])
            cells.setdefault(asked.question.key, []).append(cell)
        return [
            Block(one, tuple(cells[key]), self._must_answer(one), said=key not in self.unsaid)
            for key, one in questions.items()
        ]

    def clean(self) -> dict[str, Any]:
        """Hold the boxes of one question together."""
        cleaned = super().clean() or self.cleaned_data
        boxes: dict[str, list[tuple[Asked, str]]] = {}
        for asked, criterion in self.asked:
            if asked.question.kind == MULTIPLE:
                boxes.setdefault(asked.question.key, []).append((asked, field_name(criterion.key)))
        for found in boxes.values():
            self._hold_together(found, cleaned)
        return cleaned

    def _hold_together(self, boxes: list[tuple[Asked, str]], cleaned: Mapping[str, Any]) -> None:
        names = [name for _asked, name in boxes]
        if any(name in self.errors for name in names):
            return
        first, question = self.fields[names[0]], boxes[0][0].question
        ticked = [(asked, name) for asked, name in boxes if cleaned.get(name)]
        alone = [name for asked, name in ticked if asked.option is not None and asked.option.alone]
        if not ticked and self._must_answer(question):
            self.add_error(names[0], str(first.error_messages["required"]))
        elif alone and len(ticked) > 1:
            sentence = gettext("“%(option)s” cannot be chosen together with others.")
            self.add_error(alone[0], sentence % {"option": self.fields[alone[0]].label})


def labels_of(question: Question, criterion: Criterion) -> tuple[str, ...]:
    """Word what can be chosen: in the study's words where it has one for each, else in the questionnaire's."""
    own = tuple(one.words for one in question.choices)
    if criterion.labels:
        return criterion.labels if len(criterion.labels) == len(own) else own
    if question.points and (criterion.low or criterion.high):
        return (criterion.low, *[""] * (question.points - 2), criterion.high)
    return own


def missing_words(question: Question, criterion: Criterion) -> str:
    """Say what is left to do where a question has no answer."""
    about = {"question": criterion.question or criterion.name}
    if question.kind == TICK:
        return gettext("Tick “%(question)s” to go on.") % about
    if question.kind == MULTIPLE:
        return gettext("Choose at least one: “%(question)s”") % about
    return gettext("Answer “%(question)s”.") % about
