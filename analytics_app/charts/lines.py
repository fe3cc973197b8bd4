"""Lines of a few things, told apart by colour and by the shape of their points: courses over time, and eigenvalues."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from analytics_app.charts.paints import LINES
from analytics_app.charts.room import WIDE, Chart, Room
from analytics_app.charts.rows import legend
from analytics_app.charts.svg import INK, LIMIT, QUIET

SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
MOST_LINES = len(LINES)

# How far the points of one row are apart.
APART = 7
PANEL = 200
# What the numbers beside an axis take, and what is free between panels.
ASIDE, BETWEEN = 44, 40


def course_chart(
    panels: Sequence[tuple[str, str]], points: Sequence[Mapping[str, Any]], names: Sequence[str], times: Sequence[str]
) -> Chart:
    """Return a panel for each (key, title), with a line for each name over times.

    A point has panel, time, name, value, low and high. Axes begin where the intervals do: points need no zero. Panels
    stand beside each other where there is room.
    """
    return partial(_course_chart, panels, points, names, times)


def _course_chart(
    panels: Sequence[tuple[str, str]],
    points: Sequence[Mapping[str, Any]],
    names: Sequence[str],
    times: Sequence[str],
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
        # The title of an axis would stand beside it and be turned.
        head = (
            base.transform_filter(f"datum.time === {quoted(times[0])} && datum.name === {quoted(names[0])}")
            .mark_text(align="left", baseline="bottom", fontWeight="bold", color=INK)
            .encode(x=alt.value(-30), y=alt.value(-8), text=alt.value(title))
        )
        up = alt.Scale(domain=_ends([one for one in points if one["panel"] == key]), nice=True, zero=False)
        scores = alt.Axis(title=None, tickCount=4, format="~g")

        def high(field: str, up: Any = up, scores: Any = scores) -> Any:
            return alt.Y(f"{field}:Q", scale=up, axis=scores)

        layers = [head, *series(base, names, high, _key(names, room), "xOffset", "y2")]
        charts.append(alt.layer(*layers).properties(width=width, height=PANEL))
    joined = alt.hconcat if beside > 1 else alt.vconcat
    data = alt.InlineData(values=list(points), name="points")
    return joined(*charts, data=data, spacing=BETWEEN).resolve_scale(y="independent")


def scree_chart(points: Sequence[Mapping[str, Any]]) -> Chart:
    """Return eigenvalues by their number, and below which random data would have them."""
    return partial(_scree_chart, points)


def _scree_chart(points: Sequence[Mapping[str, Any]], room: Room) -> Any:
    import altair as alt  # noqa: PLC0415

    axis = alt.Axis(title="Number of the eigenvalue", titleAnchor="start", tickMinStep=1, format="d", grid=False)
    most = max(int(one["number"]) for one in points)
    x = alt.X("number:Q", axis=axis, scale=alt.Scale(domain=[1, most], nice=False, padding=10))
    base = alt.Chart().encode(x=x)

    def high(field: str) -> Any:
        return alt.Y(f"{field}:Q", axis=alt.Axis(title=None, tickCount=5, format="~g"), scale=alt.Scale(domainMin=0))

    late = base.transform_filter(f"datum.number === {1 + round((most - 1) * 2 / 3)}")
    layers = [
        base.mark_line(color=LIMIT, strokeWidth=1.5, strokeDash=[5, 4]).encode(y=high("random")),
        base.mark_line(color=LINES[0], strokeWidth=2).encode(y=high("value")),
        base.mark_point(filled=True, size=70, opacity=1, color=LINES[0]).encode(y=high("value")),
        late.mark_text(align="left", dy=-10, color=QUIET).encode(y=high("random"), text=alt.value("random data")),
        base.transform_filter("datum.number === 1")
        .mark_text(align="left", dx=10, color=INK)
        .encode(y=high("value"), text=alt.value("these ratings")),
    ]
    whole = alt.layer(*layers, data=alt.InlineData(values=list(points), name="points"))
    return whole.properties(width=room.width - ASIDE, height=PANEL)


def _key(names: Sequence[str], room: Room) -> Any:
    key = legend(None, names, room)
    key.offset, key.symbolOpacity = 26, 1
    return key


def series(base: Any, names: Sequence[str], along: Any, key: Any, offset: str, second: str) -> list[Any]:
    """Return interval, line and points of each name, a little apart from one another; `key` is their legend or None."""
    import altair as alt  # noqa: PLC0415

    n = len(names)
    colour = alt.Color("name:N", scale=alt.Scale(domain=list(names), range=list(LINES[:n])), legend=key)
    shape = alt.Shape("name:N", scale=alt.Scale(domain=list(names), range=list(SHAPES[:n])), legend=key)
    value = "x" if second == "x2" else "y"
    layers = []
    for number, name in enumerate(names):
        aside = {offset: offset_of(number, n)}
        mine = base.transform_filter(f"datum.name === {quoted(name)}")
        ends = {value: along("low"), second: alt.X2("high:Q") if second == "x2" else alt.Y2("high:Q")}
        across = {value: along("value")}
        layers += [
            mine.mark_rule(strokeWidth=2, opacity=0.55, **aside).encode(color=colour, **ends),
            mine.mark_line(strokeWidth=2, **aside).encode(color=colour, **across)
            if second == "y2"
            else mine.mark_line(strokeWidth=2, **aside).encode(color=colour, order="row:O", **across),
            mine.mark_point(filled=True, size=80, opacity=1, **aside).encode(color=colour, shape=shape, **across),
        ]
    return layers


def offset_of(number: int, n: int) -> float:
    """Return how far the points of one of n names lie from the middle of their row, in pixels."""
    return (number - (n - 1) / 2) * APART


def _ends(points: Sequence[Mapping[str, Any]]) -> list[float]:
    drawn = [float(one[name]) for one in points for name in ("value", "low", "high") if one[name] is not None]
    least, most = min(drawn), max(drawn)
    return [least, most] if most > least else [least - 0.5, most + 0.5]


def quoted(text: str) -> str:
    """Write a text as a renderer's expression has it."""
    return json.dumps(text)
