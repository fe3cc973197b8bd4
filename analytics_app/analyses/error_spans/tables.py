"""Tables of marked errors: systems, pairs, kinds, raters, agreement, and the score given with the marks."""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from analytics_app.models import ResultRow
from analytics_app.show import cells, formats
from analytics_app.show.cells import DASH, Cell
from analytics_app.show.formats import digits, interval, items, p, p_adjusted, pair, raters, ratings, share, whole
from analytics_app.show.notes import notes_of
from analytics_app.show.shown import Shown, StoredRows, general_table, lines_of, named, own, table_of, tables_of
from analytics_app.show.table import Table

# Statistics with a table of their own; all others, and all rows of parts, come last.
OF_SYSTEMS = (
    "mqm_score",
    "mqm_score_over_raters",
    "mqm_score_crossed",
    "errors_per_text",
    "errors_by_severity",
    "no_error_share",
)
OF_PAIRS = ("mqm_difference", "mqm_difference_crossed", "mqm_wilcoxon")
OF_KINDS = ("severity_count", "category_count", "group_count", "no_error_count", "most_errors")
OF_RATERS = ("mqm_of_rater", "errors_of_rater", "no_error_of_rater")
AGREEMENT = ("span_f1_exact", "span_f1_overlap", "span_f1_partial", "character_alpha")
BESIDE = (
    "esa_score", "top_score_grave_error", "low_score_no_error", "high_score_grave_error", "score_too_low_no_error",
    "score_regression", "score_regression_r2",
)  # fmt: skip
# Rows for charts and files only.
NOT_SHOWN = ("mqm_segment", "errors_by_group")
MOST_PAIRS = 200


@tables_of("error_spans")
def error_spans(rows: StoredRows, limit: float) -> Iterator[Table]:
    """Yield the tables of systems and pairs, then those of scores, agreement, kinds of marks and raters."""
    whole = rows.whole
    beside = whole.of(*BESIDE)
    yield from _systems(whole)
    yield from _pairs(whole, limit)
    yield from general_table([row for row in beside if not row.rater], limit, caption=_("The score beside the marks"))
    contradicting = _("Raters whose scores contradict their marks")
    yield from general_table([row for row in beside if row.rater], limit, caption=contradicting)
    yield from general_table(whole.of(*AGREEMENT), limit, caption=_("Agreement on marks"))
    yield from _kinds(whole)
    yield from _raters(whole)
    placed = {*OF_SYSTEMS, *OF_PAIRS, *OF_KINDS, *OF_RATERS, *AGREEMENT, *BESIDE, *NOT_SHOWN}
    further = [row for row in whole.kept if row.statistic not in placed]
    further += [row for row in rows.parts if row.statistic not in NOT_SHOWN]
    yield from general_table(further, limit, caption=_("Further figures, and parts of the texts"))


def _systems(rows: StoredRows) -> Iterator[Table]:
    """Yield a table with one line for each system, the lowest penalty first."""
    further = _("For further texts and raters")
    penalty = [
        Shown(_("MQM penalty"), "mqm_score", digits(2)),
        Shown(_("Interval"), "mqm_score", interval(2)),
        Shown(_("Interval over raters"), "mqm_score_over_raters", interval(2)),
        *([Shown(further, "mqm_score_crossed", interval(2))] if rows.has("mqm_score_crossed") else []),
    ]
    has_penalty = any(row.system for row in rows.of("mqm_score"))
    severities = rows.values("label", "errors_by_severity")
    columns = [
        named(_("System"), lambda row: row.system),
        *(penalty if has_penalty else []),
        Shown(_("Errors per text"), "errors_per_text", digits(2)),
        *(Shown(str(severity), "errors_by_severity", _or_none, {"label": severity}) for severity in severities),
        Shown(_("Texts without an error"), "no_error_share", share),
        Shown(_("Texts rated"), "errors_per_text", ratings),
        Shown(_("Raters"), "errors_per_text", raters),
    ]

    def place(row: ResultRow) -> float:
        first = rows.one("mqm_score", system=row.system) or row
        return first.value if first.value is not None else float("inf")

    lines = sorted(lines_of(rows.of("errors_per_text"), "system"), key=place)
    notes = notes_of(rows.of("mqm_score", "mqm_score_over_raters"))
    caption = _("Marked errors by system: lower is better")
    yield from table_of(rows, caption, columns, lines, by=("system", "system_b", "label"), notes=notes)


def _or_none(row: ResultRow | None) -> Cell:
    """Return the cell of the errors of a severity: without a row there were no such errors."""
    return cells.number(row.value if row is not None else 0.0)


def _pairs(rows: StoredRows, limit: float) -> Iterator[Table]:
    """Yield a table with one line for each pair of systems."""
    crossed = rows.has("mqm_difference_crossed")
    of_texts = [
        Shown(_("Difference, these raters") if crossed else _("Difference"), "mqm_difference", digits(2)),
        Shown(_("Interval, these raters") if crossed else _("Interval"), "mqm_difference", interval(2)),
        Shown(_("p, these raters") if crossed else _("p"), "mqm_difference", p),
        Shown(_("Adjusted p, these raters") if crossed else _("Adjusted p"), "mqm_difference", p_adjusted(limit)),
    ]
    columns = [
        named(_("Pair"), pair("−")),
        *(_crossed(limit) if crossed else []),
        *of_texts,
        Shown(_("Items"), "mqm_difference", items),
    ]
    caption, more = _("Differences of MQM penalties"), _("Further pairs in the file of results: %(n)s.")
    lines, by = lines_of(rows.of("mqm_difference"), "system", "system_b"), ("system", "system_b")
    notes = notes_of(rows.of("mqm_difference", "mqm_difference_crossed"))
    yield from table_of(rows, caption, columns, lines, by=by, notes=notes, most=MOST_PAIRS, more=more)


def _crossed(limit: float) -> list[Shown]:
    """Return the columns of differences with raters and items both random."""
    return [
        Shown(_("Difference"), "mqm_difference_crossed", digits(2)),
        Shown(_("For further texts and raters"), "mqm_difference_crossed", interval(2)),
        Shown(_("p"), "mqm_difference_crossed", p),
        Shown(_("Adjusted p"), "mqm_difference_crossed", p_adjusted(limit)),
    ]


def _kinds(rows: StoredRows) -> Iterator[Table]:
    """Yield the table of the number of marks of each severity and kind."""
    columns = [
        named(_("What"), formats.statistic),
        named(_("Marked as"), lambda row: row.label),
        own(_("Marks"), whole),
        own("%", _of_all),
    ]
    notes = []
    silent = rows.one("no_error_count")
    if silent is not None and silent.value is not None:
        placeholders = {"n": cells.figure(silent.value, 0), "all": cells.figure(float(silent.n_ratings or 0), 0)}
        notes = [_("%(n)s of %(all)s texts, each as a rater saw it, have no error.") % placeholders]
    lines = rows.of("severity_count", "category_count")
    yield from table_of(rows, _("Marks by severity and kind"), columns, lines, notes=notes, for_notes=True)


def _of_all(row: ResultRow | None) -> Cell:
    if row is None or row.value is None or not row.n_ratings:
        return Cell(DASH)
    return cells.percent(row.value / row.n_ratings, 1)


def _raters(rows: StoredRows) -> Iterator[Table]:
    """Yield a table with one line for each rater."""
    of_raters = [row for row in rows.of(*OF_RATERS) if row.rater]
    severities = dict.fromkeys(row.label for row in of_raters if row.statistic == "errors_of_rater" and row.label)
    penalty = Shown(_("MQM penalty per text"), "mqm_of_rater", digits(2))
    columns = [
        named(_("Rater"), lambda row: row.rater),
        Shown(_("Texts"), "errors_of_rater", ratings),
        *([penalty] if any(row.statistic == "mqm_of_rater" for row in of_raters) else []),
        Shown(_("Errors per text"), "errors_of_rater", digits(2)),
        *(Shown(str(severity), "errors_of_rater", digits(2), {"label": severity}) for severity in severities),
        Shown(_("Texts without an error"), "no_error_of_rater", share),
    ]
    lines = lines_of(of_raters, "rater")
    notes = notes_of([row for row in of_raters if row.label is None])
    yield from table_of(rows, _("Marked errors by rater"), columns, lines, by=("rater", "label"), notes=notes)
