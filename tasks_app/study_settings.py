"""What a researcher sets for a whole study, declared once.

Each form below is one block of `Study.settings`, one section of the study file (its JSON Schema comes from the
fields) and one part of the set-up page.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import date
from decimal import Decimal
from functools import lru_cache
from typing import Any, Self, cast

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from tasks_app.plaintext import validate_storable


class Block(forms.Form):
    """A block of settings; unknown names are refused, defaults are the fields' own."""

    @classmethod
    def read(cls, given: Mapping[str, object]) -> dict[str, Any]:
        """Fill in defaults and check values.

        Raises
        ------
        ValueError
            With every problem, one a line, as `name: what is wrong`.
        """
        defaults = {name: bound.initial for name, bound in cls.base_fields.items()}
        form = cls({**defaults, **given})
        problems = [f"{name}: unknown setting" for name in given if name not in cls.base_fields]
        if not form.is_valid():
            problems += [f"{name}: {' '.join(map(str, errors))}" for name, errors in form.errors.items()]
        if problems:
            raise ValueError("\n".join(problems))
        return dict(form.cleaned_data)


def line(label: str | Promise, help_text: str | Promise = "", *, length: int = 300) -> forms.CharField:
    """Return an optional one-line field."""
    return forms.CharField(
        required=False,
        initial="",
        max_length=length,
        label=cast("str", label),
        help_text=cast("str", help_text),
        validators=[validate_storable],
    )


class About(Block):
    """Who runs the study and what happens with the answers: shown with the consent and under help."""

    institution = line(_("Who runs this study"), _("Name of the group and the institution."))
    contact = line(_("Contact"), _("An address raters can write to."))
    complaints = line(_("Complaints"), _("An address outside the team, such as the ethics board's."))
    ethics = line(_("Ethics reference"), _("Number of the approval."))
    stored = line(_("What is stored"), length=1000)
    kept = line(_("How long it is kept"), length=300)
    published = line(_("What is published"), length=1000)
    withdraw_until = forms.DateField(required=False, label=_("Last day to withdraw"))


class Pay(Block):
    """What a rater gets for a set, and how long it should take."""

    minutes = forms.FloatField(min_value=0.1, max_value=10_000, initial=10, label=_("Expected minutes for a set"))
    amount = forms.DecimalField(
        min_value=0, max_digits=10, decimal_places=2, initial=Decimal("0"), label=_("Pay for a full set")
    )
    currency = forms.RegexField(r"^[A-Z]{3}$", initial="EUR", label=_("Currency"), help_text=_("Such as EUR or GBP."))
    part_amount = forms.DecimalField(
        min_value=0,
        max_digits=10,
        decimal_places=2,
        initial=Decimal("0"),
        label=_("Pay for the screened-out and failed"),
    )


class Flow(Block):
    """How raters go through the study."""

    lease_minutes = forms.FloatField(
        min_value=0.05,
        max_value=43_200,
        initial=30,
        label=_("Lease in minutes"),
        help_text=_("Somebody else may take the units of a rater who has not been heard of for so long."),
    )
    sets_per_rater = forms.IntegerField(min_value=1, max_value=1000, initial=1, label=_("Sets a rater may take"))
    enrolments_per_address = forms.IntegerField(
        min_value=1,
        max_value=1_000_000,
        initial=50,
        label=_("Raters from one address a day"),
        help_text=_("Raise it for a laboratory whose computers share an address."),
    )
    break_after_minutes = forms.IntegerField(
        min_value=1, max_value=600, initial=20, label=_("Remind of a break after minutes")
    )
    allow_skip = forms.BooleanField(required=False, initial=True, label=_("Raters may skip a unit"))
    allow_back = forms.BooleanField(required=False, initial=True, label=_("Raters may go back and change an answer"))
    content_warning = line(_("Content warning"), _("Covers every text until it is opened."))


BLOCKS: Mapping[str, type[Block]] = {"about": About, "pay": Pay, "flow": Flow}


@dataclass(frozen=True, slots=True)
class StudySettings:
    """The settings of a study with every default filled in. `contents` of a study in the database always parse."""

    institution: str
    contact: str
    complaints: str
    ethics: str
    stored: str
    kept: str
    published: str
    withdraw_until: date | None
    minutes: float
    amount: Decimal
    currency: str
    part_amount: Decimal
    lease_minutes: float
    sets_per_rater: int
    enrolments_per_address: int
    break_after_minutes: int
    allow_skip: bool
    allow_back: bool
    content_warning: str

    @classmethod
    def of(cls, contents: Mapping[str, Any]) -> Self:
        """Read the settings of a study as they are stored.

        Raises
        ------
        ValueError
            With every problem, one a line, as `block.name: what is wrong`.
        """
        values: dict[str, Any] = {}
        problems = [f"{name}: unknown block of settings" for name in contents if name not in BLOCKS]
        for name, block in BLOCKS.items():
            try:
                values.update(block.read(contents.get(name, {})))
            except ValueError as found:
                problems += [f"{name}.{one}" for one in str(found).splitlines()]
        if problems:
            raise ValueError("\n".join(problems))
        return cls(**{one.name: values[one.name] for one in fields(cls)})


@lru_cache(maxsize=256)
def _parsed(serialised: str) -> StudySettings:
    return StudySettings.of(json.loads(serialised))


def settings_of(contents: Mapping[str, Any]) -> StudySettings:
    """Read stored settings, parsing equal ones only once: every page of every rater asks for them."""
    return _parsed(json.dumps(contents, sort_keys=True))
