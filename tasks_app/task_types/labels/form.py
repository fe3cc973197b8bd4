"""The form of labels: for each criterion one option or several, the questions after some, and the rater's own words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django import forms
from django.utils.translation import gettext

from tasks_app.task_types.base import Criterion
from tasks_app.task_types.labels.options import NONE, Detail
from tasks_app.task_types.list_fields import TICKED, TickField
from tasks_app.task_types.option_questions import (
    NOT_AN_OPTION,
    OneTextForm,
    Option,
    OptionQuestion,
    missing,
    short_answer_field,
)

if TYPE_CHECKING:
    from tasks_app.task_types.labels import Labels

LONGEST_WORDS = 2_000

# One text a screen, so it is always the first.
CHOICE, TICK, NOTHING, WORDS, DETAIL = "p1-{key}", "p1-o{n}-{key}", "p1-none-{key}", "p1-text-{key}", "p1-d{n}-{key}"


@dataclass(frozen=True, slots=True)
class DetailQuestion:
    """A question after a label."""

    detail: Detail
    field: forms.BoundField
    options: tuple[Option, ...]


@dataclass(frozen=True, slots=True)
class Question(OptionQuestion):
    """One criterion on the screen."""

    criterion: Criterion
    id: str
    multiple: bool
    details: tuple[DetailQuestion, ...]
    words: forms.BoundField | None


class LabelsForm(OneTextForm):
    """The form of one text."""

    kind: Labels
    # The criteria of the study, in the order of the screen, each with its options in their order.
    criteria_with_options: tuple[tuple[Criterion, tuple[str, ...]], ...]

    def make_fields(self) -> Iterator[tuple[str, forms.Field]]:
        """Yield the fields of every criterion."""
        kind, screen = self.kind, self.screen
        self.criteria_with_options = tuple(
            (criterion, kind.shown_options(screen, criterion)) for criterion in kind.asked(screen.shown_criteria)
        )
        for criterion, options in self.criteria_with_options:
            yield from _fields(kind, criterion, options)

    def questions(self) -> list[Question]:
        """Return the questions in the order of the screen, for the template."""
        return [self._question(criterion, options) for criterion, options in self.criteria_with_options]

    def _question(self, criterion: Criterion, options: tuple[str, ...]) -> Question:
        key = criterion.key
        own = [name for name in self.fields if name in set(_names(self.kind, criterion, options))]
        details = tuple(
            DetailQuestion(
                detail,
                field,
                tuple(_choice(field, word, self.kind.digit(n)) for n, word in enumerate(detail.options, start=1)),
            )
            for detail in self.kind.details_of(key)
            if (field := self[DETAIL.format(n=detail.number, key=key)])
        )
        first = TICK.format(n=1, key=key) if self.kind.multiple else CHOICE.format(key=key)
        return Question(
            title=criterion.question or criterion.name,
            criterion=criterion,
            id=self[first].auto_id,
            multiple=self.kind.multiple,
            options=tuple(self._options(key, options)),
            details=details,
            words=self[WORDS.format(key=key)] if WORDS.format(key=key) in self.fields else None,
            errors=tuple(str(error) for name in own for error in self.errors.get(name, ())) if self.is_bound else (),
        )

    def _options(self, key: str, options: tuple[str, ...]) -> Iterator[Option]:
        none = [gettext("None of these")] if key in self.kind.none_of_these else []
        for n, words in enumerate([*options, *none], start=1):
            is_none = n > len(options)
            if not self.kind.multiple:
                field = self[CHOICE.format(key=key)]
                value = NONE if is_none else words
                yield Option(field.html_name, value, words, field.value() == value, self.kind.digit(n), is_none)
                continue
            field = self[NOTHING.format(key=key) if is_none else TICK.format(n=n, key=key)]
            yield Option(field.html_name, TICKED, words, field.value() in (TICKED, True), self.kind.digit(n), is_none)

    def chosen(self, criterion: Criterion, options: tuple[str, ...], cleaned: Mapping[str, object]) -> list[str]:
        """Return the labels an answer holds for a criterion, in the order of the screen."""
        key = criterion.key
        if not self.kind.multiple:
            answer = cleaned.get(CHOICE.format(key=key))
            return [str(answer)] if answer else []
        ticked = [option for n, option in enumerate(options, start=1) if cleaned.get(TICK.format(n=n, key=key))]
        return [*ticked, NONE] if cleaned.get(NOTHING.format(key=key)) else ticked

    def fields_of(self, criterion: Criterion, options: tuple[str, ...]) -> tuple[str, ...]:
        """Return the names of the fields in which options of a criterion are chosen."""
        asked_after = [WORDS.format(key=criterion.key)]
        asked_after += [
            DETAIL.format(n=detail.number, key=criterion.key) for detail in self.kind.details_of(criterion.key)
        ]
        return tuple(name for name in _names(self.kind, criterion, options) if name not in asked_after)

    def clean(self) -> dict[str, object]:
        """Require an answer to every question that is asked, and drop answers to the others."""
        cleaned = super().clean() or self.cleaned_data
        for criterion, options in self.criteria_with_options:
            key = criterion.key
            chosen = self.chosen(criterion, options, cleaned)
            first = TICK.format(n=1, key=key) if self.kind.multiple else CHOICE.format(key=key)
            if not chosen and not any(name in self.errors for name in _names(self.kind, criterion, options)):
                self.add_error(first, missing(criterion.question or criterion.name))
            elif NONE in chosen and len(chosen) > 1:
                self.add_error(first, gettext("Choose only “None of these”, or untick it."))
            words, asks = WORDS.format(key=key), gettext("What is it, in your own words?")
            self._only_after(cleaned, words, NONE in chosen, asks, optional=False)
            for detail in self.kind.details_of(key):
                name = DETAIL.format(n=detail.number, key=key)
                self._only_after(cleaned, name, detail.label in chosen, detail.question, optional=detail.optional)
        return cleaned

    def _only_after(
        self, cleaned: dict[str, object], name: str, is_asked: bool, question: str, *, optional: bool
    ) -> None:
        if name not in self.fields:
            return
        if not is_asked:
            cleaned[name] = ""
            self.errors.pop(name, None)
        elif not cleaned.get(name) and name not in self.errors and not optional:
            self.add_error(name, missing(question))


def _choice(field: forms.BoundField, words: str, digit: str) -> Option:
    return Option(field.html_name, words, words, field.value() == words, digit)


def _names(kind: Labels, criterion: Criterion, options: tuple[str, ...]) -> Iterator[str]:
    """Yield the names of the fields of one criterion."""
    yield from (name for name, _field in _fields(kind, criterion, options))


def _fields(kind: Labels, criterion: Criterion, options: tuple[str, ...]) -> Iterator[tuple[str, forms.Field]]:
    key = criterion.key
    about = criterion.question or criterion.name
    none = [(NONE, gettext("None of these"))] if key in kind.none_of_these else []
    if not kind.multiple:
        choices = [*((option, "") for option in options), *none]
        yield (
            CHOICE.format(key=key),
            forms.ChoiceField(choices=choices, required=False, label=about, error_messages=NOT_AN_OPTION),
        )
    else:
        for n, option in enumerate(options, start=1):
            yield TICK.format(n=n, key=key), TickField(required=False, label=f"{about} {option}")
        for _value, words in none:
            yield NOTHING.format(key=key), TickField(required=False, label=f"{about} {words}")
    if key in kind.none_text:
        yield (
            WORDS.format(key=key),
            short_answer_field(gettext("In your own words"), LONGEST_WORDS),
        )
    for detail in kind.details_of(key):
        yield (
            DETAIL.format(n=detail.number, key=key),
            forms.ChoiceField(
                choices=[(option, "") for option in detail.options],
                required=False,
                label=detail.question,
                error_messages=NOT_AN_OPTION,
            ),
        )
