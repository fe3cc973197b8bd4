"""Hierarchies of error labels: the one of ELRC, which comes along, and a study's own."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as lazy

from tasks_app.languages import spoken
from tasks_app.task_types.base import Criterion
from tasks_app.task_types.list_fields import LABEL_PATTERN, SHORT_KEY, LabelField, LineField, ProseField, WordsField

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
    """What is asked after some labels; each option has what is stored and its words."""

    key: str
    name: str
    question: str
    options: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Flag:
    """Something that is ticked whatever the label is."""

    key: str
    name: str
    definition: str = ""


@dataclass(frozen=True, slots=True)
class Typology:
    """The labels in their order, `Valid` last, with what is asked beside them."""

    labels: tuple[Label, ...]
    follow_ups: tuple[FollowUp, ...]
    flags: tuple[Flag, ...]
    # Of the labels, where they are not in the study's own.
    language: str = ""

    @property
    def errors(self) -> tuple[Label, ...]:
        """The labels but the last one."""
        return self.labels[:-1]

    def after(self, label: str) -> FollowUp | None:
        """Return what is asked after a label."""
        wanted = next((one.follow_up for one in self.labels if one.key == label), "")
        return next((one for one in self.follow_ups if one.key == wanted), None)

    def asking(self, follow_up: FollowUp) -> tuple[Label, ...]:
        """Return the labels after which something is asked."""
        return tuple(one for one in self.labels if one.follow_up == follow_up.key)


def _asked_after() -> forms.ChoiceField:
    return forms.ChoiceField(
        choices=(("", lazy("nothing")), (SIDE, lazy("which text has the problem")), (KEEP, lazy("whether to keep it"))),
        required=False,
        initial="",
        label=lazy("Asked after it"),
    )


class LabelEntry(forms.Form):
    """One label of a hierarchy of one's own."""

    key = LabelField(label=lazy("What is stored"))
    name = LineField(max_length=100, label=lazy("Name"))
    definition = ProseField(label=lazy("Definition"))
    examples = WordsField(label=lazy("Examples"))
    question = ProseField(label=lazy("Question, to be answered with yes or no"))
    follow_up = _asked_after()
    valid = forms.BooleanField(
        required=False, initial=False, label=lazy("Last one"), help_text=lazy("None of the others applies.")
    )


class FlagEntry(forms.Form):
    """One thing of one's own to tick."""

    key = forms.RegexField(LABEL_PATTERN, max_length=40, label=lazy("Key"), error_messages={"invalid": SHORT_KEY})
    name = LineField(max_length=100, label=lazy("Name"))
    definition = ProseField(label=lazy("Definition"))

    def clean_key(self) -> str:
        """Refuse the keys of the other questions of this type."""
        key = str(self.cleaned_data["key"])
        if key in RESERVED:
            raise ValidationError(_("“%(key)s” is taken by another question of this task.") % {"key": key})
        return key


def problem_in_labels(labels: Iterable[Mapping[str, Any]]) -> str | None:
    """Say why labels make no hierarchy, or return None."""
    given = list(labels)
    valid = [bool(one["valid"]) for one in given]
    if any(valid[:-1]):
        return _("The label that says that nothing is wrong (valid: true) stands last, and there is one at most.")
    if len(valid) - sum(valid) < 1:
        return _("An own hierarchy needs at least one label beside the last.")
    if not valid[-1] and any(one["key"] == VALID for one in given):
        return _("“V” stands for “none of these”. Say which label is the last one (valid: true), or use another key.")
    return None


@lru_cache(maxsize=1)
def elrc() -> Typology:
    """Return the hierarchy of ELRC with everything that is asked beside it.

    Its labels stay as they are in every language; what is asked beside them is worded here, and translated.
    """
    found: Mapping[str, Any] = json.loads((Path(__file__).parent / "elrc.json").read_text(encoding="utf-8"))
    return Typology(
        labels=tuple(map(_label, found["labels"])),
        follow_ups=tuple(
            FollowUp(one["key"], one["name"], one["question"], tuple((o["key"], o["name"]) for o in one["options"]))
            for one in found["follow_ups"]
        ),
        flags=tuple(Flag(**one) for one in found["flags"]),
        language=found["language"],
    )


def _label(entry: Mapping[str, Any]) -> Label:
    return Label(**{**entry, "examples": tuple(entry["examples"])})


def typology_of(
    own: Iterable[Mapping[str, Any]] | None, *, follow_ups: bool, flags: bool, own_flags: Iterable[Mapping[str, Any]]
) -> Typology:
    """Return the hierarchy of own labels, or ELRC's where there are none, with what is asked beside it."""
    shipped = elrc()
    labels, language = shipped.labels, shipped.language
    if own is not None:
        language = ""
        labels = tuple(map(_label, own))
        labels = labels if labels and labels[-1].valid else (*labels, Label(VALID, _("None of these"), valid=True))
    asked = {one.follow_up for one in labels} if follow_ups else set()
    ticked = (*(map(_translated_flag, shipped.flags) if flags else ()), *(Flag(**one) for one in own_flags))
    return Typology(
        labels, tuple(_translated_follow_up(one) for one in shipped.follow_ups if one.key in asked), ticked, language
    )


def _translated_follow_up(one: FollowUp) -> FollowUp:
    """Word what is asked after a label in the language of the page."""
    return FollowUp(one.key, _(one.name), _(one.question), tuple((key, _(words)) for key, words in one.options))


def _translated_flag(one: Flag) -> Flag:
    return Flag(one.key, _(one.name), _(one.definition) if one.definition else "")


def criteria_of(typology: Typology) -> tuple[Criterion, ...]:
    """Return what is asked, each as a criterion of its own."""
    asked = [Criterion(ERROR, _("Error label"), question=_("Which is the first label that applies?"))]
    asked += [Criterion(one.key, one.name, question=one.question) for one in typology.follow_ups]
    ours = {one.key for one in elrc().flags}
    flags = [
        Criterion(one.key, one.name, one.definition, kind="question", language=spoken() if one.key in ours else "")
        for one in typology.flags
    ]
    return (*(replace(one, kind="question", language=spoken()) for one in asked), *flags)
