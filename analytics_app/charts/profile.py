"""Profiles over pairs of words: one line for each name over all rows, with words at both ends of the scale."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from analytics_app.charts.lines import APART, PLAIN, offset_of, series
from analytics_app.charts.paints import LINES
from analytics_app.charts.room import WIDE, Chart, Room, in_lines
from analytics_app.charts.rows import SYMBOL, legend
from analytics_app.charts.svg import INK

# The least height of a row, the space above and below its points, and the space between words and the scale.
ROW, FREE, GAP = 38, 16, 12
# The greatest share of a wide room for the words of one side.
SIDE = 0.26
# A reader's letters may be wider than those that were measured, by this much.
WIDER = 1.08
# The space between two names above the lines, and between the names and the first row.
BETWEEN, OVER = 18, 22
# The space that the renderer leaves at both ends of the scale.
PADDING = 4


def profile_chart(
    points: Sequence[Mapping[str, Any]], names: Sequence[str], limits: tuple[float, float], *, measure: str
) -> Chart:
    """Return a chart with one line for each name over all rows, and the words of each row at both ends.

    A point has row, name, value, low, high, and the words `left` and `right`. In a narrow room the words are above
    their row, so that the scale has the whole width. Names are above their lines if there is room for all of them,
    else in a legend.
    """
    return partial(_profile_chart, points, names, limits, measure)


def _profile_chart(
    points: Sequence[Mapping[str, Any]], names: Sequence[str], limits: tuple[float, float], measure: str, room: Room
) -> Any:
    import altair as alt  # noqa: PLC0415  slow to import, for jobs alone

    beside = room is WIDE
    sides = [_side(room, [str(point[side]) for point in points], beside) for side in ("left", "right")]
    left, right = (width if beside else 0.0 for width, _lines in sides)
    inside = room.width - left - right
    data, height = _placed(points, [lines for _width, lines in sides], len(names), room, beside)
    axis = alt.Axis(title=measure, titleAnchor="middle", orient="bottom", tickCount=5, grid=True, format=PLAIN)
    scale = alt.Scale(domain=list(limits), nice=False, zero=False, padding=PADDING)
    down = alt.Scale(domain=[height, 0], nice=False, zero=False)
    base = alt.Chart().encode(y=alt.Y("middle:Q", scale=down, axis=None))
    first = alt.Chart().transform_filter("datum.worded")
    first = first.encode(y=alt.Y("named:Q", scale=down, axis=None))
    labels = list(_labels(data, names, limits, inside, room)) if beside else []
    layers = [_named(label, down, scale) for label in labels]
    key = None if labels else legend(None, names, room)
    if key is not None:
        key.offset, key.symbolOpacity, key.labelLimit = 26, 1, room.width - SYMBOL
    layers += series(base, names, lambda field: alt.X(f"{field}:Q", scale=scale, axis=axis), key, "yOffset", "x2")
    # Words above a row lie over the lines that cross them.
    layers += [
        in_lines(first, room, "left_lines", x=-GAP if beside else 0, align="right" if beside else "left"),
        in_lines(first, room, "right_lines", x=inside + GAP if beside else inside, align="left" if beside else "right"),
        *(_name(label, down, scale) for label in labels),
    ]
    return alt.layer(*layers, data=alt.InlineData(values=data, name="points"), width=round(inside), height=height)


def _side(room: Room, words: Sequence[str], beside: bool) -> tuple[float, list[list[str]]]:
    """Return the width of the words of a side, and their lines."""
    if not beside:
        return 0.0, [room.lines(text, (room.width - GAP) / 2) for text in words]
    width = min(room.longest(words), room.width * SIDE)
    return round(width * WIDER + GAP), [room.lines(text, width) for text in words]


def _placed(
    points: Sequence[Mapping[str, Any]], sides: Sequence[Sequence[list[str]]], n: int, room: Room, beside: bool
) -> tuple[list[dict[str, Any]], float]:
    """Return the points with the places of their rows and of the words, and the height of all rows."""
    tall: dict[int, int] = {}
    for point, *lines in zip(points, *sides, strict=True):
        tall[point["row"]] = max(tall.get(point["row"], 1), *map(len, lines))
    middle, named, top = {}, {}, 0.0
    for row in sorted(tall):
        words = tall[row] * room.line
        high: float = max(ROW, n * APART + FREE)
        if beside:
            high = max(high, words + FREE / 2)
            middle[row] = named[row] = top + high / 2
        else:
            named[row], middle[row] = top + words / 2, top + words + high / 2
            high += words
        top += high
    rows = [point["row"] for point in points]
    return [
        {
            **point,
            "left_lines": left,
            "right_lines": right,
            "middle": middle[point["row"]],
            "named": named[point["row"]],
            "worded": point["row"] not in rows[:place],
        }
        for place, (point, left, right) in enumerate(zip(points, *sides, strict=True))
    ], top


def _labels(
    data: Sequence[Mapping[str, Any]], names: Sequence[str], limits: tuple[float, float], inside: float, room: Room
) -> Iterator[dict[str, Any]]:
    """Yield the places of names above the first points of their lines; nothing if they do not fit side by side."""
    low, high = limits
    step = (inside - 2 * PADDING) / (high - low)
    first = {point["name"]: point for point in data if point["row"] == 0}
    order = sorted((name for name in names if name in first), key=lambda name: (first[name]["value"], name))
    widths = [room.length(name) for name in order]
    if len(order) < len(names) or sum(widths) + BETWEEN * (len(order) - 1) > inside:
        return
    at = spread([PADDING + (first[name]["value"] - low) * step for name in order], widths, inside)
    for name, place in zip(order, at, strict=True):
        number = names.index(name)
        yield {
            "text": name,
            "colour": LINES[number],
            "x": low + (place - PADDING) / step,
            "y": -OVER,
            "to_x": first[name]["value"],
            "to_y": first[name]["middle"] + offset_of(number, len(names)),
        }


def spread(targets: Sequence[float], widths: Sequence[float], inside: float) -> list[float]:
    """Return the middles of names side by side, as near their ascending targets as possible (least squares).

    Names that would touch are moved apart around the mean of their targets; all stay between 0 and `inside`.
    """
    # The distance from the middle of the first name to that of each name, if all touched.
    steps = [0.0]
    for number in range(1, len(widths)):
        steps.append(steps[-1] + (widths[number - 1] + widths[number]) / 2 + BETWEEN)
    # Pools of names that touch: the sum and the number of their targets without these steps (pool adjacent violators).
    pools: list[tuple[float, int]] = []
    for target, step in zip(targets, steps, strict=True):
        total, n = target - step, 1
        while pools and pools[-1][0] / pools[-1][1] > total / n:
            total, n = total + pools[-1][0], n + pools.pop()[1]
        pools.append((total, n))
    starts = [total / n for total, n in pools for _name in range(n)]
    least, most = widths[0] / 2, inside - widths[-1] / 2 - steps[-1]
    return [min(max(start, least), most) + step for start, step in zip(starts, steps, strict=True)]


def _named(label: Mapping[str, Any], down: Any, scale: Any) -> Any:
    """Return the line from a name to its first point."""
    import altair as alt  # noqa: PLC0415

    return (
        alt.Chart(alt.InlineData(values=[dict(label)]))
        .mark_rule(color=label["colour"], strokeWidth=1.5, strokeDash=[2, 2])
        .encode(
            x=alt.X("x:Q", scale=scale),
            x2=alt.X2("to_x:Q"),
            y=alt.Y("y:Q", scale=down, axis=None),
            y2=alt.Y2("to_y:Q"),
        )
    )


def _name(label: Mapping[str, Any], down: Any, scale: Any) -> Any:
    """Return a name above its line."""
    import altair as alt  # noqa: PLC0415

    return (
        alt.Chart(alt.InlineData(values=[dict(label)]))
        .mark_text(baseline="bottom", dy=-2, color=INK, fontWeight="bold")
        .encode(x=alt.X("x:Q", scale=scale), y=alt.Y("y:Q", scale=down, axis=None), text=alt.Text("text:N"))
    )
