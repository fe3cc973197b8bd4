"""Charts of post-edits: suggestions chosen, and how far the edited text is from them."""

from __future__ import annotations

from collections.abc import Iterator

from analytics_app.charts import words
from analytics_app.charts.drawing import Sketch
from analytics_app.charts.picking import (
    INTERVAL,
    Material,
    by_system,
    counted,
    only,
    point,
    value_of,
)
from analytics_app.charts.points import points_chart
from analytics_app.charts.ranked import apart
from analytics_app.charts.registry import chart


@chart(order=35)
def chosen(of: Material) -> Iterator[Sketch]:
    """Draw how often each system's suggestion was chosen."""
    found = by_system(of, "suggestion_chosen", lowest_first=False)
    if not found:
        return
    points = [point(row, words.share(value_of(row)), name=row.system, n=row.n_ratings) for row in found]
    first = found[0]
    limit = round(1 - of.confidence, 9)
    clear = first.p_adjusted is not None and first.p_adjusted < limit and value_of(first) > 0.5
    title = (
        f"{words.short(first.system)} is chosen {points[0].text} of the time"
        if clear
        else "No system's suggestion is chosen clearly more often than the other"
    )
    yield Sketch(
        kind="chosen",
        title=title,
        subtitle=(
            f"Share of times the suggestion was chosen over the other one{only(found)}; {of.basis(found)}. "
            f"Line: {of.interval(found, 'items')}. Clearly: exact test against one half, p below {limit:g} after "
            f"correction.{counted(found)}"
        ),
        by_system=True,
        chart=points_chart(points, measure="Share chosen", limits=[(0.5, "even")], percent=True),
        columns=(("name", "System"), ("value", "Share"), *INTERVAL, ("n", "Times shown")),
    )


@chart(order=36)
def distances(of: Material) -> Iterator[Sketch]:
    """Draw how far the edited texts are from each system's suggestions."""
    found = by_system(of, "hter", lowest_first=True)
    if not found:
        return
    points = [point(row, words.bare(value_of(row)), name=row.system, n=row.n_ratings) for row in found]
    both = any(row.label == "not chosen" for row in of.rows if row.statistic == "hter")
    drawn = " A text is nearer to the suggestion it was made from." if both else ""
    yield Sketch(
        kind="edit-distances",
        title=apart(
            points,
            best=f"needs the fewest edits ({points[0].text} of the words)",
            among="Among those with the fewest edits",
            otherwise="Edits from each system's suggestion to the final text",
        ),
        subtitle=(
            f"HTER, edits of words over words of the final text: lower is better; {of.basis(found)}. "
            f"Line: {of.interval(found, 'items')}.{drawn}{counted(found)}"
        ),
        by_system=True,
        chart=points_chart(points, measure="HTER (lower is better)"),
        columns=(("name", "System"), ("value", "HTER"), *INTERVAL, ("n", "Edited texts")),
    )
