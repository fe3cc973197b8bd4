"""Charts of known truth: shares of right answers by system and by rater."""

from collections.abc import Iterator

from analytics_app.charts import words
from analytics_app.charts.drawing import Sketch, chart
from analytics_app.charts.picking import Material, point, setting, value_of
from analytics_app.charts.points import MOST_ROWS, points_chart


@chart(order=60)
def right_by_system(material: Material) -> Iterator[Sketch]:
    """Draw the share of right answers about each system, with chance as a line."""
    crossed = any(row.low is not None for row in material.of("right_share_crossed"))
    statistic = "right_share_crossed" if crossed else "right_share"
    rows = sorted((row for row in material.of(statistic) if row.system), key=value_of, reverse=True)
    if len(rows) < 2:
        return
    points = [point(row, words.share(value_of(row)), name=row.system, n=row.n_ratings) for row in rows]
    together = next((value_of(row) for row in material.of("right_share") if not row.system and not row.label), None)
    limits = _chance(material)
    headline = (
        "" if together is None else f"Raters are right in {words.share(together)} of their answers on {material.name}"
    )
    yield Sketch(
        kind="right-by-system",
        title=f"{headline}; chance is {words.share(limits[0][0])}" if limits else headline,
        subtitle=(
            f"Share of right answers about each system, with its {material.interval(rows, 'items')}; "
            f"{material.basis(rows)}."
        ),
        by_system=True,
        chart=points_chart(points, measure="Right answers", limits=limits, domain=(0.0, 1.0), percent=True),
        columns=(("name", "System"), ("value", "Right"), ("low", "Low"), ("high", "High"), ("n", "Answers")),
    )


@chart(order=61)
def right_by_rater(material: Material) -> Iterator[Sketch]:
    """Draw the share of right answers of each rater, the lowest first, with chance as a line."""
    rows = sorted((row for row in material.of("right_by_rater") if row.rater), key=value_of)
    if len(rows) < 3:
        return
    points = [point(row, words.share(value_of(row)), name=row.rater, n=row.n_ratings) for row in rows]
    most = f", the {MOST_ROWS} lowest of {len(points)}" if len(points) > MOST_ROWS else ""
    yield Sketch(
        kind="right-by-rater",
        title=f"Share of right answers by rater: {points[0].text} to {points[-1].text} on {material.name}",
        subtitle=f"Share of right answers of each rater with its interval{most}; {material.basis(rows)}.",
        by_system=False,
        chart=points_chart(
            points[:MOST_ROWS], measure="Right answers", limits=_chance(material), domain=(0.0, 1.0), percent=True
        ),
        columns=(("name", "Rater"), ("value", "Right"), ("low", "Low"), ("high", "High"), ("n", "Answers")),
        further=True,
    )


def _chance(material: Material) -> tuple[tuple[float, str], ...]:
    """Return the line of chance, if there is one."""
    rows = material.of("right_share")
    chance = setting(rows, "chance") if rows else None
    word = "mean chance" if rows and setting(rows, "own_options") else "chance"
    return ((float(chance), word),) if chance is not None else ()
