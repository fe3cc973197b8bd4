"""The charts of the Monitor page: each with its finding as a title, and its numbers as a table."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from math import ceil

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from analytics_app.show.cells import figure, percent, whole
from analytics_app.views.monitor import marks, moments
from analytics_app.views.monitor.buckets import Buckets, buckets_of
from analytics_app.views.monitor.marks import Mark, Scale
from analytics_app.views.monitor.reading import Reading
from tasks_app.selectors.fieldwork.forecast import Outlook
from tasks_app.selectors.fieldwork.funnel import FunnelStep, Step
from tasks_app.selectors.fieldwork.pace import QUARTER
from tasks_app.selectors.fieldwork.tasks import TaskProgress
from tasks_app.services.pay import minutes_in_words
from tasks_app.views import pay_words

# The most segments of a strip; further numbers of judgments are put together.
MOST_SEGMENTS = 12
# The narrowest segment with room for words, in percent of the strip.
LEAST_WITH_WORDS = 7


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart: its title, its subtitle, its marks, and the same numbers as a table."""

    key: str
    title: str
    subtitle: str
    marks: Sequence[Mark]
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    # A chart without marks is an open table with a bar in each row, of these lengths in percent.
    shares: Sequence[str] = ()

    @property
    def with_shares(self) -> list[tuple[Sequence[str], str]]:
        """Return the rows with the lengths of their bars."""
        return list(zip(self.rows, self.shares, strict=True))


def of(reading: Reading) -> list[Chart]:
    """Return the charts of a study that has raters."""
    charts = [_pace(reading), _way(reading)]
    charts += [_units(task, reading) for task in reading.progress.tasks if task.places]
    charts.append(_minutes(reading))
    if any(work.controls.answered for work in reading.fieldwork.counted):
        charts.append(_controls(reading))
    return charts


# Judgments per hour --------------------------------------------------------------------------------------


def _pace(reading: Reading) -> Chart:
    shown = buckets_of(reading.pace, reading.zone)
    most = max(shown.counts, default=0)
    drawn = [*marks.columns(shown.counts), marks.baseline(), *_days(shown)]
    speed = reading.forecast.speed
    if most:
        drawn.append(marks.label(0, whole(most).text, marks.TOP - marks.ABOVE))
    if speed is not None and most:
        height = speed.per_hour * (shown.width / timedelta(hours=1)) / most
        if height <= 1:
            y = marks.BASE - marks.HEIGHT * height
            begins = max(0.0, 100 * (1 - speed.span / (shown.width * len(shown.counts))))
            drawn.append(marks.line(begins, y, 100, y, "reference"))
    rows = [[shown.words(place), whole(n).text] for place, n in enumerate(shown.counts) if n]
    subtitle = _("Judgments in each %(width)s, %(n)s in all; times in %(zone)s.") % {
        "width": moments.each(shown.width),
        "n": whole(reading.pace.total).text,
        "zone": reading.study.timezone,
    }
    if speed is not None:
        subtitle = f"{subtitle} {_('The line is the speed %(span)s.') % {'span': moments.span_of(speed)}}"
    return Chart("pace", _pace_title(reading), subtitle, drawn, [_("From"), _("Judgments")], rows)


def _pace_title(reading: Reading) -> str:
    forecast, pace = reading.forecast, reading.pace
    if pace.last is None:
        return _("No judgments yet")
    if forecast.outlook in {Outlook.AHEAD, Outlook.PAUSED} and forecast.speed is not None:
        words = {"speed": moments.per_hour(forecast.speed), "span": moments.span_of(forecast.speed)}
        return _("Judgments arrive at %(speed)s %(span)s") % words
    if forecast.outlook == Outlook.TOO_FEW or pace.last + QUARTER > pace.now:
        return ngettext("%(n)s judgment so far", "%(n)s judgments so far", pace.total) % {"n": whole(pace.total).text}
    return _("No judgment since %(moment)s") % {"moment": moments.clock(pace.last + QUARTER, pace.now, reading.zone)}


def _days(shown: Buckets) -> list[Mark]:
    """Return labels of the first and the last bar: a phone has no room for more."""
    n = len(shown.counts)
    ends = {0: 0, n - 1: 100} if n > 1 else {0: 0} if n else {}
    return [marks.label(x, shown.words(place)) for place, x in ends.items()]


# Progress of raters --------------------------------------------------------------------------------------

_STEPS = {
    Step.INVITED: gettext_lazy("invited"),
    Step.CONSENTED: gettext_lazy("consented"),
    Step.SCREENED: gettext_lazy("passed the screening"),
    Step.INSTRUCTED: gettext_lazy("read the instructions"),
    Step.PASSED: gettext_lazy("finished training and exam"),
    Step.JUDGED: gettext_lazy("judged at least one unit"),
    Step.FINISHED: gettext_lazy("finished"),
}


def _way(reading: Reading) -> Chart:
    steps = reading.steps
    most = max((step.reached for step in steps), default=0) or 1
    rows = [
        [str(_STEPS[step.step]), whole(step.reached).text, whole(step.departed).text if step.departed else "–",
         whole(step.present).text if step.present else "–"]
        for step in steps
    ]  # fmt: skip
    subtitle = _("How many raters reached each step, and how many left after it. Visits before consent are not stored.")
    if reading.simulated:
        sentence = ngettext("%(n)s rater is simulated.", "%(n)s raters are simulated.", reading.simulated)
        subtitle = f"{subtitle} {sentence % {'n': whole(reading.simulated).text}}"
    return Chart(
        "way", _way_title(steps), subtitle, (),
        [_("Step"), _("Raters"), _("Left here"), _("Here now")], rows,
        [f"{100 * step.reached / most:.1f}%" for step in steps],
    )  # fmt: skip


def _way_title(steps: Sequence[FunnelStep]) -> str:
    consented = next(step.reached for step in steps if step.step == Step.CONSENTED)
    finished = steps[-1].reached
    worst = max((step for step in steps if step.step != Step.INVITED), key=lambda step: step.departed)
    if worst.departed > finished / 2 and worst.departed > 1:
        words = _("%(n)s of %(all)s raters left after the step “%(step)s”")
        return words % {"n": whole(worst.departed).text, "all": whole(consented).text, "step": _STEPS[worst.step]}
    return _("%(n)s of %(all)s raters who consented have finished") % {
        "n": whole(finished).text,
        "all": whole(consented).text,
    }


# Judgments per unit --------------------------------------------------------------------------------------


def _units(task: TaskProgress, reading: Reading) -> Chart:
    segments = _segments(task.units)
    total, left, drawn = sum(task.units.values()) or 1, 0.0, []
    for place, (words, n) in enumerate(segments):
        width = 100 * n / total
        shade = 0 if task.most == 0 else round(4 * place / max(1, len(segments) - 1))
        drawn.append(marks.box(left, width, 20, 40, f"shade shade-{shade if words != '0' else 'none'}"))
        if width >= LEAST_WITH_WORDS:
            drawn.append(marks.label(left + width / 2, words, 78))
        left += width
    name = _(" of “%(task)s”") % {"task": task.task} if len(reading.progress.tasks) > 1 else ""
    n_units = sum(task.units.values())
    sentence = ngettext(
        "Units%(task)s by their number of judgments, from few to many; %(n)s unit.",
        "Units%(task)s by their number of judgments, from few to many; %(n)s units.",
        n_units,
    )
    subtitle = sentence % {"task": name, "n": whole(n_units).text}
    rows = [[words, whole(n).text, percent(n / total, 1).text] for words, n in segments]
    return Chart(
        f"units-{task.task.key}", _units_title(task), subtitle, drawn, [_("Judgments"), _("Units"), _("Share")], rows
    )


def _segments(units: Mapping[int, int]) -> list[tuple[str, int]]:
    """Return the number of units by number of judgments, in at most MOST_SEGMENTS segments."""
    numbers = sorted(units)
    if len(numbers) <= MOST_SEGMENTS:
        return [(whole(number).text, units[number]) for number in numbers]
    size = -(-len(numbers) // MOST_SEGMENTS)
    groups = [numbers[place : place + size] for place in range(0, len(numbers), size)]
    return [
        (f"{whole(group[0]).text}–{whole(group[-1]).text}" if len(group) > 1 else whole(group[0]).text,
         sum(units[number] for number in group))
        for group in groups
    ]  # fmt: skip


def _units_title(task: TaskProgress) -> str:
    total, none = sum(task.units.values()), task.units.get(0, 0)
    words = {
        "n": whole(none).text,
        "all": whole(total).text,
        "least": whole(task.least).text,
        "most": whole(task.most).text,
    }
    if task.submitted >= task.places:
        return (
            ngettext(
                "Every place is answered: %(least)s judgment per unit",
                "Every place is answered: %(least)s judgments per unit",
                task.least,
            )
            % words
            if task.least == task.most
            else (_("Every place is answered: %(least)s to %(most)s judgments per unit") % words)
        )
    if none:
        sentence = ngettext(
            "%(n)s of %(all)s units has no judgment yet", "%(n)s of %(all)s units have no judgment yet", none
        )
        return sentence % words
    if task.least == task.most:
        return ngettext("Units have %(least)s judgment each", "Units have %(least)s judgments each", task.least) % words
    return _("Units have %(least)s to %(most)s judgments") % words


# Minutes and controls by rater ---------------------------------------------------------------------------


def _minutes(reading: Reading) -> Chart:
    times = reading.fieldwork.ledger.minutes_for_a_set
    expected = reading.options.expected_minutes
    scale = Scale(0, max([expected * 1.25, *times]))
    drawn = [
        marks.baseline(),
        *marks.dots([(minutes, False) for minutes in times], scale),
        *marks.reference(scale.at(expected), _("estimate %(n)s min") % {"n": minutes_in_words(expected)}),
        marks.label(0, "0"),
        marks.label(100, _("%(n)s min") % {"n": figure(scale.high, 0)}),
    ]
    sentence = ngettext(
        "Minutes for a set: one dot per rater who finished (bars if there are many); %(n)s rater.",
        "Minutes for a set: one dot per rater who finished (bars if there are many); %(n)s raters.",
        len(times),
    )
    subtitle = sentence % {"n": whole(len(times)).text}
    return Chart("minutes", _minutes_title(reading), subtitle, drawn, [_("Minutes"), _("Raters")], _histogram(times))


def _minutes_title(reading: Reading) -> str:
    times, expected = reading.fieldwork.ledger.times, reading.options.expected_minutes
    if times is None:
        return _("Times of simulated raters do not count") if reading.simulated else _("No rater has finished yet")
    words = {"median": pay_words.minutes(times.median), "expected": minutes_in_words(expected)}
    is_promised = reading.options.minutes is not None
    if times.n < 2 and is_promised:
        return _("The rater who finished took %(median)s minutes; you promised %(expected)s") % words
    if times.n < 2:
        return _("The rater who finished took %(median)s minutes; the estimate is %(expected)s") % words
    if is_promised:
        return _("Raters take %(median)s minutes at the median; you promised %(expected)s") % words
    return _("Raters take %(median)s minutes at the median; the estimate is %(expected)s") % words


def _histogram(values: Sequence[float]) -> list[list[str]]:
    """Return the counts of minutes in at most ten classes of equal width in whole minutes."""
    width = ceil(max(values, default=0) / 10) or 1
    counts = Counter(int(value // width) for value in values)
    words = _("%(from)s to below %(to)s")
    return [
        [words % {"from": whole(place * width).text, "to": whole((place + 1) * width).text}, whole(n).text]
        for place, n in sorted(counts.items())
    ]


def _controls(reading: Reading) -> Chart:
    scores = [(work.controls.share or 0.0, work.below) for work in reading.fieldwork.counted if work.controls.answered]
    limits = (
        {task.checks.fail_below for task in reading.progress.tasks if task.task.stage == task.task.Stage.MAIN}
        if reading.failing is None or reading.failing.is_limited
        else set()
    )
    scale = Scale(0, 1)
    drawn = [
        marks.baseline(),
        *marks.dots(scores, scale),
        *(
            mark
            for limit in sorted(limits)
            for mark in marks.reference(scale.at(limit), _("limit %(share)s") % {"share": percent(limit).text})
        ),
        marks.label(0, percent(0).text),
        marks.label(50, percent(0.5).text),
        marks.label(100, percent(1).text),
    ]
    sentence = ngettext(
        "Share of units with known answers that each rater got right; %(n)s rater.",
        "Share of units with known answers that each rater got right; %(n)s raters.",
        len(scores),
    )
    subtitle = sentence % {"n": whole(len(scores)).text}
    if reading.failing is not None:
        subtitle = f"{subtitle} {reading.failing.words}"
    counts = Counter(min(9, int(share * 10)) for share, _below in scores)
    words = _("%(low)s to %(high)s %%")
    rows = [
        [words % {"low": place * 10, "high": 100 if place == 9 else place * 10 + 9}, whole(n).text]
        for place, n in sorted(counts.items())
    ]
    return Chart("controls", _controls_title(reading, len(scores)), subtitle, drawn, [_("Right"), _("Raters")], rows)


def _controls_title(reading: Reading, n: int) -> str:
    failing, below = reading.failing, len(reading.fieldwork.below)
    if failing is not None and not failing.is_limited and not below:
        return _failed_title(reading, n, one_attention_check=failing.one_attention_check)
    if not below:
        return _("No rater is below the limit on known answers")
    sentence = ngettext(
        "%(n)s of %(all)s raters is below the limit on known answers",
        "%(n)s of %(all)s raters are below the limit on known answers",
        below,
    )
    return sentence % {"n": whole(below).text, "all": whole(n).text}


def _failed_title(reading: Reading, n: int, *, one_attention_check: bool) -> str:
    """Return the title where raters meet too few checks for the limit: how many failed the check, or most checks."""
    scores = [work.controls for work in reading.fieldwork.counted if work.controls.answered]
    failed = sum(score.right < score.answered / 2 for score in scores)
    if one_attention_check:
        none, words = _("No rater failed the attention check"), _("%(n)s of %(all)s raters failed the attention check")
    else:
        none = _("No rater answered most checks wrong")
        words = _("%(n)s of %(all)s raters answered most checks wrong")
    return words % {"n": whole(failed).text, "all": whole(n).text} if failed else none
