"""Charts of counts of errors: the effect of one more error of each type on ratings and on scores of metrics."""

from collections.abc import Iterator, Sequence

from analytics_app.charts import words
from analytics_app.charts.drawing import Sketch, chart
from analytics_app.charts.picking import INTERVAL, Material, leading, point, setting, value_of
from analytics_app.charts.points import MOST_ROWS, points_chart
from analytics_app.results import Row


@chart(order=83)
def effects_of_errors(material: Material) -> Iterator[Sketch]:
    """Draw the effects on people and on each metric, under each type of error."""
    people = [row for row in leading(material, "error_effect") if row.label]
    if not people:
        return
    rows = [
        row
        for label in dict.fromkeys(row.label for row in people)
        for row in (*people, *material.of("error_effect_of_metric"))
        if row.label == label
    ][:MOST_ROWS]
    points = [
        point(row, words.bare(value_of(row)), name=f"{row.label}, {row.metric or 'people'}", n=row.n_items)
        for row in rows
    ]
    metrics = " and by metrics" if any(row.metric for row in rows) else ""
    yield Sketch(
        kind="effects-of-errors",
        title=f"Change with one more error of each type, by people{metrics}: {material.name}",
        subtitle=(
            f"Ordinary least squares, the other types held fixed; scales brought to 0 to 1; {material.basis(rows)}. "
            f"Line: {material.confidence * 100:g}{words.SPACE}% interval{_over(rows)}. "
            f"{max(row.n_items or 0 for row in rows):,} texts."
        ),
        by_system=True,
        chart=points_chart(points, measure="Change with one more error", limits=[(0.0, "none")]),
        columns=(("name", "Error"), ("value", "Change"), *INTERVAL, ("n", "Texts")),
    )


def _over(rows: Sequence[Row]) -> str:
    scope = setting(rows, "generalises_to")
    return f", that of people for {scope}" if scope else ""
