"""Hierarchies of error labels: the one of ELRC, which comes along, and a study's own."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as lazy

from tasks_app.settings.fields import OneOfField, YesNoField, choice_field
from tasks_app.settings.study import Block
from tasks_app.task_types.base import Criterion
from tasks_app.task_types.list_fields import Entry, LabelField, LineField, ProseField, WordsField
from tasks_app.texts.languages import spoken

ERROR = "error"
SIDE = "side"
KEEP = "keep"

# The last label of a hierarchy that names none itself.
VALID = "V"

# Criteria of this type; a flag of the same key would be one of them.
RESERVED = (ERROR, SIDE, KEEP)


@dataclass(frozen=True, slots=True)
class Label:
    """One step of the hierarchy; `valid` is the last one, which says that none of the others applies."""

    key: str
    name: str
    definition: str = ""
    examples: tuple[str, ...] = ()
    question: str = ""
    follow_up: str = ""
    valid: bool = False


@dataclass(frozen=True, slots=True)
class FollowUp:
    """A question asked after some labels; each option is its stored key and its words."""

    key: str
    name: str
    question: str
    options: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Flag:
    """An option that can be ticked with any label."""

    key: str
    name: str
    definition: str = ""


@dataclass(frozen=True, slots=True)
class Typology:
    """The labels in their order, `Valid` last, with their follow-up questions and the flags."""

    labels: tuple[Label, ...]
    follow_ups: tuple[FollowUp, ...]
    flags: tuple[Flag, ...]
    # The language of the labels, where it is not the study's own.
    language: str = ""

    @property
    def errors(self) -> tuple[Label, ...]:
        """The labels but the last one."""
        return self.labels[:-1]

    def after(self, label: str) -> FollowUp | None:
        """Return the follow-up question of a label, or None."""
        key = next((step.follow_up for step in self.labels if step.key == label), "")
        return next((follow_up for follow_up in self.follow_ups if follow_up.key == key), None)

    def asking(self, follow_up: FollowUp) -> tuple[Label, ...]:
        """Return the labels after which a follow-up question is asked."""
        return tuple(label for label in self.labels if label.follow_up == follow_up.key)


def _asked_after() -> OneOfField[str]:
    return choice_field(
        lazy("Asked after it"),
        (("", lazy("nothing")), (SIDE, lazy("which text has the problem")), (KEEP, lazy("whether to keep it"))),
        initial="",
        required=False,
    )


class LabelEntry(Entry):
    """One label of a study's own hierarchy."""

    key = LabelField(label=lazy("What is stored"))
    name = LineField(max_length=100, label=lazy("Name"))
    definition = ProseField(label=lazy("Definition"))
    examples = WordsField(label=lazy("Examples"))
    question = ProseField(label=lazy("Question, to be answered with yes or no"))
    follow_up = _asked_after()
    valid = YesNoField(label=lazy("Last one"), help_text=lazy("None of the others applies."))


class FlagEntry(Entry):
    """One of a study's own flags."""

    key = LabelField(label=lazy("Key"))
    name = LineField(max_length=100, label=lazy("Name"))
    definition = ProseField(label=lazy("Definition"))

    class Settings(Block):
        def clean_key(self) -> str:
            """Refuse the keys of the other questions of this type."""
            key = str(self.cleaned_data["key"])
            if key in RESERVED:
                raise ValidationError(_("“%(key)s” is taken by another question of this task.") % {"key": key})
            return key


def problem_in_labels(labels: Iterable[Mapping[str, Any]]) -> str | None:
    """Return the reason why labels make no hierarchy, or None."""
    given = list(labels)
    valid = [bool(label["valid"]) for label in given]
    if any(valid[:-1]):
        return _("The label that says that nothing is wrong (valid: true) stands last, and there is one at most.")
    if len(valid) - sum(valid) < 1:
        return _("An own hierarchy needs at least one label beside the last.")
    if not valid[-1] and any(label["key"] == VALID for label in given):
        return _("“V” stands for “none of these”. Say which label is the last one (valid: true), or use another key.")
    return None


@lru_cache(maxsize=1)
def elrc() -> Typology:
    """Return the hierarchy of ELRC with its follow-up questions and flags.

    Its labels stay as they are in every language; follow-up questions and flags are worded here, and translated.
    """
    data: Mapping[str, Any] = json.loads((Path(__file__).parent / "elrc.json").read_text(encoding="utf-8"))
    return Typology(
        labels=tuple(Label(**{**entry, "examples": tuple(entry["examples"])}) for entry in data["labels"]),
        follow_ups=tuple(
            FollowUp(
                follow_up["key"],
                follow_up["name"],
                follow_up["question"],
                tuple((option["key"], option["name"]) for option in follow_up["options"]),
            )
            for follow_up in data["follow_ups"]
        ),
        flags=tuple(Flag(**flag) for flag in data["flags"]),
        language=data["language"],
    )


def _label(own: LabelEntry) -> Label:
    return Label(
        own.key, own.name, own.definition, tuple(own.examples), own.question, own.follow_up, own.valid
    )  # fmt: skip


def typology_of(
    own: Iterable[LabelEntry] | None, *, follow_ups: bool, flags: bool, own_flags: Iterable[FlagEntry]
) -> Typology:
    """Return the hierarchy of a study's own labels, else ELRC's, with its follow-up questions and flags."""
    shipped = elrc()
    labels, language = shipped.labels, shipped.language
    if own is not None:
        language = ""
        labels = tuple(map(_label, own))
        labels = labels if labels and labels[-1].valid else (*labels, Label(VALID, _("None of these"), valid=True))
    asked_keys = {label.follow_up for label in labels} if follow_ups else set()
    ticked = (
        *(map(_translated_flag, shipped.flags) if flags else ()),
        *(Flag(flag.key, flag.name, flag.definition) for flag in own_flags),
    )
    return Typology(
        labels,
        tuple(_translated_follow_up(follow_up) for follow_up in shipped.follow_ups if follow_up.key in asked_keys),
        ticked,
        language,
    )


def _translated_follow_up(follow_up: FollowUp) -> FollowUp:
    """Return a follow-up question in the language of the page."""
    return FollowUp(
        follow_up.key,
        _(follow_up.name),
        _(follow_up.question),
        tuple((key, _(words)) for key, words in follow_up.options),
    )


def _translated_flag(flag: Flag) -> Flag:
    return Flag(flag.key, _(flag.name), _(flag.definition) if flag.definition else "")


def criteria_of(typology: Typology) -> tuple[Criterion, ...]:
    """Return the criteria of the label, of the follow-up questions and of the flags."""
    questions = [Criterion(ERROR, _("Error label"), question=_("Which is the first label that applies?"))]
    questions += [
        Criterion(follow_up.key, follow_up.name, question=follow_up.question) for follow_up in typology.follow_ups
    ]
    shipped_keys = {flag.key for flag in elrc().flags}
    flags = [
        Criterion(
            flag.key, flag.name, flag.definition, kind="question", language=spoken() if flag.key in shipped_keys else ""
        )
        for flag in typology.flags
    ]
    return (*(replace(question, kind="question", language=spoken()) for question in questions), *flags)
