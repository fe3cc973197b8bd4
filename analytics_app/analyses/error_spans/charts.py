"""Charts of marked errors: penalties, severities and kinds."""

from collections.abc import Iterator, Sequence

from analytics_app.charts import words
from analytics_app.charts.drawing import Sketch, chart
from analytics_app.charts.picking import (
    Material,
    by_system,
    counted,
    each,
    left_off,
    value_of,
)
from analytics_app.charts.points import MOST_ROWS, points_chart
from analytics_app.charts.ranked import TESTED, apart_for_further_raters, leader_title, not_significant, ranked
from analytics_app.charts.stacks import sums_chart
from analytics_app.results import Row

# The most kinds of error in a chart that is still easy to read.
MOST_KINDS = 10


@chart(order=31)
def penalties(material: Material) -> Iterator[Sketch]:
    """Draw the systems by their penalty, the lowest first."""
    tested = any(row.p_adjusted is not None for row in material.of("mqm_difference_crossed"))
    statistic = "mqm_score_crossed" if tested else "mqm_score"
    rows = by_system(material, statistic, lowest_first=True)
    if not rows:
        return
    systems = ranked(material, rows, n=lambda row: row.n_items)
    yield Sketch(
        kind="penalties",
        title=leader_title(
            systems.points,
            best=f"has the lowest penalty for its errors ({systems.points[0].text})",
            among="Among the lowest penalties for errors",
            otherwise="Penalty for errors by system",
            alike=not_significant(material, material.of(TESTED[statistic])),
            apart=apart_for_further_raters(material, material.of(TESTED[statistic])),
        ),
        subtitle=(
            f"MQM penalty a text: lower is better{left_off(rows).replace('highest', 'lowest')}; "
            f"{material.basis(rows)}. {systems.lines}{each(rows)}{counted(rows)}"
        ),
        by_system=True,
        chart=points_chart(systems.points, measure="MQM penalty a text (lower is better)"),
        columns=(("name", "System"), ("value", "Penalty"), *systems.columns, ("n", "Items")),
    )


@chart(order=33)
def severities(material: Material) -> Iterator[Sketch]:
    """Draw the number of errors per text by severity and system."""
    rows = [row for row in material.of("errors_by_severity") if row.system and row.label]
    if not rows or not material.of("errors_per_text"):
        return
    labels = list(dict.fromkeys(str(row.label) for row in rows))
    table: dict[str, dict[str, float]] = {}
    for row in rows:
        table.setdefault(str(row.system), {})[str(row.label)] = value_of(row)
    ordered = dict(sorted(table.items(), key=lambda entry: sum(entry[1].values())))
    names = list(ordered)
    yield Sketch(
        kind="severities",
        title=_fewest(sorted(material.of("errors_per_text"), key=value_of)),
        subtitle=(
            f"Errors a text by severity, the fewest first{left_off(names).replace('highest', 'first')}; "
            f"{material.basis(rows)}. Mean over texts of the mean over raters."
        ),
        by_system=True,
        chart=sums_chart(dict(list(ordered.items())[:MOST_ROWS]), labels, measure="Errors per text"),
        columns=(("name", "System"), ("label", "Severity"), ("value", "Errors per text")),
    )


def _fewest(rows: Sequence[Row]) -> str:
    """Return a title that names the systems with the fewest and most errors, if their intervals do not overlap."""
    few, many = rows[0], rows[-1]
    if few.high is None or many.low is None or few.high >= many.low:
        return "Errors by severity: no system has clearly fewer than another"
    first, last = (f"{words.short(row.system)} ({words.number(value_of(row), 1)})" for row in (few, many))
    return f"{first} has fewer errors per text than {last}"


@chart(order=34)
def kinds(material: Material) -> Iterator[Sketch]:
    """Draw the kinds of error by severity: the mean over systems."""
    rows = [row for row in material.of("errors_by_group") if row.system and row.label]
    systems = {row.system for row in material.of("errors_per_text") if row.system}
    if not rows or not systems:
        return
    table: dict[str, dict[str, float]] = {}
    severities_there: dict[str, None] = {}
    for row in rows:
        kind, _comma, severity = str(row.label).rpartition(", ")
        severities_there.setdefault(severity)
        parts = table.setdefault(kind, {})
        parts[severity] = parts.get(severity, 0.0) + value_of(row) / len(systems)
    order = [str(row.label) for row in material.of("severity_count")]
    labels = sorted(severities_there, key=lambda label: order.index(label) if label in order else -1)
    ordered = dict(sorted(table.items(), key=lambda entry: -sum(entry[1].values()))[:MOST_KINDS])
    first = next(iter(ordered))
    share = sum(ordered[first].values()) / sum(sum(parts.values()) for parts in table.values())
    yield Sketch(
        kind="kinds-of-error",
        title=f"{words.share(share)} of the errors are {words.short(first)}",
        subtitle=(
            f"Errors a text by kind and severity, mean over {len(systems)} systems; {material.basis(rows)}. "
            "Mean over texts of the mean over raters."
        ),
        by_system=True,
        chart=sums_chart(ordered, labels, measure="Errors per text"),
        columns=(("name", "Kind"), ("label", "Severity"), ("value", "Errors per text")),
    )
