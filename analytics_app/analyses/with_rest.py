"""Each rater against the others who rated the same texts."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import ceil, log10

import numpy as np
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from analytics_app.analyses.base import Rows, Sample, in_words
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.bootstrap import bootstrap
from analytics_app.analyses.shared.rated_texts import BetweenRaters, RatedTexts, rated_texts
from analytics_app.charts import words
from analytics_app.charts.bars import bars_chart
from analytics_app.charts.drawing import Sketch, chart
from analytics_app.charts.picking import INTERVAL, Material, falling, point, setting, value_of
from analytics_app.charts.points import points_chart
from analytics_app.charts.ranked import correction
from analytics_app.models import ResultRow
from analytics_app.results import Row
from analytics_app.show import labels
from analytics_app.show.formats import digits, interval, items, p_adjusted, ratings
from analytics_app.show.index import RowIndex
from analytics_app.show.notes import notes_of
from analytics_app.show.shown import Shown, StoredRows, named, own, table_of, tables_of
from analytics_app.show.table import Table
from analytics_app.stats.agreement.closest import closest_raters
from analytics_app.stats.agreement.prediction import average_errors, prediction_errors
from analytics_app.stats.agreement.with_rest import agreement_with_rest, correlations_with_rest, differences_from_rest
from analytics_app.stats.comparison.corrections import adjust
from tasks_app.task_types.base import ORDERED_SCALES, Scale


@register
class WithRest(BetweenRaters):
    """Agreement of each rater with the others: `correlation_with_rest` with the mean of the others, for labels
    `agreement_with_rest`, the mean share of the others who gave a text the same label.

    Severity is `difference_from_rest`: a rater's mean difference from the mean of the others on the same texts. It
    has no row for magnitudes, whose size each rater chooses. The same holds for the error of predicting a rating by the
    mean of the others: of each rater and of all, over texts and over means of items. `prediction_averages` is the human
    error of prediction: how far a rater's averages of systems are from those of the others on the same texts.

    `equal_to_another` is the share of equal ratings with the most alike other rater, whom `label` names: two accounts
    of one person, or answers that were copied, have a share that chance does not explain.
    """

    label = _("Each rater against the others")
    summary = _(
        "How far each rater agrees with the others who rated the same texts, leaving the rater out of them, and how "
        "well the others predict what the rater gives."
    )
    source = (
        "Nunnally and Bernstein (1994). Psychometric Theory, 3rd ed., chapter 8. McGraw-Hill. Saldías et al. (2022). "
        "Toward more effective human evaluation for machine translation. HumEval, 76-89."
    )
    scales = ORDERED_SCALES | {Scale.NOMINAL}
    statistics = {
        "correlation_with_rest": _("Pearson's r with the mean of the others"),
        "agreement_with_rest": _("Share of the others who agree"),
        "equal_to_another": _("Share of equal answers with the most alike rater"),
        "difference_from_rest": _("Mean difference from the others (positive: rates higher)"),
        "prediction_absolute": _("Mean absolute error of prediction by the others"),
        "prediction_square": _("Root mean square error of prediction by the others"),
        "prediction_absolute_items": _("Mean absolute error of prediction by the others, means of items"),
        "prediction_square_items": _("Root mean square error of prediction by the others, means of items"),
        "prediction_averages": _("Human error of prediction: averages of systems, by those of the others"),
    }
    splits = False

    def compute(self, sample: Sample) -> Iterator[Row]:
        """Yield the rows of each rater who shares texts with others: agreement, severity, errors of prediction."""
        ratings, make = rated_texts(sample), Rows(self.name, sample)
        by_label = sample.question.scale is Scale.NOMINAL
        measure = agreement_with_rest if by_label else correlations_with_rest
        name = "agreement_with_rest" if by_label else "correlation_with_rest"
        for result in measure(ratings.values, ratings.texts, ratings.raters):
            yield make.row(name, result.estimate, rater=sample.table.names.raters[result.rater])
        yield from _equal(make, ratings)
        if sample.question.scale in {Scale.ORDINAL, Scale.INTERVAL}:
            yield from _severity(make, ratings)
            yield from _prediction(make, ratings)
            yield from _averages(make)


def _equal(make: Rows, ratings: RatedTexts) -> Iterator[Row]:
    """Yield the share of equal ratings of each rater with the most alike other rater."""
    names = make.sample.table.names.raters
    closest_pairs = closest_raters(ratings.values, ratings.texts, ratings.raters)
    settings = {
        "test": "binomial, against half of the others",
        "correction": "bonferroni",
        "family": f"{in_words(len(closest_pairs), 'rater', 'raters')} of one criterion, each with every other",
    }
    for closest in closest_pairs:
        yield make.row(
            "equal_to_another",
            closest.estimate,
            rater=names[closest.rater],
            label=names[closest.other],
            p_adjusted=closest.p_adjusted,
            settings=settings,
        )


def _severity(make: Rows, ratings: RatedTexts) -> Iterator[Row]:
    """Yield the mean difference of each rater from the others, with p adjusted over all raters."""
    sample, common = make.sample, make.sample.common
    items, over = (ratings.items, "items") if ratings.clusters is None else (ratings.clusters, "documents")
    differences = differences_from_rest(
        ratings.values, ratings.texts, ratings.raters, items, confidence=common.confidence
    )
    adjusted = adjust([difference.estimate.p for difference in differences], common.correction)
    settings = {"interval": f"t over {over}", "test": "Student's t", "correction": common.correction}
    settings |= {"family": f"{sum(p is not None for p in adjusted)} raters of one criterion"}
    for difference, p in zip(differences, adjusted, strict=True):
        yield make.row(
            "difference_from_rest",
            difference.estimate,
            rater=sample.table.names.raters[difference.rater],
            p_adjusted=p,
            settings=settings,
        )


def _prediction(make: Rows, ratings: RatedTexts) -> Iterator[Row]:
    """Yield the errors of predicting ratings by the mean of the others: of all raters together, then of each.

    Means of items are predicted only if raters share several texts of an item.
    """
    names = make.sample.table.names.raters
    over = "items" if ratings.clusters is None else "documents"
    for level in _levels(ratings):
        drawing = bootstrap(make.sample, f"error of prediction over {level}", over)
        errors = prediction_errors(
            ratings.values,
            ratings.texts,
            ratings.raters,
            ratings.items,
            of_items=level == "items",
            clusters=ratings.clusters,
            **drawing.options,
        )
        settings = {"predicted": "ratings" if level == "texts" else "means of items", "by": "mean of the other raters"}
        suffix = "" if level == "texts" else "_items"
        for error in errors:
            rater = None if error.rater is None else names[error.rater]
            for name, estimate in (("absolute", error.absolute), ("square", error.square)):
                drawn = drawing.settings if estimate.low is not None else {}
                yield make.row(f"prediction_{name}{suffix}", estimate, rater=rater, settings={**settings, **drawn})


def _averages(make: Rows) -> Iterator[Row]:
    """Yield the error of predicting averages of systems by those of the others: of all raters, then of each."""
    once = make.sample.first_per_rater()
    table, names = once.table, once.table.names
    row, system, _item = table.by_system()
    keep = ~np.isin(system, sorted(make.sample.without))
    settings = {"predicted": "averages of a rater over the texts of a system", "by": "average of the other raters"}
    errors = average_errors(table.value, once.text, table.rater, row[keep], system[keep])
    for rater, estimate in errors if row.size else ():
        yield make.row(
            "prediction_averages", estimate, rater=None if rater is None else names.raters[rater], settings=settings
        )


def _levels(ratings: RatedTexts) -> Iterator[str]:
    """Yield the levels of prediction: texts, and items if raters share several texts of an item."""
    yield "texts"
    texts, n = np.unique(ratings.texts, return_counts=True)
    shared = np.isin(ratings.texts, texts[n > 1])
    if len(np.unique(ratings.items[shared])) < len(np.unique(ratings.texts[shared])):
        yield "items"


# The table of raters against the others, the least agreement first.

RATERS_SHOWN = 100


@tables_of("with_rest")
def with_rest(rows: StoredRows, limit: float) -> Iterator[Table]:
    """Yield a table with one row for each rater, undefined ones last; then errors of prediction, of all and of each."""
    index = RowIndex([row for row in rows.rows if not row.slice])
    agreeing = index.of("correlation_with_rest", "agreement_with_rest")
    severity = gettext("Mean difference from the others")
    lines = sorted(agreeing, key=lambda row: (row.value is None, row.value or 0.0, row.rater or ""))
    columns = [
        named(gettext("Rater"), lambda row: row.rater),
        own(labels.statistic(lines[0].statistic) if lines else "", digits(3)),
        own(gettext("Texts"), items),
        Shown(gettext("Before rules"), "", digits(3), before=True),
        Shown(severity, "difference_from_rest", digits(2)),
        Shown(gettext("Interval"), "difference_from_rest", interval(2)),
        Shown(gettext("Adjusted p"), "difference_from_rest", p_adjusted(limit)),
    ]
    more = gettext("Further raters in the file of results: %(n)s.")
    yield from _of_raters(index, gettext("Each rater against the others"), columns, lines, more)
    errors = [row for row in index.of("prediction_absolute") if row.rater]
    errors.sort(key=lambda row: (-(row.value or 0.0), row.rater or ""))
    together = [row for row in index.of("prediction_absolute") if not row.rater]
    square, absolute = gettext("Root mean square error"), gettext("Mean absolute error")
    columns = [
        named(gettext("Rater"), lambda row: row.rater or gettext("All raters")),
        own(absolute, digits(2)),
        own(gettext("Interval"), interval(2)),
        Shown(square, "prediction_square", digits(2)),
        Shown(gettext("Interval"), "prediction_square", interval(2)),
        own(gettext("Ratings"), ratings),
        Shown(gettext("%(measure)s before rules") % {"measure": absolute}, "", digits(2), before=True),
        Shown(gettext("%(measure)s of means of items") % {"measure": absolute}, "prediction_absolute_items", digits(2)),
        Shown(gettext("%(measure)s of means of items") % {"measure": square}, "prediction_square_items", digits(2)),
        Shown(gettext("Error of averages of systems"), "prediction_averages", digits(2)),
    ]
    yield from _of_raters(
        index, gettext("Error of predicting ratings by the other raters"), columns, together + errors, more
    )


def _of_raters(
    index: StoredRows, caption: str, columns: Sequence[Shown], lines: Sequence[ResultRow], more: str
) -> Iterator[Table]:
    yield from table_of(
        index,
        caption,
        columns,
        lines,
        by=("rater",),
        notes=notes_of(lines[:RATERS_SHOWN]),
        most=RATERS_SHOWN,
        more=more,
        used_only=True,
    )


# Charts of severity: the difference of each rater from the others, and the distribution of differences.

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
