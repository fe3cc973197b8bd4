"""Points with intervals, one row each, with the name above its line."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from math import ceil, floor, log10
from typing import Any, Literal

from analytics_app.charts.room import Chart, Gutter, Room, fixed, gutter_for, in_lines
from analytics_app.charts.svg import INK, LIMIT, MARK, QUIET, SOFT

# The least height of a row beside its name, of an interval below its name, and the height that a second one adds.
ROW, BELOW_NAME, SECOND = 34, 28, 6
# The second interval lies below the first.
SECOND_DOWN = 9
# The space between the lines of names and the values, and above and below a limit's line.
GAP, OVER = 12, 4
LEAST_TICKS, MOST_TICKS = 3, 6
# The least distance of ticks, and half the width of the longest label, which extends beyond the end of an axis.
TICK, EDGE = 75, 20
# The most rows of a readable chart.
MOST_ROWS = 40
PERCENT = "format(datum.value * 100, '~g') + ' %'"


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A named value, its text, an interval and a second one (over raters). `shown` is the drawn form of the name."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """Options of the axis of values: title, lines with a word each, ends that it includes, and kind of scale."""

    measure: str
    limits: Sequence[tuple[float, str]]
    domain: tuple[float, float] | None
    log: bool
    whole: bool
    percent: bool


def points_chart(
    points: Sequence[Point],
    *,
    measure: str,
    limits: Sequence[tuple[float, str]] = (),
    domain: tuple[float, float] | None = None,
    log: bool = False,
    whole: bool = False,
    percent: bool = False,
) -> Chart:
    """Return the chart (altair) of at least one point, in the order given.

    `limits` are lines with a word each, such as zero; `domain` are ends that the axis includes. With `log` the axis is
    logarithmic, so that 2 and 0.5 are equally far from 1; values are then above zero. With `whole` it has whole
    numbers, with `percent` it shows shares as percentages.
    """
    scale = Scale(measure=measure, limits=limits, domain=domain, log=log, whole=whole, percent=percent)
    return partial(_points_chart, points[:MOST_ROWS], scale)


def _points_chart(points: Sequence[Point], options: Scale, room: Room) -> Any:
    import altair as alt  # noqa: PLC0415  slow to import, for jobs alone

    aside = round(room.longest(point.text for point in points) + GAP)
    gutter = gutter_for(room, [point.shown for point in points], above=room.width - aside)
    data, height = _rows(points, gutter, room)
    left, right = (gutter.width, aside) if gutter.beside else (EDGE, EDGE)
    inside = room.width - left - right
    scale, axis = _scale_and_axis(
        points, options, max(2, min(MOST_TICKS, int(inside // TICK))), room.lines(options.measure, inside)
    )
    down = alt.Y("middle:Q", scale=alt.Scale(domain=[height, 0], nice=False, zero=False), axis=None)
    base = alt.Chart().encode(y=down)

    def across(field: str) -> Any:
        return alt.X(f"{field}:Q", scale=scale, axis=axis)

    names = base.encode(y=alt.Y("named:Q", scale=alt.Scale(domain=[height, 0], nice=False, zero=False), axis=None))
    layers = [
        *_limit_layers(options.limits, scale, axis, room),
        base.mark_rule(strokeWidth=4, color=MARK).encode(x=across("low"), x2=alt.X2("high:Q")),
        base.mark_point(filled=True, size=110, opacity=1, color=MARK).encode(x=across("value")),
        in_lines(names, room, x=-left),
        names.mark_text(align="right", color=INK, fontWeight="bold").encode(
            x=fixed("X", inside + right), text=alt.Text("text:N")
        ),
    ]
    if any(point.low_b is not None for point in points):
        second: dict[str, Any] = {"color": SOFT, "yOffset": SECOND_DOWN, "opacity": 1}
        ticks = [base.mark_tick(thickness=1.5, size=7, **second).encode(x=across(end)) for end in ("low_b", "high_b")]
        layers[:0] = [
            base.mark_rule(strokeWidth=1.5, **second).encode(x=across("low_b"), x2=alt.X2("high_b:Q")),
            *ticks,
        ]
    return alt.layer(*layers, data=alt.InlineData(values=data, name="points"), width=inside, height=height)


def _rows(points: Sequence[Point], gutter: Gutter, room: Room) -> tuple[list[dict[str, Any]], float]:
    """Return the data with the place of each row, and the height of all rows."""
    second = SECOND if any(point.low_b is not None for point in points) else 0
    data: list[dict[str, Any]] = []
    top = 0.0
    for point, lines, above in zip(points, gutter.lines, gutter.above, strict=True):
        high = above + BELOW_NAME + second if above else max(ROW, len(lines) * room.line + GAP) + second
        middle = top + above + BELOW_NAME / 2 if above else top + (high - second) / 2
        named = top + above / 2 if above else middle
        data.append({**asdict(point), "lines": list(lines), "middle": middle, "named": named, "first": not data})
        top += high
    return data, top


def _scale_and_axis(points: Sequence[Point], options: Scale, ticks: int, title: list[str]) -> tuple[Any, Any]:
    import altair as alt  # noqa: PLC0415

    ends = _ends(points, options.limits, options.domain)
    common: dict[str, Any] = {"title": title, "titleAnchor": "start", "grid": True}
    if options.log:
        axis = alt.Axis(values=log_ticks(*ends), format="~g", labelFlush=False, **common)
        return alt.Scale(type="log", nice=False, domain=ends, padding=6), axis
    more: dict[str, Any] = {"labelExpr": PERCENT} if options.percent else {}
    if options.whole:
        first, last = ceil(ends[0]), floor(ends[1])
        more |= {"values": list(range(first, last + 1, ceil((last - first) / MOST_TICKS) or 1)), "format": "d"}
    # An axis of ranks has few whole numbers and ends with them.
    scale = alt.Scale(zero=False, nice=not options.whole, domain=ends, padding=6)
    return scale, alt.Axis(tickCount=ticks, labelFlush=False, labelSeparation=8, **common, **more)


def _limit_layers(limits: Sequence[tuple[float, str]], scale: Any, axis: Any, room: Room) -> list[Any]:
    """Return the lines of limits, from top to bottom, with the words above them."""
    import altair as alt  # noqa: PLC0415

    once = alt.Chart().transform_filter("datum.first")
    layers = []
    sides: tuple[Literal["right", "left"], ...] = ("right", "left")
    for number, (value, word) in enumerate(limits):
        at = alt.XDatum(value, type="quantitative", scale=scale, axis=axis)
        # The words of two lines are on the outer sides, since the lines may be near each other.
        align = "center" if len(limits) == 1 else sides[number]
        layers.append(once.mark_rule(strokeWidth=1.5, color=LIMIT).encode(x=at))
        layers.append(
            once.mark_text(align=align, baseline="bottom", fontSize=room.letters, color=QUIET).encode(
                x=at, y=fixed("Y", -OVER), text=alt.TextValue(word)
            )
        )
    return layers


def log_ticks(low: float, high: float) -> list[float]:
    """Return up to six round numbers between two numbers above zero, spread over their logarithms."""
    decades = range(floor(log10(low)), ceil(log10(high)) + 1)
    for steps in ((1.0,), (1.0, 2.0, 5.0), (1.0, 1.5, 2.0, 3.0, 5.0, 7.0)):
        inside = [tick for k in decades for step in steps if low <= (tick := round(step * 10.0**k, 12)) <= high]
        if len(inside) >= LEAST_TICKS:
            return inside[:: ceil(len(inside) / MOST_TICKS)]
    # The numbers are so near each other that a logarithmic axis is nearly linear.
    least = (high - low) / (MOST_TICKS - 1)
    step = next(candidate for k in (1, 2, 5, 10) if (candidate := k * 10.0 ** floor(log10(least))) >= least)
    return [round(k * step, 12) for k in range(ceil(low / step), floor(high / step) + 1)]


def _ends(
    points: Sequence[Point], limits: Sequence[tuple[float, str]], domain: tuple[float, float] | None
) -> list[float]:
    """Return the ends of the axis, which include all points, intervals and limits."""
    values = [value for value, _word in limits] + list(domain or ())
    for point in points:
        values += [end for end in (point.value, point.low, point.high, point.low_b, point.high_b) if end is not None]
    least, most = min(values), max(values)
    # Equal values still need an axis with a length.
    return [least, most] if most > least else [least - 0.5, most + 0.5]
