"""The next step of a factor analysis after a run: the pair that the criteria remove, and earlier removals."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from analytics_app import analyses
from analytics_app.analyses.factors.removals import Step, read_steps
from analytics_app.models import ResultRow, Run
from analytics_app.plan import ALL, as_meant
from analytics_app.selectors.questions import analyses_that_fit
from analytics_app.selectors.sections import ResultNames

FACTORS = "factors"

# The fewest scales for a factor analysis.
LEAST_PAIRS = 3


@dataclass(frozen=True, slots=True)
class Reduction:
    """The pairs that can be removed from a task's factors: `pairs` are (key, name), empty without factors.

    `suggested` is the pair that the criteria remove next, because of `reason`: its `value` is below `limit`.
    `removed` names the pairs removed so far, in order.
    """

    task: str
    pairs: Sequence[tuple[str, str]]
    removed: Sequence[str]
    suggested: tuple[str, str] | None = None
    reason: str = ""
    value: float = 0.0
    limit: float = 0.0

    @property
    def may_remove(self) -> bool:
        """Return whether enough pairs would be left."""
        return len(self.pairs) > LEAST_PAIRS


def reductions(run: Run, names: ResultNames) -> list[Reduction]:
    """Return a reduction for each task for which a run has factors, or from which it has removed pairs.

    Of several slices the first counts: all ratings, or those selected by `without_systems` and `where`.
    """
    if not analyses.registry[FACTORS].task_types & set(names.types.values()):
        return []
    statistics = ("communality", "next_removal", "removed_pair")
    rows = ResultRow.objects.filter(run=run, analysis=FACTORS, basis="kept")
    first = dict(rows.order_by("task", "order").distinct("task").values_list("task", "slice"))
    of_task: dict[str, list[ResultRow]] = {}
    for row in rows.filter(statistic__in=statistics).order_by("order"):
        if row.slice == first[row.task]:
            of_task.setdefault(row.task or "", []).append(row)
    return [_reduction(task, task_rows, names) for task, task_rows in of_task.items()]


def _reduction(task: str, rows: Sequence[ResultRow], names: ResultNames) -> Reduction:
    def named(row: ResultRow) -> tuple[str, str]:
        key = str(row.label)
        return key, names.criteria.get(key, key)

    about: dict[str, Any] = {
        "task": names.tasks.get(task, task),
        "pairs": [named(row) for row in rows if row.statistic == "communality"],
        "removed": [named(row)[1] for row in rows if row.statistic == "removed_pair" and row.settings],
    }
    weakest = next((row for row in rows if row.statistic == "next_removal" and row.label), None)
    if weakest is None:
        return Reduction(**about)
    settings = weakest.settings or {}
    limit = settings["least_communality" if settings["reason"] == "communality" else "least_gap"]
    value = weakest.value or 0.0
    return Reduction(**about, suggested=named(weakest), reason=settings["reason"], value=value, limit=limit)


def steps_of(run: Run) -> list[Step]:
    """Return the removals that the settings of a run list."""
    entries = run.settings.get("analyses", ALL)
    named = [] if entries == ALL else [entry for entry in entries if entry["analysis"] == FACTORS]
    return read_steps(named[0].get("removed", ())) if named else []


def settings_with(run: Run, steps: Sequence[Step]) -> dict[str, Any]:
    """Return the settings of a run with other removals of pairs, and no other change."""
    settings: Mapping[str, Any] = as_meant(run.settings)
    entries = settings.get("analyses", ALL)
    if entries == ALL:
        entries = [{"analysis": name} for name in sorted(analyses_that_fit(run.study))]
    removed = [str(step) for step in steps]
    changed = [{**entry, "removed": removed} if entry["analysis"] == FACTORS else entry for entry in entries]
    return {**settings, "analyses": changed}
