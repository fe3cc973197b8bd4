"""Tables of automatic metrics: agreement of each with people, and comparisons of metrics."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from django.utils.translation import gettext as _

from analytics_app.analyses.metrics.compared import AS_WMT, CORRECTED
from analytics_app.analyses.metrics.numbers import number_tables
from analytics_app.models import ResultRow
from analytics_app.show import cells, labels
from analytics_app.show.cells import Cell
from analytics_app.show.formats import digits, interval, items, p, p_adjusted, pair, whole
from analytics_app.show.index import RowIndex
from analytics_app.show.notes import notes_of
from analytics_app.show.shown import Shown, StoredRows, general_table, lines_of, named, own, table_of, tables_of
from analytics_app.show.table import Table

OVER_TEXTS = ("metric_pearson_texts", "metric_spearman_texts", "metric_kendall_texts")
WITHIN = ("metric_pearson_by_item", "metric_spearman_by_item", "metric_tau_b_by_item")
TAU_LIKE = ("metric_tau_like_by_item", "metric_tau_like_pooled")
WITHIN_SYSTEMS = ("metric_pearson_by_system", "metric_spearman_by_system", "metric_tau_b_by_system")
ACCURACIES = ("metric_acc_eq_by_item", "metric_acc_eq_by_system", "metric_acc_eq_texts")
OVER_SYSTEMS = (
    "metric_pearson_systems", "metric_spearman_systems", "metric_pairwise_accuracy", "metric_soft_pairwise_accuracy",
)  # fmt: skip
ENDS = (
    "metric_pearson_top", "metric_pearson_last", "metric_pairwise_accuracy_top", "metric_pairwise_accuracy_last",
)  # fmt: skip
MOST_PAIRS = 200
# The names of parts that the settings of a whole analysis choose, and not one of its slices.
_CHOSEN = re.compile(r"system!=|all raters agree on |at least \d+ ratings")


@tables_of("metrics", "metrics_of_errors")
def metrics(rows: StoredRows, limit: float) -> Iterator[Table]:
    """Yield a table for each level, with one row for each metric, the best first; then pairs of metrics."""
    yield from shaped(rows, _tables, limit, caption=_("Metrics on parts of the texts"))


def shaped(
    rows: StoredRows, tables: Callable[[StoredRows, float], Iterator[Table]], limit: float, *, caption: str
) -> Iterator[Table]:
    """Yield the tables of all texts, then those of chosen texts, then a general table of other parts.

    The captions of tables of chosen texts name the choice: systems that were left out, texts with certain ratings, or
    any choice where there are no rows of all texts.
    """
    whole, parts = rows.whole, rows.parts
    yield from tables(whole, limit)
    names = list(dict.fromkeys(str(row.slice) for row in parts if row.slice and _CHOSEN.match(row.slice)))
    if parts and parts[0].slice and not whole.kept and parts[0].slice not in names:
        names.insert(0, parts[0].slice)
    for name in names:
        for table in tables(RowIndex([row for row in parts if row.slice == name]), limit):
            yield replace(table, caption=f"{table.caption} ({name})")
    yield from general_table([row for row in parts if row.slice not in names], limit, caption=caption)


def _tables(every: StoredRows, limit: float) -> Iterator[Table]:
    yield from _level(every, OVER_TEXTS, _("Metrics over texts"), _("Texts"))
    yield from number_tables(every)
    yield from _accuracies(every)
    yield from _level(every, WITHIN, _("Metrics within items"))
    yield from _level(every, TAU_LIKE, _("Tau-like within items"), _("Pairs"))
    yield from _level(every, WITHIN_SYSTEMS, _("Metrics within systems"), _("Systems"))
    yield from _level(every, OVER_SYSTEMS, _("Metrics over systems"), _("Systems"))
    yield from _ends(every)
    yield from _groups(every)
    yield from _swapped(every, limit)
    for kind in ("", "spearman_", "kendall_"):
        for level in ("texts", "systems"):
            yield from _pairs(every, f"metric_williams_{kind}{level}", limit)
    yield from _means(every)
    yield from _differences(every, limit)


def _level(rows: StoredRows, statistics: Sequence[str], caption: str, counted: str = "") -> Iterator[Table]:
    def place(row: ResultRow) -> float:
        first = rows.one(statistics[0], metric=row.metric)
        return -first.value if first is not None and first.value is not None else float("inf")

    def most(n: Callable[[ResultRow], int | None]) -> Callable[[ResultRow | None], Cell]:
        def show(row: ResultRow | None) -> Cell:
            if row is not None and row.metric is None:  # between people
                return cells.whole(n(row))
            of_metric = [rows.one(statistic, metric=row.metric if row else None) for statistic in statistics]
            return cells.whole(max((n(metric_row) or 0 for metric_row in of_metric if metric_row), default=0) or None)

        return show

    columns = [named(_("Metric"), lambda row: row.metric)]
    for statistic in statistics:
        columns += [
            Shown(labels.statistic(statistic), statistic, digits(3)),
            Shown(_("Interval"), statistic, interval(3)),
        ]
    columns += [own(counted, most(lambda row: row.n_ratings))] if counted else []
    columns.append(own(_("Items"), most(lambda row: row.n_items)))
    lines = sorted(lines_of(rows.of(*statistics), "metric"), key=place)
    notes = [*notes_of(rows.of(*statistics)), *(unknown_directions(lines) if counted else ())]
    of_metrics = table_of(rows, caption, columns, lines, by=("metric",), notes=notes)
    yield from (_used(_with_people(table, rows, columns)) for table in of_metrics)


def _with_people(table: Table, rows: StoredRows, columns: Sequence[Shown]) -> Table:
    """Return a table of metrics with the lines of the human ceiling at its end, where there are any."""
    between = {column.statistic: column.statistic.replace("metric_", "people_", 1) for column in columns}
    lines = lines_of(rows.of(*filter(None, between.values())), "label")
    named_columns = [
        named(column.head, _people) if place == 0 else replace(column, statistic=between[column.statistic])
        for place, column in enumerate(columns)
    ]
    for people in table_of(rows, table.caption, named_columns, lines, by=("label",)):
        notes = [*table.notes, *people.notes, *_ranges(rows.of(*filter(None, between.values())))]
        return replace(table, rows=[*table.rows, *people.rows], notes=list(dict.fromkeys(notes)))
    return table


def _people(row: ResultRow) -> str:
    return _("People: %(comparison)s") % {"comparison": row.label}


def _ranges(rows: Iterable[ResultRow]) -> Iterator[str]:
    """Yield how far apart the comparisons of people are, for each way of comparing them: by the first figure."""
    for row in lines_of((row for row in rows if row.value is not None), "label"):
        found = row.settings or {}
        sentence = _(
            "People, %(comparison)s: the mean of %(n)s comparisons; %(measure)s is from %(low)s to %(high)s in them."
        )
        yield sentence % {
            "comparison": row.label, "n": found["n_comparisons"], "measure": labels.statistic(row.statistic),
            "low": cells.figure(found["lowest"], 3), "high": cells.figure(found["highest"], 3),
        }  # fmt: skip


def _used(table: Table) -> Table:
    """Return a table without columns of dashes, but for the first."""
    used = [n for n in range(len(table.columns)) if n == 0 or any(line[n].text != cells.DASH for line in table.rows)]
    columns = [table.columns[n] for n in used]
    return replace(table, columns=columns, rows=[[line[n] for n in used] for line in table.rows])


def unknown_directions(rows: Sequence[ResultRow]) -> Iterator[str]:
    """Yield a note that names the metrics of which nobody said which direction is better."""
    names = [str(row.metric) for row in rows if (row.settings or {}).get("direction") == "unknown"]
    if names:
        sentence = _("Higher is taken as better for %(names)s: neither the plan nor the name says otherwise.")
        yield sentence % {"names": ", ".join(names)}


def _accuracies(rows: StoredRows) -> Iterator[Table]:
    """Yield the pairwise accuracies with ties, with a line for each metric and choice of pairs."""
    compared = {
        "metric_acc_eq_by_item": _("texts of one item"),
        "metric_acc_eq_by_system": _("texts of one system"),
        "metric_acc_eq_texts": _("any two texts"),
        "people_acc_eq_by_item": _("texts of one item"),
    }
    columns = [
        named(_("Metric"), lambda row: row.metric or _people(row)),
        named(_("Pairs of"), lambda row: compared[row.statistic]),
        own(_("Accuracy with ties"), digits(3)),
        own(_("Interval"), interval(3)),
        own(_("Tied up to"), _setting("epsilon", 4)),
        own(_("Without this limit"), _setting("accuracy_without_epsilon", 3)),
        own(_("Pairs"), lambda row: cells.whole(row.n_ratings if row and row.metric else None)),
        own(_("Tied by people"), _setting("ties_of_people", 0)),
    ]
    lines = [
        row
        for statistic in ACCURACIES
        for row in sorted(rows.of(statistic), key=lambda row: -(row.value if row.value is not None else -1))
    ]
    lines += rows.of("people_acc_eq_by_item")
    notes = [
        *([_("Scores of a metric that differ by at most “tied up to” count as tied; this limit is the best one for "
             "these texts.")] if lines else []),
        *notes_of(lines),
        *_ranges(rows.of("people_acc_eq_by_item")),
    ]  # fmt: skip
    yield from table_of(rows, _("Pairwise accuracy with ties"), columns, lines, notes=notes)


def _setting(name: str, n: int) -> Callable[[ResultRow | None], Cell]:
    def show(row: ResultRow | None) -> Cell:
        value = (row.settings or {}).get(name) if row is not None else None
        return cells.number(value, n) if n and value else cells.whole(value if value is None else int(value))

    return show


def _ends(rows: StoredRows) -> Iterator[Table]:
    """Yield the correlations over the best and over the worst systems."""
    columns = [named(_("Metric"), lambda row: row.metric)]
    columns += [Shown(labels.statistic(statistic), statistic, digits(3)) for statistic in ENDS]
    columns.append(own(_("Systems in each"), lambda row: cells.whole(row.n_ratings if row else None)))
    lines = lines_of(rows.of(*ENDS), "metric")
    yield from table_of(rows, _("Metrics over the best and the worst systems"), columns, lines, by=("metric",))


def _groups(rows: StoredRows) -> Iterator[Table]:
    """Yield the rank groups of the metrics on each level, with a line for each metric."""
    levels = {
        "metric_group_texts": ("metric_pearson_texts", _("r over texts")),
        "metric_group_acc_eq": ("metric_acc_eq_by_item", _("accuracy within items")),
        "metric_group_systems": ("metric_pearson_systems", _("r over systems")),
    }
    columns = [named(_("Metric"), lambda row: row.metric)]
    for group, (_value, level) in levels.items():
        columns += [
            Shown(_("By %(level)s, as WMT") % {"level": level}, group, whole, {"label": AS_WMT}),
            Shown(_("By %(level)s, corrected") % {"level": level}, group, whole, {"label": CORRECTED}),
        ]

    def place(row: ResultRow) -> tuple[float, float]:
        of_metric = [rows.one(group, metric=row.metric, label=AS_WMT) for group in levels]
        leading = rows.one("metric_acc_eq_by_item", metric=row.metric)
        group = min((found.value for found in of_metric if found is not None and found.value is not None), default=0)
        return group, -(leading.value if leading is not None and leading.value is not None else 0.0)

    lines = sorted(lines_of(rows.of(*levels), "metric"), key=place)
    note = _(
        "A group begins with the first metric that a metric of the group above beats. “As WMT” takes uncorrected "
        "one-sided tests, with single texts swapped over texts and systems over systems; “corrected” allows for the "
        "number of tests, and swaps all texts of an item together. Accuracies are always swapped by item."
    )
    yield from table_of(rows, _("Rank groups of metrics"), columns, lines, by=("metric",), notes=[note], used_only=True)


def _swapped(rows: StoredRows, limit: float) -> Iterator[Table]:
    """Yield the tests of two metrics by swapped scores, a table for each level."""
    columns = [
        named(_("Metric"), lambda row: row.metric),
        named(_("Other metric"), lambda row: row.metric_b),
        named(_("Test"), lambda row: row.label),
        own(_("Difference"), digits(3)),
        own(_("p"), p),
        own(_("Adjusted p"), p_adjusted(limit)),
    ]
    more = _("Further pairs in the file of results: %(n)s.")
    for statistic in ("metric_perm_acc_eq", "metric_perm_texts", "metric_perm_systems"):
        yield from table_of(rows, labels.statistic(statistic), columns, rows.of(statistic), most=MOST_PAIRS, more=more)


def _pairs(rows: StoredRows, statistic: str, limit: float) -> Iterator[Table]:
    columns = [
        named(_("Metric"), lambda row: row.metric),
        named(_("Other metric"), lambda row: row.metric_b),
        own("t", digits(2)),
        own("df", lambda row: cells.number(row.df if row else None, 0)),
        own(_("p"), p),
        own(_("Adjusted p"), p_adjusted(limit)),
    ]
    caption, more = labels.statistic(statistic), _("Further pairs in the file of results: %(n)s.")
    yield from table_of(rows, caption, columns, rows.of(statistic), most=MOST_PAIRS, more=more)


def _means(rows: StoredRows) -> Iterator[Table]:
    lines = rows.of("metric_mean")
    columns = [
        named(_("Metric"), lambda row: row.metric),
        named(_("System"), lambda row: row.system),
        own(_("Mean"), digits(3)),
        own(_("Interval"), interval(3)),
        own(_("Items"), items),
    ]
    definitions = {row.metric: (row.settings or {}).get("composite") for row in lines}
    notes = [
        _("%(name)s: %(definition)s.") % {"name": name, "definition": definition}
        for name, definition in definitions.items()
        if definition
    ]
    caption = _("Means of metrics by system")
    yield from table_of(rows, caption, columns, lines, notes=[*notes, *notes_of(lines)], used_only=True)


def _differences(rows: StoredRows, limit: float) -> Iterator[Table]:
    columns = [
        named(_("Metric"), lambda row: row.metric),
        named(_("Pair"), pair("−")),
        own(_("Difference"), digits(3)),
        own(_("Interval"), interval(3)),
        own(_("p"), p),
        own(_("Adjusted p"), p_adjusted(limit)),
        own(_("Items"), items),
    ]
    caption, more = _("Systems compared by metrics"), _("Further pairs in the file of results: %(n)s.")
    yield from table_of(rows, caption, columns, rows.of("metric_difference"), most=MOST_PAIRS, more=more)
