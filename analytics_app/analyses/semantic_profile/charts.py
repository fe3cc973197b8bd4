"""The chart of a semantic differential: the profile of systems."""

from collections.abc import Iterator, Sequence

from analytics_app.charts import words
from analytics_app.charts.drawing import Sketch, chart
from analytics_app.charts.lines import MOST_LINES
from analytics_app.charts.picking import INTERVAL, Material, by_mean, counted, setting, value_of
from analytics_app.charts.profile import profile_chart
from analytics_app.results import Row


@chart(order=11)
def profile(material: Material) -> Iterator[Sketch]:
    """Draw the mean of each system between the words of every pair, one line for each system."""
    rows = [row for row in material.of("profile_mean") if row.system and row.label]
    if not rows:
        return
    pairs = list(dict.fromkeys(str(row.label) for row in rows))
    systems = by_mean(rows)
    shown_systems = systems[:MOST_LINES]
    points = []
    for row in rows:
        if row.system in shown_systems:
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
    limits = setting(rows, "limits") or [-3, 3]
    more = f", the {len(shown_systems)} highest of {len(systems)} systems" if len(systems) > len(shown_systems) else ""
    yield Sketch(
        kind="profile",
        title=_apart(rows, pairs),
        subtitle=(
            f"Mean rating of each pair of words{more}, steps taken as equal; {material.basis(rows)}. "
            f"Lines at points: {material.interval(rows, 'items')}.{counted(rows)}"
        ),
        by_system=True,
        chart=profile_chart(points, shown_systems, (limits[0], limits[1]), measure="Mean"),
        columns=(("label", "Pair"), ("name", "System"), ("value", "Mean"), *INTERVAL),
    )


def _apart(rows: Sequence[Row], pairs: Sequence[str]) -> str:
    """Return a title that names the pairs on which the intervals of lowest and highest system do not overlap."""
    apart = []
    for pair in pairs:
        mine = sorted((row for row in rows if row.label == pair), key=value_of)
        if len(mine) < 2 or mine[0].high is None or mine[-1].low is None:
            continue
        if mine[-1].low > mine[0].high:
            apart.append((value_of(mine[-1]) - value_of(mine[0]), pair))
    if not apart:
        return f"Profile of systems over {len(pairs)} pairs of words"
    names = [pair for _distance, pair in sorted(apart, reverse=True)]
    return f"Systems lie furthest apart on {words.names(names[:3])}"
