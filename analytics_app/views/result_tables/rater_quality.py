"""How carefully raters worked: one row a rater, with the figures that quality rules look at."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from django.utils.translation import gettext as _

from analytics_app.models import ResultRow
from analytics_app.views import tables
from analytics_app.views.result_tables.registry import MOST_ROWS, tables_of
from analytics_app.views.tables import Cell, Column, Table


@tables_of("rater_quality")
def care(rows: Sequence[ResultRow], limit: float) -> Iterator[Table]:
    """Yield one table of every rater there was, and who of them the rules left out."""
    both = len({row.basis for row in rows}) > 1
    shown = [row for row in rows if row.basis == ("all" if both else rows[0].basis)]
    kept = {row.rater for row in rows if row.basis == "kept"}
    raters = list(dict.fromkeys(row.rater for row in shown if row.rater))
    of = {(row.statistic, row.rater): row for row in shown if row.rater}

    def column(statistic: str, cell: Callable[[ResultRow | None], Cell]) -> list[Cell]:
        return [cell(of.get((statistic, rater))) for rater in raters]

    columns = [
        (Column(_("Rater"), number=False), [tables.name(rater) for rater in raters]),
        (Column(_("Left out"), number=False), [tables.name("" if rater in kept else _("yes")) for rater in raters]),
        (Column(_("Inconsistency score")), column("rater_inconsistency", _number)),
        (Column(_("Repeats")), column("rater_inconsistency", _count)),
        (Column(_("Longest run")), column("rater_longest_run", _whole)),
        (Column(_("Answers on that scale")), column("rater_longest_run", _count)),
        (Column(_("Checks right")), column("rater_checks_right", _share)),
        (Column(_("Checks")), column("rater_checks_right", _count)),
        (Column(_("Screens too fast")), column("rater_fast_screens", _share)),
        (Column(_("Skipped, cannot judge or other")), column("rater_skips", _whole)),
        (Column(_("Working minutes")), column("rater_working_time", _minutes)),
    ]
    used = [
        one for number, one in enumerate(columns) if number == 0 or any(cell.text != tables.DASH for cell in one[1])
    ]
    notes = list(dict.fromkeys(row.note for row in shown if row.note))
    if of and any(statistic == "rater_inconsistency" for statistic, _rater in of):
        notes.append(_("Inconsistency score (after Naderi 2018): 0 never changed, 1 from one end to the other."))
    if left := len(raters) - MOST_ROWS:
        notes += [_("%(n)s more raters are in the file of results.") % {"n": left}] if left > 0 else []
    yield Table(
        _("Carefulness of raters"),
        [head for head, _cells in used],
        [list(row) for row in zip(*(cells[:MOST_ROWS] for _head, cells in used), strict=True)],
        notes,
    )


def _number(row: ResultRow | None) -> Cell:
    return tables.number(row.value if row is not None else None, 2)


def _whole(row: ResultRow | None) -> Cell:
    return tables.number(row.value if row is not None else None, 0)


def _count(row: ResultRow | None) -> Cell:
    return tables.whole(row.n_ratings if row is not None else None)


def _share(row: ResultRow | None) -> Cell:
    return tables.percent(row.value if row is not None else None)


def _minutes(row: ResultRow | None) -> Cell:
    return tables.number(row.value / 60 if row is not None and row.value is not None else None, 1)
