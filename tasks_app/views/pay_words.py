"""Pay in words: the offer above the consent, the pay of a rater, and whether an offer is high enough."""

from dataclasses import dataclass
from decimal import Decimal

from django.utils import formats
from django.utils.translation import gettext as _

from tasks_app import pay
from tasks_app.models import Rater
from tasks_app.selectors.pay import EarlyEnds, offer_of
from tasks_app.services import pay as service
from tasks_app.settings.study import StudySettings


def money(amount: Decimal, currency: str) -> str:
    """Word an amount: 3.50 EUR; 0.00 EUR for nothing."""
    return f"{formats.number_format(amount, 2)} {currency}"


def minutes(value: float) -> str:
    """Word the minutes that raters took, in the same form on every page: 12.4."""
    return formats.number_format(value, 1, force_grouping=True)


def part_pay(options: StudySettings, ends: EarlyEnds) -> str:
    """Describe the pay of a rater who stops early or has a shorter set; empty for a study without pay.

    `ends` says whether raters may be screened out or fail an exam.
    """
    offer = offer_of(options)
    if not offer.pays:
        return ""
    sentences = []
    if offer.amount:
        sentences.append(_("If you stop early, you are paid for what you have done."))
    if any(ends):
        sentences.append(_without_a_set(options, ends))
    if options.part_by_time and options.part_amount and ends.screening:
        sentences.append(_("For the screened out this follows the time they spent, where that is more."))
    if offer.amount:
        sentences.append(
            _("If your set is smaller than a full set, you are told its size and its pay before you begin.")
        )
    return " ".join(sentences)


def _without_a_set(options: StudySettings, ends: EarlyEnds) -> str:
    """Describe the pay of raters who do not get as far as a set: who are screened out, or do not pass the exam."""
    if options.part_amount:
        sentences = {
            (True, True): _("If you are screened out or do not pass the exam, you are paid %(amount)s."),
            (True, False): _("If you are screened out, you are paid %(amount)s."),
            (False, True): _("If you do not pass the exam, you are paid %(amount)s."),
        }
    elif options.part_by_time:
        sentences = {
            (True, True): _("If you are screened out or do not pass the exam, you are paid for the time you spent."),
            (True, False): _("If you are screened out, you are paid for the time you spent."),
            (False, True): _("If you do not pass the exam, you are paid for the time you spent."),
        }
    else:
        sentences = {
            (True, True): _("If you are screened out or do not pass the exam, you are not paid."),
            (True, False): _("If you are screened out, you are not paid."),
            (False, True): _("If you do not pass the exam, you are not paid."),
        }
    return sentences[ends.screening, ends.exam] % {"amount": money(options.part_amount, options.currency)}


def bonus(options: StudySettings) -> str:
    """Return the reasons for a bonus: in the researchers' words, and for texts that others accept; empty for none."""
    sentences = [options.bonus] if options.bonus else []
    if options.accepted_bonus:
        sentences.append(
            _("%(amount)s for each of your texts that other raters accept.")
            % {"amount": money(options.accepted_bonus, options.currency)}
        )
    return " ".join(sentences)


def promises(options: StudySettings, ends: EarlyEnds) -> list[tuple[str, str]]:
    """Return the promises beside the pay above the consent button, as far as a study makes them.

    `ends` says whether raters may be screened out or fail an exam.
    """
    if not offer_of(options).pays:
        return [(_("Bonus"), words)] if (words := bonus(options)) else []
    pairs = [
        (_("If you stop early"), part_pay(options, ends)),
        (_("Bonus"), bonus(options)),
        (_("How you are paid"), options.paid),
    ]
    return [(label, text) for label, text in pairs if text]


def stopping(rater: Rater) -> str:
    """Describe the pay of a rater if they stop now; empty in a study without pay, and for somebody on trial."""
    if rater.kind == Rater.Kind.SANDBOX or not offer_of(rater.study.options).pays:
        return ""
    owed = service.owed(rater)
    if not owed:
        return _("If you stop now, you are paid nothing, since you have not answered anything yet.")
    words = {"pay": money(owed, rater.study.options.currency)}
    return _("If you stop now, you are paid %(pay)s for what you have done.") % words


def sentences(rater: Rater) -> list[str]:
    """Return the sentences for a rater at the end: the pay, the bonus so far, and when and how it is paid."""
    options = rater.study.options
    numbers = service.final_pay(rater)
    # Raters who judged nothing do not read about a bonus for those who did.
    may_get_more = bool(bonus(options) and (numbers.earned or not offer_of(options).pays))
    promises = []
    if numbers.earned:
        earned = money(numbers.earned, options.currency)
        promises.append(_("You are paid %(pay)s for your work here.") % {"pay": earned})
    elif offer_of(options).pays:
        promises.append(_unpaid(rater))
    if numbers.bonus > 0:
        promises.append(_("You get a bonus of %(pay)s as well.") % {"pay": money(numbers.bonus, options.currency)})
    elif may_get_more:
        promises.append(_("Bonus: %(words)s") % {"words": bonus(options)})
    if numbers.is_paid:
        promises.append(_("The researchers have marked it as paid."))
    elif options.paid and (numbers.earned or numbers.bonus > 0 or may_get_more):
        promises.append(_("How you are paid: %(words)s") % {"words": options.paid})
    return promises


def _unpaid(rater: Rater) -> str:
    """Explain to a rater of a paid study why they are paid nothing."""
    if rater.outcome in {pay.SCREENED_OUT, pay.FAILED}:
        return _("There is no pay for this, as stated before you agreed.")
    return _("No text was judged yet, so there is nothing to pay.")


@dataclass(frozen=True, slots=True)
class PayOfWithdrawn:
    """The pay of a rater who has their answers erased, in words, and whether some of it is still to be paid."""

    sentences: list[str]
    is_due: bool = False


def pay_of_withdrawn(rater: Rater) -> PayOfWithdrawn:
    """Return the pay of a rater for their work until they withdraw their answers; to be read before the erasure.

    Nothing is said in a study without pay, and to somebody on trial.
    """
    if rater.kind == Rater.Kind.SANDBOX or not offer_of(rater.study.options).pays:
        return PayOfWithdrawn([])
    numbers = service.final_pay(rater)
    amount = numbers.earned + numbers.bonus
    if not amount:
        return PayOfWithdrawn([_unpaid(rater)])
    words = {"pay": money(amount, rater.study.options.currency)}
    paid = [_("The researchers have marked it as paid.")] if numbers.is_paid else []
    return PayOfWithdrawn([_("You are paid %(pay)s for your work here.") % words, *paid], is_due=not numbers.is_paid)


def still_due(contact: str) -> list[str]:
    """Tell a rater, once their answers are erased, how to get the pay that is still due."""
    due = _("The researchers see that this amount is due, but no longer to whom.")
    return [due, _("To be paid, write to %(contact)s.") % {"contact": contact}] if contact else [due]


def turned_away(options: StudySettings, *, took_part: bool) -> str:
    """Tell a person who is not admitted that earlier answers and pay stay valid.

    Who comes by an open link may have begun before: the server cannot tell, and does not say that they have not.
    """
    if took_part:
        return _("Your pay for taking part does not change.") if offer_of(options).pays else ""
    if not offer_of(options).pays:
        return _("If you have already begun, open your personal link: your answers are kept.")
    return _("If you have already begun, open your personal link: your answers and pay are kept.")


def offer_note(options: StudySettings) -> str:
    """Warn that the pay for the expected minutes is below the study's minimum per hour; return "" where it is not."""
    return service.offer_note(offer_of(options), options.currency)


def hourly(amount: Decimal | None, currency: str) -> str:
    """Word an amount per hour; a dash for none."""
    return "–" if amount is None else _("%(amount)s per hour") % {"amount": money(amount, currency)}


def promised(options: StudySettings) -> str:
    """Describe the promised pay of a full set, its minutes, the pay per hour, and the part pay."""
    promise = [
        _("%(amount)s for about %(minutes)s minutes, which is %(hourly)s per hour")
        % {
            "amount": money(options.amount, options.currency),
            "minutes": service.minutes_in_words(options.expected_minutes),
            "hourly": money(pay.hourly(options.amount, options.expected_minutes) or pay.NOTHING, options.currency),
        }
    ]
    if options.part_amount:
        part = money(options.part_amount, options.currency)
        promise.append(_("%(amount)s for raters who are screened out or fail the exam") % {"amount": part})
    return "; ".join(promise)


def below(median: float, now: Decimal | None, needed: Decimal, missing: Decimal, options: StudySettings) -> str:
    """Describe by how much the pay is too low at the median time, and how to raise it."""
    currency = options.currency
    words = {
        "minutes": minutes(median),
        "now": money(now or pay.NOTHING, currency),
        "minimum": money(options.minimum_hourly, currency),
        "needed": money(needed, currency),
        "missing": money(missing, currency),
    }
    return (
        _(
            "Raters take %(minutes)s minutes for a set at the median. At that time the pay is %(now)s per "
            "hour, below this study's minimum of %(minimum)s. A full set would have to pay %(needed)s; a bonus of "
            "%(missing)s for everybody who completed would close the gap."
        )
        % words
    )
