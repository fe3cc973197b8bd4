"""Where tables of analyses register themselves, and the table of those that bring none."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from django.utils.translation import gettext as _

from analytics_app import analyses
from analytics_app.models import ResultRow
from analytics_app.views import tables, words
from analytics_app.views.picking import notes_of
from analytics_app.views.tables import Cell, Column, Table

Make: TypeAlias = Callable[[Sequence[ResultRow], float], Iterator[Table]]

# What a page shows of one analysis; more is in the file of results.
MOST_ROWS = 200

_makers: dict[str, Make] = {}


def tables_of(analysis: str) -> Callable[[Make], Make]:
    """Make known how the rows of an analysis are shown; `limit` is below what a p value is significant."""

    def known(make: Make) -> Make:
        if analysis in _makers:
            raise ValueError(f"There are tables of the analysis {analysis!r} already.")
        _makers[analysis] = make
        return make

    return known


def tables_for(analysis: str, rows: Sequence[ResultRow], limit: float) -> list[Table]:
    """Return the tables of an analysis: its own, else the general one."""
    make = _makers.get(analysis)
    return list(make(rows, limit)) if make is not None else [general_table(rows, limit)]


def general_table(rows: Sequence[ResultRow], limit: float, *, caption: str = "") -> Table:
    """Return rows as they are, with the columns that are in use; kept ratings, with the value before rules beside."""
    kept = [row for row in rows if row.basis == "kept"] or list(rows)
    before = {_about(row): row for row in rows if row.basis == "all"} if kept and kept[0].basis == "kept" else {}
    shown = kept[:MOST_ROWS]
    digits = 3
    parts: list[tuple[Column, list[Cell]]] = [
        (Column(_("Measure"), number=False), [tables.name(words.statistic(row.statistic)) for row in shown]),
        (Column(_("Part"), number=False), [tables.name(_part(row)) for row in shown]),
        (Column(_("System"), number=False), [tables.name(_systems(row)) for row in shown]),
        (Column(_("Rater"), number=False), [tables.name(row.rater) for row in shown]),
        (Column(_("Label"), number=False), [tables.name(row.label) for row in shown]),
        (Column(_("Value")), [tables.number(row.value, digits) for row in shown]),
        (Column(_("Interval")), [tables.interval(row.low, row.high, digits) for row in shown]),
        (Column(_("df")), [_plain(row.df) for row in shown]),
        (Column(_("p")), [tables.p_value(row.p, limit if row.p_adjusted is None else 0.0) for row in shown]),
        (Column(_("Adjusted p")), [tables.p_value(row.p_adjusted, limit) for row in shown]),
        (Column(_("Ratings")), [tables.whole(row.n_ratings) for row in shown]),
        (Column(_("Items")), [tables.whole(row.n_items) for row in shown]),
        (Column(_("Raters")), [tables.whole(row.n_raters) for row in shown]),
        (Column(_("Before rules")), [_before(before.get(_about(row)), digits) for row in shown]),
    ]
    used = [
        (column, cells)
        for number, (column, cells) in enumerate(parts)
        if number == 0 or any(cell.text != tables.DASH for cell in cells)
    ]
    left = len(kept) - len(shown)
    notes = [_("%(n)s more rows are in the file of results.") % {"n": left}] if left else []
    name = rows[0].analysis if rows else ""
    return Table(
        caption or (analyses.registry[name].label if name in analyses.registry else name),
        [column for column, _cells in used],
        [list(row) for row in zip(*(cells for _column, cells in used), strict=True)],
        [*notes_of(shown), *notes],
    )


def _plain(value: float | None) -> Cell:
    return tables.number(value, 0 if value is None or value == int(value) else 1)


def _before(row: ResultRow | None, digits: int) -> Cell:
    return tables.number(row.value if row is not None else None, digits)


def _about(row: ResultRow) -> tuple[object, ...]:
    """What a row is about, whichever ratings went in."""
    return (
        row.statistic, row.system, row.system_b, row.label, row.rater, row.group, row.wave, row.slice, row.metric,
        row.metric_b, str((row.settings or {}).get("level", "")),
    )  # fmt: skip


def _systems(row: ResultRow) -> str:
    return " – ".join(filter(None, (row.system, row.system_b)))


def _part(row: ResultRow) -> str:
    wave = _("wave %(n)s") % {"n": row.wave} if row.wave is not None else None
    return "; ".join(filter(None, (row.slice, row.group, wave, row.metric, row.metric_b)))
