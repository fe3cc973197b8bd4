"""The patterns page: every component, and every task type with its simulated answer. It needs no database."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import cast

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from tasks_app.task_types import TaskType, registry
from tasks_app.task_types.base import Criterion, ItemTexts, OutputText, Part, Quality, Screen, Words

SEED = 7

SOURCE = "Der Zug nach Lissabon fährt heute nicht. Reisende können den Bus nehmen."

# Two texts each: Latin, right to left, and one without spaces between words that holds an emoji.
TEXTS: Mapping[str, tuple[str, str]] = {
    "en": (
        "The train to Lisbon is not running today.\nTravellers can take the bus.",
        "Today no train goes to Lisbon; who travels may take the bus instead.",
    ),
    "ar": ("القطار إلى لشبونة لا يعمل اليوم. يمكن للمسافرين ركوب الحافلة (رقم 12).", "لا قطار اليوم إلى لشبونة."),
    "ja": ("本日、リスボン行きの列車は運休です。バスをご利用ください。🚌", "今日はリスボンへの電車がありません。"),
}

CRITERIA = (
    Criterion(
        "fluency",
        "Fluency",
        definition="Whether the text reads as if a practised writer had written it.",
        question="How well does the text read?",
        low="Very badly",
        high="Very well",
    ),
    Criterion("adequacy", "Adequacy", question="How much of the meaning is kept?", low="Nothing", high="Everything"),
)


@dataclass(frozen=True, slots=True)
class Example:
    """One task type in one state, ready to be drawn."""

    heading: Words
    screen: Screen
    form: forms.Form
    template: str


class SampleForm(forms.Form):
    """One field of each kind that rater pages use."""

    agree = forms.BooleanField(label=_("I have read this and agree"))
    reason = forms.ChoiceField(
        widget=forms.RadioSelect,
        choices=(("a", _("It upsets me")), ("b", _("Something does not work"))),
        label=_("Why would you like to skip this one?"),
    )
    comment = forms.CharField(
        widget=forms.Textarea(attrs={"class": "input", "rows": 3}),
        required=False,
        label=_("Comment to the researchers"),
    )


def sample_screen(member: TaskType, language: str, layout: Mapping[str, object]) -> Screen:
    """Make a screen of a type the way a study would: items into units, a unit into parts, an arrangement drawn."""
    params = member.params({**member.sample.params, **layout})
    texts = TEXTS[language]
    outputs = [OutputText(system=str(number), variant="", text=text) for number, text in enumerate(texts)]
    rng = Random(SEED)  # noqa: S311  an example, not a secret
    item = ItemTexts.collapsed("item", outputs, options=member.sample.options)
    units = list(member.units([item], params, rng))
    shown = units[0].parts if units else ()
    most = member.criteria_needed[1]
    criteria = member.sample.criteria or CRITERIA[: len(CRITERIA) if most is None else most]
    criteria += member.brings(params)
    drawn = next(member.arrange(max(1, len(shown)), params, rng))
    return Screen(
        type=member.name,
        parts=tuple(Part(number, texts[group[0]], language) for number, group in enumerate(shown)),
        criteria=criteria,
        params=params,
        source=SOURCE if member.needs_items else "",
        source_language="de",
        language="en",
        options=member.sample.options,
        arrangement={**drawn, **member.arrange_for_rater(criteria, params, rng)},
    )


def examples_of(member: TaskType) -> Iterator[Example]:
    """Yield a type unanswered, answered by its simulated rater, sent too early, and in its other layouts."""
    plain = sample_screen(member, "en", {})
    answered = member.simulate(plain, Quality.CAREFUL, Random(SEED))  # noqa: S311  an example, not a secret
    yield Example(_("Unanswered"), plain, member.form(plain), member.template_name)
    yield Example(_("Simulated answer"), plain, member.form(plain, answered), member.template_name)
    yield Example(_("Sent too early"), plain, member.form(plain, {}), member.template_name)
    for language in ("ar", "ja"):
        screen = sample_screen(member, language, {})
        yield Example(_("Another script"), screen, member.form(screen), member.template_name)
    layout = member.Params.base_fields.get("layout")
    if isinstance(layout, forms.ChoiceField):
        for value, label in cast("Sequence[tuple[str, Words]]", layout.choices):
            if value == layout.initial:
                continue
            screen = sample_screen(member, "en", {"layout": value})
            yield Example(label, screen, member.form(screen), member.template_name)


@require_safe
def patterns(request: HttpRequest) -> HttpResponse:
    """Show the components and task types that pages are made of."""
    types = []
    number = 0
    for member in registry.values():
        examples = list(examples_of(member))
        for example in examples:
            number += 1
            # Many forms on one page: each needs ids of its own.
            example.form.auto_id = f"example-{number}-%s"
        types.append({"member": member, "examples": examples})
    sample = {
        "form": SampleForm(auto_id="sample-%s"),
        "errors": SampleForm({}, auto_id="sample-errors-%s"),
        "frame": {"public_title": _("How do these texts read?"), "done": 12, "total": 40},
    }
    return render(request, "public/patterns.html", {"page_title": _("Patterns"), "types": types, "sample": sample})
