"""The Pay page: the amounts owed to raters, pay per hour, and the payments made."""

import re
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tasks_app import access, channels
from tasks_app.channels.payment import PaymentFile
from tasks_app.models import Membership, Payment, Rater, Study
from tasks_app.selectors import payees
from tasks_app.selectors.ledger import Entry, Ledger
from tasks_app.services import events, pay
from tasks_app.services.judging import assignments
from tasks_app.uploads.request_sizes import accepts_files, largest_table
from tasks_app.views import pay_words
from tasks_app.views.downloads import streamed
from tasks_app.views.researcher.frame import refusals_shown, researcher_page, study_page
from tasks_app.views.researcher.pay import table as pay_table
from tasks_app.views.researcher.pay.forms import COMPLETED, BonusForm

OWNER = Membership.Role.OWNER
RATERS_ON_A_PAGE = 50  # each row brings its form along


@dataclass(frozen=True, slots=True)
class Paid:
    """One channel with the amount still to be paid through it."""

    name: str
    label: str
    raters: int
    amount: str
    unknown: int
    files: Sequence[PaymentFile]


@researcher_page("GET")
def overview(request: HttpRequest, slug: str) -> HttpResponse:
    """Sums, times, every rater, the files to pay from."""
    return _page(request, slug, BonusForm(initial={"form": uuid.uuid4().hex}))


def _page(request: HttpRequest, slug: str, form: BonusForm, status: int = 200) -> HttpResponse:
    table_filter = pay_table.Filter.of(request.GET)

    def context(study: Study) -> dict[str, Any]:
        ledger = pay.up_to_date(study=study, simulated=table_filter.with_simulated)
        has_money = ledger.offer.pays or any((ledger.so_far, ledger.bonus, ledger.withheld, ledger.settled))
        # A platform wants its raters approved also where the study pays nothing itself.
        paid = [
            channel for channel in _channels(study, ledger) if has_money or channels.registry[channel.name].needs_ids
        ]
        page = Paginator(table_filter.pick(ledger.entries), RATERS_ON_A_PAGE).get_page(request.GET.get("page"))
        query = request.GET.copy()
        query.pop("page", None)
        return {
            "ledger": ledger,
            "facts": _facts(study, ledger),
            "has_money": has_money,
            "notes": _notes(study, ledger),
            "currency": study.options.currency,
            "promised": pay_words.promised(study.options),
            "least": pay_words.hourly(ledger.offer.minimum_hourly, study.options.currency),
            "hourly": pay_words.hourly(ledger.hourly, study.options.currency),
            "minutes": {name: pay_words.minutes(getattr(ledger.times, name)) for name in ("low", "median", "high")}
            if ledger.times is not None
            else {},
            "page": page,
            "lines": pay_table.lines_of(list(page)),
            "filter": table_filter,
            "query": query.urlencode(),
            "paid": paid,
            "last": max((entry.booked.last for entry in ledger.entries), default=0),
            "form": form,
            "number": uuid.uuid4().hex,
            "absent": assignments.absent_raters(study).count(),
            "simulated": study.raters.filter(kind=Rater.Kind.SIMULATED).exists(),
        }

    return study_page(request, slug, "pay", context, template="pay", title=_("Pay"), status=status)


def _facts(study: Study, ledger: Ledger) -> list[tuple[str, str, str]]:
    sums = (
        (
            _("Cost so far"),
            ledger.so_far,
            _("pay and bonuses, also of raters who have not ended; without platform fees"),
        ),
        (_("Owed"), ledger.earned, _("pay and part pay of raters who have ended")),
        (_("Bonuses"), ledger.bonus, _("promised in addition")),
        (_("Withheld"), ledger.withheld, _("for written reasons")),
        (_("Paid"), ledger.settled, _("marked as paid")),
        (_("Still to be paid"), ledger.open, ""),
    )
    return [(label, pay_words.money(amount, study.options.currency), note) for label, amount, note in sums]


def _notes(study: Study, ledger: Ledger) -> list[str]:
    """Return notes on low pay per hour: by the median time, or by the expected minutes before anybody has completed."""
    if ledger.times is None:
        note = pay_words.offer_note(study.options)
        return [note] if note else []
    if not ledger.missing:
        return []
    return [pay_words.below(ledger.times.median, ledger.hourly, ledger.needed, ledger.missing, study.options)]


def _channels(study: Study, ledger: Ledger) -> list[Paid]:
    """Return the open payments of each channel. The files are named here; their raters are read when they are sent."""
    notes = []
    for name, entries in sorted(payees.waiting(ledger).items()):
        kind = payees.channel_of(name)
        total = sum((entry.booked.open for entry in entries), Decimal("0.00"))
        unknown = payees.unknown(entries) if kind.needs_ids else 0
        amount = pay_words.money(total, study.options.currency)
        notes.append(Paid(name, str(kind.label), len(entries), amount, unknown, kind.payment_files(())))
    return notes


@researcher_page("GET")
def table(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Send the raters of the table as CSV, by pseudonym."""
    study = access.study_for_researcher(request.user, slug)
    table_filter = pay_table.Filter.of(request.GET)
    ledger = pay.up_to_date(study=study, simulated=table_filter.with_simulated)
    rows = (pay_table.cells_of(entry, study.options.currency) for entry in table_filter.pick(ledger.entries))
    return _csv(f"{study.slug}-pay", pay_table.csv_lines(pay_table.HEADER, rows))


def _csv(name: str, lines: Any) -> StreamingHttpResponse:
    answer = streamed(f"{name}.csv", lines)
    answer.headers["Cache-Control"] = "no-store"
    return answer


@researcher_page("GET")
def file(request: HttpRequest, slug: str, channel: str, name: str) -> HttpResponseBase:
    """Send a payment file of a channel, the one file with the raters' names on their platform; log it."""
    study = access.study_for_researcher(request.user, slug, OWNER)
    entries, last = _waiting(request, study, channel)
    if not entries and channel not in channels.registry:
        raise Http404
    listed = payees.payees_of(study, channel, entries, last)
    payment_file = next(
        (
            payment_file
            for payment_file in payees.channel_of(channel).payment_files(listed)
            if payment_file.name == name
        ),
        None,
    )
    if payment_file is None:
        raise Http404
    events.log(study, request.user, "exported", about=f"payment file {channel} {name}", after={"raters": len(entries)})
    lines = pay_table.csv_lines(payment_file.header, payment_file.rows, for_people=payment_file.for_people)
    return _csv(f"{study.slug}-{channel}-{name}", lines)


def _waiting(request: HttpRequest, study: Study, channel: str) -> tuple[list[Entry], int]:
    """Return the raters of a channel's files, by the rows that the page showed: later rows wait."""
    params = request.POST if request.method == "POST" else request.GET
    last = _whole(params.get("last", ""))
    ledger = pay.up_to_date(study=study, simulated=_simulated(request), last=last)
    if last is None:
        last = max((entry.booked.last for entry in ledger.entries), default=0)
    return payees.waiting(ledger).get(channel, []), last


def _simulated(request: HttpRequest) -> bool:
    """Return whether the page shows simulated raters, to try it out."""
    return bool(request.GET.get("simulated"))


def _whole(text: str) -> int | None:
    return int(text) if text.isdecimal() and len(text) < 19 else None


@accepts_files(largest_table)
@researcher_page("POST")
def bonus(request: HttpRequest, slug: str) -> HttpResponse:
    """Promise bonuses to raters."""
    study = access.study_for_researcher(request.user, slug, OWNER)
    form = BonusForm(request.POST, request.FILES)
    if not form.is_valid():
        return _page(request, slug, form, status=422)
    simulated = _simulated(request)
    everybody = form.cleaned_data["to"] == COMPLETED
    completed = pay.up_to_date(study=study, simulated=simulated).entries if everybody else ()
    options = {"reason": form.cleaned_data["reason"], "form": form.cleaned_data["form"], "simulated": simulated}
    try:
        n = pay.add_bonuses(study=study, by=request.user, amounts=form.amounts(completed), **options)
    except pay.NotPossible as problem:
        form.add_error(None, str(problem))
        return _page(request, slug, form, status=422)
    _say_bonuses(request, n)
    return _back(request, slug)


def _say_bonuses(request: HttpRequest, n: int) -> None:
    sentence = ngettext("A bonus for %(n)s rater was saved.", "Bonuses for %(n)s raters were saved.", n) % {"n": n}
    messages.success(request, sentence if n else _("Nobody was due a bonus, or it had already been saved."))


def _back(request: HttpRequest, slug: str) -> HttpResponse:
    """Lead back to the page as it was looked at."""
    query = request.GET.urlencode()
    return redirect(reverse("researcher:pay", args=[slug]) + (f"?{query}" if query else ""))


@researcher_page("POST")
def withhold(request: HttpRequest, slug: str) -> HttpResponse:
    """Leave a rater out, with a written reason."""
    study = access.study_for_researcher(request.user, slug, OWNER)
    pseudonym = request.POST.get("rater", "")
    if "\0" in pseudonym:  # the database cannot even be asked for it
        raise Http404
    rater = get_object_or_404(Rater.objects.select_related("study"), study=study, pseudonym=pseudonym)
    with refusals_shown(request, pay.NotPossible):
        amount = pay.withhold(rater=rater, by=request.user, reason=request.POST.get("reason", "").replace("\0", ""))
        words = {"rater": rater, "amount": pay_words.money(amount, study.options.currency)}
        messages.success(request, _("%(amount)s of %(rater)s are withheld. You can undo it.") % words)
    return _back(request, slug)


@researcher_page("POST")
def undo(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Take back a bonus that was not paid, or a withheld amount."""
    study = access.study_for_researcher(request.user, slug, OWNER)
    payment = get_object_or_404(Payment.objects.select_related("rater__study"), rater__study=study, pk=pk)
    with refusals_shown(request, pay.NotPossible):
        pay.undo(payment=payment, by=request.user)
        messages.success(request, _("Undone. Both rows stay in the table as a record."))
    return _back(request, slug)


def _sure(request: HttpRequest, slug: str, question: dict[str, Any]) -> HttpResponse:
    """Ask once more; `asked` has a title, sentences, the address, hidden fields and the words on the button."""
    query = request.GET.urlencode()
    context = {**question, "query": query}
    return study_page(request, slug, "pay", lambda _study: context, template="pay_sure", title=_("Pay"), role=OWNER)


@researcher_page("POST")
def settle(request: HttpRequest, slug: str) -> HttpResponse:
    """Mark everything in a channel's file as paid, after asking once more."""
    study = access.study_for_researcher(request.user, slug, OWNER)
    channel = request.POST.get("channel", "").replace("\0", "")
    entries, last = _waiting(request, study, channel)
    if request.POST.get("sure") != "yes":
        total = sum((entry.booked.open for entry in entries), Decimal("0.00"))
        words = {"n": len(entries), "amount": pay_words.money(total, study.options.currency)}
        sentence = (
            ngettext("%(n)s rater with %(amount)s.", "%(n)s raters with %(amount)s in all.", len(entries)) % words
        )
        question = {
            "heading": _("Mark all of %(channel)s as paid?") % {"channel": payees.channel_of(channel).label},
            "sentences": [
                sentence,
                _("Do it after the payment: it cannot be undone here."),
                _("Amounts added since you opened the page are not marked."),
            ],
            "address": reverse("researcher:pay_settle", args=[slug]),
            "fields": {"channel": channel, "last": str(last)},
            "button": _("Mark as paid"),
        }
        return _sure(request, slug, question)
    n = pay.settle(study=study, channel=channel, by=request.user, last=last, simulated=_simulated(request))
    messages.success(request, _("Marked as paid.") if n else _("There was nothing left to mark as paid."))
    return _back(request, slug)


@researcher_page("POST")
def add_missing(request: HttpRequest, slug: str) -> HttpResponse:
    """Add the difference to the minimum pay per hour for everybody below it, after asking once more."""
    study = access.study_for_researcher(request.user, slug, OWNER)
    simulated = _simulated(request)
    form = re.sub("[^0-9a-f]", "", request.POST.get("form", ""))[:32]
    if request.POST.get("sure") == "yes":
        with refusals_shown(request, pay.NotPossible):
            n = pay.add_missing(
                study=study, by=request.user, amount_shown=_amount(request), form=form, simulated=simulated
            )
            _say_bonuses(request, n)
        return _back(request, slug)
    ledger = pay.up_to_date(study=study, simulated=simulated)
    words = {"n": len(ledger.shortfalls), "amount": pay_words.money(ledger.missing_bonuses, study.options.currency)}
    minimum = pay_words.money(study.options.minimum_hourly, study.options.currency)
    question = {
        "heading": _("Add what is missing as a bonus?"),
        "sentences": [
            ngettext(
                "%(n)s rater got less than %(minimum)s per hour for their time.",
                "%(n)s raters got less than %(minimum)s per hour for their time.",
                len(ledger.shortfalls),
            )
            % {**words, "minimum": minimum},
            _("Bonuses of %(amount)s in total would raise each of them to it.") % words,
        ],
        "address": reverse("researcher:pay_mend", args=[slug]),
        "fields": {"seen": str(ledger.missing_bonuses), "form": form},
        "button": _("Add the bonuses"),
    }
    return _sure(request, slug, question)


def _amount(request: HttpRequest) -> Decimal:
    try:
        amount = Decimal(request.POST.get("seen", ""))
    except InvalidOperation:
        return Decimal(-1)
    # Infinity and NaN are no sums, and a signalling NaN cannot even be compared.
    return amount if amount.is_finite() else Decimal(-1)


@researcher_page("POST")
def end_absent(request: HttpRequest, slug: str) -> HttpResponse:
    """End raters of a closed study who left without a word, so that they are paid for their work."""
    study = access.study_for_researcher(request.user, slug, OWNER)
    n = assignments.end_absent(study=study, by=request.user)
    messages.success(request, ngettext("%(n)s rater was ended.", "%(n)s raters were ended.", n) % {"n": n})
    return _back(request, slug)
