"""The results of a run, criterion by criterion: rows become tables and plots. Nothing is computed here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from analytics_app import analyses, charts
from analytics_app.models import Plot, ResultRow
from analytics_app.selectors.sections import PAIRS_SHOWN, RATER_PAIRS_SHOWN, Place
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

    `methods` names each analysis, says what it does, and where it comes from. One that is not `opened` is a name alone.
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
    opened: bool = True


def in_order(places: Iterable[Place], primary: str, criteria: Sequence[str]) -> list[Place]:
    """Return what a run has in the order in which it is read; `criteria` are keys as they were asked.

    The primary criterion comes first, then what tells by the task's own method of systems. All criteria together come
    last, unless they are what the task is made for.
    """

    def order(at: Place) -> tuple[bool, int, bool, int]:
        own = any(map(_is_made_for_its_task, at.analyses))
        place = criteria.index(at.criterion) if at.criterion in criteria else len(criteria)
        kind = 1 if at.criterion else 0 if own else 2
        return (not primary or at.criterion != primary, kind, not at.by_system, place)

    return sorted(places, key=order)


def sections_of(
    rows: Sequence[ResultRow],
    plots: Sequence[Plot],
    *,
    criteria: Mapping[str, str],
    primary: str,
    limit: float,
    places: Sequence[Place] | None = None,
) -> dict[str, list[Section]]:
    """Return the sections of each task, in the order of `places`; `criteria` gives names to keys.

    Of places without rows and plots, since these were not read, there is the name alone. `limit` is below what a p
    value is significant.
    """
    found: dict[tuple[str, str], list[ResultRow]] = {}
    for row in rows:
        if row.analysis != "funnel":
            found.setdefault((row.task or "", row.criterion or ""), []).append(row)
    drawn: dict[tuple[str, str], list[Plot]] = {}
    for plot in plots:
        drawn.setdefault((plot.task, plot.criterion), []).append(plot)
    if places is None:
        places = in_order(_places(found, drawn), primary, list(criteria))
    by_task: dict[str, list[Section]] = {}
    for at in places:
        rows_here, plots_here = found.get((at.task, at.criterion), []), drawn.get((at.task, at.criterion), [])
        question = Question([row for row in rows_here if row.analysis in SHOWN_TOGETHER])
        own, folded = _tables_of_analyses(rows_here, limit)
        by_task.setdefault(at.task, []).append(
            Section(
                key=at.key,
                criterion=at.criterion,
                title=criteria.get(at.criterion, at.criterion) if at.criterion else _title_of_all(at.analyses),
                primary=bool(primary) and at.criterion == primary,
                figures=[figure(plot) for plot in plots_here],
                tables=[*own, *_tables(question, limit, at.pairs if rows_here else 0)],
                further=[*folded, *_further(question, at.rater_pairs if rows_here else 0)],
                raters=[row for row in question.rows if row.rater and row.note],
                methods=list(_methods(rows_here)),
                opened=bool(rows_here or plots_here),
            )
        )
    return {task: _folded(sections) for task, sections in by_task.items()}


def _places(
    found: Mapping[tuple[str, str], Sequence[ResultRow]], drawn: Mapping[tuple[str, str], Sequence[Plot]]
) -> Iterator[Place]:
    """Yield what rows and plots are about, where nobody has counted it."""
    for task, criterion in dict.fromkeys([*found, *drawn]):
        rows = found.get((task, criterion), [])
        yield Place(
            task, criterion, by_system=any(row.by_system for row in rows), analyses={row.analysis for row in rows}
        )


def _folded(sections: list[Section]) -> list[Section]:
    """Fold the questions of a task of many that is read as a whole first, such as PANAS; not the primary one."""
    first = next((one for one in sections if not one.primary), sections[0])
    whole = not first.criterion and len(sections) > MOST_OPEN and all(one.opened for one in sections)
    return [replace(one, folded=bool(whole and one.criterion and not one.primary)) for one in sections]


def _title_of_all(names: Iterable[str]) -> str:
    """Name the section of what is about no single criterion, by the analyses in it."""
    made_for = any(map(_is_made_for_its_task, names))
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
        kept = any(row.basis == "kept" for row in found)
        shown = tables_for(name, found, limit) if kept else [_nothing_kept(name)]
        (first if _is_made_for_its_task(name) else folded).extend(shown)
    return first, folded


def _nothing_kept(name: str) -> Table:
    """Say of an analysis that there is nothing after the rules: what was before them is not shown in its place."""
    label = analyses.registry[name].label if name in analyses.registry else name
    said = _("%(analysis)s: the rules left nothing for it. What was before them is in the file of results.")
    return Table(label, [], [], [said % {"analysis": label}])


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


def _tables(question: Question, limit: float, pairs: int) -> Iterator[Table]:
    """Yield the tables of a criterion in the order in which they are read."""
    if question.systems:
        yield systems_table(question)
    if question.has("difference", "superiority"):
        yield pairs_table(question, limit)
    elif pairs > PAIRS_SHOWN:
        said = _("%(n)s pairs of systems are too many for a page: they are in the file of results.")
        yield Table(_("Pairs of systems"), [], [], [said % {"n": pairs}])
    if question.has(*AGREEMENT):
        yield agreement_table(question)


def _further(question: Question, pairs: int) -> Iterator[Table]:
    """Yield tables that stand folded: pairs of raters, and rows that have no place of their own."""
    if pairs > RATER_PAIRS_SHOWN:
        said = _("There are too many pairs of raters for a page: they are in the file of results.")
        yield Table(_("Pairs of raters"), [], [], [said])
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
