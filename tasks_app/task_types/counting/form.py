"""The form of counts: a number for each question, and a choice for each fact of the item."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django import forms
from django.utils.translation import gettext

from tasks_app.task_types.base import Criterion
from tasks_app.task_types.labels.options import NONE
from tasks_app.task_types.list_fields import digit
from tasks_app.task_types.magnitude.numbers import WholeNumberField
from tasks_app.task_types.option_questions import NOT_AN_OPTION, OneTextForm, Option, OptionQuestion, missing

if TYPE_CHECKING:
    from tasks_app.task_types.counting import Counting

# Names of fields, of the one text on a screen.
COUNT, FACT = "p1-{key}", "p1-fact-{n}"


class CountField(WholeNumberField):
    """A field of text that holds a whole number from 0 to `most`, in the digits of any script."""

    def __init__(self, *, most: int, about: str, missing: str, label: str) -> None:
        super().__init__(about=about, missing=missing, label=label)
        self.most = most
        sentence = gettext("%(about)s: give a whole number from 0 to %(most)d, in digits.")
        self.error_messages["invalid"] = sentence % {"about": about, "most": most}

    def to_python(self, value: object) -> int | None:
        """Read the typed text."""
        try:
            number = super().to_python(value)
        except forms.ValidationError as bad:
            if bad.code == "zero":
                return 0
            raise forms.ValidationError(self.error_messages["invalid"], code="invalid") from bad
        if number is not None and number > self.most:
            raise forms.ValidationError(self.error_messages["invalid"], code="invalid")
        return number


@dataclass(frozen=True, slots=True)
class CountQuestion:
    """A question that is answered with a number."""

    criterion: Criterion
    field: forms.BoundField

    @property
    def missing(self) -> str:
        """The message while there is no number."""
        return missing(self.criterion.wording)


@dataclass(frozen=True, slots=True)
class FactQuestion(OptionQuestion):
    """A fact of the item with the answers about it, in the form that the template of labels shows."""

    criterion: Criterion
    id: str
    multiple: bool = False
    details: tuple[()] = ()
    words: None = None


class CountingForm(OneTextForm):
    """The form of one text."""

    kind: Counting

    def make_fields(self) -> Iterator[tuple[str, forms.Field]]:
        """Yield a choice for each fact, then a number for each question that is not about facts."""
        choices = [(key, "") for key, _words, _language in self.fact_options]
        for n, fact in enumerate(self.facts, start=1):
            yield (
                FACT.format(n=n),
                forms.ChoiceField(choices=choices, required=False, label=fact, error_messages=NOT_AN_OPTION),
            )
        for criterion in self.numbered:
            about, most = criterion.quoted, self.kind.most
            yield (
                COUNT.format(key=criterion.key),
                CountField(most=most, about=about, missing=missing(criterion.wording), label=criterion.wording),
            )

    @property
    def facts(self) -> tuple[str, ...]:
        """The facts of the item."""
        return self.kind.facts_on(self.screen)

    @property
    def numbered(self) -> list[Criterion]:
        """The questions that are answered with a number, in the order of the screen."""
        asked = self.kind.asked(self.screen.shown_criteria)
        return [criterion for criterion in asked if criterion.key not in self.kind.per_fact]

    @property
    def fact_options(self) -> list[tuple[str, str, str]]:
        """The answers about a fact: key, words, and their language, which is empty for words of the page."""
        by_key = {criterion.key: criterion for criterion in self.screen.criteria}
        named = [by_key[key] for key in self.kind.per_fact if key in by_key]
        neither = (
            NONE,
            self.kind.neither or gettext("None of these"),
            self.screen.language if self.kind.neither else "",
        )
        return [*((one.key, one.name, one.language) for one in named), neither]

    def fact_questions(self) -> Iterator[FactQuestion]:
        """Yield the facts with their answers, for the template."""
        for n, fact in enumerate(self.facts, start=1):
            field = self[FACT.format(n=n)]
            yield FactQuestion(
                title=fact,
                options=tuple(
                    Option(field.html_name, key, words, field.value() == key, digit(place), language=language)
                    for place, (key, words, language) in enumerate(self.fact_options, start=1)
                ),
                errors=tuple(map(str, field.errors)) if self.is_bound else (),
                criterion=Criterion(FACT.format(n=n), fact, language=self.screen.language),
                id=field.auto_id,
            )

    def count_questions(self) -> Iterator[CountQuestion]:
        """Yield the questions that are answered with a number, for the template."""
        for criterion in self.numbered:
            yield CountQuestion(criterion, self[COUNT.format(key=criterion.key)])

    def chosen(self, cleaned: Mapping[str, object]) -> list[str]:
        """Return the answer about each fact."""
        return [str(cleaned[FACT.format(n=n)]) for n in range(1, len(self.facts) + 1)]

    def clean(self) -> dict[str, object]:
        """Require an answer about each fact."""
        cleaned: dict[str, object] = super().clean() or self.cleaned_data
        for n, fact in enumerate(self.facts, start=1):
            name = FACT.format(n=n)
            if not cleaned.get(name) and name not in self.errors:
                self.add_error(name, missing(fact))
        return cleaned
