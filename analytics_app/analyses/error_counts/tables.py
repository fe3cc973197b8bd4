"""Tables of counts of errors: effects on people and metrics, fits, raters, and how far metrics are from people."""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from analytics_app.models import ResultRow
from analytics_app.show import labels
from analytics_app.show.formats import digits, interval, items, p_adjusted, ratings
from analytics_app.show.index import RowIndex
from analytics_app.show.notes import notes_of
from analytics_app.show.shown import (
    MOST_ROWS,
    Shown,
    StoredRows,
    general_table,
    lines_of,
    named,
    own,
    table_of,
    tables_of,
)
from analytics_app.show.table import Table

APART = ("metric_minus_people", "metric_people_distance", "metric_above_people", "metric_below_people")


@tables_of("error_counts")
def error_counts(rows: StoredRows, limit: float) -> Iterator[Table]:
    """Yield the tables of the ratings as they are, then those of each subset and reduced scale."""
    whole = rows.whole
    yield from _effects(whole, limit, _("Change of scores with one more error"))
    yield from _fits(whole)
    yield from _apart(whole)
    yield from _raters(whole)
    for part in dict.fromkeys(row.slice for row in rows.parts):
        of_part = RowIndex([row for row in rows.parts if row.slice == part])
        placeholders = {"part": part}
        yield from _effects(of_part, limit, _("Change of scores with one more error: %(part)s") % placeholders)
        further = [row for row in of_part.rows if not row.statistic.startswith("error_effect") or row.rater]
        yield from general_table(further, limit, caption=_("Counts of errors: %(part)s") % placeholders)


def _who(row: ResultRow) -> str:
    return row.metric or _("People")


def _effects(rows: StoredRows, limit: float, caption: str) -> Iterator[Table]:
    """Yield a table with lines for people and for each metric, by type of error."""
    effects = [row for row in rows.of("error_effect", "error_effect_of_metric") if row.label or row.value is None]
    types = list(dict.fromkeys(row.label for row in effects))
    lines = [row for label in types for row in effects if row.label == label]
    by, difference = ("metric", "label"), "error_effect_difference"
    crossed = rows.has("error_effect_crossed")
    columns = [
        named(_("Error"), lambda row: row.label),
        named(_("Scores of"), _who),
        own(_("Change"), digits(3)),
        *_crossed("error_effect_crossed", limit),
        own(_("Interval, texts only") if crossed else _("Interval"), interval(3)),
        own(_("Adjusted p, texts only") if crossed else _("Adjusted p"), p_adjusted(limit)),
        Shown(_("Minus that of people"), difference, digits(3)),
        *_crossed(f"{difference}_crossed", limit),
        Shown(_("Interval, texts only") if crossed else _("Interval"), difference, interval(3)),
        Shown(_("Adjusted p, texts only") if crossed else _("Adjusted p"), difference, p_adjusted(limit)),
    ]
    of_further = rows.of("error_effect_crossed", f"{difference}_crossed")
    notes = notes_of([*of_further, *effects])
    yield from table_of(rows, caption, columns, lines, by=by, notes=notes, used_only=True)


def _crossed(statistic: str, limit: float) -> list[Shown]:
    """Return the columns of an effect with raters and texts both random."""
    return [
        Shown(_("For further texts and raters"), statistic, interval(3)),
        Shown(_("Adjusted p"), statistic, p_adjusted(limit)),
    ]


def _fits(rows: StoredRows) -> Iterator[Table]:
    lines = lines_of([row for row in rows.of("error_free") if not row.rater], "metric")
    columns = [
        named(_("Scores of"), _who),
        own(_("Texts"), items),
        own(_("Without errors"), digits(3)),
        own(_("Interval"), interval(3)),
        Shown("R²", "error_r_squared", digits(3), where={"rater": None}),
    ]
    yield from table_of(rows, _("Fit of the counts of errors"), columns, lines, by=("metric",), notes=[])


def _apart(rows: StoredRows) -> Iterator[Table]:
    """Yield a table that compares each metric with the mean and the most frequent rating."""
    lines = rows.of(APART[0])
    words = {"mean": _("mean rating"), "mode": _("most frequent rating")}
    columns = [
        named(_("Metric"), lambda row: row.metric),
        named(_("Beside the"), lambda row: words.get(row.label or "", row.label)),
        own(_("Texts"), ratings),
        own(_("Metric minus people"), digits(3)),
        own(_("Interval"), interval(3)),
        Shown(_("Without sign"), APART[1], digits(3)),
        Shown(_("Where higher"), APART[2], digits(3)),
        Shown(_("Texts"), APART[2], ratings),
        Shown(_("Where lower"), APART[3], digits(3)),
        Shown(_("Texts"), APART[3], ratings),
    ]
    yield from table_of(
        rows, _("Metrics minus people, as shares of the scale"), columns, lines, by=("metric", "label"),
        notes=notes_of(lines),
    )  # fmt: skip


def _raters(rows: StoredRows) -> Iterator[Table]:
    """Yield a table with a line for each rater and a column for each type of error."""
    effects = rows.of("error_effect_of_rater")
    lines = lines_of(effects, "rater")
    types = [label for label in dict.fromkeys(row.label for row in effects) if label]
    effect = "error_effect_of_rater"
    columns = [
        named(_("Rater"), lambda row: row.rater),
        own(_("Texts"), items),
        *(Shown(label, effect, digits(3), where={"label": label}) for label in types),
        Shown(_("Without errors"), "error_free", digits(3)),
        Shown("R²", "error_r_squared", digits(3)),
    ]
    more = _("Further raters in the file of results: %(n)s.")
    caption = labels.statistic(effect)
    yield from table_of(rows, caption, columns, lines, by=("rater",), notes=notes_of(lines), most=MOST_ROWS, more=more)
