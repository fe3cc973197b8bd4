"""Payees of a channel with their platform ids: the only place that joins the two."""

from collections.abc import Iterable, Mapping
from decimal import Decimal

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


def waiting(ledger: Ledger) -> dict[str, list[Entry]]:
    """Return, by channel, the raters of the next payment file: with open rows, or ended with nothing to be paid."""
    by_channel: dict[str, list[Entry]] = {}
    for entry in ledger.entries:
        if entry.booked.has_open or (entry.ended and not entry.booked.last):
            by_channel.setdefault(entry.rater.channel, []).append(entry)
    return by_channel


def unknown(entries: Iterable[Entry]) -> int:
    """Count the raters with an open payment and removed ids; one query."""
    ids = [entry.rater.pk for entry in entries if entry.booked.open > 0]
    return len(ids) - Identity.objects.filter(rater__in=ids).count()


def by_platform(study: Study, entry: Entry, channel: Channel) -> Decimal:
    """Return the share of the open amount that the platform pays itself: its reward, once; 0 where nothing is owed."""
    if entry.booked.base_settled or entry.booked.open <= 0:
        return pay.NOTHING
    options = study.options
    return channel.paid_by_platform(str(entry.rater.outcome), options.amount, options.part_amount)


def payees_of(study: Study, channel: str, entries: Iterable[Entry], last: int) -> list[Payee]:
    """Return the payees of these entries with their amounts; rows up to `last` count. Three queries."""
    listed = list(entries)
    ids = [entry.rater.pk for entry in listed]
    identities = {identity.rater_id: identity for identity in Identity.objects.filter(rater__in=ids)}
    invitations = {invitation.rater_id: invitation for invitation in Invitation.objects.filter(rater__in=ids)}
    rows: dict[int, list[Payment]] = {}
    for row in Payment.objects.filter(rater__in=ids, settled_at=None, pk__lte=last).order_by("pk"):
        rows.setdefault(row.rater_id, []).append(row)
    payer = channels.opened(study.options, channel) or channel_of(channel)()
    return [
        _payee(study, entry, rows.get(entry.rater.pk, []), identities, invitations, by_platform(study, entry, payer))
        for entry in listed
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
    """Return the reason that the rater may read: pay for the study, and the reasons of bonuses."""
    reasons = [
        _("Pay for “%(study)s”") % {"study": study.public_title}
        if row.kind in {Payment.Kind.FULL, Payment.Kind.PART}
        else row.reason
        for row in standing(rows)
        if row.kind != Payment.Kind.WITHHELD
    ]
    return "; ".join(dict.fromkeys(reasons))


def _withheld(rows: Iterable[Payment]) -> str:
    return "; ".join(dict.fromkeys(row.reason for row in standing(rows) if row.kind == Payment.Kind.WITHHELD))


def standing(rows: Iterable[Payment]) -> list[Payment]:
    """Leave out rows that were undone, with the rows that undid them."""
    standing_rows: list[Payment] = []
    for row in rows:
        undone = next(
            (payment for payment in standing_rows if payment.kind == row.kind and payment.amount == -row.amount), None
        )
        if row.amount < 0 and undone is not None:
            standing_rows.remove(undone)
        else:
            standing_rows.append(row)
    return standing_rows
