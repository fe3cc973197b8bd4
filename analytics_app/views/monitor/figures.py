"""The figures at the top of the Monitor page."""

from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analytics_app.show.cells import percent, whole
from analytics_app.views.monitor import moments
from analytics_app.views.monitor.reading import Reading
from tasks_app.services.pay import minutes_in_words
from tasks_app.views import pay_words


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure: its name, its value in words, and a sentence about its basis."""

    label: str
    words: str
    note: str = ""


def of(reading: Reading) -> list[Figure]:
    """Return the figures that a study has at this time."""
    figures = []
    if reading.progress.places:
        figures += [_done(reading), _forecast(reading)]
    if reading.has_begun:
        figures.append(_minutes(reading))
        if reading.fieldwork.ledger.offer.pays:
            figures += [_hourly(reading), _cost(reading)]
    return figures


def _done(reading: Reading) -> Figure:
    counted = reading.progress
    note = _("%(n)s of %(all)s places are answered.") % {
        "n": whole(counted.submitted).text,
        "all": whole(counted.places).text,
    }
    # Rounded down, so that 100 % means that every place is answered.
    return Figure(_("Done"), percent(int(counted.share * 100) / 100).text, note)


def _forecast(reading: Reading) -> Figure:
    pace = reading.pace
    words, note = moments.outlook(reading.forecast, pace.now, reading.zone, pace.last)
    if reading.progress.later and reading.study.state != reading.study.State.CLOSED:
        names = ", ".join(f"“{task.task}”" for task in reading.progress.later)
        left = sum(task.places - task.submitted for task in reading.progress.later)
        sentence = ngettext(
            "Without %(n)s place of %(tasks)s, which opens later for each rater.",
            "Without %(n)s places of %(tasks)s, which opens later for each rater.",
            left,
        )
        note = f"{note} {sentence % {'n': whole(left).text, 'tasks': names}}"
    return Figure(_("Expected to finish"), words, note)


def _minutes(reading: Reading) -> Figure:
    times, expected = reading.fieldwork.ledger.times, minutes_in_words(reading.options.expected_minutes)
    if times is None:
        note = (
            _("Times of simulated raters do not count; the estimate is %(minutes)s minutes.")
            if reading.simulated
            else _("No rater has finished yet; the estimate is %(minutes)s minutes.")
        )
        return Figure(_("Minutes for a set"), "–", note % {"minutes": expected})
    sentence = ngettext(
        "Time of %(n)s rater who finished; the estimate is %(minutes)s.",
        "Median of %(n)s raters who finished; the estimate is %(minutes)s.",
        times.n,
    )
    words = {"n": whole(times.n).text, "minutes": expected}
    return Figure(_("Minutes for a set"), pay_words.minutes(times.median), sentence % words)


def _hourly(reading: Reading) -> Figure:
    ledger, currency = reading.fieldwork.ledger, reading.options.currency
    minimum = ledger.offer.minimum_hourly
    limit = (
        _("The minimum is %(amount)s.") % {"amount": pay_words.money(minimum, currency)}
        if minimum
        else _("The study has no minimum.")
    )
    if ledger.hourly is None:
        expected = pay_words.money(ledger.offer.hourly, currency)
        return Figure(_("Pay per hour"), "–", _("%(amount)s by the estimate.") % {"amount": expected} + f" {limit}")
    reached = _("Hourly pay of a rater who needs the median time for a full set.")
    return Figure(_("Pay per hour"), pay_words.money(ledger.hourly, currency), f"{reached} {limit}")


def _cost(reading: Reading) -> Figure:
    currency = reading.options.currency
    owed, to_come = reading.fieldwork.ledger.so_far, reading.cost_to_come
    note = _("Platform fees are not included.")
    if reading.simulated:
        note = f"{note} {_('Simulated raters are not paid.')}"
    if to_come and reading.study.state in reading.study.State.UNDER_WAY:
        more = _("About %(amount)s more for the places that are open, without bonuses.")
        note = f"{more % {'amount': pay_words.money(to_come, currency)}} {note}"
    return Figure(_("Cost so far"), pay_words.money(owed, currency), note)
