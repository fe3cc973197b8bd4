"""Tables of error labels: profiles of systems and of raters, what is confused, what is left."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from django.utils.translation import gettext as _

from analytics_app.models import ResultRow
from analytics_app.views import tables, words
from analytics_app.views.picking import notes_of
from analytics_app.views.result_tables.labels import pairs
from analytics_app.views.result_tables.registry import general_table, tables_of
from analytics_app.views.tables import Cell, Column, Table

OWN = ("share", "overall_share", "label_count", "label_difference", "rater_share", "confusion", "seconds_median")
SEPARATOR = " / "


@tables_of("error_labels")
def error_labels(rows: Sequence[ResultRow], limit: float) -> Iterator[Table]:
    """Yield profiles by system, then by rater, then what is confused; parts of the texts come last."""
    whole = [row for row in rows if not (row.slice or row.group or row.wave)]
    kept = [row for row in whole if row.basis == "kept"] or whole
    yield from _systems(kept)
    yield from pairs(kept, limit)
    yield from _raters(kept)
    yield from _confusion(kept)
    rest = [row for row in rows if row not in whole or row.statistic not in OWN]
    if rest:
        yield general_table(rest, limit, caption=_("Further questions, flags, and parts"))


def _systems(kept: Sequence[ResultRow]) -> Iterator[Table]:
    """Yield a row a label: share and count of all answers, and of each system."""
    overall = {row.label: row for row in kept if row.statistic == "overall_share"}
    if not overall:
        return
    of = {(row.system, row.label): row for row in kept if row.statistic == "share" and row.system}
    counts = {(row.system, row.label): row for row in kept if row.statistic == "label_count"}
    systems = list(dict.fromkeys(system for system, _label in of))
    columns = [Column(_("Label"), number=False), Column(_("All answers")), Column(_("Interval"))]
    for system in systems:
        columns += [Column(str(system)), Column(_("Interval")), Column(_("Answers"))]
    cells = []
    for label, row in overall.items():
        cell = [tables.name(label), tables.percent(row.value, 1), _ends(row)]
        for system in systems:
            one, count = of.get((system, label)), counts.get((system, label))
            cell += [tables.percent(one.value if one else None, 1), _ends(one)]
            cell += [tables.whole(int(count.value) if count and count.value is not None else None)]
        cells.append(cell)
    yield Table(_("Error labels"), columns, cells, notes_of([*overall.values(), *of.values()]))


def _raters(kept: Sequence[ResultRow]) -> Iterator[Table]:
    """Yield a row a rater: share of each label, and seconds a text."""
    found = [row for row in kept if row.statistic == "rater_share" and row.rater]
    if not found:
        return
    of = {(row.rater, row.label): row for row in found}
    taken = {row.rater: row for row in kept if row.statistic == "seconds_median"}
    listed = list(dict.fromkeys(row.label for row in found))
    columns = [Column(_("Rater"), number=False), Column(_("Answers")), *(Column(str(label)) for label in listed)]
    columns += [Column(words.statistic("seconds_median"))]
    cells = []
    for rater in dict.fromkeys(row.rater for row in found):
        own = [of.get((rater, label)) for label in listed]
        seconds = taken.get(rater)
        cell = [tables.name(rater), tables.whole(next((row.n_ratings for row in own if row), None))]
        cell += [tables.percent(row.value if row else None, 1) for row in own]
        cells.append([*cell, tables.number(seconds.value if seconds else None, 1)])
    yield Table(_("Error labels by rater"), columns, cells, notes_of(found))


def _confusion(kept: Sequence[ResultRow]) -> Iterator[Table]:
    """Yield how often two raters gave a text two labels, all raters together."""
    found = [row for row in kept if row.statistic == "confusion" and row.rater is None]
    if not found:
        return
    counts = {str(row.label): row.value for row in found}
    order = [str(row.label) for row in kept if row.statistic == "overall_share"]
    seen = {part for label in counts for part in label.split(SEPARATOR)}
    listed = [label for label in order if label in seen]
    columns = [Column(_("One rater"), number=False), *(Column(label) for label in listed)]
    cells = [
        [tables.name(first), *(_count(counts.get(f"{first}{SEPARATOR}{second}")) for second in listed)]
        for first in listed
    ]
    yield Table(_("Labels of two raters for the same text"), columns, cells, [])


def _count(value: float | None) -> Cell:
    return tables.whole(int(value or 0))


def _ends(row: ResultRow | None) -> Cell:
    if row is None or row.low is None or row.high is None:
        return Cell(tables.DASH)
    text = _("%(low)s to %(high)s") % {
        "low": tables.figure(row.low * 100, 1), "high": tables.figure(row.high * 100, 1),
    }  # fmt: skip
    return Cell(text, row.low)
