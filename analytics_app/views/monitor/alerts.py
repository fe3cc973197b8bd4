"""Alerts: sentences about problems of a study, with links to the pages where they can be solved."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analytics_app.show.cells import figure, percent, whole
from analytics_app.views.monitor import moments
from analytics_app.views.monitor.reading import Reading
from tasks_app.selectors.fieldwork.forecast import Outlook
from tasks_app.selectors.fieldwork.funnel import Step
from tasks_app.selectors.fieldwork.pace import QUARTER
from tasks_app.selectors.fieldwork.raters import Standing
from tasks_app.services.judging import limits
from tasks_app.views import pay_words

# The multiple of the expected time that is an alert, and the fewest raters who must have finished.
MUCH_LONGER, ENOUGH_TIMES = 1.25, 5
# The share of raters who are turned away or leave that is an alert, and the fewest raters for it.
LARGE_SHARE, ENOUGH_RATERS = 0.4, 10


@dataclass(frozen=True, slots=True)
class Alert:
    """A sentence, with the words and the address of a link to the page where the problem can be solved."""

    words: str
    link: str = ""
    url: str = ""
    for_gold_readers: bool = False


def of(reading: Reading, *, reads_gold: bool) -> list[Alert]:
    """Return the alerts, the most urgent first; those about known answers only if the user may read these."""
    alerts = (alert for check in _CHECKS for alert in check(reading))
    return [alert for alert in alerts if reads_gold or not alert.for_gold_readers]


def _controls(reading: Reading) -> Iterator[Alert]:
    n = len(reading.fieldwork.below)
    bounds = {task.checks.fail_below for task in reading.progress.tasks if task.task.stage == task.task.Stage.MAIN}
    if not n:
        return
    sentence = ngettext(
        "%(n)s rater is below %(limit)s on units with known answers.",
        "%(n)s raters are below %(limit)s on units with known answers.",
        n,
    ) if len(bounds) == 1 else ngettext(
        "%(n)s rater is below the limit on units with known answers.",
        "%(n)s raters are below the limit on units with known answers.",
        n,
    )  # fmt: skip
    yield Alert(
        sentence % {"n": whole(n).text, "limit": percent(min(bounds, default=0)).text},
        _("Show these raters") if n > 1 else _("Show this rater"),
        f"{reverse('analytics:raters', args=[reading.study.slug])}?show=below",
    )


def _stopped(reading: Reading) -> Iterator[Alert]:
    by_limit = Counter(
        limits.limit_of(work.rater.prefs) for work in reading.fieldwork.stopped if work.rater.erased_at is None
    )
    n = by_limit.total()
    if not n:
        return
    sentence = ngettext(
        "%(n)s rater was stopped by a limit: %(limits)s.", "%(n)s raters were stopped by a limit: %(limits)s.", n
    )
    why = {
        limits.Limit.FAST: _("%(n)s too fast"),
        limits.Limit.SKIPS: _("%(n)s with too many skips"),
        limits.Limit.CHECKS: _("%(n)s for failing too many checks"),
    }
    each = ", ".join(words % {"n": whole(by_limit[limit]).text} for limit, words in why.items() if by_limit[limit])
    yield Alert(
        sentence % {"n": whole(n).text, "limits": each},
        _("Show these raters") if n > 1 else _("Show this rater"),
        f"{reverse('analytics:raters', args=[reading.study.slug])}?show=stopped",
    )


def _pay(reading: Reading) -> Iterator[Alert]:
    ledger = reading.fieldwork.ledger
    address = reverse("researcher:pay", args=[reading.study.slug])
    if ledger.times is None:
        note = pay_words.offer_note(reading.options)
    elif ledger.missing:
        note = pay_words.below(ledger.times.median, ledger.hourly, ledger.needed, ledger.missing, reading.options)
    else:
        return
    if note:
        yield Alert(f"{_('Pay is under your minimum.')} {note}", _("Pay"), address)


def _doubtful(reading: Reading) -> Iterator[Alert]:
    n = reading.fieldwork.doubtful
    if n:
        sentence = ngettext(
            "Most raters contradict the known answer of %(n)s unit; it may be wrong.",
            "Most raters contradict the known answers of %(n)s units; they may be wrong.",
            n,
        )
        address = reverse("researcher:checks", args=[reading.study.slug])
        yield Alert(sentence % {"n": whole(n).text}, _("Checks"), address, for_gold_readers=True)


def _stalled(reading: Reading) -> Iterator[Alert]:
    pace, study = reading.pace, reading.study
    if reading.forecast.outlook != Outlook.STALLED or pace.last is None:
        return
    moment = moments.clock(pace.last + QUARTER, pace.now, reading.zone)
    n = reading.fieldwork.standing(Standing.AT_WORK)
    words = _("No judgment since %(moment)s, and places are open.") % {"moment": moment}
    if n == 0:
        words = f"{words} {_('No rater is at work.')}"
    yield Alert(words, _("Recruit"), reverse("researcher:recruit", args=[study.slug]))


def _slow(reading: Reading) -> Iterator[Alert]:
    times, expected = reading.fieldwork.ledger.times, reading.options.minutes
    if times is not None and times.n >= ENOUGH_TIMES and times.median > MUCH_LONGER * expected:
        words = _("A set takes raters %(median)s minutes (median); they were told about %(expected)s.")
        yield Alert(words % {"median": figure(times.median, 0), "expected": figure(expected, 0)})


def _sent_away(reading: Reading) -> Iterator[Alert]:
    came = len(reading.fieldwork.counted)
    n_sent_away = reading.fieldwork.standing(Standing.SENT_AWAY)
    if came >= ENOUGH_RATERS and n_sent_away >= LARGE_SHARE * came:
        words = _("%(n)s of %(all)s raters were screened out, failed the exam or found the study full.")
        yield Alert(words % {"n": whole(n_sent_away).text, "all": whole(came).text})


def _leaving(reading: Reading) -> Iterator[Alert]:
    steps = [step for step in reading.steps if step.step != Step.INVITED]
    begun = next((step.reached for step in steps if step.step == Step.JUDGED), 0)
    left = next((step.left for step in steps if step.step == Step.JUDGED), 0)
    if begun >= ENOUGH_RATERS and left >= LARGE_SHARE * begun:
        words = _("%(n)s of the %(all)s raters who began to judge left before the end.")
        yield Alert(words % {"n": whole(left).text, "all": whole(begun).text})


_CHECKS = (_pay, _controls, _stopped, _stalled, _doubtful, _slow, _sent_away, _leaving)
