"""Bars in rows, in pieces: the common part of stacked shares and stacked sums."""

from collections.abc import Mapping, Sequence
from typing import Any

from analytics_app.charts.paints import EDGE, Paint
from analytics_app.charts.room import Gutter, Room, gutter_for, in_lines
from analytics_app.charts.svg import INK

# A bar, what is free between it and the next one, and between it and a name above it.
BAR, FREE, NAME_FREE = 24, 12, 4
# What the square of a legend and the space around it take.
SYMBOL = 44


def bars_in_rows(
    pieces: Mapping[str, Sequence[Mapping[str, Any]]],
    labels: Sequence[str],
    paints: Sequence[Paint],
    room: Room,
    *,
    measure: str,
    ends: tuple[float, float],
) -> Any:
    """Return a chart with a bar a row; a piece has label, value, start, end, its own text and perhaps a total.

    A text is left out where its piece is narrower than the text; the legend and the table have its value.
    """
    import altair as alt  # noqa: PLC0415  slow to import, for jobs alone

    gutter = gutter_for(room, list(pieces), above=room.width)
    width = room.width - gutter.width
    data, height = _placed(pieces, dict(zip(labels, paints, strict=True)), gutter, room)
    for piece in data:
        if room.length(piece["text"]) > (piece["end"] - piece["start"]) / (ends[1] - ends[0]) * width:
            piece["text"] = ""
    scale = alt.Scale(domain=[height, 0], nice=False, zero=False)
    base = alt.Chart().encode(y=alt.Y("middle:Q", scale=scale, axis=None))
    names = alt.Chart().encode(y=alt.Y("named:Q", scale=scale, axis=None)).transform_filter("datum.first")

    def across(field: str) -> Any:
        return alt.X(f"{field}:Q", scale=alt.Scale(domain=list(ends), nice=False), axis=None)

    colour = alt.Color(
        "label:N",
        scale=alt.Scale(domain=list(labels), range=[ground for ground, _words in paints]),
        legend=legend(measure, labels, room),
    )
    layers = [
        base.mark_bar(size=BAR, orient="horizontal", stroke=EDGE, strokeWidth=0.5).encode(
            x=across("start"), x2=alt.X2("end:Q"), color=colour
        ),
        base.mark_text().encode(x=across("center"), text=alt.Text("text:N"), color=alt.Color("words:N", scale=None)),
        base.transform_filter("isValid(datum.total)")
        .mark_text(align="left", dx=6, color=INK, fontWeight="bold")
        .encode(x=across("end"), text=alt.Text("total:N")),
        in_lines(names, room, x=-gutter.width),
    ]
    whole = alt.layer(*layers, data=alt.InlineData(values=data, name="points"), width=width, height=height)
    return whole.resolve_scale(color="independent")


def _placed(
    pieces: Mapping[str, Sequence[Mapping[str, Any]]], paints: Mapping[str, Paint], gutter: Gutter, room: Room
) -> tuple[list[dict[str, Any]], float]:
    """Return the pieces with the places of their rows, and the height of all rows."""
    places, height = places_of_rows(gutter, room)
    data: list[dict[str, Any]] = []
    for (name, parts), lines, at in zip(pieces.items(), gutter.lines, places, strict=True):
        for place, part in enumerate(parts):
            words = paints[str(part["label"])][1]
            own = {"name": name, **part, "center": (part["start"] + part["end"]) / 2, "words": words, **at}
            # The lines of a name once, with its first piece.
            data.append({**own, "lines": [] if place else list(lines), "first": not place})
    return data, height


def places_of_rows(gutter: Gutter, room: Room) -> tuple[list[dict[str, float]], float]:
    """Return the places of the middle of each bar and of its name, and the height of all rows."""
    places, top = [], 0.0
    for lines, above in zip(gutter.lines, gutter.above, strict=True):
        over = above + NAME_FREE if above else 0.0
        high = max(BAR, 0 if above else len(lines) * room.line)
        middle = top + over + high / 2
        places.append({"middle": middle, "named": top + above / 2 if above else middle})
        top += over + high + FREE
    return places, top


def legend(title: str | None, labels: Sequence[str], room: Room) -> Any:
    """Return a legend above the chart, with as many labels side by side as fit."""
    import altair as alt  # noqa: PLC0415

    columns = max(1, int(room.width // (SYMBOL + room.longest(labels))))
    return alt.Legend(title=title, orient="top", titleAnchor="start", columns=columns, columnPadding=24, symbolSize=120)
