"""Compute one part of a run. This module only reads; the caller stores."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analytics_app import charts, quality
from analytics_app.analyses import Analysis, Common, Question, Sample
from analytics_app.analyses.shared.unknown_raters import has_unknown, without_claims
from analytics_app.charts import Drawn
from analytics_app.models import Exclusion, Plot, RunPart, RunPartKind
from analytics_app.ratings import Extras, Mask, Table, load, load_extras
from analytics_app.ratings.copying import copy
from analytics_app.ratings.digest import Digest, of_extras, of_table
from analytics_app.results import Row
from analytics_app.runs import funnel_chart, rules
from analytics_app.selectors.questions import (
    chosen,
    common_of,
    criteria_called,
    question_of,
    repeated_answers,
    with_codes,
)
from analytics_app.selectors.sections import WITH_LABELS, label_called, labels_called, systems_called
from tasks_app.models import Criterion

# The first number of a part's plots is the number of the part times this.
PLOTS_OF_A_PART = 100


@dataclass(slots=True)
class Outcome:
    """The outcome of a part: rows in their order, exclusions and plots to be stored, and facts about the run.

    `inputs` is the digest of everything it depends on; `same_as` is a part of an earlier run with the same inputs,
    whose rows and plots are taken over.
    """

    rows: list[Row] = field(default_factory=list)
    exclusions: Iterable[tuple[object, ...]] = ()
    plots: list[Plot] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)
    inputs: str = ""
    same_as: RunPart | None = None


def compute(part: RunPart, *, drawn: bool = True) -> Outcome:
    """Compute a part of a run, without charts unless `drawn`. It is the same to the last digit in every process."""
    if part.kind == RunPartKind.QUALITY:
        funnel = rules.apply(part)
        facts, rows = {"tasks": {part.task.key: funnel.facts()}}, list(funnel.rows())
        plots = list(_plots(part, charts.draw_sketches(funnel_chart.sketches(rows)))) if drawn else []
        return Outcome(rows=rows, exclusions=funnel.exclusions, plots=plots, facts=facts)
    question = question_of(part.task, part.criterion, whole=part.kind == RunPartKind.TASK)
    chosen_analyses = _analyses_of(part, question)
    if not chosen_analyses:
        return Outcome()
    inputs = _read(part, question, chosen_analyses)
    outcome = Outcome(inputs=inputs.digest())
    # Rows are taken over from a finished part of another run of the study with the same inputs.
    equal_parts = RunPart.objects.filter(run__study=part.run.study_id, inputs=outcome.inputs, state=RunPart.State.DONE)
    outcome.same_as = equal_parts.exclude(run=part.run_id).select_related("run").order_by("-pk").first()
    if outcome.same_as is None:
        outcome.rows = list(_rows(inputs))
        outcome.plots = list(_plots(part, _drawn(inputs, outcome.rows))) if drawn else []
    return outcome


def _analyses_of(part: RunPart, question: Question) -> list[Analysis]:
    """Return the analyses of a run that fit a criterion, or all criteria of a task together."""
    return [
        analysis
        for analysis in chosen(part.run.settings, question)
        if part.kind == RunPartKind.CRITERION or analysis.whole_task or analysis.wants_all_criteria()
    ]


@dataclass(frozen=True, slots=True)
class Inputs:
    """Everything that the rows and plots of a part depend on: equal digests give equal rows, to the last digit.

    `excluded` marks the ratings that the run's rules removed, `before_z` those removed by rules that are not based on
    z. `has_exclusions` says whether rules excluded anything in the task, even if nothing of what is analysed here.
    """

    part: RunPart
    question: Question
    analyses: Sequence[Analysis]
    common: Common
    table: Table
    extras: Extras
    excluded: Mask
    before_z: Mask
    has_exclusions: bool
    criteria: Mapping[str, str]
    systems: Mapping[str, str]
    labels: Mapping[str, Mapping[str, str]]

    def digest(self) -> str:
        """Return the digest of all inputs."""
        part = self.part
        names = part.criterion.name if part.criterion is not None else self.criteria
        digest = Digest().add(part.run.code_version, part.run.planned, part.kind, names, self.systems, self.labels)
        digest.add((self.question, self.common, self.excluded, self.before_z, self.has_exclusions))
        digest.add([(analysis.name, vars(analysis)) for analysis in self.analyses])
        return digest.add(*of_table(self.table)).add(*of_extras(self.extras, self.table)).hex


def _read(part: RunPart, question: Question, chosen_analyses: Sequence[Analysis]) -> Inputs:
    run, task, ids = part.run, part.task, None
    if part.criterion is not None:
        # The same criterion has another id in another version of the study.
        versions = Criterion.objects.filter(study_id=run.study_id, key=part.criterion.key)
        ids = list(versions.values_list("pk", flat=True))
    table = load(run, task.key, ids)
    again = repeated_answers(task, table)
    table = table.where(~again) if again.any() else table
    excluded, before_z = _excluded(part, table)
    needs = (need for analysis in chosen_analyses for need in analysis.needed())
    return Inputs(
        part=part,
        question=with_codes(question, table.names),
        analyses=chosen_analyses,
        common=common_of(run),
        table=table,
        extras=load_extras(run, task.key, table, needs),
        excluded=excluded,
        before_z=before_z,
        has_exclusions=Exclusion.objects.filter(run=run, task=task).exists(),
        criteria=criteria_called(task),
        systems=systems_called(run.study),
        labels=labels_called(task.kind),
    )


_EXCLUDED = """
SELECT COALESCE(rater_id, 0), COALESCE(judgment_id, 0), COALESCE(rating_id, 0), (rule = ANY(%(on_z)s))::int
  FROM analytics_app_exclusion
 WHERE run_id = %(run)s AND task_id = %(task)s
"""
_EXCLUDED_TYPE = {"rater": np.int64, "judgment": np.int64, "rating": np.int64, "on_z": np.int32}


def _excluded(part: RunPart, table: Table) -> tuple[Mask, Mask]:
    """Return masks of the ratings that a run's rules removed, and of those removed by rules not based on z."""
    on_z = [name for name, rule in quality.registry.items() if rule.on_z]
    exclusions = copy(_EXCLUDED, {"run": part.run_id, "task": part.task_id, "on_z": on_z}, _EXCLUDED_TYPE)
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

    # No row has the id 0, which means none.
    return rows_of(exclusions), rows_of(exclusions[exclusions["on_z"] == 0])


def _rows(inputs: Inputs) -> Iterator[Row]:
    """Yield the rows of each analysis: on all ratings if rules excluded anything, then on the kept ratings."""
    table, of_z, planned = inputs.table, inputs.common.of_z, inputs.part.run.planned
    all_of_it = Sample(table, np.empty(0), inputs.question, inputs.common, "all", extras=inputs.extras)
    samples = []
    # If rules excluded anything in this task, report both bases, even if nothing was excluded here.
    if inputs.has_exclusions:
        samples.append(replace(all_of_it, z=table.z(**of_z)))
    z = np.full(len(table), np.nan)
    z[~inputs.before_z] = table.where(~inputs.before_z).z(**of_z)
    included = ~inputs.excluded
    samples.append(replace(all_of_it, table=table.where(included), z=z[included], basis="kept"))
    for sample in samples:
        is_unknown = has_unknown(sample.table)
        for analysis in inputs.analyses:
            for row in analysis.rows(sample):
                yield replace(without_claims(row, analysis) if is_unknown else row, planned=planned)


def _drawn(inputs: Inputs, rows: Sequence[Row]) -> Sequence[Drawn]:
    """Draw the rows of a part, with the names of systems and labels."""
    part, criterion = inputs.part, inputs.part.criterion
    draw = charts.draw_task if part.kind == RunPartKind.TASK else charts.draw
    return draw(
        [_with_names(row, inputs.systems, inputs.labels) for row in rows],
        part.task.key,
        criterion.key if criterion else None,
        name=criterion.name if criterion else "",
        confidence=part.run.settings["confidence"],
        names=inputs.criteria,
    )


def _plots(part: RunPart, drawings: Sequence[Drawn]) -> Iterator[Plot]:
    criterion = part.criterion
    for order, drawing in enumerate(drawings):
        yield Plot(
            run=part.run,
            key=f"{place_of(part)}/{drawing.key}",
            # A chart of a whole task about one criterion is the main chart, and is first in the criterion's section.
            order=order if drawing.criterion else part.number * PLOTS_OF_A_PART + order,
            task=part.task.key,
            criterion=criterion.key if criterion else drawing.criterion,
            title=drawing.title,
            by_system=drawing.by_system,
            spec=drawing.spec,
            svg=drawing.svg,
            narrow=drawing.narrow,
            digest=drawing.digest,
        )


def _with_names(row: Row, systems: Mapping[str, str], labels: Mapping[str, Mapping[str, str]]) -> Row:
    names = labels.get(row.criterion or "", {})
    label = label_called(row.label, names) if row.label and row.analysis in WITH_LABELS else row.label
    if row.system not in systems and row.system_b not in systems and label == row.label:
        return row
    a, b = (systems.get(key or "", key) for key in (row.system, row.system_b))
    return replace(row, system=a, system_b=b, label=label)


def place_of(part: RunPart) -> str:
    """Return the unique prefix of the keys of a part's plots."""
    together = "*" if part.kind == RunPartKind.TASK else "-"
    return f"{part.task.key}/{part.criterion.key if part.criterion else together}"
