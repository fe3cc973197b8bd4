"""Tables of raters with themselves: all together, then a row a rater, whoever changed most first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from django.utils.translation import gettext as _

from analytics_app.models import ResultRow
from analytics_app.views import tables
from analytics_app.views.result_tables._finding import Found, value
from analytics_app.views.result_tables.registry import general_table, tables_of
from analytics_app.views.tables import Column, Table

RATERS_SHOWN = 100


@tables_of("intra_rater")
def intra_rater(rows: Sequence[ResultRow], limit: float) -> Iterator[Table]:
    """Yield what all raters did, then each of them."""
    together = [row for row in rows if not row.rater]
    if together:
        yield general_table(together, limit)
    found = Found([row for row in rows if row.rater and not row.slice])
    equal = found.of("rater_repeats_equal")
    if not equal:
        return
    ordered = sorted(equal, key=lambda row: (row.value if row.value is not None else 2.0, row.rater or ""))
    apart = {row.rater: row for row in found.of("rater_repeats_difference")}
    columns = [Column(_("Rater"), number=False), Column(_("Pairs of answers")), Column(_("Stayed the same"))]
    if apart:
        columns.append(Column(_("Mean absolute difference")))
    cells = []
    for row in ordered[:RATERS_SHOWN]:
        line = [tables.name(row.rater), tables.whole(row.n_items), tables.percent(row.value)]
        if apart:
            line.append(value(apart.get(row.rater), 2))
        cells.append(line)
    left = len(ordered) - len(cells)
    notes = [_("%(n)s more raters are in the file of results.") % {"n": left}] if left else []
    yield Table(_("Agreement with themselves, by rater"), columns, cells, notes)
