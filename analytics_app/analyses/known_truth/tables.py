"""Tables of known truth: shares of right answers, tests against chance, pairs, raters, answers by true label."""

from collections.abc import Iterator, Sequence

from django.utils.translation import gettext as _

from analytics_app.models import ResultRow
from analytics_app.show import cells
from analytics_app.show.cells import DASH, Cell
from analytics_app.show.differences import differences
from analytics_app.show.formats import (
    items,
    p,
    pair,
    part,
    percent,
    ratings,
    share_interval,
)
from analytics_app.show.index import RowIndex
from analytics_app.show.notes import notes_of
from analytics_app.show.scope import OF_JOINT_LABELS
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


@tables_of("known_truth")
def known_truth(rows: StoredRows, limit: float) -> Iterator[Table]:
    """Yield the tables of right answers: by system with tests, by true label, pairs, raters, and answers."""
    whole = rows.whole
    yield from _by_system(whole, limit)
    yield from _joint(whole)
    yield from _by_true_label(whole)
    yield from _pairs(whole, limit)
    yield from _raters(whole)
    yield from _answered(whole)
    yield from _by_subset(rows.parts, limit)


def _by_system(rows: StoredRows, limit: float) -> Iterator[Table]:
    columns = [
        named(_("System"), lambda row: row.system or _("All together")),
        *_right_columns(limit, crossed=rows.has("right_against_chance_crossed")),
    ]
    shares = [row for row in rows.of("right_share") if row.label is None]
    notes = [
        *_chance_in_words(shares),
        *notes_of([*shares, *rows.of("right_share_crossed", "right_against_chance", "right_against_chance_crossed")]),
    ]
    yield from table_of(
        rows, _("Right answers"), columns, lines_of(shares, "system"), by=("system",), notes=notes, used_only=True
    )


def _joint(rows: StoredRows) -> Iterator[Table]:
    """Yield a table of single answers and joint labels beside each other."""
    kinds = {
        "right_share": _("Single answers"),
        "majority_right_share": _("Label of the majority"),
        "ds_right_share": _("Label by Dawid and Skene"),
    }
    columns = [
        named(_("System"), lambda row: row.system or _("All together")),
        named(_("Of"), lambda row: kinds[row.statistic]),
        own(_("Answers or texts"), ratings),
        own(_("Items"), items),
        own(_("Right"), percent(1)),
        own(_("Interval"), share_interval),
    ]
    lines = [row for row in rows.of(*kinds) if row.label is None and (row.system or row.system_b is None)]
    lines.sort(key=lambda row: (row.system or "", list(kinds).index(row.statistic)))
    joint = [row for row in lines if row.statistic != "right_share"]
    if joint:
        notes = [*([str(OF_JOINT_LABELS)] if any(row.low is not None for row in joint) else []), *notes_of(joint)]
        yield from table_of(
            rows, _("Right joint labels beside single answers"), columns, lines, by=("system",), notes=notes
        )


def _right_columns(limit: float, *, crossed: bool) -> list[Shown]:
    """Return the columns of how often answers are right, and of the test against chance."""
    return [
        own(_("Answers"), ratings),
        own(_("Items"), items),
        own(_("Right"), percent(1)),
        Shown(_("For further texts and raters"), "right_share_crossed", share_interval),
        own(_("Interval, these raters") if crossed else _("Interval"), share_interval),
        own(_("Chance"), _own_chance),
        *differences("right_against_chance", limit, _("Above or below chance"), crossed=crossed),
    ]


def _chance_in_words(rows: Sequence[ResultRow]) -> Iterator[str]:
    """Yield a sentence about chance, if there is a chance."""
    row = next((row for row in rows if row.settings and row.settings.get("chance")), None)
    if row is None or row.settings is None:
        return
    share = {"share": f"{row.settings['chance'] * 100:.1f}\u00a0%"}
    if row.settings.get("own_options"):
        yield _("Chance is %(share)s on average: for each item, one over the number of its options.") % share
    else:
        yield _("Chance is %(share)s, one over the number of options.") % share


def _own_chance(row: ResultRow | None) -> Cell:
    """Return the cell of the chance of a row, if items have their own options; otherwise chance is constant."""
    settings = (row.settings or {}) if row is not None else {}
    return cells.percent(settings.get("chance"), 1) if settings.get("own_options") else Cell(DASH)


def _by_subset(parts: Sequence[ResultRow], limit: float) -> Iterator[Table]:
    """Yield a table with one line for each slice, group and wave, over all systems, then a table with details."""
    by = ("slice", "group", "wave", "system", "label")
    columns = [
        named(_("Subset"), part),
        *_right_columns(limit, crossed=False),
    ]
    index = RowIndex([row for row in parts if _is_of_subset(row)])
    yield from table_of(
        index, _("Right answers by subset"), columns, index.of("right_share"), by=by, notes=[], used_only=True
    )
    further = [row for row in parts if not _is_of_subset(row)]
    yield from general_table(further, limit, caption=_("Right answers by subset, in detail"))


def _is_of_subset(row: ResultRow) -> bool:
    """Return whether a row is about all answers of a subset."""
    return row.statistic in {"right_share", "right_against_chance"} and row.system is None and row.label is None


def _by_true_label(rows: StoredRows) -> Iterator[Table]:
    columns = [
        named(_("True label"), lambda row: row.label),
        own(_("Answers"), ratings),
        own(_("Items"), items),
        own(_("Right"), percent(1)),
        own(_("Interval"), share_interval),
        own(_("Chance"), _own_chance),
    ]
    shares = [row for row in rows.of("right_share") if row.label is not None]
    yield from table_of(rows, _("Right answers by true label"), columns, shares, used_only=True)


def _pairs(rows: StoredRows, limit: float) -> Iterator[Table]:
    statistic = "right_difference"
    columns = [
        named(_("Pair"), pair("−")),
        *differences(statistic, limit, _("Difference of shares"), crossed=rows.has(f"{statistic}_crossed")),
        Shown(_("Items"), statistic, items),
    ]
    by, caption = ("system", "system_b"), _("Right answers, pairs of systems")
    yield from table_of(rows, caption, columns, rows.of(statistic), by=by, used_only=True)


def _raters(rows: StoredRows) -> Iterator[Table]:
    columns = [
        named(_("Rater"), lambda row: row.rater),
        own(_("Answers"), ratings),
        own(_("Right"), percent(1)),
        own(_("Interval"), share_interval),
        own(_("Chance"), _own_chance),
        own(_("p against chance"), p),
    ]
    lines = sorted(rows.of("right_by_rater"), key=lambda row: (row.value or 0.0, str(row.rater)))
    more = _("Further raters in the file of results: %(n)s.")
    yield from table_of(
        rows, _("Right answers of each rater"), columns, lines, most=MOST_ROWS, more=more, used_only=True
    )


def _answered(rows: StoredRows) -> Iterator[Table]:
    """Yield a table with a line for each true label and a column for each answer."""
    share_rows = [row for row in rows.of("answered_share") if row.settings]
    answers = list(dict.fromkeys(str(row.settings["answer"]) for row in share_rows if row.settings))
    shares = {(row.settings["truth"], row.settings["answer"]): row for row in share_rows if row.settings}

    def answered(answer: str) -> Shown:
        def show(row: ResultRow | None) -> object:
            truth = row.settings["truth"] if row is not None and row.settings else None
            return percent(1)(shares.get((truth, answer)))

        return own(answer, show)  # type: ignore[arg-type]

    lines = [row for row in share_rows if row.settings and row.settings["answer"] == answers[0]]
    columns = [named(_("True label"), lambda row: (row.settings or {}).get("truth")), own(_("Answers"), ratings)]
    yield from table_of(rows, _("What was answered"), [*columns, *map(answered, answers)], lines)
