"""The charts of agreement over time: alpha of each criterion with its interval, from automatic runs."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import pairwise
from typing import Any
from zoneinfo import ZoneInfo

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analytics_app.models import ResultRow
from analytics_app.show.cells import figure, interval, whole
from analytics_app.views.monitor import marks, moments
from analytics_app.views.monitor.charts import Chart
from analytics_app.views.monitor.marks import Mark, Scale

Point = Mapping[str, Any]

# The most points that fit on a phone, and the most charts of a page; further criteria are in the table.
MOST_POINTS, MOST_CHARTS = 24, 6


def agreement_charts(rows: Sequence[ResultRow], zone: ZoneInfo, now: datetime) -> list[Chart]:
    """Draw the course of every criterion that was computed more than once."""
    courses = [(row, _picked(getattr(row, "course", ()))) for row in rows]
    drawn = [(row, course) for row, course in courses if len(course) > 1]
    return [_chart(row, course, zone, now) for row, course in drawn[:MOST_CHARTS]]


def _picked(course: Sequence[Point]) -> list[Point]:
    """Return at most MOST_POINTS points at even distances, including the first and the last."""
    n = len(course)
    if n <= MOST_POINTS:
        return list(course)
    return [course[round(place * (n - 1) / (MOST_POINTS - 1))] for place in range(MOST_POINTS)]


def _chart(row: ResultRow, course: Sequence[Point], zone: ZoneInfo, now: datetime) -> Chart:
    times = [datetime.fromisoformat(point["at"]) for point in course]
    along = Scale(times[0].timestamp(), times[-1].timestamp())
    low = min(0.0, *(point["value"] if point["low"] is None else point["low"] for point in course))
    places = [(along.at(time.timestamp()), point) for time, point in zip(times, course, strict=True)]
    words = [moments.clock(time, now, zone) for time in times]
    drawn = [*_intervals(places, low), *_line(places, low), *_axis(low), marks.label(0, words[0])]
    drawn.append(marks.label(100, words[-1]))
    rows = [
        [when, figure(point["value"], 3), interval(point["low"], point["high"], 3).text, whole(point["n_ratings"]).text]
        for when, point in zip(words, course, strict=True)
    ]
    subtitle = ngettext(
        "Krippendorff's alpha with its interval, as automatic runs computed it; last %(when)s, from %(n)s rating.",
        "Krippendorff's alpha with its interval, as automatic runs computed it; last %(when)s, from %(n)s ratings.",
        course[-1]["n_ratings"],
    ) % {"when": words[-1], "n": whole(course[-1]["n_ratings"]).text}
    heads = [_("Computed"), _("Alpha"), _("Interval"), _("Ratings")]
    return Chart(f"alpha-{row.task}-{row.criterion or 'all'}", _title(row, course), subtitle, drawn, heads, rows)


def _title(row: ResultRow, course: Sequence[Point]) -> str:
    """Return a title about the change of agreement, which is clear only if the intervals do not overlap."""
    names = {
        "name": getattr(row, "criterion_name", None) or row.criterion or _("all criteria together"),
        "value": figure(course[-1]["value"], 2),
        "first": figure(course[0]["value"], 2),
    }
    if task := getattr(row, "task_name", ""):
        names["name"] = f"{names['name']} ({task})"
    first, last = course[0], course[-1]
    if None not in {first["low"], first["high"], last["low"], last["high"]}:
        if last["low"] > first["high"]:
            return _("Agreement on %(name)s rose from %(first)s to %(value)s") % names
        if last["high"] < first["low"]:
            return _("Agreement on %(name)s fell from %(first)s to %(value)s") % names
        return _("Agreement on %(name)s is %(value)s, with no clear change") % names
    return _("Agreement on %(name)s is %(value)s") % names


def _y(value: float, low: float) -> float:
    """Return the height of a value: the lowest is on the baseline, 1 at the top."""
    return marks.BASE - marks.HEIGHT * (value - low) / (1 - low)


def _intervals(places: Sequence[tuple[float, Point]], low: float) -> list[Mark]:
    return [
        marks.line(x, _y(point["low"], low), x, _y(point["high"], low), "interval")
        for x, point in places
        if point["low"] is not None and point["high"] is not None
    ]


def _line(places: Sequence[tuple[float, Point]], low: float) -> list[Mark]:
    steps = [
        marks.line(x, _y(point["value"], low), to_x, _y(following["value"], low), "course")
        for (x, point), (to_x, following) in pairwise(places)
    ]
    return [*steps, *(marks.dot(x, _y(point["value"], low)) for x, point in places)]


def _axis(low: float) -> list[Mark]:
    """Draw the lines of no agreement beyond chance, and of perfect agreement."""
    zero, perfect = _y(0, low), _y(1, low)
    return [
        marks.line(0, zero, 100, zero, "axis"),
        marks.line(0, perfect, 100, perfect, "axis"),
        marks.label(100, _("1: perfect"), perfect - marks.ABOVE),
        marks.label(100, _("0: chance"), zero - marks.ABOVE),
    ]
