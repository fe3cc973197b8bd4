"""Ratings put into a study row by row, as an import would leave them, for tests whose subject comes after."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Max

from analytics_app import plan
from analytics_app.models import Exclusion, Plot, Run
from analytics_app.results import Row
from analytics_app.runs.compute import compute
from analytics_app.runs.rules import Exclusions
from analytics_app.runs.start import parts_of
from tasks_app.models import Assignment, Criterion, Judgment, PartOutput, Rater, Rating, Study, Task


@dataclass
class Filler:
    """Adds judgments of imported raters to a study; each call of `judge` is one judgment."""

    study: Study
    task: Task = field(init=False)
    raters: dict[str, Rater] = field(default_factory=dict)
    orders: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.task = Task.objects.get(study=self.study)
        self.criteria = {one.key: one for one in Criterion.objects.filter(study=self.study)}
        self.parts = {
            (shown.output.item.key, shown.output.system.key): shown.part
            for shown in PartOutput.objects.filter(part__unit__task=self.task).select_related(
                "part__unit", "output__item", "output__system"
            )
        }

    def again(self) -> Filler:
        """Return a filler that goes on from here, for a test that begins with what its module has filled."""
        filler = copy(self)
        filler.raters, filler.orders = dict(self.raters), dict(self.orders)
        return filler

    def rater(self, name: str, kind: str = "imported") -> Rater:
        if name not in self.raters:
            self.raters[name] = Rater.objects.create(
                study=self.study, pseudonym=name, kind=kind, seed=1, token_hash=uuid.uuid4().hex, version=1
            )
        return self.raters[name]

    def judge(self, rater: str, item: str, system: str, values: dict[str, float], **columns: Any) -> Judgment:
        """Store one judgment with its ratings; `columns` are those of the assignment, and `skip_reason`."""
        part = self.parts[item, system]
        row = self.rater(rater, columns.pop("rater_kind", "imported"))
        skip_reason = columns.pop("skip_reason", "")
        self.orders[rater] = self.orders.get(rater, 0) + 1
        assignment = Assignment.objects.create(
            rater=row,
            rater_kind=row.kind,
            unit=part.unit,
            version=1,
            **{"order": self.orders[rater], "state": "submitted", **columns},
        )
        return self.answer(assignment, part, values, skip_reason=skip_reason)

    def answer(self, assignment: Assignment, part: Any, values: dict[str, float], **columns: Any) -> Judgment:
        """Store an answer to an assignment."""
        judgment = Judgment.objects.create(
            assignment=assignment, submission=uuid.uuid4(), version=1, seconds_active=12.5, **columns
        )
        Rating.objects.bulk_create(
            Rating(
                judgment=judgment,
                task=self.task,
                rater=assignment.rater,
                unit=assignment.unit,
                part=part,
                criterion=self.criteria[key],
                value=value,
            )
            for key, value in values.items()
        )
        return judgment

    def fill(self, rows: Iterable[tuple[str, str, str, dict[str, float]]]) -> None:
        """Store many judgments."""
        for rater, item, system, values in rows:
            self.judge(rater, item, system, values)


def new_run(study: Study, **settings: Any) -> Run:
    """Make the row of a run over everything there is, as the service would, without its parts."""
    tasks = Task.objects.filter(study=study)
    return Run.objects.create(
        study=study,
        number=study.runs.count() + 1,
        version=study.current_version or 1,
        settings=plan.check(settings, study),
        seed=study.seed,
        high_water=Rating.objects.filter(task__in=tasks).aggregate(top=Max("id"))["top"] or 0,
        judgment_high_water=Judgment.objects.aggregate(top=Max("id"))["top"] or 0,
        n_seen=Rating.objects.filter(task__in=tasks).count(),
        digest=uuid.uuid4().hex,
        code_version="test",
    )


@dataclass
class Found:
    """Everything that the parts of a run found; its exclusions are stored."""

    rows: list[Row] = field(default_factory=list)
    exclusions: list[Exclusion] = field(default_factory=list)
    plots: list[Plot] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)


def work(run: Run) -> Found:
    """Compute every part of a run in turn and store its exclusions; returns everything it found."""
    whole = Found()
    for part in parts_of(run):
        part.save()
        found = compute(part)
        whole.rows += found.rows
        for cells in found.exclusions:
            columns: dict[str, Any] = dict(zip(Exclusions.COLUMNS, cells, strict=True))
            whole.exclusions.append(Exclusion.objects.create(**columns))
        whole.plots += found.plots
        whole.facts |= found.facts
    return whole
