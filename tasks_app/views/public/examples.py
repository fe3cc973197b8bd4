"""Example screens of task types, drawn without a study, for the patterns page and the catalogue."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import cast

from django import forms
from django.utils.translation import gettext_lazy as _

from tasks_app.task_types import TaskType
from tasks_app.task_types.base import Quality, Screen, Words
from tasks_app.task_types.samples import SEED, sample_screen


@dataclass(frozen=True, slots=True)
class Example:
    """One task type in one state, ready to be drawn."""

    heading: Words
    screen: Screen
    form: forms.Form
    template: str


def _example(
    member: TaskType, number: str, heading: Words, screen: Screen, data: dict[str, str] | None = None
) -> Example:
    form = member.form(screen, data)
    # Many forms on one page: each needs ids of its own.
    form.auto_id = f"{member.name}-{number}-%s"
    return Example(heading, screen, form, member.template_name)


def blank(member: TaskType) -> Example:
    """Return a type as raters meet it; an answer would hint at which one is wanted."""
    return _example(member, "blank", _("An example"), sample_screen(member))


def simulated(member: TaskType) -> Example:
    """Return a type as its simulated rater has answered it."""
    screen = sample_screen(member)
    answer = member.simulate(screen, Quality.CAREFUL, Random(SEED))  # noqa: S311  an example, not a secret
    return _example(member, "answered", _("Simulated answer"), screen, answer)


def states_of(member: TaskType) -> Iterator[Example]:
    """Yield a type answered by its simulated rater, sent too early, in other scripts, and in its other choices."""
    yield simulated(member)
    yield _example(member, "early", _("Sent too early"), sample_screen(member), {})
    if member.needs_items:
        yield _example(member, "ar", _("Another script: Arabic"), sample_screen(member, "ar"))
        yield _example(member, "ja", _("Another script: Japanese"), sample_screen(member, "ja"))
    for name, field in member.Params.base_fields.items():
        if isinstance(field, forms.ChoiceField):
            usual = member.sample.params.get(name, field.initial)
            for value, label in cast("Sequence[tuple[str, Words]]", field.choices):
                if value != usual:
                    heading = f"{field.label or name}: {label}"
                    yield _example(member, f"{name}-{value}", heading, sample_screen(member, "en", {name: value}))
