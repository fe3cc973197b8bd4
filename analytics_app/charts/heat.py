"""Heat maps: cells with numbers, darker for higher numbers or for numbers further from zero."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from analytics_app.charts.paints import EDGE, SHADES
from analytics_app.charts.room import Chart, Room, gutter_for, in_lines
from analytics_app.charts.svg import QUIET
from analytics_app.charts.words import bare, short
from analytics_app.results import Row

ROW = 30
# The greatest width of a column, in pixels: few columns need not fill the page.
WIDEST = 120
# The most letters of a name above a column.
LETTERS = 18


def heat_chart(cells: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> Chart:
    """Return a cell for each row and column; a cell has row, its place in the row, name, column and value.

    It may have its own text, and its own darkness from 0 to 1 (`strength`), which else is the distance of its value
    from zero as a share of 1. Nothing is drawn for a missing cell.
    """
    return partial(_heat_chart, cells, columns)


def triangle_chart(by_pair: Mapping[frozenset[str], Row], names: Sequence[str]) -> Chart:
    """Return the lower triangle of a matrix: a cell for each pair of names that has a row, with its interval."""
    cells = []
    for number, name in enumerate(names[1:]):
        rows = [
            (other, by_pair[pair]) for other in names[: number + 1] if (pair := frozenset((name, other))) in by_pair
        ]
        cells += [
            {
                "row": number,
                "place": place,
                "name": name,
                "column": short(other, LETTERS),
                "value": row.value if row.value is not None else 0.0,
                "low": row.low,
                "high": row.high,
            }
            for place, (other, row) in enumerate(rows)
        ]
    return heat_chart(cells, [short(name, LETTERS) for name in names[:-1]])


def _heat_chart(cells: Sequence[Mapping[str, Any]], columns: Sequence[str], room: Room) -> Any:
    import altair as alt  # noqa: PLC0415  slow to import, for jobs alone

    names = list(dict.fromkeys(str(entry["name"]) for entry in cells))
    gutter = gutter_for(room, names)
    lines = dict(zip(names, gutter.lines, strict=True))
    data = [
        {
            "text": bare(float(entry["value"])),
            **entry,
            "lines": list(lines[str(entry["name"])]) if entry["place"] == 0 else [],
            **_shade(float(entry.get("strength", abs(entry["value"])))),
        }
        for entry in cells
    ]
    base = alt.Chart().encode(y=alt.Y("row:O", axis=None, scale=alt.Scale(paddingInner=0.08)))
    cell = min(WIDEST, (room.width - gutter.width) / max(1, len(columns)))
    heads = alt.Axis(
        title=None,
        orient="top",
        labelAngle=-90 if room.longest(columns) > cell else 0,
        labelColor=QUIET,
        # All labels are drawn, even if neighbours touch.
        labelOverlap=False,
        labelFlush=False,
    )
    x = alt.X("column:O", sort=list(columns), axis=heads, scale=alt.Scale(paddingInner=0.04))
    widest = room.longest(str(entry["text"]) for entry in data)
    numbers = base.mark_text().encode(x=x, text=alt.Text("text:N"), color=alt.Color("words:N", scale=None))
    # If cells are narrower than their numbers, they show only colours; the table below the chart has the numbers.
    layers = [
        base.mark_rect(stroke=EDGE, strokeWidth=0.5).encode(x=x, color=alt.Color("fill:N", scale=None)),
        *([numbers] if cell >= widest else []),
        in_lines(base.transform_filter("datum.place === 0"), room, x=-gutter.width),
    ]
    high = max(ROW, max(map(len, gutter.lines), default=1) * room.line + 6)
    width = round(cell * len(columns))
    whole = alt.layer(*layers, data=alt.InlineData(values=data, name="points"), width=width, height=alt.Step(high))
    return whole.resolve_scale(color="independent")


def _shade(strength: float) -> dict[str, str]:
    fill, words = SHADES[min(len(SHADES) - 1, int(strength * len(SHADES)))]
    return {"fill": fill, "words": words}
