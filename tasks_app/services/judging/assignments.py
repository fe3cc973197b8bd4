"""Give raters their next unit, and end raters: those who have finished, stop, or left without a word."""

from collections.abc import Sequence

from django.db import transaction
from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from tasks_app import channels
from tasks_app.links.credentials import new_code
from tasks_app.models import SECONDS_STARTED, Assignment, Event, Rater, RaterSet, Study, Task, seconds_since
from tasks_app.models.statements import PreparedQuery
from tasks_app.selectors import document_pages, screens
from tasks_app.selectors.document_pages import texts_of
from tasks_app.services import events, pay
from tasks_app.services.arrival import enrolment, groups
from tasks_app.services.database import atomically, lock_claims, retried
from tasks_app.services.judging import claims, grading, leases, limits
from tasks_app.services.waves import schedule
from tasks_app.task_types.texts import MOST_ON_A_PAGE

Purpose = Assignment.Purpose

# Log entry about a rater who is stopped because they passed a limit.
STOP = "stopped a rater"


def next_page(*, rater: Rater) -> list[Assignment]:
    """Return the units on a rater's next page, shown from now on, with the lease of their set lengthened.

    Who comes back after the lease gets whatever of the set is still free. Empty where nothing is left: the rater
    has ended then, or has nothing to do.
    """
    if rater.state == Rater.State.ENDED:
        return []
    if (outcome := grading.outcome_decided(rater.prefs)) is not None:
        # Decided with the last answer; the process that stored it did not get as far as this.
        stop(rater=rater, outcome=outcome)
        return []
    if page := _show_next(rater=rater):
        return page
    come_back(rater=rater)
    page = _show_next(rater=rater)
    if not page:
        end_if_done(rater=rater)
    return page


# The waiting units among which those of a document are looked for. The design leaves them together, but for checks.
_MOST_IN_REACH = 1_000


def _waiting(most: int) -> PreparedQuery[Assignment]:
    """Return the query for a rater's next units, with their drafts: so many at most."""
    return PreparedQuery(
        f"waiting_units_{most}",
        lambda rater: (
            Assignment.objects.filter(rater=rater, state__in=Assignment.State.WAITING)
            .filter(Q(set__opens_at=None) | Q(set__opens_at__lte=Now()))
            .filter(Q(set__closes_at=None) | Q(set__closes_at__gt=Now()))
            .select_related("unit", "set", "draft")
            .annotate(**{SECONDS_STARTED: seconds_since("clock_started_at")})
            .order_by("order")[:most]
        ),
        rater=-1,
    )


_WAITING, _WAITING_IN_REACH = _waiting(MOST_ON_A_PAGE), _waiting(_MOST_IN_REACH)


@retried
def _show_next(*, rater: Rater) -> list[Assignment]:
    """Return the units on a rater's next page, marked as shown by a statement that is a transaction of its own."""
    waiting = _WAITING.fetch(rater=rater.pk)
    if len(waiting) == MOST_ON_A_PAGE and _begins_document(waiting[0], rater.study):
        waiting = _WAITING_IN_REACH.fetch(rater=rater.pk)
    page = page_of(waiting, rater.study)
    return leases.show(page, rater) if page else []


def _begins_document(first: Assignment, study: Study) -> bool:
    """Return whether the page that begins with a unit shows a whole document."""
    kind = screens.frame_of(first.unit.task_id, study).kind
    return first.purpose in Purpose.JUDGED and kind.shows_documents


def page_of(waiting: Sequence[Assignment], study: Study) -> list[Assignment]:
    """Return the units of one page among some: the first, and those after it that go with it.

    They are judged, of one set, and ask the same criterion where each asks its own. They are those of one document
    where their task shows whole documents; else they are at most as many as their task says, in their order. A text
    never stands beside its repeat or its degraded copy: the page ends before that.
    """
    if not waiting:
        return []
    first, page = waiting[0], [waiting[0]]
    if first.purpose not in Purpose.JUDGED:
        return page
    if _begins_document(first, study):
        return document_pages.on_page([first, *(one for one in waiting[1:] if _goes_with(one, first))], study)
    most = screens.frame_of(first.unit.task_id, study).kind.texts_on_page
    for assignment in waiting[1:most]:
        units = {of_page for shown in page for of_page in texts_of(shown)}
        if not _goes_with(assignment, first) or units & texts_of(assignment):
            break
        page.append(assignment)
    return page


def _goes_with(assignment: Assignment, first: Assignment) -> bool:
    """Return whether a unit may stand on the page that begins with another."""
    criterion, criterion_of_first = (shown.unit.features.get("criterion") for shown in (assignment, first))
    is_of_set = assignment.set_id == first.set_id is not None
    return is_of_set and assignment.purpose in Purpose.JUDGED and criterion == criterion_of_first


@atomically
def open_chosen(*, rater: Rater, assignment: Assignment) -> bool:
    """Show a unit that a rater has chosen from their set; False where it is not theirs to answer now."""
    if rater.state == Rater.State.ENDED or assignment.state not in Assignment.State.WAITING:
        return False
    return bool(leases.show([assignment], rater))


@atomically
def come_back(*, rater: Rater) -> int:
    """Give a rater who comes back late the units of their sets that are still free; return the number of units."""
    lock_claims(rater.study_id)
    leases.lock_rater(rater.pk)
    if RaterSet.objects.filter(rater=rater, state=RaterSet.State.OPEN, closes_at__lte=Now()).exists():
        # Places of a closed wave are freed by the first request after it: no worker need run.
        leases.free_expired(rater.study_id)
    expired = RaterSet.objects.filter(
        Exists(Assignment.objects.filter(set=OuterRef("pk"), state=Assignment.State.EXPIRED)),
        Q(closes_at=None) | Q(closes_at__gt=Now()),
        rater=rater,
        state=RaterSet.State.EXPIRED,
    )
    last = Q(task__stage=Task.Stage.EXIT)
    revived = _revive(expired.exclude(last), rater)
    if not revived and _answered_in_vain(rater) and _claim_again(rater):
        # Nobody is turned away after working: a new set, as for who lost theirs before the first answer.
        revived = Assignment.objects.filter(rater=rater, state__in=Assignment.State.WAITING).count()
    if _has_texts(rater):
        revived += _revive(expired.filter(last), rater)
    groups.settle(rater)
    return revived


def _revive(sets: QuerySet[RaterSet], rater: Rater) -> int:
    return sum(leases.revive(pk, rater) for pk in sets.order_by("number").values_list("pk", flat=True))


def _answered_in_vain(rater: Rater) -> bool:
    """Return whether others had every text that a rater judged by then, and have the rest of the set as well."""
    main = Assignment.objects.filter(rater=rater, purpose=Purpose.MAIN)
    states = set(main.values_list("state", flat=True))
    in_vain = {Assignment.State.SURPLUS, Assignment.State.EXPIRED}
    return in_vain <= states <= {*in_vain, Assignment.State.RETURNED, Assignment.State.PASSED_OVER}


def _has_texts(rater: Rater) -> bool:
    """Return whether a rater has judged something or still can; otherwise the last questions would be about nothing."""
    main = Assignment.objects.filter(rater=rater, purpose=Assignment.Purpose.MAIN)
    return main.filter(Q(state__in=Assignment.State.WAITING) | Q(judgments__isnull=False)).exists()


def is_waiting(rater: Rater) -> bool:
    """Return whether all that a rater has left to answer opens later."""
    unanswered_sets = RaterSet.objects.filter(rater=rater, state=RaterSet.State.OPEN).filter(
        Exists(Assignment.objects.filter(set=OuterRef("pk"), state__in=Assignment.State.WAITING))
    )
    opened = unanswered_sets.aggregate(n=Count("pk"), later=Count("pk", filter=Q(opens_at__gt=Now())))
    return rater.state != Rater.State.ENDED and bool(opened["n"]) and opened["n"] == opened["later"]


@atomically
def end_if_done(*, rater: Rater) -> bool:
    """End a rater who has answered all that they can be given; return whether the rater has ended."""
    lock_claims(rater.study_id)
    fresh = leases.lock_rater(rater.pk)
    if fresh.state != Rater.State.ENDED:
        if Assignment.objects.filter(rater=rater, state__in=Assignment.State.WAITING).exists():
            return False
        main = Assignment.objects.filter(rater=rater, purpose=Assignment.Purpose.MAIN)
        answered = main.filter(judgments__isnull=False).exists()
        if not answered and _claim_again(rater):
            # Everything went to others before the first answer: a new set, as at arrival.
            return False
        end(fresh, _outcome_of_what_is_done(rater) if answered else Rater.Outcome.FULL)
    rater.refresh_from_db()
    return True


def _outcome_of_what_is_done(rater: Rater) -> str:
    """Return the outcome of a rater who has answered something and has nothing left.

    A code for those who completed is worth a whole reward on a platform. So it is not for who stays away until others
    have taken the rest, nor for who lets the last wave close; both are paid for what they did.
    """
    # A set that was lost whole is made up for by the next one of its task.
    last_sets = RaterSet.objects.filter(rater=rater).order_by("task_id", "-number").distinct("task_id")
    lost = Assignment.objects.filter(
        set__in=list(last_sets), purpose=Assignment.Purpose.MAIN, state=Assignment.State.EXPIRED, judgments=None
    )
    if lost.filter(Q(set__closes_at=None) | Q(set__closes_at__gt=Now())).exists():
        return Rater.Outcome.FULL
    last = RaterSet.objects.filter(rater=rater, task__stage=Task.Stage.MAIN).aggregate(wave=Max("wave"))["wave"]
    return Rater.Outcome.TIMED_OUT if lost.filter(set__wave=last).exists() else Rater.Outcome.COMPLETED


def _claim_again(rater: Rater) -> bool:
    leases.free_expired(rater.study_id)
    tasks = [task for task in schedule.not_over(rater) if task.stage == Task.Stage.MAIN]
    claimed = [claims.claim(rater, task) for task in tasks]
    groups.settle(rater)
    return any(rater_set is not None for rater_set in claimed)


def end(rater: Rater, outcome: str) -> None:
    """Store that a rater has ended, with the outcome and the code that proves it.

    Whoever has completed but has passed a limit of the study is stopped: they may take no further set.
    """
    outcome = _stopped_by_a_limit(rater) if outcome == Rater.Outcome.COMPLETED else outcome
    rater.state, rater.outcome = Rater.State.ENDED, outcome
    rater.completion_code = rater.study.options.codes.of(outcome) or rater.completion_code or new_code()
    RaterSet.objects.filter(rater=rater, state=RaterSet.State.OPEN).update(state=RaterSet.State.FINISHED)
    Rater.objects.filter(pk=rater.pk).update(
        state=rater.state, outcome=outcome, completion_code=rater.completion_code, ended_at=Now()
    )
    if outcome == Rater.Outcome.STOPPED and rater.kind in Rater.Kind.COUNTED:
        events.log(rater.study, None, STOP, about=rater.pseudonym, after=rater.prefs.get(limits.STOPPED))
    if outcome == Rater.Outcome.COMPLETED and rater.study.rehearses is not None:
        _log_whole_rehearsal(rater.study.rehearses)
    groups.settle(rater)
    grading.mark_at_end(rater)
    pay.record(rater)


def _log_whole_rehearsal(draft: Study) -> None:
    """Let the log of a draft keep, once, that it was rated on trial to the end: the rehearsal itself is deleted."""
    if not Event.objects.filter(study=draft, verb=Event.TRIED, object=Event.WHOLE_REHEARSAL).exists():
        events.log(draft, None, Event.TRIED, about=Event.WHOLE_REHEARSAL)


def _stopped_by_a_limit(rater: Rater) -> str:
    """Return the outcome of a rater who has answered everything, and keep the limit that they have passed."""
    if (passed := grading.passed_at_end(rater)) is not None:
        # Read again: a message may have been left since the page was asked for. The row is locked.
        prefs = Rater.objects.values_list("prefs", flat=True).get(pk=rater.pk)
        rater.prefs = {**prefs, limits.STOPPED: passed.as_stored()}
        Rater.objects.filter(pk=rater.pk).update(prefs=rater.prefs)
    return Rater.Outcome.STOPPED if rater.prefs.get(limits.STOPPED) else Rater.Outcome.COMPLETED


@atomically
def stop(*, rater: Rater, outcome: str = Rater.Outcome.WITHDRAWN) -> None:
    """Let a rater stop here: their answers stay, their open units go to somebody else."""
    lock_claims(rater.study_id)
    leave_early(rater, outcome)


def leave_early(rater: Rater, outcome: str) -> None:
    """End a rater before everything is answered and give their open units to others, under the claims lock."""
    fresh = leases.lock_rater(rater.pk)
    if fresh.state == Rater.State.ENDED:
        return
    waiting = RaterSet.objects.filter(rater=rater, state__in=(RaterSet.State.OPEN, RaterSet.State.EXPIRED))
    sets = list(waiting.order_by("pk").values_list("pk", flat=True))
    RaterSet.objects.filter(pk__in=sets).update(state=RaterSet.State.RETURNED)
    leases.leave(sets, Assignment.State.RETURNED)
    end(fresh, outcome)
    rater.refresh_from_db(fields=["state", "outcome", "completion_code", "ended_at"])


@atomically
def take_another(*, rater: Rater) -> bool:
    """Reserve another set for a rater who has finished one; False where there is none, or they may take no more."""
    lock_claims(rater.study_id)
    fresh = leases.lock_rater(rater.pk)
    if not may_take_another(fresh):
        return False
    if not _claim_again(fresh):
        return False
    Rater.objects.filter(pk=rater.pk).update(state=Rater.State.JUDGING, outcome=None, ended_at=None)
    rater.refresh_from_db()
    return True


def may_take_another(rater: Rater) -> bool:
    """Return whether a rater has completed fewer sets than the study allows and the study is still open."""
    if rater.outcome not in {Rater.Outcome.COMPLETED, Rater.Outcome.FULL} or rater.study.state != Study.State.OPEN:
        return False
    tasks = max(1, sum(task.stage == Task.Stage.MAIN for task in enrolment.tasks_of(rater)))
    sets = RaterSet.objects.filter(rater=rater, task__stage=Task.Stage.MAIN)
    if rater.outcome == Rater.Outcome.FULL:
        # A set that went to others before its first answer was not taken: who found all places taken may begin again.
        sets = sets.filter(n_answered__gt=0)
    return sets.count() < rater.study.options.sets_per_rater * tasks


def may_resume(rater: Rater) -> bool:
    """Return whether a rater may go on after the platform reported their end, in case it lets them in again."""
    if rater.outcome not in Rater.Outcome.ENDED_THERE or rater.study.state != Study.State.OPEN:
        return False
    return rater.channel in channels.registry and bool(channels.registry[rater.channel].statuses)


class _NothingLeftError(Exception):
    """Nothing is left of a rater's sets, nor is there another set."""


@atomically
def resume(*, rater: Rater) -> bool:
    """Let a rater go on after the platform reported their end; return False if no work is left, or they may not.

    They get what is still free of their sets, or another set, as raters do who come back late. Their earlier answers
    count, and the pay for those is a part of what they are paid in the end.
    """
    lock_claims(rater.study_id)
    if not may_resume(leases.lock_rater(rater.pk)):
        return False
    try:
        with transaction.atomic():
            _take_up_again(rater)
    except _NothingLeftError:
        return False
    finally:
        rater.refresh_from_db()
    return True


def _take_up_again(rater: Rater) -> None:
    """Reopen the sets that were returned when a rater ended, as far as they are free. Raises _NothingLeftError."""
    leases.free_expired(rater.study_id)
    began = Rater.State.ENROLLED if rater.instructed_at is None else Rater.State.JUDGING
    Rater.objects.filter(pk=rater.pk).update(state=began, outcome=None, ended_at=None)
    rater.refresh_from_db()
    sets = list(RaterSet.objects.filter(rater=rater, state=RaterSet.State.RETURNED).values_list("pk", flat=True))
    given_back = Assignment.objects.filter(set__in=sets, state=Assignment.State.RETURNED)
    given_back.update(state=Assignment.State.EXPIRED)
    RaterSet.objects.filter(pk__in=sets).update(state=RaterSet.State.EXPIRED)
    come_back(rater=rater)
    main = Assignment.objects.filter(rater=rater, purpose=Purpose.MAIN, state__in=Assignment.State.WAITING)
    if not main.exists() and not _claim_again(rater):
        raise _NothingLeftError


@atomically
def keep(*, rater: Rater) -> None:
    """Keep the sets of a rater who reads: a page without units is a sign of life as well."""
    leases.renew(rater)


def start(*, rater: Rater) -> None:
    """Store that a rater has read the instructions and begins."""
    Rater.objects.filter(pk=rater.pk, state=Rater.State.ENROLLED).update(state=Rater.State.JUDGING, instructed_at=Now())


def absent_raters(study: Study) -> QuerySet[Rater]:
    """Return the raters of a closed study who have not ended, hold no lease and wait for no later wave."""
    if study.state != Study.State.CLOSED:
        return Rater.objects.none()
    sets = RaterSet.objects.filter(rater=OuterRef("pk"))
    held = sets.filter(
        Q(lease_until__gt=Now(), state=RaterSet.State.OPEN) | Q(opens_at__gt=Now()) | Q(closes_at__gt=Now())
    )
    raters = Rater.objects.filter(study=study, kind__in=Rater.Kind.COUNTED, erased_at=None)
    return raters.exclude(state=Rater.State.ENDED).filter(~Exists(held)).order_by("pk")


def end_absent(*, study: Study, by: events.Actor) -> int:
    """End raters who left without a word, as if they had stopped, each in a transaction of its own; return how many."""
    raters = list(absent_raters(study).select_related("study"))
    for rater in raters:
        stop(rater=rater)
    if raters:
        events.log(study, by, "absent raters ended", after={"raters": len(raters)})
    return len(raters)
