"""Charts of rankings: pairs, mean ranks and strengths."""

from __future__ import annotations

from collections.abc import Iterator

from analytics_app.charts.compared import pair_shares, strengths_of
from analytics_app.charts.drawing import Sketch
from analytics_app.charts.picking import (
    Material,
    counted,
    each,
    only,
    value_of,
)
from analytics_app.charts.points import points_chart
from analytics_app.charts.ranked import at_the_top, ranked
from analytics_app.charts.registry import chart


@chart(order=3)
def ranked_pairs(of: Material) -> Iterator[Sketch]:
    """Draw every pair of systems by how often one of them is ranked above the other, ties half."""
    yield from pair_shares(of, "ranked_above_half", "ranked_above_half", "ranked-pairs", "is ranked above", "above")


@chart(order=5)
def mean_ranks(of: Material) -> Iterator[Sketch]:
    """Draw the systems by their mean rank, the best first: 1 stands on the left."""
    found = sorted((row for row in of.of("rank_mean") if row.system), key=value_of)
    if len(found) < 2:
        return
    systems = ranked(of, found, text=lambda row: f"{value_of(row):.2f}")
    yield Sketch(
        kind="mean-ranks",
        title=at_the_top(systems.points, of.name, best="is ranked best", otherwise="Systems by their mean rank"),
        subtitle=(
            f"Mean rank for {of.name}, 1 is the best{only(found)}; {of.basis(found)}. "
            f"{systems.lines}{each(found)}{counted(found)}"
        ),
        by_system=True,
        chart=points_chart(systems.points, measure="Mean rank: 1 is the best"),
        columns=(("name", "System"), ("value", "Mean rank"), *systems.columns, ("n", "Rankings")),
    )


@chart(order=6)
def ranking_strengths(of: Material) -> Iterator[Sketch]:
    """Draw the systems by their strength in the model of Plackett and Luce."""
    yield from strengths_of(
        of, "pl_strength", "ranking-strengths", "Plackett-Luce strength (log)", ("is the strongest", "strengths")
    )
