"""Signs of careless work that the newest run has measured: raters who are too fast, or who answer all alike.

The figures are those of the analysis *Carefulness of raters*, and the limits those of the quality rules. Whoever gives
one position again and again is named only if others do not: where most texts deserve the same step, all runs are long.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from math import atanh, sqrt, tanh
from statistics import median
from typing import Any

from analytics_app.models import ResultRow, Run
from analytics_app.plan import ALL
from analytics_app.quality.no_differences import NoDifferences
from analytics_app.quality.page_time import PageTime
from analytics_app.quality.straight_lining import StraightLining
from analytics_app.selectors import alike
from tasks_app.models import Task
from tasks_app.task_types import TaskType

QUALITY, ORDER, WITH_REST = "rater_quality", "order_effects", "with_rest"
LOOKED_AT = frozenset({QUALITY, ORDER, WITH_REST})

# How much longer than the run of half of the raters a run must be, in shares of the answers.
LONGER_THAN_OTHERS = 0.25
# A scale with fewer positions gives long runs by itself.
FEWEST_POSITIONS = 3
# Of choices between texts: how far a share must be from an even one, and the greatest p.
UNEVEN, SURE = 0.1, 0.001

# Against the others who rated the same texts: the fewest texts, the normal quantile of a one-sided limit at 99.5 %, and
# the agreement of half of the raters below which nobody is called unlike them.
ENOUGH_SHARED, NORMAL, AGREEING = 10, 2.58, 0.4
# Unlike the others is a correlation below this, or below half of that of half of the raters; one below the second is
# the scale turned round; whoever has the third reads the texts, however long a run of one position is.
UNLIKE, TURNED, READS = 0.2, -0.3, 0.5
# Of labels, unlike the others is a share of agreement below this part of that of half of the raters; the quantile is
# that of a one-sided limit at 97.5 %, since the mean over many others varies less than the formula says.
UNLIKE_SHARE, NORMAL_OF_SHARES = 0.7, 1.96
# A rater who compares texts and takes one side in this share of so many answers; sides are drawn.
ONE_SIDE, ENOUGH_SIDES = 0.95, 12

FAST_SCREENS = "rater_fast_screens"
_FIGURES = (FAST_SCREENS, "rater_longest_run", "rater_flat_screens", "rater_same_number")
_SIDES = ("chosen_place_share", "chosen_place_test")
_AGAINST = ("correlation_with_rest", "agreement_with_rest")
_READ = (*_FIGURES, *_SIDES, *_AGAINST, alike.EQUAL)


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

    `twins` gave the same answers as another rater, and `copied` wrote comments that were there already. `looked`
    names the analyses that the run had: without one of them nothing is known. `at` is when the run was done,
    None where there is no run yet.
    """

    at: datetime | None = None
    looked: frozenset[str] = frozenset()
    fast: frozenset[str] = frozenset()
    uniform: frozenset[str] = frozenset()
    unlike: frozenset[str] = frozenset()
    turned: frozenset[str] = frozenset()
    twins: frozenset[str] = frozenset()
    copied: frozenset[str] = frozenset()
    sides: tuple[Side, ...] = field(default=())

    @property
    def is_complete(self) -> bool:
        """Whether speed, uniform answers, sides and agreement with the others were all looked at."""
        return self.at is not None and self.looked == LOOKED_AT


def carefulness_of(run: Run | None, tasks: Iterable[Task]) -> Carefulness:
    """Read the findings of the newest run that is done, copied comments, and sides that raters choose; two queries."""
    tasks = list(tasks)
    kinds = {task.key: task.kind for task in tasks}
    comparing = [task for task in tasks if any(outcome.exchanged for outcome in kinds[task.key].outcomes)]
    copied, sides = alike.copied_comments_and_sides(tasks, comparing if run is not None else ())
    if run is None:
        return Carefulness(copied=copied)
    analyses = run.settings.get("analyses", ())
    planned = LOOKED_AT if analyses == ALL else {entry["analysis"] for entry in analyses}
    columns = ("statistic", "task", "rater", "label", "criterion", "value", "n_ratings", "p")
    by_statistic: dict[str, list[dict[str, Any]]] = {}
    rows = ResultRow.objects.filter(run=run, analysis__in=LOOKED_AT, statistic__in=_READ)
    for row in rows.filter(basis="kept", slice=None).values(*columns):
        by_statistic.setdefault(row["statistic"], []).append(row)
    same = NoDifferences()
    uniform = (
        (
            _long_runs(by_statistic.get("rater_longest_run", ()), kinds)
            | _beyond_others(by_statistic.get("rater_same_number", ()), same.same_share, same.least)
        )
        - _reading(by_statistic.get("correlation_with_rest", ()))
        | _beyond_others(by_statistic.get("rater_flat_screens", ()), same.flat_share, same.least_screens)
        | _on_one_side(sides)
    )
    return Carefulness(
        at=run.finished,
        looked=LOOKED_AT & planned,
        fast=_fast(by_statistic.get(FAST_SCREENS, ())),
        uniform=uniform,
        unlike=_unlike(by_statistic),
        turned=_turned(by_statistic.get("correlation_with_rest", ())),
        # Who gives one answer again and again has the same answers as others who do.
        twins=alike.twins(by_statistic.get(alike.EQUAL, ())) - uniform,
        copied=copied,
        sides=_sides(by_statistic),
    )


def fast_in(rows: Iterable[ResultRow]) -> tuple[int, int]:
    """Return the number of raters who were too fast to have read, and of all raters with a measured speed.

    `rows` are those of the statistic `FAST_SCREENS`.
    """
    measured = [
        {"rater": row.rater, "value": row.value, "n_ratings": row.n_ratings} for row in rows if row.value is not None
    ]
    return len(_fast(measured)), len({row["rater"] for row in measured if row["rater"]})


def _fast(rows: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    """Return the raters who were too fast on too many of their screens, as the rule Time on the page has it."""
    rule = PageTime()
    return frozenset(
        row["rater"]
        for row in rows
        if row["rater"] and row["n_ratings"] >= rule.least_screens and row["value"] >= rule.share
    )


def _long_runs(rows: Iterable[Mapping[str, Any]], kinds: Mapping[str, TaskType]) -> frozenset[str]:
    """Return the raters with a longest run of one position that is too long, and far longer than that of others."""
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
    far_longer: set[str] = set()
    for of_task in by_task.values():
        usual = median(row["value"] for row in of_task) if len(of_task) > 1 else 0.0
        far = usual + LONGER_THAN_OTHERS
        far_longer |= {row["rater"] for row in of_task if row["value"] >= share and row["value"] >= far}
    return frozenset(far_longer)


def _unlike(by_statistic: Mapping[str, list[dict[str, Any]]]) -> frozenset[str]:
    """Return the raters who agree with the others far less than half of the raters do, by chance or less.

    Where raters hardly agree, as about matters of taste, nobody is unlike the others.
    """
    unlike: set[str] = set()
    for statistic, limit in zip(_AGAINST, (_limit_of_correlation, _limit_of_share), strict=True):
        for rows in _by_question(by_statistic.get(statistic, ())):
            usual = median(row["value"] for row in rows)
            low = max(UNLIKE, usual / 2) if statistic == "correlation_with_rest" else UNLIKE_SHARE * usual
            if usual >= AGREEING:
                unlike |= {row["rater"] for row in rows if TURNED < row["value"] < low and limit(row) < usual}
    return frozenset(unlike)


def _turned(rows: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    """Return the raters who give high numbers where the others give low ones, as if the scale were turned round."""
    return frozenset(
        row["rater"]
        for question in _by_question(rows)
        for row in question
        if row["value"] <= TURNED
        and _limit_of_correlation(row) < 0
        and median(other["value"] for other in question) > 0
    )


def _reading(rows: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    """Return the raters with numbers that follow those of the others, so that a long run of one says nothing."""
    return frozenset(row["rater"] for question in _by_question(rows) for row in question if row["value"] >= READS)


def _on_one_side(sides: Iterable[alike.ChosenSides]) -> frozenset[str]:
    """Return the raters who nearly always choose the text on one side, where sides are drawn."""
    return frozenset(
        chosen.rater
        for chosen in sides
        if chosen.n >= ENOUGH_SIDES and max(chosen.first, chosen.second) >= ONE_SIDE * chosen.n
    )


def _by_question(rows: Iterable[Mapping[str, Any]]) -> list[list[Mapping[str, Any]]]:
    """Return the rows of raters who shared enough texts with others, by question, where there are three or more."""
    by_question: dict[tuple[str, str | None], list[Mapping[str, Any]]] = {}
    for row in rows:
        if row["rater"] and row["value"] is not None and (row["n_ratings"] or 0) >= ENOUGH_SHARED:
            by_question.setdefault((row["task"], row["criterion"]), []).append(row)
    return [of_question for of_question in by_question.values() if len(of_question) > 2]


def _limit_of_correlation(row: Mapping[str, Any]) -> float:
    """Return the upper limit of a correlation (Fisher's z)."""
    z = atanh(max(-0.999, min(0.999, row["value"])))
    return tanh(z + NORMAL / sqrt(row["n_ratings"] - 3))


def _limit_of_share(row: Mapping[str, Any]) -> float:
    """Return the upper limit of a share of agreement."""
    share = row["value"]
    return float(share + NORMAL_OF_SHARES * sqrt(share * (1 - share) / row["n_ratings"]))


def _sides(by_statistic: Mapping[str, list[dict[str, Any]]]) -> tuple[Side, ...]:
    """Return the place of each question that is chosen too often to be by chance."""
    tests = {
        (row["task"], row["criterion"]): row
        for row in by_statistic.get("chosen_place_test", ())
        if row["p"] is not None and row["p"] < SURE
    }
    sides = []
    for about, test in tests.items():
        shares = [row for row in by_statistic.get("chosen_place_share", ()) if (row["task"], row["criterion"]) == about]
        most = max(shares, key=lambda row: row["value"] or 0.0, default=None)
        if most is not None and most["value"] - 1 / len(shares) >= UNEVEN:
            sides.append(Side(most["task"], most["label"] or "", most["value"], test["n_ratings"] or 0))
    return tuple(sides)
