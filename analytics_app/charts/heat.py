"""A table whose cells are darker the further their number is from zero; the sign stands in the number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from analytics_app.charts.bars import SHADES
from analytics_app.charts.drawing import LETTER, SMALL, WIDTH
from analytics_app.charts.svg import INK, QUIET
from analytics_app.charts.words import bare

NAMES_WIDE, LEAST_WIDE, ROW = 150, 48, 28
# A cell that is narrower holds no number: its colour stands, and the table below the chart.
NUMBER_WIDE = 28


def heat_chart(cells: Sequence[Mapping[str, Any]], columns: Sequence[str], *, most: float = 1.0) -> Any:
    """Return a cell for each row and column; a cell has row, name, column and value."""
    import altair as alt  # noqa: PLC0415  slow to import, for jobs alone

    data = [{**one, "text": bare(float(one["value"])), **_shade(float(one["value"]), most)} for one in cells]
    base = alt.Chart().encode(y=alt.Y("row:O", axis=None, scale=alt.Scale(paddingInner=0.08)))
    aside = min(NAMES_WIDE, max(LEAST_WIDE, 10 + LETTER * max((len(str(one["name"])) for one in cells), default=0)))
    cell = (WIDTH - aside) / max(1, len(columns))
    upright = LETTER * max(map(len, columns), default=0) > cell
    heads = alt.Axis(
        title=None,
        orient="top",
        labelAngle=-90 if upright else 0,
        labelColor=QUIET,
        labelFontSize=SMALL,
        labelLimit=WIDTH / 2,
    )
    x = alt.X("column:O", sort=list(columns), axis=heads, scale=alt.Scale(paddingInner=0.04))
    layers = [
        base.mark_rect().encode(x=x, color=alt.Color("fill:N", scale=None)),
        *(
            [base.mark_text(fontSize=SMALL).encode(x=x, text="text:N", color=alt.Color("words:N", scale=None))]
            if cell >= NUMBER_WIDE
            else []
        ),
        base.transform_filter("datum.place === 0")
        .mark_text(align="left", color=INK, limit=aside - 10)
        .encode(x=alt.value(-aside), text="name:N"),
    ]
    whole = alt.layer(*layers, data=alt.InlineData(values=data, name="points"))
    return whole.resolve_scale(color="independent").properties(width=WIDTH - aside, height=alt.Step(ROW))


def _shade(value: float, most: float) -> dict[str, str]:
    fill, words = SHADES[min(len(SHADES) - 1, int(abs(value) / most * len(SHADES)))]
    return {"fill": fill, "words": words}
