"""Example screens of task types, drawn without a study, for the patterns page and the catalogue."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import cast

from django import forms
from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from tasks_app.task_types import TaskType
from tasks_app.task_types.base import Quality, Screen, Words
from tasks_app.task_types.samples import SEED, sample_kind, sample_screen

# Attributes by which fields are sent and described; in text a quotation mark is always escaped.
_NAMES = re.compile(r' (?:id|name|for|aria-(?:describedby|labelledby|label|required))="[^"]*"')


@dataclass(frozen=True, slots=True)
class Example:
    """One task type in one state, ready to be drawn."""

    heading: Words
    screen: Screen
    form: forms.Form
    template: str


def _example(number: str, heading: Words, screen: Screen, data: dict[str, str] | None = None) -> Example:
    kind = screen.kind
    form = kind.form(screen, data)
    # Many forms on one page: each needs ids of its own.
    form.auto_id = f"{kind.name}-{number}-%s"
    return Example(heading, screen, form, kind.template_name)


def blank(member: type[TaskType]) -> Example:
    """Return a type as raters meet it; an answer would hint at which one is wanted."""
    return _example("blank", _("An example"), sample_screen(sample_kind(member)))


def pictured(member: type[TaskType]) -> SafeString:
    """Return the screen of a type as HTML, for a small picture of it; it is the same for everybody."""
    return _pictured(member, get_language() or "")


@lru_cache(maxsize=256)
def _pictured(member: type[TaskType], _language: str) -> SafeString:
    return drawn(blank(member).screen)


def drawn(screen: Screen, media_base: str = "") -> SafeString:
    """Return a screen as HTML for a small picture of it, without the names by which its fields are sent."""
    form = screen.kind.form(screen)
    context = {"screen": screen, "form": form, "media_base": media_base}
    drawn = render_to_string(screen.kind.template_name, context)
    # A page has a picture of every type; space before tags and names that nothing refers to are a third of it.
    slim = re.sub(r">\s+<", "> <", _NAMES.sub("", drawn))
    return mark_safe(slim)  # noqa: S308  rendered by a template, and only shortened


def simulated(member: type[TaskType]) -> Example:
    """Return a type as its simulated rater has answered it."""
    screen = sample_screen(sample_kind(member))
    answer = screen.kind.simulate(screen, Quality.CAREFUL, Random(SEED))  # noqa: S311  an example, not a secret
    return _example("answered", _("Simulated answer"), screen, answer)


def states_of(member: type[TaskType]) -> Iterator[Example]:
    """Yield a type answered by its simulated rater, sent too early, in other scripts, and in its other choices."""
    kind = sample_kind(member)
    yield simulated(member)
    yield _example("early", _("Sent too early"), sample_screen(kind), {})
    if member.needs_items:
        yield _example("ar", _("Another script: Arabic"), sample_screen(kind, "ar"))
        yield _example("ja", _("Another script: Japanese"), sample_screen(kind, "ja"))
    for name, field in member.Settings.base_fields.items():
        if isinstance(field, forms.ChoiceField):
            usual = member.sample.params.get(name, field.initial)
            for value, label in cast("Sequence[tuple[str, Words]]", field.choices):
                if value != usual:
                    heading = f"{field.label or name}: {label}"
                    yield _example(f"{name}-{value}", heading, sample_screen(sample_kind(member, {name: value})))
