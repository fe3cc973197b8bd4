"""The form of error labels: one label out of the hierarchy, its follow-up question, and flags to tick."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from tasks_app.task_types.base import Criterion
from tasks_app.task_types.error_labels.typology import ERROR, FollowUp, Label, Typology, criteria_of
from tasks_app.task_types.list_fields import TICKED, TickField, digit
from tasks_app.task_types.option_questions import OneTextForm, missing

if TYPE_CHECKING:
    from tasks_app.task_types.error_labels import ErrorLabels

YES, NO = "yes", "no"

# One text a screen, so it is always the first.
LABEL_FIELD = f"p1-{ERROR}"


def step_field(label: str) -> str:
    """Name the field that asks for one label with yes or no."""
    return f"{LABEL_FIELD}-{label}"


def follow_up_field(key: str) -> str:
    """Name the field of a follow-up question."""
    return f"p1-{key}"


def flag_field(key: str) -> str:
    """Name the field of a flag."""
    return f"p1-flag-{key}"


def chosen_label(typology: Typology, cleaned: Mapping[str, object], *, in_order: bool) -> str:
    """Return the label an answer comes to; empty where it comes to none yet.

    Down the hierarchy, the first yes is the label. Where all are answered with no, it is the last one.
    """
    if not in_order:
        return str(cleaned.get(LABEL_FIELD) or "")
    for label in typology.errors:
        answer = cleaned.get(step_field(label.key))
        if answer != NO:
            return label.key if answer == YES else ""
    return typology.labels[-1].key


@dataclass(frozen=True, slots=True)
class Choice:
    """One option to choose or to tick: the posted value, its words, the digit that chooses it."""

    value: str
    words: str
    checked: bool
    digit: str = ""
    label: Label | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One question down the hierarchy, as it stands on the screen."""

    label: Label
    number: int
    field: forms.BoundField
    choices: tuple[Choice, ...]


@dataclass(frozen=True, slots=True)
class FollowUpQuestion:
    """A follow-up question on the screen; `after` are the labels after which it is asked."""

    follow_up: FollowUp
    after: tuple[Label, ...]
    question: str
    language: str
    field: forms.BoundField
    choices: tuple[Choice, ...]

    @property
    def keys(self) -> str:
        """The keys of the labels after which it is asked, for the page's script."""
        return " ".join(label.key for label in self.after)


@dataclass(frozen=True, slots=True)
class Tick:
    """Something to tick beside the label."""

    name: str
    definition: str
    language: str
    field: forms.BoundField
    digit: str

    @property
    def checked(self) -> bool:
        """Whether it is ticked."""
        return self.field.value() in (TICKED, True)


class ErrorLabelForm(OneTextForm):
    """The form of one text with its source."""

    kind: ErrorLabels
    typology: Typology
    words: Mapping[str, Criterion]

    def make_fields(self) -> Iterator[tuple[str, forms.Field]]:
        """Yield the fields of the label or of the steps to it, of the follow-up questions, and of the flags."""
        self.typology = self.kind.hierarchy()
        own = {criterion.key: criterion for criterion in self.screen.criteria}
        self.words = {criterion.key: own.get(criterion.key, criterion) for criterion in criteria_of(self.typology)}
        not_shown = {"invalid_choice": _("Choose one of the answers shown.")}
        if self.in_order:
            for label in self.typology.errors:
                yield (
                    step_field(label.key),
                    forms.ChoiceField(
                        choices=((YES, _("Yes")), (NO, _("No"))),
                        required=False,
                        label=label.name,
                        error_messages=not_shown,
                    ),
                )
        else:
            yield (
                LABEL_FIELD,
                forms.ChoiceField(
                    choices=[(label.key, label.name) for label in self.typology.labels],
                    label=self.question,
                    error_messages={**not_shown, "required": _("Choose the first label that applies.")},
                ),
            )
        for follow_up in self.typology.follow_ups:
            yield (
                follow_up_field(follow_up.key),
                forms.ChoiceField(
                    choices=follow_up.options,
                    required=False,
                    label=self.words[follow_up.key].name,
                    error_messages=not_shown,
                ),
            )
        for flag in self.typology.flags:
            yield flag_field(flag.key), TickField(required=False, label=self.words[flag.key].name)

    @property
    def in_order(self) -> bool:
        """Whether the hierarchy is asked down with yes or no."""
        return self.kind.in_order

    @property
    def question(self) -> str:
        """The question for the label, in the study's words."""
        return self.words[ERROR].question or self.words[ERROR].name

    @property
    def language(self) -> str:
        """The language of the labels: of those that come along their own."""
        return self.typology.language or self.screen.language

    @property
    def valid(self) -> Label:
        """The label that says that nothing is wrong."""
        return self.typology.labels[-1]

    @property
    def result_id(self) -> str:
        """The id of the element that shows the label once the steps have led to one."""
        return f"{self[step_field(self.typology.labels[0].key)].auto_id}-result"

    def label_field(self) -> forms.BoundField:
        """Return the field of the label, where it is chosen."""
        return self[LABEL_FIELD]

    def labels(self) -> list[Choice]:
        """Return the labels in the order of the hierarchy."""
        chosen = self[LABEL_FIELD].value()
        return [
            Choice(label.key, label.name, label.key == chosen, digit(number), label)
            for number, label in enumerate(self.typology.labels, start=1)
        ]

    def steps(self) -> list[Step]:
        """Return the questions down the hierarchy."""
        steps = []
        for number, label in enumerate(self.typology.errors, start=1):
            field = self[step_field(label.key)]
            steps.append(Step(label, number, field, _choices(field, ((YES, gettext("Yes")), (NO, gettext("No"))))))
        return steps

    def follow_up_questions(self) -> list[FollowUpQuestion]:
        """Return the follow-up questions."""
        questions = []
        for follow_up in self.typology.follow_ups:
            field = self[follow_up_field(follow_up.key)]
            criterion = self.words[follow_up.key]
            words = criterion.question or criterion.name
            after, language = self.typology.asking(follow_up), criterion.language or self.screen.language
            questions.append(
                FollowUpQuestion(follow_up, after, words, language, field, _choices(field, follow_up.options))
            )
        return questions

    def ticks(self) -> list[Tick]:
        """Return the flags; their digits continue those of the labels, and 0 takes a step back."""
        first = len(self.typology.labels) + 1
        last = 9 if self.in_order else 10
        ticks = []
        for number, flag in enumerate(self.typology.flags, start=first):
            words, field = self.words[flag.key], self[flag_field(flag.key)]
            language = words.language or self.screen.language
            ticks.append(Tick(words.name, words.definition, language, field, digit(number) if number <= last else ""))
        return ticks

    def clean(self) -> dict[str, object]:
        """Require the answers that the chosen label asks for, and drop those to other follow-up questions."""
        cleaned = super().clean() or self.cleaned_data
        label = chosen_label(self.typology, cleaned, in_order=self.in_order)
        if self.in_order:
            self._clean_steps(cleaned)
        after = self.typology.after(label)
        for follow_up in self.typology.follow_ups:
            name = follow_up_field(follow_up.key)
            if after is None or follow_up.key != after.key:
                cleaned[name] = ""
                self.errors.pop(name, None)
            elif not cleaned.get(name) and name not in self.errors and self.kind.follow_ups == "required":
                self.add_error(name, missing(self.words[follow_up.key].question or follow_up.question))
        return cleaned

    def _clean_steps(self, cleaned: dict[str, object]) -> None:
        """Require an answer to the first open question, and drop the answers below the first yes."""
        reached = True
        for label in self.typology.errors:
            name = step_field(label.key)
            answer = cleaned.get(name)
            if not reached:
                cleaned[name] = ""
                self.errors.pop(name, None)
            elif answer != NO:
                reached = False
                if answer != YES and name not in self.errors:
                    self.add_error(name, missing(label.question or label.name))


def _choices(field: forms.BoundField, options: tuple[tuple[str, str], ...]) -> tuple[Choice, ...]:
    chosen = field.value()
    return tuple(
        Choice(value, words, value == chosen, digit(number)) for number, (value, words) in enumerate(options, start=1)
    )
