"""The form of a comprehension task: questions of the item, questions of the study, and the time spent reading."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from tasks_app.task_types.base import Criterion
from tasks_app.task_types.comprehension.questions import LONGEST_ANSWER, ItemQuestion
from tasks_app.task_types.option_questions import (
    NOT_AN_OPTION,
    OneTextForm,
    Option,
    OptionQuestion,
    missing,
    short_answer_field,
)

if TYPE_CHECKING:
    from tasks_app.task_types.comprehension import Comprehension

# The longest reading time that is accepted: one day, in seconds.
MOST_SECONDS = 86_400.0

ITEM_FIELD, STUDY_FIELD = "p1-q{n}", "p1-c-{key}"


@dataclass(frozen=True, slots=True)
class Question(OptionQuestion):
    """A question on the screen; without options it asks for a short answer.

    It may depend on an earlier question: `after` is the field of that question, `answers` are the answers to it after
    which this question is shown, and `answer_words` the same in words.
    """

    field: forms.BoundField
    note: str
    language: str
    after: str = ""
    after_title: str = ""
    answers: tuple[str, ...] = ()
    answer_words: tuple[str, ...] = ()


# Names the button that asks for the questions where no script shows them.
READ_ON = "read_on"


class ComprehensionForm(OneTextForm):
    """The answers to the questions of the item and of the study.

    The page fills two hidden fields: `reading` with the seconds of reading, and `read` with 1 once the rater has
    confirmed that they have read the text.
    """

    kind: Comprehension

    def make_fields(self) -> Iterator[tuple[str, forms.Field]]:
        """Yield a field for every question, then the two hidden fields that the page fills."""
        for question in self.item_questions:
            yield (
                ITEM_FIELD.format(n=question.number),
                _answer_field(question.words, self.kind.shown_options(self.screen, question)),
            )
        for criterion in self.study_questions:
            steps = [str(step) for step in range(1, len(criterion.labels) + 1)]
            yield STUDY_FIELD.format(key=criterion.key), _answer_field(criterion.question or criterion.name, steps)
        hidden = forms.HiddenInput
        seconds = forms.FloatField(
            required=False, min_value=0, max_value=MOST_SECONDS, widget=hidden, label=_("Seconds of reading")
        )
        yield "reading", seconds
        yield "read", forms.ChoiceField(required=False, choices=(("1", ""),), widget=hidden, label=_("Text was read"))

    @property
    def read_on(self) -> dict[str, str]:
        """The mark that the text was read, where the button below it was pressed without scripts."""
        return {"read": "1"} if self.is_bound and self.data.get(self.read_on_name) else {}

    @property
    def read_on_name(self) -> str:
        """The name of the button that asks for the questions where no script shows them."""
        return self.add_prefix(READ_ON)

    @property
    def item_questions(self) -> tuple[ItemQuestion, ...]:
        """The questions of the item."""
        return self.kind.questions_on(self.screen)

    @property
    def study_questions(self) -> tuple[Criterion, ...]:
        """The criteria of the study, in the order of the screen."""
        return self.kind.asked(self.screen.shown_criteria)

    def questions(self) -> Iterator[Question]:
        """Yield the questions in the order of the screen, for the template."""
        language = self.shown.part.language or self.screen.language
        for question in self.item_questions:
            field = self[ITEM_FIELD.format(n=question.number)]
            shown = self.kind.shown_options(self.screen, question)
            options = tuple(
                Option(field.html_name, words, words, field.value() == words, self.kind.digit(n))
                for n, words in enumerate(shown, start=1)
            )
            yield Question(question.words, options, self._errors_of(field), field, "", self.screen.language or language)
        by_key = {criterion.key: criterion for criterion in self.study_questions}
        for criterion in self.study_questions:
            field = self[STUDY_FIELD.format(key=criterion.key)]
            options = tuple(
                Option(field.html_name, str(n), words, str(field.value() or "") == str(n), self.kind.digit(n))
                for n, words in enumerate(criterion.labels, start=1)
            )
            title = criterion.question or criterion.name
            condition = self.kind.condition_of(criterion.key)
            earlier = by_key.get(condition.after) if condition is not None else None
            if condition is None or earlier is None:
                yield Question(title, options, self._errors_of(field), field, criterion.definition, criterion.language)
                continue
            yield Question(
                title,
                options,
                self._errors_of(field),
                field,
                criterion.definition,
                criterion.language,
                after=STUDY_FIELD.format(key=condition.after),
                after_title=earlier.question or earlier.name,
                answers=tuple(str(n) for n, words in enumerate(earlier.labels, start=1) if words in condition.answers),
                answer_words=tuple(words for words in earlier.labels if words in condition.answers),
            )

    def _errors_of(self, field: forms.BoundField) -> tuple[str, ...]:
        return tuple(map(str, field.errors)) if self.is_bound else ()

    def criteria_asked(self, cleaned: Mapping[str, object]) -> tuple[Criterion, ...]:
        """Return the criteria that apply with these answers; a criterion may depend on the answer to an earlier one."""
        included: dict[str, Criterion] = {}
        for criterion in self.study_questions:
            condition = self.kind.condition_of(criterion.key)
            if condition is not None:
                earlier = included.get(condition.after)
                step = str(cleaned.get(STUDY_FIELD.format(key=condition.after)) or "")
                if earlier is None or not step or earlier.labels[int(step) - 1] not in condition.answers:
                    continue
            included[criterion.key] = criterion
        return tuple(included.values())

    def clean(self) -> dict[str, object]:
        """Require an answer to every question that applies, and drop answers to the others."""
        cleaned: dict[str, object] = super().clean() or self.cleaned_data
        if {"reading", "read"} & set(self.errors):
            self.add_error(None, gettext("The page did not send the reading time correctly. Reload the page."))
        for question in self.item_questions:
            self._require_answer(cleaned, ITEM_FIELD.format(n=question.number), question.words)
        asked_keys = {criterion.key for criterion in self.criteria_asked(cleaned)}
        for criterion in self.study_questions:
            name = STUDY_FIELD.format(key=criterion.key)
            if criterion.key in asked_keys:
                self._require_answer(cleaned, name, criterion.question or criterion.name)
            else:
                self.errors.pop(name, None)
                cleaned[name] = ""
        return cleaned

    def _require_answer(self, cleaned: Mapping[str, object], name: str, question: str) -> None:
        if name not in self.errors and not cleaned.get(name):
            self.add_error(name, missing(question))


def _answer_field(label: str, options: tuple[str, ...] | list[str]) -> forms.Field:
    if options:
        return forms.ChoiceField(
            required=False,
            choices=[(option, "") for option in options],
            label=label,
            error_messages=NOT_AN_OPTION,
        )
    return short_answer_field(label, LONGEST_ANSWER)
