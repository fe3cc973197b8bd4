"""Charts of known truth: how often raters are right about each system, and each rater."""

from __future__ import annotations

from collections.abc import Iterator

from analytics_app.charts import words
from analytics_app.charts.drawing import Sketch
from analytics_app.charts.picking import Material, point, setting, value_of
from analytics_app.charts.points import MOST_ROWS, points_chart
from analytics_app.charts.registry import chart


@chart(order=60)
def right_by_system(of: Material) -> Iterator[Sketch]:
    """Draw the share of right answers about each system, with chance as a line."""
    found = sorted((row for row in of.of("right_share") if row.system), key=value_of, reverse=True)
    if len(found) < 2:
        return
    points = [point(row, words.share(value_of(row)), name=row.system, n=row.n_ratings) for row in found]
    together = next((value_of(row) for row in of.of("right_share") if not row.system and not row.label), None)
    limits = _chance(of)
    said = "" if together is None else f"Raters are right in {words.share(together)} of their answers on {of.name}"
    yield Sketch(
        kind="right-by-system",
        title=f"{said}; chance is {words.share(limits[0][0])}" if limits else said,
        subtitle=f"Share of right answers about each system, with its interval; {of.basis(found)}.",
        by_system=True,
        chart=points_chart(points, measure="Right answers", limits=limits, domain=(0.0, 1.0), percent=True),
        columns=(("name", "System"), ("value", "Right"), ("low", "Low"), ("high", "High"), ("n", "Answers")),
    )


@chart(order=61)
def right_by_rater(of: Material) -> Iterator[Sketch]:
    """Draw the share of right answers of each rater, the least first, with chance as a line."""
    found = sorted((row for row in of.of("right_by_rater") if row.rater), key=value_of)
    if len(found) < 3:
        return
    points = [point(row, words.share(value_of(row)), name=row.rater, n=row.n_ratings) for row in found]
    most = f", the {MOST_ROWS} lowest of {len(points)}" if len(points) > MOST_ROWS else ""
    yield Sketch(
        kind="right-by-rater",
        title=f"Share of right answers by rater: {points[0].text} to {points[-1].text} on {of.name}",
        subtitle=f"Share of right answers of each rater with its interval{most}; {of.basis(found)}.",
        by_system=False,
        chart=points_chart(
            points[:MOST_ROWS], measure="Right answers", limits=_chance(of), domain=(0.0, 1.0), percent=True
        ),
        columns=(("name", "Rater"), ("value", "Right"), ("low", "Low"), ("high", "High"), ("n", "Answers")),
        further=True,
    )


def _chance(of: Material) -> tuple[tuple[float, str], ...]:
    """Return the line of chance, where there is one."""
    found = of.of("right_share")
    chance = setting(found, "chance") if found else None
    word = "mean chance" if found and setting(found, "own_options") else "chance"
    return ((float(chance), word),) if chance is not None else ()
