"""What a run found, question by question: from result rows to tables and plots of a page. Nothing is computed here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from analytics_app import analyses, charts
from analytics_app.models import Plot, ResultRow
from analytics_app.views import tables, words
from analytics_app.views.agreeing import AGREEMENT, RATER_PAIRS, agreement_table, pairs_of_raters
from analytics_app.views.comparing import pairs_table, systems_table
from analytics_app.views.picking import Question, notes_of
from analytics_app.views.result_tables import tables_for
from analytics_app.views.tables import Cell, Column, Table

FURTHER_SHOWN = 200

# More sections of a task than this are folded where its questions are read together first.
MOST_OPEN = 4

# Analyses whose rows the tables of this module show together.
SHOWN_TOGETHER = frozenset(
    {"systems", "krippendorff", "agreement", "kappa", "icc", "correlation", "raters", "distribution"}
)


@dataclass(frozen=True, slots=True)
class Figure:
    """A plot on a page, with its numbers."""

    plot: Plot
    subtitle: str
    table: Table

    @property
    def name(self) -> str:
        """The plot within its run, for the name of a file."""
        return self.plot.key.replace("/", "-")


@dataclass(frozen=True, slots=True)
class Section:
    """Everything about one criterion of a task; `key` is its place on the page.

    `methods` names each analysis, says what it does, and where it comes from.
    """

    key: str
    title: str
    primary: bool
    figures: Sequence[Figure]
    tables: Sequence[Table]
    further: Sequence[Table]
    raters: Sequence[ResultRow]
    methods: Sequence[tuple[str, str, str]]
    criterion: str = ""
    folded: bool = False


def sections_of(
    rows: Sequence[ResultRow],
    plots: Sequence[Plot],
    *,
    criteria: Mapping[str, str],
    primary: str,
    limit: float,
    pairs_left_out: int = 0,
) -> dict[str, list[Section]]:
    """Return the sections of each task, the primary criterion first; `criteria` gives names to keys.

    `limit` is below what a p value is significant; `pairs_left_out` says of how many pairs no rows were read.
    """
    found: dict[tuple[str, str], list[ResultRow]] = {}
    for row in rows:
        if row.analysis != "funnel":
            found.setdefault((row.task or "", row.criterion or ""), []).append(row)
    drawn: dict[tuple[str, str], list[Plot]] = {}
    for plot in plots:
        drawn.setdefault((plot.task, plot.criterion), []).append(plot)
    by_task: dict[str, list[Section]] = {}
    places = list(dict.fromkeys([*found, *drawn]))
    in_order = list(criteria)
    for task, criterion in sorted(places, key=lambda one: _order(one[1], primary, found.get(one, []), in_order)):
        rows_here = found.get((task, criterion), [])
        question = Question([row for row in rows_here if row.analysis in SHOWN_TOGETHER])
        own, folded = _tables_of_analyses(rows_here, limit)
        title = criteria.get(criterion, criterion) if criterion else _title_of_all(rows_here)
        by_task.setdefault(task, []).append(
            Section(
                key=f"{task}--{criterion or 'all'}",
                criterion=criterion,
                title=title,
                primary=bool(primary) and criterion == primary,
                figures=[figure(plot) for plot in drawn.get((task, criterion), [])],
                tables=[*own, *_tables(question, limit, pairs_left_out)],
                further=[*folded, *_further(question)],
                raters=[row for row in question.rows if row.rater and row.note],
                methods=list(_methods(rows_here)),
            )
        )
    return {task: _folded(sections) for task, sections in by_task.items()}


def _folded(sections: list[Section]) -> list[Section]:
    """Fold the questions of a task of many that is read as a whole first, such as PANAS; not the primary one."""
    first = next((one for one in sections if not one.primary), sections[0])
    whole = not first.criterion and len(sections) > MOST_OPEN
    return [replace(one, folded=bool(whole and one.criterion and not one.primary)) for one in sections]


def _order(
    criterion: str, primary: str, rows: Sequence[ResultRow], in_order: Sequence[str]
) -> tuple[bool, int, bool, int]:
    """Sort key of a section: the primary criterion first, then what tells by the task's own method of systems.

    All criteria together come last, unless they are what the task is made for. `in_order` names criteria as asked.
    """
    own = [row for row in rows if _is_made_for_its_task(row.analysis)]
    place = in_order.index(criterion) if criterion in in_order else len(in_order)
    kind = 1 if criterion else 0 if own else 2
    return (not primary or criterion != primary, kind, not any(row.by_system for row in own), place)


def _title_of_all(rows: Sequence[ResultRow]) -> str:
    """Name the section of what is about no single criterion."""
    made_for = any(_is_made_for_its_task(row.analysis) for row in rows)
    return _("The task as a whole") if made_for else _("All criteria together")


def _is_made_for_its_task(name: str) -> bool:
    member = analyses.registry.get(name)
    return member is not None and bool(member.task_types) and member.leads


def _tables_of_analyses(rows: Sequence[ResultRow], limit: float) -> tuple[list[Table], list[Table]]:
    """Return the tables of analyses made for a type of task, then of others: those stand folded."""
    of: dict[str, list[ResultRow]] = {}
    for row in rows:
        if row.analysis not in SHOWN_TOGETHER:
            of.setdefault(row.analysis, []).append(row)
    first: list[Table] = []
    folded: list[Table] = []
    for name, found in of.items():
        (first if _is_made_for_its_task(name) else folded).extend(tables_for(name, found, limit))
    return first, folded


def _methods(rows: Sequence[ResultRow]) -> Iterator[tuple[str, str, str]]:
    """Yield what each analysis of a section is, does and comes from."""
    for name in dict.fromkeys(row.analysis for row in rows):
        if name in analyses.registry:
            member = analyses.registry[name]
            yield str(member.label), str(member.summary), member.source


def figure(plot: Plot) -> Figure:
    """Return a plot with the table of its numbers."""
    columns, rows = charts.numbers(plot.spec)
    shares = {"shares", "distribution"} & {plot.key.rpartition("/")[2]}
    ends = [value for row in rows for value in row if isinstance(value, float)]
    digits = 3 if all(abs(value) <= 1 for value in ends) else tables.digits_for(ends)
    cells = [
        [_cell(field, value, digits, as_share=bool(shares)) for (field, _head), value in zip(columns, row, strict=True)]
        for row in rows
    ]
    heads = [Column(head, number=field not in {"name", "label"}) for field, head in columns]
    return Figure(plot, charts.subtitle(plot.spec), Table(_("Numbers behind this plot"), heads, cells))


def _cell(field: str, value: object, digits: int, *, as_share: bool) -> Cell:
    if isinstance(value, str):
        return tables.name(value)
    if isinstance(value, int):
        return tables.whole(value)
    if not isinstance(value, float):
        return Cell(tables.DASH)
    if field == "p":
        return tables.p_value(value)
    return tables.percent(value, 1) if as_share else tables.number(value, digits)


def _tables(question: Question, limit: float, pairs_left_out: int) -> Iterator[Table]:
    """Yield the tables of a criterion in the order in which they are read."""
    if question.systems:
        yield systems_table(question)
    if question.has("difference", "superiority"):
        yield pairs_table(question, limit)
    elif pairs_left_out:
        said = _("%(n)s pairs of systems are too many for a page: they are in the file of results.")
        yield Table(_("Pairs of systems"), [], [], [said % {"n": pairs_left_out}])
    if question.has(*AGREEMENT):
        yield agreement_table(question)


def _further(question: Question) -> Iterator[Table]:
    """Yield tables that stand folded: pairs of raters, and rows that have no place of their own."""
    yield from pairs_of_raters(question)
    rest = [row for row in question.rest if row.statistic not in (*AGREEMENT, *RATER_PAIRS) or row.slice]
    if rest:
        yield further_table(rest)


def further_table(rows: Iterable[ResultRow]) -> Table:
    """Return rows as they are, for what a page has no better form for."""
    rows = list(rows)
    columns = [
        Column(_("Measure"), number=False),
        Column(_("Part"), number=False),
        Column(_("System"), number=False),
        Column(_("Label"), number=False),
        Column(_("Value")),
        Column(_("Interval")),
        Column(_("Adjusted p")),
        Column(_("Ratings")),
        Column(_("Basis"), number=False),
    ]
    cells = [
        [
            tables.name(words.statistic(row.statistic)),
            tables.name("; ".join(filter(None, (row.slice, row.group, row.metric)))),
            tables.name(" – ".join(filter(None, (row.system, row.system_b)))),
            tables.name(row.label),
            tables.number(row.value, 3),
            tables.interval(row.low, row.high, 3),
            tables.p_value(row.p_adjusted),
            tables.whole(row.n_ratings),
            tables.name(_("kept") if row.basis == "kept" else _("all")),
        ]
        for row in rows[:FURTHER_SHOWN]
    ]
    left = len(rows) - FURTHER_SHOWN
    notes = [_("%(n)s more rows are in the file of results.") % {"n": left}] if left > 0 else []
    return Table(_("Parts of the data, and further numbers"), columns, cells, [*notes_of(rows), *notes])


def raters_table(rows: Sequence[tuple[ResultRow, ResultRow | None]], criteria: Mapping[str, str]) -> Table:
    """Return how each rater used the scale; a rater whose ratings are all the same has no z."""
    columns = [
        Column(_("Rater"), number=False),
        Column(_("Criterion"), number=False),
        Column(_("Ratings")),
        Column(_("Texts")),
        Column(_("Mean")),
        Column(_("SD")),
        Column(_("Note"), number=False),
    ]
    digits = tables.digits_for(mean.value for mean, _spread in rows)
    cells = [
        [
            tables.name(mean.rater),
            tables.name(criteria.get(mean.criterion or "", mean.criterion)),
            tables.whole(mean.n_ratings),
            tables.whole(mean.n_items),
            tables.number(mean.value, digits),
            tables.number(spread.value if spread else None, digits),
            Cell((spread.note or "") if spread else "", (spread.note or "") if spread else ""),
        ]
        for mean, spread in rows
    ]
    return Table(_("Raters"), columns, cells)
