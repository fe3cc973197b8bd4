"""Charts that compare systems. A title claims no more than its intervals do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from analytics_app.charts import words
from analytics_app.charts.drawing import Sketch
from analytics_app.charts.picking import (
    INTERVAL,
    INTERVAL_OVER_RATERS,
    Material,
    counted,
    each,
    falling,
    higher_first,
    only,
    pair_point,
    point,
    setting,
    value_of,
)
from analytics_app.charts.points import Point, points_chart

CORRECTIONS = {
    "holm": "Holm",
    "bonferroni": "Bonferroni",
    "sidak": "Šidák",
    "holm-sidak": "Holm and Šidák",
    "fdr_bh": "Benjamini and Hochberg",
}


def means(of: Material) -> Iterator[Sketch]:
    """Draw the systems by their mean rating."""
    yield from _by_mean(of, "mean", "means", "Mean rating", "rated highest")


def z_means(of: Material) -> Iterator[Sketch]:
    """Draw the systems by the mean of their ratings after judge-wise z."""
    yield from _by_mean(of, "mean_z", "means-z", "Mean z score", "highest in z scores")


def _by_mean(of: Material, statistic: str, kind: str, measure: str, highest: str) -> Iterator[Sketch]:
    found = sorted((row for row in of.of(statistic) if row.system), key=falling)
    # Magnitudes are read on logarithms, which have charts of their own.
    if not found or of.of("geometric_mean"):
        return
    second = {row.system: row for row in of.of(f"{statistic}_over_raters")}
    largest = max(abs(value_of(row)) for row in found)
    points = [
        point(
            row,
            words.number(value_of(row), largest),
            name=row.system,
            over_raters=second.get(row.system),
            n=row.n_ratings,
        )
        for row in found
    ]
    taken = ", steps taken as equal" if of.has_steps and statistic == "mean" else ""
    lines = f"Thick line: {of.interval(found, 'items')}" + ("; thin line: over raters." if second else ".")
    yield Sketch(
        kind=kind,
        title=_title(points, of.name, highest),
        subtitle=(
            f"{measure} for {of.name}{taken}{only(found)}; {of.basis(found)}. {lines}{each(found)}{counted(found)}"
        ),
        by_system=True,
        chart=points_chart(points, measure=measure),
        columns=(
            ("name", "System"),
            ("value", measure),
            *INTERVAL,
            *(INTERVAL_OVER_RATERS if second else ()),
            ("n", "Ratings"),
        ),
    )


def _title(points: Sequence[Point], criterion: str, highest: str) -> str:
    """Name the highest system where its intervals stand apart from all others', else say which meet."""
    first, others = points[0], points[1:]
    if not others or first.low is None or any(one.high is None for one in others):
        return f"Systems by their mean for {criterion}"
    near = [one.name for one in others if _meet(first, one)]
    if near:
        return f"At the top for {criterion}, the intervals of {words.names([first.name, *near])} overlap"
    return f"{words.short(first.name)} is {highest} for {criterion} ({first.text})"


def _meet(higher: Point, lower: Point) -> bool:
    """Say whether the intervals of two systems meet, over items or over raters."""
    ends = ((higher.low, lower.high), (higher.low_b, lower.high_b))
    return any(low is not None and high is not None and low <= high for low, high in ends)


def differences(of: Material) -> Iterator[Sketch]:
    """Draw every pair of systems by the difference of their means, the higher one first."""
    found = sorted((higher_first(row, 0) for row in of.of("difference")), key=falling)
    if not found or of.of("magnitude_ratio"):
        return
    largest = max(abs(value_of(row)) for row in found)
    points = [pair_point(row, words.number(value_of(row), largest), sign="−") for row in found]
    tested = [row.p_adjusted for row in found if row.p_adjusted is not None]
    limit = round(1 - of.confidence, 9)
    apart = sum(1 for p in tested if p < limit)
    yield Sketch(
        kind="differences",
        title=_significant(apart, len(tested), of.name),
        subtitle=(
            f"Difference of two systems' means over the items both have{only(found)}; {of.basis(found)}. "
            f"Line: {of.interval(found, 'items')}. To differ: p below {limit:g}"
            f"{_corrected(setting(found, 'correction'))}.{counted(found)}"
        ),
        by_system=True,
        chart=points_chart(points, measure="Difference of means", limits=[(0.0, "none")]),
        columns=(("name", "Pair"), ("value", "Difference"), *INTERVAL, ("p", "Adjusted p"), ("n", "Items")),
    )


def _corrected(method: object) -> str:
    if method == "none":
        return ", not corrected for several tests"
    return f" after correction ({CORRECTIONS.get(str(method), method)})" if method else " after correction"


def _significant(apart: int, tested: int, criterion: str) -> str:
    if not tested:
        return f"Differences between systems for {criterion}"
    if tested == 1:
        return f"The two systems {'differ' if apart else 'do not differ significantly'} for {criterion}"
    if not apart:
        return f"No two systems differ significantly for {criterion}"
    return f"{'All' if apart == tested else f'{apart} of'} {tested} pairs of systems differ for {criterion}"


def superiority(of: Material) -> Iterator[Sketch]:
    """Draw, for scales of steps, how often one system's rating stands above another's."""
    found = sorted((higher_first(row, 0.5) for row in of.of("superiority")), key=falling)
    if not found or not of.has_steps:
        return
    points = [pair_point(row, words.share(value_of(row)), sign="above") for row in found]
    first, pair = points[0], found[0]
    high, low = words.short(pair.system), words.short(pair.system_b)
    title = (
        f"{high} is rated above {low} {first.text} of the time for {of.name}"
        if first.low is not None and first.low > 0.5
        else f"No system is rated clearly above another for {of.name}"
    )
    yield Sketch(
        kind="superiority",
        title=title,
        subtitle=(
            f"Probability that a rating of one system is above a rating of the other for the same item, ties half"
            f"{only(found)}; {of.basis(found)}. Line: {of.interval(found, 'items')}.{counted(found)}"
        ),
        by_system=True,
        chart=points_chart(points, measure="Probability of superiority", limits=[(0.5, "even")]),
        columns=(("name", "Pair"), ("value", "Probability"), *INTERVAL, ("n", "Items")),
    )
