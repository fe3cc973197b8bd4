"""The table of each rater's use of the scale: the mean and the standard deviation of the ratings."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from django.utils.translation import gettext as _

from analytics_app.models import ResultRow
from analytics_app.show import cells, formats
from analytics_app.show.cells import Cell
from analytics_app.show.index import RowIndex
from analytics_app.show.shown import Shown, named, own, table_of
from analytics_app.show.table import Table


def raters_table(rows: Sequence[tuple[ResultRow, ResultRow | None]], criteria: Mapping[str, str]) -> Table:
    """Return the table of each rater's use of the scale; a rater with ratings that are all the same has no z."""
    means = [mean for mean, _spread in rows]
    spreads = {id(mean): spread for mean, spread in rows}
    digits = formats.digits(cells.digits_for(mean.value for mean in means))

    def note(row: ResultRow | None) -> Cell:
        spread = spreads.get(id(row))
        reason = (spread.note or "") if spread else ""
        return Cell(reason, reason)

    columns = [
        named(_("Rater"), lambda row: row.rater),
        named(_("Criterion"), lambda row: criteria.get(row.criterion or "", row.criterion)),
        own(_("Ratings"), formats.ratings),
        own(_("Texts"), formats.items),
        own(_("Mean"), digits),
        own(_("SD"), lambda row: digits(spreads.get(id(row)))),
        Shown(_("Note"), "", note, number=False),
    ]
    tables = table_of(RowIndex(means), _("Raters"), columns, means, notes=[])
    return replace(next(tables, Table(_("Raters"), [], [])), key="raters")
