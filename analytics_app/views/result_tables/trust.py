"""Trust coefficients: one row a rater, a column for each scale they were computed on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from django.utils.translation import gettext as _

from analytics_app.models import ResultRow
from analytics_app.views import tables
from analytics_app.views.picking import notes_of
from analytics_app.views.result_tables.registry import MOST_ROWS, tables_of
from analytics_app.views.tables import Column, Table


@tables_of("trust")
def coefficients(rows: Sequence[ResultRow], limit: float) -> Iterator[Table]:
    """Yield the coefficients before and after the rules side by side, the least trusted rater first."""
    own = [row for row in rows if row.statistic == "trust_coefficient" and row.rater]
    ways = list(dict.fromkeys((_way(row), row.basis) for row in own))
    both = len({basis for _name, basis in ways}) > 1
    of = {(row.rater, _way(row), row.basis): row for row in own}
    first = next((way for way in ways if way[1] == "kept"), ways[0] if ways else ("", "kept"))

    def trusted(rater: str | None) -> tuple[bool, float]:
        row = of.get((rater, *first))
        return row is None or row.value is None, row.value if row is not None and row.value is not None else 0.0

    raters = sorted(dict.fromkeys(row.rater for row in own), key=trusted)[:MOST_ROWS]
    heads = [Column(_("Rater"), number=False)]
    heads += [
        Column(_("%(name)s, before rules") % {"name": name} if both and basis == "all" else name)
        for name, basis in ways
    ]
    cells = []
    for rater in raters:
        found = [of.get((rater, *way)) for way in ways]
        cells.append([tables.name(rater), *(tables.number(row.value if row else None, 3) for row in found)])
    yield Table(_("Trust coefficients"), heads, cells, [*_said(rows), *notes_of(rows)])


def _way(row: ResultRow) -> str:
    """Name the scale and the level that coefficients are of."""
    level = str((row.settings or {}).get("level", ""))
    return ", ".join(filter(None, (row.slice, level)))


def _said(rows: Sequence[ResultRow]) -> Iterator[str]:
    """Say from how many groups of raters coefficients come, and in how many of them alpha is undefined."""
    undefined = {(_way(row), row.basis): row.value for row in rows if row.statistic == "trust_groups_undefined"}
    for row in rows:
        if row.statistic != "trust_groups" or row.value is None:
            continue
        way = (_way(row), row.basis)
        groups = str((row.settings or {}).get("groups", ""))
        basis = _("before rules") if row.basis == "all" else _("kept ratings")
        none = int(undefined.get(way) or 0)
        yield _("%(way)s (%(basis)s): %(groups)s groups of raters, %(none)s of them without alpha.") % {
            "way": way[0], "basis": basis, "groups": groups, "none": none,
        }  # fmt: skip
