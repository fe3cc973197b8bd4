"""Charts of magnitudes: geometric means, and ratios of systems."""

from collections.abc import Iterator, Sequence
from math import log

from analytics_app.charts import words
from analytics_app.charts.compared import corrected, strengths_of
from analytics_app.charts.drawing import Sketch, chart
from analytics_app.charts.picking import (
    INTERVAL,
    Material,
    counted,
    pair_point,
    pairs_of,
    setting,
    value_of,
    why_not,
)
from analytics_app.charts.points import points_chart
from analytics_app.results import Row


@chart(order=4)
def ratios(material: Material) -> Iterator[Sketch]:
    """Draw the ratio of the first system to the second for every pair, on a logarithmic axis."""
    rows = material.of("magnitude_ratio_crossed") or material.of("magnitude_ratio")
    if not rows:
        return
    pairs = pairs_of(rows, lambda value: abs(log(value)), material.is_significant)
    points = [pair_point(row, f"×{value_of(row):.2f}", sign="/") for row in pairs.rows]
    yield Sketch(
        kind="ratios",
        title=_times(pairs.clear, len(rows), material.name, possible=setting(rows, "cannot_differ") is None),
        subtitle=(
            f"Ratio of the first system to the second for {material.name}, from mean logarithms"
            f"{_over(rows)}{pairs.only}; {material.basis(rows)}. Line: "
            f"{material.interval(rows, 'items')}. To differ: p below {material.alpha:g}"
            f"{corrected(rows)}.{why_not(rows)}{counted(rows)}"
        ),
        by_system=True,
        chart=points_chart(points, measure="Ratio of two systems", limits=[(1.0, "equal")], log=True),
        columns=(("name", "Pair"), ("value", "Ratio"), *INTERVAL, ("p", "Adjusted p"), ("n", "Items")),
    )


def _over(rows: Sequence[Row]) -> str:
    return " over the items both have" if rows[0].statistic == "magnitude_ratio" else ""


def _times(clear: Sequence[Row], n: int, criterion: str, *, possible: bool) -> str:
    if not clear and not possible:
        return f"No difference can be significant for {criterion}"
    if not clear:
        return f"No two systems differ significantly for {criterion}"
    if len(clear) == 1:
        row = clear[0]
        times = f"{value_of(row):.2f} times"
        return f"{words.short(row.system)} gets {times} the number of {words.short(row.system_b)} for {criterion}"
    return f"{'All' if len(clear) == n else f'{len(clear)} of'} {n} pairs of systems differ for {criterion}"


@chart(order=5)
def geometric_means(material: Material) -> Iterator[Sketch]:
    """Draw the systems by their geometric mean, on a logarithmic axis as their ratios."""
    yield from strengths_of(
        material,
        "geometric_mean_crossed" if material.of("geometric_mean_crossed") else "geometric_mean",
        "geometric-means",
        "Geometric mean",
        ("gets the highest numbers", "geometric means"),
        log=True,
    )
