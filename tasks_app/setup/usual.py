"""A researcher's usual settings: the research group, the origin of raters, and the minimum pay.

They are asked once, with the first study, and every study that begins from a task type, an example, a published study
or a table of texts has them from the start. A copy of a study keeps its own.
"""

from collections.abc import Mapping
from copy import deepcopy
from decimal import Decimal
from typing import Any

from django import forms
from django.contrib.auth.models import AbstractBaseUser
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from tasks_app import channels
from tasks_app.hooks.sections import Json, Path
from tasks_app.models import Study, UsualSettings
from tasks_app.readiness.leftovers import found_in
from tasks_app.services.database import atomically
from tasks_app.settings.fields import choice_field
from tasks_app.settings.study import LINK_ALONE, About, Block, Declared, Pay
from tasks_app.setup import changes

# What a draft holds that names no channel.
_NO_CHANNEL_CHOSEN = {name: dict(settings) for name, settings in LINK_ALONE.items()}
_ABOUT, _PAY = About.Settings.base_fields, Pay.Settings.base_fields


def _optional(field: forms.Field) -> forms.Field:
    """Return a field like another one that may be left empty."""
    other = deepcopy(field)
    other.required = False
    return other


def _true(field: forms.Field) -> forms.Field:
    """Return a field like another one that refuses text to be replaced, such as the address of an example."""
    other = deepcopy(field)
    other.validators = [*other.validators, _refuse_leftovers]
    return other


def _refuse_leftovers(text: str) -> None:
    if words := found_in(text, any_bracket=True):
        sentence = gettext("“%(words)s” is an example. Write what is true of your studies, or leave it empty for now.")
        raise forms.ValidationError(sentence % {"words": words})


def _channels() -> list[tuple[str, Any]]:
    """Return the channels by which raters can come today."""
    current = [(name, channel.label) for name, channel in channels.registry.items() if not channel.ended]
    return [("", _("Choose in each study")), *current]


class Usual(Declared):
    """The settings that a researcher's studies have in common."""

    institution = _true(_ABOUT["institution"])
    contact = _true(_ABOUT["contact"])
    complaints = _true(_ABOUT["complaints"])
    ethics = _true(_ABOUT["ethics"])
    channel = choice_field(_("Where raters come from"), _channels, required=False, initial="")
    currency = _optional(_PAY["currency"])
    minimum_hourly = _optional(_PAY["minimum_hourly"])
    paid = _true(_PAY["paid"])


def form() -> type[Block]:
    """Return the form of the usual settings."""
    return Usual.Settings


def of(user: AbstractBaseUser) -> dict[str, Any] | None:
    """Return somebody's usual settings; None where they were not asked yet."""
    values = UsualSettings.objects.filter(user_id=user.pk).values_list("values", flat=True).first()
    return None if values is None else dict(values)


@atomically
def keep(*, user: AbstractBaseUser, values: Mapping[str, Any]) -> None:
    """Keep somebody's usual settings, as the form has checked them."""
    stored = {name: _stored(value) for name, value in values.items() if value not in ("", None, 0)}
    UsualSettings.objects.update_or_create(user_id=user.pk, defaults={"values": stored})


def _stored(value: str | Decimal) -> str | float:
    """Return a value as study files hold it: an amount is a number."""
    if not isinstance(value, Decimal):
        return value
    return int(value) if value == int(value) else float(value)


@atomically
def fill(*, study: Study, by: AbstractBaseUser) -> None:
    """Give a new draft the usual settings of the person who begins it.

    Who runs the study is theirs, whatever an example says. Currency and minimum pay stand only where the draft names no
    pay yet, and the channel only where it has the open link alone, as every draft does at first.
    """
    usual = of(by)
    if not usual:
        return
    setup = changes.begin(study)
    values: dict[Path, Json] = {("about", name): usual[name] for name in _ABOUT if name in usual}
    # What an example says in their place is true of no study.
    for name in set(Usual.Settings.base_fields) & set(_ABOUT) - set(usual):
        words = setup.document.value(("about", name))
        if isinstance(words, str) and found_in(words, any_bracket=True):
            values["about", name] = None
    if "paid" in usual:
        values["pay", "paid"] = usual["paid"]
    if not setup.document.value(("pay", "amount")):
        values |= {("pay", name): usual[name] for name in ("currency", "minimum_hourly") if name in usual}
    if setup.document.value(("channels",)) in (None, _NO_CHANNEL_CHOSEN) and usual.get("channel"):
        values["channels",] = {usual["channel"]: {}}
    changes.change(setup=setup, values=values, base=setup.revision, by=by)
