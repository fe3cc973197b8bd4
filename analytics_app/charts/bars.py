"""Shares: stacked to a whole a row, or a bar for each step or bin. Bars, since a share starts at zero."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from analytics_app.charts.drawing import LETTER, SMALL, WIDTH
from analytics_app.charts.svg import INK, MARK
from analytics_app.charts.words import share, short

# One hue from light to dark, each with the colour of words on it: the same on light and on dark pages, and so none of
# the colours that a page repaints (analytics_app.charts.svg).
DARK_WORDS, LIGHT_WORDS = "#10213b", "#ffffff"
SHADES = (
    ("#d6e4f7", DARK_WORDS),
    ("#a9c7ef", DARK_WORDS),
    ("#75a3e2", DARK_WORDS),
    ("#3d74c4", LIGHT_WORDS),
    ("#1c5dbd", LIGHT_WORDS),
    ("#154a9b", LIGHT_WORDS),
    ("#0f3470", LIGHT_WORDS),
)
EDGE = "#8592a6"

ROW, BAR, NAME_UP, BAR_DOWN = 54, 22, -18, 4
# A name stands above its bar; the renderer's letters are narrower than a page's may be.
NAME_LETTERS, NAME_WIDE = 36, WIDTH - 20
# A share below this has no room for its own words.
WORDED = 0.12
HEIGHT = 190


def stacked_chart(shares: Mapping[str, Mapping[str, float]], labels: Sequence[str], *, measure: str) -> Any:
    """Return a chart with a whole bar a row: `shares` holds by row and label a share of one."""
    import altair as alt  # noqa: PLC0415  slow to import, for jobs alone

    colour = alt.Color(
        "label:N",
        scale=alt.Scale(domain=list(labels), range=[shade for shade, _words in spread(len(labels))]),
        legend=alt.Legend(
            title=measure, orient="top", titleAnchor="start", columns=legend_columns(labels), symbolSize=120
        ),
    )
    base = alt.Chart().encode(y=alt.Y("row:O", axis=None))

    def across(field: str) -> Any:
        return alt.X(f"{field}:Q", scale=alt.Scale(domain=[0, 1]), axis=None)

    layers = [
        base.mark_bar(size=BAR, stroke=EDGE, strokeWidth=0.5, yOffset=BAR_DOWN).encode(
            x=across("start"), x2="end:Q", color=colour
        ),
        base.mark_text(yOffset=BAR_DOWN, fontSize=SMALL).encode(
            x=across("middle"), text="text:N", color=alt.Color("words:N", scale=None)
        ),
        base.transform_filter("datum.start === 0 && datum.first")
        .mark_text(align="left", dy=NAME_UP, color=INK, limit=NAME_WIDE)
        .encode(x=alt.value(0), text="shown:N"),
    ]
    whole = alt.layer(*layers, data=alt.InlineData(values=list(_pieces(shares, labels)), name="points"))
    return whole.resolve_scale(color="independent").properties(width=WIDTH, height=alt.Step(ROW))


def _pieces(shares: Mapping[str, Mapping[str, float]], labels: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield each piece of each bar, from where to where it goes."""
    shades = spread(len(labels))
    for row, (name, parts) in enumerate(shares.items()):
        start = 0.0
        for place, label in enumerate(labels):
            value = parts.get(label, 0.0)
            yield {
                "row": row,
                "name": name,
                "shown": short(name, NAME_LETTERS),
                "label": label,
                "value": value,
                "first": place == 0,
                "start": start,
                "middle": start + value / 2,
                "end": start + value,
                "text": share(value) if value >= WORDED else "",
                "words": shades[place][1],
            }
            start += value


def spread(n: int) -> list[tuple[str, str]]:
    """Choose n shades from light to dark with their words, as far apart as they can be."""
    last = len(SHADES) - 1
    return [SHADES[round(place * last / (n - 1)) if n > 1 else last // 2] for place in range(n)]


def bars_chart(bars: Sequence[tuple[str, float]], *, measure: str, share: bool = True) -> Any:
    """Return a chart with a bar for each label, in the order given; "0 to 10" and its like stand on a scale.

    Bars are shares of one unless `share` is false.
    """
    import altair as alt  # noqa: PLC0415

    edges = [_edges(label) for label, _value in bars]
    data = [
        {"label": label.replace(" to ", "–"), "value": value, "low": low, "high": high}
        for (label, value), (low, high) in zip(bars, edges, strict=True)
    ]
    written = "format(datum.value * 100, '.0f') + ' %'" if share else "datum.label"
    ticks = alt.Axis(title=None, tickCount=4, labelExpr=written)
    up = alt.Y("value:Q", axis=ticks, scale=alt.Scale(domainMin=0))
    bar = alt.Chart(alt.InlineData(values=data, name="points")).mark_bar(color=MARK, binSpacing=2)
    if any(low is None for low, _high in edges):
        room = (WIDTH - 46) / len(bars)
        narrow = LETTER * max(len(str(one["label"])) for one in data) > room
        axis = alt.Axis(
            title=measure,
            titleAnchor="start",
            labelAngle=-90 if narrow else 0,
            labelLimit=HEIGHT if narrow else room,
            labelFlush=False,
            grid=False,
        )
        order = [str(one["label"]) for one in data]
        chart = bar.encode(x=alt.X("label:N", sort=order, scale=alt.Scale(paddingInner=0.15), axis=axis), y=up)
    else:
        axis = alt.Axis(title=measure, titleAnchor="start", tickCount=5, grid=False)
        chart = bar.encode(x=alt.X("low:Q", bin="binned", axis=axis, scale=alt.Scale(zero=False)), x2="high:Q", y=up)
    return chart.properties(width=WIDTH - 46, height=HEIGHT)


def _edges(label: str) -> tuple[float | None, float | None]:
    """Return the ends of a range such as "0 to 10"; None for a step."""
    low, _to, high = label.partition(" to ")
    try:
        return float(low), float(high)
    except ValueError:
        return None, None


def legend_columns(labels: Sequence[str]) -> int:
    """Return how many words of a legend fit side by side."""
    return max(1, WIDTH // (34 + LETTER * max(len(label) for label in labels)))
