"""Charts of shares: stacked bars, or one bar for each step or bin. Bars, since a share starts at zero."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from analytics_app.charts.paints import paints_for
from analytics_app.charts.room import Chart, Room
from analytics_app.charts.rows import bars_in_rows
from analytics_app.charts.svg import MARK
from analytics_app.charts.words import share

HEIGHT = 220
# The width of the numbers beside an axis, in pixels.
ASIDE = 52
# The greatest width of a bar with a label, in pixels.
WIDEST = 120


def stacked_chart(
    shares: Mapping[str, Mapping[str, float]], labels: Sequence[str], *, measure: str, ordered: bool
) -> Chart:
    """Return a chart with one whole bar for each row: `shares` has by row and label a share of one.

    Labels that are `ordered`, such as steps, have shades of one colour; other labels have different colours.
    """
    return partial(_stacked_chart, shares, labels, measure, ordered)


def _stacked_chart(
    shares: Mapping[str, Mapping[str, float]], labels: Sequence[str], measure: str, ordered: bool, room: Room
) -> Any:
    paints = paints_for(labels, ordered=ordered)
    pieces = {name: list(_pieces(parts, labels)) for name, parts in shares.items()}
    return bars_in_rows(pieces, labels, paints, room, measure=measure, ends=(0, 1))


def _pieces(parts: Mapping[str, float], labels: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield each piece of a bar with its start and end."""
    start = 0.0
    for label in labels:
        value = parts.get(label, 0.0)
        yield {"label": label, "value": value, "start": start, "end": start + value, "text": share(value)}
        start += value


def bars_chart(bars: Sequence[tuple[str, float]], *, measure: str, share: bool = True) -> Chart:
    """Return a chart with a bar for each label, in the order given; ranges such as "0 to 10" are on a scale.

    Bars are shares of one unless `share` is false.
    """
    return partial(_bars_chart, bars, measure, share)


def _bars_chart(bars: Sequence[tuple[str, float]], measure: str, share: bool, room: Room) -> Any:
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
    width = room.width - ASIDE
    if any(low is None for low, _high in edges):
        width = min(width, WIDEST * len(bars))
        upright = room.longest(str(entry["label"]) for entry in data) > width / len(bars)
        axis = alt.Axis(
            title=measure, titleAnchor="start", labelAngle=-90 if upright else 0, labelFlush=False, grid=False
        )
        order = [str(entry["label"]) for entry in data]
        chart = bar.encode(x=alt.X("label:N", sort=order, scale=alt.Scale(paddingInner=0.15), axis=axis), y=up)
    else:
        axis = alt.Axis(title=measure, titleAnchor="start", tickCount=5, grid=False)
        chart = bar.encode(
            x=alt.X("low:Q", bin="binned", axis=axis, scale=alt.Scale(zero=False)), x2=alt.X2("high:Q"), y=up
        )
    return chart.properties(width=width, height=HEIGHT)


def _edges(label: str) -> tuple[float | None, float | None]:
    """Return the ends of a range such as "0 to 10", None for a step."""
    low, _to, high = label.partition(" to ")
    try:
        return float(low), float(high)
    except ValueError:
        return None, None
