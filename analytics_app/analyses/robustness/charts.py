"""Chart of robustness: how often raters and metrics notice each kind of degraded copy."""

from collections.abc import Iterator

from analytics_app.charts import words
from analytics_app.charts.drawing import Sketch, chart
from analytics_app.charts.picking import Material, point, value_of
from analytics_app.charts.points import points_chart


@chart(order=62)
def robustness_noticed(material: Material) -> Iterator[Sketch]:
    """Draw the share of texts with a higher score than their copy, by kind, for raters and each metric."""
    rows = [row for row in material.of("robustness_noticed") if row.system is None]
    if len(rows) < 2:
        return
    kinds = list(dict.fromkeys(row.label for row in rows))
    rows.sort(key=lambda row: (kinds.index(row.label), row.metric or ""))
    points = [
        point(
            row,
            words.share(value_of(row)),
            name=f"{str(row.label).replace('-', ' ')}, {row.metric or 'raters'}",
            n=row.n_items,
        )
        for row in rows
    ]
    by_raters = [row for row in rows if row.metric is None]
    least, most = min(by_raters, key=value_of), max(by_raters, key=value_of)
    yield Sketch(
        kind="robustness-noticed",
        title=(
            f"Raters notice between {words.share(value_of(least))} ({str(least.label).replace('-', ' ')}) and "
            f"{words.share(value_of(most))} ({str(most.label).replace('-', ' ')}) of degraded copies on {material.name}"
        ),
        subtitle=f"Share of texts with a higher score than their copy, with its interval; {material.basis(rows)}.",
        by_system=True,
        chart=points_chart(points, measure="Noticed", domain=(0.0, 1.0), percent=True),
        columns=(("name", "Degraded copy"), ("value", "Noticed"), ("low", "Low"), ("high", "High"), ("n", "Texts")),
    )
