"""Moments, durations and speeds in words, no more exact than they are known."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from django.utils import formats
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from analytics_app.show.cells import whole
from tasks_app.selectors.fieldwork.forecast import Forecast, Outlook, Speed
from tasks_app.selectors.fieldwork.pace import QUARTER

HOUR, DAY = timedelta(hours=1), timedelta(days=1)

# Up to how far ahead a moment is said to the ten minutes, and to the hour; beyond that only the day is.
TO_TEN_MINUTES, TO_THE_HOUR = 6 * HOUR, 3 * DAY
# What is further ahead than this is not said as a date.
FURTHEST = timedelta(days=366)


def moment_ahead(moment: datetime, now: datetime, zone: ZoneInfo) -> str:
    """Word a moment ahead: today 14:20, Tue 24 Nov, 14:00, or 3 Dec 2026."""
    ahead = moment - now
    if ahead > FURTHEST:
        return _("in more than a year")
    if ahead > TO_THE_HOUR:
        return formats.date_format(moment.astimezone(zone), "j M Y")
    return clock(_rounded_up(moment, timedelta(minutes=10) if ahead <= TO_TEN_MINUTES else HOUR), now, zone)


def clock(moment: datetime, now: datetime, zone: ZoneInfo) -> str:
    """Return a moment in words: today 14:20, else Tue 24 Nov, 14:20, with the year if it is a different year."""
    local, today = moment.astimezone(zone), now.astimezone(zone)
    if local.date() == today.date():
        return _("today %(time)s") % {"time": f"{local:%H:%M}"}
    return formats.date_format(local, "D j M, H:i" if local.year == today.year else "j M Y, H:i")


def _rounded_up(moment: datetime, step: timedelta) -> datetime:
    seconds = step.total_seconds()
    return datetime.fromtimestamp(-(-moment.timestamp() // seconds) * seconds, moment.tzinfo)


def duration(span: timedelta) -> str:
    """Word a duration: 40 minutes, 5 hours, 3 days."""
    if span < timedelta(minutes=90):
        n = max(1, round(span / timedelta(minutes=1)))
        return ngettext("%(n)s minute", "%(n)s minutes", n) % {"n": n}
    if span < 2 * DAY:
        n = round(span / HOUR)
        return ngettext("%(n)s hour", "%(n)s hours", n) % {"n": n}
    n = round(span / DAY)
    return ngettext("%(n)s day", "%(n)s days", n) % {"n": whole(n).text}


def each(width: timedelta) -> str:
    """Word the width of a span in a row of them: quarter of an hour, hour, 6 hours, day."""
    if width < HOUR:
        return _("quarter of an hour")
    if width in {HOUR, DAY}:
        return _("hour") if width == HOUR else _("day")
    return duration(width)


def per_hour(speed: Speed) -> str:
    """Return a speed in words: 12 per hour, or per day if it is less than two per hour."""
    if speed.per_hour < 2:
        return _("%(n)s per day") % {"n": formats.number_format(speed.per_hour * 24, 0 if speed.per_hour > 0.2 else 1)}
    return _("%(n)s per hour") % {"n": whole(round(speed.per_hour)).text}


def span_of(speed: Speed) -> str:
    """Word the span that a speed was measured over."""
    if speed.whole:
        return _("since the first judgment, %(time)s ago") % {"time": duration(speed.span)}
    return _("in the last %(time)s") % {"time": duration(speed.span)}


def outlook(forecast: Forecast, now: datetime, zone: ZoneInfo, last: datetime | None) -> tuple[str, str]:
    """Return the expected end of a study in a few words, and a sentence with the reason or the basis."""
    speed, takes = forecast.speed, forecast.takes
    measured = (
        ngettext("%(speed)s, %(span)s (%(n)s judgment)", "%(speed)s, %(span)s (%(n)s judgments)", speed.judgments)
        % {"speed": per_hour(speed), "span": span_of(speed), "n": whole(speed.judgments).text}
        if speed
        else ""
    )
    if forecast.outlook == Outlook.AHEAD and forecast.done_at is not None:
        note = _("If raters keep this speed: %(measured)s.") % {"measured": measured}
        far = _("This forecast looks far beyond the time measured so far: treat it as a rough guess.")
        words = moment_ahead(forecast.done_at, now, zone)
        if forecast.done_at - now <= FURTHEST:
            words = _("about %(moment)s") % {"moment": words}
        return words, f"{note} {far}" if forecast.is_far else note
    words, note = (str(text) for text in _WITHOUT_A_DATE[forecast.outlook])
    if forecast.outlook == Outlook.STALLED and last is not None:
        note = _("No judgment since %(moment)s.") % {"moment": clock(last + QUARTER, now, zone)}
    if takes is not None:
        at_speed = _("At the earlier speed the rest would take %(time)s: %(measured)s.")
        note = f"{note} {at_speed % {'time': duration(takes), 'measured': measured}}".strip()
    return words, note


_WITHOUT_A_DATE: Mapping[Outlook, tuple[Promise, Promise | str]] = {
    Outlook.DRAFT: (gettext_lazy("not opened"), gettext_lazy("The forecast starts with the first judgments.")),
    Outlook.NOTHING_YET: (
        gettext_lazy("no forecast yet"),
        gettext_lazy("The forecast starts with the first judgments."),
    ),
    Outlook.TOO_FEW: (gettext_lazy("no forecast yet"), gettext_lazy("A forecast needs at least 20 judgments.")),
    Outlook.STALLED: (gettext_lazy("no forecast"), ""),
    Outlook.PAUSED: (gettext_lazy("paused"), gettext_lazy("The forecast continues when the study is resumed.")),
    Outlook.CLOSED: (gettext_lazy("closed"), gettext_lazy("Unfilled places stay unfilled.")),
    Outlook.DONE: (gettext_lazy("done"), gettext_lazy("Every place has an answer.")),
    Outlook.LATER: (
        gettext_lazy("no forecast"),
        gettext_lazy("All open places are answered; the rest opens later."),
    ),
}
