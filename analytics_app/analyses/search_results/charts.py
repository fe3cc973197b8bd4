"""The chart of search results: precision of each system at the deepest cut-off."""

from collections.abc import Iterator

from analytics_app.charts import words
from analytics_app.charts.drawing import Sketch, chart
from analytics_app.charts.picking import INTERVAL, Material, falling, point, value_of
from analytics_app.charts.points import points_chart
from analytics_app.results import Row


@chart(order=9)
def precision_by_system(material: Material) -> Iterator[Sketch]:
    """Draw the share of relevant results among the first results of each system."""
    rows = [row for row in material.of("precision_at") if row.system]
    deepest = max(map(_cutoff, rows), default=0)
    rows = [row for row in rows if _cutoff(row) == deepest]
    crossed = [row for row in material.of("precision_at_crossed") if _cutoff(row) == deepest and row.low is not None]
    rows = sorted(crossed if len(crossed) == len(rows) else rows, key=falling)
    if len(rows) < 2:
        return
    points = [point(row, words.share(value_of(row)), name=row.system, n=row.n_items) for row in rows]
    least, most = points[-1].text, points[0].text
    shares = least if least == most else f"{least} to {most}"
    first = "first result" if deepest == 1 else f"first {deepest} results"
    yield Sketch(
        kind="precision-by-system",
        title=f"Relevant among the {first} on {material.name}: {shares} by system",
        subtitle=(
            f"Precision at {deepest} of each system, mean over queries with its {material.interval(rows, 'items')}; "
            f"{material.basis(rows)}."
        ),
        by_system=True,
        chart=points_chart(points, measure=f"Precision at {deepest}", domain=(0.0, 1.0), percent=True),
        columns=(("name", "System"), ("value", "Precision"), *INTERVAL, ("n", "Queries")),
    )


def _cutoff(row: Row) -> int:
    return int((row.settings or {}).get("cutoff", 0))
