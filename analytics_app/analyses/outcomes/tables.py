"""Tables of outcomes measured elsewhere: means by group and wave, then how groups began and changed."""

from collections.abc import Iterator

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop

from analytics_app.analyses.shared.change_tables import OF_SCALE, Course, baseline_table, between_table, change_table
from analytics_app.show.formats import digits, interval, raters
from analytics_app.show.notes import notes_of
from analytics_app.show.shown import Rows, Shown, own, table_of, tables_of
from analytics_app.show.table import Table

_LEFT = gettext_noop(
    "Dropped out: people of the groups compared with an outcome in the earlier wave but none in the later one."
)
_CAPTIONS = (
    gettext_lazy("Outcomes at the beginning"),
    gettext_lazy("Change of outcomes"),
    gettext_lazy("Outcomes of groups compared"),
)
MEASURED = Course("outcome", gettext_lazy("Outcome"), str, _CAPTIONS, _LEFT)


@tables_of("outcomes")
def outcome_tables(rows: Rows, limit: float) -> Iterator[Table]:
    """Yield means, then how groups began or changed, then what differs between groups."""
    lines = rows.of("outcome_mean")
    columns = [
        MEASURED.score(lines),
        own(_("People"), raters),
        own(_("Mean"), digits(2)),
        own(_("Interval"), interval(2)),
        Shown(_("SD"), "outcome_sd", digits(2)),
        Shown(_("Mean before rules"), "", digits(2), before=True),
    ]
    notes = notes_of(rows.of("outcome_mean", "outcome_sd"))
    yield from table_of(rows, _("Outcomes measured elsewhere"), columns, lines, by=OF_SCALE, notes=notes)
    yield from baseline_table(MEASURED, rows, limit)
    yield from change_table(MEASURED, rows, limit)
    yield from between_table(MEASURED, rows, limit)
