"""Start, cancel and work off runs. Rows are committed before workers are notified."""

from collections.abc import Mapping
from functools import partial
from threading import Event
from typing import Any

from django.conf import settings as project
from django.db import transaction
from django.db.models import Count, Max, Min, Q
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from analytics_app import plan as plans
from analytics_app.models import (
    UNFINISHED,
    Exclusion,
    MeasuredOutcome,
    MetricScore,
    Plan,
    Run,
    RunPart,
    RunPartKind,
    RunState,
    RunTrigger,
)
from analytics_app.ratings import metric_raters, pooled_versions, withdrawn_units
from analytics_app.ratings.extras.people import People
from analytics_app.ratings.judgment_conditions import is_given
from analytics_app.runs import claim, digest, notify, withdrawn
from analytics_app.selectors.questions import chosen, is_marked, question_of
from tasks_app.models import Assignment, Criterion, Judgment, Rater, Study, Task
from tasks_app.models.statements import rows
from tasks_app.services import events
from tasks_app.services.database import atomically
from tasks_app.services.events import Actor
from tasks_app.services.high_water import Busy, marks_of

__all__ = ["Busy", "cancel", "compute_here", "refuse", "start"]

NOTHING = "There is nothing to analyse: the study has no task."

# Seconds between two checks of a process whether other processes have finished their parts.
LOOK_SECONDS = 0.5


@atomically
def start(
    *, study: Study, by: Actor, settings: Mapping[str, Any] | None = None, trigger: str = RunTrigger.DEMAND
) -> Run:
    """Start a run over the current ratings, by the study's plan or other settings.

    If an equal run (the same ratings, settings and code) is done or under way, that run is returned. The run is
    planned if its settings are those of the frozen plan and the study is closed: an interim look is exploratory.

    Raises
    ------
    ValueError
        With one problem of the settings per line.
    Busy
        While an import stores many ratings in one transaction.
    """
    study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    if not study.is_frozen:
        raise ValueError(
            _("The study has not been opened yet, so there is nothing to analyse. Open it, or import ratings.")
        )
    frozen = plans.frozen_plan(study)
    document = _checked(study, frozen, settings)
    run = _unsaved(study, by, trigger, document, frozen if _follows(frozen, document, study) else None)
    equal = Run.objects.filter(study=study, digest=run.digest, state__in=(*UNFINISHED, RunState.DONE)).first()
    if equal is not None:
        return _taken_over(equal, by, trigger)
    run.save(force_insert=True)
    if trigger != RunTrigger.SCHEDULE:
        events.log(study, by, "started run", about=str(run.number), after={"trigger": trigger, "planned": run.planned})
    parts = parts_of(run)
    if not parts:  # done at once
        run.facts["note"] = NOTHING
        Run.objects.filter(pk=run.pk).update(state=RunState.DONE, started=Now(), finished=Now(), facts=run.facts)
    RunPart.objects.bulk_create(parts)
    ids = [part.pk for part in parts if part.state == RunPart.State.QUEUED]
    # A command works on its parts itself; workers join in at the next beat.
    if ids and trigger != RunTrigger.COMMAND:
        transaction.on_commit(partial(notify.notify_workers, ids))
    run.refresh_from_db()
    return run


def _checked(study: Study, frozen: Plan | None, settings: Mapping[str, Any] | None) -> dict[str, Any]:
    if settings is not None:
        return plans.check(settings, study)
    return plans.frozen_document(frozen, study) if frozen is not None else plans.document_of(study)


def _follows(frozen: Plan | None, document: dict[str, Any], study: Study) -> bool:
    """Return whether settings are those of the frozen plan, with the defaults of newer versions added."""
    if frozen is None:
        return False
    try:
        return document in (frozen.document, plans.frozen_document(frozen, study))
    except ValueError:  # it cannot be used any more, so it is not what is used
        return False


def _unsaved(study: Study, by: Actor, trigger: str, document: dict[str, Any], plan: Plan | None) -> Run:
    """Return a run over the current ratings, with the digest of everything its results depend on.

    `document` are its settings, and `plan` is the frozen plan if the settings follow it.
    """
    run = Run(
        study=study,
        number=(Run.objects.filter(study=study).aggregate(last=Max("number"))["last"] or 0) + 1,
        version=study.current_version,
        plan=plan,
        trigger=trigger,
        by_id=getattr(by, "pk", None),
        settings=document,
        seed=study.seed,
        code_version=project.EVALWEB_CODE_VERSION,
    )
    run.facts = withdrawn.facts_of(study)
    _look(run)
    run.facts |= {**_scored(study), **_measured(study), **_erased(study), **_people(run)}
    run.facts |= _history(run)
    # The ratings of an imported study existed before its plan. And after a planned run, somebody may have opened the
    # study again for more ratings, or have excluded ratings by hand: such a run was not planned.
    closed = study.state == Study.State.CLOSED and study.opened_at is not None
    run.planned = plan is not None and closed and "planned_before" not in run.facts
    run.digest = digest.digest_of(run)
    return run


# The marks are of the study itself, so that other studies do not change its runs. Judgments are selected before
# ratings, which are many times as many: the other order of the join takes five times as long. The judgments are those
# that analytics_app.ratings reads; a test compares the two.
_SEEN = """
WITH own AS MATERIALIZED (
    SELECT j.id, j.replaces_id, a.rater_id, a.rater_kind = 'simulated' AS simulated,
           a.purpose IN ('main', 'screening', 'exit') AND {given} AS counts
      FROM tasks_app_rater ra
      JOIN tasks_app_assignment a ON a.rater_id = ra.id
      JOIN tasks_app_judgment j ON j.assignment_id = a.id
     WHERE ra.study_id = %(study)s AND j.id <= %(judgment_high)s),
counted AS MATERIALIZED (
    SELECT id, rater_id, simulated, counts AND NOT EXISTS (SELECT 1 FROM own n WHERE n.replaces_id = own.id) AS counts
      FROM own)
SELECT COALESCE(max(r.id), 0), COALESCE((SELECT max(id) FROM own), 0), count(*) FILTER (WHERE counts),
       (SELECT count(DISTINCT rater_id) FROM counted WHERE counts),
       (SELECT count(DISTINCT rater_id) FROM counted WHERE counts AND simulated)
  FROM counted JOIN tasks_app_rating r ON r.judgment_id = counted.id
 WHERE r.id <= %(high)s
"""


def _look(run: Run) -> None:
    """Fix the ratings that a run sees: every later rating has a greater id, and no smaller id is missing.

    Ratings are counted after the lock is released, when raters continue: their new ratings are above the marks.

    Raises
    ------
    Busy
        If an import holds the submissions lock.
    """
    marks = marks_of(run.study.pk)
    run.judgment_high_water = marks.judgment
    run.facts |= before_rules(run)
    run.high_water, run.judgment_high_water, run.n_seen, n_raters, n_simulated = _counts(
        run, marks.rating, marks.judgment
    )
    run.facts |= {"raters": n_raters, "simulated_raters": n_simulated}


def counts_seen(run: Run) -> dict[str, int]:
    """Return the numbers of ratings and raters that a stored run sees, and of the simulated raters among these."""
    _high, _judgment_high, n_seen, n_raters, n_simulated = _counts(run, run.high_water, run.judgment_high_water)
    return {"n_seen": n_seen, "raters": n_raters, "simulated_raters": n_simulated}


def _counts(run: Run, high: int, judgment_high: int) -> tuple[int, ...]:
    """Return the marks, ratings, raters and simulated raters that a run sees up to two marks."""
    params = {
        "study": run.study.pk,
        "high": high,
        "judgment_high": judgment_high,
        "versions": list(pooled_versions(run.study.pk, run.version)),
        "surplus": bool(run.settings.get("surplus")),
        "added": list(run.facts.get("added", ())),
        "withdrawn": withdrawn_units(run),
        "metrics": metric_raters(run.study.pk),
    }
    ((counts),) = rows(_SEEN.format(given=is_given()), params)
    return tuple(counts)


def before_rules(run: Run) -> dict[str, Any]:
    """Return the facts that quality rules need, frozen now so that later exclusions do not change the run."""
    by_hand = Exclusion.objects.filter(study=run.study, run=None, lifted_at=None).order_by("pk")
    return {"manual_exclusions": list(by_hand.values_list("pk", flat=True)), **_replaced(run), **_added(run)}


def _replaced(run: Run) -> dict[str, list[int]]:
    """Return the ids of judgments at places that are currently reassigned to others; empty if there are none."""
    replaced = Judgment.objects.filter(assignment__rater__study=run.study, assignment__state=Assignment.State.REPLACED)
    ids = list(replaced.filter(pk__lte=run.judgment_high_water).order_by("pk").values_list("pk", flat=True))
    return {"replaced": ids} if ids else {}


def _added(run: Run) -> dict[str, Any]:
    """Return the facts of a run about judgments at places that were added while the study was open; empty without any.

    `added` are the ids of those it leaves out: at places beyond the judgments per unit that its settings count.
    `extension` counts both.
    """
    frozen = run.study.extensions.order_by().values_list("task").annotate(last=Min("after"))
    at_added = Q()
    for task, last in frozen:
        at_added |= Q(assignment__place__booklet__task=task, assignment__place__booklet__number__gt=last)
    if not at_added:
        return {}
    judged = Judgment.objects.filter(at_added, pk__lte=run.judgment_high_water).order_by("pk")
    most = run.settings.get("most_judgments") or 0
    beyond = list(judged.filter(assignment__place__number__gt=most).values_list("pk", flat=True))
    counted = judged.count() - len(beyond)
    return ({"added": beyond} if beyond else {}) | {"extension": {"counted": counted, "left": len(beyond)}}


def _scored(study: Study) -> dict[str, dict[str, int]]:
    """Return the last id and number of scores of metrics; empty if there are none. Replaced scores have new ids."""
    totals = MetricScore.objects.filter(study=study).aggregate(high=Max("pk"), n=Count("pk"))
    return {"scores": totals} if totals["n"] else {}


def _measured(study: Study) -> dict[str, dict[str, int]]:
    """Return the last id and number of outcomes measured elsewhere; empty if there are none. Uploads have new ids."""
    stored = MeasuredOutcome.objects.filter(study=study).aggregate(high=Max("pk"), n=Count("pk"))
    return {"outcomes": stored} if stored["n"] else {}


def _erased(study: Study) -> dict[str, int]:
    """Return the number of erased answers, if any: one without a rating leaves no other trace."""
    n = study.erasures.count()
    return {"erased": n} if n else {}


def _people(run: Run) -> dict[str, list[int]]:
    """Return the numbers of raters who came and ended, if a run analyses them: raters may do so without a judgment."""
    named = chosen(run.settings, None) if run.settings else ()  # a run that is refused has no settings
    if not any(People in analysis.needs for analysis in named):
        return {}
    raters = Rater.objects.filter(study=run.study).exclude(kind=Rater.Kind.SANDBOX).exclude(Rater.METRICS)
    totals = raters.aggregate(came=Count("pk"), ended=Count("ended_at"))
    return {"people": [totals["came"], totals["ended"]]}


def _history(run: Run) -> dict[str, int]:
    """Return the number of reopenings, and the number of a planned run of this version on other data.

    Other data are other ratings, or the same ratings with other manual exclusions. Exclusions deleted together with an
    erased rater do not count as a change.
    """
    study = run.study
    facts: dict[str, int] = {}
    reopened = study.events.filter(verb="opened", before__state=Study.State.CLOSED).count()
    if reopened:
        facts["reopened"] = reopened
    earlier = Run.objects.filter(study=study, version=study.current_version, planned=True, state=RunState.DONE)
    earlier = earlier.order_by("number")
    other = earlier.exclude(high_water=run.high_water, judgment_high_water=run.judgment_high_water).first()
    if other is not None:
        facts["planned_before"] = other.number
    elif (first := withdrawn.with_other_texts(run, earlier)) is not None:
        facts["planned_before"] = facts["planned_by_hand"] = first.number
    elif run.heeds_exclusions:
        existing = set(Exclusion.objects.filter(study=study, run=None).values_list("pk", flat=True))
        excluded = set(run.facts["manual_exclusions"])
        by_hand = (
            earlier_run
            for earlier_run in earlier
            if existing.intersection(earlier_run.facts.get("manual_exclusions", ())) != excluded
        )
        if (first := next(by_hand, None)) is not None:
            facts["planned_before"] = facts["planned_by_hand"] = first.number
    return facts


def _taken_over(equal: Run, by: Actor, trigger: str) -> Run:
    """Return an equal run, and notify workers again of parts that nobody has claimed yet.

    An automatic run is assigned to the requester, so that cleanup keeps it; an unfinished run of a command is assigned
    to workers.
    """
    if trigger in {RunTrigger.SCHEDULE, RunTrigger.COMMAND}:
        is_taken_over = equal.trigger == RunTrigger.SCHEDULE and trigger == RunTrigger.COMMAND
    else:
        left = equal.trigger == RunTrigger.COMMAND and equal.state in UNFINISHED
        is_taken_over = left or equal.trigger == RunTrigger.SCHEDULE
        if ids := list(claim.unnotified().filter(run=equal).values_list("pk", flat=True)):
            transaction.on_commit(partial(notify.notify_workers, ids))
    if is_taken_over:
        equal.trigger, equal.by_id = trigger, getattr(by, "pk", None)
        equal.save(update_fields=["trigger", "by"])
    return equal


def parts_of(run: Run) -> list[RunPart]:
    """Return the unsaved parts of a run: for each task its quality rules, each criterion, then the whole task.

    Parts of criteria and of a whole task wait for the quality rules.
    """
    tasks = list(Task.objects.filter(study=run.study, until=None).order_by("order", "id"))
    parts = [RunPart(kind=RunPartKind.QUALITY, task=task) for task in tasks]
    named = list(chosen(run.settings, None))
    for task in tasks:
        all_criteria = list(Criterion.objects.filter(task_criteria__task=task).order_by("task_criteria__order"))
        criteria: list[Criterion | None] = (
            [criterion for criterion in all_criteria if not is_marked(task, criterion)] if all_criteria else [None]
        )
        waiting = {"task": task, "state": RunPart.State.WAITING}
        parts += [RunPart(kind=RunPartKind.CRITERION, criterion=criterion, **waiting) for criterion in criteria]
        together = question_of(task, None, whole=True)
        if any(
            analysis.fits(together) if analysis.whole_task else len(criteria) > 1 and analysis.wants_all_criteria()
            for analysis in named
        ):
            parts.append(RunPart(kind=RunPartKind.TASK, **waiting))
    for number, part in enumerate(parts):
        part.run, part.number = run, number
    return parts


@atomically
def refuse(*, study: Study, trigger: str, problem: str) -> Run:
    """Store an automatic run that could not be started, so that researchers see the reason."""
    study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    run = _unsaved(study, None, trigger, {}, None)
    run.state, run.error, run.finished = RunState.FAILED, f"The plan cannot be used. {problem}", Now()
    run.save(force_insert=True)
    return run


@atomically
def cancel(*, run: Run, by: Actor) -> None:
    """Cancel a run that is not done: no further part is begun, and parts under way are not stored."""
    ended = Run.objects.filter(pk=run.pk, state__in=UNFINISHED)
    if ended.update(state=RunState.CANCELLED, finished=Now()):
        events.log(run.study, by, "cancelled run", about=str(run.number))
    run.refresh_from_db()


def compute_here(*, run: Run, drawn: bool = True) -> Run:
    """Work on the parts of a run in this process, along with any workers, until the run has ended.

    This process draws no charts unless `drawn`.
    """
    while run.state in UNFINISHED:
        ids = notify.longest_first(claim.due().filter(run=run)).values_list("pk", flat=True)
        if not any(claim.work(part_id, drawn=drawn) for part_id in list(ids)):
            wait_for_others()
        run.refresh_from_db()
    return run


def wait_for_others() -> None:
    """Wait a little while other processes work on parts."""
    Event().wait(LOOK_SECONDS)
