"""Tables of order effects: places on the screen, the sitting, and seconds a unit."""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from analytics_app.models import ResultRow
from analytics_app.show import formats
from analytics_app.show.cells import DASH, Cell
from analytics_app.show.formats import digits, interval, items, p, p_tested, percent, raters, ratings
from analytics_app.show.index import RowIndex
from analytics_app.show.shown import Shown, StoredRows, general_table, named, own, table_of, tables_of
from analytics_app.show.table import Table

# A test, and the rows of its places.
TESTS = {
    "place_test": "place_effect",
    "chosen_place_test": "chosen_place_share",
    "criterion_place_test": "criterion_place_effect",
    "label_place_test": "label_place_share",
}
SITTING = ("second_half", "sitting_trend", "preceding_text", "preceding_answer")
TIMES = ("seconds_a_unit", "seconds_trend")


@tables_of("order_effects")
def order_effects(rows: StoredRows, limit: float) -> Iterator[Table]:
    """Yield a table of tests first, then places one by one, then times; parts of the data come last."""
    whole = RowIndex([row for row in rows.rows if not row.slice])
    yield from _tests(whole, limit)
    yield from _places(whole)
    yield from _times(whole)
    slices = [row for row in rows.rows if row.slice]
    yield from general_table(slices, limit, caption=_("Order effects by subset"))


def _tests(rows: StoredRows, limit: float) -> Iterator[Table]:
    def change(row: ResultRow | None) -> Cell:
        # F and chi-square say nothing to readers; what places add stands in the table below.
        return digits(3)(row) if row is not None and row.statistic in SITTING else Cell(DASH)

    columns = [
        named(_("Does it matter"), formats.statistic_and_label),
        own(_("Change"), change),
        own(_("Interval"), interval(3)),
        own(_("p"), p_tested(limit)),
        own(_("Ratings"), ratings),
        own(_("Raters"), raters),
        Shown(_("p before rules"), "", p_tested(limit), before=True),
    ]
    yield from table_of(rows, _("Order effects"), columns, rows.of(*TESTS, *SITTING), by=("label",))


def _places(rows: StoredRows) -> Iterator[Table]:
    def value(row: ResultRow | None) -> Cell:
        return percent(1)(row) if row is not None and row.statistic.endswith("_share") else digits(3)(row)

    def mean(row: ResultRow | None) -> Cell:
        has_mean = row is not None and row.statistic == "place_effect"
        return digits(2)(rows.one("place_mean", label=row.label) if row and has_mean else None)

    columns = [
        named(_("Place"), lambda row: row.label),
        named(_("Measure"), formats.statistic),
        own(_("Value"), value),
        own(_("Interval"), interval(3)),
        own(_("Mean"), mean),
        own(_("Ratings"), ratings),
    ]
    lines = [row for statistic in TESTS.values() for row in rows.of(statistic)]
    yield from table_of(rows, _("Each position"), columns, lines)


def _times(rows: StoredRows) -> Iterator[Table]:
    def value(row: ResultRow | None) -> Cell:
        return digits(1 if row is not None and row.statistic == "seconds_a_unit" else 2)(row)

    columns = [
        named(_("Measure"), formats.statistic),
        named(_("Part of the session"), lambda row: row.label),
        own(_("Value"), value),
        own(_("Interval"), interval(2)),
        own(_("p"), p),
        own(_("Units"), items),
        own(_("Raters"), raters),
    ]
    yield from table_of(rows, _("Seconds per unit over the session"), columns, rows.of(*TIMES))
