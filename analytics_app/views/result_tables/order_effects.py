"""Tables of order effects: places on the screen, the sitting, and seconds a unit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from django.utils.translation import gettext as _

from analytics_app.models import ResultRow
from analytics_app.views import tables, words
from analytics_app.views.picking import notes_of
from analytics_app.views.result_tables._finding import Found, ends, value
from analytics_app.views.result_tables.registry import general_table, tables_of
from analytics_app.views.tables import Cell, Column, Table

# A test, the rows of its places, and what they are called.
TESTS = {
    "place_test": ("place_effect", "place_mean"),
    "chosen_place_test": ("chosen_place_share", ""),
    "criterion_place_test": ("criterion_place_effect", ""),
    "label_place_test": ("label_place_share", ""),
}
SITTING = ("second_half", "sitting_trend")
TIMES = ("seconds_a_unit", "seconds_trend")


@tables_of("order_effects")
def order_effects(rows: Sequence[ResultRow], limit: float) -> Iterator[Table]:
    """Yield a table of tests first, then places one by one, then times; parts of the data come last."""
    whole = [row for row in rows if not row.slice]
    found = Found(whole)
    tested = found.of(*TESTS, *SITTING)
    if tested:
        yield _tests(found, tested, limit)
    places = [row for names in TESTS.values() for row in found.of(names[0])]
    if places:
        yield _places(found, places)
    if times := found.of(*TIMES):
        yield _times(times)
    rest = [row for row in rows if row.slice]
    if rest:
        yield general_table(rest, limit, caption=_("Order effects by subset"))


def _tests(found: Found, tested: Sequence[ResultRow], limit: float) -> Table:
    columns = [Column(_("Does it matter"), number=False), Column(_("Change")), Column(_("Interval")), Column(_("p"))]
    columns += [Column(_("Ratings")), Column(_("Raters"))]
    if found.both:
        columns.append(Column(_("p before rules")))
    cells = []
    for row in tested:
        # F and chi-square say nothing to readers; what places add stands in the table below.
        changes = row.statistic in SITTING
        said = f"{words.statistic(row.statistic)}: {row.label}" if row.label else words.statistic(row.statistic)
        line = [
            tables.name(said),
            value(row, 3) if changes else Cell(tables.DASH),
            ends(row, 3),
            tables.p_value(row.p, limit),
            tables.whole(row.n_ratings),
            tables.whole(row.n_raters),
        ]
        if found.both:
            before = found.one(row.statistic, before=True, label=row.label)
            line.append(tables.p_value(before.p if before else None, limit))
        cells.append(line)
    return Table(_("Order effects"), columns, cells, notes_of(tested))


def _places(found: Found, places: Sequence[ResultRow]) -> Table:
    columns = [Column(_("Place"), number=False), Column(_("Measure"), number=False), Column(_("Value"))]
    columns += [Column(_("Interval")), Column(_("Mean")), Column(_("Ratings"))]
    cells = []
    for row in places:
        mean = found.one("place_mean", label=row.label) if row.statistic == "place_effect" else None
        share = row.statistic.endswith("_share")
        cells.append(
            [
                tables.name(row.label),
                tables.name(words.statistic(row.statistic)),
                tables.percent(row.value, 1) if share else value(row, 3),
                ends(row, 3),
                value(mean, 2),
                tables.whole(row.n_ratings),
            ]
        )
    return Table(_("Each position"), columns, cells, notes_of(places))


def _times(times: Sequence[ResultRow]) -> Table:
    columns = [Column(_("Measure"), number=False), Column(_("Part of the session"), number=False)]
    columns += [Column(_("Value")), Column(_("Interval")), Column(_("p")), Column(_("Units")), Column(_("Raters"))]
    cells = [
        [
            tables.name(words.statistic(row.statistic)),
            tables.name(row.label),
            value(row, 1 if row.statistic == "seconds_a_unit" else 2),
            ends(row, 2),
            tables.p_value(row.p),
            tables.whole(row.n_items),
            tables.whole(row.n_raters),
        ]
        for row in times
    ]
    return Table(_("Seconds per unit over the session"), columns, cells, notes_of(times))
