"""The chart of outcomes measured elsewhere: means by group over the waves."""

from collections.abc import Iterator

from analytics_app.charts import words
from analytics_app.charts.drawing import Sketch, chart
from analytics_app.charts.lines import MOST_LINES, course_chart
from analytics_app.charts.picking import INTERVAL, Material, value_of
from analytics_app.results import Row

# More panels than these would be too small to read; the tables have all outcomes.
MOST_PANELS = 4


@chart(order=15)
def outcomes(material: Material) -> Iterator[Sketch]:
    """Draw the means of each outcome over the waves, a line for each group."""
    means = [row for row in material.kept("outcome_mean") if row.value is not None]
    rows = [row for row in means if row.group] or means
    names = list(dict.fromkeys(str(row.group or "everybody") for row in rows))[:MOST_LINES]
    every = list(dict.fromkeys(str(row.label) for row in rows))
    shown = every[:MOST_PANELS]
    rows = [row for row in rows if str(row.label) in shown and str(row.group or "everybody") in names]
    times = [name for _wave, name in sorted({(row.wave or 0, str(row.metric)) for row in rows})]
    if len(times) < 2:
        return
    points = [
        {
            "panel": str(row.label),
            "outcome": str(row.label),
            "time": str(row.metric),
            "name": str(row.group or "everybody"),
            "value": value_of(row),
            "low": row.low,
            "high": row.high,
            "n": row.n_raters,
        }
        for row in rows
    ]
    some = f" The first {len(shown)} of {len(every)} outcomes." if len(shown) < len(every) else ""
    yield Sketch(
        kind="outcomes",
        title=_title(material, shown, times),
        subtitle=(
            f"Mean over people. Lines at points: "
            f"{material.confidence * 100:g}{words.SPACE}% interval over people.{some}"
        ),
        by_system=False,
        chart=course_chart([(name, words.short(name, 30)) for name in shown], points, names, times),
        columns=(
            ("outcome", "Outcome"),
            ("time", "Wave"),
            ("name", "Group"),
            ("value", "Mean"),
            *INTERVAL,
            ("n", "People"),
        ),
    )


def _title(material: Material, shown: list[str], times: list[str]) -> str:
    """Return a title with the result of the corrected tests from the first wave to the last."""
    between = _whole(material.kept("outcome_change_adjusted"), times)
    tests = between or _whole(material.kept("outcome_change"), times)
    clear = [row for row in tests if str(row.label) in shown and material.is_significant(row)]
    outcome_names = words.names([words.short(name, 30) for name in shown])
    if not clear:
        if between:
            return f"No clear difference between groups in how {outcome_names} changed, {times[0]} to {times[-1]}"
        if not tests:
            return f"{outcome_names} by wave"
        return f"No clear change in {outcome_names} from {times[0]} to {times[-1]}"
    changes = words.names([_in_words(row, between=bool(between)) for row in clear])
    if between:
        return f"In {times[-1]}, {changes} (adjusted for {times[0]})"
    return f"From {times[0]} to {times[-1]}, {changes}"


def _whole(rows: list[Row], times: list[str]) -> list[Row]:
    return [row for row in rows if (row.metric, row.metric_b) == (times[0], times[-1])]


def _in_words(row: Row, *, between: bool) -> str:
    name, rose = words.short(str(row.label), 30), value_of(row) > 0
    group = words.short(row.group, 20) if row.group else ""
    if between:
        other = words.short((row.slice or "").removeprefix("against="), 20)
        return f"{name} was {'higher' if rose else 'lower'} in {group} than in {other}"
    return f"{name} {'rose' if rose else 'fell'}" + (f" in {group}" if group else "")
