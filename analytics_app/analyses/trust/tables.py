"""The table of trust coefficients, with one row for each rater and one column for each scale."""

from collections.abc import Iterator

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analytics_app.models import ResultRow
from analytics_app.show import cells
from analytics_app.show.cells import Cell
from analytics_app.show.notes import notes_of
from analytics_app.show.shown import MOST_ROWS, Rows, Shown, lines_of, named, own, table_of, tables_of
from analytics_app.show.table import Table


@tables_of("trust")
def coefficients(rows: Rows, limit: float) -> Iterator[Table]:
    """Yield the coefficients before and after the rules side by side, the least trusted rater first."""
    of_raters = [row for row in rows.rows if row.statistic == "trust_coefficient" and row.rater]
    ways = list(dict.fromkeys((_way(row), row.basis) for row in of_raters))
    both = len({basis for _name, basis in ways}) > 1
    by_line = {(row.rater, _way(row), row.basis): row for row in of_raters}
    first = next((way for way in ways if way[1] == "kept"), ways[0] if ways else ("", "kept"))

    def trusted(line: ResultRow) -> tuple[bool, float]:
        row = by_line.get((line.rater, *first))
        return row is None or row.value is None, row.value if row is not None and row.value is not None else 0.0

    def column(name: str, basis: str) -> Shown:
        def show(line: ResultRow | None) -> Cell:
            row = by_line.get((line.rater, name, basis)) if line is not None else None
            return cells.number(row.value if row else None, 3)

        return own(_("%(name)s, before rules") % {"name": name} if both and basis == "all" else name, show)

    columns = [named(_("Rater"), lambda row: row.rater), *(column(*way) for way in ways)]
    lines = sorted(lines_of(of_raters, "rater"), key=trusted)[:MOST_ROWS]
    notes = [*_said(rows), *notes_of(rows.rows)]
    yield from table_of(rows, _("Trust coefficients"), columns, lines, notes=notes, for_notes=True)


def _way(row: ResultRow) -> str:
    """Return the name of the scale and the level of coefficients."""
    level = str((row.settings or {}).get("level", ""))
    return ", ".join(filter(None, (row.slice, level)))


def _said(rows: Rows) -> Iterator[str]:
    """Yield a sentence with the number of groups of raters, and of those with an undefined alpha."""
    undefined = {(_way(row), row.basis): row.value for row in rows.rows if row.statistic == "trust_groups_undefined"}
    for row in rows.rows:
        if row.statistic != "trust_groups" or row.value is None:
            continue
        way = (_way(row), row.basis)
        groups = (row.settings or {}).get("groups", "")
        basis = _("before rules") if row.basis == "all" else _("kept ratings")
        none = int(undefined.get(way) or 0)
        sentence = ngettext(
            "%(way)s (%(basis)s): %(groups)s group of raters, %(none)s without alpha.",
            "%(way)s (%(basis)s): %(groups)s groups of raters, %(none)s of them without alpha.",
            groups if isinstance(groups, int) else 2,
        )
        yield sentence % {
            "way": way[0], "basis": basis, "groups": groups, "none": none,
        }  # fmt: skip
