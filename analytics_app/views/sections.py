"""The results of a run, criterion by criterion: rows become tables, plots become figures. Nothing is computed here."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter

from django.utils.translation import gettext as _

from analytics_app import analyses
from analytics_app.models import Plot, ResultRow
from analytics_app.runs import funnel_chart
from analytics_app.selectors.sections import PAIRS_SHOWN, RATER_PAIRS_SHOWN, CriterionRows
from analytics_app.show import agreement_choice, labels
from analytics_app.show.index import RowIndex
from analytics_app.show.shown import is_shared, shared_tables, tables_for
from analytics_app.show.table import Table, with_keys
from analytics_app.views.figures import Figure, figure, kind_of

# With more sections of a task than this, those of single questions are folded if the whole task comes first.
MOST_OPEN = 4
# In a section with more bytes of drawings than this, further charts are small and without a table of their numbers.
MOST_DRAWN = 200_000


@dataclass(frozen=True, slots=True)
class Section:
    """Everything about one criterion of a task; `key` is its place on the page.

    `methods` has the name, summary and source of each analysis. A section that is not `opened` has only its name.
    `aside` are figures that are folded after the others, and `agreement` is the leading measure. In a section with many
    bytes of drawings, those are `small`.
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
    small: bool = False
    aside: Sequence[Figure] = ()
    agreement: agreement_choice.Choice | None = None

    @property
    def all_figures(self) -> Sequence[Figure]:
        """Return all figures, folded ones last."""
        return [*self.figures, *self.aside]

    @property
    def opens_a_table(self) -> bool:
        """Return whether the first table is open, since nothing else of the section is."""
        return not self.figures and any(table.rows for table in self.tables)


def in_order(places: Iterable[CriterionRows], primary: str, criteria: Sequence[str]) -> list[CriterionRows]:
    """Return the places of a run in the order of the page; `criteria` are keys in the order asked.

    The primary criterion comes first, then criteria with results by system. All criteria together come last, unless
    they have analyses made for the type of the task.
    """

    def order(at: CriterionRows) -> tuple[bool, int, bool, int]:
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
    places: Sequence[CriterionRows] | None = None,
) -> dict[str, list[Section]]:
    """Return the sections of each task, in the order of `places`; `criteria` gives names to keys.

    A place whose rows and plots were not read has only its name. A p value below `limit` is significant.
    """
    rows_of_place: dict[tuple[str, str], list[ResultRow]] = {}
    for row in rows:
        if row.analysis != "funnel":
            rows_of_place.setdefault((row.task or "", row.criterion or ""), []).append(row)
    plots_of_place: dict[tuple[str, str], list[Plot]] = {}
    for plot in plots:
        if kind_of(plot) == funnel_chart.KIND:
            continue
        plots_of_place.setdefault((plot.task, plot.criterion), []).append(plot)
    if places is None:
        places = in_order(_places(rows_of_place, plots_of_place), primary, list(criteria))
    by_task: dict[str, list[Section]] = {}
    for at in places:
        rows_here, plots_here = (
            rows_of_place.get((at.task, at.criterion), []),
            plots_of_place.get((at.task, at.criterion), []),
        )
        tables, folded = _tables(rows_here, limit, at)
        figures = [figure(plot) for plot in plots_here]
        keyed = with_keys([*tables, *folded])
        by_task.setdefault(at.task, []).append(
            Section(
                key=at.key,
                criterion=at.criterion,
                title=criteria.get(at.criterion, at.criterion) if at.criterion else _title_of_all(at.analyses),
                primary=bool(primary) and at.criterion == primary,
                figures=[chart for chart in figures if not chart.further],
                aside=[chart for chart in figures if chart.further],
                agreement=agreement_choice.chosen(RowIndex(rows_here)) if at.criterion else None,
                tables=keyed[: len(tables)],
                further=keyed[len(tables) :],
                raters=[row for row in rows_here if is_shared(row.analysis) and row.rater and row.note],
                methods=list(_methods([*(row.analysis for row in rows_here), *sorted(at.analyses)]))
                if rows_here
                else [],
                opened=bool(rows_here or plots_here),
                small=sum(len(plot.svg) + len(plot.narrow) for plot in plots_here) > MOST_DRAWN,
            )
        )
    return {task: _folded(sections) for task, sections in by_task.items()}


def _places(
    rows_of_place: Mapping[tuple[str, str], Sequence[ResultRow]],
    plots_of_place: Mapping[tuple[str, str], Sequence[Plot]],
) -> Iterator[CriterionRows]:
    """Yield the places of rows and plots that were not counted by a query."""
    for task, criterion in dict.fromkeys([*rows_of_place, *plots_of_place]):
        rows = rows_of_place.get((task, criterion), [])
        yield CriterionRows(
            task, criterion, by_system=any(row.by_system for row in rows), analyses={row.analysis for row in rows}
        )


def _folded(sections: list[Section]) -> list[Section]:
    """Fold the single questions of a task that has many and comes first as a whole, such as PANAS; not the primary."""
    first = next((section for section in sections if not section.primary), sections[0])
    whole = not first.criterion and len(sections) > MOST_OPEN and all(section.opened for section in sections)
    return [replace(section, folded=bool(whole and section.criterion and not section.primary)) for section in sections]


def _title_of_all(names: Iterable[str]) -> str:
    """Return the title of the section without a single criterion, by its analyses."""
    made_for = any(map(_is_made_for_its_task, names))
    return _("The task as a whole") if made_for else _("All criteria together")


def _is_made_for_its_task(name: str) -> bool:
    member = analyses.registry.get(name)
    return member is not None and bool(member.task_types) and member.leads


def _tables(rows: Sequence[ResultRow], limit: float, at: CriterionRows) -> tuple[list[Table], list[Table]]:
    """Return the open tables, and the folded tables.

    Tables of analyses made for a type of task are open, then those shared by several analyses.
    """
    rows_of_analysis: dict[str, list[ResultRow]] = {}
    for row in rows:
        if not is_shared(row.analysis):
            rows_of_analysis.setdefault(row.analysis, []).append(row)
    first: list[Table] = []
    folded: list[Table] = []
    for name, analysis_rows in rows_of_analysis.items():
        has_kept = any(row.basis == "kept" for row in analysis_rows)
        analysis_tables = tables_for(name, analysis_rows, limit) if has_kept else [_nothing_kept(name)]
        (first if _is_made_for_its_task(name) else folded).extend(analysis_tables)
    together = [*shared_tables(rows, limit, folded=False), *(_not_read(at) if rows else [])]
    first += [table for _order, table in sorted(together, key=itemgetter(0))]
    if rows and at.rater_pairs > RATER_PAIRS_SHOWN:
        sentence = _("There are too many pairs of raters for a page: they are in the file of results.")
        folded.append(Table(_("Pairs of raters"), [], [], [sentence]))
    folded += [table for _order, table in shared_tables(rows, limit, folded=True)]
    return first, folded


# The place after the table of systems and before that of agreement.
PLACE_OF_PAIRS = 20


def _not_read(at: CriterionRows) -> Iterator[tuple[int, Table]]:
    """Yield a sentence that there are too many pairs of systems, in the place of their table."""
    if at.pairs > PAIRS_SHOWN:
        sentence = _("%(n)s pairs of systems are too many for a page: they are in the file of results.")
        yield PLACE_OF_PAIRS, Table(_("Pairs of systems"), [], [], [sentence % {"n": at.pairs}])


def _nothing_kept(name: str) -> Table:
    """Return the table of an analysis without kept ratings: results before the rules are not shown instead."""
    label = labels.analysis(name)
    sentence = _(
        "%(analysis)s: the rules excluded all its ratings. Results before the rules are in the file of results."
    )
    return Table(label, [], [], [sentence % {"analysis": label}])


def _methods(names: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    """Yield the name, summary and source of each analysis of a section."""
    for name in dict.fromkeys(names):
        if name in analyses.registry:
            member = analyses.registry[name]
            yield str(member.label), str(member.summary), member.source
