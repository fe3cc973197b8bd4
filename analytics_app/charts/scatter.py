"""Scatter plots of one value (y axis) against several metrics (x axis), with a panel for each metric."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from analytics_app.charts.paints import LINES
from analytics_app.charts.room import WIDE, Chart, Room
from analytics_app.charts.rows import legend
from analytics_app.charts.svg import INK, MARK, QUIET

SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
# Up to this many names, each has its own colour and shape; if there are more, points are labelled with numbers.
MOST_COLOURED = len(SHAPES)

# Pixels: the height of a panel, which is at most twice as wide, the numbers of its y axis, and the gap between panels.
PANEL_HEIGHT, AXIS_WIDTH, GAP = 220, 52, 36
PANELS_IN_A_ROW = 3


@dataclass(frozen=True, slots=True)
class Panel:
    """A panel: the key of its points, its title, and whether lower scores are better, which reverses the x axis."""

    key: str
    title: str
    lower_is_better: bool


def scatter_chart(
    panels: Sequence[Panel],
    points: Sequence[Mapping[str, Any]],
    names: Sequence[str],
    *,
    value_label: str,
    lower_is_better: bool,
) -> Chart:
    """Return panels of points in which better is always up and to the right.

    A point has panel, name, number, metric (x) and value (y). `value_label` names the values, and `lower_is_better` is
    about them: it reverses the y axis.
    """
    return partial(_scatter_chart, panels, points, names, value_label, lower_is_better)


def _scatter_chart(
    panels: Sequence[Panel],
    points: Sequence[Mapping[str, Any]],
    names: Sequence[str],
    value_label: str,
    lower_is_better: bool,
    room: Room,
) -> Any:
    import altair as alt  # noqa: PLC0415  slow to import, for jobs alone

    columns = min(len(panels), PANELS_IN_A_ROW) if room is WIDE else 1
    width = min(PANEL_HEIGHT * 2, (room.width - GAP * (columns - 1)) / columns - AXIS_WIDTH)
    values = [float(point["value"]) for point in points]
    # One axis of values for all panels, which would otherwise seem to differ.
    up = [min(values), max(values)] if min(values) < max(values) else [values[0] - 0.5, values[0] + 0.5]
    charts = [_panel(panel, names, value_label, up, lower_is_better, width, room) for panel in panels]
    rows = [charts[start : start + columns] for start in range(0, len(charts), columns)]
    data = alt.InlineData(values=list(points), name="points")
    chart = alt.vconcat(*(alt.hconcat(*row, spacing=GAP) for row in rows), data=data, spacing=GAP)
    return chart.resolve_scale(x="independent", y="independent")


def _panel(
    panel: Panel,
    names: Sequence[str],
    value_label: str,
    up: Sequence[float],
    lower_is_better: bool,
    width: float,
    room: Room,
) -> Any:
    import altair as alt  # noqa: PLC0415

    points = alt.Chart().transform_filter(f"datum.panel === {json.dumps(panel.key)}")

    def scale(reverse: bool, **domain: Any) -> Any:
        return alt.Scale(zero=False, nice=True, padding=14, reverse=reverse, **domain)

    horizontal, vertical = (alt.Axis(title=None, tickCount=4, labelFlush=False) for _axis in range(2))
    base = points.encode(
        x=alt.X("metric:Q", scale=scale(panel.lower_is_better), axis=horizontal),
        y=alt.Y("value:Q", scale=scale(lower_is_better, domain=list(up)), axis=vertical),
    )
    if len(names) <= MOST_COLOURED:
        shared_legend = legend(None, names, room)
        n = len(names)
        colour = alt.Color("name:N", scale=alt.Scale(domain=list(names), range=list(LINES[:n])), legend=shared_legend)
        shape = alt.Shape("name:N", scale=alt.Scale(domain=list(names), range=list(SHAPES[:n])), legend=shared_legend)
        layers = [base.mark_point(filled=True, size=110, opacity=1).encode(color=colour, shape=shape)]
    else:
        layers = [
            base.mark_point(filled=True, size=70, opacity=1, color=MARK),
            base.mark_text(align="left", dx=8, color=INK).encode(text=alt.Text("number:N")),
        ]
    title = alt.TitleParams(
        text=room.lines(panel.title, width + AXIS_WIDTH),
        subtitle=room.lines(f"↑ {value_label}", width + AXIS_WIDTH),
        anchor="start",
        fontSize=room.letters,
        subtitleFontSize=room.letters,
        lineHeight=room.line,
        subtitleLineHeight=room.line,
        color=INK,
        subtitleColor=QUIET,
        offset=10,
    )
    return alt.layer(*layers, title=title, width=width, height=PANEL_HEIGHT)
