"""The chart of judged predictions: the share of right predictions of each model."""

from collections.abc import Iterator

from analytics_app.charts import words
from analytics_app.charts.drawing import Sketch, chart
from analytics_app.charts.picking import Material, point, value_of
from analytics_app.charts.points import points_chart


@chart(order=58)
def right_predictions(material: Material) -> Iterator[Sketch]:
    """Draw the share of right predictions of each model with its interval."""
    crossed = any(row.low is not None for row in material.of("prediction_right_crossed"))
    statistic = "prediction_right_crossed" if crossed else "prediction_right"
    rows = sorted((row for row in material.of(statistic) if row.system), key=value_of, reverse=True)
    if len(rows) < 2:
        return
    points = [point(row, words.share(value_of(row)), name=row.system, n=row.n_ratings) for row in rows]
    yield Sketch(
        kind="right-predictions",
        title=f"Share of right predictions: {points[0].text} to {points[-1].text} on {material.name}",
        subtitle=(
            f"Share of right predictions of each model, with its {material.interval(rows, 'items')}; "
            f"{material.basis(rows)}."
        ),
        by_system=True,
        chart=points_chart(points, measure="Right predictions", domain=(0.0, 1.0), percent=True),
        columns=(("name", "Model"), ("value", "Right"), ("low", "Low"), ("high", "High"), ("n", "Answers")),
    )
