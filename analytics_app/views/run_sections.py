"""The sections of a run, read from the database: all of them, those that fit on a page, or one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from analytics_app.models import ResultRow, Run
from analytics_app.selectors.results import plots_of
from analytics_app.selectors.sections import ROWS_SHOWN, CriterionRows, ResultNames, places_of, rows_for_page
from analytics_app.views.sections import Section, in_order, sections_of


@dataclass(frozen=True, slots=True)
class Read:
    """Rows of a run and the sections of its tasks; with `one_only`, all sections but one are names alone.

    `places` count what there is of each criterion, in the order in which they are read.
    """

    rows: Sequence[ResultRow]
    places: Sequence[CriterionRows]
    tasks: dict[str, list[Section]]
    one_only: bool


def read(run: Run, names: ResultNames, *, systems: bool, wanted: str = "", whole: bool = False) -> Read:
    """Return the sections of a run that a page shows.

    Where a run has many rows that is the wanted section alone, else the first; with `whole`, all sections even so.
    """
    places = _places(run, names, systems=systems)
    opened = places
    one_only = not whole and len(places) > 1 and sum(at.rows for at in places) > ROWS_SHOWN
    if one_only:
        opened = [at for at in places if at.key == wanted] or places[:1]
    return _sections(run, names, places, opened, systems=systems, one_only=one_only)


def read_one(run: Run, names: ResultNames, key: str, *, systems: bool) -> Section | None:
    """Return one section of a run; None where it has no such section."""
    places = [at for at in _places(run, names, systems=systems) if at.key == key]
    if not places:
        return None
    tasks = _sections(run, names, places, places, systems=systems, one_only=True).tasks
    return next(section for sections in tasks.values() for section in sections)


def _places(run: Run, names: ResultNames, *, systems: bool) -> list[CriterionRows]:
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
) -> Read:
    rows = rows_for_page(run, opened, systems=systems)
    plots = plots_of(run, systems=systems)
    if one_only:
        plots = plots.filter(task=opened[0].task, criterion=opened[0].criterion)
    for row in rows:
        row.system, row.system_b = (names.systems.get(name or "", name) for name in (row.system, row.system_b))
    tasks = sections_of(
        rows,
        list(plots),
        places=list(places),
        criteria=names.criteria,
        primary=_primary(run),
        limit=round(1 - float(run.settings.get("confidence", 0.95)), 9),
    )
    return Read(rows, places, tasks, one_only)
