"""Tables of raters' agreement with themselves: all together, then each rater, the least consistent first."""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from analytics_app.show.formats import digits, items, share
from analytics_app.show.index import RowIndex
from analytics_app.show.shown import Rows, Shown, general_table, named, own, table_of, tables_of
from analytics_app.show.table import Table

RATERS_SHOWN = 100


@tables_of("intra_rater")
def intra_rater(rows: Rows, limit: float) -> Iterator[Table]:
    """Yield the table of all raters together, then that of each rater."""
    yield from general_table([row for row in rows.rows if not row.rater], limit)
    of_raters = RowIndex([row for row in rows.rows if row.rater and not row.slice])
    apart = Shown(_("Mean absolute difference"), "rater_repeats_difference", digits(2))
    columns = [
        named(_("Rater"), lambda row: row.rater),
        own(_("Pairs of answers"), items),
        own(_("Stayed the same"), share),
        *([apart] if of_raters.of(apart.statistic) else []),
    ]
    lines = of_raters.of("rater_repeats_equal")
    lines.sort(key=lambda row: (row.value if row.value is not None else 2.0, row.rater or ""))
    caption, more = _("Agreement with themselves, by rater"), _("Further raters in the file of results: %(n)s.")
    yield from table_of(of_raters, caption, columns, lines, by=("rater",), notes=[], most=RATERS_SHOWN, more=more)
