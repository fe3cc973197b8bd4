"""Periodic upkeep: notify again of parts that nobody claimed, start scheduled runs, delete superseded ones."""

import logging
from collections.abc import Sequence

from django.db import DatabaseError, connection, transaction
from django.db.models.deletion import ProtectedError
from django.db.models.functions import Now

from analytics_app.models import UNFINISHED, ResultsLink, Run, RunState, RunTrigger, WorkerBeat
from analytics_app.runs import claim, notify, start
from tasks_app.models import Assignment, Study
from tasks_app.models.statements import rows
from tasks_app.services.high_water import Busy

# The least time between the starts of two automatic runs, and the least multiple of the duration of the last run:
# analyses use at most a tenth of a worker.
LEAST_PAUSE_SECONDS = 60
PAUSE_PER_SECOND = 10

# A fact of a cancelled run that is to be started again.
AGAIN = "again"

log = logging.getLogger(__name__)

# Open studies with ratings that the last run has not seen, after a pause; closed studies without a closing run, or with
# later ratings by raters who finished their sets: these get one run when no rater is at work any more. The statement
# tests for a rating above a mark, and never looks for the greatest id: PostgreSQL may search for that backwards through
# the ratings of all other studies. The comparison of pairs, in this order, uses only the index on task and id:
# otherwise it would read every rating each time, since most are above a mark that is not known yet. Answers to checks
# and repeats are not among the ratings that a run analyses.
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
 WHERE (%(study)s IS NULL OR s.id = %(study)s) AND s.rehearses_id IS NULL
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
                      AND EXISTS (SELECT 1 FROM tasks_app_judgment j
                                    JOIN tasks_app_assignment a ON a.id = j.assignment_id
                                   WHERE j.id = g.judgment_id AND a.purpose = ANY(%(analysed)s))
                      AND (s.state = 'open' OR NOT EXISTS (SELECT 1 FROM tasks_app_rater tried
                                                            WHERE tried.id = g.rater_id AND tried.kind = 'sandbox'))
                    ORDER BY g.task_id, g.id LIMIT 1) newer
                WHERE t.study_id = s.id)
 ORDER BY s.id
"""


def ring_again() -> int:
    """Notify workers of parts that are due and have no recent notification, and return their number."""
    ids = notify.longest_first(claim.unnotified()).values_list("pk", flat=True)
    waiting_ids = list(ids[: notify.MOST_WAITING])
    return notify.notify_workers(waiting_ids, again=True) if waiting_ids else 0


def start_due() -> list[Run]:
    """Start the runs that are due: for new judgments, and for closings at which the run could not start."""
    started = [start_by_itself(study_id=pk, trigger=trigger) for pk, trigger in due_studies()]
    return [run for run in started if run is not None]


def due_studies(study_id: int | None = None) -> list[tuple[int, str]]:
    """Return the studies (all, or one) for which a run is due, each with the trigger of the run."""
    purposes = list(Assignment.Purpose.ANALYSED)
    due = rows(_DUE, {"study": study_id, "least": LEAST_PAUSE_SECONDS, "times": PAUSE_PER_SECOND, "analysed": purposes})
    return [(pk, RunTrigger.CLOSING if state == Study.State.CLOSED else RunTrigger.SCHEDULE) for pk, state in due]


def start_by_itself(*, study_id: int, trigger: str, if_due: bool = True) -> Run | None:
    """Start an automatic run. None if it is not due any more, or has to wait.

    For a plan that cannot be used, a failed run with the reason is stored. Raises DatabaseError only where the
    transaction around it is lost as well.
    """
    try:
        with transaction.atomic():
            study = Study.objects.select_for_update(no_key=True).get(pk=study_id)
            # Two processes may have checked at the same time; under the study's lock, one sees the other's run.
            if if_due and not due_studies(study_id):
                return None
            try:
                with transaction.atomic():
                    return start.start(study=study, by=None, trigger=trigger)
            except ValueError as problem:
                return start.refuse(study=study, trigger=trigger, problem=str(problem))
    except (Busy, DatabaseError) as error:
        if connection.in_atomic_block and transaction.get_rollback():
            # Django would roll back without a word, and the caller say that an import or a closing was stored.
            raise
        log.warning("A run of study %s could not be started; it is tried again", study_id, exc_info=error)
        return None


def start_again() -> list[Run]:
    """Start again the runs that were cancelled because answers were erased during the run."""
    started = []
    for run in Run.objects.filter(state=RunState.CANCELLED, facts__has_key=AGAIN).order_by("id"):
        try:
            with transaction.atomic():
                new_run = _start_like(run)
                facts = {name: fact for name, fact in run.facts.items() if name != AGAIN}
                Run.objects.filter(pk=run.pk).update(facts=facts)
        except (Busy, DatabaseError) as error:
            log.warning("Run %s could not be started again; it is tried once more", run.pk, exc_info=error)
        else:
            started.append(new_run)
    return started


def _start_like(given_up: Run) -> Run:
    study, trigger = given_up.study, given_up.trigger
    try:
        with transaction.atomic():
            return start.start(study=study, by=given_up.by, settings=given_up.settings, trigger=trigger)
    except ValueError as problem:  # what it names went with the answers
        return start.refuse(study=study, trigger=trigger, problem=str(problem))


def clear_superseded() -> int:
    """Delete automatic runs, with their rows, that a newer automatic run of the study supersedes.

    It keeps the newest run that is done, the newest unsuccessful run after it, and any run that somebody requested,
    that is planned, that a datasheet names or that is shared by a valid link. Revoked and expired links are deleted
    with their run; the log has who shared it with whom, and when it was read.
    """
    ended = Run.objects.filter(trigger=RunTrigger.SCHEDULE).exclude(state__in=UNFINISHED)
    newest = dict(ended.order_by("id").values_list("study_id", "id"))
    done = dict(ended.filter(state=RunState.DONE).order_by("id").values_list("study_id", "id"))
    n_deleted = 0
    for study_id, newest_id in newest.items():
        older = ended.filter(study_id=study_id, id__lt=newest_id, planned=False)
        n_deleted += _delete(list(older.exclude(id=done.get(study_id, 0)).exclude(facts__has_key=AGAIN)))
    return n_deleted


def _delete(superseded: Sequence[Run]) -> int:
    n_deleted = 0
    for run in superseded:
        try:
            with transaction.atomic():
                run.links.exclude(ResultsLink.WORKS).delete()
                run.delete()
        except ProtectedError:  # a datasheet was made from it, or it is shared by a link
            continue
        n_deleted += 1
    return n_deleted


def note_beat(*, queue: str, host: str) -> None:
    """Record that a worker has just answered on a queue."""
    WorkerBeat.objects.update_or_create(queue=queue, defaults={"at": Now(), "host": host})
