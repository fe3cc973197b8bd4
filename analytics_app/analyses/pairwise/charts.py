"""Charts of pairwise preferences: pairs, and strengths."""

from collections.abc import Iterator

from analytics_app.charts.compared import pair_shares, strengths_of
from analytics_app.charts.drawing import Sketch, chart
from analytics_app.charts.picking import (
    Material,
)


@chart(order=3)
def preferences(material: Material) -> Iterator[Sketch]:
    """Draw the share of preferences for the first system of every pair; ties count half."""
    yield from pair_shares(
        material, "win_rate_half", "win_rate", "preferences", "is preferred to", "over", crossed="win_rate_crossed"
    )


@chart(order=6)
def strengths(material: Material) -> Iterator[Sketch]:
    """Draw the systems by their strength in the model of Bradley and Terry."""
    crossed = [row for row in material.of("bt_strength_crossed") if row.low is not None]
    yield from strengths_of(
        material,
        "bt_strength_crossed" if crossed else "bt_strength",
        "strengths",
        "Bradley-Terry strength (log)",
        ("is the strongest", "strengths"),
    )
