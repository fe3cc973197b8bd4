"""Charts of ways of scoring: a cell for each pair of scores, darker the further its correlation is from zero."""

from collections.abc import Callable, Iterator, Sequence

from analytics_app.analyses.ways_of_scoring.ways import WAYS
from analytics_app.charts import words
from analytics_app.charts.drawing import Sketch, chart
from analytics_app.charts.heat import triangle_chart
from analytics_app.charts.picking import INTERVAL, Material
from analytics_app.results import Row

# Beyond so many tasks and criteria a chart is read as a table.
MOST = 12


@chart(order=86)
def ways_of_scoring(of: Material) -> Iterator[Sketch]:
    """Draw how ways of scoring correlate on each criterion, and how tasks and criteria do by their leading ways."""
    correlations = [row for row in of.of("scoring_spearman") if row.metric_b]
    for number, criterion in enumerate(dict.fromkeys(row.criterion for row in correlations if row.label is None)):
        rows = [row for row in correlations if row.criterion == criterion and row.label is None]
        name = words.short(of.called_in(rows[0]))
        yield from _heat(
            of, rows, lambda row: (str(WAYS[str(row.metric)]), str(WAYS[str(row.metric_b)])),
            kind=f"ways-of-scoring-{number}", title=f"How ways of scoring systems agree for {name}",
            criterion=criterion or "",
        )  # fmt: skip
    leading = [row for row in correlations if row.label and (row.settings or {}).get("leading")]
    yield from _heat(
        of, leading, lambda row: (str((row.settings or {})["a"]), str((row.settings or {})["b"])),
        kind="scoring-tasks", title="How the scores of systems agree between tasks and criteria",
    )  # fmt: skip


def _heat(
    of: Material,
    rows: Sequence[Row],
    sides: Callable[[Row], tuple[str, str]],
    *,
    kind: str,
    title: str,
    criterion: str = "",
) -> Iterator[Sketch]:
    names = list(dict.fromkeys(name for row in rows for name in sides(row)))
    if len(names) < 3:
        return
    drawn = names[:MOST]
    by_pair = {frozenset(sides(row)): row for row in rows}
    n = max(row.n_ratings or 0 for row in rows)
    few = " With so few systems this says little." if n < 5 else ""
    only = f", {len(drawn)} of {len(names)}" if len(drawn) < len(names) else ""
    yield Sketch(
        kind=kind,
        title=title,
        subtitle=(
            f"Spearman's correlation over {n:,} systems{only}; darker cells are further from 0; {of.basis(rows)}.{few}"
        ),
        by_system=True,
        chart=triangle_chart(by_pair, drawn),
        columns=(("name", "Scored by"), ("column", "And by"), ("value", "Spearman's rho"), *INTERVAL),
        criterion=criterion,
        further=True,
    )
