"""The chart of trust coefficients of raters."""

from collections.abc import Iterator

from analytics_app.charts import words
from analytics_app.charts.drawing import Sketch, chart
from analytics_app.charts.picking import Material, only, point, setting, value_of
from analytics_app.charts.points import MOST_ROWS, points_chart

# The authors leave out raters at or below this coefficient.
OUTLIER = 0.5


@chart(order=95)
def trust(material: Material) -> Iterator[Sketch]:
    """Draw the coefficient of each rater, the least trusted first, with the authors' limit."""
    rows = sorted((row for row in material.of("trust_coefficient") if row.rater), key=value_of)
    if not 2 < len(rows) <= MOST_ROWS or len({setting([row], "level") for row in rows}) > 1:
        return
    points = [point(row, words.bare(value_of(row)), name=row.rater, n=row.n_ratings) for row in rows]
    low = [rater for rater in points if rater.value <= OUTLIER]
    if low:
        title = f"{len(low)} of {len(points)} raters {'is' if len(low) == 1 else 'are'} trusted at .5 or below"
    else:
        title = f"No rater is trusted at .5 or below; the lowest is {words.short(points[0].name)} with {points[0].text}"
    yield Sketch(
        kind="trust",
        title=title,
        subtitle=(
            f"Trust coefficients on {material.name} ({setting(rows, 'level')} alpha; {setting(rows, 'groups')} groups "
            f"of raters); {material.basis(rows)}. 1 is the most trusted rater{only(points)}."
        ),
        by_system=any(row.by_system for row in rows),
        chart=points_chart(
            points,
            measure="Trust coefficient",
            limits=[(OUTLIER, "outliers up to .5")],
            domain=(min(0.0, points[0].value), 1.0),
        ),
        columns=(("name", "Rater"), ("value", "Coefficient"), ("n", "Ratings")),
        further=True,
    )
