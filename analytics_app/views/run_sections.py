"""The sections of a run, read from the database: all of them, those that fit on a page, or one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Q

from analytics_app import charts
from analytics_app.models import ResultRow, Run
from analytics_app.runs import funnel_chart
from analytics_app.selectors.results import plots_of
from analytics_app.selectors.sections import CriterionRows, ResultNames, places_of, rows_for_page
from analytics_app.views.figures import Figure, figures_of_rules
from analytics_app.views.sections import Section, in_order, sections_of

# A page has 500 kB at most: with more bytes of rows and drawings (wide and narrow) it shows one criterion at a time.
# The bytes of a row were measured on the examples; the rest is for frame, captions and links.
MOST_BYTES, BYTES_OF_ROW = 365_000, 250


@dataclass(frozen=True, slots=True)
class Read:
    """Rows of a run and the sections of its tasks; with `one_only`, all sections but one have only their name.

    `places` are the counts of each criterion in order; `of_rules` are the plots of the quality rules, by task.
    """

    rows: Sequence[ResultRow]
    places: Sequence[CriterionRows]
    tasks: dict[str, list[Section]]
    one_only: bool
    of_rules: Mapping[str, Figure]


def read(
    run: Run, names: ResultNames, *, systems: bool, section_key: str = "", whole: bool = False, raters: bool = True
) -> Read:
    """Return the sections of a run that a page shows.

    If a run has many rows or drawings, only the section with the key `section_key` (by default the first)
    is read; with `whole`, all are. Without `raters`, nothing is about a single rater.
    """
    places = ordered_places(run, names, systems=systems)
    if whole or len(places) < 2:
        return _sections(run, names, places, places, systems=systems, one_only=False, raters=raters)
    if places[0].drawn + BYTES_OF_ROW * sum(at.rows for at in places) <= MOST_BYTES:
        return _sections(run, names, places, places, systems=systems, one_only=False, raters=raters)
    opened = [at for at in places if at.key == section_key] or places[:1]
    return _sections(run, names, places, opened, systems=systems, one_only=True, raters=raters)


def read_one(run: Run, names: ResultNames, key: str, *, systems: bool) -> Section | None:
    """Return one section of a run; None if it has no such section."""
    places = [at for at in ordered_places(run, names, systems=systems) if at.key == key]
    if not places:
        return None
    tasks = _sections(run, names, places, places, systems=systems, one_only=True).tasks
    return next(section for sections in tasks.values() for section in sections)


def ordered_places(run: Run, names: ResultNames, *, systems: bool) -> list[CriterionRows]:
    """Return the counts of each criterion of a run, in the order of the page."""
    return in_order(places_of(run, systems=systems), _primary(run), list(names.criteria))


def _primary(run: Run) -> str:
    return str(run.settings.get("primary") or "")


def _sections(
    run: Run,
    names: ResultNames,
    places: Sequence[CriterionRows],
    opened: Sequence[CriterionRows],
    *,
    systems: bool,
    one_only: bool,
    raters: bool = True,
) -> Read:
    rows = rows_for_page(run, opened, systems=systems)
    stored_plots = plots_of(run, systems=systems)
    if one_only:
        in_section = Q(task=opened[0].task, criterion=opened[0].criterion)
        stored_plots = stored_plots.filter(in_section | Q(key__endswith=f"/{funnel_chart.KIND}"))
    plots = [plot for plot in stored_plots if raters or not charts.is_by_rater(plot.spec)]
    rows = [row for row in rows if raters or not (row.rater is not None or row.statistic.endswith("_pair"))]
    names.put_into(rows)
    tasks = sections_of(
        rows,
        plots,
        places=list(places),
        criteria=names.criteria,
        primary=_primary(run),
        limit=round(1 - float(run.settings.get("confidence", 0.95)), 9),
    )
    return Read(rows, places, tasks, one_only, figures_of_rules(plots))
