"""The table of raters' carefulness: one line for each rater, with the figures of the quality rules."""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from analytics_app.models import ResultRow
from analytics_app.show import cells
from analytics_app.show.cells import Cell
from analytics_app.show.formats import Format, digits, ratings, share
from analytics_app.show.shown import MOST_ROWS, Rows, Shown, lines_of, named, table_of, tables_of
from analytics_app.show.table import Table


@tables_of("rater_quality")
def rater_quality(rows: Rows, limit: float) -> Iterator[Table]:
    """Yield one table of all raters, which marks those that the rules left out."""
    kept_raters = {row.rater for row in rows.kept}
    everybody = rows.before or rows.kept

    def shown(head: str, statistic: str, show: Format) -> Shown:
        return Shown(head, statistic, show, before=rows.both)

    columns = [
        named(_("Rater"), lambda row: row.rater),
        named(_("Left out"), lambda row: "" if row.rater in kept_raters else _("yes")),
        shown(_("Inconsistency score"), "rater_inconsistency", digits(2)),
        shown(_("Repeats"), "rater_inconsistency", ratings),
        shown(_("Longest run"), "rater_longest_run", digits(0)),
        shown(_("Answers on that scale"), "rater_longest_run", ratings),
        shown(_("Most frequent number"), "rater_same_number", share),
        shown(_("Screens with one number for all texts"), "rater_flat_screens", share),
        shown(_("Screens with several texts"), "rater_flat_screens", ratings),
        shown(_("Identical texts, different numbers"), "rater_identical_texts", share),
        shown(_("Checks right"), "rater_checks_right", share),
        shown(_("Checks"), "rater_checks_right", ratings),
        shown(_("Control score"), "rater_control_score", digits(1)),
        shown(_("Screens too fast"), "rater_fast_screens", share),
        shown(_("Skipped, cannot judge or other"), "rater_skips", digits(0)),
        shown(_("Working minutes"), "rater_working_time", _minutes),
    ]
    notes = list(dict.fromkeys(row.note for row in everybody if row.note))
    if any(row.statistic == "rater_inconsistency" and row.rater for row in everybody):
        notes.append(_("Inconsistency score (after Naderi 2018): 0 never changed, 1 from one end to the other."))
    if any(row.statistic == "rater_control_score" and row.rater for row in everybody):
        notes.append(
            _(
                "Control score, 0 to 10: checks right and repeats within a tenth of the scale. Even good raters may "
                "score low, so do not exclude anybody for this score alone."
            )
        )
    lines = lines_of((row for row in everybody if row.rater), "rater")
    yield from table_of(
        rows,
        _("Carefulness of raters"),
        columns,
        lines,
        by=("rater",),
        notes=notes,
        most=MOST_ROWS,
        more=_("Further raters in the file of results: %(n)s."),
        used_only=True,
        for_notes=True,
    )


def _minutes(row: ResultRow | None) -> Cell:
    return cells.number(row.value / 60 if row is not None and row.value is not None else None, 1)
