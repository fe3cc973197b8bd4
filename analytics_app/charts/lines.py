"""Lines of a few things, told apart by colour and by the shape of their points: profiles, and courses over time."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from analytics_app.charts.bars import legend_columns
from analytics_app.charts.drawing import SMALL, WIDTH
from analytics_app.charts.svg import INK, LIMIT, QUIET

# Of middle lightness, so that each stands out on light and on dark ground (3 to 1 at least).
COLOURS = ("#2f7fd6", "#c2660c", "#2b8a57", "#8b62c9", "#c8507c", "#74808f")
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
MOST_LINES = len(COLOURS)

PAIR_ROW, ASIDE, GAP = 34, 104, 10
APART = 7
PANEL = 150


def profile_chart(
    points: Sequence[Mapping[str, Any]], names: Sequence[str], limits: tuple[float, float], *, measure: str
) -> Any:
    """Return a line for each name from row to row, the words of a row at both ends.

    A point has row, name, value, low, high, and the words `left` and `right`.
    """
    import altair as alt  # noqa: PLC0415  slow to import, for jobs alone

    inside = WIDTH - 2 * ASIDE
    axis = alt.Axis(title=measure, titleAnchor="middle", orient="bottom", tickCount=3, grid=True, format="~g")
    scale = alt.Scale(domain=list(limits), nice=False, zero=False, padding=4)
    y = alt.Y("row:O", axis=None)
    base = alt.Chart().encode(y=y)
    words: dict[str, Any] = {"fontSize": SMALL, "color": INK, "limit": ASIDE - GAP}
    first = base.transform_filter(f"datum.name === {_quoted(names[0])}")
    layers = [
        # Nothing to see: it keeps the room for the words, which a page's letters may need more of than the renderer's.
        first.mark_rect(fill="transparent").encode(x=alt.value(-ASIDE), x2=alt.value(inside + ASIDE)),
        first.mark_text(align="right", **words).encode(x=alt.value(-GAP), text="left:N"),
        first.mark_text(align="left", **words).encode(x=alt.value(inside + GAP), text="right:N"),
    ]
    layers += _series(base, names, lambda field: alt.X(f"{field}:Q", scale=scale, axis=axis), "yOffset", "x2")
    whole = alt.layer(*layers, data=alt.InlineData(values=list(points), name="points"))
    return whole.properties(width=inside, height=alt.Step(PAIR_ROW))


def course_chart(
    panels: Sequence[tuple[str, str]], points: Sequence[Mapping[str, Any]], names: Sequence[str], times: Sequence[str]
) -> Any:
    """Return a panel for each (key, title), with a line for each name over times.

    A point has panel, time, name, value, low and high. Axes begin where the intervals do: points need no zero.
    """
    import altair as alt  # noqa: PLC0415

    charts = []
    for number, (key, title) in enumerate(panels):
        base = alt.Chart().transform_filter(f"datum.panel === {_quoted(key)}")
        last = number == len(panels) - 1
        axis = alt.Axis(title=None, labelAngle=0, labels=last, grid=False, labelLimit=WIDTH / max(1, len(times)))
        spread = alt.Scale(padding=0.4)
        base = base.encode(x=alt.X("time:O", sort=list(times), axis=axis, scale=spread))
        # The title of an axis would stand beside it and be turned.
        head = (
            base.transform_filter(f"datum.time === {_quoted(times[0])} && datum.name === {_quoted(names[0])}")
            .mark_text(align="left", baseline="bottom", fontWeight="bold", color=INK)
            .encode(x=alt.value(-30), y=alt.value(-8), text=alt.value(title))
        )
        up = alt.Scale(domain=_ends([one for one in points if one["panel"] == key]), nice=True, zero=False)
        scores = alt.Axis(title=None, tickCount=4, format="~g")

        def high(field: str, up: Any = up, scores: Any = scores) -> Any:
            return alt.Y(f"{field}:Q", scale=up, axis=scores)

        layers = [head, *_series(base, names, high, "xOffset", "y2")]
        charts.append(alt.layer(*layers).properties(width=WIDTH - 40, height=PANEL))
    whole = alt.vconcat(*charts, data=alt.InlineData(values=list(points), name="points"), spacing=30)
    return whole.resolve_scale(y="independent")


def scree_chart(points: Sequence[Mapping[str, Any]]) -> Any:
    """Return eigenvalues by their number, and below which random data would have them."""
    import altair as alt  # noqa: PLC0415

    axis = alt.Axis(title="Number of the eigenvalue", titleAnchor="start", tickMinStep=1, format="d", grid=False)
    most = max(int(one["number"]) for one in points)
    x = alt.X("number:Q", axis=axis, scale=alt.Scale(domain=[1, most], nice=False, padding=10))
    base = alt.Chart().encode(x=x)

    def high(field: str) -> Any:
        return alt.Y(f"{field}:Q", axis=alt.Axis(title=None, tickCount=5, format="~g"), scale=alt.Scale(domainMin=0))

    late = base.transform_filter(f"datum.number === {1 + round((most - 1) * 2 / 3)}")
    layers = [
        base.mark_line(color=LIMIT, strokeWidth=1.5, strokeDash=[5, 4]).encode(y=high("random")),
        base.mark_line(color=COLOURS[0], strokeWidth=2).encode(y=high("value")),
        base.mark_point(filled=True, size=70, opacity=1, color=COLOURS[0]).encode(y=high("value")),
        late.mark_text(align="left", dy=-10, fontSize=SMALL, color=QUIET).encode(
            y=high("random"), text=alt.value("random data")
        ),
        base.transform_filter("datum.number === 1")
        .mark_text(align="left", dx=10, fontSize=SMALL, color=INK)
        .encode(y=high("value"), text=alt.value("these ratings")),
    ]
    whole = alt.layer(*layers, data=alt.InlineData(values=list(points), name="points"))
    return whole.properties(width=WIDTH - 40, height=190)


def _series(base: Any, names: Sequence[str], along: Any, offset: str, second: str) -> list[Any]:
    """Return interval, line and points of each name, a little apart from one another."""
    import altair as alt  # noqa: PLC0415

    n = len(names)
    legend = alt.Legend(title=None, orient="top", columns=legend_columns(names), offset=26, symbolOpacity=1)
    colour = alt.Color("name:N", scale=alt.Scale(domain=list(names), range=list(COLOURS[:n])), legend=legend)
    shape = alt.Shape("name:N", scale=alt.Scale(domain=list(names), range=list(SHAPES[:n])), legend=legend)
    value = "x" if second == "x2" else "y"
    layers = []
    for number, name in enumerate(names):
        aside = {offset: (number - (n - 1) / 2) * APART}
        mine = base.transform_filter(f"datum.name === {_quoted(name)}")
        ends = {value: along("low"), second: alt.X2("high:Q") if second == "x2" else alt.Y2("high:Q")}
        across = {value: along("value")}
        layers += [
            mine.mark_rule(strokeWidth=2, opacity=0.55, **aside).encode(color=colour, **ends),
            mine.mark_line(strokeWidth=2, **aside).encode(color=colour, **across)
            if second == "y2"
            else mine.mark_line(strokeWidth=2, **aside).encode(color=colour, order="row:O", **across),
            mine.mark_point(filled=True, size=80, opacity=1, **aside).encode(color=colour, shape=shape, **across),
        ]
    return layers


def _ends(points: Sequence[Mapping[str, Any]]) -> list[float]:
    drawn = [float(one[name]) for one in points for name in ("value", "low", "high") if one[name] is not None]
    least, most = min(drawn), max(drawn)
    return [least, most] if most > least else [least - 0.5, most + 0.5]


def _quoted(text: str) -> str:
    """Write a text as a renderer's expression has it."""
    return json.dumps(text)
