"""Record payments due to raters. Rows are only added; a mistake is reversed by another row."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from django.db.models.functions import Now
from django.utils import formats
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tasks_app import pay
from tasks_app.models import Event, Payment, Rater, Study
from tasks_app.selectors import pay as reads
from tasks_app.selectors.ledger import Ledger, ledger_of, raters_of
from tasks_app.services import events
from tasks_app.services.database import atomically

Kind = Payment.Kind


class NotPossible(Exception):
    """The rows do not allow it; the message says why."""


def offer_note(offer: pay.Offer, currency: str) -> str:
    """Return a note where the pay for the expected minutes is below the minimum per hour, else an empty text."""
    if offer.is_enough or not offer.pays:
        return ""
    return _(
        "The pay comes to %(now)s %(currency)s per hour, below this study's minimum of %(minimum)s %(currency)s. Pay "
        "at least %(needed)s %(currency)s for %(minutes)s minutes, or ask for less."
    ) % {
        "now": formats.number_format(offer.hourly, 2),
        "minimum": formats.number_format(offer.minimum_hourly, 2),
        "needed": formats.number_format(pay.needed(offer.minimum_hourly, offer.minutes), 2),
        "minutes": minutes_in_words(offer.minutes),
        "currency": currency,
    }


def minutes_in_words(minutes: float) -> str:
    """Write minutes as a person would: 15, not 15.0."""
    return formats.number_format(int(minutes) if float(minutes).is_integer() else minutes)


def owed(rater: Rater) -> Decimal:
    """Return the pay that a rater is owed without bonuses, or would be if they stopped now."""
    if not reads.offer_of(rater.study.options).pays:
        return pay.NOTHING
    return reads.facts_of(rater.study, [rater], timed=False).due(rater.pk)


@dataclass(frozen=True, slots=True)
class Offered:
    """The units that a rater was given, the units of a full set, and the pay for answering all the given units."""

    units: int
    full: int
    amount: Decimal


def offered(rater: Rater) -> Offered:
    """Return the offer to a rater, to be announced before they begin; two queries."""
    full_sizes = reads.full_set_sizes(rater, reads.full_sets(rater.study_id))
    sets = reads.sets_of(rater.study_id, rater.pk).get(rater.pk, [])
    units = sum(min(work.main, full_sizes.get(work.task, 0)) for work in sets)
    amount = pay.cents(Fraction(rater.study.options.amount) * pay.work_of(sets, full_sizes).given)
    return Offered(units, sum(full_sizes.values()), amount)


@dataclass(frozen=True, slots=True)
class FinalPay:
    """The pay that a rater reads at the end: the amount earned, the bonus so far, and whether all of it was paid."""

    earned: Decimal
    bonus: Decimal
    is_paid: bool = False


def final_pay(rater: Rater) -> FinalPay:
    """Return the amounts stored for a rater, or, for a rater without rows, the amounts that would be stored."""
    row = reads.payment_sums(rater.study_id, rater.pk).get(rater.pk)
    if row is None:
        return FinalPay(owed(rater), pay.NOTHING)
    return FinalPay(row.earned, row.bonus, is_paid=row.settled > 0 and not row.has_open)


def record(rater: Rater) -> None:
    """Store the pay that is owed to a rater who has just ended, in the transaction of the end.

    Who took another set gets a further row for the difference. Nothing is ever taken back here.
    """
    if rater.kind in Rater.Kind.COUNTED and reads.offer_of(rater.study.options).pays:
        row = reads.payment_sums(rater.study_id, rater.pk).get(rater.pk, reads.PaymentSums())
        Payment.objects.bulk_create(_difference(rater, owed(rater), row))


def _difference(rater: Rater, due: Decimal, row: reads.PaymentSums) -> list[Payment]:
    if due <= row.earned:
        return []
    kind = Kind.FULL if rater.outcome == Rater.Outcome.COMPLETED else Kind.PART
    return [Payment(rater=rater, kind=kind, amount=due - row.earned)]


def up_to_date(*, study: Study, simulated: bool = False, last: int | None = None) -> Ledger:
    """Return the pay of a study, after adding rows for raters who ended before pay was recorded.

    Sums of what is open count rows up to `last`. Doing it again writes nothing.
    """
    raters = list(raters_of(study, simulated=simulated))
    facts, booked = reads.facts_of(study, raters), reads.payment_sums(study.pk, last=last)
    late = [
        rater.pk
        for rater in raters
        if rater.state == Rater.State.ENDED
        and rater.erased_at is None
        and facts.due(rater.pk) > booked.get(rater.pk, reads.PaymentSums()).earned
    ]
    if late:
        _record_late(study=study, late=late, dues=facts.dues)
        booked = reads.payment_sums(study.pk, last=last)
    return ledger_of(study, raters, facts, booked)


@atomically
def _record_late(*, study: Study, late: Sequence[int], dues: Mapping[int, Decimal]) -> None:
    locked = list(Rater.objects.select_for_update().filter(pk__in=late, erased_at=None).order_by("pk"))
    sums = reads.payment_sums(study.pk)
    bookings = [_difference(rater, dues[rater.pk], sums.get(rater.pk, reads.PaymentSums())) for rater in locked]
    Payment.objects.bulk_create(row for rows in bookings for row in rows)


@atomically
def add_bonuses(
    *, study: Study, by: events.Actor, amounts: Mapping[str, Decimal], reason: str, form: str, simulated: bool = False
) -> int:
    """Promise bonuses by pseudonym, all or none; the same form sent again changes nothing. Return how many were added.

    Raises
    ------
    NotPossible
        Where a pseudonym is not of this study, an amount is not positive, or the reason is missing.
    """
    if not reason.strip():
        raise NotPossible(_("Enter what the bonus is for: raters and payment files show it."))
    if any(amount <= 0 for amount in amounts.values()):
        raise NotPossible(_("A bonus must be above 0. To pay somebody less, withhold pay with a reason."))
    raters = raters_of(study, simulated=simulated).select_for_update().filter(pseudonym__in=amounts, erased_at=None)
    locked = list(raters.order_by("pk"))
    if unknown := sorted(set(amounts) - {rater.pseudonym for rater in locked}):
        sentence = ngettext(
            "There is no rater %(names)s to be paid in this study.",
            "There are no raters %(names)s to be paid in this study.",
            len(unknown),
        )
        raise NotPossible(sentence % {"names": ", ".join(unknown[:5]) + (" …" if len(unknown) > 5 else "")})
    # The form's own number makes a second press harmless. The raters' rows are locked, so both cannot pass here.
    if not locked or Event.objects.filter(study=study, verb="bonus added", after__form=form).exists():
        return 0
    Payment.objects.bulk_create(
        Payment(rater=rater, kind=Kind.BONUS, amount=amounts[rater.pseudonym], reason=reason.strip(), by_id=_pk(by))
        for rater in locked
    )
    total = sum((amounts[rater.pseudonym] for rater in locked), pay.NOTHING)
    events.log(study, by, "bonus added", after={"raters": len(locked), "total": str(total), "form": form})
    return len(locked)


def _pk(by: events.Actor) -> int | None:
    return getattr(by, "pk", None)


@atomically
def add_missing(*, study: Study, by: events.Actor, amount_shown: Decimal, form: str, simulated: bool = False) -> int:
    """Add the missing amount as a bonus for everybody below the minimum pay per hour; return the number of raters.

    Raises
    ------
    NotPossible
        Where it comes to another sum than the `amount_shown` when it was confirmed.
    """
    ledger = up_to_date(study=study, simulated=simulated)
    if ledger.missing_bonuses != amount_shown:
        raise NotPossible(_("The sum has changed in the meantime. Look at it again, then confirm."))
    missing = {entry.rater.pseudonym: entry.shortfall for entry in ledger.entries if entry.shortfall}
    reason = _("Pay raised to the minimum per hour")
    return add_bonuses(study=study, by=by, amounts=missing, reason=reason, form=form, simulated=simulated)


@atomically
def withhold(*, rater: Rater, by: events.Actor, reason: str) -> Decimal:
    """Withhold everything that is still to be paid to a rater, with a written reason; return the amount.

    Raises
    ------
    NotPossible
        Without a reason, or where nothing is left to pay.
    """
    if not reason.strip():
        raise NotPossible(_("Enter a reason for withholding the pay."))
    Rater.objects.select_for_update().get(pk=rater.pk)
    amount = reads.payment_sums(rater.study_id, rater.pk).get(rater.pk, reads.PaymentSums()).open
    if amount <= 0:
        raise NotPossible(_("Nothing is left to be paid to this rater."))
    Payment.objects.create(rater=rater, kind=Kind.WITHHELD, amount=amount, reason=reason.strip(), by_id=_pk(by))
    events.log(rater.study, by, "pay withheld", after={"amount": str(amount)})
    return amount


def may_undo(rows: Sequence[Payment], row: Payment) -> bool:
    """Return whether a bonus or a withheld amount can be undone; `rows` are all of the rater's.

    A bonus that was paid cannot, nor what has been undone: every counter row takes one row of its amount.
    """
    if row.kind not in {Kind.BONUS, Kind.WITHHELD} or row.amount <= 0:
        return False
    if row.kind == Kind.BONUS and row.settled_at is not None:
        return False
    alike = [payment for payment in rows if payment.kind == row.kind and abs(payment.amount) == row.amount]
    open_rows = [payment for payment in alike if payment.kind == Kind.WITHHELD or payment.settled_at is None]
    standing = [payment for payment in open_rows if payment.amount > 0]
    undone = [payment for payment in open_rows if payment.amount < 0]
    return row in standing[len(undone) :]


@atomically
def undo(*, payment: Payment, by: events.Actor) -> None:
    """Undo a bonus or a withheld amount by adding a row with the opposite amount. Raises NotPossible."""
    Rater.objects.select_for_update().get(pk=payment.rater_id)
    rows = list(Payment.objects.filter(rater=payment.rater_id).order_by("pk"))
    if not may_undo(rows, payment):
        raise NotPossible(_("This was paid or undone already."))
    reason = _("Undone: %(reason)s") % {"reason": payment.reason}
    Payment.objects.create(
        rater_id=payment.rater_id, kind=payment.kind, amount=-payment.amount, reason=reason, by_id=_pk(by)
    )
    events.log(payment.rater.study, by, "pay undone", after={"kind": payment.kind, "amount": str(payment.amount)})


@atomically
def settle(*, study: Study, channel: str, by: events.Actor, last: int, simulated: bool = False) -> int:
    """Mark everything in a channel's payment file as paid: all open rows up to `last`; return how many."""
    raters = raters_of(study, simulated=simulated).filter(channel=channel)
    list(raters.select_for_update().values_list("pk", flat=True))
    rows = Payment.objects.filter(rater__in=raters.values("pk"), settled_at=None, pk__lte=last)
    n = rows.update(settled_at=Now())
    if n:
        events.log(study, by, "pay settled", about=channel, after={"rows": n, "last": last})
    return n
