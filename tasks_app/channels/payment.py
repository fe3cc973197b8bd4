"""Payments due through a channel, and the files that list them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, cast

from django.utils.translation import gettext_lazy as _

from tasks_app.settings.fields import MoneyField

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


def reward_field(label: StrOrPromise) -> MoneyField[Decimal | None]:
    """Return a field for the amount that a platform pays when a submission is approved."""
    return MoneyField(
        required=False,
        min_value=0,
        max_digits=10,
        decimal_places=2,
        label=cast("str", label),
        help_text=cast("str", _("What the platform pays itself. Without it, the pay for a full set.")),
    )


@dataclass(frozen=True, slots=True)
class Payee:
    """The amount still to be paid to one rater, and the rater's ids on the platform.

    `by_platform` is what the platform pays itself. `withheld` says why nothing is paid, where that is so; `reason` is
    for the rater to read.
    """

    pseudonym: str
    outcome: str
    code: str
    amount: Decimal
    by_platform: Decimal
    currency: str
    reason: str
    withheld: str = ""
    external_id: str = ""
    session_id: str = ""
    name: str = ""
    email: str = ""

    @property
    def extra(self) -> Decimal:
        """The open payment beyond the one that the platform makes itself."""
        return max(Decimal("0.00"), self.amount - self.by_platform)

    @property
    def action(self) -> str:
        """The action to take on the platform, in one word."""
        if self.withheld:
            return "withheld"
        if self.by_platform and self.extra:
            return "approve and pay"
        return "approve" if self.by_platform else "pay" if self.extra else "none"


@dataclass(frozen=True, slots=True)
class PaymentFile:
    """A file as a platform, or a person, takes it: lines of cells, with or without a header.

    Cells are kept from being taken for formulas where people open the file; a platform's own format is left as it is.
    """

    name: str
    label: StrOrPromise
    doc: StrOrPromise
    rows: tuple[tuple[str, ...], ...]
    header: tuple[str, ...] = ()
    for_people: bool = True


def named_list(payees: Sequence[Payee]) -> PaymentFile:
    """Return a list of all payees with their names and amounts, for payment by hand."""
    header = (
        "rater", "outcome", "completion_code", "name", "email", "amount", "currency", "reason", "withheld_because",
    )  # fmt: skip
    return PaymentFile(
        "payments",
        _("Payments"),
        _(
            "Raters who finished, with the amount still to be paid. Raters whose pay is withheld are "
            "listed with the reason."
        ),
        tuple(
            (
                payee.pseudonym,
                payee.outcome,
                payee.code,
                payee.name,
                payee.email,
                f"{payee.amount:.2f}",
                payee.currency,
                payee.reason,
                payee.withheld,
            )
            for payee in payees
        ),
        header,
    )


def platform_list(payees: Sequence[Payee], person: str, visit: str) -> PaymentFile:
    """Return a list of all payees with the action to take on a platform; `person` and `visit` name its two ids."""
    header = (
        person, visit, "rater", "outcome", "completion_code", "action", "paid_by_platform", "to_pay_beside", "currency",
        "reason", "withheld_because",
    )  # fmt: skip
    return PaymentFile(
        "list",
        _("List for checking"),
        _(
            "Raters who finished, with the action to take and how each amount is paid. Raters whose pay "
            "is withheld are listed with the reason."
        ),
        tuple(
            (
                payee.external_id,
                payee.session_id,
                payee.pseudonym,
                payee.outcome,
                payee.code,
                payee.action,
                f"{payee.by_platform:.2f}",
                f"{payee.extra:.2f}",
                payee.currency,
                payee.reason,
                payee.withheld,
            )
            for payee in payees
        ),
        header,
    )
