"""Charts of features: means by feature, and the dependence of differences between systems on features."""

from collections.abc import Iterator
from dataclasses import replace

from analytics_app.charts import words
from analytics_app.charts.drawing import Sketch, chart
from analytics_app.charts.picking import INTERVAL, Material, beside, pair_point, point, setting, value_of
from analytics_app.charts.points import MOST_ROWS, points_chart


@chart(order=62)
def means_by_feature(material: Material) -> Iterator[Sketch]:
    """Draw the mean of each group of outputs."""
    rows = [row for row in material.of("feature_mean") if row.system is None]
    if len(rows) < 2:
        return
    largest = max(abs(value_of(row)) for row in rows)
    points = [point(row, words.number(value_of(row), largest), name=row.label, n=row.n_ratings) for row in rows]
    yield Sketch(
        kind="means-by-feature",
        title=f"Mean ratings of {material.name} by features of outputs",
        subtitle=f"Mean of each group of outputs with its {material.interval(rows, 'items')}; {material.basis(rows)}.",
        by_system=False,
        chart=points_chart(points, measure="Mean"),
        columns=(("name", "Feature"), ("value", "Mean"), *INTERVAL, ("n", "Ratings")),
    )


@chart(order=63)
def contrasts_by_feature(material: Material) -> Iterator[Sketch]:
    """Draw the contrasts: the difference of two systems on outputs with a value minus that on all others."""
    rows = sorted(material.of("feature_contrast"), key=lambda row: -abs(value_of(row)))
    if len(rows) < 2:
        return
    largest = abs(value_of(rows[0]))
    points = []
    for row in rows[:MOST_ROWS]:
        contrast = pair_point(row, words.number(value_of(row), largest), sign="−")
        points.append(
            replace(
                contrast, name=f"{contrast.name}, {row.label}", shown=f"{contrast.shown}, {words.isolated(row.label)}"
            )
        )
    n_clear = sum(beside(row, 0.0) for row in rows)
    more = f", the {MOST_ROWS} largest of {len(rows)}" if len(rows) > MOST_ROWS else ""
    yield Sketch(
        kind="contrasts-by-feature",
        title=f"Differences of systems on {material.name} by feature: {n_clear} of {len(rows)} intervals exclude zero",
        subtitle=(
            f"Difference on outputs with the value minus that on all others{more}. "
            f"Interval: {setting(rows, 'interval')}; {material.basis(rows)}."
        ),
        by_system=True,
        chart=points_chart(points, measure="Difference of differences", limits=((0.0, "the same"),)),
        columns=(("name", "Pair and feature"), ("value", "Difference"), *INTERVAL, ("p", "Adjusted p")),
        further=True,
    )
