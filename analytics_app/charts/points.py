"""Points with intervals, one row each, with the name above its line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import ceil, floor, log10
from typing import Any

from analytics_app.charts.drawing import SMALL, WIDTH
from analytics_app.charts.svg import INK, LIMIT, MARK, QUIET, SOFT

ROW = 50
# Above the middle of a row stands its name, on the middle the interval, below it the second one.
NAME_UP, SECOND_DOWN, LIMIT_DOWN, LIMIT_SIZE = -13, 9, 6, 20
NAME_SHARE = 0.78
LEAST_TICKS, MOST_TICKS = 3, 6
# A chart of more rows is read as a table.
MOST_ROWS = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A named value, its text, an interval and a second one (over raters). `shown` is the name as it is drawn."""

    name: str
    shown: str
    value: float
    text: str
    low: float | None = None
    high: float | None = None
    low_b: float | None = None
    high_b: float | None = None
    p: float | None = None
    n: int | None = None


def points_chart(
    points: Sequence[Point],
    *,
    measure: str,
    limits: Sequence[tuple[float, str]] = (),
    domain: tuple[float, float] | None = None,
    log: bool = False,
) -> Any:
    """Return the chart (altair) of at least one point, in the order given.

    `limits` are lines with a word each, such as zero; `domain` are ends that the axis shows at least. With `log` the
    axis is one of logarithms, on which two and a half stand equally far from one; values are then above zero.
    """
    import altair as alt  # noqa: PLC0415  slow to import, for jobs alone

    data = [{"row": row, **asdict(point)} for row, point in enumerate(points[:MOST_ROWS])]
    ends = _ends(points, limits, domain)
    axis = alt.Axis(title=measure, tickCount=5, titleAnchor="start", grid=True)
    scale = alt.Scale(zero=False, nice=True, domain=ends, padding=6)
    if log:
        axis = alt.Axis(title=measure, values=log_ticks(*ends), format="~g", titleAnchor="start", grid=True)
        scale = alt.Scale(type="log", nice=False, domain=ends, padding=6)
    base = alt.Chart().encode(y=alt.Y("row:O", axis=None))

    def across(field: str) -> Any:
        return alt.X(f"{field}:Q", scale=scale, axis=axis)

    lines, heads = _limit_layers(base, limits, scale, axis)
    layers = [
        *lines,
        base.mark_rule(strokeWidth=4, color=MARK).encode(x=across("low"), x2="high:Q"),
        base.mark_point(filled=True, size=110, opacity=1, color=MARK).encode(x=across("value")),
        base.mark_text(align="left", dy=NAME_UP, color=INK, limit=WIDTH * NAME_SHARE).encode(
            x=alt.value(0), text="shown:N"
        ),
        base.mark_text(align="right", dy=NAME_UP, color=INK, fontWeight="bold").encode(
            x=alt.value(WIDTH), text="text:N"
        ),
        *heads,
    ]
    if any(point.low_b is not None for point in points):
        second: dict[str, Any] = {"color": SOFT, "yOffset": SECOND_DOWN, "opacity": 1}
        ticks = [base.mark_tick(thickness=1.5, size=7, **second).encode(x=across(end)) for end in ("low_b", "high_b")]
        layers[:0] = [base.mark_rule(strokeWidth=1.5, **second).encode(x=across("low_b"), x2="high_b:Q"), *ticks]
    whole = alt.layer(*layers, data=alt.InlineData(values=data, name="points"))
    return whole.properties(width=WIDTH, height=alt.Step(ROW))


def _limit_layers(base: Any, limits: Sequence[tuple[float, str]], scale: Any, axis: Any) -> tuple[list[Any], list[Any]]:
    """Return the lines of limits, and the words above them."""
    import altair as alt  # noqa: PLC0415  slow to import, for jobs alone

    at = [alt.XDatum(value, type="quantitative", scale=scale, axis=axis) for value, _word in limits]
    # A piece in each row, beside the interval: a line from top to bottom would strike the names through.
    piece = base.mark_tick(thickness=1.5, size=LIMIT_SIZE, color=LIMIT, yOffset=LIMIT_DOWN, opacity=1)
    head = base.transform_filter("datum.row === 0").mark_text(
        dy=-ROW / 2 - 2, baseline="bottom", fontSize=SMALL, color=QUIET
    )
    heads = [head.encode(x=x, text=alt.value(word)) for x, (_value, word) in zip(at, limits, strict=True)]
    return [piece.encode(x=x) for x in at], heads


def log_ticks(low: float, high: float) -> list[float]:
    """Return up to six round numbers between two numbers above zero, spread over their logarithms."""
    decades = range(floor(log10(low)), ceil(log10(high)) + 1)
    for steps in ((1.0,), (1.0, 2.0, 5.0), (1.0, 1.5, 2.0, 3.0, 5.0, 7.0)):
        inside = [tick for k in decades for step in steps if low <= (tick := round(step * 10.0**k, 12)) <= high]
        if len(inside) >= LEAST_TICKS:
            return inside[:: ceil(len(inside) / MOST_TICKS)]
    # So near each other that logarithms hardly bend the axis.
    least = (high - low) / (MOST_TICKS - 1)
    step = next(one for k in (1, 2, 5, 10) if (one := k * 10.0 ** floor(log10(least))) >= least)
    return [round(k * step, 12) for k in range(ceil(low / step), floor(high / step) + 1)]


def _ends(
    points: Sequence[Point], limits: Sequence[tuple[float, str]], domain: tuple[float, float] | None
) -> list[float]:
    """Return the ends of the axis: everything that is drawn fits between them."""
    drawn = [value for value, _word in limits] + list(domain or ())
    for one in points:
        drawn += [end for end in (one.value, one.low, one.high, one.low_b, one.high_b) if end is not None]
    least, most = min(drawn), max(drawn)
    # Values that are all alike still need an axis.
    return [least, most] if most > least else [least - 0.5, most + 0.5]
