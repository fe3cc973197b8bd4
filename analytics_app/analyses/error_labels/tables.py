"""Tables of error labels: profiles of systems and of raters, confusions, and the remaining rows."""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from analytics_app.analyses.labels.tables import pairs
from analytics_app.models import ResultRow
from analytics_app.show import cells, labels
from analytics_app.show.cells import DASH, Cell
from analytics_app.show.formats import digits, percent, ratings, whole
from analytics_app.show.notes import notes_of
from analytics_app.show.shown import Shown, StoredRows, general_table, lines_of, named, own, table_of, tables_of
from analytics_app.show.table import Table

OWN = (
    "share", "share_crossed", "overall_share", "label_count", "label_difference", "label_difference_crossed",
    "rater_share", "confusion", "seconds_median",
)  # fmt: skip
SEPARATOR = " / "


@tables_of("error_labels")
def error_labels(rows: StoredRows, limit: float) -> Iterator[Table]:
    """Yield the profiles by system, then by rater, then the confusions; parts of the texts come last."""
    yield from _systems(rows.whole)
    yield from pairs(rows.whole, limit)
    yield from _raters(rows.whole)
    yield from _confusion(rows.whole)
    further = [row for row in rows.rows if row.slice or row.group or row.wave or row.statistic not in OWN]
    yield from general_table(further, limit, caption=_("Further questions, flags, and parts"))


def _systems(rows: StoredRows) -> Iterator[Table]:
    """Yield a table with one line for each label: share and count of all answers, and of each system."""
    columns = [named(_("Label"), lambda row: row.label), own(_("All answers"), percent(1)), own(_("Interval"), _ends)]
    systems = [system for system in rows.values("system", "share") if system]
    further = _("For further texts and raters")
    these = _("Interval, these raters") if rows.has("share_crossed") else _("Interval")
    for system in systems:
        of_system = {"system": system}
        columns += [
            Shown(str(system), "share", percent(1), of_system),
            *([Shown(further, "share_crossed", _ends, of_system)] if rows.has("share_crossed") else []),
            Shown(these, "share", _ends, of_system),
            Shown(_("Answers"), "label_count", whole, of_system),
        ]
    overall = rows.of("overall_share")
    notes = notes_of([*overall, *(row for row in rows.of("share_crossed", "share") if row.system)])
    yield from table_of(rows, _("Error labels"), columns, overall, by=("label",), notes=notes)


def _raters(rows: StoredRows) -> Iterator[Table]:
    """Yield a table with one line for each rater: share of each label, and seconds per text."""
    columns = [
        named(_("Rater"), lambda row: row.rater),
        own(_("Answers"), ratings),
        *(
            Shown(str(label), "rater_share", percent(1), {"label": label})
            for label in rows.values("label", "rater_share")
        ),
        Shown(labels.statistic("seconds_median"), "seconds_median", digits(1)),
    ]
    lines = lines_of(rows.of("rater_share"), "rater")
    notes = notes_of(rows.of("rater_share"))
    yield from table_of(rows, _("Error labels by rater"), columns, lines, by=("rater",), notes=notes)


def _confusion(rows: StoredRows) -> Iterator[Table]:
    """Yield the table of labels that two raters gave the same text, over all raters."""
    counts = {str(row.label): row.value for row in rows.of("confusion") if row.rater is None}
    if not counts:
        return
    labels = {part for label in counts for part in label.split(SEPARATOR)}
    listed = [row for row in rows.of("overall_share") if row.label in labels]

    def count(second: str | None) -> Shown:
        return own(
            str(second),
            lambda row: cells.whole(int(counts.get(f"{row.label if row else ''}{SEPARATOR}{second}") or 0)),
        )

    columns = [named(_("One rater"), lambda row: row.label), *(count(row.label) for row in listed)]
    yield from table_of(rows, _("Labels of two raters for the same text"), columns, listed, notes=[])


def _ends(row: ResultRow | None) -> Cell:
    if row is None or row.low is None or row.high is None:
        return Cell(DASH)
    low, high = cells.figure(row.low * 100, 1), cells.figure(row.high * 100, 1)
    return Cell(_("%(low)s to %(high)s") % {"low": low, "high": high}, row.low)
