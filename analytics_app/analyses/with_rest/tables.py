"""The table of raters against the others, the least agreement first."""

from collections.abc import Iterator, Sequence

from django.utils.translation import gettext as _

from analytics_app.models import ResultRow
from analytics_app.show import labels
from analytics_app.show.formats import digits, interval, items, p_adjusted, ratings
from analytics_app.show.index import RowIndex
from analytics_app.show.notes import notes_of
from analytics_app.show.shown import Rows, Shown, named, own, table_of, tables_of
from analytics_app.show.table import Table

RATERS_SHOWN = 100


@tables_of("with_rest")
def with_rest(rows: Rows, limit: float) -> Iterator[Table]:
    """Yield a table with one row for each rater, undefined ones last; then errors of prediction, of all and of each."""
    index = RowIndex([row for row in rows.rows if not row.slice])
    agreeing = index.of("correlation_with_rest", "agreement_with_rest")
    severity = _("Mean difference from the others")
    lines = sorted(agreeing, key=lambda row: (row.value is None, row.value or 0.0, row.rater or ""))
    columns = [
        named(_("Rater"), lambda row: row.rater),
        own(labels.statistic(lines[0].statistic) if lines else "", digits(3)),
        own(_("Texts"), items),
        Shown(_("Before rules"), "", digits(3), before=True),
        Shown(severity, "difference_from_rest", digits(2)),
        Shown(_("Interval"), "difference_from_rest", interval(2)),
        Shown(_("Adjusted p"), "difference_from_rest", p_adjusted(limit)),
    ]
    more = _("Further raters in the file of results: %(n)s.")
    yield from _of_raters(index, _("Each rater against the others"), columns, lines, more)
    errors = [row for row in index.of("prediction_absolute") if row.rater]
    errors.sort(key=lambda row: (-(row.value or 0.0), row.rater or ""))
    together = [row for row in index.of("prediction_absolute") if not row.rater]
    square, absolute = _("Root mean square error"), _("Mean absolute error")
    columns = [
        named(_("Rater"), lambda row: row.rater or _("All raters")),
        own(absolute, digits(2)),
        own(_("Interval"), interval(2)),
        Shown(square, "prediction_square", digits(2)),
        Shown(_("Interval"), "prediction_square", interval(2)),
        own(_("Ratings"), ratings),
        Shown(_("%(measure)s before rules") % {"measure": absolute}, "", digits(2), before=True),
        Shown(_("%(measure)s of means of items") % {"measure": absolute}, "prediction_absolute_items", digits(2)),
        Shown(_("%(measure)s of means of items") % {"measure": square}, "prediction_square_items", digits(2)),
    ]
    yield from _of_raters(index, _("Error of predicting ratings by the other raters"), columns, together + errors, more)


def _of_raters(
    index: Rows, caption: str, columns: Sequence[Shown], lines: Sequence[ResultRow], more: str
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
