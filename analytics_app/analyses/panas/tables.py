"""Tables of PANAS: scores by group and time, change within groups, change between groups."""

from collections.abc import Iterator

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop

from analytics_app.analyses.shared.change_tables import OF_SCALE, Course, baseline_table, between_table, change_table
from analytics_app.show.formats import digits, interval, raters, share, whole
from analytics_app.show.notes import notes_of
from analytics_app.show.shown import Shown, StoredRows, own, table_of, tables_of
from analytics_app.show.table import Table

_WHO_LEFT = gettext_noop(
    "Left: people of the groups compared who answered at the earlier time but not at the later one."
)


def _called(label: str) -> str:
    return {"PA": _("Positive affect"), "NA": _("Negative affect")}.get(label, label)


_CAPTIONS = (gettext_lazy("Groups at the beginning"), gettext_lazy("Change"), gettext_lazy("Groups compared"))
AFFECT = Course("affect", gettext_lazy("Score"), _called, _CAPTIONS, _WHO_LEFT)


@tables_of("panas")
def panas_tables(rows: StoredRows, limit: float) -> Iterator[Table]:
    """Yield scores, then how groups began or changed, then the differences between groups."""
    yield from _scores(rows)
    yield from baseline_table(AFFECT, rows, limit)
    yield from change_table(AFFECT, rows, limit)
    yield from between_table(AFFECT, rows, limit)


def _scores(rows: StoredRows) -> Iterator[Table]:
    """Yield a table with one line for each score, group and wave; people are those who have the score."""
    lines = rows.of("affect_mean")
    columns = [
        AFFECT.score(lines),
        own(_("People"), raters),
        own(_("Mean"), digits(1)),
        own(_("Interval"), interval(1)),
        Shown(_("SD"), "affect_sd", digits(1)),
        Shown(_("Alpha"), "affect_alpha", digits(2)),
        Shown(_("Interval of alpha"), "affect_alpha", interval(2)),
        Shown(_("No score"), "affect_missing", whole),
        Shown(_("Prorated"), "affect_prorated", whole),
        Shown(_("Dropped out"), "affect_attrition", share, {"label": None}),
        Shown(_("Mean before rules"), "", digits(1), before=True),
    ]
    notes = notes_of(rows.of("affect_mean", "affect_sd", "affect_alpha", "affect_attrition"))
    if rows.of("affect_attrition"):
        notes.append(_("Dropped out: share of the people of the first time who did not answer at this time."))
    yield from table_of(rows, _("Positive and negative affect"), columns, lines, by=OF_SCALE, notes=notes)
