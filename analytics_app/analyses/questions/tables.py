"""The table of a question: counts of answers, of everybody and of each group and wave."""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from analytics_app.models import ResultRow
from analytics_app.show import cells, formats
from analytics_app.show.cells import DASH, Cell
from analytics_app.show.formats import digits, raters, share
from analytics_app.show.index import RowIndex
from analytics_app.show.notes import notes_of
from analytics_app.show.shown import Rows, Shown, lines_of, named, own, table_of, tables_of
from analytics_app.show.table import Table

PEOPLE = ("people", "answered", "not_answered")
GLANCES = ("question_mode", "question_median")
MIDDLE = ("answer_lower_quarter", "answer_median", "answer_upper_quarter", "answer_mean", "answer_sd")


@tables_of("questions")
def question_table(rows: Rows, limit: float) -> Iterator[Table]:
    """Yield the table of a question (a line for each answer, then counts, median, mean), or the overview of all."""
    index = RowIndex([row for row in rows.rows if not row.slice])
    if index.of(*GLANCES):
        yield from _at_a_glance(index)
        return

    def value(row: ResultRow | None) -> Cell:
        if row is None or row.statistic != "answer_count":
            return digits(0 if row is not None and row.statistic in PEOPLE else 2)(row)
        return _share(index, row)

    parts = {(row.group, row.wave): {"group": row.group, "wave": row.wave} for row in index.kept}
    answers = index.of("answer_count")
    is_box = list(dict.fromkeys(row.label for row in answers)) == ["0", "1"]
    columns = [
        named(_("Answer"), lambda row: _called(row, is_box=is_box)),
        *(Shown(_part(*part), "", value, about) for part, about in parts.items()),
        Shown(_("Before rules"), "", value, {"group": None, "wave": None}, before=True),
    ]
    lines = lines_of(answers, "label")
    lines += [row for name in (*PEOPLE, *MIDDLE) for row in index.of(name)[:1]]
    yield from table_of(index, _("Answers"), columns, lines, by=("label",), notes=notes_of(index.kept))


def _called(row: ResultRow, *, is_box: bool) -> object:
    """Return the name of an answer, or of a measure of all answers. The stored values of a box are 0 and 1."""
    if row.statistic != "answer_count":
        return formats.statistic(row)
    return {"0": _("not ticked"), "1": _("ticked")}[str(row.label)] if is_box else row.label


def _at_a_glance(rows: Rows) -> Iterator[Table]:
    """Yield the overview: a line for each question with the number of answers, and the mode or the median."""

    def most(row: ResultRow | None) -> Cell:
        return share(row) if row is not None and row.statistic == "question_mode" else Cell(DASH)

    def median(row: ResultRow | None) -> Cell:
        if row is not None and row.statistic == "question_mode":
            return cells.number((row.settings or {}).get("median"), 1)
        return digits(2)(row)

    columns = [
        named(_("Question"), lambda row: (row.settings or {}).get("question") or row.label),
        own(_("People"), raters),
        named(_("Most frequent answer"), lambda row: ", ".join((row.settings or {}).get("answers", ()))),
        own(_("Share"), most),
        own(_("Median"), median),
    ]
    yield from table_of(rows, _("Questions at a glance"), columns, rows.of(*GLANCES))


def _part(group: str | None, wave: int | None) -> str:
    parts = [group] if group else []
    if wave is not None:
        parts.append(_("wave %(n)s") % {"n": wave})
    return ", ".join(parts) or _("Everybody")


def _share(rows: Rows, number: ResultRow) -> Cell:
    """Return a cell with the count of an answer, and its share of all answers."""
    if number.value is None:
        return Cell(DASH)
    about = {"label": number.label, "group": number.group, "wave": number.wave}
    share_of = rows.one("answer_share", before=number.basis == "all", **about)
    if share_of is None or share_of.value is None:
        return cells.whole(int(number.value))
    return Cell(f"{int(number.value)} ({cells.percent(share_of.value).text})", number.value)
