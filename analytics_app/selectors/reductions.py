"""The next step of a factor analysis after a run: which pair the criteria remove, and which were removed so far."""

from __future__ import annotations

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

# With fewer scales than this there are no factors to look for.
LEAST_PAIRS = 3


@dataclass(frozen=True, slots=True)
class Reduction:
    """What can be removed from the factors of a task: `pairs` are (key, name) of those left, none without factors.

    `suggested` is the pair that the criteria remove next, for the reason `reason`: its `value` is below `limit`.
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
        """Whether enough pairs would be left."""
        return len(self.pairs) > LEAST_PAIRS


def reductions(run: Run, names: ResultNames) -> list[Reduction]:
    """Return a reduction for each task whose factors a run has found, or from which it has removed pairs.

    Of several slices the first counts: all ratings, or those that `without_systems` and `where` leave.
    """
    if not analyses.registry[FACTORS].task_types & set(names.types.values()):
        return []
    wanted = ("communality", "next_removal", "removed_pair")
    rows = ResultRow.objects.filter(run=run, analysis=FACTORS, basis="kept")
    first = dict(rows.order_by("task", "order").distinct("task").values_list("task", "slice"))
    of_task: dict[str, list[ResultRow]] = {}
    for row in rows.filter(statistic__in=wanted).order_by("order"):
        if row.slice == first[row.task]:
            of_task.setdefault(row.task or "", []).append(row)
    return [_reduction(task, found, names) for task, found in of_task.items()]


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
    said = weakest.settings or {}
    limit = said["least_communality" if said["reason"] == "communality" else "least_gap"]
    value = weakest.value or 0.0
    return Reduction(**about, suggested=named(weakest), reason=said["reason"], value=value, limit=limit)


def steps_of(run: Run) -> list[Step]:
    """Return the removals that the settings of a run list."""
    entries = run.settings.get("analyses", ALL)
    named = [] if entries == ALL else [entry for entry in entries if entry["analysis"] == FACTORS]
    return read_steps(named[0].get("removed", ())) if named else []


def settings_with(run: Run, steps: Sequence[Step]) -> dict[str, Any]:
    """Return the settings of a run with other pairs removed; nothing else is changed."""
    given: Mapping[str, Any] = as_meant(run.settings)
    entries = given.get("analyses", ALL)
    if entries == ALL:
        entries = [{"analysis": name} for name in sorted(analyses_that_fit(run.study))]
    removed = [str(step) for step in steps]
    changed = [{**entry, "removed": removed} if entry["analysis"] == FACTORS else entry for entry in entries]
    return {**given, "analyses": changed}
