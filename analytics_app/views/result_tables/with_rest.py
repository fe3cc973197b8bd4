"""The table of raters against the others, whoever agrees least first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from django.utils.translation import gettext as _

from analytics_app.models import ResultRow
from analytics_app.views import tables, words
from analytics_app.views.picking import notes_of
from analytics_app.views.result_tables._finding import Found, value
from analytics_app.views.result_tables.registry import tables_of
from analytics_app.views.tables import Cell, Column, Table

RATERS_SHOWN = 100


@tables_of("with_rest")
def with_rest(rows: Sequence[ResultRow], limit: float) -> Iterator[Table]:
    """Yield a row a rater; those of whom nothing can be said come last."""
    found = Found([row for row in rows if not row.slice])
    if not found.kept:
        return
    ordered = sorted(found.kept, key=lambda row: (row.value is None, row.value or 0.0, row.rater or ""))
    shown = ordered[:RATERS_SHOWN]
    columns = [Column(_("Rater"), number=False), Column(words.statistic(shown[0].statistic)), Column(_("Texts"))]
    if found.both:
        columns.append(Column(_("Before rules")))
    cells = []
    for row in shown:
        line = [tables.name(row.rater), value(row, 3), tables.whole(row.n_items)]
        if found.both:
            before = found.one(row.statistic, before=True, rater=row.rater)
            line.append(value(before, 3) if before else Cell(tables.DASH))
        cells.append(line)
    left = len(ordered) - len(shown)
    notes = [_("%(n)s more raters are in the file of results.") % {"n": left}] if left else []
    yield Table(_("Each rater against the others"), columns, cells, [*notes_of(shown), *notes])
