"""List the parts of a run, and compute one of them. This module only reads; the caller stores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from django.utils.translation import gettext as _
from numpy.typing import NDArray

from analytics_app import analyses, charts, quality
from analytics_app.analyses import Analysis, Sample
from analytics_app.analyses.base import Common
from analytics_app.models import Exclusion, Plot, Run, RunPart, RunPartKind
from analytics_app.quality.base import ByHand, Removal, RuleSample
from analytics_app.ratings import (
    WITHIN,
    Extras,
    Floats,
    LeftOut,
    Mask,
    Table,
    left_out,
    load,
    load_extras,
    seen_by,
)
from analytics_app.ratings.copying import copy
from analytics_app.results import REPLACED, Row
from analytics_app.runs.funnel import Funnel
from analytics_app.runs.inputs import Inputs, of_extras, of_table
from analytics_app.runs.questions import asking_of, chosen, common_of, is_marked, question_of, with_codes
from analytics_app.runs.unrated import taken, unrated_in
from analytics_app.selectors.sections import systems_called
from analytics_app.stats.scales.standardise import judge_wise_z
from tasks_app.models import Criterion, Study, Task

# Plots of a part are numbered from its number times this.
PLOTS_OF_A_PART = 100


@dataclass(frozen=True, slots=True)
class PartPlan:
    """A part that a run will have."""

    kind: str
    task: Task
    criterion: Criterion | None = None


@dataclass(slots=True)
class Outcome:
    """What a part found: rows in their order, unsaved exclusions and plots of the run, and facts about the run.

    `inputs` is the digest of what it depends on; `same_as` is a part of an earlier run that had the same, whose rows
    and plots are these.
    """

    rows: list[Row] = field(default_factory=list)
    exclusions: list[Exclusion] = field(default_factory=list)
    plots: list[Plot] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)
    inputs: str = ""
    same_as: RunPart | None = None


def parts_of(study: Study, settings: Mapping[str, Any]) -> list[PartPlan]:
    """Return the parts of a run: for each task its quality rules, then each criterion, then all criteria together."""
    tasks = list(Task.objects.filter(study=study, until=None).order_by("order", "id"))
    parts = [PartPlan(RunPartKind.QUALITY, task) for task in tasks]
    for task in tasks:
        asked = list(Criterion.objects.filter(task_criteria__task=task).order_by("task_criteria__order"))
        criteria: list[Criterion | None] = [one for one in asked if not is_marked(task, one)] if asked else [None]
        parts += [PartPlan(RunPartKind.CRITERION, task, one) for one in criteria]
        together = question_of(task, None, whole=True)
        if any(
            analyses.registry[name].fits(together)
            if analyses.registry[name].whole_task
            else len(criteria) > 1 and analyses.registry[name].wants_all_criteria(said)
            for name, said in chosen(settings, None)
        ):
            parts.append(PartPlan(RunPartKind.TASK, task))
    return parts


def compute(part: RunPart) -> Outcome:
    """Compute a part of a run. The same part gives the same outcome to the digit, whoever computes it."""
    if part.kind == RunPartKind.QUALITY:
        return _apply_rules(part)
    outcome = _analyse(part)
    if outcome.same_as is None:
        outcome.plots = list(_plots(part, outcome.rows))
    return outcome


def _plots(part: RunPart, rows: Sequence[Row]) -> Iterator[Plot]:
    """Draw what the rows of a part show, with the systems under their names."""
    draw = charts.draw_task if part.kind == RunPartKind.TASK else charts.draw
    called = systems_called(part.run.study)
    drawn = draw(
        [_with_names(row, called) for row in rows] if called else rows,
        part.task.key,
        part.criterion.key if part.criterion else None,
        name=part.criterion.name if part.criterion else "",
        confidence=part.run.settings["confidence"],
        names=_criteria_called(part.task),
    )
    for order, one in enumerate(drawn):
        yield Plot(
            run=part.run,
            key=f"{place_of(part)}/{one.key}",
            # What a whole task shows of one criterion is what the task is made for, and stands first in its section.
            order=order if one.criterion else part.number * PLOTS_OF_A_PART + order,
            task=part.task.key,
            criterion=part.criterion.key if part.criterion else one.criterion,
            title=one.title,
            by_system=one.by_system,
            spec=one.spec,
            svg=one.svg,
            digest=one.digest,
        )


def _criteria_called(task: Task) -> dict[str, str]:
    return dict(Criterion.objects.filter(task_criteria__task=task).values_list("key", "name"))


def _with_names(row: Row, called: Mapping[str, str]) -> Row:
    if row.system not in called and row.system_b not in called:
        return row
    a, b = (called.get(one or "", one) for one in (row.system, row.system_b))
    return replace(row, system=a, system_b=b)


def place_of(part: RunPart) -> str:
    """Return what the keys of a part's plots begin with, and of no other's."""
    together = "*" if part.kind == RunPartKind.TASK else "-"
    return f"{part.task.key}/{part.criterion.key if part.criterion else together}"


# Quality rules ----------------------------------------------------------------------------------------


def _apply_rules(part: RunPart) -> Outcome:
    """Apply the rules of a run in their order to all ratings of a task."""
    run, outcome = part.run, Outcome()
    loaded = load(run, part.task.key)
    again = asked_again(loaded, part.task)
    whole = loaded.where(~again)
    by_hand = _by_hand(run)
    kept, common, z = whole, common_of(run), np.full(len(whole), np.nan)
    # What z is of: everything but what rules took that do not look at z. Taking it again after a rule that does would
    # undo what was fenced off.
    of_z, here, stale = np.ones(len(whole), dtype=bool), np.arange(len(whole)), True
    in_use = [quality.registry[entry["rule"]] for entry in run.settings["rules"]]
    extras = load_extras(run, part.task.key, whole, (need for rule in in_use for need in rule.needs))
    asking = asking_of(part.task, whole)
    unrated = unrated_in(whole, asking, run.facts.get("replaced", []))
    before = [*left_out(seen_by(run, part.task.key)), *_within(loaded.where(again))]
    funnel = Funnel(whole, part.task.key, unrated, before)
    for rule, entry in zip(in_use, run.settings["rules"], strict=True):
        if rule.on_z and stale:
            z[of_z], stale = z_of(whole.where(of_z), common), False
        removal = rule.remove(RuleSample(kept, z[here], by_hand, extras, asking, unrated), entry)
        funnel.step(rule.name, kept, removal)
        outcome.exclusions += _rows_of(run, part.task, rule.name, removal)
        if not rule.on_z and removal.mask.any():
            of_z[here[removal.mask]], stale = False, True
        kept, here = kept.where(~removal.mask), here[~removal.mask]
        unrated = unrated[~taken(whole, unrated, removal)]
    if (replaced := _replaced(run, kept)) is not None:
        funnel.step(REPLACED, kept, replaced)
        outcome.exclusions += _rows_of(run, part.task, REPLACED, replaced)
        kept = kept.where(~replaced.mask)
    outcome.rows = list(funnel.rows(kept))
    outcome.facts = {"tasks": {part.task.key: funnel.facts(kept)}}
    return outcome


def _within(again: Table) -> list[LeftOut]:
    """Count the ratings that an answer gave to a question it had answered before; none where there are none."""
    return [LeftOut(WITHIN, len(again), again.n_raters, again.n_texts)] if len(again) else []


def _replaced(run: Run, kept: Table) -> Removal | None:
    """Take out what no rule did, of what was asked of somebody else again: its replacement counts instead."""
    ids = kept.judgments.id[kept.judgment]
    mask = np.isin(ids, run.facts.get("replaced", []))
    if not mask.any():
        return None
    gone = np.unique(ids[mask])
    return Removal(mask, "judgment", gone, (_("Reassigned to another rater, whose answer counts."),) * len(gone))


def _by_hand(run: Run) -> tuple[ByHand, ...]:
    """Return the exclusions by hand that held when the run was started."""
    found = Exclusion.objects.filter(pk__in=run.facts.get("manual_exclusions", ()))
    return tuple(
        ByHand("rater", one.rater_id, one.reason)
        if one.rater_id is not None
        else ByHand("judgment", one.judgment_id, one.reason)
        if one.judgment_id is not None
        else ByHand("rating", one.rating_id or 0, one.reason)
        for one in found.order_by("pk")
    )


def _rows_of(run: Run, task: Task, rule: str, removal: Removal) -> Iterator[Exclusion]:
    columns: Sequence[Removal] = (removal, *removal.more)
    for one in columns:
        for index, (pk, reason) in enumerate(zip(one.ids.tolist(), one.reasons, strict=True)):
            yield Exclusion(
                study_id=run.study_id,
                run=run,
                task=task,
                rule=rule,
                **{f"{one.target}_id": pk},
                reason=reason,
                value=None if one.values is None else float(one.values[index]),
                limit=None if one.limits is None else float(one.limits[index]),
            )


# Analyses ---------------------------------------------------------------------------------------------


def _analyse(part: RunPart) -> Outcome:
    """Compute every analysis of a run that fits a criterion, or all criteria of a task together."""
    run, task = part.run, part.task
    outcome = Outcome()
    question = question_of(task, part.criterion, whole=part.kind == RunPartKind.TASK)
    asked_for = [
        (analyses.registry[name], settings)
        for name, settings in chosen(run.settings, question)
        if part.kind == RunPartKind.CRITERION
        or analyses.registry[name].whole_task
        or analyses.registry[name].wants_all_criteria(settings)
    ]
    if not asked_for:
        return outcome
    ids = None
    if part.criterion is not None:
        # The same criterion has another id in another version of the study.
        same = Criterion.objects.filter(study_id=run.study_id, key=part.criterion.key)
        ids = list(same.values_list("pk", flat=True))
    table = asked_once(load(run, task.key, ids), task)
    question = with_codes(question, table.names)
    common = common_of(run)
    extras = load_extras(run, task.key, table, (need for analysis, _settings in asked_for for need in analysis.needs))
    out, before_z = _excluded(run, task, table)
    # What rules took of the task elsewhere takes nothing here, and yet says that there are two bases.
    ruled = Exclusion.objects.filter(run=run, task=task).exists()
    outcome.inputs = _inputs(part, asked_for, (question, common, out, before_z, ruled), table, extras)
    outcome.same_as = _found_before(part, outcome.inputs)
    if outcome.same_as is not None:
        return outcome
    bases: list[tuple[Any, Mask, Floats]] = []
    if ruled:
        bases.append(("all", np.zeros(len(table), dtype=bool), z_of(table, common)))
    z = np.full(len(table), np.nan)
    z[~before_z] = z_of(table.where(~before_z), common)
    bases.append(("kept", out, z))
    for basis, gone, values in bases:
        sample = Sample(table.where(~gone), values[~gone], question, common, basis, extras=extras)
        for analysis, settings in asked_for:
            outcome.rows += [replace(row, planned=run.planned) for row in analysis.rows(sample, settings)]
    return outcome


def _inputs(
    part: RunPart, asked_for: Sequence[tuple[Analysis, Mapping[str, Any]]], more: object, table: Table, extras: Extras
) -> str:
    """Return the digest of everything that rows and plots of a part depend on."""
    named = part.criterion.name if part.criterion is not None else _criteria_called(part.task)
    called = systems_called(part.run.study)
    found = Inputs().add(part.run.code_version, part.run.planned, part.kind, named, called, more)
    found.add([(analysis.name, settings) for analysis, settings in asked_for])
    return found.add(*of_table(table)).add(*of_extras(extras, table)).digest


def _found_before(part: RunPart, inputs: str) -> RunPart | None:
    """Return a part of another run of the study that had the same inputs and is done."""
    same = RunPart.objects.filter(run__study=part.run.study_id, inputs=inputs, state=RunPart.State.DONE)
    return same.exclude(run=part.run_id).select_related("run").order_by("-pk").first()


def asked_once(table: Table, task: Task) -> Table:
    """Leave out what one judgment gave to a question that was asked again, such as a repeated adjective pair.

    A repeat enters only figures of how far raters agree with themselves. Spans and labels are several by nature.
    """
    again = asked_again(table, task)
    return table.where(~again) if again.any() else table


def asked_again(table: Table, task: Task) -> Mask:
    """Say which ratings are what one judgment gave to a question that was asked again."""
    if any(one.per == "span" for one in task.kind.outcomes):
        return np.zeros(len(table), dtype=bool)
    again: Mask = (table.number > 1) & ~np.isnan(table.value)
    return again


def z_of(table: Table, common: Common) -> Floats:
    """Return judge-wise z within rater and criterion, aligned with a table; NaN where it is undefined and dropped."""
    if not len(table):
        return np.empty(0)
    n_criteria = len(table.names.criteria) + 1
    judge = table.rater.astype(np.int64) * n_criteria + table.criterion + 1
    return judge_wise_z(table.value, judge, **common.of_z).z


_EXCLUDED = """
SELECT COALESCE(rater_id, 0), COALESCE(judgment_id, 0), COALESCE(rating_id, 0), (rule = ANY(%(on_z)s))::int
  FROM analytics_app_exclusion
 WHERE run_id = %(run)s AND task_id = %(task)s
"""
_EXCLUDED_TYPE = {"rater": np.int64, "judgment": np.int64, "rating": np.int64, "on_z": np.int32}


def _excluded(run: Run, task: Task, table: Table) -> tuple[Mask, Mask]:
    """Return which rows a run's rules removed, and which of them before z was taken."""
    on_z = [name for name, rule in quality.registry.items() if rule.on_z]
    found = copy(_EXCLUDED, {"run": run.pk, "task": task.pk, "on_z": on_z}, _EXCLUDED_TYPE)
    keys = {
        "rater": table.names.rater_ids[table.rater],
        "judgment": table.judgments.id[table.judgment],
        "rating": table.id,
    }

    def rows_of(some: NDArray[Any]) -> Mask:
        mask = np.zeros(len(table), dtype=bool)
        for column, values in keys.items():
            mask |= np.isin(values, some[column])
        return mask

    # No row has the number 0, which stands for none.
    return rows_of(found), rows_of(found[found["on_z"] == 0])
