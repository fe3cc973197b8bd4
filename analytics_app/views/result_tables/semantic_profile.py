"""The table of a profile: a row a pair of words, a column a system."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from django.utils.translation import gettext as _

from analytics_app.models import ResultRow
from analytics_app.views import tables
from analytics_app.views.picking import notes_of
from analytics_app.views.result_tables._finding import Found, ends, value
from analytics_app.views.result_tables.registry import tables_of
from analytics_app.views.tables import Column, Table


@tables_of("semantic_profile")
def profile_table(rows: Sequence[ResultRow], limit: float) -> Iterator[Table]:
    """Yield the means of systems on each pair with their intervals; parts of the data are in the file."""
    found = Found([row for row in rows if not (row.slice or row.group or row.wave)])
    means = found.of("profile_mean")
    systems = found.values("system", means)
    columns = [Column(_("Pair"), number=False)]
    for system in systems:
        columns += [Column(system), Column(_("Interval"))]
        if found.both:
            columns.append(Column(_("%(system)s before rules") % {"system": system}))
    shown = []
    for label in found.values("label", means):
        mine = [found.one("profile_mean", label=label, system=system) for system in systems]
        said = next(((one.settings or {}).get("pair") for one in mine if one is not None), None)
        cells = [tables.name(said or label)]
        for system, one in zip(systems, mine, strict=True):
            cells += [value(one), ends(one)]
            if found.both:
                cells.append(value(found.one("profile_mean", before=True, label=label, system=system)))
        shown.append(cells)
    yield Table(_("Profile of systems, steps taken as equal"), columns, shown, notes_of(means))
