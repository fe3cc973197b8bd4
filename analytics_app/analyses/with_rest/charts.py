"""Charts of severity: the difference of each rater from the others, and the distribution of differences."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import ceil, log10

import numpy as np

from analytics_app.charts import words
from analytics_app.charts.bars import bars_chart
from analytics_app.charts.drawing import Sketch, chart
from analytics_app.charts.picking import INTERVAL, Material, falling, point, setting, value_of
from analytics_app.charts.points import points_chart
from analytics_app.charts.ranked import correction
from analytics_app.results import Row

BINS = 16
# With more raters than MOST, only those at each end are drawn: charts of all raters would make a page heavy.
MOST, AT_AN_END = 20, 10
MEASURE = "Mean difference from the others"
ERROR = "Mean absolute error of prediction"


@chart(order=95, of_task=False)
def severity(material: Material) -> Iterator[Sketch]:
    """Draw the difference of each rater from the others; of many raters, those at both ends, and a histogram."""
    rows = sorted((row for row in material.of("difference_from_rest") if row.rater), key=falling)
    if len(rows) < 2:
        return
    many = len(rows) > MOST
    shown_rows = [*rows[:AT_AN_END], *rows[-AT_AN_END:]] if many else rows
    largest = max(abs(value_of(row)) for row in shown_rows)
    points = [point(row, _signed(value_of(row), largest), name=row.rater, n=row.n_items) for row in shown_rows]
    only = f", the {AT_AN_END} highest and the {AT_AN_END} lowest of {len(rows):,} raters" if many else ""
    yield Sketch(
        kind="severity",
        title=_apart(rows, material),
        subtitle=(
            f"{_measured(material)}{only}; {material.basis(rows)}. {_method(rows, material)} {len(rows):,} raters."
        ),
        by_system=any(row.by_system for row in rows),
        chart=points_chart(points, measure=MEASURE, limits=[(0.0, "as the others")]),
        columns=(("name", "Rater"), ("value", "Difference"), *INTERVAL, ("n", "Items")),
        further=True,
    )
    if many:
        yield _spread(rows, material)


@chart(order=96, of_task=False)
def prediction(material: Material) -> Iterator[Sketch]:
    """Draw the error of predicting each rater's ratings by the others; of many raters, those with the largest."""
    errors = material.of("prediction_absolute")
    together = next((row for row in errors if not row.rater), None)
    rows = sorted((row for row in errors if row.rater), key=falling)
    if together is None or len(rows) < 2:
        return
    shown_rows = rows[:MOST]
    largest = max(value_of(row) for row in shown_rows)
    points = [point(row, words.number(value_of(row), largest), name=row.rater, n=row.n_ratings) for row in shown_rows]
    mean = words.number(value_of(together), largest)
    only = f", the {MOST} largest of {len(rows):,} raters" if len(rows) > MOST else ""
    interval = ""
    if together.low is not None and together.high is not None:
        low, high = (words.number(end, largest) for end in (together.low, together.high))
        interval = f" ({material.interval([together], 'items')}: {low} to {high})"
    steps = ", steps taken as equal" if material.has_steps else ""
    yield Sketch(
        kind="prediction",
        title=f"The mean of the other raters predicts a rating of {material.name} with a mean absolute error of {mean}",
        subtitle=(
            f"Mean absolute difference between a rater's ratings and the mean of the other raters of the same "
            f"texts{steps}{only}; {material.basis(rows)}. Line: all raters together{interval}. "
            f"{together.n_ratings:,} ratings."
        ),
        by_system=any(row.by_system for row in errors),
        chart=points_chart(points, measure=ERROR, limits=[(value_of(together), "all raters")]),
        columns=(("name", "Rater"), ("value", "Mean absolute error"), ("n", "Ratings")),
        further=True,
    )


def _spread(rows: Sequence[Row], material: Material) -> Sketch:
    """Return a histogram of the differences of raters from the others."""
    values = np.array([value_of(row) for row in rows])
    counts, edges = np.histogram(values, bins=BINS)
    width = float(edges[1] - edges[0])
    digits = max(1 if np.ptp(values) >= 10 else 2, ceil(-log10(width)))  # so that no bar seems to have no width
    bars = [
        (f"{low:.{digits}f} to {high:.{digits}f}", int(n))
        for (low, high), n in zip(pairwise((np.round(edges, digits) + 0.0).tolist()), counts.tolist(), strict=True)
    ]
    low, high = (
        _signed(quartile, float(np.abs(values).max())) for quartile in np.quantile(values, [0.25, 0.75]).tolist()
    )
    return Sketch(
        kind="severity-of-all",
        title=f"The middle half of the raters differ from the others by {low} to {high} for {material.name}",
        subtitle=(
            f"{_measured(material)}: number of raters by difference; {material.basis(rows)}. {len(rows):,} raters."
        ),
        by_system=any(row.by_system for row in rows),
        chart=bars_chart(bars, measure=MEASURE, share=False),
        columns=(("label", "Difference"), ("value", "Raters")),
        further=True,
    )


def _apart(rows: Sequence[Row], material: Material) -> str:
    """Return a title with the numbers of raters who rate significantly higher or lower than the others."""
    tested = [row for row in rows if row.p_adjusted is not None]
    if not tested:
        return f"How far raters are from the others for {material.name}"
    apart = [row for row in tested if material.is_significant(row)]
    higher = sum(value_of(row) > 0 for row in apart)
    if not apart:
        return f"No rater rates {material.name} significantly higher or lower than the others"
    return (
        f"Of {len(tested):,} raters tested, {higher:,} {'rates' if higher == 1 else 'rate'} {material.name} "
        f"significantly higher than the other raters of the same texts and {len(apart) - higher:,} significantly lower"
    )


def _measured(material: Material) -> str:
    steps = ", steps taken as equal" if material.has_steps else ""
    return f"Difference for {material.name} between a rater and the mean of the other raters of the same texts{steps}"


def _method(rows: Sequence[Row], material: Material) -> str:
    over = str(setting(rows, "interval")).removeprefix("t over ")
    method = setting(rows, "correction")
    corrected = f", {correction(method)} for all raters" if method and method != "none" else ""
    return f"Line: {material.confidence * 100:g}{words.SPACE}% t interval over {over}. p: Student's t{corrected}."


def _signed(value: float, largest: float) -> str:
    text = words.number(value, largest)
    return f"+{text}" if value > 0 else text
