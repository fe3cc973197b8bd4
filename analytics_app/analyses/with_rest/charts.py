"""Charts of severity: each rater against the others, and how many raters are how far from them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import ceil, log10

import numpy as np

from analytics_app.charts import words
from analytics_app.charts.bars import bars_chart
from analytics_app.charts.drawing import Sketch
from analytics_app.charts.picking import INTERVAL, Material, falling, point, setting, value_of
from analytics_app.charts.points import points_chart
from analytics_app.charts.ranked import correction
from analytics_app.charts.registry import chart
from analytics_app.results import Row

BINS = 16
# Of more raters, so many at each end are named: a drawing of all of them for each criterion would make a page heavy.
MOST, AT_AN_END = 20, 10
MEASURE = "Mean difference from the others"
ERROR = "Mean absolute error of prediction"


@chart(order=95, of_task=False)
def severity(of: Material) -> Iterator[Sketch]:
    """Draw the raters by how far they are from the others; of many, those at both ends, and how all are spread."""
    found = sorted((row for row in of.of("difference_from_rest") if row.rater), key=falling)
    if len(found) < 2:
        return
    many = len(found) > MOST
    drawn = [*found[:AT_AN_END], *found[-AT_AN_END:]] if many else found
    largest = max(abs(value_of(row)) for row in drawn)
    points = [point(row, _signed(value_of(row), largest), name=row.rater, n=row.n_items) for row in drawn]
    only = f", the {AT_AN_END} highest and the {AT_AN_END} lowest of {len(found):,} raters" if many else ""
    yield Sketch(
        kind="severity",
        title=_apart(found, of),
        subtitle=f"{_measured(of)}{only}; {of.basis(found)}. {_method(found, of)} {len(found):,} raters.",
        by_system=any(row.by_system for row in found),
        chart=points_chart(points, measure=MEASURE, limits=[(0.0, "as the others")]),
        columns=(("name", "Rater"), ("value", "Difference"), *INTERVAL, ("n", "Items")),
        further=True,
    )
    if many:
        yield _spread(found, of)


@chart(order=96, of_task=False)
def prediction(of: Material) -> Iterator[Sketch]:
    """Draw the raters by how badly the others predict their ratings; of many, those with the largest errors."""
    errors = of.of("prediction_absolute")
    together = next((row for row in errors if not row.rater), None)
    found = sorted((row for row in errors if row.rater), key=falling)
    if together is None or len(found) < 2:
        return
    drawn = found[:MOST]
    largest = max(value_of(row) for row in drawn)
    points = [point(row, words.number(value_of(row), largest), name=row.rater, n=row.n_ratings) for row in drawn]
    mean = words.number(value_of(together), largest)
    only = f", the {MOST} largest of {len(found):,} raters" if len(found) > MOST else ""
    interval = ""
    if together.low is not None and together.high is not None:
        low, high = (words.number(end, largest) for end in (together.low, together.high))
        interval = f" ({of.interval([together], 'items')}: {low} to {high})"
    steps = ", steps taken as equal" if of.has_steps else ""
    yield Sketch(
        kind="prediction",
        title=f"The mean of the other raters predicts a rating of {of.name} with a mean absolute error of {mean}",
        subtitle=(
            f"Mean absolute difference between a rater's ratings and the mean of the other raters of the same "
            f"texts{steps}{only}; {of.basis(found)}. Line: all raters together{interval}. "
            f"{together.n_ratings:,} ratings."
        ),
        by_system=any(row.by_system for row in errors),
        chart=points_chart(points, measure=ERROR, limits=[(value_of(together), "all raters")]),
        columns=(("name", "Rater"), ("value", "Mean absolute error"), ("n", "Ratings")),
        further=True,
    )


def _spread(found: Sequence[Row], of: Material) -> Sketch:
    """Return how many raters are how far from the others."""
    values = np.array([value_of(row) for row in found])
    counts, edges = np.histogram(values, bins=BINS)
    width = float(edges[1] - edges[0])
    digits = max(1 if np.ptp(values) >= 10 else 2, ceil(-log10(width)))  # so that no bar seems to have no width
    bars = [
        (f"{low:.{digits}f} to {high:.{digits}f}", int(n))
        for (low, high), n in zip(pairwise((np.round(edges, digits) + 0.0).tolist()), counts.tolist(), strict=True)
    ]
    low, high = (_signed(one, float(np.abs(values).max())) for one in np.quantile(values, [0.25, 0.75]).tolist())
    return Sketch(
        kind="severity-of-all",
        title=f"The middle half of the raters differ from the others by {low} to {high} for {of.name}",
        subtitle=f"{_measured(of)}: number of raters by difference; {of.basis(found)}. {len(found):,} raters.",
        by_system=any(row.by_system for row in found),
        chart=bars_chart(bars, measure=MEASURE, share=False),
        columns=(("label", "Difference"), ("value", "Raters")),
        further=True,
    )


def _apart(found: Sequence[Row], of: Material) -> str:
    """Say how many raters rate significantly higher or lower than the others."""
    limit = round(1 - of.confidence, 9)
    tested = [row for row in found if row.p_adjusted is not None]
    if not tested:
        return f"How far raters are from the others for {of.name}"
    apart = [row for row in tested if row.p_adjusted is not None and row.p_adjusted < limit]
    higher = sum(value_of(row) > 0 for row in apart)
    if not apart:
        return f"No rater rates {of.name} significantly higher or lower than the others"
    return (
        f"Of {len(tested):,} raters tested, {higher:,} {'rates' if higher == 1 else 'rate'} {of.name} significantly "
        f"higher than the other raters of the same texts and {len(apart) - higher:,} significantly lower"
    )


def _measured(of: Material) -> str:
    steps = ", steps taken as equal" if of.has_steps else ""
    return f"Difference for {of.name} between a rater and the mean of the other raters of the same texts{steps}"


def _method(found: Sequence[Row], of: Material) -> str:
    over = str(setting(found, "interval")).removeprefix("t over ")
    method = setting(found, "correction")
    corrected = f", {correction(method)} for all raters" if method and method != "none" else ""
    return f"Line: {of.confidence * 100:g}{words.SPACE}% t interval over {over}. p: Student's t{corrected}."


def _signed(value: float, largest: float) -> str:
    text = words.number(value, largest)
    return f"+{text}" if value > 0 else text
