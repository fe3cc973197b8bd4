"""Promising bonuses: to raters that are listed, by a file, or to everybody who completed."""

import re
from collections.abc import Iterable, Mapping
from decimal import Decimal, InvalidOperation
from types import MappingProxyType
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tasks_app.importing.sheets import text_of
from tasks_app.models import Rater
from tasks_app.pay import CENT
from tasks_app.selectors.ledger import Entry
from tasks_app.settings.fields import choice_field, line_field
from tasks_app.studyfile import StudyFileError

LARGEST_FILE = 1_000_000
# Wrong lines after which the others are not read: whoever chose another file has hundreds of thousands.
MOST_PROBLEMS = 50
MOST = Decimal("99999999.99")

LISTED, COMPLETED = "listed", "completed"


class BonusForm(forms.Form):
    """The raters who get a bonus, its amount and its reason. `form` is its own number; a second press is harmless."""

    to = choice_field(
        gettext_lazy("Who gets it"),
        [
            (LISTED, gettext_lazy("the raters below or in the file")),
            (COMPLETED, gettext_lazy("everybody who completed")),
        ],
        initial=LISTED,
    )
    raters = forms.CharField(
        required=False,
        max_length=100_000,
        widget=forms.Textarea(attrs={"rows": 3}),
        label=gettext_lazy("Raters"),
        help_text=gettext_lazy(
            "One per line, by pseudonym, with an amount of their own after a comma if needed, such as r-abc1234, 0.50."
        ),
    )
    file = forms.FileField(
        required=False,
        label=gettext_lazy("File"),
        help_text=gettext_lazy("With the columns rater and, where it differs, amount."),
    )
    amount = forms.DecimalField(
        required=False, min_value=CENT, max_digits=10, decimal_places=2, label=gettext_lazy("Amount for each")
    )
    reason = line_field(
        gettext_lazy("What it is for"), gettext_lazy("Raters and payment files show it."), length=500, required=True
    )
    form = forms.RegexField(r"^[0-9a-f]{32}$", widget=forms.HiddenInput)

    def clean_file(self) -> str:
        """Return the file's text."""
        upload = self.cleaned_data["file"]
        if upload is None:
            return ""
        if upload.size > LARGEST_FILE:
            raise ValidationError(_("This file is too large for a list of raters."))
        try:
            return text_of(upload.name or "file", upload.read())
        except StudyFileError as error:
            raise ValidationError([str(problem) for problem in error.problems]) from error

    def clean(self) -> dict[str, Any]:
        """Read the list: every line that is wrong is named."""
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("to") == COMPLETED:
            if cleaned.get("amount") is None and "amount" not in self.errors:
                self.add_error("amount", _("Enter an amount."))
            return cleaned
        amounts: dict[str, Decimal] = {}
        # A wrong amount is reported at its own field, not again for every line.
        each = CENT if "amount" in self.errors else cleaned.get("amount")
        for name in ("raters", "file"):
            listed, problems = read_list(cleaned.get(name, "").splitlines(), each, amounts)
            if problems:
                self.add_error(name, problems)
            amounts |= listed
        if not amounts and not self.errors:
            self.add_error("raters", _("List at least one rater, or choose everybody who completed."))
        cleaned["amounts"] = amounts
        return cleaned

    def amounts(self, entries: Iterable[Entry]) -> dict[str, Decimal]:
        """Return the amount of each rater, once the form is valid."""
        if self.cleaned_data["to"] == LISTED:
            return dict(self.cleaned_data["amounts"])
        completed = (entry.rater for entry in entries if entry.rater.outcome == Rater.Outcome.COMPLETED)
        return {rater.pseudonym: self.cleaned_data["amount"] for rater in completed if rater.erased_at is None}


def read_list(
    lines: Iterable[str], amount: Decimal | None, before: Mapping[str, Decimal] = MappingProxyType({})
) -> tuple[dict[str, Decimal], list[str]]:
    """Read raters with amounts, one a line; return them with a sentence for every line that is wrong, up to a number.

    Nobody may stand here twice, nor both here and `before`.
    """
    amounts: dict[str, Decimal] = {}
    problems: list[str] = []
    for number, line in enumerate(lines, start=1):
        if len(problems) == MOST_PROBLEMS:
            problems.append(_("Lines from %(n)d on were not read.") % {"n": number})
            break
        cells = [cell.strip(" \"'") for cell in re.split("[,;\t]", line)]
        if not any(cells) or (number == 1 and cells[0].lower() in {"rater", "pseudonym"}):
            continue
        own_amount = _amount(cells[1]) if len(cells) > 1 and cells[1] else amount
        if len(cells) > 2 or own_amount is None:
            problems.append(_("Line %(n)d: write a pseudonym and an amount such as 0.50.") % {"n": number})
        elif cells[0] in amounts or cells[0] in before:
            problems.append(_("Line %(n)d: %(rater)s stands here twice.") % {"n": number, "rater": cells[0]})
        else:
            amounts[cells[0]] = own_amount
    return amounts, problems


def _amount(text: str) -> Decimal | None:
    try:
        amount = Decimal(text)
    except InvalidOperation:
        return None
    fits = amount.is_finite() and CENT <= amount <= MOST and amount == amount.quantize(CENT)
    return amount if fits else None
