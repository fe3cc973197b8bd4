"""The chart of features: how far differences of systems depend on them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from analytics_app.charts import words
from analytics_app.charts.drawing import Sketch
from analytics_app.charts.picking import INTERVAL, Material, beside, pair_point, point, setting, value_of
from analytics_app.charts.points import MOST_ROWS, points_chart
from analytics_app.charts.registry import chart


@chart(order=62)
def means_by_feature(of: Material) -> Iterator[Sketch]:
    """Draw the mean of each group of outputs."""
    found = [row for row in of.of("feature_mean") if row.system is None]
    if len(found) < 2:
        return
    largest = max(abs(value_of(row)) for row in found)
    points = [point(row, words.number(value_of(row), largest), name=row.label, n=row.n_ratings) for row in found]
    yield Sketch(
        kind="means-by-feature",
        title=f"Mean ratings of {of.name} by features of outputs",
        subtitle=f"Mean of each group of outputs with its {of.interval(found, 'items')}; {of.basis(found)}.",
        by_system=False,
        chart=points_chart(points, measure="Mean"),
        columns=(("name", "Feature"), ("value", "Mean"), *INTERVAL, ("n", "Ratings")),
    )


@chart(order=63)
def contrasts_by_feature(of: Material) -> Iterator[Sketch]:
    """Draw how much more two systems differ on outputs with a value than on all others, with zero as a line."""
    found = sorted(of.of("feature_contrast"), key=lambda row: -abs(value_of(row)))
    if len(found) < 2:
        return
    largest = abs(value_of(found[0]))
    points = []
    for row in found[:MOST_ROWS]:
        one = pair_point(row, words.number(value_of(row), largest), sign="−")
        points.append(replace(one, name=f"{one.name}, {row.label}", shown=f"{one.shown}, {words.apart(row.label)}"))
    n_clear = sum(beside(row, 0.0) for row in found)
    more = f", the {MOST_ROWS} largest of {len(found)}" if len(found) > MOST_ROWS else ""
    yield Sketch(
        kind="contrasts-by-feature",
        title=f"Differences of systems on {of.name} by feature: {n_clear} of {len(found)} intervals exclude zero",
        subtitle=(
            f"Difference on outputs with the value minus that on all others{more}. "
            f"Interval: {setting(found, 'interval')}; {of.basis(found)}."
        ),
        by_system=True,
        chart=points_chart(points, measure="Difference of differences", limits=((0.0, "the same"),)),
        columns=(("name", "Pair and feature"), ("value", "Difference"), *INTERVAL, ("p", "Adjusted p")),
        further=True,
    )
