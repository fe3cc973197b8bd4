"""Charts of automatic metrics against people."""

from collections.abc import Iterator, Sequence

from analytics_app.charts import words
from analytics_app.charts.drawing import Sketch, chart
from analytics_app.charts.picking import (
    INTERVAL,
    Material,
    falling,
    left_off,
    point,
    setting,
    value_of,
    why_not,
)
from analytics_app.charts.points import points_chart
from analytics_app.charts.ranked import leader_title, not_significant
from analytics_app.charts.scatter import MOST_COLOURED, Panel, scatter_chart
from analytics_app.results import Row


@chart(order=80)
def metrics_over_texts(material: Material) -> Iterator[Sketch]:
    """Draw the metrics by their correlation with people over texts."""
    yield from _metrics(material, "metric_pearson_texts", "metrics-texts", "over texts", "text")


@chart(order=81)
def metrics_over_systems(material: Material) -> Iterator[Sketch]:
    """Draw the metrics by their correlation with people over systems."""
    yield from _metrics(material, "metric_pearson_systems", "metrics-systems", "over systems", "system")


# The most metrics that are drawn against people.
MOST_PANELS = 6


@chart(order=82)
def metrics_against_people(material: Material) -> Iterator[Sketch]:
    """Draw the mean of each system by each metric against that by people, the highest correlation first."""
    correlations = sorted((row for row in material.of("metric_pearson_systems") if row.metric), key=falling)
    means: dict[str, list[Row]] = {}
    for row in material.of("metric_human_mean"):
        means.setdefault(str(row.metric), []).append(row)
    drawn = [row for row in correlations if str(row.metric) in means][:MOST_PANELS]
    if not drawn:
        return
    penalties = drawn[0].analysis == "metrics_of_errors"
    ranked = sorted(means[str(drawn[0].metric)], key=lambda row: value_of(row) if penalties else -value_of(row))
    systems = list(dict.fromkeys(str(row.system) for rows in (ranked, *means.values()) for row in rows))
    measure = "Mean MQM penalty" if penalties else "Mean human rating"
    people = "MQM penalty" if penalties else f"{measure}{_for_criterion(material)}"
    more = f", the {len(drawn)} of {len(correlations)} metrics with the highest r" if correlations[len(drawn) :] else ""
    yield Sketch(
        kind="metrics-against-people",
        title=_with_people(drawn[0]),
        subtitle=(
            f"{measure} and mean metric score of each system, over the texts that have both{more}; "
            f"{material.basis(drawn)}. "
            f"Better is up and to the right. r: Pearson's correlation over {drawn[0].n_ratings} systems with the "
            f"{material.interval(drawn, 'items')}.{_key(systems)}"
        ),
        by_system=True,
        chart=scatter_chart(
            [_panel(row, means[str(row.metric)][0]) for row in drawn],
            [_system_point(row, systems) for metric in drawn for row in means[str(metric.metric)]],
            systems,
            value_label=people,
            lower_is_better=penalties,
        ),
        columns=(
            ("panel", "Metric"),
            ("name", "System"),
            ("metric", "Mean metric score"),
            ("value", people),
            ("n", "Items"),
        ),
        further=True,
    )


def _for_criterion(material: Material) -> str:
    return f" for {material.name}" if material.criterion is not None else ""


def _key(systems: Sequence[str]) -> str:
    """Return the names of systems with their numbers, if there are too many for colours."""
    if len(systems) <= MOST_COLOURED:
        return ""
    return f" Systems: {', '.join(f'{number} {words.short(name)}' for number, name in enumerate(systems, start=1))}."


def _system_point(row: Row, systems: Sequence[str]) -> dict[str, str | int | float]:
    return {
        "panel": str(row.metric),
        "name": str(row.system),
        "number": systems.index(str(row.system)) + 1,
        "metric": float((row.settings or {})["mean_of_metric"]),
        "value": value_of(row),
        "n": row.n_items or 0,
    }


def _panel(correlation: Row, first: Row) -> Panel:
    turned = (first.settings or {}).get("sign") == "turned"
    ends = ""
    if correlation.low is not None and correlation.high is not None:
        ends = f" ({words.bare(correlation.low)} to {words.bare(correlation.high)})"
    return Panel(
        key=str(correlation.metric),
        title=f"{words.short(correlation.metric, 24)}: r = {words.bare(value_of(correlation))}{ends}",
        lower_is_better=turned,
    )


def _with_people(best: Row) -> str:
    """Return a title with the metric of the highest correlation, and its interval."""
    metric, r = words.short(best.metric), words.bare(value_of(best))
    if best.low is None:
        return f"Systems by human rating and by metric; highest correlation: {metric} (r = {r})"
    if best.low > 0:
        return f"{metric} correlates with human ratings over these {best.n_ratings} systems (r = {r})"
    highest = f"{metric} has the highest correlation with human ratings (r = {r})"
    if best.high is not None and best.high < 0:
        return f"{highest}, and even that is negative"
    return f"{highest}, but its interval includes 0"


def _metrics(material: Material, statistic: str, kind: str, level: str, unit: str) -> Iterator[Sketch]:
    rows = sorted((row for row in material.of(statistic) if row.metric), key=falling)
    if not rows:
        return
    points = [point(row, words.bare(value_of(row)), name=row.metric, n=row.n_ratings) for row in rows]
    whose = f"people's ratings{_for_criterion(material)}"
    n = max((row.n_ratings or 0 for row in rows), default=0)
    items = max((row.n_items or 0 for row in rows), default=0)
    yield Sketch(
        kind=kind,
        title=leader_title(
            points,
            best=f"agrees best with people {level} ({points[0].text})",
            among=f"Among the metrics that agree best with people {level}",
            otherwise=f"How far metrics agree with people {level}",
        ),
        subtitle=(
            f"Pearson's correlation {level} with {whose}{left_off(rows)}; {material.basis(rows)}. "
            f"Line: {material.interval(rows, 'items')}. {n:,} {unit}s, {items:,} items."
        ),
        by_system=True,
        chart=points_chart(points, measure="Pearson's r", limits=[(0.0, "none")]),
        columns=(("name", "Metric"), ("value", "Pearson's r"), *INTERVAL, ("n", unit.capitalize() + "s")),
    )


# The most composite scores that are drawn by system.
MOST_COMPOSITES = 4


@chart(order=83)
def systems_by_composites(material: Material) -> Iterator[Sketch]:
    """Draw the mean of each composite score by system, the highest first."""
    rows_of_composite: dict[str, list[Row]] = {}
    for row in material.of("metric_mean"):
        if row.system and (row.settings or {}).get("composite"):
            rows_of_composite.setdefault(str(row.metric), []).append(row)
    for number, (name, rows) in enumerate(list(rows_of_composite.items())[:MOST_COMPOSITES], start=1):
        rows.sort(key=falling)
        is_share = setting(rows, "interval") == "Wilson"
        written = words.share if is_share else words.bare
        points = [point(row, written(value_of(row)), name=row.system, n=row.n_items) for row in rows]
        tests = [row for row in material.of("metric_difference") if row.metric == name]
        measure = "Share of texts" if is_share else "Mean score"
        wilson = f"{material.confidence * 100:g}{words.SPACE}% interval (Wilson)"
        line = wilson if is_share else material.interval(rows, "items")
        yield Sketch(
            kind=f"composite-{number}",
            title=leader_title(
                points,
                best=f"scores highest on {words.short(name)} ({points[0].text})",
                among=f"At the top of {words.short(name)}",
                otherwise=f"Systems by {words.short(name)}",
                alike=not_significant(material, tests),
            ),
            subtitle=(
                f"{words.short(name)}: {setting(rows, 'composite')}. {measure}; line: {line}."
                f"{why_not(tests) if tests else ''}"
            ),
            by_system=True,
            chart=points_chart(points, measure=measure, percent=is_share),
            columns=(("name", "System"), ("value", measure), *INTERVAL, ("n", "Items")),
            further=True,
        )
