"""Create the study after a factor analysis: with the strongest pair of each factor, or to confirm the factors."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.utils.translation import gettext as _

from analytics_app import analyses
from analytics_app.analyses.confirmed_factors import written
from analytics_app.models import ResultRow, Run, RunState
from analytics_app.selectors.sections import ResultNames, names_of
from analytics_app.stats.scales.confirmatory import degrees_of_freedom
from tasks_app.hooks.sections import Json
from tasks_app.models import Study
from tasks_app.services import events
from tasks_app.services.database import atomically
from tasks_app.setup.frozen import setup_of
from tasks_app.setup.starting import Names, following
from tasks_app.task_types.base import Criterion
from tasks_app.task_types.semantic_differential import SemanticDifferential

FACTORS, CONFIRMED = "factors", "confirmed_factors"

# The two kinds of studies that may follow.
STRONGEST, CONFIRM = "strongest", "confirm"

# The fewest pairs of a study.
LEAST_PAIRS = 2

# The analyses that the plan of a study has beside that of the named factors.
BESIDE = ("semantic_profile", "systems", "krippendorff")


@dataclass(frozen=True, slots=True)
class FollowUp:
    """The factors of a semantic differential, and the studies that may follow.

    `factors` has the keys of the pairs of each factor by its name, the strongest first, without factors that no pair
    belongs to; `names` those of the pairs by key.
    """

    task: str
    title: str
    factors: Mapping[str, Sequence[str]]
    names: Mapping[str, str]

    @property
    def strongest(self) -> list[str]:
        """Return the keys of the strongest pair of each factor; empty where these are too few for a study."""
        keys = [keys[0] for keys in self.factors.values()]
        return keys if len(keys) >= LEAST_PAIRS else []

    @property
    def to_confirm(self) -> dict[str, list[str]]:
        """Return the factors that new raters can confirm, with the keys of their pairs; empty where these are too few.

        A factor needs two pairs, and one factor alone three.
        """
        several = {name: list(keys) for name, keys in self.factors.items() if len(keys) >= LEAST_PAIRS}
        enough = several and degrees_of_freedom([len(keys) for keys in several.values()]) > 0
        return several if enough else {}

    @property
    def n_to_confirm(self) -> int:
        """Return the number of pairs of the factors to confirm."""
        return sum(map(len, self.to_confirm.values()))

    @property
    def strongest_named(self) -> list[str]:
        """Return the names of the strongest pairs, in the order of the factors."""
        return [self.names.get(key, key) for key in self.strongest]


def follow_ups(run: Run, names: ResultNames) -> list[FollowUp]:
    """Return the studies that may follow each semantic differential for which a run has factors."""
    tasks = [task for task, kind in names.types.items() if kind == SemanticDifferential.name]
    if not tasks or run.state != RunState.DONE:
        return []
    rows = ResultRow.objects.filter(run=run, analysis=FACTORS, basis="kept", task__in=tasks)
    rows = rows.filter(statistic__in=("factor_alpha", "loading")).order_by("order")
    of_task: dict[str, list[ResultRow]] = {}
    for row in rows:
        of_task.setdefault(str(row.task), []).append(row)
    return [found for task, task_rows in of_task.items() if (found := _of_task(task, task_rows, names)).strongest]


def _of_task(task: str, rows: Sequence[ResultRow], names: ResultNames) -> FollowUp:
    first = [row for row in rows if row.slice == rows[0].slice]
    sizes = {(row.metric, row.label): abs(row.value or 0.0) for row in first if row.statistic == "loading"}
    factors: dict[str, list[str]] = {}
    for row in first:
        keys = (row.settings or {}).get("scales", []) if row.statistic == "factor_alpha" else []
        if keys:
            by_size = sorted(((sizes[row.metric, key], key) for key in keys), reverse=True)
            factors[str(row.metric)] = [key for _size, key in by_size]
    return FollowUp(task, names.tasks.get(task, task), factors, names.criteria)


@atomically
def begin_follow_up(*, run: Run, task: str, kind: str, by: AbstractBaseUser) -> Study:
    """Create a draft with pairs of a factor analysis, in the language of its study, without texts, consent and pay.

    `kind` is "strongest", for the strongest pair of each factor, or "confirm", for all pairs of the factors that can be
    confirmed, which the analysis plan names.

    Raises
    ------
    ValueError
        The run has no factors of the task, or too few of them.
    """
    found = next((one for one in follow_ups(run, names_of(run.study)) if one.task == task), None)
    to_confirm = found.to_confirm if found is not None and kind == CONFIRM else {}
    keys = [key for of_factor in to_confirm.values() for key in of_factor]
    if found is not None and kind == STRONGEST:
        keys = found.strongest
    if not keys:
        sentence = _("This run has too few factors for such a study. Look for more factors in a new run.")
        raise ValueError(sentence)
    given = setup_of(run.study).given
    params: Mapping[str, Json] = next((entry.get("params", {}) for entry in given["tasks"] if entry["key"] == task), {})
    title = (_("Confirmation of the factors of %(title)s") if to_confirm else _("Follow-up of %(title)s")) % {
        "title": run.study.title
    }
    study = following(
        owner=by,
        origin=run.study,
        member=SemanticDifferential,
        criteria=_criteria(given["criteria"], keys),
        names=Names(title[:200], run.study.public_title),
        params=params,
        more={"analysis": _plan(to_confirm)} if to_confirm else {},
    )
    after = {"study": study.slug, "pairs": keys, "kind": kind}
    events.log(run.study, by, "began follow-up", about=_("run %(number)s") % {"number": run.number}, after=after)
    return study


def _criteria(given: Sequence[Mapping[str, Any]], keys: Sequence[str]) -> tuple[Criterion, ...]:
    """Return pairs as they were asked, in the order of their keys."""
    by_key = {entry["key"]: entry for entry in given}
    names = ("name", "definition", "question", "low", "high", "kind")
    return tuple(Criterion(key, **{name: by_key[key][name] for name in names if name in by_key[key]}) for key in keys)


def _plan(factors: Mapping[str, list[str]]) -> dict[str, Json]:
    beside = [{"analysis": name} for name in BESIDE if name in analyses.registry]
    return {"analyses": [{"analysis": CONFIRMED, "factors": written(factors)}, *beside]}
