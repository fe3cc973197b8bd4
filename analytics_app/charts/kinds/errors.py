"""Charts of marked errors, of post-edits, and of automatic metrics against people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from analytics_app.charts import words
from analytics_app.charts.drawing import Sketch
from analytics_app.charts.picking import (
    INTERVAL,
    Material,
    counted,
    each,
    falling,
    only,
    point,
    value_of,
)
from analytics_app.charts.points import MOST_ROWS, points_chart
from analytics_app.charts.ranked import TESTED, apart, not_significant, ranked
from analytics_app.charts.registry import chart
from analytics_app.charts.stacks import sums_chart
from analytics_app.results import Row

# Kinds of error that one glance takes in.
MOST_KINDS = 10


def _by_system(of: Material, statistic: str, *, lowest_first: bool) -> list[Row]:
    found = [row for row in of.of(statistic) if row.system and not row.system_b and row.label is None]
    return sorted(found, key=value_of if lowest_first else falling)


@chart(order=31)
def penalties(of: Material) -> Iterator[Sketch]:
    """Draw the systems by their penalty, the lowest first."""
    found = _by_system(of, "mqm_score", lowest_first=True)
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


@chart(order=35)
def chosen(of: Material) -> Iterator[Sketch]:
    """Draw how often each system's suggestion was chosen."""
    found = _by_system(of, "suggestion_chosen", lowest_first=False)
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
        chart=points_chart(points, measure="Share chosen", limits=[(0.5, "even")]),
        columns=(("name", "System"), ("value", "Share"), *INTERVAL, ("n", "Times shown")),
    )


@chart(order=36)
def distances(of: Material) -> Iterator[Sketch]:
    """Draw how far the edited texts are from each system's suggestions."""
    found = _by_system(of, "hter", lowest_first=True)
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


@chart(order=80)
def metrics_over_texts(of: Material) -> Iterator[Sketch]:
    """Draw the metrics by their correlation with people over texts."""
    yield from _metrics(of, "metric_pearson_texts", "metrics-texts", "over texts", "text")


@chart(order=81)
def metrics_over_systems(of: Material) -> Iterator[Sketch]:
    """Draw the metrics by their correlation with people over systems."""
    yield from _metrics(of, "metric_pearson_systems", "metrics-systems", "over systems", "system")


def _metrics(of: Material, statistic: str, kind: str, level: str, unit: str) -> Iterator[Sketch]:
    found = sorted((row for row in of.of(statistic) if row.metric), key=falling)
    if not found:
        return
    points = [point(row, words.bare(value_of(row)), name=row.metric, n=row.n_ratings) for row in found]
    whose = "people's ratings" + (f" for {of.name}" if of.criterion is not None else "")
    n = max((row.n_ratings or 0 for row in found), default=0)
    items = max((row.n_items or 0 for row in found), default=0)
    yield Sketch(
        kind=kind,
        title=apart(
            points,
            best=f"agrees best with people {level} ({points[0].text})",
            among=f"Among the metrics that agree best with people {level}",
            otherwise=f"How far metrics agree with people {level}",
        ),
        subtitle=(
            f"Pearson's correlation {level} with {whose}{only(found)}; {of.basis(found)}. "
            f"Line: {of.interval(found, 'items')}. {n:,} {unit}s, {items:,} items."
        ),
        by_system=True,
        chart=points_chart(points, measure="Pearson's r", limits=[(0.0, "none")]),
        columns=(("name", "Metric"), ("value", "Pearson's r"), *INTERVAL, ("n", unit.capitalize() + "s")),
    )
