"""The table of raters against the others, whoever agrees least first."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.translation import gettext as _

from analytics_app.show import labels
from analytics_app.show.formats import digits, interval, items, p_adjusted
from analytics_app.show.index import RowIndex
from analytics_app.show.notes import notes_of
from analytics_app.show.registry import tables_of
from analytics_app.show.shown import Rows, Shown, named, own, table_of
from analytics_app.show.table import Table

RATERS_SHOWN = 100


@tables_of("with_rest")
def with_rest(rows: Rows, limit: float) -> Iterator[Table]:
    """Yield a row a rater; those of whom nothing can be said come last."""
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
    caption, more = _("Each rater against the others"), _("%(n)s more raters are in the file of results.")
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
