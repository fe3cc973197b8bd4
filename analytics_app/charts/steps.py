"""Charts of the remainder after each of several steps: one bar for each step, from zero, all on one scale."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from analytics_app.charts.room import Chart, Room, fixed, gutter_for, in_lines
from analytics_app.charts.rows import BAR, places_of_rows
from analytics_app.charts.svg import INK, LINE, MARK

GAP = 12


def steps_chart(steps: Sequence[Mapping[str, Any]]) -> Chart:
    """Return a chart of at least one step, in the order given; a step has name, value and text.

    The grey part of a bar is what the steps so far took of the first.
    """
    return partial(_steps_chart, steps)


def _steps_chart(steps: Sequence[Mapping[str, Any]], room: Room) -> Any:
    import altair as alt  # noqa: PLC0415  slow to import, for jobs alone

    aside = round(room.longest(str(step["text"]) for step in steps) + GAP)
    gutter = gutter_for(room, [str(step["name"]) for step in steps], above=room.width - aside)
    right = aside if gutter.beside else 0
    inside = room.width - gutter.width - right
    whole = float(steps[0]["value"])
    places, height = places_of_rows(gutter, room)
    data = [
        {**step, "whole": whole, "lines": list(lines), **place}
        for step, lines, place in zip(steps, gutter.lines, places, strict=True)
    ]
    scale = alt.Scale(domain=[height, 0], nice=False, zero=False)
    base = alt.Chart().encode(y=alt.Y("middle:Q", scale=scale, axis=None))
    names = alt.Chart().encode(y=alt.Y("named:Q", scale=scale, axis=None))

    def across(field: str) -> Any:
        return alt.X(f"{field}:Q", scale=alt.Scale(domain=[0, whole], nice=False), axis=None)

    layers = [
        base.mark_bar(color=LINE, size=BAR, orient="horizontal").encode(x=across("whole")),
        base.mark_bar(color=MARK, size=BAR, orient="horizontal").encode(x=across("value")),
        in_lines(names, room, x=-gutter.width),
        names.mark_text(align="right", color=INK, fontWeight="bold").encode(
            x=fixed("X", inside + right), text=alt.Text("text:N")
        ),
    ]
    return alt.layer(*layers, data=alt.InlineData(values=data, name="points"), width=inside, height=height)
