"""Alerts: sentences about problems of a study, with links to the pages where they can be solved."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, ngettext_lazy

from analytics_app.selectors.carefulness import ORDER, QUALITY, WITH_REST, Carefulness
from analytics_app.show.cells import percent, whole
from analytics_app.show.findings import listed
from analytics_app.views.monitor import moments
from analytics_app.views.monitor.reading import Reading
from analytics_app.views.raters.filters import (
    failed_few_checks,
    is_copier,
    is_fast,
    is_slow,
    is_turned,
    is_twin,
    is_uniform,
    is_unlike,
    skips_most,
)
from tasks_app.selectors.fieldwork.forecast import Outlook
from tasks_app.selectors.fieldwork.funnel import Step
from tasks_app.selectors.fieldwork.pace import QUARTER
from tasks_app.selectors.fieldwork.raters import RaterWork, Standing
from tasks_app.services.judging import limits
from tasks_app.services.pay import minutes_in_words
from tasks_app.views import pay_words

# The multiple of the expected time that is an alert, and the fewest raters who must have finished.
MUCH_LONGER, ENOUGH_TIMES = 1.25, 5
# How many times faster than promised raters are at the median for an alert, and the fewest who must have finished.
MUCH_FASTER, ENOUGH_FAST = 4, 3
# Units with less than this part of the average number of judgments lag behind, once the average is this high.
STARVING, ENOUGH_JUDGED = 1 / 3, 2
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
        _with_consequence(reading, sentence % {"n": whole(n).text, "limit": percent(min(bounds, default=0)).text}),
        _("Show these raters") if n > 1 else _("Show this rater"),
        f"{reverse('analytics:raters', args=[reading.study.slug])}?show=below",
    )


def _with_consequence(reading: Reading, words: str) -> str:
    """Return a sentence about failed checks, followed by their consequence for the results."""
    return f"{words} {reading.failing.words}" if reading.failing is not None else words


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


def _few_checks(reading: Reading) -> Iterator[Alert]:
    """Raters who failed most of their checks, which were too few for the limit to reach them."""
    n = sum(failed_few_checks(work) for work in _people(reading))
    if not n:
        return
    if reading.failing is not None and reading.failing.one_attention_check:
        sentence = ngettext("%(n)s rater failed the attention check.", "%(n)s raters failed the attention check.", n)
    else:
        sentence = ngettext(
            "%(n)s rater answered most checks wrong, but too few of them for the limit to apply.",
            "%(n)s raters answered most checks wrong, but too few of them for the limit to apply.",
            n,
        )
    yield _of_raters(reading, _with_consequence(reading, sentence % {"n": whole(n).text}), n, "few_checks")


@dataclass(frozen=True, slots=True)
class _Careless:
    """One way of judging carelessly: the filter that shows such raters in their list, and the sentence of the alert."""

    show: str
    picks: Callable[[RaterWork, Carefulness], bool]
    sentence: Any  # lazy, with the plural chosen by `count`

    def __call__(self, reading: Reading) -> Iterator[Alert]:
        """Yield an alert where there are such raters."""
        n = sum(self.picks(work, reading.careful) for work in _people(reading))
        if n:
            yield _of_raters(reading, self.sentence % {"count": n, "n": whole(n).text}, n, self.show)


_CARELESS = (
    _Careless(
        "fast",
        is_fast,
        ngettext_lazy(
            "%(n)s rater answered half of the screens or more faster than anybody can read them.",
            "%(n)s raters answered half of their screens or more faster than anybody can read them.",
            "count",
        ),
    ),
    _Careless(
        "slow",
        lambda work, _careful: is_slow(work),
        ngettext_lazy(
            "%(n)s rater took five times as long as the others or longer.",
            "%(n)s raters took five times as long as the others or longer.",
            "count",
        ),
    ),
    _Careless(
        "uniform",
        is_uniform,
        ngettext_lazy(
            "%(n)s rater gave one answer again and again, unlike the others.",
            "%(n)s raters gave one answer again and again, unlike the others.",
            "count",
        ),
    ),
    _Careless(
        "unlike",
        is_unlike,
        ngettext_lazy(
            "%(n)s rater hardly agrees with the others about the same texts, as answers at random would.",
            "%(n)s raters hardly agree with the others about the same texts, as answers at random would.",
            "count",
        ),
    ),
    _Careless(
        "turned",
        is_turned,
        ngettext_lazy(
            "%(n)s rater gives low ratings where the others give high ones, as if the scale were turned round.",
            "%(n)s raters give low ratings where the others give high ones, as if the scale were turned round.",
            "count",
        ),
    ),
    _Careless(
        "twins",
        is_twin,
        ngettext_lazy(
            "%(n)s rater gave the same answers as another rater, more often than chance explains.",
            "%(n)s raters gave the same answers as another rater, more often than chance explains.",
            "count",
        ),
    ),
    _Careless(
        "copied",
        is_copier,
        ngettext_lazy(
            "%(n)s rater wrote comments that others had written before, or the same comment about several texts.",
            "%(n)s raters wrote comments that others had written before, or the same comment about several texts.",
            "count",
        ),
    ),
    _Careless(
        "skips",
        lambda work, _careful: skips_most(work),
        ngettext_lazy(
            "%(n)s rater skipped half of the texts or more.", "%(n)s raters skipped half of the texts or more.", "count"
        ),
    ),
)


def _people(reading: Reading) -> Iterator[RaterWork]:
    """Yield the raters who came to judge and are not excluded yet."""
    return (work for work in reading.fieldwork.counted if work.rater.pk not in reading.excluded)


def _of_raters(reading: Reading, words: str, n: int, show: str) -> Alert:
    return Alert(
        words,
        _("Look at these raters") if n > 1 else _("Look at this rater"),
        f"{reverse('analytics:raters', args=[reading.study.slug])}?show={show}",
    )


def _sides(reading: Reading) -> Iterator[Alert]:
    for side in reading.careful.sides:
        words = {"place": side.place, "share": percent(side.share).text, "n": whole(side.n).text}
        sentence = _("Raters chose the text at %(place)s in %(share)s of %(n)s choices, more than chance explains.")
        yield Alert(sentence % words, _("Results"), reverse("analytics:results", args=[reading.study.slug]))


def _beyond_sense(reading: Reading) -> Iterator[Alert]:
    """Warn of raters who finish in a small part of the time: the pay per hour is then above the promised one."""
    times, expected = reading.fieldwork.ledger.times, reading.options.expected_minutes
    if times is None or times.n < ENOUGH_FAST or times.median * MUCH_FASTER >= expected:
        return
    is_promised = reading.options.minutes is not None
    words = (
        _("Raters take %(median)s minutes at the median; you promised %(expected)s.")
        if is_promised
        else _("Raters take %(median)s minutes at the median; the estimate is %(expected)s.")
    )
    sentence = words % {"median": pay_words.minutes(times.median), "expected": minutes_in_words(expected)}
    if reading.fieldwork.ledger.offer.pays and reading.fieldwork.ledger.hourly is not None:
        hourly = pay_words.money(reading.fieldwork.ledger.hourly, reading.options.currency)
        sentence = f"{sentence} {_('That is %(hourly)s per hour.') % {'hourly': hourly}}"
    yield Alert(sentence, _("Raters"), reverse("analytics:raters", args=[reading.study.slug]))


def _starving(reading: Reading) -> Iterator[Alert]:
    """Units that lag far behind the others, such as those of sets that raters leave."""
    for task in reading.progress.tasks:
        n_units = sum(task.units.values())
        usual = task.submitted / n_units if n_units else 0.0
        behind = sum(units for n, units in task.units.items() if n < STARVING * usual)
        if usual >= ENOUGH_JUDGED and 0 < behind <= n_units / 2 and reading.study.state != reading.study.State.CLOSED:
            sentence = ngettext(
                "%(n)s unit of “%(task)s” has less than a third of the judgments that units have on average.",
                "%(n)s units of “%(task)s” have less than a third of the judgments that units have on average.",
                behind,
            )
            words = {"n": whole(behind).text, "task": task.task}
            yield Alert(sentence % words, _("Design"), reverse("researcher:design", args=[reading.study.slug]))


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
    times, expected = reading.fieldwork.ledger.times, reading.options.expected_minutes
    if times is not None and times.n >= ENOUGH_TIMES and times.median > MUCH_LONGER * expected:
        words = _("A set takes raters %(median)s minutes (median); they were told about %(expected)s.")
        yield Alert(words % {"median": pay_words.minutes(times.median), "expected": minutes_in_words(expected)})


def _sent_away(reading: Reading) -> Iterator[Alert]:
    came = len(reading.fieldwork.counted)
    n_sent_away = reading.fieldwork.standing(Standing.SENT_AWAY)
    if came >= ENOUGH_RATERS and n_sent_away >= LARGE_SHARE * came:
        words = _("%(n)s of %(all)s raters were screened out, failed the exam or found the study full.")
        yield Alert(words % {"n": whole(n_sent_away).text, "all": whole(came).text})


def _leaving(reading: Reading) -> Iterator[Alert]:
    steps = [step for step in reading.steps if step.step != Step.INVITED]
    judging = next((step.reached for step in steps if step.step == Step.JUDGED), 0)
    departed = next((step.departed for step in steps if step.step == Step.JUDGED), 0)
    if judging >= ENOUGH_RATERS and departed >= LARGE_SHARE * judging:
        words = _("%(n)s of the %(all)s raters who began to judge left before the end.")
        yield Alert(words % {"n": whole(departed).text, "all": whole(judging).text})


_CHECKS = (
    _pay,
    _controls,
    _few_checks,
    *_CARELESS,
    _sides,
    _stopped,
    _stalled,
    _starving,
    _doubtful,
    _slow,
    _beyond_sense,
    _sent_away,
    _leaving,
)


def not_looked_at(reading: Reading) -> str:
    """Return the signs that no alert covers yet, and why, as a sentence; "" where everything was looked at."""
    careful = reading.careful
    if careful.is_complete:
        return ""
    if careful.at is None:
        return _(
            "The first run, which starts automatically, checks speed, uniform answers and sides chosen, and agreement "
            "with the others."
        )
    missing = [str(sign) for name, signs in _LOOKED_AT.items() if name not in careful.looked for sign in signs]
    words = {"signs": listed(missing)}
    return _("The last run did not check %(signs)s, because the analysis plan leaves this out.") % words


_LOOKED_AT = {
    QUALITY: (gettext_lazy("speed"), gettext_lazy("uniform answers")),
    ORDER: (gettext_lazy("sides chosen"),),
    WITH_REST: (gettext_lazy("agreement with the others"),),
}
