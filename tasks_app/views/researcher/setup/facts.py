"""The facts of the Set up page: names and values of a study and its tasks, in words."""

from collections.abc import Iterator, Mapping
from typing import Any

from django import forms
from django.utils import formats
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tasks_app import channels, designs
from tasks_app.models import Study, Task
from tasks_app.selectors.pay import offer_of
from tasks_app.selectors.screens import Frame
from tasks_app.services.pay import minutes_in_words
from tasks_app.views import pay_words

Fact = tuple[str, str]


def of_study(study: Study) -> list[Fact]:
    """Return the facts of a study: texts for raters, and the channels they come from; missing facts are named."""
    options, missing = study.options, _("not given yet")
    facts = [
        (_("Public title"), study.public_title),
        (_("Language"), study.language),
        (_("Time zone"), study.timezone),
        (_("Who runs it"), options.institution or missing),
        (_("Contact"), options.contact or missing),
        (_("Complaints"), options.complaints or missing),
        (_("Pay"), _pay(study)),
        (_("Channels"), ", ".join(str(channels.registry[name].label) for name in sorted(options.channels))),
    ]
    if groups := list(study.groups.order_by("id")):
        facts.append(
            (
                _("Groups"),
                ", ".join(
                    str(group)
                    if group.share == 1
                    else _("%(group)s (share %(share)d)") % {"group": group, "share": group.share}
                    for group in groups
                ),
            )
        )
    return facts


def _pay(study: Study) -> str:
    if offer_of(study.options).pays:
        return pay_words.promised(study.options)
    return _("none, for about %(minutes)s minutes") % {"minutes": minutes_in_words(study.options.expected_minutes)}


def of_task(frame: Frame) -> list[Fact]:
    """Return the facts of a task: its type, its raters, times and numbers, and every parameter that has a value."""
    task = frame.task
    facts = [(_("Task type"), str(frame.kind.label))]
    if task.stage == Task.Stage.MAIN:
        facts += [
            (_("Design"), str(designs.registry[task.design].label)),
            (_("Judgments per unit"), _judgments(task)),
            (_("Units in a set"), str(task.set_size)),
        ]
        if frame.kind.needs_items:
            facts.append((_("Spacing of outputs of one item"), str(task.spacing)))
    else:
        first = task.stage == Task.Stage.SCREENING
        facts.append((_("Asked"), _("of everybody, before anything else") if first else _("of everybody, at the end")))
    if names := [str(task_group.group) for task_group in task.task_groups.all()]:
        facts.append((_("For the groups"), ", ".join(names)))
    if task.opens_after_days or task.closes_after_days is not None:
        facts.append((_("Days after enrolment"), _days(task)))
    return [*facts, *_params(frame)]


def _judgments(task: Task) -> str:
    if not task.k_more:
        return str(task.k)
    words = {"k": task.k, "more": task.k_more, "share": f"{100 * (task.k_more_share or 0):g}"}
    return _("%(k)d, and %(more)d for %(share)s %% of the units") % words


def _days(task: Task) -> str:
    opens = task.opens_after_days or 0
    if task.closes_after_days is None:
        return _("from day %(opens)d on") % {"opens": opens}
    return _("day %(opens)d to the end of day %(closes)d") % {"opens": opens, "closes": task.closes_after_days}


def _params(frame: Frame) -> Iterator[Fact]:
    for name, field in frame.kind.Settings.base_fields.items():
        if words := _parameter_in_words(field, getattr(frame.kind, name)):
            yield str(field.label or name), words


def _parameter_in_words(field: forms.Field, value: Any) -> str:
    """Return the value of a parameter in words; empty where it has none."""
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if value is None or (isinstance(value, str | list | tuple | Mapping) and not value):
        return ""
    if isinstance(field, forms.ChoiceField):
        return str(dict(field.choices).get(value, value))  # type: ignore[arg-type]
    if isinstance(value, list | tuple):
        are_names = all(isinstance(entry, str) for entry in value)
        return (
            ", ".join(value) if are_names else ngettext("%(n)d entry", "%(n)d entries", len(value)) % {"n": len(value)}
        )
    return formats.number_format(value) if isinstance(value, int | float) else str(value)
