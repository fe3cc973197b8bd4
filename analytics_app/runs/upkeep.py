"""Periodic upkeep: notify again of parts that nobody claimed, start scheduled runs, delete superseded ones."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from django.db import DatabaseError, transaction
from django.db.models.deletion import ProtectedError
from django.db.models.functions import Now

from analytics_app.models import UNFINISHED, ResultsLink, Run, RunState, RunTrigger, WorkerBeat
from analytics_app.runs import claim, notify, start
from tasks_app.models import Study
from tasks_app.services.database import rows
from tasks_app.services.marks import Busy

# An automatic run begins at least so long after the last one did, and at least so many times as long as that one took:
# analysing takes up a tenth of a worker at most.
LEAST_PAUSE_SECONDS = 60
PAUSE_PER_SECOND = 10

# A fact of a run that was given up and is to be started anew.
AGAIN = "again"

log = logging.getLogger(__name__)

# Open studies with ratings that the last run has not seen, after a pause; closed ones whose closing run is missing, or
# whose raters, who may finish what they had begun, have brought ratings since: one run once nobody is at work any more.
# It asks whether there is a rating above a mark, never for the greatest one: PostgreSQL may look for that backwards
# through the ratings of all other studies. Compared as pairs and in their order the index on task and id alone serves:
# asked otherwise, it reads every rating there is each time, since most are above a mark that it does not know yet.
_DUE = """
SELECT s.id, s.state
  FROM tasks_app_study s
  LEFT JOIN LATERAL (SELECT r.id, r.high_water, r.finished, COALESCE(r.started, r.created_at) AS began
                       FROM analytics_app_run r WHERE r.study_id = s.id ORDER BY r.id DESC LIMIT 1) last ON true
  LEFT JOIN LATERAL (SELECT max(r.high_water) AS high_water FROM analytics_app_run r
                      WHERE r.study_id = s.id AND r.trigger = 'closing') closing ON true
 CROSS JOIN LATERAL (SELECT last.id IS NULL OR clock_timestamp() - last.began
                         >= GREATEST(%(least)s * interval '1 second', %(times)s * (last.finished - last.began)) AS ended
                    ) pause
 CROSS JOIN LATERAL (SELECT s.state = 'closed' AND s.closed_at IS NOT NULL AND NOT EXISTS (
                         SELECT 1 FROM analytics_app_run r WHERE r.study_id = s.id AND r.created_at >= s.closed_at
                     ) AS missing) run_of_closing
 CROSS JOIN LATERAL (SELECT COALESCE(CASE WHEN run_of_closing.missing THEN closing.high_water
                                          ELSE last.high_water END, 0) AS id) mark
 WHERE (%(study)s IS NULL OR s.id = %(study)s)
   AND NOT EXISTS (SELECT 1 FROM analytics_app_run r WHERE r.study_id = s.id AND r.state IN ('queued', 'running'))
   AND (s.state = 'open' AND pause.ended
     OR run_of_closing.missing
     OR s.state = 'closed' AND pause.ended
        AND NOT EXISTS (SELECT 1 FROM tasks_app_rater ra JOIN tasks_app_raterset held ON held.rater_id = ra.id
                         WHERE ra.study_id = s.id AND ra.kind <> 'sandbox' AND held.state = 'open'
                           AND held.lease_until > clock_timestamp()))
   AND EXISTS (SELECT 1 FROM tasks_app_task t CROSS JOIN LATERAL (
                   SELECT 1 FROM tasks_app_rating g
                    WHERE (g.task_id, g.id) > (t.id, mark.id) AND (g.task_id, g.id) < (t.id + 1, 0)
                      AND (s.state = 'open' OR NOT EXISTS (SELECT 1 FROM tasks_app_rater tried
                                                            WHERE tried.id = g.rater_id AND tried.kind = 'sandbox'))
                    ORDER BY g.task_id, g.id LIMIT 1) newer
                WHERE t.study_id = s.id)
 ORDER BY s.id
"""


def ring_again() -> int:
    """Ring for parts that are due and were not rung for lately; returns for how many."""
    ids = claim.unheard().order_by("run", "number").values_list("pk", flat=True)
    found = list(ids[: notify.MOST_WAITING])
    return notify.ring(found, again=True) if found else 0


def start_due() -> list[Run]:
    """Start the runs that are due: for new judgments, and for closings whose run could not begin then."""
    started = [start_by_itself(study_id=pk, trigger=trigger) for pk, trigger in due_studies()]
    return [run for run in started if run is not None]


def due_studies(study_id: int | None = None) -> list[tuple[int, str]]:
    """Return the studies, or the one of them, that a run should start for, each with the trigger it has."""
    found = rows(_DUE, {"study": study_id, "least": LEAST_PAUSE_SECONDS, "times": PAUSE_PER_SECOND})
    return [(pk, RunTrigger.CLOSING if state == Study.State.CLOSED else RunTrigger.SCHEDULE) for pk, state in found]


def start_by_itself(*, study_id: int, trigger: str, if_due: bool = True) -> Run | None:
    """Start a run that nobody asked for. Never raises: None where it is not due any more, or has to wait.

    A plan that cannot be used is stored as a failed run that says so.
    """
    try:
        with transaction.atomic():
            study = Study.objects.select_for_update(no_key=True).get(pk=study_id)
            # Two of these may have looked at once; under the study's lock one of them sees the other's run.
            if if_due and not due_studies(study_id):
                return None
            try:
                with transaction.atomic():
                    return start.start(study=study, by=None, trigger=trigger)
            except ValueError as problem:
                return start.refuse(study=study, trigger=trigger, problem=str(problem))
    except (Busy, DatabaseError) as error:
        log.warning("A run of study %s could not be started; it is tried again", study_id, exc_info=error)
        return None


def start_again() -> list[Run]:
    """Start anew the runs that were given up because answers were erased in the middle of them."""
    started = []
    for run in Run.objects.filter(state=RunState.CANCELLED, facts__has_key=AGAIN).order_by("id"):
        try:
            with transaction.atomic():
                found = _start_like(run)
                facts = {name: fact for name, fact in run.facts.items() if name != AGAIN}
                Run.objects.filter(pk=run.pk).update(facts=facts)
        except (Busy, DatabaseError) as error:
            log.warning("Run %s could not be started again; it is tried once more", run.pk, exc_info=error)
        else:
            started.append(found)
    return started


def _start_like(given_up: Run) -> Run:
    study, trigger = given_up.study, given_up.trigger
    try:
        with transaction.atomic():
            return start.start(study=study, by=given_up.by, settings=given_up.settings, trigger=trigger)
    except ValueError as problem:  # what it names went with the answers
        return start.refuse(study=study, trigger=trigger, problem=str(problem))


def clear_superseded() -> int:
    """Delete automatic runs, with their rows, that a newer automatic run of the study has made useless.

    The newest that is done stays, the newest that came to nothing after it, and any run that somebody asked for, that
    is planned, that a datasheet names or that is shared by a link that works. Links that were revoked or have expired
    go with their run; the log says who shared it with whom, and when it was read.
    """
    ended = Run.objects.filter(trigger=RunTrigger.SCHEDULE).exclude(state__in=UNFINISHED)
    newest = dict(ended.order_by("id").values_list("study_id", "id"))
    done = dict(ended.filter(state=RunState.DONE).order_by("id").values_list("study_id", "id"))
    gone = 0
    for study_id, newest_id in newest.items():
        older = ended.filter(study_id=study_id, id__lt=newest_id, planned=False)
        gone += _delete(list(older.exclude(id=done.get(study_id, 0)).exclude(facts__has_key=AGAIN)))
    return gone


def _delete(superseded: Sequence[Run]) -> int:
    gone = 0
    for run in superseded:
        try:
            with transaction.atomic():
                run.links.exclude(ResultsLink.WORKS).delete()
                run.delete()
        except ProtectedError:  # a datasheet was made from it, or it is shared by a link
            continue
        gone += 1
    return gone


def note_beat(*, queue: str, host: str) -> None:
    """Note that a worker has answered on a queue just now."""
    WorkerBeat.objects.update_or_create(queue=queue, defaults={"at": Now(), "host": host})
