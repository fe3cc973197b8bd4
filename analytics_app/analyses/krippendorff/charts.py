"""The chart of Krippendorff's alpha between raters."""

from collections.abc import Iterator, Sequence

from analytics_app.charts import words
from analytics_app.charts.drawing import Sketch, chart
from analytics_app.charts.picking import (
    INTERVAL,
    Material,
    counted,
    point,
    setting,
    value_of,
)
from analytics_app.charts.points import Point, points_chart

# Krippendorff's bounds: no conclusions below the first, firm conclusions above the second (2004, p. 241).
TENTATIVE, RELIABLE = 0.667, 0.8


@chart(order=90, of_task=False, side_by_side=True)
def agreement(material: Material) -> Iterator[Sketch]:
    """Draw Krippendorff's alpha with his bounds, of a criterion or of all criteria of a task."""
    rows = [row for row in material.of("alpha") if row.criterion is not None]
    if not rows or (material.criterion is None and len(rows) < 2):
        return
    points = [point(row, words.bare(value_of(row)), name=material.called_in(row), n=row.n_ratings) for row in rows]
    level = setting(rows, "level")
    ratings = counted(rows, rows[0].n_ratings, unit="text") if material.criterion is not None else ""
    yield Sketch(
        kind="agreement",
        title=_agreed(points) if material.criterion is None else _agreed_on(points[0]),
        subtitle=(
            f"Krippendorff's alpha{f' ({level} distance)' if level else ''}; {material.basis(rows)}. "
            f"Line: {material.interval(rows, 'texts')}.{ratings}"
        ),
        by_system=any(row.by_system for row in rows),
        chart=points_chart(
            points,
            measure="Alpha: 0 as by chance, 1 full agreement",
            limits=[(TENTATIVE, "tentative: .667"), (RELIABLE, "reliable: .8")],
            domain=(0.0, 1.0),
        ),
        columns=(("name", "Criterion"), ("value", "Alpha"), *INTERVAL, ("n", "Ratings")),
        further=True,
    )


def _agreed_on(alpha: Point) -> str:
    statement = f"Alpha for {words.short(alpha.name)} is {alpha.text}"
    if alpha.low is None or alpha.high is None:
        return statement
    if alpha.high < TENTATIVE:
        return f"{statement}: its interval lies below .667"
    if alpha.low > RELIABLE:
        return f"{statement}: its interval lies above .8"
    if alpha.low > TENTATIVE and alpha.high < RELIABLE:
        return f"{statement}: its interval lies between .667 and .8"
    ends = f"interval {words.bare(alpha.low)} to {words.bare(alpha.high)}"
    if alpha.value < TENTATIVE:
        return f"{statement}, below .667 ({ends})"
    return f"{statement}, {'above' if alpha.value > RELIABLE else 'below'} .8 ({ends})"


def _agreed(points: Sequence[Point]) -> str:
    low, high = min(points, key=lambda alpha: alpha.value), max(points, key=lambda alpha: alpha.value)
    return f"Alpha goes from {low.text} ({words.short(low.name)}) to {high.text} ({words.short(high.name)})"
