"""The chart of PANAS: positive and negative affect by group over time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from analytics_app.charts import words
from analytics_app.charts.drawing import Sketch
from analytics_app.charts.lines import MOST_LINES, course_chart
from analytics_app.charts.picking import INTERVAL, Material, counted, point, setting, value_of
from analytics_app.charts.points import points_chart
from analytics_app.charts.registry import chart
from analytics_app.results import Row

AFFECT = {"PA": "Positive affect", "NA": "Negative affect"}


@chart(order=10)
def affect(of: Material) -> Iterator[Sketch]:
    """Draw positive and negative affect over time, a line a group; at one time only, points."""
    found = of.kept("affect_over_time")
    if not found:
        yield from _affect_once(of)
        return
    times = list(dict.fromkeys(_time(row) for row in found))
    names = list(dict.fromkeys(str(row.group or "everybody") for row in found))[:MOST_LINES]
    points = [
        {
            "panel": str(row.label),
            "scale": AFFECT.get(str(row.label), str(row.label)),
            "time": _time(row),
            "name": str(row.group or "everybody"),
            "value": value_of(row),
            "low": row.low,
            "high": row.high,
            "n": row.n_raters,
        }
        for row in found
        if str(row.group or "everybody") in names
    ]
    panels = [(key, title) for key, title in AFFECT.items() if any(one["panel"] == key for one in points)]
    steps = setting(of.kept("affect_mean"), "steps") or [1, 5]
    yield Sketch(
        kind="affect",
        title=_changed(of, times[0], times[-1]),
        subtitle=(
            f"Mean score, from {10 * steps[0]:g} to {10 * steps[-1]:g}; {of.basis(found)}. "
            f"Lines at points: {of.confidence * 100:g}{words.SPACE}% interval over people. {_people(points)}"
        ),
        by_system=False,
        chart=course_chart(panels, points, names, times),
        columns=(
            ("scale", "Score"),
            ("time", "Time"),
            ("name", "Group"),
            ("value", "Mean"),
            *INTERVAL,
            ("n", "People"),
        ),
    )


def _people(points: Sequence[Mapping[str, Any]]) -> str:
    """Say how many people have a score at each time, over all groups."""
    at: dict[tuple[str, str], int] = {}
    for one in points:
        key = (str(one["time"]), str(one["panel"]))
        at[key] = at.get(key, 0) + int(one["n"] or 0)
    least, most = min(at.values()), max(at.values())
    return f"{least:,} people each time." if least == most else f"{least:,} to {most:,} people each time."


def _affect_once(of: Material) -> Iterator[Sketch]:
    found = of.kept("affect_mean")
    groups = [row for row in found if row.group] or found
    if not groups:
        return
    points = [
        point(
            row,
            words.number(value_of(row), 50),
            name=" · ".join(filter(None, (AFFECT.get(str(row.label), str(row.label)), row.group))),
            n=row.n_raters,
        )
        for row in groups
    ]
    steps = setting(found, "steps") or [1, 5]
    title = "Positive and negative affect"
    yield Sketch(
        kind="affect",
        title=f"{title} by group" if groups[0].group else f"{title}: {' and '.join(one.text for one in points)}",
        subtitle=(
            f"Mean score, from {10 * steps[0]:g} to {10 * steps[-1]:g}; {of.basis(found)}. "
            f"Line: {of.confidence * 100:g}{words.SPACE}% interval over people.{counted(found)}"
        ),
        by_system=False,
        chart=points_chart(points, measure="Mean score"),
        columns=(("name", "Score"), ("value", "Mean"), *INTERVAL, ("n", "People")),
    )


def _changed(of: Material, first: str, last: str) -> str:
    """Say what the corrected tests at the last time found: between groups, else within the one there is.

    The whole course comes first; a shorter stretch of it is named only where nothing is clear over the whole.
    """
    limit = round(1 - of.confidence, 9)
    between = _ending(of.kept("affect_change_adjusted"), last)
    tests = between or _ending(of.kept("affect_change"), last)
    starts = sorted({str(row.metric) for row in tests}, key=lambda start: start != first)
    for start in starts:
        clear = [row for row in tests if str(row.metric) == start and _is_clear(row, limit)]
        if clear:
            changes = words.names([_in_words(row, between=bool(between)) for row in clear])
            if between:
                return f"At {last}, {changes} (adjusted for {start})"
            return f"From {start} to {last}, {changes}"
    start = starts[0] if starts else first
    if between:
        return f"No clear difference between groups in how affect changed, {start} to {last}"
    return f"No clear change in affect from {start} to {last}" if tests else f"Affect from {first} to {last}"


def _ending(rows: Sequence[Row], last: str) -> list[Row]:
    return [row for row in rows if row.metric_b == last]


def _is_clear(row: Row, limit: float) -> bool:
    return row.p_adjusted is not None and row.p_adjusted < limit


def _in_words(row: Row, *, between: bool) -> str:
    name, rose = AFFECT.get(str(row.label), str(row.label)).lower(), value_of(row) > 0
    if between:
        other = (row.slice or "").removeprefix("against=")
        than = f" than in {words.short(other, 20)}" if other else ""
        return f"{name} was {'higher' if rose else 'lower'} in {words.short(row.group, 20)}{than}"
    return f"{name} {'rose' if rose else 'fell'}" + (f" in {words.short(row.group, 20)}" if row.group else "")


def _time(row: Row) -> str:
    return str(row.metric)
