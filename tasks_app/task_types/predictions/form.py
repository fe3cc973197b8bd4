"""The form of judged predictions: which of them are right, and the right option where none is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django import forms
from django.utils.translation import gettext

from tasks_app.task_types.base import Criterion, ScreenForm, ShownPart
from tasks_app.task_types.labels import DetailQuestion, Question
from tasks_app.task_types.labels.options import NONE, Detail
from tasks_app.task_types.list_fields import TICKED, TickField, digit
from tasks_app.task_types.option_questions import NOT_AN_OPTION, Option, missing

if TYPE_CHECKING:
    from tasks_app.task_types.predictions import Predictions

# The answers that are about all predictions together; the last two are also stored labels.
BOTH, NONE_RIGHT, CANNOT_TELL, WRONG_TEXT = "both", "none_right", "cannot_tell", "wrong_text"
ALONE = (NONE_RIGHT, CANNOT_TELL, WRONG_TEXT)

# More predictions are judged by a box for each of them.
MOST_IN_A_LIST = 2

# Names of fields: the single choice, the box of a prediction by its place on the screen, that of an answer about all.
ANSWER, TICK, TICK_ALONE, RIGHT_OPTION = "answer", "right-{position}", "all-{answer}", "right-option"


@dataclass(frozen=True, slots=True)
class Row:
    """A prediction on the screen, for the template."""

    shown: ShownPart
    name: str


class PredictionsForm(ScreenForm):
    """The answer to the one question of a screen: a choice for one or two predictions, boxes to tick for more."""

    kind: Predictions

    def make_fields(self) -> Iterator[tuple[str, forms.Field]]:
        """Yield the choice or the boxes, and the choice of the right option where the item has options."""
        self.options = self.kind.options_to_offer(self.screen)
        choices, question = self._choices(), self._criterion.wording
        if self.is_ticked:
            yield from ((name, TickField(required=False, label=f"{question} {words}")) for name, _key, words in choices)
        else:
            keys = [(key, words) for _name, key, words in choices]
            yield ANSWER, _choice_field(question, keys)
        if self.options:
            none = (NONE, gettext("None of these"))
            yield RIGHT_OPTION, _choice_field(_which(), [*((option, option) for option in self.options), none])

    @property
    def _criterion(self) -> Criterion:
        (criterion,) = self.kind.asked(self.screen.shown_criteria)
        return criterion

    @property
    def is_ticked(self) -> bool:
        """Whether each prediction has a box to tick, since there are many."""
        return len(self.screen.parts) > MOST_IN_A_LIST

    def _choices(self) -> list[tuple[str, str, str]]:
        """Return name of the field, key and words of each answer, in the order of the screen."""
        shown = self.screen.shown_parts
        if len(shown) == 1:
            about_each = [("1", gettext("The prediction is right"))]
            none = gettext("The prediction is wrong")
        elif len(shown) == MOST_IN_A_LIST:
            about_each = [
                (str(one.position), gettext("Only %(letter)s is right") % {"letter": one.letter}) for one in shown
            ]
            about_each.append((BOTH, gettext("Both are right")))
            none = gettext("Neither is right")
        else:
            about_each = [(str(one.position), gettext("%(letter)s is right") % {"letter": one.letter}) for one in shown]
            none = gettext("None of them is right")
        about_all = {
            NONE_RIGHT: none,
            CANNOT_TELL: gettext("I cannot tell"),
            WRONG_TEXT: gettext("Something is wrong with the source"),
        }
        return [
            *((TICK.format(position=key), key, words) for key, words in about_each),
            *((TICK_ALONE.format(answer=key), key, words) for key, words in about_all.items()),
        ]

    def rows(self) -> list[Row]:
        """Return the predictions in the order of the screen, for the template."""
        shown = self.screen.shown_parts
        if len(shown) == 1:
            return [Row(shown[0], gettext("Prediction"))]
        return [Row(one, gettext("Prediction %(letter)s") % {"letter": one.letter}) for one in shown]

    def questions(self) -> list[Question]:
        """Return the question with its options, and the question after “none”, for the template."""
        criterion, choices = self._criterion, self._choices()
        first = self[choices[0][0] if self.is_ticked else ANSWER]
        none = next(words for _name, key, words in choices if key == NONE_RIGHT)
        return [
            Question(
                title=criterion.wording,
                criterion=criterion,
                id=first.auto_id,
                multiple=self.is_ticked,
                options=tuple(self._option(n, *choice) for n, choice in enumerate(choices, start=1)),
                details=tuple(self._details(none)),
                words=None,
                errors=tuple(str(error) for errors in self.errors.values() for error in errors)
                if self.is_bound
                else (),
            )
        ]

    def _option(self, number: int, name: str, key: str, words: str) -> Option:
        field = self[name if self.is_ticked else ANSWER]
        value = TICKED if self.is_ticked else key
        checked = field.value() in (TICKED, True) if self.is_ticked else field.value() == key
        return Option(field.html_name, value, words, checked, digit(number), stands_alone=key in ALONE)

    def _details(self, none: str) -> Iterator[DetailQuestion]:
        if not self.options:
            return
        field, language = self[RIGHT_OPTION], self.screen.language
        options = [(option, option, language) for option in self.options]
        options.append((NONE, gettext("None of these"), ""))
        yield DetailQuestion(
            Detail(1, RIGHT_OPTION, none, _which(), self.options, optional=False),
            field,
            tuple(
                Option(field.html_name, value, words, field.value() == value, digit(n), language=spoken)
                for n, (value, words, spoken) in enumerate(options, start=1)
            ),
        )

    def chosen(self, cleaned: Mapping[str, object]) -> tuple[tuple[int, ...], str]:
        """Return the places of the predictions that are right by an answer, and the answer about all ("" for none)."""
        places = [shown.position for shown in self.screen.shown_parts]
        if self.is_ticked:
            right = tuple(place for place in places if cleaned.get(TICK.format(position=place)))
            return right, next((key for key in ALONE if cleaned.get(TICK_ALONE.format(answer=key))), "")
        answer = str(cleaned.get(ANSWER) or "")
        if answer in ALONE:
            return (), answer
        return tuple(place for place in places if answer in {str(place), BOTH}), ""

    def clean(self) -> dict[str, object]:
        """Require an answer, and the right option where no prediction is right; drop the option elsewhere."""
        cleaned: dict[str, object] = super().clean() or self.cleaned_data
        choices = self._choices()
        first = choices[0][0] if self.is_ticked else ANSWER
        right, about_all = self.chosen(cleaned)
        n_alone = sum(bool(cleaned.get(TICK_ALONE.format(answer=key))) for key in ALONE)
        if not right and not about_all and not self.errors:
            self.add_error(first, missing(self._criterion.wording))
        elif n_alone > 1 or (right and about_all):
            self.add_error(first, gettext("Tick predictions that are right, or one of the last three answers."))
        if RIGHT_OPTION in self.fields:
            if about_all != NONE_RIGHT:
                cleaned[RIGHT_OPTION] = ""
                self.errors.pop(RIGHT_OPTION, None)
            elif not cleaned.get(RIGHT_OPTION) and RIGHT_OPTION not in self.errors:
                self.add_error(RIGHT_OPTION, missing(_which()))
        return cleaned


def _which() -> str:
    return gettext("Which of these is right?")


def _choice_field(label: str, choices: list[tuple[str, str]]) -> forms.ChoiceField:
    return forms.ChoiceField(choices=choices, required=False, label=label, error_messages=NOT_AN_OPTION)
