"""Charts of order effects: effects of places, chosen places, and seconds over the sitting."""

from collections.abc import Iterator, Sequence

from analytics_app.charts import words
from analytics_app.charts.bars import bars_chart
from analytics_app.charts.drawing import Sketch, chart
from analytics_app.charts.picking import INTERVAL, Material, counted, point, setting, value_of
from analytics_app.charts.points import MOST_ROWS, points_chart
from analytics_app.results import Row, is_significant


@chart(order=80)
def places(material: Material) -> Iterator[Sketch]:
    """Draw the effect of each place on the screen on ratings, criterion by criterion."""
    rows = _of_places(material.of("place_effect"))
    if not 1 <= len(rows) <= MOST_ROWS:
        return
    several = len({row.criterion for row in rows}) > 1
    logs = setting(rows, "of") == "logarithms"
    largest = max(abs(value_of(row)) for row in rows)
    points = [
        point(
            row,
            # Never "−0.00".
            words.number(round(value_of(row), 2) + 0.0, largest),
            name=f"{words.short(material.called_in(row), 24)}, {row.label}" if several else str(row.label),
            n=row.n_ratings,
        )
        for row in rows
    ]
    measure = "the logarithm of a rating" if logs else "a rating"
    yield Sketch(
        kind="places",
        title=_matters(material, [row for row in material.of("place_test") if row.p is not None]),
        subtitle=(
            f"What a place on the screen adds to {measure}, against the mean of all places, within "
            f"{setting(rows, 'within')}; {material.basis(rows)}. "
            f"Line: {material.confidence * 100:g}{words.SPACE}% interval, clustered by rater.{counted(rows)}"
        ),
        by_system=False,
        chart=points_chart(points, measure=f"Added to {measure}", limits=[(0.0, "none")]),
        columns=(("name", "Place"), ("value", "Added"), *INTERVAL, ("n", "Ratings")),
        further=True,
    )


def _of_places(rows: Sequence[Row]) -> list[Row]:
    """Return the rows without those of the second of two places, which have the same effect with the opposite sign."""
    labels = list(dict.fromkeys(row.label for row in rows))
    return [row for row in rows if len(labels) > 2 or row.label == labels[0]]


def _matters(material: Material, tests: Sequence[Row]) -> str:
    """Return a title that names the criteria with a significant test of places."""
    significant = [row for row in tests if is_significant(row.p, material.alpha)]
    if not tests:
        return "Ratings by the place of the text on the screen"
    if not significant:
        return "No place on the screen is seen to change ratings"
    names = words.names([material.called_in(row) for row in significant if row.criterion])
    return f"The place on the screen changes ratings{f' for {names}' if names else ''}"


@chart(order=81)
def chosen_places(material: Material) -> Iterator[Sketch]:
    """Draw the share of each chosen place, criterion by criterion."""
    all_shares = material.of("chosen_place_share")
    rows = _of_places(all_shares)
    if not 1 <= len(rows) <= MOST_ROWS:
        return
    several = len({row.criterion for row in rows}) > 1
    points = [
        point(
            row,
            words.share(value_of(row)),
            name=f"{words.short(material.called_in(row), 24)}, {row.label}" if several else str(row.label),
            n=row.n_ratings,
        )
        for row in rows
    ]
    n_places = len({row.label for row in all_shares})
    significant = [row for row in material.of("chosen_place_test") if is_significant(row.p, material.alpha)]
    names = words.names([material.called_in(row) for row in significant if row.criterion])
    title = f"Some places are chosen more often{f' for {names}' if names else ''}" if significant else (
        "No place on the screen is seen to be preferred"
    )  # fmt: skip
    yield Sketch(
        kind="chosen-places",
        title=title,
        subtitle=(
            f"Share of the choices that fell on each place; by chance it would be 1 of {n_places}; "
            f"{material.basis(rows)}. Line: {material.interval(rows, 'raters')}.{counted(rows)}"
        ),
        by_system=False,
        chart=points_chart(points, measure="Share of choices", limits=[(1 / n_places, "even")], percent=True),
        columns=(("name", "Place"), ("value", "Share"), *INTERVAL, ("n", "Choices")),
        further=True,
    )


BEFORE = {"preceding_text": "better text before", "preceding_answer": "higher own answer before"}


@chart(order=82)
def carry_over(material: Material) -> Iterator[Sketch]:
    """Draw the effects of the preceding text and the rater's own preceding answer, criterion by criterion."""
    rows = [row for name in BEFORE for row in material.of(name) if row.low is not None and row.label is None]
    criteria = list(dict.fromkeys(row.criterion for row in rows))
    rows.sort(key=lambda row: criteria.index(row.criterion))
    if not 1 <= len(rows) <= MOST_ROWS:
        return
    several = len({row.criterion for row in rows}) > 1
    largest = max(abs(value_of(row)) for row in rows)
    points = [
        point(
            row,
            words.number(round(value_of(row), 2) + 0.0, largest),
            name=(
                f"{words.short(material.called_in(row), 24)}, {BEFORE[row.statistic]}"
                if several
                else BEFORE[row.statistic].capitalize()
            ),
            n=row.n_ratings,
        )
        for row in rows
    ]
    significant = [row for row in rows if is_significant(row.p, material.alpha)]
    names = words.names(list(dict.fromkeys(material.called_in(row) for row in significant if row.criterion)))
    title = f"Answers depend on the text or answer before{f' for {names}' if names else ''}" if significant else (
        "Answers are not seen to depend on the text or answer before"
    )  # fmt: skip
    measure = "the logarithm of an answer" if setting(rows, "of") == "logarithms" else "an answer"
    yield Sketch(
        kind="carry-over",
        title=title,
        subtitle=(
            f"What one point more before adds to {measure}, with texts and raters held constant; above 0 answers move "
            f"towards what came before, below 0 away from it; {material.basis(rows)}. "
            f"Line: {material.confidence * 100:g}{words.SPACE}% interval over raters.{counted(rows)}"
        ),
        by_system=False,
        chart=points_chart(points, measure=f"Added to {measure}", limits=[(0.0, "none")]),
        columns=(("name", "Before"), ("value", "Added"), *INTERVAL, ("n", "Ratings")),
        further=True,
    )


@chart(order=83)
def pace(material: Material) -> Iterator[Sketch]:
    """Draw the seconds per unit in each fifth of the sitting."""
    rows = material.of("seconds_a_unit")
    trend = material.of("seconds_trend")
    if len(rows) < 2:
        return
    first, last = value_of(rows[0]), value_of(rows[-1])
    units = sum(row.n_items or 0 for row in rows)
    raters = max((row.n_raters or 0 for row in rows), default=0)
    yield Sketch(
        kind="pace",
        title=_faster(first, last, trend[0] if trend else None),
        subtitle=(
            f"Median seconds of work a unit in each fifth of a rater's sitting; {material.basis(rows)}. "
            f"{units:,} units, {raters:,} raters."
        ),
        by_system=False,
        chart=bars_chart(
            [(str(row.label).removeprefix("fifth "), value_of(row)) for row in rows],
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
