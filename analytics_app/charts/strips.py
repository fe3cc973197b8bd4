"""Texts as strips from their first character to their last, stronger where more of their readers marked them."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from analytics_app.charts.paints import EDGE
from analytics_app.charts.room import Chart, Room, fixed, gutter_for, in_lines
from analytics_app.charts.rows import places_of_rows
from analytics_app.charts.svg import LINE, MARK

STRIP = 18
# How much of the colour of marks shows at each level. A page repaints that colour, so that more stands out more on
# light and on dark ground.
STRENGTHS = (0.0, 0.35, 0.65, 1.0)


def strips_chart(pieces: Sequence[Mapping[str, Any]]) -> Chart:
    """Return a strip for each text; a piece has text (its number), head, start, end, length and share (of the readers).

    `start`, `end` and `length` are in characters; every strip is as wide as the chart.
    """
    return partial(_strips_chart, pieces)


def _strips_chart(pieces: Sequence[Mapping[str, Any]], room: Room) -> Any:
    import altair as alt  # noqa: PLC0415  slow to import, for jobs alone

    heads = {piece["text"]: str(piece["head"]) for piece in pieces}
    gutter = gutter_for(room, list(heads.values()), above=room.width)
    places, height = places_of_rows(gutter, room)
    lines, at = dict(zip(heads, gutter.lines, strict=True)), dict(zip(heads, places, strict=True))
    data = [
        {
            **piece,
            "from": piece["start"] / piece["length"],
            "to": piece["end"] / piece["length"],
            # The lines of a name once, with its first piece.
            "lines": [] if piece["start"] else list(lines[piece["text"]]),
            "strength": STRENGTHS[level_of(piece["share"])],
            **at[piece["text"]],
        }
        for piece in pieces
    ]
    scale = alt.Scale(domain=[height, 0], nice=False, zero=False)
    base = alt.Chart().encode(y=alt.Y("middle:Q", scale=scale, axis=None))
    names = alt.Chart().encode(y=alt.Y("named:Q", scale=scale, axis=None)).transform_filter("datum.start === 0")

    def across(field: str) -> Any:
        return alt.X(f"{field}:Q", scale=alt.Scale(domain=[0, 1], nice=False), axis=None)

    layers = [
        base.transform_filter("datum.start === 0")
        .mark_bar(size=STRIP, orient="horizontal", color=LINE)
        .encode(x=fixed("X", 0), x2=fixed("X2", room.width - gutter.width)),
        base.transform_filter("datum.strength > 0")
        .mark_bar(size=STRIP, orient="horizontal", color=MARK, stroke=EDGE, strokeWidth=0.3)
        .encode(x=across("from"), x2=alt.X2("to:Q"), fillOpacity=alt.FillOpacity("strength:Q", scale=None)),
        in_lines(names, room, x=-gutter.width),
    ]
    width = room.width - gutter.width
    return alt.layer(*layers, data=alt.InlineData(values=data, name="points"), width=width, height=height)


def level_of(share: float) -> int:
    """Return 0 where nobody marked, else 1 to 3: up to a third, two thirds, or all of the readers."""
    return 0 if share <= 0 else 1 if share <= 1 / 3 else 2 if share <= 2 / 3 else 3
