"""Bars that are stacked to a sum, not to a whole: how much there is, and of what. They start at zero."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from analytics_app.charts import words
from analytics_app.charts.bars import BAR, BAR_DOWN, EDGE, NAME_LETTERS, NAME_UP, NAME_WIDE, ROW, legend_columns, spread
from analytics_app.charts.drawing import SMALL, WIDTH
from analytics_app.charts.svg import INK
from analytics_app.charts.words import short

# What a sum needs beside the longest bar.
ROOM = 0.16
# A piece below this share of the longest bar has no room for its own number.
WORDED = 0.12


def sums_chart(sums: Mapping[str, Mapping[str, float]], labels: Sequence[str], *, measure: str) -> Any:
    """Return a chart with a bar a row, in the order given: `sums` holds by row and label an amount from zero on."""
    import altair as alt  # noqa: PLC0415  slow to import, for jobs alone

    longest = max((sum(parts.values()) for parts in sums.values()), default=0.0) or 1.0
    colour = alt.Color(
        "label:N",
        scale=alt.Scale(domain=list(labels), range=[shade for shade, _words in spread(len(labels))]),
        legend=alt.Legend(
            title=measure, orient="top", titleAnchor="start", columns=legend_columns(labels), symbolSize=120
        ),
    )
    base = alt.Chart().encode(y=alt.Y("row:O", axis=None))

    def across(field: str) -> Any:
        return alt.X(f"{field}:Q", scale=alt.Scale(domain=[0, longest * (1 + ROOM)], nice=False), axis=None)

    layers = [
        base.mark_bar(size=BAR, stroke=EDGE, strokeWidth=0.5, yOffset=BAR_DOWN).encode(
            x=across("start"), x2="end:Q", color=colour
        ),
        base.mark_text(yOffset=BAR_DOWN, fontSize=SMALL).encode(
            x=across("middle"), text="text:N", color=alt.Color("words:N", scale=None)
        ),
        base.transform_filter("datum.last")
        .mark_text(align="left", yOffset=BAR_DOWN, dx=6, color=INK, fontWeight="bold")
        .encode(x=across("end"), text="total:N"),
        base.transform_filter("datum.first")
        .mark_text(align="left", dy=NAME_UP, color=INK, limit=NAME_WIDE)
        .encode(x=alt.value(0), text="shown:N"),
    ]
    whole = alt.layer(*layers, data=alt.InlineData(values=list(_pieces(sums, labels, longest)), name="points"))
    return whole.resolve_scale(color="independent").properties(width=WIDTH, height=alt.Step(ROW))


def _pieces(sums: Mapping[str, Mapping[str, float]], labels: Sequence[str], longest: float) -> Iterator[dict[str, Any]]:
    """Yield each piece of each bar, from where to where it goes."""
    shades = spread(len(labels))
    for row, (name, parts) in enumerate(sums.items()):
        start, total = 0.0, sum(parts.values())
        for place, label in enumerate(labels):
            value = parts.get(label, 0.0)
            yield {
                "row": row,
                "name": name,
                "shown": short(name, NAME_LETTERS),
                "label": label,
                "value": value,
                "first": place == 0,
                "last": place == len(labels) - 1,
                "start": start,
                "middle": start + value / 2,
                "end": start + value,
                "text": words.number(value, longest) if value >= WORDED * longest else "",
                "total": words.number(total, longest),
                "words": shades[place][1],
            }
            start += value
