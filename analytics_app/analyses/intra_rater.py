"""Agreement of raters with themselves, from repeated questions."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from numpy.typing import NDArray

from analytics_app.analyses.base import Rows, Sample
from analytics_app.analyses.registry import register
from analytics_app.analyses.shared.bootstrap import bootstrap
from analytics_app.analyses.shared.over_raters import with_limits
from analytics_app.analyses.shared.rated_texts import BetweenRaters
from analytics_app.ratings import Floats
from analytics_app.ratings.extras.repeats import Repeats
from analytics_app.results import Row
from analytics_app.show.formats import digits, items, share
from analytics_app.show.index import RowIndex
from analytics_app.show.shown import Shown, StoredRows, general_table, named, own, table_of, tables_of
from analytics_app.show.table import Table
from analytics_app.stats.agreement.intra_rater import FEWEST_PAIRS, repeated_answers
from analytics_app.stats.agreement.krippendorff import krippendorff_alpha
from analytics_app.stats.values import Estimate
from tasks_app.task_types.base import ORDERED_SCALES, Scale


@register
class IntraRater(BetweenRaters):
    """First answers against second ones to the same question about the same text, by the same rater.

    `repeats_equal` is the share that did not change, `repeats_difference` the mean absolute difference on the scale,
    `repeats_alpha` Krippendorff's alpha between first and second answers, from 10 pairs on; `rater_repeats_equal` and
    `rater_repeats_difference` the same of each rater, with "k of n equal" under 10 pairs. `n_items` counts pairs.
    """

    label = _("Intra-rater agreement")
    summary = _("How raters answered when they were asked the same question again.")
    source = (
        "Naderi (2018). Motivation of workers on microtask crowdsourcing platforms. Springer. Belz and Kow (2011). "
        "Discrete vs. continuous rating scales for language evaluation in NLP. ACL, 230-235."
    )
    scales = ORDERED_SCALES | {Scale.NOMINAL}
    statistics = {
        "repeats_equal": _("Share of answers that stayed the same"),
        "repeats_difference": _("Mean absolute difference of two answers"),
        "repeats_alpha": _("Krippendorff's alpha of first and second answers"),
        "rater_repeats_equal": _("Share of a rater's answers that stayed the same"),
        "rater_repeats_difference": _("Mean absolute difference of a rater's two answers"),
    }
    needs = frozenset({Repeats})
    splits = False

    def compute(self, sample: Sample) -> Iterator[Row]:
        """Yield the rows of all raters together, then of each rater; none if nothing was repeated."""
        repeats = sample.extras[Repeats].of(sample.table)
        first, again, categories = _answers(repeats, sample)
        complete = ~(np.isnan(first) | np.isnan(again))
        first, again, rater = first[complete], again[complete], repeats.rater[complete]
        if not len(first):
            return
        make, drawn = Rows(self.name, sample), bootstrap(sample, "repeats", "raters")
        agreement = repeated_answers(first, again, rater, categories=categories, **drawn.options)
        equal, settings = agreement.equal, drawn.settings
        if len(first) >= FEWEST_PAIRS:
            equal, settings = with_limits(sample, equal, first == again, rater, drawn.settings, share=True)
        yield make.row("repeats_equal", equal, settings=settings)
        if agreement.difference is not None:
            difference, settings = agreement.difference, drawn.settings
            if len(first) >= FEWEST_PAIRS:
                difference, settings = with_limits(sample, difference, np.abs(first - again), rater, drawn.settings)
            yield make.row("repeats_difference", difference, settings=settings)
        if len(first) >= FEWEST_PAIRS:
            yield _alpha(make, first, again, rater)
        yield from _of_raters(make, first, again, rater, categories=categories)


def _answers(repeats: Repeats, sample: Sample) -> tuple[Floats, Floats, bool]:
    """Return first and second answers as numbers, and whether they are labels."""
    labels = sample.question.scale is Scale.NOMINAL and bool((repeats.first_label >= 0).any())
    if not labels:
        return repeats.first, repeats.again, sample.question.scale is Scale.NOMINAL
    first, again = repeats.first_label.astype(np.float64), repeats.again_label.astype(np.float64)
    return np.where(first < 0, np.nan, first), np.where(again < 0, np.nan, again), True


def _alpha(make: Rows, first: Floats, again: Floats, rater: NDArray[Any]) -> Row:
    """Return the row of alpha, with each pair of answers as a unit, at the level of the scale."""
    sample = make.sample
    scale = sample.question.scale
    level: Any = "interval" if scale is Scale.RATIO else str(scale)
    n = len(first)
    drawn = bootstrap(sample, "repeats alpha", "pairs of answers", of="agreement")
    alpha = krippendorff_alpha(
        np.r_[first, again],
        np.tile(np.arange(n), 2),
        level=level,
        raters=np.tile(rater.astype(np.int64), 2),
        **drawn.options,
    )
    return make.row("repeats_alpha", alpha, settings={"level": level, **drawn.settings})


def _of_raters(make: Rows, first: Floats, again: Floats, rater: NDArray[Any], *, categories: bool) -> Iterator[Row]:
    """Yield the rows of each rater."""
    raters, place = np.unique(rater, return_inverse=True)
    n = np.bincount(place)
    equal = np.bincount(place, weights=first == again)
    away = np.bincount(place, weights=np.abs(first - again))
    for code, times, same, distance in zip(raters.tolist(), n.tolist(), equal.tolist(), away.tolist(), strict=True):
        about: dict[str, Any] = {"rater": make.sample.table.names.raters[code]}
        counts: dict[str, Any] = {"n_items": times, "n_ratings": 2 * times, "n_raters": 1}
        note = f"{same:g} of {times} equal." if times < FEWEST_PAIRS else None
        yield make.row("rater_repeats_equal", Estimate(same / times, **counts, note=note), **about)
        if not categories:
            yield make.row("rater_repeats_difference", Estimate(distance / times, **counts), **about)


# Tables of raters' agreement with themselves: all together, then each rater, the least consistent first.

RATERS_SHOWN = 100


@tables_of("intra_rater")
def intra_rater(rows: StoredRows, limit: float) -> Iterator[Table]:
    """Yield the table of all raters together, then that of each rater."""
    yield from general_table([row for row in rows.rows if not row.rater], limit)
    of_raters = RowIndex([row for row in rows.rows if row.rater and not row.slice])
    apart = Shown(gettext("Mean absolute difference"), "rater_repeats_difference", digits(2))
    columns = [
        named(gettext("Rater"), lambda row: row.rater),
        own(gettext("Pairs of answers"), items),
        own(gettext("Stayed the same"), share),
        *([apart] if of_raters.of(apart.statistic) else []),
    ]
    lines = of_raters.of("rater_repeats_equal")
    lines.sort(key=lambda row: (row.value if row.value is not None else 2.0, row.rater or ""))
    caption, more = (
        gettext("Agreement with themselves, by rater"),
        gettext("Further raters in the file of results: %(n)s."),
    )
    yield from table_of(of_raters, caption, columns, lines, by=("rater",), notes=[], most=RATERS_SHOWN, more=more)
