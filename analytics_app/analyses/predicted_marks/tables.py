"""Tables of marks of metrics (against people, beside the human ceiling, by system, by rater) and error-free texts."""

from collections.abc import Callable, Iterator

from django.utils.translation import gettext as _

from analytics_app.analyses.predicted_marks.figures import CHARACTERS, EXACT, SEVERITY
from analytics_app.models import ResultRow
from analytics_app.show import cells
from analytics_app.show.cells import Cell
from analytics_app.show.formats import Format, digits, interval, items, ratings, share, share_interval
from analytics_app.show.notes import notes_of
from analytics_app.show.shown import Shown, StoredRows, general_table, lines_of, named, own, table_of, tables_of
from analytics_app.show.table import Table

FIGURES = ("precision", "recall", "f1")
# The statistic of people, and the difference, beside that of a metric on the same texts.
BESIDE = {
    "metric_marks_f1_shared": ("people_marks_f1_shared", "metric_marks_f1_difference"),
    "error_free_f1_shared": ("people_error_free_f1_shared", "error_free_f1_difference"),
}
MOST_LINES = 200


@tables_of("predicted_marks")
def predicted_marks(rows: StoredRows, limit: float) -> Iterator[Table]:
    """Yield the tables of metrics, then those of error-free texts and of people, then parts of the texts."""
    whole = rows.whole
    yield from _against_people(whole)
    yield from _ceiling(whole)
    yield from _by_system(whole)
    yield from _error_free(whole)
    yield from _shares(whole)
    yield from _of_raters(whole)
    agreement = whole.of("error_free_agreement", "error_free_alpha")
    yield from general_table(agreement, limit, caption=_("Agreement of raters on error-free texts"))
    yield from general_table(rows.parts, limit, caption=_("Marks of metrics on parts of the texts"))


def _metric(row: ResultRow) -> str | None:
    return row.metric


def _best_first(rows: StoredRows, lines: list[ResultRow]) -> list[ResultRow]:
    """Return lines with the metric of the highest F1 first."""

    def place(row: ResultRow) -> float:
        f1 = rows.one("metric_marks_f1", metric=row.metric, label=None, system=None)
        return -f1.value if f1 is not None and f1.value is not None else float("inf")

    return sorted(lines, key=place)


def _against_people(rows: StoredRows) -> Iterator[Table]:
    """Yield a table with one line for each metric."""
    f1, main = "metric_marks_f1", {"label": None}
    lines = [row for row in rows.of(f1) if row.system is None and row.label is None]
    columns = [
        named(_("Metric"), _metric),
        Shown(_("Precision"), "metric_marks_precision", digits(2), main),
        Shown(_("Recall"), "metric_marks_recall", digits(2), main),
        Shown(_("F1"), f1, digits(2), main),
        Shown(_("Interval"), f1, interval(2), main),
        Shown(_("F1, same severity"), f1, digits(2), {"label": SEVERITY}),
        Shown(_("F1, exact match"), f1, digits(2), {"label": EXACT}),
        Shown(_("F1 of characters"), f1, digits(2), {"label": CHARACTERS}),
        own(_("Marks"), ratings),
        own(_("Texts"), items),
    ]
    about = [row for row in rows.of("metric_marks_precision", "metric_marks_recall", f1) if row.system is None]
    no_ceiling = [row for row in rows.of("people_marks_f1_shared") if row.value is None and row.system is None]
    notes = notes_of([*about, *no_ceiling])
    caption = _("Marks of metrics against those of people, partial credit")
    by = ("metric", "system", "label")
    yield from table_of(rows, caption, columns, _best_first(rows, lines), by=by, notes=notes)


def _ceiling(rows: StoredRows) -> Iterator[Table]:
    """Yield a table with F1 of each metric and of people on the same texts, for each way of matching."""

    def beside(number: int, show: Format) -> Callable[[ResultRow | None], Cell]:
        def cell(row: ResultRow | None) -> Cell:
            if row is None:
                return show(None)
            statistic = BESIDE[row.statistic][number]
            return show(rows.one(statistic, metric=row.metric, label=row.label, system=None))

        return cell

    columns = [
        named(_("Metric"), _metric),
        named(_("Compared"), _compared_by),
        own(_("F1 of the metric"), digits(2)),
        own(_("Interval"), interval(2)),
        own(_("F1 of a person"), beside(0, digits(2))),
        own(_("Interval"), beside(0, interval(2))),
        own(_("Metric minus person"), beside(1, digits(2))),
        own(_("Interval"), beside(1, interval(2))),
        own(_("Texts"), items),
    ]
    lines = _best_first(rows, [row for row in rows.of(*BESIDE) if row.system is None])
    statistics = [*BESIDE, *(name for names in BESIDE.values() for name in names)]
    notes = notes_of([row for row in rows.of(*statistics) if row.system is None and row.value is not None])
    explained = _(
        "On texts that several people judged: each person is held out and compared with the others, as the metric is. "
        "If the interval of the difference is above 0, the metric agrees with people better than they agree with one "
        "another; if it includes 0, the two do not differ clearly."
    )
    caption = _("Human ceiling: a metric beside a person, on the same texts")
    yield from table_of(rows, caption, columns, lines, notes=[explained, *notes])


def _compared_by(row: ResultRow) -> str:
    """Return the way of matching of a row in words."""
    if row.statistic == "error_free_f1_shared":
        return _("error-free texts")
    words = {SEVERITY: _("marks, same severity"), EXACT: _("marks, exact match"), CHARACTERS: _("marked characters")}
    return words.get(row.label or "", _("marks, partial credit"))


def _by_system(rows: StoredRows) -> Iterator[Table]:
    """Yield a table with one line for each system and metric."""
    main = {"label": None}
    columns = [
        named(_("System"), lambda row: row.system),
        named(_("Metric"), _metric),
        *(Shown(head, f"metric_marks_{name}", digits(2), main)
          for head, name in zip((_("Precision"), _("Recall"), _("F1")), FIGURES, strict=True)),
        Shown(_("Interval"), "metric_marks_f1", interval(2), main),
        Shown(_("F1, texts of several people"), "metric_marks_f1_shared", digits(2), main),
        Shown(_("F1 of a person, same texts"), "people_marks_f1_shared", digits(2), main),
        own(_("Marks"), ratings),
        own(_("Texts"), items),
    ]  # fmt: skip
    lines = [row for row in rows.of("metric_marks_f1") if row.system is not None and row.label is None]
    lines.sort(key=lambda row: row.system or "")
    notes = notes_of([row for row in rows.of(*(f"metric_marks_{name}" for name in FIGURES)) if row.system is not None])
    yield from table_of(
        rows, _("Marks of metrics by system"), columns, lines, by=("system", "metric"), notes=notes, used_only=True,
        most=MOST_LINES, more=_("Further lines in the file of results: %(n)s."),
    )  # fmt: skip


def _error_free(rows: StoredRows) -> Iterator[Table]:
    """Yield a table of how well metrics find error-free texts, with one line for each metric."""
    main = {"system": None}
    columns = [
        named(_("Metric"), _metric),
        *(Shown(head, f"error_free_{name}", share, main)
          for head, name in zip((_("Precision"), _("Recall"), _("F1")), FIGURES, strict=True)),
        Shown(_("Interval"), "error_free_f1", share_interval, main),
        own(_("Texts"), items),
    ]  # fmt: skip
    lines = _best_first(rows, [row for row in rows.of("error_free_f1") if row.system is None])
    notes = notes_of([row for row in rows.of(*(f"error_free_{name}" for name in FIGURES)) if row.system is None])
    caption = _("Error-free texts that metrics find")
    yield from table_of(rows, caption, columns, lines, by=("metric",), notes=notes)


def _shares(rows: StoredRows) -> Iterator[Table]:
    """Yield a table of the share of error-free texts of each system, by people and by each metric."""
    every = rows.of("error_free_share")
    metrics = dict.fromkeys(row.metric for row in every if row.metric)
    people = {"metric": None}
    columns = [
        named(_("System"), lambda row: row.system),
        Shown(_("People"), "error_free_share", share, people),
        Shown(_("Interval"), "error_free_share", share_interval, people),
        *(Shown(str(name), "error_free_share", share, {"metric": name}) for name in metrics),
        Shown(_("Texts rated"), "error_free_share", lambda row: cells.whole(row.n_ratings if row else None), people),
    ]
    lines = lines_of([row for row in every if row.metric is None], "system")
    lines.sort(key=lambda row: -(row.value or 0))
    notes = notes_of([row for row in every if row.metric is None])
    settings = (every[0].settings or {}) if every else {}
    words = _("A text is error-free if it has no mark.")
    if "score" in settings:
        words = _("A text is error-free if it has no mark and a score of at least %(score)s.") % {
            "score": cells.figure(float(settings["score"]), 0)
        }
    of_metrics = [_("The share of a metric is that of the texts that it judged.")] if metrics else []
    all_notes = [words, *of_metrics, *notes]
    yield from table_of(rows, _("Error-free texts by system"), columns, lines, by=("system",), notes=all_notes)


def _of_raters(rows: StoredRows) -> Iterator[Table]:
    """Yield a table with one line for each person against the others."""
    columns = [
        named(_("Rater"), lambda row: row.rater or _("All raters")),
        *(Shown(head, f"people_marks_{name}", digits(2))
          for head, name in zip((_("Precision"), _("Recall"), _("F1")), FIGURES, strict=True)),
        Shown(_("Interval"), "people_marks_f1", interval(2)),
        own(_("Texts"), items),
    ]  # fmt: skip
    caption = _("Marks of each person against those of the others, partial credit")
    lines = lines_of(rows.of("people_marks_f1"), "rater")
    yield from table_of(
        rows, caption, columns, lines, by=("rater",), most=MOST_LINES,
        more=_("Further raters in the file of results: %(n)s."),
    )  # fmt: skip
