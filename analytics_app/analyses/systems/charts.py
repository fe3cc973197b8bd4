"""Charts that compare systems. A title claims no more than its intervals do."""

from __future__ import annotations

from collections.abc import Iterator

from analytics_app.charts import words
from analytics_app.charts.drawing import Sketch
from analytics_app.charts.picking import (
    INTERVAL,
    Material,
    beside,
    counted,
    each,
    falling,
    only,
    pair_point,
    pairs_of,
    setting,
    value_of,
    why_not,
)
from analytics_app.charts.points import points_chart
from analytics_app.charts.ranked import TESTED, at_the_top, correction, not_significant, ranked
from analytics_app.charts.registry import chart


@chart(order=30, of_task=False)
def means(of: Material) -> Iterator[Sketch]:
    """Draw the systems by their mean rating."""
    yield from _by_mean(of, "mean", "means", "Mean rating", "rated highest")


@chart(order=40, of_task=False)
def z_means(of: Material) -> Iterator[Sketch]:
    """Draw the systems by the mean of their ratings after judge-wise z."""
    yield from _by_mean(of, "mean_z", "means-z", "Mean z score", "highest in z scores")


def _by_mean(of: Material, statistic: str, kind: str, measure: str, highest: str) -> Iterator[Sketch]:
    found = sorted((row for row in of.of(statistic) if row.system), key=falling)
    # Magnitudes are read on logarithms, which have charts of their own.
    if not found or of.of("geometric_mean"):
        return
    systems = ranked(of, found)
    taken = ", steps taken as equal" if of.has_steps and statistic == "mean" else ""
    yield Sketch(
        kind=kind,
        title=at_the_top(
            systems.points,
            of.name,
            best=f"is {highest}",
            otherwise="Systems by their mean",
            alike=not_significant(of, TESTED[statistic]),
        ),
        subtitle=(
            f"{measure} for {of.name}{taken}{only(found)}; {of.basis(found)}. {systems.lines}"
            f"{each(found)}{counted(found)}"
        ),
        by_system=True,
        chart=points_chart(systems.points, measure=measure),
        columns=(("name", "System"), ("value", measure), *systems.columns, ("n", "Ratings")),
        further=statistic == "mean_z",
    )


@chart(order=50, of_task=False)
def differences(of: Material) -> Iterator[Sketch]:
    """Draw every pair of systems by the difference of their means, first minus second as in the table."""
    found = of.of("difference")
    if not found or of.of("magnitude_ratio"):
        return
    limit = round(1 - of.confidence, 9)
    pairs = pairs_of(found, abs, lambda row: row.p_adjusted is not None and row.p_adjusted < limit)
    largest = max(abs(value_of(row)) for row in found)
    points = [pair_point(row, words.number(value_of(row), largest), sign="−") for row in pairs.rows]
    tested = sum(1 for row in found if row.p_adjusted is not None)
    yield Sketch(
        kind="differences",
        title=_significant(len(pairs.clear), tested, of.name, possible=setting(found, "cannot_differ") is None),
        subtitle=(
            f"Mean of the first system minus mean of the second, over the items both have{pairs.only}; "
            f"{of.basis(found)}. "
            f"Line: {of.interval(found, 'items')}. To differ: p below {limit:g}"
            f"{_corrected(setting(found, 'correction'))}.{why_not(found)}{counted(found)}"
        ),
        by_system=True,
        chart=points_chart(points, measure="Difference of means", limits=[(0.0, "none")]),
        columns=(("name", "Pair"), ("value", "Difference"), *INTERVAL, ("p", "Adjusted p"), ("n", "Items")),
        # On steps, what needs no equal ones is read first.
        further=of.has_steps,
    )


def _corrected(method: object) -> str:
    if method == "none":
        return ", not corrected for several tests"
    return f" after correction ({correction(method)})" if method else " after correction"


def _significant(apart: int, tested: int, criterion: str, *, possible: bool) -> str:
    if not tested:
        return f"Differences between systems for {criterion}"
    if not possible:
        return f"Too little to find a significant difference for {criterion}"
    if tested == 1:
        return f"The two systems {'differ' if apart else 'do not differ significantly'} for {criterion}"
    if not apart:
        return f"No two systems differ significantly for {criterion}"
    return f"{'All' if apart == tested else f'{apart} of'} {tested} pairs of systems differ for {criterion}"


@chart(order=20, of_task=False)
def superiority(of: Material) -> Iterator[Sketch]:
    """Draw, for scales of steps, how often the first system's rating stands above the second's."""
    found = of.of("superiority")
    if not found or not of.has_steps:
        return
    pairs = pairs_of(found, lambda value: abs(value - 0.5), lambda row: beside(row, 0.5))
    points = [pair_point(row, words.share(value_of(row)), sign="above") for row in pairs.rows]
    title = f"No system is rated clearly above another for {of.name}"
    # The widest difference may rest on few items, so that another pair is the first that is clear.
    for row in pairs.clear[:1]:
        first, second = words.short(row.system), words.short(row.system_b)
        often = f"{'' if value_of(row) > 0.5 else 'only '}{words.share(value_of(row))}"
        title = f"{first} is rated above {second} {often} of the time for {of.name}"
    yield Sketch(
        kind="superiority",
        title=title,
        subtitle=(
            f"Probability that a rating of the first system is above a rating of the second for the same item, "
            f"ties half{pairs.only}; {of.basis(found)}. Line: {of.interval(found, 'items')}.{counted(found)}"
        ),
        by_system=True,
        chart=points_chart(points, measure="Probability of superiority", limits=[(0.5, "even")], percent=True),
        columns=(("name", "Pair"), ("value", "Probability"), *INTERVAL, ("n", "Items")),
    )
