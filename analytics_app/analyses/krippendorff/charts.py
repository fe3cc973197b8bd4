"""The chart of alpha: how far raters agree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from analytics_app.charts import words
from analytics_app.charts.drawing import Sketch
from analytics_app.charts.picking import (
    INTERVAL,
    Material,
    counted,
    point,
    setting,
    value_of,
)
from analytics_app.charts.points import Point, points_chart
from analytics_app.charts.registry import chart

# Krippendorff's bounds: below the first no conclusions, above the second firm ones (Krippendorff 2004, p. 241).
TENTATIVE, RELIABLE = 0.667, 0.8


@chart(order=90, of_task=False, side_by_side=True)
def agreement(of: Material) -> Iterator[Sketch]:
    """Draw Krippendorff's alpha against the bounds he gives: of a criterion, or of all criteria of a task."""
    found = [row for row in of.of("alpha") if row.criterion is not None]
    if not found or (of.criterion is None and len(found) < 2):
        return
    points = [point(row, words.bare(value_of(row)), name=of.called_in(row), n=row.n_ratings) for row in found]
    level = setting(found, "level")
    ratings = counted(found, found[0].n_ratings, unit="text") if of.criterion is not None else ""
    yield Sketch(
        kind="agreement",
        title=_agreed(points) if of.criterion is None else _agreed_on(points[0]),
        subtitle=(
            f"Krippendorff's alpha{f' ({level} distance)' if level else ''}; {of.basis(found)}. "
            f"Line: {of.interval(found, 'texts')}.{ratings}"
        ),
        by_system=any(row.by_system for row in found),
        chart=points_chart(
            points,
            measure="Alpha: 0 as by chance, 1 full agreement",
            limits=[(TENTATIVE, ".667"), (RELIABLE, ".8")],
            domain=(0.0, 1.0),
        ),
        columns=(("name", "Criterion"), ("value", "Alpha"), *INTERVAL, ("n", "Ratings")),
        further=True,
    )


def _agreed_on(one: Point) -> str:
    said = f"Alpha for {words.short(one.name)} is {one.text}"
    if one.low is None or one.high is None:
        return said
    if one.high < TENTATIVE:
        return f"{said}: its interval lies below .667"
    if one.low > RELIABLE:
        return f"{said}: its interval lies above .8"
    inside = [bound for bound, value in ((".667", TENTATIVE), (".8", RELIABLE)) if one.low <= value <= one.high]
    return f"{said}: its interval {f'includes {words.names(inside)}' if inside else 'lies between .667 and .8'}"


def _agreed(points: Sequence[Point]) -> str:
    low, high = min(points, key=lambda one: one.value), max(points, key=lambda one: one.value)
    return f"Alpha goes from {low.text} ({words.short(low.name)}) to {high.text} ({words.short(high.name)})"
