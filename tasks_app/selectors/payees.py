"""Payees of a channel with their platform ids: the only place that joins the two."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext as _

from tasks_app import channels, pay
from tasks_app.channels.base import Channel
from tasks_app.channels.payment import Payee
from tasks_app.models import Identity, Invitation, Payment, Study
from tasks_app.selectors.ledger import Entry, Ledger

_LINK = "link"


def channel_of(name: str) -> type[Channel]:
    """Return a channel; raters of one that is gone are paid by hand."""
    return channels.registry.get(name) or channels.registry[_LINK]


def params_of(study: Study, name: str) -> Mapping[str, Any]:
    """What a study settles for a channel, or the defaults where it is not open any more."""
    found = channels.params_of(study.options, name)
    return channel_of(name).Params.read({}) if found is None else found


def waiting(ledger: Ledger) -> dict[str, list[Entry]]:
    """By channel, whoever belongs into a payment file now: with open rows, or ended with nothing to be paid at all."""
    found: dict[str, list[Entry]] = {}
    for one in ledger.entries:
        if one.booked.has_open or (one.ended and not one.booked.last):
            found.setdefault(one.rater.channel, []).append(one)
    return found


def unknown(entries: Iterable[Entry]) -> int:
    """Count those with something to be paid whose ids were removed; one query."""
    ids = [one.rater.pk for one in entries if one.booked.open > 0]
    return len(ids) - Identity.objects.filter(rater__in=ids).count()


def by_platform(study: Study, entry: Entry, params: Mapping[str, Any]) -> Decimal:
    """What the platform pays a rater itself of what is open: its reward, once, and nothing where nothing is owed."""
    if entry.booked.base_settled or entry.booked.open <= 0:
        return pay.NOTHING
    options = study.options
    kind = channel_of(entry.rater.channel)
    return kind.paid_by_platform(str(entry.rater.outcome), options.amount, options.part_amount, params)


def payees_of(study: Study, channel: str, entries: Iterable[Entry], last: int) -> list[Payee]:
    """Put together who they are and what they get; rows up to `last` count. Three queries."""
    listed = list(entries)
    ids = [one.rater.pk for one in listed]
    identities = {one.rater_id: one for one in Identity.objects.filter(rater__in=ids)}
    invitations = {one.rater_id: one for one in Invitation.objects.filter(rater__in=ids)}
    rows: dict[int, list[Payment]] = {}
    for row in Payment.objects.filter(rater__in=ids, settled_at=None, pk__lte=last).order_by("pk"):
        rows.setdefault(row.rater_id, []).append(row)
    params = params_of(study, channel)
    return [
        _payee(study, one, rows.get(one.rater.pk, []), identities, invitations, by_platform(study, one, params))
        for one in listed
    ]


def _payee(
    study: Study,
    entry: Entry,
    rows: list[Payment],
    identities: Mapping[int, Identity],
    invitations: Mapping[int | None, Invitation],
    paid_there: Decimal,
) -> Payee:
    rater = entry.rater
    identity, invitation = identities.get(rater.pk), invitations.get(rater.pk)
    return Payee(
        pseudonym=rater.pseudonym,
        outcome=str(rater.outcome or rater.state),
        code=rater.completion_code,
        amount=max(pay.NOTHING, entry.booked.open),
        by_platform=paid_there,
        currency=study.options.currency,
        reason=_reason(study, rows),
        withheld=_withheld(rows) if entry.booked.open <= 0 else "",
        external_id=identity.external_id if identity else "",
        session_id=identity.session_id if identity else "",
        name=invitation.name if invitation else "",
        email=(invitation.email if invitation else "") or (identity.email if identity else ""),
    )


def _reason(study: Study, rows: Iterable[Payment]) -> str:
    """What the rater may read: pay for the study, and what bonuses are for."""
    said = [
        _("Pay for “%(study)s”") % {"study": study.public_title}
        if row.kind in {Payment.Kind.FULL, Payment.Kind.PART}
        else row.reason
        for row in standing(rows)
        if row.kind != Payment.Kind.WITHHELD
    ]
    return "; ".join(dict.fromkeys(said))


def _withheld(rows: Iterable[Payment]) -> str:
    return "; ".join(dict.fromkeys(row.reason for row in standing(rows) if row.kind == Payment.Kind.WITHHELD))


def standing(rows: Iterable[Payment]) -> list[Payment]:
    """Leave out rows that were undone, with the rows that undid them."""
    found: list[Payment] = []
    for row in rows:
        undone = next((one for one in found if one.kind == row.kind and one.amount == -row.amount), None)
        if row.amount < 0 and undone is not None:
            found.remove(undone)
        else:
            found.append(row)
    return found
