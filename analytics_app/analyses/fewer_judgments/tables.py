"""The table of fewer judgments: error of the joint label by number of judgments."""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from analytics_app.analyses.fewer_judgments.finding import enough
from analytics_app.models import ResultRow
from analytics_app.show.formats import digits, interval, percent, share_interval
from analytics_app.show.notes import notes_of
from analytics_app.show.shown import Rows, Shown, general_table, named, table_of, tables_of
from analytics_app.show.table import Table


@tables_of("fewer_judgments")
def fewer_judgments(rows: Rows, limit: float) -> Iterator[Table]:
    """Yield a table with one line for each number of judgments: majority, model and means, with intervals."""
    whole = rows.whole
    lines = [row for row in whole.of("majority_error") if row.label is not None]
    columns = [
        named(_("Judgments per text"), lambda row: row.label),
        Shown(_("Other majority"), "majority_error", percent(1)),
        Shown(_("Interval"), "majority_error", share_interval),
        Shown(_("Other label by Dawid and Skene"), "model_error", percent(1)),
        Shown(_("Interval"), "model_error", share_interval),
        Shown(_("Distance of the mean"), "mean_error", digits(3)),
        Shown(_("Interval"), "mean_error", interval(3)),
    ]
    notes = [_sentence(lines), *notes_of([*lines, *whole.of("model_error"), *whole.of("mean_error")])]
    yield from table_of(
        whole,
        _("Error of the joint label with fewer judgments"),
        columns,
        lines,
        by=("label",),
        notes=[note for note in notes if note],
        used_only=True,
    )
    if not lines:
        yield from general_table(whole.rows, limit, caption=_("Error of the joint label with fewer judgments"))
    yield from general_table(rows.parts, limit, caption=_("Error of the joint label by subset"))


def _sentence(rows: list[ResultRow]) -> str:
    sentence = enough(rows)
    return f"{sentence}." if sentence else ""
