"""Texts with a set time: lapses by system and rater, who had more time, and how long texts were shown."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from analytics_app.analyses.base import Analysis, Question, Rows, Sample
from analytics_app.analyses.registry import register
from analytics_app.models import ResultRow
from analytics_app.ratings import Mask
from analytics_app.ratings.extras.excluded import Gone
from analytics_app.ratings.extras.set_times import SetTimes
from analytics_app.results import Row
from analytics_app.show import cells
from analytics_app.show.cells import Cell
from analytics_app.show.index import RowIndex
from analytics_app.show.notes import notes_of
from analytics_app.show.shown import MOST_ROWS, StoredRows, named, own, table_of, tables_of
from analytics_app.show.table import Table
from tasks_app.task_types.base import Scale
from tasks_app.task_types.clock import TimedPart

# The label of the row about all systems, or all raters, together.
EVERYTHING = "all"

CHOSEN = "The rater chose twice the time or no limit, which everybody can, without a reason."


@register
class SetTime(Analysis):
    """Counts and means about the set time of a task, without intervals.

    `time_lapses` is the share of texts for which the time for answering was over before the rater sent the answer,
    `time_shown` the mean seconds for which texts were shown, and `time_more` the share of texts for which the rater
    had chosen more time: in all (`label` all), for each system, and for each rater. `raters_with_more_time` is the
    share of raters who chose more time at least once. Skipped texts and lapses count, excluded raters do not.
    """

    label = _("Set time")
    summary = _("How often the set time was over, who had more time, and how long texts were shown.")
    source = "Shimorina and Belz (2022). The human evaluation datasheet. HumEval, 54-75."
    scales = frozenset(Scale)
    leads = False
    whole_task = True
    splits = False
    statistics = {
        "time_lapses": _("Time was over before the answer"),
        "time_more": _("Shown with more time"),
        "time_shown": _("Mean seconds shown"),
        "raters_with_more_time": _("Raters who chose more time"),
    }
    needs = frozenset({Gone, SetTimes})

    @classmethod
    def fits(cls, question: Question) -> bool:
        """Return whether the task has a set time."""
        return bool(question.params.get("set_seconds")) and super().fits(question)

    def compute(self, sample: Sample) -> Iterator[Row]:
        """Yield the rows of all answers, of each system and of each rater."""
        make, times = Rows(self.name, sample), sample.extras[SetTimes]
        ids = sample.table.names.rater_ids
        counted = times.rater >= 0
        counted[counted] &= ~np.isin(ids[times.rater[counted]], sample.extras[Gone].raters)
        whole = counted & (times.system < 0)
        if not whole.any():
            return
        yield from _rows(make, times, whole, label=EVERYTHING)
        share = float((times.more[whole] > 0).mean())
        n_raters = int(whole.sum())
        yield make.row("raters_with_more_time", value=share, n_raters=n_raters, note=CHOSEN if share else None)
        for code, system in enumerate(times.systems):
            yield from _rows(make, times, counted & (times.system == code), system=system)
        alone = len(times.systems) < 2
        for place in np.flatnonzero(whole).tolist():
            of_rater = np.zeros(len(whole), dtype=bool)
            of_rater[place] = True
            # Of a rater who saw one system only, the figures are those of that system.
            saw = int((counted & (times.system >= 0) & (times.rater == times.rater[place])).sum())
            rater = sample.table.names.raters[int(times.rater[place])]
            yield from _rows(make, times, of_rater, rater=rater, by_system=saw == 1 and not alone)


def _rows(make: Rows, times: SetTimes, chosen: Mask, **about: Any) -> Iterator[Row]:
    """Yield the figures of some entries together."""
    n = int(times.n[chosen].sum())
    if not n:
        return
    counts: dict[str, Any] = {"n_ratings": n, "n_raters": int(chosen.sum()), **about}
    if make.sample.question.params.get("set_time_for") == TimedPart.ANSWERING:
        yield make.row("time_lapses", value=int(times.lapsed[chosen].sum()) / n, **counts)
    yield make.row("time_more", value=int(times.more[chosen].sum()) / n, **counts)
    yield make.row("time_shown", value=float(times.seconds[chosen].sum()) / n, **counts)


# The tables: one line for each system, and one for each rater.


@tables_of("set_time")
def set_time(rows: StoredRows, limit: float) -> Iterator[Table]:
    """Yield a table by system, with a line for all of them, and a table by rater with the most lapses first."""
    index = RowIndex(rows.rows)
    kept = list(index.kept)
    systems = [row for row in kept if row.statistic == "time_shown" and (row.system or row.label == EVERYTHING)]
    raters = [row for row in kept if row.statistic == "time_shown" and row.rater]
    figures = {(row.statistic, row.system, row.rater): row for row in kept if row.statistic != "raters_with_more_time"}

    def figure(statistic: str, line: ResultRow | None) -> ResultRow | None:
        return figures.get((statistic, line.system, line.rater)) if line is not None else None

    def share(statistic: str, line: ResultRow | None) -> Cell:
        row = figure(statistic, line)
        return cells.percent(row.value if row else None, 1)

    def lapses(line: ResultRow) -> float:
        row = figure("time_lapses", line) or figure("time_more", line)
        return -(row.value or 0.0) if row else 0.0

    has_lapses = any(row.statistic == "time_lapses" for row in kept)
    columns = [
        *([own(gettext("Time over"), lambda row: share("time_lapses", row))] if has_lapses else []),
        own(gettext("More time chosen"), lambda row: share("time_more", row)),
        own(gettext("Mean seconds shown"), lambda row: cells.number(row.value if row else None, 1)),
        own(gettext("Texts"), lambda row: cells.whole(row.n_ratings if row else None)),
    ]
    everything = gettext("All")
    by_system = [named(gettext("System"), lambda row: row.system or everything), *columns]
    yield from table_of(index, gettext("Set time by system"), by_system, systems, notes=notes_of(kept))
    by_rater = [named(gettext("Rater"), lambda row: row.rater), *columns]
    lines = sorted(raters, key=lapses)[:MOST_ROWS]
    yield from table_of(index, gettext("Set time by rater"), by_rater, lines)
