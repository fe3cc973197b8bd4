"""Two measures of the same things against each other, a panel for each of several first measures."""

from __future__ import annotations

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
# Of so many things each has a colour and a shape; further ones have numbers.
MOST_COLOURED = len(SHAPES)

PANEL, BESIDE = 220, 3
# What the numbers beside an axis take, and what is free between panels.
ASIDE, BETWEEN = 52, 36


@dataclass(frozen=True, slots=True)
class Panel:
    """A panel: the key of its points, its title, and whether lower is better, so that its axis runs the other way."""

    key: str
    title: str
    lower: bool


def scatter_chart(
    panels: Sequence[Panel], points: Sequence[Mapping[str, Any]], names: Sequence[str], *, across: str, lower: bool
) -> Chart:
    """Return panels of points, better up and to the right; a point has panel, name, number, metric and value.

    `across` is what `value` is called, which is better where it is lower if so said.
    """
    return partial(_scatter_chart, panels, points, names, across, lower)


def _scatter_chart(
    panels: Sequence[Panel],
    points: Sequence[Mapping[str, Any]],
    names: Sequence[str],
    across: str,
    lower: bool,
    room: Room,
) -> Any:
    import altair as alt  # noqa: PLC0415  slow to import, for jobs alone

    columns = min(len(panels), BESIDE) if room is WIDE else 1
    width = min(PANEL * 2, (room.width - BETWEEN * (columns - 1)) / columns - ASIDE)
    charts = [_panel(panel, names, across, lower, width, room) for panel in panels]
    rows = [charts[start : start + columns] for start in range(0, len(charts), columns)]
    data = alt.InlineData(values=list(points), name="points")
    whole = alt.vconcat(*(alt.hconcat(*row, spacing=BETWEEN) for row in rows), data=data, spacing=BETWEEN)
    return whole.resolve_scale(x="independent", y="independent")


def _panel(panel: Panel, names: Sequence[str], across: str, lower: bool, width: float, room: Room) -> Any:
    import altair as alt  # noqa: PLC0415

    mine = alt.Chart().transform_filter(f"datum.panel === {json.dumps(panel.key)}")

    def scale(reverse: bool) -> Any:
        return alt.Scale(zero=False, nice=True, padding=14, reverse=reverse)

    horizontal, vertical = (alt.Axis(title=None, tickCount=4, labelFlush=False) for _axis in range(2))
    base = mine.encode(
        x=alt.X("metric:Q", scale=scale(panel.lower), axis=horizontal),
        y=alt.Y("value:Q", scale=scale(lower), axis=vertical),
    )
    if len(names) <= MOST_COLOURED:
        key = legend(None, names, room)
        n = len(names)
        colour = alt.Color("name:N", scale=alt.Scale(domain=list(names), range=list(LINES[:n])), legend=key)
        shape = alt.Shape("name:N", scale=alt.Scale(domain=list(names), range=list(SHAPES[:n])), legend=key)
        layers = [base.mark_point(filled=True, size=110, opacity=1).encode(color=colour, shape=shape)]
    else:
        layers = [
            base.mark_point(filled=True, size=70, opacity=1, color=MARK),
            base.mark_text(align="left", dx=8, color=INK).encode(text=alt.Text("number:N")),
        ]
    head = alt.TitleParams(
        text=room.lines(panel.title, width + ASIDE),
        subtitle=room.lines(f"↑ {across}", width + ASIDE),
        anchor="start",
        fontSize=room.letters,
        subtitleFontSize=room.letters,
        lineHeight=room.line,
        subtitleLineHeight=room.line,
        color=INK,
        subtitleColor=QUIET,
        offset=10,
    )
    return alt.layer(*layers, title=head).properties(width=width, height=PANEL)
