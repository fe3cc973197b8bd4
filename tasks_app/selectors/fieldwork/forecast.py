"""The date when a study will be done at its present speed, or the reason why there is no forecast."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from tasks_app.models import Study
from tasks_app.selectors.fieldwork.pace import Pace, quarter_of

# Least number of judgments from which a speed is computed.
ENOUGH = 20
# Spans to look back over. A forecast looks no further ahead than its speed looked back, where one of these spans allows
# it: a lively hour says nothing about the night, and a day nothing about next week.
SPANS = (timedelta(hours=1), timedelta(hours=6), timedelta(days=1), timedelta(days=7))
# A forecast this many times further ahead than the period the speed was measured in is called rough.
FAR = 4
# No forecast is longer, so that every date can be stored: speeds may be as low as one judgment in months.
LONGEST = timedelta(days=36_525)
# Judging has stopped, and no date is forecast, if nothing came for this many times the usual interval between two
# judgments, and at least for an hour.
STALLED_AFTER = 4
LEAST_SILENCE = timedelta(hours=1)


class Outlook(StrEnum):
    """The kind of forecast for the end of a study."""

    DRAFT = "draft"
    NOTHING_YET = "nothing_yet"
    TOO_FEW = "too_few"
    AHEAD = "ahead"
    STALLED = "stalled"
    PAUSED = "paused"
    CLOSED = "closed"
    DONE = "done"
    LATER = "later"  # what is open is done; other tasks open later


@dataclass(frozen=True, slots=True)
class Speed:
    """Judgments per hour over a span that ends now; `whole` where the span is all the time since the first one."""

    judgments: int
    span: timedelta
    whole: bool

    @property
    def per_hour(self) -> float:
        """Judgments per hour."""
        return self.judgments / (self.span / timedelta(hours=1))


@dataclass(frozen=True, slots=True)
class Forecast:
    """A forecast of the end: `done_at` if it is ahead, `takes` as the time of judging left at that speed.

    `is_far` marks a date that is much further ahead than the speed looked back.
    """

    outlook: Outlook
    speed: Speed | None = None
    takes: timedelta | None = None
    done_at: datetime | None = None
    is_far: bool = False


def forecast(state: str, left: int, later: int, pace: Pace) -> Forecast:
    """Return the forecast for `left` open places; `later` more belong to tasks that are not open yet."""
    if (outlook := _without_speed(state, left, later)) is not None:
        return Forecast(outlook)
    speed = speed_for(left, pace)
    if speed is None:
        few = Outlook.TOO_FEW if pace.total else Outlook.NOTHING_YET
        return Forecast(Outlook.PAUSED if state == Study.State.PAUSED else few)
    takes = timedelta(hours=min(left / speed.per_hour, LONGEST / timedelta(hours=1)))
    if state == Study.State.PAUSED:
        return Forecast(Outlook.PAUSED, speed, takes)
    if pace.last is None or pace.now - pace.last > _silence(speed):
        return Forecast(Outlook.STALLED, speed, takes)
    return Forecast(Outlook.AHEAD, speed, takes, pace.now + takes, is_far=takes > FAR * speed.span)


def _without_speed(state: str, left: int, later: int) -> Outlook | None:
    """Return the outlook where it does not depend on the speed, else None."""
    if state == Study.State.DRAFT:
        return Outlook.DRAFT
    if left <= 0 and later <= 0:
        return Outlook.DONE
    if state == Study.State.CLOSED:
        return Outlook.CLOSED
    return Outlook.LATER if left <= 0 else None


def speed_for(left: int, pace: Pace) -> Speed | None:
    """Return the speed over the shortest span that has enough judgments and allows to look as far as needed.

    Where none allows that, the longest span with enough judgments; None where there are too few in all.
    """
    speeds = [speed for speed in _speeds(pace) if speed.judgments >= ENOUGH]
    near = (speed for speed in speeds if left / speed.per_hour <= speed.span / timedelta(hours=1))
    return next(near, speeds[-1] if speeds else None)


def _speeds(pace: Pace) -> list[Speed]:
    """Return the speeds over all spans, the shortest first; the last one is over all the time since the first."""
    if pace.first is None:
        return []
    age = max(pace.now - pace.first, timedelta(minutes=1))
    speeds = []
    for span in SPANS:
        begun = quarter_of(pace.now - span)
        if pace.now - begun < age:
            speeds.append(Speed(pace.since(begun), pace.now - begun, whole=False))
    return [*speeds, Speed(pace.total, age, whole=True)]


def _silence(speed: Speed) -> timedelta:
    """Return the longest time since the beginning of the last quarter of an hour with a judgment."""
    return max(LEAST_SILENCE, STALLED_AFTER * (speed.span / speed.judgments))
