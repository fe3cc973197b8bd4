"""The chart of PANAS: positive and negative affect by group over time."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from analytics_app.charts import words
from analytics_app.charts.drawing import Sketch, chart
from analytics_app.charts.lines import MOST_LINES, course_chart
from analytics_app.charts.picking import INTERVAL, Material, counted, point, setting, value_of
from analytics_app.charts.points import points_chart
from analytics_app.results import Row

AFFECT = {"PA": "Positive affect", "NA": "Negative affect"}


@chart(order=10)
def affect(material: Material) -> Iterator[Sketch]:
    """Draw positive and negative affect over time as one line for each group, or as points if there is one time."""
    rows = material.kept("affect_over_time")
    if not rows:
        yield from _affect_once(material)
        return
    times = list(dict.fromkeys(_time(row) for row in rows))
    names = list(dict.fromkeys(str(row.group or "everybody") for row in rows))[:MOST_LINES]
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
        for row in rows
        if str(row.group or "everybody") in names
    ]
    panels = [(key, title) for key, title in AFFECT.items() if any(entry["panel"] == key for entry in points)]
    steps = setting(material.kept("affect_mean"), "steps") or [1, 5]
    yield Sketch(
        kind="affect",
        title=_changed(material, times[0], times[-1]),
        subtitle=(
            f"Mean score, from {10 * steps[0]:g} to {10 * steps[-1]:g}; {material.basis(rows)}. "
            f"Lines at points: {material.confidence * 100:g}{words.SPACE}% interval over people. {_people(points)}"
        ),
        by_system=False,
        # Both scores are sums of ten answers from 1 to 5.
        chart=course_chart(panels, points, names, times, one_scale=True),
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
    """Return the sentence about the number of people with a score at each time, over all groups."""
    at: dict[tuple[str, str], int] = {}
    for entry in points:
        key = (str(entry["time"]), str(entry["panel"]))
        at[key] = at.get(key, 0) + int(entry["n"] or 0)
    least, most = min(at.values()), max(at.values())
    return f"{least:,} people each time." if least == most else f"{least:,} to {most:,} people each time."


def _affect_once(material: Material) -> Iterator[Sketch]:
    rows = material.kept("affect_mean")
    groups = [row for row in rows if row.group] or rows
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
    steps = setting(rows, "steps") or [1, 5]
    title = "Positive and negative affect"
    yield Sketch(
        kind="affect",
        title=f"{title} by group" if groups[0].group else f"{title}: {' and '.join(entry.text for entry in points)}",
        subtitle=(
            f"Mean score, from {10 * steps[0]:g} to {10 * steps[-1]:g}; {material.basis(rows)}. "
            f"Line: {material.confidence * 100:g}{words.SPACE}% interval over people.{counted(rows)}"
        ),
        by_system=False,
        chart=points_chart(points, measure="Mean score"),
        columns=(("name", "Score"), ("value", "Mean"), *INTERVAL, ("n", "People")),
    )


def _changed(material: Material, first: str, last: str) -> str:
    """Return a title with the result of the corrected tests at the last time: between groups, else within the group.

    The change from the first time comes first; a later start is named only if that change is not clear.
    """
    between = _ending(material.kept("affect_change_adjusted"), last)
    tests = between or _ending(material.kept("affect_change"), last)
    starts = sorted({str(row.metric) for row in tests}, key=lambda start: start != first)
    for start in starts:
        clear = [row for row in tests if str(row.metric) == start and material.is_significant(row)]
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


def _in_words(row: Row, *, between: bool) -> str:
    name, rose = AFFECT.get(str(row.label), str(row.label)).lower(), value_of(row) > 0
    if between:
        other = (row.slice or "").removeprefix("against=")
        than = f" than in {words.short(other, 20)}" if other else ""
        return f"{name} was {'higher' if rose else 'lower'} in {words.short(row.group, 20)}{than}"
    return f"{name} {'rose' if rose else 'fell'}" + (f" in {words.short(row.group, 20)}" if row.group else "")


def _time(row: Row) -> str:
    return str(row.metric)
