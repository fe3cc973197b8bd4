"""The shared parts of scales: a number for every text on the screen and every criterion.

Not a task type of its own, but the base of likert and slider.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from django import forms
from django.utils.translation import get_language, gettext
from django.utils.translation import gettext_lazy as _

from tasks_app.settings.fields import YesNoField
from tasks_app.task_types.base import (
    DOCUMENT_SCORE,
    AnsweredOption,
    AnsweredQuestion,
    Criterion,
    Quality,
    Screen,
    ScreenForm,
    ShownPart,
    Value,
    without_document_score,
)
from tasks_app.task_types.simulation import NOISE, WORDING_SHIFT, share_of
from tasks_app.task_types.texts import LAYOUT, SingleOrTogether
from tasks_app.task_types.written import written
from tasks_app.texts import languages, plaintext

AGREEMENT = YesNoField(
    label=_("Agreement with a statement"),
    help_text=_("The question is a statement, and the ends of the scale say “disagree” and “agree”."),
)


def in_agreement(criterion: Criterion) -> Criterion:
    """Return a criterion with the ends of a scale of agreement, unless the study words these itself."""
    if criterion.low or criterion.high or criterion.labels or criterion.anchors:
        return criterion
    with languages.speaking(criterion.language) as spoken:
        low, high = gettext("Strongly disagree"), gettext("Strongly agree")
    return replace(criterion, low=low, high=high, scale_language=spoken)


def questions_for_agreement(criteria: Sequence[Criterion]) -> Iterator[str]:
    """Yield a sentence for every criterion that asks a question where raters are to agree with a statement."""
    for criterion in criteria:
        if criterion.question.rstrip().endswith(("?", "？", "؟")):
            yield (
                f"Criterion {criterion.key!r} asks a question, but the task asks for agreement. "
                "Word it as a statement, such as “The text is fluent.”, or set agreement to false."
            )


def field_name(position: int, criterion: str) -> str:
    """Name the form field of one text and criterion, by the text's place on the rater's screen."""
    return f"p{position}-{criterion}"


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a scale: the posted value, its word if it has one, and whether it is chosen.

    `key` is the digit that chooses it, 10 for the key 0, and 0 where there is none left.
    """

    value: str
    word: str
    checked: bool
    key: int = 0

    @property
    def number(self) -> str:
        """The number of the step, as it is written on a page."""
        return self.value.replace("-", "−")


def steps_of(field: forms.BoundField) -> list[Step]:
    """Return the steps that a field offers: Django's own widgets take three times as long to render."""
    value = field.value()
    chosen = "" if value is None else str(value)
    choices: Sequence[tuple[str, str]] = list(getattr(field.field, "choices", ()))
    keys = _keys_of([step for step, _word in choices])
    return [Step(step, str(word), step == chosen, key) for (step, word), key in zip(choices, keys, strict=True)]


def _keys_of(steps: Sequence[str]) -> list[int]:
    """Return the digit for each step: on a scale from 0 its own number, else its place."""
    keys = [10, *range(1, 10)] if steps[:1] == ["0"] else [*range(1, 11)]
    return [*keys, *[0] * len(steps)][: len(steps)]


def step_words(step: Step) -> str:
    """Return the number of a step with its word, where it has one."""
    return f"{step.number} ({step.word})" if step.word else step.number


@dataclass(frozen=True, slots=True)
class Cell:
    """One question on the screen: the criterion and its form field.

    `fresh_key` stands for the question's HTML while it is unanswered, which is the same for every unit; it is empty
    where there is an answer or a mistake to show. `question_id` is the id of the question where it stands once for all
    texts. `template` shows it where it is another kind of question than the others.
    """

    criterion: Criterion
    field: forms.BoundField
    fresh_key: str = ""
    question_id: str = ""
    template: str = ""

    @property
    def steps(self) -> list[Step]:
        """The steps of a scale, for the template."""
        return steps_of(self.field)

    @property
    def of_document(self) -> bool:
        """Whether the question is about the whole document that a text ends."""
        return self.criterion.key == DOCUMENT_SCORE

    @property
    def labelled(self) -> bool:
        """Whether every step has a word of its own."""
        return all(step.word for step in self.steps)


@dataclass(frozen=True, slots=True)
class Row:
    """One text on the screen with its questions."""

    shown: ShownPart
    cells: tuple[Cell, ...]

    @property
    def cells_of_text(self) -> tuple[Cell, ...]:
        """The questions about the text alone, without that about its whole document."""
        return tuple(cell for cell in self.cells if not cell.of_document)


class TextsForm(ScreenForm):
    """A form with one field for every text and criterion, in the order of the screen."""

    # The criteria in the order of the screen, in the words that the type gives them.
    criteria: tuple[Criterion, ...]

    def rows(self) -> list[Row]:
        """Return the texts with their questions, for the template."""
        screen = self.screen
        looks = (
            screen.type,
            sorted(screen.params.items()),
            len(screen.parts),
            screen.output_kind,
            screen.paged,
            screen.language,
        )
        about = repr((*looks, get_language()))
        return [
            Row(shown, tuple(self._cell(shown, criterion, about) for criterion in self.criteria))
            for shown in screen.shown_parts
        ]

    @property
    def asked_of_text(self) -> Sequence[Criterion]:
        """The questions about a text in the order of the screen, in the words of the type."""
        return without_document_score(self.criteria)

    @property
    def document_cells(self) -> Sequence[Cell]:
        """The question about the whole document that the text ends, where the screen asks it; else none."""
        if all(criterion.key != DOCUMENT_SCORE for criterion in self.criteria):
            return ()
        return [cell for row in self.rows() for cell in row.cells if cell.of_document]

    def by_question(self) -> list[tuple[ShownPart, Cell]]:
        """Return the questions, each with its text, one criterion after the other, to be asked one at a time."""
        rows = self.rows()
        return [(row.shown, row.cells[number]) for number in range(len(rows[0].cells)) for row in rows] if rows else []

    def _cell(self, shown: ShownPart, criterion: Criterion, about: str) -> Cell:
        field = self[field_name(shown.position, criterion.key)]
        question = f"{self[field_name(1, criterion.key)].auto_id}-asked"
        if self.is_bound or field.value() not in (None, ""):
            return Cell(criterion, field, question_id=question)
        return Cell(criterion, field, plaintext.digest(f"{about}{field.auto_id}{criterion!r}"), question)


class GridForm(TextsForm):
    """The form of a screen that asks for a number for each text and criterion."""

    kind: GridType

    def make_fields(self) -> Iterator[tuple[str, forms.Field]]:
        """Yield a field for every text and criterion."""
        self.criteria = tuple(map(self.kind.on_screen, self.screen.shown_criteria))
        several = len(self.screen.parts) > 1
        for shown in self.screen.shown_parts:
            for criterion in self.criteria:
                names = {"criterion": criterion.quoted, "name": shown.name}
                missing = (
                    gettext("%(name)s: answer “%(criterion)s”.") % names
                    if several
                    else gettext("Answer “%(criterion)s”.") % names
                )
                field = self.kind.field(criterion, missing)
                if criterion.reversed:
                    field = Reversed(field, self.kind.scale_of(criterion))
                yield field_name(shown.position, criterion.key), field


class Reversed(forms.Field):
    """The field of a scale that runs the other way round on the screen.

    The page has and posts the numbers on the screen; cleaned values, and values of stored answers, are those of the
    question's scale. Drafts hold what a page posted, as texts, and are shown as they are.
    """

    runs_backwards = True

    def __init__(self, field: forms.Field, scale: tuple[float, float, float]) -> None:
        super().__init__(
            label=field.label, required=field.required, widget=field.widget, error_messages=field.error_messages
        )
        self.field, self._ends = field, scale[0] + scale[1]
        # Steps of a choice, which templates read.
        self.choices = getattr(field, "choices", ())

    def turned(self, value: float) -> float:
        """Turn a number on the screen into one of the scale, or the other way round."""
        number = self._ends - value
        return int(number) if number.is_integer() else round(number, 10)

    def clean(self, value: Any) -> float | None:
        """Return the number on the scale of the question. Raises ValidationError."""
        cleaned = self.field.clean(value)
        return None if cleaned is None else self.turned(cleaned)

    def prepare_value(self, value: Any) -> Any:
        """Return the number on the screen for that of a stored answer."""
        return self.turned(value) if isinstance(value, int | float) else value

    def in_words(self, value: Any) -> str:
        """Describe a number of the scale as the screen has it: by the number there, with its words."""
        number = written(self.turned(float(value)))
        words = next((str(label) for choice, label in self.choices if str(choice) == number and label), "")
        return f"{number} ({words})" if words and words != number else number


def reversed_scale(criterion: Criterion, scale: tuple[float, float, float]) -> Criterion:
    """Return a criterion with the words of its scale as a screen has them: from the high end to the low one."""
    ends = scale[0] + scale[1]
    return replace(
        criterion,
        low=criterion.high,
        high=criterion.low,
        labels=criterion.labels[::-1],
        anchors={f"{ends - float(point):.10g}": words for point, words in reversed(tuple(criterion.anchors.items()))},
    )


class GridType(SingleOrTogether):
    """A number for each text and criterion. A member says which numbers, in `field` and `scale_of`.

    It declares `agreement` itself, where it belongs among its parameters, as `AGREEMENT`.
    """

    judges_files = True
    has_wordings = True

    layout = LAYOUT
    show_numbers = YesNoField(label=_("Show numbers"), help_text=_("Beside the words at the ends."))
    agreement: YesNoField

    Form = GridForm

    def worded(self, criterion: Criterion) -> Criterion:
        """Return a criterion with the words that the parameters ask for, where the study gives it none of its own."""
        return criterion

    def on_screen(self, criterion: Criterion) -> Criterion:
        """Return a criterion in the words that raters read from the first to the last step of the screen.

        The customary words of agreement keep their order where the scale is reversed: a rater who agrees that a text is
        hard to read finds it less readable.
        """
        if not criterion.reversed:
            return self.worded(criterion)
        if self.agreement:
            return self.worded(reversed_scale(criterion, self.scale_of(criterion)))
        return reversed_scale(self.worded(criterion), self.scale_of(criterion))

    def wording_problems(self, criteria: Sequence[Criterion]) -> Iterator[tuple[str, int | None, str]]:
        """Yield the wordings that do not fit the scale, look like an earlier one, or reverse a scale without words."""
        for criterion in (one for one in criteria if one.wordings):
            wordings = criterion.all_wordings
            looks = [replace(one, shown_wording="", wording_number=0) for one in wordings]
            for number, wording in enumerate(wordings[1:]):
                for sentence in self.problems([wording]):
                    yield criterion.key, number, sentence
                if looks[number + 1] in looks[: number + 1]:
                    yield criterion.key, number, "Raters would read the same as in an earlier wording."
                words = self.worded(wording)
                if wording.reversed and not (words.labels or words.anchors or (words.low and words.high)):
                    sentence = "The scale is reversed, but no words say which end is which."
                    yield criterion.key, number, f"{sentence} Word the steps or both ends."

    @abstractmethod
    def field(self, criterion: Criterion, missing: str) -> forms.Field:
        """Return the field of one question; `missing` is the message when it was left out."""

    @abstractmethod
    def scale_of(self, criterion: Criterion | None = None) -> tuple[float, float, float]:
        """Return least value, greatest value and step."""

    def elicitation(self) -> str:
        """Name the form in which answers are drawn out, as the datasheet does (HEDS 4.3.8)."""
        return "agreement with a quality statement" if self.agreement else "direct quality estimation"

    def ratings(self, screen: Screen, cleaned: Mapping[str, object]) -> Iterator[Value]:
        """Give one rating a text and criterion, on the canonical number of the text."""
        for shown in screen.shown_parts:
            for criterion in screen.shown_criteria:
                value = cleaned[field_name(shown.position, criterion.key)]
                if not isinstance(value, int | float):
                    raise TypeError(f"A rating must be a number, not {value!r}.")
                yield Value(
                    "rating",
                    part=shown.part.number,
                    criterion=criterion.key,
                    value=float(value) + 0.0,
                    shown_value=self._number_on_screen(criterion, value) if criterion.shown_wording else None,
                )

    def _number_on_screen(self, criterion: Criterion, value: float) -> float:
        """Return the number that the screen had for a value of the scale, or the other way round."""
        low, high, _step = self.scale_of(criterion)
        return round(low + high - value, 10) + 0.0 if criterion.reversed else float(value) + 0.0

    def answered_questions(self, screen: Screen, cleaned: Mapping[str, object]) -> Iterator[AnsweredQuestion]:
        """Yield the steps, or the scale, of every text and criterion.

        Steps stand as on the screen. A scale without steps runs from its low to its high end, as known answers do, also
        where the screen had it the other way round.
        """
        form = self.form(screen)
        low, high, step = self.scale_of()
        for shown in screen.shown_parts:
            for criterion in map(self.on_screen, screen.shown_criteria):
                name = field_name(shown.position, criterion.key)
                field, given = form.fields[name], cleaned.get(name)
                given = float(str(given)) if given not in (None, "") else None
                yield AnsweredQuestion(
                    criterion.key,
                    criterion.wording,
                    (name,),
                    criterion.language,
                    shown,
                    tuple(
                        AnsweredOption(
                            step_words(one),
                            value := self._number_on_screen(criterion, float(one.value)),
                            value == given,
                            criterion.language_of_scale,
                        )
                        for one in steps_of(form[name])
                    )
                    if getattr(field, "choices", ())
                    else (),
                    reversed_scale(criterion, (low, high, step)) if criterion.reversed else criterion,
                    (low, high),
                    given=given,
                )

    def problem_in_value(self, value: float, criterion: Criterion | None) -> str | None:
        """Refuse a number off the scale. Finer steps than the task's are accepted: they were given elsewhere."""
        low, high, _step = self.scale_of()
        if low <= value <= high:
            return None
        about = {"low": written(low), "high": written(high), "value": written(value)}
        return gettext("must be from %(low)s to %(high)s, the scale of this task; it is %(value)s.") % about

    def simulate(self, screen: Screen, quality: Quality, rng: Random) -> dict[str, str]:
        """Answer from the latent quality of each text, with the noise of the rater's quality."""
        low, high, step = self.scale_of()
        steps = round((high - low) / step)
        answers: dict[str, str] = {}
        for shown in screen.shown_parts:
            for criterion in screen.shown_criteria:
                share = share_of(shown.part.content, criterion.key, quality, rng)
                if quality in NOISE:
                    share += WORDING_SHIFT * criterion.wording_number
                chosen = low + step * min(steps, max(0, round(share * steps)))
                chosen = self._number_on_screen(criterion, chosen)
                answers[field_name(shown.position, criterion.key)] = f"{chosen:g}"
        return answers
