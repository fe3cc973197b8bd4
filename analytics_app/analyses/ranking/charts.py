"""Charts of rankings: pairs, mean ranks and strengths."""

from collections.abc import Iterator

from analytics_app.charts.compared import pair_shares, strengths_of
from analytics_app.charts.drawing import Sketch, chart
from analytics_app.charts.picking import (
    Material,
    counted,
    each,
    left_off,
    value_of,
)
from analytics_app.charts.points import points_chart
from analytics_app.charts.ranked import (
    TESTED,
    apart_for_further_raters,
    criterion_leader_title,
    not_significant,
    ranked,
)


@chart(order=3)
def ranked_pairs(material: Material) -> Iterator[Sketch]:
    """Draw the share of rankings with the first system above the second for every pair; ties count half."""
    yield from pair_shares(
        material,
        "ranked_above_half",
        "ranked_above_half",
        "ranked-pairs",
        "is ranked above",
        "above",
        crossed="ranked_above_half_crossed",
    )


@chart(order=5)
def mean_ranks(material: Material) -> Iterator[Sketch]:
    """Draw the systems by their mean rank, the best first, with 1 on the left."""
    tested = any(row.p_adjusted is not None for row in material.of("ranked_above_half_crossed"))
    statistic = "rank_mean_crossed" if tested else "rank_mean"
    rows = sorted((row for row in material.of(statistic) if row.system), key=value_of)
    if len(rows) < 2:
        return
    systems = ranked(material, rows, text=lambda row: f"{value_of(row):.2f}")
    yield Sketch(
        kind="mean-ranks",
        title=criterion_leader_title(
            systems.points,
            material.name,
            best="is ranked best",
            otherwise="Systems by their mean rank",
            alike=not_significant(material, material.of(TESTED.get(statistic, ""))),
            apart=apart_for_further_raters(material, material.of(TESTED.get(statistic, ""))),
        ),
        subtitle=(
            f"Mean rank for {material.name}, 1 is the best{left_off(rows)}; {material.basis(rows)}. "
            f"{systems.lines}{each(rows)}{counted(rows)}"
        ),
        by_system=True,
        chart=points_chart(systems.points, measure="Mean rank: 1 is the best"),
        columns=(("name", "System"), ("value", "Mean rank"), *systems.columns, ("n", "Rankings")),
    )


@chart(order=6)
def ranking_strengths(material: Material) -> Iterator[Sketch]:
    """Draw the systems by their strength in the model of Plackett and Luce."""
    yield from strengths_of(
        material, "pl_strength", "ranking-strengths", "Plackett-Luce strength (log)", ("is the strongest", "strengths")
    )
