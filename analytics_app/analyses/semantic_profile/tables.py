"""The table of a profile, with a row for each pair of words and a column for each system."""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from analytics_app.show.formats import digits, interval
from analytics_app.show.shown import Rows, Shown, lines_of, named, table_of, tables_of
from analytics_app.show.table import Table


@tables_of("semantic_profile")
def profile_table(rows: Rows, limit: float) -> Iterator[Table]:
    """Yield the means of systems on each pair with their intervals; parts of the data are in the file."""
    whole = rows.whole
    columns = [named(_("Pair"), lambda row: (row.settings or {}).get("pair") or row.label)]
    for system in whole.values("system", "profile_mean"):
        cells, before = {"system": system}, _("%(system)s before rules") % {"system": system}
        columns += [
            Shown(system, "profile_mean", digits(2), cells),
            Shown(_("Interval"), "profile_mean", interval(2), cells),
            Shown(before, "profile_mean", digits(2), cells, before=True),
        ]
    lines = lines_of(whole.of("profile_mean"), "label")
    yield from table_of(whole, _("Profile of systems, steps taken as equal"), columns, lines, by=("label",))
