"""Store the outcome of a part and advance its run; the last part finishes the run."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.db import IntegrityError, connection, models, transaction
from django.db.models import Q
from django.db.models.functions import Now

from analytics_app.models import (
    UNFINISHED,
    AgreementPoint,
    Exclusion,
    Plot,
    ResultRow,
    Run,
    RunPart,
    RunState,
    RunTrigger,
)
from analytics_app.results import COLUMNS, Row
from analytics_app.runs import notify
from analytics_app.runs.compute import PLOTS_OF_A_PART, Outcome, place_of
from analytics_app.runs.rules import Exclusions
from tasks_app.services import copying

# Rows of a part are numbered from its number times this, so that parts stored in any order stand in theirs.
ROWS_OF_A_PART = 100_000

ROW_COLUMNS = ("run_id", "order", *COLUMNS, "by_system")
NUMBERS = ("value", "low", "high", "se", "df", "p", "p_adjusted")

# Runs of the study's own plan that nobody asked for. Those that people start have rules of their own.
AUTOMATIC = (RunTrigger.SCHEDULE, RunTrigger.CLOSING)

# The newest point of agreement moves on until ratings have grown by a twentieth since the one before it: some 240
# points lead from ten ratings to a million, however often runs start.
POINT_GROWTH = 1.05

_MOVE_ON = """
DELETE FROM analytics_app_agreementpoint WHERE id IN (
    SELECT id FROM (SELECT id, n_ratings, row_number() OVER newest AS place, lead(n_ratings) OVER newest AS before
                    FROM analytics_app_agreementpoint WHERE study_id = %s
                    WINDOW newest AS (PARTITION BY task, criterion ORDER BY run_number DESC)) points
    WHERE place = 1 AND n_ratings < before * %s)
"""

_JSON = DjangoJSONEncoder(sort_keys=True, ensure_ascii=False)


class Superseded(Exception):
    """Another worker has claimed the part, or its run has ended: nothing was stored."""


class SourceRunRemoved(Exception):
    """The earlier run with the rows that this run takes over has been removed in the meantime: nothing was stored."""


def store(part: RunPart, outcome: Outcome, *, seconds: float) -> None:
    """Store the outcome of an attempt at a part, all of it or nothing.

    Raises
    ------
    Superseded
        Where another attempt was begun, or the run was cancelled or failed meanwhile.
    SourceRunRemoved
        Where the part whose rows these are has been removed meanwhile.
    ValueError
        For a number that is not finite, and for more rows than a part may have.
    """
    with transaction.atomic():
        claimed = RunPart.objects.filter(pk=part.pk, attempt=part.attempt, state=RunPart.State.RUNNING)
        if claimed.select_for_update(of=("self",), no_key=True).first() is None:
            raise Superseded("another attempt has been begun")
        if outcome.same_as is not None:
            _take_over(part, outcome.same_as)
        copy_in(_result_rows(part, outcome.rows), ROW_COLUMNS)
        copying.copy_rows(Exclusion, Exclusions.COLUMNS, outcome.exclusions)
        Plot.objects.bulk_create(outcome.plots)
        # FOR NO KEY UPDATE: rows that other parts insert refer to this one, and must not wait for it.
        run = Run.objects.select_for_update(no_key=True).get(pk=part.run_id)
        if run.state not in UNFINISHED:
            raise Superseded(f"the run is {run.state}")
        claimed.update(
            state=RunPart.State.DONE,
            seconds=seconds,
            heartbeat=Now(),
            error="",
            inputs=outcome.inputs,
            taken_from=_origin(outcome.same_as) if outcome.same_as is not None else None,
        )
        taken_over = {"taken_over": {str(part.number): _origin(outcome.same_as)}} if outcome.same_as is not None else {}
        run.facts = merged(run.facts, {**outcome.facts, **taken_over})
        run.save(update_fields=["facts"])
        _release_waiting(run, part)
        if not RunPart.objects.filter(run=run).exclude(state=RunPart.State.DONE).exists():
            finish(run)


def _take_over(part: RunPart, source: RunPart) -> None:
    """Copy rows and plots of a part of an earlier run, which has the same inputs, and so the same outcome."""
    if RunPart.objects.select_for_update(no_key=True).filter(pk=source.pk).first() is None:
        raise SourceRunRemoved
    first, last = source.number * ROWS_OF_A_PART, (source.number + 1) * ROWS_OF_A_PART - 1
    columns = ", ".join(connection.ops.quote_name(name) for name in (*COLUMNS, "by_system"))
    with connection.cursor() as cursor:
        cursor.execute(
            f'INSERT INTO analytics_app_resultrow (run_id, "order", {columns}) '  # noqa: S608  our own names
            f'SELECT %s, "order" + %s, {columns} FROM analytics_app_resultrow '
            'WHERE run_id = %s AND "order" BETWEEN %s AND %s',
            [part.run_id, (part.number - source.number) * ROWS_OF_A_PART, source.run_id, first, last],
        )
    step = (part.number - source.number) * PLOTS_OF_A_PART
    plots = list(Plot.objects.filter(run=source.run_id, key__startswith=f"{place_of(part)}/"))
    for plot in plots:
        # Those of the first hundred stand first in their section, whichever part drew them.
        plot.order += step if plot.order >= PLOTS_OF_A_PART else 0
        plot.pk, plot.run_id = None, part.run_id
    Plot.objects.bulk_create(plots)


def _origin(source: RunPart) -> int:
    """Return the number of the run that computed the rows that are taken over once more."""
    return int(source.taken_from or source.run.number)


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


def copy_in(rows: Iterable[models.Model], columns: Sequence[str]) -> None:
    """Insert unsaved rows of one model by COPY.

    Only `columns` (names of columns) are filled, the rest by the database. Constraints hold as with INSERT. The rows
    get no ids.
    """
    source = iter(rows)
    first = next(source, None)
    if first is None:
        return
    fields = {field.column: field.attname for field in first._meta.concrete_fields}
    attributes = [fields[name] for name in columns]
    cells = ((_cell(getattr(row, name)) for name in attributes) for row in chain([first], source))
    copying.copy_rows(type(first), columns, cells)


def _cell(value: Any) -> object:
    return _JSON.encode(value) if isinstance(value, dict | list) else value


def merged(facts: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """Return facts with more of them; mappings under the same name are merged, and of other values the newer wins."""
    result = dict(facts)
    for name, value in more.items():
        known = result.get(name)
        both = isinstance(known, Mapping) and isinstance(value, Mapping)
        result[name] = merged(known, value) if both else value  # type: ignore[arg-type]
    return result


def _release_waiting(run: Run, part: RunPart) -> None:
    """Queue the parts of a task that waited for its quality rules, once these have all been applied.

    Parts of a whole task wait for the rules of every task: what is asked in waves is analysed across tasks.
    """
    if part.kind != RunPart.Kind.QUALITY:
        return
    of_run = RunPart.objects.filter(run=run)
    rules = of_run.filter(kind=RunPart.Kind.QUALITY).exclude(state=RunPart.State.DONE)
    ready = Q(task_id=part.task_id, kind=RunPart.Kind.CRITERION) & ~Q(task_id__in=rules.values("task_id"))
    if not rules.exists():
        ready |= Q(kind=RunPart.Kind.TASK)
    waiting = notify.longest_first(of_run.filter(ready, state=RunPart.State.WAITING))
    ids = list(waiting.select_for_update(no_key=True).values_list("pk", flat=True))
    RunPart.objects.filter(pk__in=ids).update(state=RunPart.State.QUEUED)
    # A command works on its parts itself; workers join in when beat next looks.
    if ids and run.trigger != RunTrigger.COMMAND:
        transaction.on_commit(partial(notify.notify_workers, ids))


def finish(run: Run) -> None:
    """Mark a run with a locked row as done; if an equal run was done before, it is cancelled instead."""
    ended = Run.objects.filter(pk=run.pk)
    try:
        with transaction.atomic():
            ended.update(state=RunState.DONE, finished=Now())
            _keep_agreement(run)
    except IntegrityError:
        ended.update(
            state=RunState.CANCELLED,
            finished=Now(),
            error="An equal run had been done before; its results are the same.",
        )


def _keep_agreement(run: Run) -> None:
    """Store alpha of every criterion of an automatic run, so that pages show its course when the rows are deleted."""
    if run.trigger not in AUTOMATIC:
        return
    rows = ResultRow.objects.filter(
        run=run, analysis="krippendorff", statistic="alpha", basis="kept", by_system=False, slice=None, group=None,
        wave=None,
    )  # fmt: skip
    points = [
        AgreementPoint(
            study_id=run.study_id, task=row.task, criterion=row.criterion or "", run_number=run.number,
            value=row.value, low=row.low, high=row.high, n_ratings=row.n_ratings or 0,
        )
        for row in rows
        if row.task is not None and row.value is not None
    ]  # fmt: skip
    with connection.cursor() as cursor:
        cursor.execute(_MOVE_ON, [run.study_id, POINT_GROWTH])
    AgreementPoint.objects.bulk_create(points, ignore_conflicts=True)
