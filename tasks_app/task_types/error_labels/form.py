"""The form of error labels: one label out of the hierarchy, what is asked after it, and what is ticked beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from tasks_app.task_types.base import Criterion, ScreenForm, ShownPart
from tasks_app.task_types.error_labels.typology import ERROR, FollowUp, Label, Typology, criteria_of
from tasks_app.task_types.list_fields import TICKED, TickField, digit

if TYPE_CHECKING:
    from tasks_app.task_types.error_labels import ErrorLabels

YES, NO = "yes", "no"

# One text a screen, so it is always the first.
LABEL_FIELD = f"p1-{ERROR}"


def step_field(label: str) -> str:
    """Name the field that asks for one label with yes or no."""
    return f"{LABEL_FIELD}-{label}"


def follow_up_field(key: str) -> str:
    """Name the field of what is asked after a label."""
    return f"p1-{key}"


def flag_field(key: str) -> str:
    """Name the field of what is ticked."""
    return f"p1-flag-{key}"


def chosen_label(typology: Typology, cleaned: Mapping[str, object], *, in_order: bool) -> str:
    """Return the label an answer comes to; empty where it comes to none yet.

    Down the hierarchy, the first yes is the label. Where all are answered with no, it is the last one.
    """
    if not in_order:
        return str(cleaned.get(LABEL_FIELD) or "")
    for label in typology.errors:
        said = cleaned.get(step_field(label.key))
        if said != NO:
            return label.key if said == YES else ""
    return typology.labels[-1].key


@dataclass(frozen=True, slots=True)
class Choice:
    """One thing to choose or to tick: what is posted, its words, the digit that chooses it."""

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
class Asked:
    """What is asked after some labels; `after` are these."""

    follow_up: FollowUp
    after: tuple[Label, ...]
    question: str
    language: str
    field: forms.BoundField
    choices: tuple[Choice, ...]

    @property
    def keys(self) -> str:
        """The keys of the labels after which it is asked, for the page's script."""
        return " ".join(one.key for one in self.after)


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


class ErrorLabelForm(ScreenForm):
    """The form of one text with its source."""

    kind: ErrorLabels
    typology: Typology
    words: Mapping[str, Criterion]

    def make_fields(self) -> Iterator[tuple[str, forms.Field]]:
        """Yield the label or the steps to it, what is asked after some labels, and what is ticked."""
        self.typology = self.kind.hierarchy()
        own = {one.key: one for one in self.screen.criteria}
        self.words = {one.key: own.get(one.key, one) for one in criteria_of(self.typology)}
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
                    choices=[(one.key, one.name) for one in self.typology.labels],
                    label=self.question,
                    error_messages={**not_shown, "required": _("Choose the first label that applies.")},
                ),
            )
        for asked in self.typology.follow_ups:
            yield (
                follow_up_field(asked.key),
                forms.ChoiceField(
                    choices=asked.options, required=False, label=self.words[asked.key].name, error_messages=not_shown
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
        """What is asked, in the study's words."""
        return self.words[ERROR].question or self.words[ERROR].name

    @property
    def language(self) -> str:
        """The language of the labels: of those that come along their own."""
        return self.typology.language or self.screen.language

    @property
    def shown(self) -> ShownPart:
        """The text."""
        return self.screen.shown_parts[0]

    @property
    def valid(self) -> Label:
        """The label that says that nothing is wrong."""
        return self.typology.labels[-1]

    @property
    def result_id(self) -> str:
        """The id of the place where the label stands once the steps have led to one."""
        return f"{self[step_field(self.typology.labels[0].key)].auto_id}-result"

    def label_field(self) -> forms.BoundField:
        """The field of the label, where it is chosen."""
        return self[LABEL_FIELD]

    def labels(self) -> list[Choice]:
        """The hierarchy in its order."""
        chosen = self[LABEL_FIELD].value()
        return [
            Choice(one.key, one.name, one.key == chosen, digit(number), one)
            for number, one in enumerate(self.typology.labels, start=1)
        ]

    def steps(self) -> list[Step]:
        """The questions down the hierarchy."""
        found = []
        for number, label in enumerate(self.typology.errors, start=1):
            field = self[step_field(label.key)]
            found.append(Step(label, number, field, _choices(field, ((YES, gettext("Yes")), (NO, gettext("No"))))))
        return found

    def asked(self) -> list[Asked]:
        """What is asked after some labels."""
        found = []
        for one in self.typology.follow_ups:
            field = self[follow_up_field(one.key)]
            criterion = self.words[one.key]
            words = criterion.question or criterion.name
            after, language = self.typology.asking(one), criterion.language or self.screen.language
            found.append(Asked(one, after, words, language, field, _choices(field, one.options)))
        return found

    def ticks(self) -> list[Tick]:
        """What is ticked beside the label; digits go on after those of the labels, and 0 takes a step back."""
        first = len(self.typology.labels) + 1
        last = 9 if self.in_order else 10
        found = []
        for number, flag in enumerate(self.typology.flags, start=first):
            words, field = self.words[flag.key], self[flag_field(flag.key)]
            language = words.language or self.screen.language
            found.append(Tick(words.name, words.definition, language, field, digit(number) if number <= last else ""))
        return found

    def clean(self) -> dict[str, object]:
        """Say what is missing, and drop what is not asked after the label that was chosen."""
        cleaned = super().clean() or self.cleaned_data
        label = chosen_label(self.typology, cleaned, in_order=self.in_order)
        if self.in_order:
            self._clean_steps(cleaned)
        after = self.typology.after(label)
        for one in self.typology.follow_ups:
            name = follow_up_field(one.key)
            if after is None or one.key != after.key:
                cleaned[name] = ""
                self.errors.pop(name, None)
            elif not cleaned.get(name) and name not in self.errors and self.kind.follow_ups == "required":
                self.add_error(name, self.missing(self.words[one.key].question or one.question))
        return cleaned

    def _clean_steps(self, cleaned: dict[str, object]) -> None:
        """Ask for the first question that is open; what stands below the first yes was not asked."""
        reached = True
        for label in self.typology.errors:
            name = step_field(label.key)
            said = cleaned.get(name)
            if not reached:
                cleaned[name] = ""
                self.errors.pop(name, None)
            elif said != NO:
                reached = False
                if said != YES and name not in self.errors:
                    self.add_error(name, self.missing(label.question or label.name))

    @staticmethod
    def missing(question: str) -> str:
        """Say that a question is open."""
        return gettext("Answer “%(question)s”") % {"question": question}


def _choices(field: forms.BoundField, options: tuple[tuple[str, str], ...]) -> tuple[Choice, ...]:
    chosen = field.value()
    return tuple(
        Choice(value, words, value == chosen, digit(number)) for number, (value, words) in enumerate(options, start=1)
    )
