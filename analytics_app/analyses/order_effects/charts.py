"""Charts of order effects: what places add, which places are chosen, and seconds over the sitting."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from analytics_app.charts import words
from analytics_app.charts.bars import bars_chart
from analytics_app.charts.drawing import Sketch
from analytics_app.charts.picking import INTERVAL, Material, counted, point, setting, value_of
from analytics_app.charts.points import MOST_ROWS, points_chart
from analytics_app.charts.registry import chart
from analytics_app.results import Row


@chart(order=80)
def places(of: Material) -> Iterator[Sketch]:
    """Draw what each place on the screen adds to ratings, criterion by criterion."""
    found = _of_places(of.of("place_effect"))
    if not 1 <= len(found) <= MOST_ROWS:
        return
    several = len({row.criterion for row in found}) > 1
    logs = setting(found, "of") == "logarithms"
    largest = max(abs(value_of(row)) for row in found)
    points = [
        point(
            row,
            # Never "−0.00".
            words.number(round(value_of(row), 2) + 0.0, largest),
            name=f"{words.short(of.called_in(row), 24)}, {row.label}" if several else str(row.label),
            n=row.n_ratings,
        )
        for row in found
    ]
    what = "the logarithm of a rating" if logs else "a rating"
    yield Sketch(
        kind="places",
        title=_matters(of, [row for row in of.of("place_test") if row.p is not None]),
        subtitle=(
            f"What a place on the screen adds to {what}, against the mean of all places, within "
            f"{setting(found, 'within')}; {of.basis(found)}. "
            f"Line: {of.confidence * 100:g}{words.SPACE}% interval, clustered by rater.{counted(found)}"
        ),
        by_system=False,
        chart=points_chart(points, measure=f"Added to {what}", limits=[(0.0, "none")]),
        columns=(("name", "Place"), ("value", "Added"), *INTERVAL, ("n", "Ratings")),
        further=True,
    )


def _of_places(found: Sequence[Row]) -> list[Row]:
    """Leave out the second of two places, which says the same with the opposite sign."""
    labels = list(dict.fromkeys(row.label for row in found))
    return [row for row in found if len(labels) > 2 or row.label == labels[0]]


def _matters(of: Material, tests: Sequence[Row]) -> str:
    """Say for how many criteria the place made a difference that the test sees."""
    limit = round(1 - of.confidence, 9)
    seen = [row for row in tests if row.p is not None and row.p < limit]
    if not tests:
        return "Ratings by the place of the text on the screen"
    if not seen:
        return "No place on the screen is seen to change ratings"
    names = words.names([of.called_in(row) for row in seen if row.criterion])
    return f"The place on the screen changes ratings{f' for {names}' if names else ''}"


@chart(order=81)
def chosen_places(of: Material) -> Iterator[Sketch]:
    """Draw how often each place was chosen, criterion by criterion."""
    every = of.of("chosen_place_share")
    found = _of_places(every)
    if not 1 <= len(found) <= MOST_ROWS:
        return
    several = len({row.criterion for row in found}) > 1
    points = [
        point(
            row,
            words.share(value_of(row)),
            name=f"{words.short(of.called_in(row), 24)}, {row.label}" if several else str(row.label),
            n=row.n_ratings,
        )
        for row in found
    ]
    n_places = len({row.label for row in every})
    limit = round(1 - of.confidence, 9)
    seen = [row for row in of.of("chosen_place_test") if row.p is not None and row.p < limit]
    names = words.names([of.called_in(row) for row in seen if row.criterion])
    title = f"Some places are chosen more often{f' for {names}' if names else ''}" if seen else (
        "No place on the screen is seen to be preferred"
    )  # fmt: skip
    yield Sketch(
        kind="chosen-places",
        title=title,
        subtitle=(
            f"Share of the choices that fell on each place; by lot it would be 1 of {n_places}; {of.basis(found)}. "
            f"Line: {of.interval(found, 'raters')}.{counted(found)}"
        ),
        by_system=False,
        chart=points_chart(points, measure="Share of choices", limits=[(1 / n_places, "even")], percent=True),
        columns=(("name", "Place"), ("value", "Share"), *INTERVAL, ("n", "Choices")),
        further=True,
    )


@chart(order=82)
def pace(of: Material) -> Iterator[Sketch]:
    """Draw seconds a unit in each fifth of the sitting."""
    found = of.of("seconds_a_unit")
    trend = of.of("seconds_trend")
    if len(found) < 2:
        return
    first, last = value_of(found[0]), value_of(found[-1])
    units = sum(row.n_items or 0 for row in found)
    raters = max((row.n_raters or 0 for row in found), default=0)
    yield Sketch(
        kind="pace",
        title=_faster(first, last, trend[0] if trend else None),
        subtitle=(
            f"Median seconds of work a unit in each fifth of a rater's sitting; {of.basis(found)}. "
            f"{units:,} units, {raters:,} raters."
        ),
        by_system=False,
        chart=bars_chart(
            [(str(row.label).removeprefix("fifth "), value_of(row)) for row in found],
            measure="Fifth of the sitting",
            share=False,
        ),
        columns=(("label", "Fifth"), ("value", "Seconds")),
        further=True,
    )


def _faster(first: float, last: float, trend: Row | None) -> str:
    if trend is None or trend.low is None or trend.high is None or trend.low <= 1 <= trend.high:
        return "Raters are not seen to become faster or slower"
    change = "faster" if trend.high < 1 else "slower"
    return f"Raters become {change}: {first:.0f} seconds a unit at first, {last:.0f} at the end"
