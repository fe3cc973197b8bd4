"""Charts of post-edits: chosen suggestions, and distances of the edited texts from suggestions."""

from collections.abc import Iterator

from analytics_app.charts import words
from analytics_app.charts.drawing import Sketch, chart
from analytics_app.charts.picking import (
    INTERVAL,
    Material,
    by_system,
    counted,
    left_off,
    point,
    value_of,
)
from analytics_app.charts.points import points_chart
from analytics_app.charts.ranked import leader_title


@chart(order=35)
def chosen(material: Material) -> Iterator[Sketch]:
    """Draw the share of chosen suggestions by system."""
    rows = by_system(material, "suggestion_chosen", lowest_first=False)
    if not rows:
        return
    points = [point(row, words.share(value_of(row)), name=row.system, n=row.n_ratings) for row in rows]
    first = rows[0]
    clear = material.is_significant(first) and value_of(first) > 0.5
    title = (
        f"{words.short(first.system)} is chosen {points[0].text} of the time"
        if clear
        else "No system's suggestion is chosen clearly more often than the other"
    )
    yield Sketch(
        kind="chosen",
        title=title,
        subtitle=(
            f"Share of times the suggestion was chosen over the other one{left_off(rows)}; {material.basis(rows)}. "
            f"Line: {material.interval(rows, 'items')}. Clearly: exact test against one half, p below "
            f"{material.alpha:g} after correction.{counted(rows)}"
        ),
        by_system=True,
        chart=points_chart(points, measure="Share chosen", limits=[(0.5, "even")], percent=True),
        columns=(("name", "System"), ("value", "Share"), *INTERVAL, ("n", "Times shown")),
    )


@chart(order=36)
def distances(material: Material) -> Iterator[Sketch]:
    """Draw the distance of the edited texts from each system's suggestions."""
    rows = by_system(material, "hter", lowest_first=True)
    if not rows:
        return
    points = [point(row, words.bare(value_of(row)), name=row.system, n=row.n_ratings) for row in rows]
    both = any(row.label == "not chosen" for row in material.rows if row.statistic == "hter")
    hint = " A text is nearer to the suggestion it was made from." if both else ""
    yield Sketch(
        kind="edit-distances",
        title=leader_title(
            points,
            best=f"needs the fewest edits ({points[0].text} of the words)",
            among="Among those with the fewest edits",
            otherwise="Edits from each system's suggestion to the final text",
        ),
        subtitle=(
            f"HTER, edits of words over words of the final text: lower is better; {material.basis(rows)}. "
            f"Line: {material.interval(rows, 'items')}.{hint}{counted(rows)}"
        ),
        by_system=True,
        chart=points_chart(points, measure="HTER (lower is better)"),
        columns=(("name", "System"), ("value", "HTER"), *INTERVAL, ("n", "Edited texts")),
    )
