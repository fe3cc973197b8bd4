"""The table of raters on the Pay page and as a file: by pseudonym, never by platform id."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from io import StringIO

from django import forms
from django.http import QueryDict
from django.utils import formats
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from tasks_app import channels
from tasks_app.models import Payment, Rater
from tasks_app.selectors.ledger import Entry
from tasks_app.selectors.payees import channel_of
from tasks_app.services.pay import may_undo
from tasks_app.texts.plaintext import without_formula

NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")

STATUSES = {
    "open": _("still to be paid"),
    "paid": _("paid"),
    "withheld": _("withheld"),
    "below": _("below the minimum per hour"),
    "begun": _("not ended yet"),
}


def _channels_by_use() -> list[tuple[str, str]]:
    """Return the names and labels of the channels, those last by which nobody can come any more."""
    in_use_first = sorted(channels.registry.items(), key=lambda named: bool(named[1].ended))
    return [(name, str(channel.label)) for name, channel in in_use_first]


class Filter(forms.Form):
    """The raters that the table shows; an unknown value shows all."""

    status = forms.ChoiceField(choices=[("", _("all")), *STATUSES.items()], required=False, label=_("Pay"))
    channel = forms.ChoiceField(
        choices=lambda: [("", _("all")), *_channels_by_use()],
        required=False,
        label=_("Channel"),
    )
    outcome = forms.ChoiceField(choices=[("", _("all")), *Rater.Outcome.choices], required=False, label=_("Outcome"))
    simulated = forms.BooleanField(required=False, label=_("Simulated raters too"))

    @classmethod
    def of(cls, query: QueryDict) -> Filter:
        """Read the query of an address."""
        form = cls(query or None)
        form.is_valid()
        return form

    @property
    def chosen(self) -> Mapping[str, object]:
        """The chosen values, as far as they can be chosen."""
        return getattr(self, "cleaned_data", {})

    @property
    def with_simulated(self) -> bool:
        """Whether simulated raters are shown and paid, to try the pages out."""
        return bool(self.chosen.get("simulated"))

    def pick(self, entries: Iterable[Entry]) -> list[Entry]:
        """Return the raters to show."""
        chosen = self.chosen
        return [
            entry
            for entry in entries
            if (not chosen.get("channel") or entry.rater.channel == chosen["channel"])
            and (not chosen.get("outcome") or entry.rater.outcome == chosen["outcome"])
            and (not chosen.get("status") or _has(entry, str(chosen["status"])))
        ]


def _has(entry: Entry, status: str) -> bool:
    return {
        "open": entry.booked.open > 0,
        "paid": entry.booked.settled > 0 and not entry.booked.has_open,
        "withheld": entry.booked.withheld > 0,
        "below": entry.shortfall > 0,
        "begun": not entry.ended,
    }[status]


@dataclass(frozen=True, slots=True)
class PayRow:
    """One rater as the table shows them, with the rows behind the sums and which of them can be undone."""

    entry: Entry
    channel: str
    rows: tuple[tuple[Payment, bool], ...]

    @property
    def minutes(self) -> str:
        """Minutes for pay, to a tenth."""
        return formats.number_format(self.entry.minutes.paid, 1)

    @property
    def more_minutes(self) -> str:
        """The time with long gaps, and the time that the browser measured."""
        measured = self.entry.minutes
        words = {"elapsed": tenths(measured.elapsed), "active": tenths(measured.active)}
        return gettext("%(elapsed)s minutes with all gaps, %(active)s of them active.") % words


def tenths(minutes: float | None) -> str:
    """Write minutes to a tenth; a dash for none."""
    return "–" if minutes is None else formats.number_format(minutes, 1)


def lines_of(entries: Sequence[Entry]) -> list[PayRow]:
    """Return the lines of one page of the table; one query."""
    rows: dict[int, list[Payment]] = {}
    ids = [entry.rater.pk for entry in entries]
    for row in Payment.objects.filter(rater__in=ids).select_related("by").order_by("pk"):
        rows.setdefault(row.rater_id, []).append(row)
    return [
        PayRow(
            entry,
            str(channel_of(entry.rater.channel).label),
            tuple((row, may_undo(rows[entry.rater.pk], row)) for row in rows.get(entry.rater.pk, ())),
        )
        for entry in entries
    ]


HEADER = (
    "rater", "channel", "kind", "outcome", "minutes", "elapsed_minutes", "active_minutes", "units", "owed", "bonus",
    "withheld", "settled", "open", "currency", "hourly", "missing_for_minimum",
)  # fmt: skip


def cells_of(entry: Entry, currency: str) -> tuple[str, ...]:
    """Return a rater's cells of the file; the amount for a rater who has not ended is not owed yet."""
    active, pay = entry.minutes.active, entry.booked
    return (
        entry.rater.pseudonym,
        entry.rater.channel,
        entry.rater.kind,
        str(entry.rater.outcome or entry.rater.state),
        f"{entry.minutes.paid:.2f}",
        f"{entry.minutes.elapsed:.2f}",
        "" if active is None else f"{active:.2f}",
        str(entry.units),
        *(f"{amount:.2f}" for amount in (pay.earned, pay.bonus, pay.withheld, pay.settled, pay.open)),
        currency,
        _or_nothing(entry.hourly),
        _or_nothing(entry.shortfall),
    )


def _or_nothing(amount: Decimal | None) -> str:
    return "" if amount is None else f"{amount:.2f}"


def csv_lines(header: Sequence[str], rows: Iterable[Sequence[str]], *, for_people: bool = True) -> Iterator[str]:
    """Write lines of a file; files for people hold no formulas, a platform's own format is left as it is."""
    if header:
        yield _line(header)
    for row in rows:
        yield _line([_safe(cell) for cell in row] if for_people else row)


def _safe(cell: str) -> str:
    """Keep a spreadsheet from taking a cell for a formula; a number may begin with a minus."""
    return cell if NUMBER.fullmatch(cell) else without_formula(cell)


def _line(cells: Sequence[str]) -> str:
    target = StringIO()
    csv.writer(target, lineterminator="\r\n").writerow(cells)
    return target.getvalue()
