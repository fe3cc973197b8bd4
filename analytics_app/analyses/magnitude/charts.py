"""Charts of magnitudes: geometric means, and ratios of systems."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import log

from analytics_app.charts import words
from analytics_app.charts.compared import corrected, strengths_of
from analytics_app.charts.drawing import Sketch
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
from analytics_app.charts.registry import chart
from analytics_app.results import Row


@chart(order=4)
def ratios(of: Material) -> Iterator[Sketch]:
    """Draw every pair of systems by the ratio of the first to the second, on an axis of logarithms."""
    found = of.of("magnitude_ratio")
    if not found:
        return
    limit = round(1 - of.confidence, 9)
    pairs = pairs_of(
        found, lambda value: abs(log(value)), lambda row: row.p_adjusted is not None and row.p_adjusted < limit
    )
    points = [pair_point(row, f"×{value_of(row):.2f}", sign="/") for row in pairs.rows]
    yield Sketch(
        kind="ratios",
        title=_times(pairs.clear, len(found), of.name, possible=setting(found, "cannot_differ") is None),
        subtitle=(
            f"Ratio of the first system to the second for {of.name}, from mean logarithms over the items both have"
            f"{pairs.only}; {of.basis(found)}. Line: {of.interval(found, 'items')}. To differ: p below {limit:g}"
            f"{corrected(found)}.{why_not(found)}{counted(found)}"
        ),
        by_system=True,
        chart=points_chart(points, measure="Ratio of two systems", limits=[(1.0, "equal")], log=True),
        columns=(("name", "Pair"), ("value", "Ratio"), *INTERVAL, ("p", "Adjusted p"), ("n", "Items")),
    )


def _times(clear: Sequence[Row], n: int, criterion: str, *, possible: bool) -> str:
    if not clear and not possible:
        return f"Too little to find a significant difference for {criterion}"
    if not clear:
        return f"No two systems differ significantly for {criterion}"
    if len(clear) == 1:
        one = clear[0]
        times = f"{value_of(one):.2f} times"
        return f"{words.short(one.system)} gets {times} the number of {words.short(one.system_b)} for {criterion}"
    return f"{'All' if len(clear) == n else f'{len(clear)} of'} {n} pairs of systems differ for {criterion}"


@chart(order=5)
def geometric_means(of: Material) -> Iterator[Sketch]:
    """Draw the systems by their geometric mean."""
    yield from strengths_of(
        of, "geometric_mean", "geometric-means", "Geometric mean", ("gets the highest numbers", "geometric means")
    )
