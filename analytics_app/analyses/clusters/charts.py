"""The chart of clusters: the ranks that rank-sum tests leave open."""

from collections.abc import Iterator, Mapping, Sequence

from analytics_app.charts.compared import rank_ranges
from analytics_app.charts.drawing import Sketch, chart
from analytics_app.charts.picking import (
    Material,
    setting,
)
from analytics_app.charts.ranked import correction
from analytics_app.results import Row


@chart(order=45)
def cluster_ranks(material: Material) -> Iterator[Sketch]:
    """Draw the rank ranges of WMT's rank-sum tests."""
    for kind in ("z", "raw"):
        rank, cluster = f"cluster_rank_{kind}", f"cluster_{kind}"
        yield from rank_ranges(material, _by_rank_sum, rank, cluster, f"cluster-ranks-{kind}", _rank_sum)


def _by_rank_sum(material: Material, clusters: Mapping[str | None, float]) -> str:
    """Return a title with the number of clusters; these tests are about the raters of the study only."""
    n = len(set(clusters.values()))
    rows = material.of("cluster_rank_z") or material.of("cluster_rank_raw")
    without = " without correction" if setting(rows, "correction") == "none" else ""
    found = f"give {n} clusters" if n > 1 else "leave all systems in one cluster"
    return f"For these raters only, one-sided rank-sum tests{without} {found} for {material.name}"


def _rank_sum(rows: Sequence[Row]) -> str:
    values = "z" if setting(rows, "values") == "z" else "ratings"
    method = setting(rows, "correction")
    corrected = "not corrected for several tests" if method == "none" else f"corrected ({correction(method)})"
    return f"By mean {values} over segments. Line: ranks that one-sided rank-sum tests leave open, {corrected}"
