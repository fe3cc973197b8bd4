"""Charts of marked errors: penalties, severities and kinds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from analytics_app.charts import words
from analytics_app.charts.drawing import Sketch
from analytics_app.charts.picking import (
    Material,
    by_system,
    counted,
    each,
    only,
    value_of,
)
from analytics_app.charts.points import MOST_ROWS, points_chart
from analytics_app.charts.ranked import TESTED, apart, not_significant, ranked
from analytics_app.charts.registry import chart
from analytics_app.charts.stacks import sums_chart
from analytics_app.results import Row

# Kinds of error that one glance takes in.
MOST_KINDS = 10


@chart(order=31)
def penalties(of: Material) -> Iterator[Sketch]:
    """Draw the systems by their penalty, the lowest first."""
    found = by_system(of, "mqm_score", lowest_first=True)
    if not found:
        return
    systems = ranked(of, found, n=lambda row: row.n_items)
    yield Sketch(
        kind="penalties",
        title=apart(
            systems.points,
            best=f"has the lowest penalty for its errors ({systems.points[0].text})",
            among="Among the lowest penalties for errors",
            otherwise="Penalty for errors by system",
            alike=not_significant(of, TESTED["mqm_score"]),
        ),
        subtitle=(
            f"MQM penalty a text: lower is better{only(found).replace('highest', 'lowest')}; {of.basis(found)}. "
            f"{systems.lines}{each(found)}{counted(found)}"
        ),
        by_system=True,
        chart=points_chart(systems.points, measure="MQM penalty a text (lower is better)"),
        columns=(("name", "System"), ("value", "Penalty"), *systems.columns, ("n", "Items")),
    )


@chart(order=33)
def severities(of: Material) -> Iterator[Sketch]:
    """Draw how many errors of each severity a text of each system has."""
    found = [row for row in of.of("errors_by_severity") if row.system and row.label]
    if not found or not of.of("errors_per_text"):
        return
    labels = list(dict.fromkeys(str(row.label) for row in found))
    table: dict[str, dict[str, float]] = {}
    for row in found:
        table.setdefault(str(row.system), {})[str(row.label)] = value_of(row)
    ordered = dict(sorted(table.items(), key=lambda one: sum(one[1].values())))
    names = list(ordered)
    yield Sketch(
        kind="severities",
        title=_fewest(sorted(of.of("errors_per_text"), key=value_of)),
        subtitle=(
            f"Errors a text by severity, the fewest first{only(names).replace('highest', 'first')}; {of.basis(found)}. "
            "Mean over texts of the mean over raters."
        ),
        by_system=True,
        chart=sums_chart(dict(list(ordered.items())[:MOST_ROWS]), labels, measure="Errors per text"),
        columns=(("name", "System"), ("label", "Severity"), ("value", "Errors per text")),
    )


def _fewest(found: Sequence[Row]) -> str:
    """Say which systems' texts have fewest and most errors, where their intervals do not meet."""
    few, many = found[0], found[-1]
    if few.high is None or many.low is None or few.high >= many.low:
        return "Errors by severity: no system has clearly fewer than another"
    first, last = (f"{words.short(row.system, 20)} ({words.number(value_of(row), 1)})" for row in (few, many))
    return f"{first} has fewer errors a text than {last}"


@chart(order=34)
def kinds(of: Material) -> Iterator[Sketch]:
    """Draw which kinds of error there are, by severity: the mean over systems."""
    found = [row for row in of.of("errors_by_group") if row.system and row.label]
    systems = {row.system for row in of.of("errors_per_text") if row.system}
    if not found or not systems:
        return
    table: dict[str, dict[str, float]] = {}
    severities_there: dict[str, None] = {}
    for row in found:
        kind, _comma, severity = str(row.label).rpartition(", ")
        severities_there.setdefault(severity)
        parts = table.setdefault(kind, {})
        parts[severity] = parts.get(severity, 0.0) + value_of(row) / len(systems)
    order = [str(row.label) for row in of.of("severity_count")]
    labels = sorted(severities_there, key=lambda one: order.index(one) if one in order else -1)
    ordered = dict(sorted(table.items(), key=lambda one: -sum(one[1].values()))[:MOST_KINDS])
    first = next(iter(ordered))
    share = sum(ordered[first].values()) / sum(sum(parts.values()) for parts in table.values())
    yield Sketch(
        kind="kinds-of-error",
        title=f"{words.share(share)} of the errors are {words.short(first)}",
        subtitle=(
            f"Errors a text by kind and severity, mean over {len(systems)} systems; {of.basis(found)}. "
            "Mean over texts of the mean over raters."
        ),
        by_system=True,
        chart=sums_chart(ordered, labels, measure="Errors per text"),
        columns=(("name", "Kind"), ("label", "Severity"), ("value", "Errors per text")),
    )
