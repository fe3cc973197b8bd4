"""The chart of a semantic differential: the profile of systems."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from analytics_app.charts import words
from analytics_app.charts.drawing import Sketch
from analytics_app.charts.lines import MOST_LINES
from analytics_app.charts.picking import INTERVAL, Material, counted, setting, value_of
from analytics_app.charts.profile import profile_chart
from analytics_app.charts.registry import chart
from analytics_app.results import Row


@chart(order=11)
def profile(of: Material) -> Iterator[Sketch]:
    """Draw where each system stands between the words of every pair: a line a system."""
    found = [row for row in of.of("profile_mean") if row.system and row.label]
    if not found:
        return
    pairs = list(dict.fromkeys(str(row.label) for row in found))
    systems = _by_mean(found)
    drawn = systems[:MOST_LINES]
    points = []
    for row in found:
        if row.system in drawn:
            name = str((row.settings or {}).get("pair") or row.label)
            left, dash, right = name.partition(" – ")
            points.append(
                {
                    "row": pairs.index(str(row.label)),
                    "label": name,
                    "left": left if dash else name,
                    "right": right,
                    "name": str(row.system),
                    "value": value_of(row),
                    "low": row.low,
                    "high": row.high,
                }
            )
    limits = setting(found, "limits") or [-3, 3]
    more = f", the {len(drawn)} highest of {len(systems)} systems" if len(systems) > len(drawn) else ""
    yield Sketch(
        kind="profile",
        title=_apart(found, pairs),
        subtitle=(
            f"Mean rating of each pair of words{more}, steps taken as equal; {of.basis(found)}. "
            f"Lines at points: {of.interval(found, 'items')}.{counted(found)}"
        ),
        by_system=True,
        chart=profile_chart(points, drawn, (limits[0], limits[1]), measure="Mean"),
        columns=(("label", "Pair"), ("name", "System"), ("value", "Mean"), *INTERVAL),
    )


def _by_mean(found: Sequence[Row]) -> list[str]:
    """Return the systems, the one with the highest mean over all pairs first."""
    means: dict[str, list[float]] = {}
    for row in found:
        means.setdefault(str(row.system), []).append(value_of(row))
    return sorted(means, key=lambda system: (-sum(means[system]) / len(means[system]), system))


def _apart(found: Sequence[Row], pairs: Sequence[str]) -> str:
    """Name the pairs on which the intervals of the systems at both ends do not meet."""
    apart = []
    for pair in pairs:
        mine = sorted((row for row in found if row.label == pair), key=value_of)
        if len(mine) < 2 or mine[0].high is None or mine[-1].low is None:
            continue
        if mine[-1].low > mine[0].high:
            apart.append((value_of(mine[-1]) - value_of(mine[0]), pair))
    if not apart:
        return f"Profile of systems over {len(pairs)} pairs of words"
    names = [pair for _distance, pair in sorted(apart, reverse=True)]
    return f"Systems lie furthest apart on {words.names(names[:3])}"
