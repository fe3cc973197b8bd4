"""Tasks on another site: events of each kind by system, seconds there, and how often the site reported the end."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from analytics_app.analyses.base import Analysis, Question, Rows, Sample
from analytics_app.analyses.registry import register
from analytics_app.models import ResultRow
from analytics_app.ratings import Mask
from analytics_app.ratings.extras.elsewhere import Elsewhere
from analytics_app.ratings.extras.excluded import Gone
from analytics_app.results import Row
from analytics_app.show import cells
from analytics_app.show.cells import Cell
from analytics_app.show.index import RowIndex
from analytics_app.show.notes import notes_of
from analytics_app.show.shown import StoredRows, named, own, table_of, tables_of
from analytics_app.show.table import Table
from tasks_app.task_types.base import Scale

# Sites name their events themselves; of more kinds the most frequent have rows.
MOST_KINDS = 20


@register
class TasksElsewhere(Analysis):
    """Counts and means about the tasks that raters did on another site, without intervals.

    `elsewhere_events` is the mean number of events of a kind (`label`) in a task, `elsewhere_seconds` the mean seconds
    from the opening of a task to the report that it is finished, else to its last event, and `elsewhere_reported` the
    share of tasks that the site reported as finished: for all systems (no `system`) and for each. Skipped tasks that
    were opened count, excluded raters do not.
    """

    label = _("Tasks on another site")
    summary = _("How often each event was reported, how long tasks took, and how many were reported as finished.")
    source = (
        "Ramírez-Sánchez, Bañón, Zaragoza-Bernabeu and Ortiz Rojas (2022). Human evaluation of web-crawled parallel "
        "corpora for machine translation. HumEval, 32-41."
    )
    scales = frozenset(Scale)
    leads = False
    whole_task = True
    splits = False
    statistics = {
        "elsewhere_events": _("Events in a task"),
        "elsewhere_seconds": _("Mean seconds on the other site"),
        "elsewhere_reported": _("Reported as finished"),
    }
    needs = frozenset({Gone, Elsewhere})

    @classmethod
    def fits(cls, question: Question) -> bool:
        """Return whether raters do tasks on another site."""
        return bool(question.params.get("elsewhere_hosts")) and super().fits(question)

    def compute(self, sample: Sample) -> Iterator[Row]:
        """Yield the rows of all tasks together, and of each system."""
        make, tasks = Rows(self.name, sample), sample.extras[Elsewhere]
        ids = sample.table.names.rater_ids
        counted = tasks.rater >= 0
        counted[counted] &= ~np.isin(ids[tasks.rater[counted]], sample.extras[Gone].raters)
        yield from _rows(make, tasks, counted & (tasks.system < 0))
        for code, system in enumerate(tasks.systems):
            yield from _rows(make, tasks, counted & (tasks.system == code), system=system)


def _frequent(tasks: Elsewhere) -> list[int]:
    """Return the codes of the most frequent kinds of events, in the order of their names."""
    totals = [int(tasks.n[(tasks.kind == code) & (tasks.system < 0)].sum()) for code in range(len(tasks.kinds))]
    return sorted(sorted(range(len(totals)), key=lambda code: -totals[code])[:MOST_KINDS])


def _rows(make: Rows, tasks: Elsewhere, chosen: Mask, **about: Any) -> Iterator[Row]:
    """Yield the figures of some entries together."""
    whole = chosen & (tasks.kind < 0)
    n = int(tasks.n[whole].sum())
    if not n:
        return
    counts: dict[str, Any] = {"n_ratings": n, "n_raters": int(whole.sum()), **about}
    for code in _frequent(tasks):
        events = int(tasks.n[chosen & (tasks.kind == code)].sum())
        yield make.row("elsewhere_events", value=events / n, label=tasks.kinds[code], **counts)
    timed = int(tasks.timed[whole].sum())
    if timed:
        seconds = float(tasks.seconds[whole].sum()) / timed
        yield make.row("elsewhere_seconds", value=seconds, **{**counts, "n_ratings": timed})
    yield make.row("elsewhere_reported", value=int(tasks.finished[whole].sum()) / n, **counts)


# The table: one line for each system, and one for all of them.


@tables_of("elsewhere")
def elsewhere(rows: StoredRows, limit: float) -> Iterator[Table]:
    """Yield a table by system with a column for each kind of event."""
    index = RowIndex(rows.rows)
    kept = list(index.kept)
    lines = [row for row in kept if row.statistic == "elsewhere_reported"]
    figures = {(row.statistic, row.system, row.label): row for row in kept}
    everything = gettext("All")

    def mean(statistic: str, line: ResultRow | None, kind: str | None = None) -> Cell:
        row = figures.get((statistic, line.system, kind)) if line is not None else None
        return cells.number(row.value if row else None, 1)

    def events(kind: str) -> Any:
        heading = gettext("“%(event)s” in a task") % {"event": kind}
        return own(heading, lambda line: mean("elsewhere_events", line, kind))

    kinds = list(dict.fromkeys(str(row.label) for row in kept if row.statistic == "elsewhere_events"))
    columns = [
        named(gettext("System"), lambda row: row.system or everything),
        *map(events, kinds),
        own(gettext("Mean seconds there"), lambda line: mean("elsewhere_seconds", line)),
        own(gettext("Reported as finished"), lambda line: cells.percent(line.value if line else None, 1)),
        own(gettext("Tasks"), lambda line: cells.whole(line.n_ratings if line else None)),
    ]
    yield from table_of(index, gettext("Tasks on another site, by system"), columns, lines, notes=notes_of(kept))
