"""Trust coefficients: who is trusted least among the raters."""

from __future__ import annotations

from collections.abc import Iterator

from analytics_app.charts import words
from analytics_app.charts.drawing import Sketch
from analytics_app.charts.picking import Material, only, point, setting, value_of
from analytics_app.charts.points import MOST_ROWS, points_chart
from analytics_app.charts.registry import chart

# At or below it the authors leave a rater out.
OUTLIER = 0.5


@chart(order=95)
def trust(of: Material) -> Iterator[Sketch]:
    """Draw the coefficient of each rater, the least trusted first, beside the authors' limit."""
    found = sorted((row for row in of.of("trust_coefficient") if row.rater), key=value_of)
    if not 2 < len(found) <= MOST_ROWS or len({setting([row], "level") for row in found}) > 1:
        return
    points = [point(row, words.bare(value_of(row)), name=row.rater, n=row.n_ratings) for row in found]
    low = [one for one in points if one.value <= OUTLIER]
    if low:
        title = f"{len(low)} of {len(points)} raters {'is' if len(low) == 1 else 'are'} trusted at .5 or below"
    else:
        title = f"No rater is trusted at .5 or below; the lowest is {words.short(points[0].name)} with {points[0].text}"
    yield Sketch(
        kind="trust",
        title=title,
        subtitle=(
            f"Trust coefficients on {of.name} ({setting(found, 'level')} alpha; {setting(found, 'groups')} groups of "
            f"raters); {of.basis(found)}. 1 is the most trusted rater{only(points)}."
        ),
        by_system=any(row.by_system for row in found),
        chart=points_chart(
            points,
            measure="Trust coefficient",
            limits=[(OUTLIER, ".5")],
            domain=(min(0.0, points[0].value), 1.0),
        ),
        columns=(("name", "Rater"), ("value", "Coefficient"), ("n", "Ratings")),
        further=True,
    )
