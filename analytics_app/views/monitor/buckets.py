"""Judgments over time in spans of equal length, as many as a chart has room for."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from django.utils import formats

from tasks_app.selectors.fieldwork.pace import QUARTER, Pace

# Spans to choose from: the shortest that gives no more bars than a phone can show.
WIDTHS = (
    QUARTER, timedelta(hours=1), timedelta(hours=3), timedelta(hours=6), timedelta(days=1), timedelta(days=7),
    timedelta(days=28), timedelta(days=364),
)  # fmt: skip
MOST = 40
# Bars end with the present hour, but not later than this after the last judgment: a study may have rested for months.
REST = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Buckets:
    """Counts in consecutive spans of `width` from `begin`, which is a local time of the study."""

    begin: datetime
    width: timedelta
    counts: Sequence[int]

    def words(self, place: int) -> str:
        """Word the beginning of a span: the day, with the hour where spans are shorter than a day."""
        moment = self.begin + place * self.width
        return formats.date_format(moment, "D j M, H:i" if self.width < timedelta(days=1) else "j M Y")


def buckets_of(pace: Pace, zone: ZoneInfo) -> Buckets:
    """Return counts of judgments in spans of the study's local time; an hour that a clock change repeats is one."""
    if pace.first is None or pace.last is None:
        return Buckets(_local(pace.now, zone), QUARTER, ())
    first, last = _local(pace.first, zone), _local(min(pace.now, pace.last + REST), zone)
    width = next((width for width in WIDTHS if (last - _begin(first, width)) // width < MOST), WIDTHS[-1])
    begin = _begin(first, width)
    # A server whose clock was set back has judgments from later than now.
    n = max(1, (last - begin) // width + 1)
    counts = [0] * n
    for quarter, judgments in pace.quarters.items():
        counts[min(n - 1, max(0, (_local(quarter, zone) - begin) // width))] += judgments
    return Buckets(begin, width, counts)


def _local(moment: datetime, zone: ZoneInfo) -> datetime:
    return moment.astimezone(zone).replace(tzinfo=None)


def _begin(moment: datetime, width: timedelta) -> datetime:
    """Return the beginning of the span that a moment is in, counted from midnight."""
    midnight = moment.replace(hour=0, minute=0, second=0, microsecond=0)
    return midnight + ((moment - midnight) // width) * width
