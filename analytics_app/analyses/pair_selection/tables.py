"""The table of a pre-study, with one line for each pair and its verdict."""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from analytics_app.models import ResultRow
from analytics_app.show.cells import DASH, Cell
from analytics_app.show.formats import digits, interval, raters
from analytics_app.show.notes import notes_of
from analytics_app.show.shown import Rows, Shown, lines_of, named, own, table_of, tables_of
from analytics_app.show.table import Table


@tables_of("pair_selection")
def selection_table(rows: Rows, limit: float) -> Iterator[Table]:
    """Yield the table of the mean, SD and verdict of each pair, the highest mean first."""
    lines = sorted(lines_of(rows.of("pair_mean"), "label"), key=lambda row: row.value or 0, reverse=True)
    columns = [
        named(_("Pair"), lambda row: (row.settings or {}).get("pair") or row.label),
        own(_("People"), raters),
        own(_("Mean"), digits(2)),
        own(_("Interval"), interval(2)),
        Shown(_("SD"), "pair_sd", digits(2)),
        Shown(_("Kept"), "pair_kept", _kept, number=False),
        Shown(_("Mean before rules"), "pair_mean", digits(2), before=True),
    ]
    notes = notes_of(rows.of("pair_mean", "pair_sd", "pair_kept"))
    for row in rows.of("pair_kept")[:1]:
        settings = row.settings or {}
        cut_offs = {"mean": f"{settings['least_mean']:g}", "sd": f"{settings['most_sd']:g}"}
        notes.append(_("A pair is kept unless its mean is below %(mean)s or its SD above %(sd)s.") % cut_offs)
    yield from table_of(rows, _("Selection of pairs"), columns, lines, by=("label",), notes=notes)


def _kept(row: ResultRow | None) -> Cell:
    """Return the cell of the verdict on a pair, with the reasons if it is not kept."""
    if row is None or row.value is None:
        return Cell(DASH)
    fails = (row.settings or {}).get("fails", ())
    phrases = {"mean": _("mean too low"), "sd": _("SD too high")}
    return (
        Cell(_("yes"))
        if row.value
        else Cell(_("no: %(fails)s") % {"fails": ", ".join(phrases[reason] for reason in fails)})
    )
