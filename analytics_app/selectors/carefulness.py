"""How carefully raters judge, as the newest run has measured it: who is too fast, and who answers all alike.

The figures are those of the analysis *Carefulness of raters*, and the limits those of the quality rules. Whoever gives
one position again and again is named only if others do not: where most texts deserve the same step, all runs are long.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from statistics import median
from typing import Any

from analytics_app.models import ResultRow, Run
from analytics_app.plan import ALL
from analytics_app.quality.no_differences import NoDifferences
from analytics_app.quality.page_time import PageTime
from analytics_app.quality.straight_lining import StraightLining
from tasks_app.models import Task
from tasks_app.task_types import TaskType

QUALITY, ORDER = "rater_quality", "order_effects"

# How much longer than the run of half of the raters a run must be, in shares of the answers.
LONGER_THAN_OTHERS = 0.25
# A scale with fewer positions gives long runs by itself.
FEWEST_POSITIONS = 3
# Of choices between texts: how far a share must be from an even one, and the greatest p.
UNEVEN, SURE = 0.1, 0.001

_FIGURES = ("rater_fast_screens", "rater_longest_run", "rater_flat_screens", "rater_same_number")
_SIDES = ("chosen_place_share", "chosen_place_test")


@dataclass(frozen=True, slots=True)
class Side:
    """A place on the screen that raters choose far more often than another: its share of `n` choices."""

    task: str
    place: str
    share: float
    n: int


@dataclass(frozen=True, slots=True)
class Carefulness:
    """The raters of whom a run found something, by pseudonym, and the sides that they lean to.

    `looked` names the analyses that the run had: without one of them nothing is known. `at` is when the run was done,
    None where there is no run yet.
    """

    at: datetime | None = None
    looked: frozenset[str] = frozenset()
    fast: frozenset[str] = frozenset()
    uniform: frozenset[str] = frozenset()
    sides: tuple[Side, ...] = field(default=())

    @property
    def is_complete(self) -> bool:
        """Whether speed, uniform answers and sides were all looked at."""
        return self.at is not None and self.looked == {QUALITY, ORDER}


def carefulness_of(run: Run | None, tasks: Iterable[Task]) -> Carefulness:
    """Read what the newest run that is done found; one query."""
    if run is None:
        return Carefulness()
    analyses = run.settings.get("analyses", ())
    planned = {QUALITY, ORDER} if analyses == ALL else {entry["analysis"] for entry in analyses}
    columns = ("statistic", "task", "rater", "label", "criterion", "value", "n_ratings", "p")
    found: dict[str, list[dict[str, Any]]] = {}
    rows = ResultRow.objects.filter(run=run, analysis__in=(QUALITY, ORDER), statistic__in=(*_FIGURES, *_SIDES))
    for row in rows.filter(basis="kept", slice=None).values(*columns):
        found.setdefault(row["statistic"], []).append(row)
    kinds, same = {task.key: task.kind for task in tasks}, NoDifferences()
    return Carefulness(
        at=run.finished,
        looked=frozenset(planned & {QUALITY, ORDER}),
        fast=_fast(found.get("rater_fast_screens", ())),
        uniform=_long_runs(found.get("rater_longest_run", ()), kinds)
        | _beyond_others(found.get("rater_flat_screens", ()), same.flat_share, same.least_screens)
        | _beyond_others(found.get("rater_same_number", ()), same.same_share, same.least),
        sides=_sides(found),
    )


def _fast(rows: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    """Return the raters who were too fast on too many of their screens, as the rule Time on the page has it."""
    rule = PageTime()
    return frozenset(
        row["rater"]
        for row in rows
        if row["rater"] and row["n_ratings"] >= rule.least_screens and row["value"] >= rule.share
    )


def _long_runs(rows: Iterable[Mapping[str, Any]], kinds: Mapping[str, TaskType]) -> frozenset[str]:
    """Return the raters whose longest run of one position is too long, and far longer than that of others."""
    rule = StraightLining()
    shares = [
        {**row, "value": row["value"] / row["n_ratings"]}
        for row in rows
        if row["n_ratings"] and _positions(kinds.get(row["task"])) >= FEWEST_POSITIONS
    ]
    return _beyond_others(shares, rule.share, rule.least)


def _positions(kind: TaskType | None) -> float:
    """Return the number of positions of a task's scale; a continuous one has as many as one likes."""
    scale = kind.scale_of() if kind is not None else None
    if scale is None:
        return float("inf")
    low, high, step = scale
    return (high - low) / step + 1 if step else float("inf")


def _beyond_others(rows: Iterable[Mapping[str, Any]], share: float, least: int) -> frozenset[str]:
    """Return the raters at or above a share, by task, that is also far above that of half of the raters."""
    by_task: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        if row["rater"] and row["n_ratings"] >= least:
            by_task.setdefault(row["task"], []).append(row)
    found: set[str] = set()
    for of_task in by_task.values():
        usual = median(row["value"] for row in of_task) if len(of_task) > 1 else 0.0
        far = usual + LONGER_THAN_OTHERS
        found |= {row["rater"] for row in of_task if row["value"] >= share and row["value"] >= far}
    return frozenset(found)


def _sides(found: Mapping[str, list[dict[str, Any]]]) -> tuple[Side, ...]:
    """Return the place of each question that is chosen too often to be by chance."""
    tests = {
        (row["task"], row["criterion"]): row
        for row in found.get("chosen_place_test", ())
        if row["p"] is not None and row["p"] < SURE
    }
    sides = []
    for about, test in tests.items():
        shares = [row for row in found.get("chosen_place_share", ()) if (row["task"], row["criterion"]) == about]
        most = max(shares, key=lambda row: row["value"] or 0.0, default=None)
        if most is not None and most["value"] - 1 / len(shares) >= UNEVEN:
            sides.append(Side(most["task"], most["label"] or "", most["value"], test["n_ratings"] or 0))
    return tuple(sides)
