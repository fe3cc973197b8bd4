"""Line charts with different colours and shapes of points: courses over time, eigenvalues, and power curves."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from analytics_app.charts.paints import LINES
from analytics_app.charts.points import EDGE, PERCENT
from analytics_app.charts.room import WIDE, Chart, Room, fixed, in_lines
from analytics_app.charts.rows import legend
from analytics_app.charts.svg import INK, LIMIT, MARK, QUIET

SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
MOST_LINES = len(LINES)

# The distance between the points of one row, in pixels.
APART = 7
# d3's format of numbers on an axis. With "~g", d3 writes steps of ten as 1e+1, 2e+1.
PLAIN = ",~r"
PANEL = 200
# The width of the numbers beside an axis, and the space between panels, in pixels.
ASIDE, BETWEEN = 44, 40


def course_chart(
    panels: Sequence[tuple[str, str]],
    points: Sequence[Mapping[str, Any]],
    names: Sequence[str],
    times: Sequence[str],
    *,
    one_scale: bool = False,
) -> Chart:
    """Return a panel for each (key, title), with a line for each name over times.

    A point has panel, time, name, value, low and high. Axes begin with the intervals, since points need no zero.
    Panels are side by side if there is room. With `one_scale` all panels have the same axis.
    """
    return partial(_course_chart, panels, points, names, times, one_scale)


def _course_chart(
    panels: Sequence[tuple[str, str]],
    points: Sequence[Mapping[str, Any]],
    names: Sequence[str],
    times: Sequence[str],
    one_scale: bool,
    room: Room,
) -> Any:
    import altair as alt  # noqa: PLC0415

    beside = len(panels) if room is WIDE else 1
    width = (room.width - BETWEEN * (beside - 1)) / beside - ASIDE
    upright = room.longest(times) > width / max(1, len(times))
    charts = []
    for number, (key, title) in enumerate(panels):
        base = alt.Chart().transform_filter(f"datum.panel === {quoted(key)}")
        last = number == len(panels) - 1
        axis = alt.Axis(title=None, labelAngle=-90 if upright else 0, labels=last or beside > 1, grid=False)
        base = base.encode(x=alt.X("time:O", sort=list(times), axis=axis, scale=alt.Scale(padding=0.4)))
        # The title of an axis would be beside the axis and turned.
        head = (
            base.transform_filter(f"datum.time === {quoted(times[0])} && datum.name === {quoted(names[0])}")
            .mark_text(align="left", baseline="bottom", fontWeight="bold", color=INK)
            .encode(x=fixed("X", -30), y=fixed("Y", -8), text=alt.TextValue(title))
        )
        drawn = [point for point in points if one_scale or point["panel"] == key]
        up = alt.Scale(domain=_ends(drawn), nice=True, zero=False)
        scores = alt.Axis(title=None, tickCount=4, format=PLAIN)

        def high(field: str, up: Any = up, scores: Any = scores) -> Any:
            return alt.Y(f"{field}:Q", scale=up, axis=scores)

        layers = [head, *series(base, names, high, _key(names, room), "xOffset", "y2")]
        charts.append(alt.layer(*layers, width=width, height=PANEL))
    joined = alt.hconcat if beside > 1 else alt.vconcat
    data = alt.InlineData(values=list(points), name="points")
    return joined(*charts, data=data, spacing=BETWEEN).resolve_scale(y="independent")


def scree_chart(points: Sequence[Mapping[str, Any]]) -> Chart:
    """Return a chart of eigenvalues by their number, with those of random data."""
    return partial(_scree_chart, points)


def _scree_chart(points: Sequence[Mapping[str, Any]], room: Room) -> Any:
    import altair as alt  # noqa: PLC0415

    axis = alt.Axis(title="Number of the eigenvalue", titleAnchor="start", tickMinStep=1, format="d", grid=False)
    most = max(int(point["number"]) for point in points)
    x = alt.X("number:Q", axis=axis, scale=alt.Scale(domain=[1, most], nice=False, padding=10))
    base = alt.Chart().encode(x=x)

    def high(field: str) -> Any:
        return alt.Y(f"{field}:Q", axis=alt.Axis(title=None, tickCount=5, format=PLAIN), scale=alt.Scale(domainMin=0))

    late = base.transform_filter(f"datum.number === {1 + round((most - 1) * 2 / 3)}")
    layers = [
        base.mark_line(color=LIMIT, strokeWidth=1.5, strokeDash=[5, 4]).encode(y=high("random")),
        base.mark_line(color=LINES[0], strokeWidth=2).encode(y=high("value")),
        base.mark_point(filled=True, size=70, opacity=1, color=LINES[0]).encode(y=high("value")),
        late.mark_text(align="left", dy=-10, color=QUIET).encode(y=high("random"), text=alt.TextValue("random data")),
        base.transform_filter("datum.number === 1")
        .mark_text(align="left", dx=10, color=INK)
        .encode(y=high("value"), text=alt.TextValue("these ratings")),
    ]
    data = alt.InlineData(values=list(points), name="points")
    return alt.layer(*layers, data=data, width=room.width - ASIDE, height=PANEL)


@dataclass(frozen=True, slots=True)
class Observed:
    """An observation on the axis of a curve: its name and text, a value and an interval."""

    name: str
    shown: str
    text: str
    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Curves:
    """Probabilities over a share, both from 0 to 1: curves by name, titles of their axes, and a line with a word."""

    curves: Mapping[str, Sequence[tuple[float, float]]]
    up: str
    across: str
    limit: tuple[float, str]


def curves_chart(figure: Curves, observed: Sequence[Observed]) -> Chart:
    """Return a chart of probability curves, with the observations below them on the same axis."""
    return partial(_curves_chart, figure, observed)


def _curves_chart(figure: Curves, observed: Sequence[Observed], room: Room) -> Any:
    import altair as alt  # noqa: PLC0415

    width = room.width - ASIDE - EDGE
    step = 0.1 if room is WIDE else 0.25
    ticks = [round(n * step, 2) for n in range(int(1 / step) + 1)]
    rows, height = _observed_rows(observed, width, room)
    drawn = [
        {"name": name, "x": x, "value": value, "line": True}
        for name, points in figure.curves.items()
        for x, value in points
    ]
    data = alt.InlineData(values=[*rows, *drawn], name="points")
    below = _observed_layers(figure, width, height, ticks, room)
    return alt.vconcat(_curve_layers(figure, width, ticks, room), below, data=data, spacing=12)


def _curve_layers(figure: Curves, width: float, ticks: Sequence[float], room: Room) -> Any:
    """Return the curves, with the line of the limit and its word."""
    import altair as alt  # noqa: PLC0415

    names = list(figure.curves)
    shares = alt.Scale(domain=[0, 1], nice=False)
    colour = alt.Color(
        "name:N",
        scale=alt.Scale(domain=names, range=list(LINES[: len(names)])),
        legend=_key(names, room) if len(names) > 1 else None,
    )
    across = alt.X("x:Q", scale=shares, axis=alt.Axis(title=None, values=ticks, labels=False))
    high = alt.Axis(title=None, values=[0, 0.25, 0.5, 0.75, 1], labelExpr=PERCENT, labelFlush=False)
    lines = alt.Chart().transform_filter("datum.line").mark_line(strokeWidth=2.5, interpolate="monotone")
    once = alt.Chart().transform_filter(f"datum.line && datum.x === 0 && datum.name === {quoted(names[0])}")
    limit, word = figure.limit
    # The word is placed away from the curves: at the top if they are low there, else at the bottom.
    high_there = all(min(points, key=lambda point: abs(point[0] - limit))[1] > 0.5 for points in figure.curves.values())
    at = alt.XDatum(limit, type="quantitative", scale=shares, axis=None)
    side: Literal["left", "right"] = "left" if limit < 0.5 else "right"
    beside = once.mark_text(align=side, baseline="bottom", dx=6 if limit < 0.5 else -6, color=QUIET)
    head = once.mark_text(align="left", baseline="bottom", color=QUIET)
    return alt.layer(
        once.mark_rule(color=LIMIT, strokeWidth=1.5, strokeDash=[5, 4]).encode(x=at),
        lines.encode(x=across, y=alt.Y("value:Q", scale=shares, axis=high), color=colour),
        beside.encode(x=at, y=fixed("Y", PANEL - 6 if high_there else 20), text=alt.TextValue(word)),
        head.encode(x=fixed("X", 6 - ASIDE), y=fixed("Y", -10), text=alt.TextValue(figure.up)),
        width=width,
        height=PANEL,
    )


def _observed_layers(figure: Curves, width: float, height: float, ticks: Sequence[float], room: Room) -> Any:
    """Return the layers of observations, on the axis of the curves."""
    import altair as alt  # noqa: PLC0415

    shares, down = alt.Scale(domain=[0, 1], nice=False), alt.Scale(domain=[height, 0], nice=False, zero=False)
    title = room.lines(figure.across, width)
    axis = alt.Axis(title=title, titleAnchor="start", values=list(ticks), labelExpr=PERCENT, labelFlush=False)
    base = alt.Chart().transform_filter("!datum.line")
    row = base.encode(y=alt.Y("middle:Q", scale=down, axis=None))
    names = base.encode(y=alt.Y("named:Q", scale=down, axis=None))
    return alt.layer(
        row.mark_rule(strokeWidth=4, color=MARK).encode(x=alt.X("low:Q", scale=shares, axis=axis), x2=alt.X2("high:Q")),
        row.mark_point(filled=True, size=110, opacity=1, color=MARK).encode(x=alt.X("x:Q", scale=shares, axis=axis)),
        in_lines(names, room, x=0),
        base.mark_text(align="right", color=INK, fontWeight="bold").encode(
            y=alt.Y("told:Q", scale=down, axis=None), x=fixed("X", width), text=alt.Text("text:N")
        ),
        width=width,
        height=height,
    )


def _observed_rows(observed: Sequence[Observed], width: float, room: Room) -> tuple[list[dict[str, Any]], float]:
    """Return the data of observations with the place of each row, and the height of all rows."""
    rows: list[dict[str, Any]] = []
    top = 8.0
    for entry in observed:
        # If name and text do not fit side by side, the text is on a line of its own.
        apart = room.length(entry.shown) + room.length(entry.text) + ASIDE > width
        lines = room.lines(entry.shown, width)
        high = len(lines) * room.line
        text_at = top + high + room.line / 2 if apart else top + high / 2
        below = top + high + (room.line if apart else 0)
        rows.append({
            "name": entry.name, "text": entry.text, "x": entry.value, "value": None,
            "low": entry.low, "high": entry.high, "lines": lines, "named": top + high / 2,
            "told": text_at, "middle": below + 10, "line": False,
        })  # fmt: skip
        top = below + 28
    return rows, top


def _key(names: Sequence[str], room: Room) -> Any:
    key = legend(None, names, room)
    key.offset, key.symbolOpacity = 26, 1
    return key


def series(base: Any, names: Sequence[str], along: Any, key: Any, offset: str, second: str) -> list[Any]:
    """Return interval, line and points of each name, a little apart from each other; `key` is the legend or None."""
    import altair as alt  # noqa: PLC0415

    n = len(names)
    colour = alt.Color("name:N", scale=alt.Scale(domain=list(names), range=list(LINES[:n])), legend=key)
    shape = alt.Shape("name:N", scale=alt.Scale(domain=list(names), range=list(SHAPES[:n])), legend=key)
    value = "x" if second == "x2" else "y"
    layers = []
    for number, name in enumerate(names):
        aside = {offset: offset_of(number, n)}
        of_name = base.transform_filter(f"datum.name === {quoted(name)}")
        ends = {value: along("low"), second: alt.X2("high:Q") if second == "x2" else alt.Y2("high:Q")}
        across = {value: along("value")}
        layers += [
            of_name.mark_rule(strokeWidth=2, opacity=0.55, **aside).encode(color=colour, **ends),
            of_name.mark_line(strokeWidth=2, **aside).encode(color=colour, **across)
            if second == "y2"
            else of_name.mark_line(strokeWidth=2, **aside).encode(color=colour, order=alt.Order("row:O"), **across),
            of_name.mark_point(filled=True, size=80, opacity=1, **aside).encode(color=colour, shape=shape, **across),
        ]
    return layers


def offset_of(number: int, n: int) -> float:
    """Return the distance of the points of one of n names from the middle of their row, in pixels."""
    return (number - (n - 1) / 2) * APART


def _ends(points: Sequence[Mapping[str, Any]]) -> list[float]:
    values = [float(point[name]) for point in points for name in ("value", "low", "high") if point[name] is not None]
    least, most = min(values), max(values)
    return [least, most] if most > least else [least - 0.5, most + 0.5]


def quoted(text: str) -> str:
    """Return a text as a string literal in an expression of the renderer."""
    return json.dumps(text)
