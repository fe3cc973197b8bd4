"""Charts of automatic metrics against people."""

from __future__ import annotations

from collections.abc import Iterator

from analytics_app.charts import words
from analytics_app.charts.drawing import Sketch
from analytics_app.charts.picking import (
    INTERVAL,
    Material,
    falling,
    only,
    point,
    value_of,
)
from analytics_app.charts.points import points_chart
from analytics_app.charts.ranked import apart
from analytics_app.charts.registry import chart


@chart(order=80)
def metrics_over_texts(of: Material) -> Iterator[Sketch]:
    """Draw the metrics by their correlation with people over texts."""
    yield from _metrics(of, "metric_pearson_texts", "metrics-texts", "over texts", "text")


@chart(order=81)
def metrics_over_systems(of: Material) -> Iterator[Sketch]:
    """Draw the metrics by their correlation with people over systems."""
    yield from _metrics(of, "metric_pearson_systems", "metrics-systems", "over systems", "system")


def _metrics(of: Material, statistic: str, kind: str, level: str, unit: str) -> Iterator[Sketch]:
    found = sorted((row for row in of.of(statistic) if row.metric), key=falling)
    if not found:
        return
    points = [point(row, words.bare(value_of(row)), name=row.metric, n=row.n_ratings) for row in found]
    whose = "people's ratings" + (f" for {of.name}" if of.criterion is not None else "")
    n = max((row.n_ratings or 0 for row in found), default=0)
    items = max((row.n_items or 0 for row in found), default=0)
    yield Sketch(
        kind=kind,
        title=apart(
            points,
            best=f"agrees best with people {level} ({points[0].text})",
            among=f"Among the metrics that agree best with people {level}",
            otherwise=f"How far metrics agree with people {level}",
        ),
        subtitle=(
            f"Pearson's correlation {level} with {whose}{only(found)}; {of.basis(found)}. "
            f"Line: {of.interval(found, 'items')}. {n:,} {unit}s, {items:,} items."
        ),
        by_system=True,
        chart=points_chart(points, measure="Pearson's r", limits=[(0.0, "none")]),
        columns=(("name", "Metric"), ("value", "Pearson's r"), *INTERVAL, ("n", unit.capitalize() + "s")),
    )
