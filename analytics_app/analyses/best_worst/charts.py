"""The chart of best-worst scores."""

from collections.abc import Iterator

from analytics_app.charts.compared import strengths_of
from analytics_app.charts.drawing import Sketch, chart
from analytics_app.charts.picking import (
    Material,
)


@chart(order=5)
def best_worst_scores(material: Material) -> Iterator[Sketch]:
    """Draw the systems by how much more often they are best than worst."""
    yield from strengths_of(
        material,
        "bw_score",
        "best-worst",
        "Best less worst, of times shown",
        ("is best most often, and worst least", "best-worst scores"),
        limits=((0.0, "as often"),),
    )
