"""Charts that compare systems. A title claims no more than its intervals do."""

from collections.abc import Iterator, Sequence

from analytics_app.charts import words
from analytics_app.charts.drawing import Sketch, chart
from analytics_app.charts.picking import (
    INTERVAL,
    Material,
    beside,
    counted,
    each,
    falling,
    left_off,
    pair_point,
    pairs_of,
    point,
    setting,
    value_of,
    why_not,
)
from analytics_app.charts.points import points_chart
from analytics_app.charts.ranked import (
    TESTED,
    apart_for_further_raters,
    correction,
    criterion_leader_title,
    not_significant,
    ranked,
)
from analytics_app.results import Row
from analytics_app.show.raters_disagree import LARGE, share_of_raters

# One rater has no order.
LEAST_RATERS = 2


@chart(order=30, of_task=False)
def means(material: Material) -> Iterator[Sketch]:
    """Draw the systems by their mean rating."""
    statistic = "mean_crossed" if material.of("mean_crossed") else "mean"
    yield from _by_mean(material, statistic, "means", "Mean rating", "rated highest")


@chart(order=40, of_task=False)
def z_means(material: Material) -> Iterator[Sketch]:
    """Draw the systems by the mean of their ratings after judge-wise z."""
    yield from _by_mean(material, "mean_z", "means-z", "Mean z score", "highest in z scores")


def _by_mean(material: Material, statistic: str, kind: str, measure: str, highest: str) -> Iterator[Sketch]:
    rows = sorted((row for row in material.of(statistic) if row.system), key=falling)
    # Magnitudes are analysed as logarithms, which have charts of their own.
    if not rows or material.of("geometric_mean"):
        return
    systems = ranked(material, rows)
    steps = ", steps taken as equal" if material.has_steps and statistic != "mean_z" else ""
    yield Sketch(
        kind=kind,
        title=criterion_leader_title(
            systems.points,
            material.name,
            best=f"is {highest}",
            otherwise="Systems by their mean",
            alike=not_significant(material, material.of(TESTED[statistic])) | _alike(material),
            apart=apart_for_further_raters(material, material.of(TESTED[statistic])),
        ),
        subtitle=(
            f"{measure} for {material.name}{steps}{left_off(rows)}; {material.basis(rows)}. {systems.lines}"
            f"{each(rows)}{counted(rows)}"
        ),
        by_system=True,
        chart=points_chart(systems.points, measure=measure),
        columns=(("name", "System"), ("value", measure), *systems.columns, ("n", "Ratings")),
        further=statistic == "mean_z",
    )


COUNT_RATIOS = ("count_ratio_crossed", "count_ratio")


@chart(order=50, of_task=False)
def differences(material: Material) -> Iterator[Sketch]:
    """Draw every pair of systems by the difference of their means, first minus second as in the table.

    Magnitudes and counts are compared by their ratios, which have charts and tests of their own.
    """
    rows = material.of("difference_crossed") or material.of("difference")
    if (
        not rows
        or material.of("magnitude_ratio")
        or any(row.value for name in COUNT_RATIOS for row in material.of(name))
    ):
        return
    pairs = pairs_of(rows, abs, material.is_significant)
    largest = max(abs(value_of(row)) for row in rows)
    points = [pair_point(row, words.number(value_of(row), largest), sign="−") for row in pairs.rows]
    tested = sum(1 for row in rows if row.p_adjusted is not None)
    yield Sketch(
        kind="differences",
        title=_significant(len(pairs.clear), tested, material.name, possible=setting(rows, "cannot_differ") is None),
        subtitle=(
            f"{_measure(rows)}{pairs.left_off}; "
            f"{material.basis(rows)}. "
            f"Line: {material.interval(rows, 'items')}. To differ: p below {material.alpha:g}"
            f"{_corrected(setting(rows, 'correction'))}.{why_not(rows)}{counted(rows)}"
        ),
        by_system=True,
        chart=points_chart(points, measure="Difference of means", limits=[(0.0, "none")]),
        columns=(("name", "Pair"), ("value", "Difference"), *INTERVAL, ("p", "Adjusted p"), ("n", "Items")),
        # For steps, charts that do not take steps as equal come first.
        further=material.has_steps,
    )


def _measure(rows: Sequence[Row]) -> str:
    measure = "Mean of the first system minus mean of the second"
    return f"{measure}, over the items both have" if rows[0].statistic == "difference" else measure


def _alike(material: Material) -> set[frozenset[str | None]]:
    """Return the pairs that do not differ significantly with raters and texts random; none if that was not tested."""
    return not_significant(material, material.of("difference_crossed"))


def _corrected(method: object) -> str:
    if method == "none":
        return ", not corrected for several tests"
    return f" after correction ({correction(method)})" if method else " after correction"


def _significant(apart: int, tested: int, criterion: str, *, possible: bool) -> str:
    if not tested:
        return f"Differences between systems for {criterion}"
    if not possible:
        return f"No difference can be significant for {criterion}"
    if tested == 1:
        return f"The two systems {'differ' if apart else 'do not differ significantly'} for {criterion}"
    if not apart:
        return f"No two systems differ significantly for {criterion}"
    return f"{'All' if apart == tested else f'{apart} of'} {tested} pairs of systems differ for {criterion}"


@chart(order=20, of_task=False)
def superiority(material: Material) -> Iterator[Sketch]:
    """Draw, for scales of steps, the probability that the first system's rating is above the second's."""
    rows = material.of("superiority")
    if not rows or not material.has_steps:
        return
    alike = _alike(material)
    pairs = pairs_of(
        rows,
        lambda value: abs(value - 0.5),
        lambda row: beside(row, 0.5) and frozenset((row.system, row.system_b)) not in alike,
    )
    points = [pair_point(row, words.share(value_of(row)), sign="above") for row in pairs.rows]
    title = f"No system is rated clearly above another for {material.name}"
    # The largest difference may rest on few items, so the first clear pair may be another.
    for row in pairs.clear[:1]:
        first, second = words.short(row.system), words.short(row.system_b)
        share = words.share(value_of(row))
        title = f"Probability that {first} is rated above {second} for {material.name}: {share} (ties count half)"
    yield Sketch(
        kind="superiority",
        title=title,
        subtitle=(
            f"Probability that a rating of the first system is above a rating of the second for the same item, "
            f"ties half{pairs.left_off}; {material.basis(rows)}. "
            f"Line: {material.interval(rows, 'items')}.{counted(rows)}"
        ),
        by_system=True,
        chart=points_chart(points, measure="Probability of superiority", limits=[(0.5, "even")], percent=True),
        columns=(("name", "Pair"), ("value", "Probability"), *INTERVAL, ("n", "Items")),
    )


@chart(order=55, of_task=False)
def rater_differences(material: Material) -> Iterator[Sketch]:
    """Draw the difference of each rater between the two systems that are furthest apart, the highest first."""
    rows = sorted(material.of("rater_difference"), key=falling)
    if len(rows) < LEAST_RATERS or material.of("magnitude_ratio"):
        return
    first, second = words.short(rows[0].system), words.short(rows[0].system_b)
    n, above, below = (int(setting(rows, name)) for name in ("raters", "above", "below"))
    largest = max(abs(value_of(row)) for row in rows)
    points = [point(row, words.number(value_of(row), largest), name=row.rater, n=row.n_ratings) for row in rows]
    ends = (rows[0].system, rows[0].system_b)
    pair = next((row for row in material.of("difference_crossed") if (row.system, row.system_b) == ends), None)
    share = share_of_raters(pair) if pair is not None else None
    some, rate = f", {len(rows)} of them" if len(rows) < n else "", "rates" if above == 1 else "rate"
    yield Sketch(
        kind="rater-differences",
        title=f"{above} of {n} raters {rate} {first} above {second} for {material.name}, {below} below",
        subtitle=(
            f"Mean of each rater's ratings of {first} minus that of {second}, the two systems furthest apart{some}; "
            f"{material.basis(rows)}."
        ),
        by_system=True,
        chart=points_chart(points, measure="Difference of means by rater", limits=[(0.0, "none")]),
        columns=(("name", "Rater"), ("value", "Difference"), ("n", "Ratings")),
        further=share is None or share < LARGE,
    )
