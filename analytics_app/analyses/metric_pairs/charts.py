"""The chart of metrics against each other: a cell for each pair, darker for correlations further from zero."""

from collections.abc import Iterator, Sequence

from analytics_app.charts import words
from analytics_app.charts.drawing import Sketch, chart
from analytics_app.charts.heat import triangle_chart
from analytics_app.charts.picking import INTERVAL, Material, falling, value_of
from analytics_app.results import Row

# The most metrics of a readable chart.
MOST = 12


@chart(order=84)
def metric_pairs(material: Material) -> Iterator[Sketch]:
    """Draw the correlations of metrics over texts, and over systems."""
    for level, unit in (("texts", "text"), ("systems", "system")):
        rows = [row for row in material.of(f"metric_pair_pearson_{level}") if row.metric_b]
        metrics = list(dict.fromkeys(str(name) for row in rows for name in (row.metric, row.metric_b)))
        if len(metrics) < 3:
            continue
        shown_metrics = metrics[:MOST]
        shown = [row for row in rows if row.metric in shown_metrics and row.metric_b in shown_metrics]
        only = f", {len(shown_metrics)} of {len(metrics)} metrics" if len(shown_metrics) < len(metrics) else ""
        n = max((row.n_ratings or 0 for row in rows), default=0)
        by_pair = {frozenset((str(row.metric), str(row.metric_b))): row for row in shown}
        yield Sketch(
            kind=f"metric-pairs-{level}",
            title=_title(rows, level),
            subtitle=(
                f"Pearson's correlation of every two metrics over {level}{only}; darker cells are further from 0; "
                f"{material.basis(rows)}. {n:,} {unit}{'' if n == 1 else 's'}."
            ),
            by_system=True,
            chart=triangle_chart(by_pair, shown_metrics),
            columns=(("name", "Metric"), ("column", "Other metric"), ("value", "Pearson's r"), *INTERVAL),
            further=True,
        )


def _title(rows: Sequence[Row], level: str) -> str:
    """Return a title with the two metrics that agree most, if the interval of their correlation is above all others."""
    most, *others = sorted(rows, key=falling)
    low = most.low
    if low is None or low <= 0 or any(row.high is None or row.high >= low for row in others):
        return f"How far metrics agree with each other over {level}"
    pair = f"{words.short(most.metric)} and {words.short(most.metric_b)}"
    return f"{pair} agree most with each other over {level} (r = {words.bare(value_of(most))})"
