"""The tables about units to which a step of the set-up leads, and the choices to make before they are used."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from django.db.models import Count
from django.utils.text import get_text_list
from django.utils.translation import gettext as _

from tasks_app.hooks.sections import Json
from tasks_app.models import Setup
from tasks_app.setup.unit_tables.declared import UNIT_TABLES, UnitTable
from tasks_app.setup.unit_tables.template import has_suggestions
from tasks_app.studyfile.columns import BATCHES, CONTROLS, PREFILL
from tasks_app.studyfile.own_sections.batches import DESIGN
from tasks_app.task_types import registry


@dataclass(frozen=True, slots=True)
class Offered:
    """A table that a step leads to, with the number of its rows."""

    table: UnitTable
    rows: int


def rows_by_table(setup: Setup) -> dict[str, int]:
    """Count the rows of each table of a set-up."""
    return dict(setup.rows.order_by().values_list("table").annotate(n=Count("id")))


def offered_on(setup: Setup, step: str = "", counts: Mapping[str, int] | None = None) -> list[Offered]:
    """Return the tables that a step leads to, or all of them: those with rows, and those that a task has a use for.

    `counts` says how many rows each table has, where that is known already.
    """
    tables = [table for table in UNIT_TABLES.values() if not step or table.step == step]
    if not tables:
        return []
    if counts is None:
        # The texts are not counted with them: they are many.
        stems = [table.stem for table in tables]
        rows = setup.rows.filter(table__in=stems).order_by().values_list("table")
        counts = dict(rows.annotate(n=Count("id")))
    return [
        Offered(table, counts.get(table.stem, 0))
        for table in tables
        if counts.get(table.stem) or not why_not(setup, table)
    ]


def why_not(setup: Setup, table: UnitTable) -> str:
    """Return the reason why no task of a set-up uses a table; "" if a task does."""
    if _is_of_use(setup, table):
        return ""
    if table.declared is CONTROLS:
        return _("There is no task yet. Choose one first.")
    if table.declared is BATCHES:
        return _("No task has the design “batches”. Choose it first, in the step Raters.")
    labels = sorted(str(kind.label) for kind in registry.values() if has_suggestions(kind))
    sentence = _("No task shows suggestions. Task types that can: %(types)s.")
    return sentence % {"types": get_text_list(labels, _("and"))}


def _is_of_use(setup: Setup, table: UnitTable) -> bool:
    tasks = setup.document.entries("tasks")
    if table.declared is BATCHES:
        return any(task.get("design") == DESIGN for task in tasks)
    if table.declared is PREFILL:
        return any(has_suggestions(registry[name]) for name in _types(tasks))
    return any(_types(tasks))


def _types(tasks: list[dict[str, Json]]) -> Iterator[str]:
    names = (task.get("type") for task in tasks)
    return (name for name in names if isinstance(name, str) and name in registry)
