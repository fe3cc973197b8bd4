"""Storing what a part found, and bringing its run forward; the last part to be stored finishes the run."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models.functions import Now

from analytics_app.models import UNFINISHED, Plot, ResultRow, Run, RunPart, RunState, RunTrigger
from analytics_app.results import COLUMNS, Row
from analytics_app.services import bell
from analytics_app.services.bulk import copy_in
from analytics_app.services.computing import Outcome

# Rows of a part are numbered from its number times this, so that parts stored in any order stand in theirs.
ROWS_OF_A_PART = 100_000

ROW_COLUMNS = ("run_id", "order", *COLUMNS, "by_system")
EXCLUSION_COLUMNS = (
    "study_id", "run_id", "task_id", "rule", "rater_id", "judgment_id", "rating_id", "reason", "value", "limit",
)  # fmt: skip
NUMBERS = ("value", "low", "high", "se", "df", "p", "p_adjusted")


class Superseded(Exception):
    """The part has gone to somebody else, or its run has ended: nothing was stored."""


def store(part: RunPart, outcome: Outcome, *, seconds: float) -> None:
    """Store what an attempt at a part found, all of it or nothing.

    Raises
    ------
    Superseded
        Where another attempt was begun, or the run was cancelled or failed meanwhile.
    ValueError
        For a number that is not finite, and for more rows than a part may have.
    """
    with transaction.atomic():
        mine = RunPart.objects.filter(pk=part.pk, attempt=part.attempt, state=RunPart.State.RUNNING)
        if mine.select_for_update(of=("self",), no_key=True).first() is None:
            raise Superseded("another attempt has been begun")
        copy_in(_result_rows(part, outcome.rows), ROW_COLUMNS)
        copy_in(outcome.exclusions, EXCLUSION_COLUMNS)
        Plot.objects.bulk_create(outcome.plots)
        # FOR NO KEY UPDATE: rows that other parts insert refer to this one, and must not wait for it.
        run = Run.objects.select_for_update(no_key=True).get(pk=part.run_id)
        if run.state not in UNFINISHED:
            raise Superseded(f"the run is {run.state}")
        mine.update(state=RunPart.State.DONE, seconds=seconds, heartbeat=Now(), error="")
        run.facts = merged(run.facts, outcome.facts)
        run.save(update_fields=["facts"])
        _release_waiting(run, part)
        if not RunPart.objects.filter(run=run).exclude(state=RunPart.State.DONE).exists():
            finish(run)


def finish(run: Run) -> None:
    """Call a run done, whose row is locked; where an equal one was done before it is cancelled instead."""
    ended = Run.objects.filter(pk=run.pk)
    try:
        with transaction.atomic():
            ended.update(state=RunState.DONE, finished=Now())
    except IntegrityError:
        ended.update(
            state=RunState.CANCELLED,
            finished=Now(),
            error="An equal run had been done before; its results are the same.",
        )


def _release_waiting(run: Run, part: RunPart) -> None:
    """Queue the parts of a task that waited for its quality rules, once these have all been applied."""
    if part.kind != RunPart.Kind.QUALITY:
        return
    of_task = RunPart.objects.filter(run=run, task_id=part.task_id)
    if of_task.filter(kind=RunPart.Kind.QUALITY).exclude(state=RunPart.State.DONE).exists():
        return
    waiting = of_task.filter(state=RunPart.State.WAITING).order_by("number")
    ids = list(waiting.select_for_update(no_key=True).values_list("pk", flat=True))
    RunPart.objects.filter(pk__in=ids).update(state=RunPart.State.QUEUED)
    # A command works on its parts itself; workers join in when beat next looks.
    if ids and run.trigger != RunTrigger.COMMAND:
        transaction.on_commit(partial(bell.ring, ids))


def _result_rows(part: RunPart, rows: Sequence[Row]) -> Iterator[ResultRow]:
    if len(rows) > ROWS_OF_A_PART:
        raise ValueError(f"A part may have {ROWS_OF_A_PART} rows and this one has {len(rows)}.")
    for order, row in enumerate(rows, start=part.number * ROWS_OF_A_PART):
        for name in NUMBERS:
            number = getattr(row, name)
            if number is not None and not math.isfinite(number):
                raise ValueError(f"{row.analysis}, {row.statistic}: {name} is {number}, not a number with a note.")
        columns: dict[str, Any] = {name: getattr(row, name) for name in COLUMNS}
        columns["planned"] = part.run.planned
        yield ResultRow(run_id=part.run_id, order=order, by_system=row.by_system, **columns)


def merged(facts: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """Return facts with more of them; what both know by the same name is merged, and the newer wins."""
    result = dict(facts)
    for name, value in more.items():
        known = result.get(name)
        both = isinstance(known, Mapping) and isinstance(value, Mapping)
        result[name] = merged(known, value) if both else value  # type: ignore[arg-type]
    return result
