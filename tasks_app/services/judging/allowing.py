"""Let a rater continue after a limit has stopped them: a decision of an owner, with a reason that the log keeps."""

from django.utils.translation import gettext as _

from tasks_app.models import Assignment, Rater, RaterSet, Study
from tasks_app.services import events
from tasks_app.services.database import atomically, lock_claims
from tasks_app.services.judging import assignments, leases, limits
from tasks_app.texts.plaintext import problem_in

ALLOW = "let a stopped rater continue"
LONGEST_REASON = 2000


@atomically
def allow(*, rater: Rater, by: events.Actor, reason: str) -> bool:
    """Let a stopped rater continue, and never stop them by a limit again; return whether the rater was stopped.

    Who had answered everything has then completed, and may take another set where the study has one. Who was stopped
    within a set gets back, with their next page, whatever of it is still free.

    Raises
    ------
    ValueError
        Without a reason, or where the rest of a set can be given back no more because the study is closed.
    """
    reason = reason.strip()
    if not reason or len(reason) > LONGEST_REASON:
        raise ValueError(_("Enter a reason of at most %(n)s characters.") % {"n": LONGEST_REASON})
    if problem := problem_in(reason):
        raise ValueError(problem)
    lock_claims(rater.study_id)
    fresh = leases.lock_rater(rater.pk)
    if fresh.outcome != Rater.Outcome.STOPPED or fresh.erased_at is not None:
        return False
    unanswered = Assignment.objects.filter(
        set__rater=fresh, set__state=RaterSet.State.RETURNED, state=Assignment.State.RETURNED
    )
    sets = list(unanswered.order_by("set").values_list("set", flat=True).distinct())
    if sets and fresh.study.state not in {Study.State.OPEN, Study.State.PAUSED}:
        raise ValueError(_("The study is closed, so the rest of the set cannot be given back."))
    fresh.prefs = {name: value for name, value in fresh.prefs.items() if name != limits.STOPPED} | {
        limits.ALLOWED: True
    }
    Rater.objects.filter(pk=fresh.pk).update(prefs=fresh.prefs)
    events.log(fresh.study, by, ALLOW, about=fresh.pseudonym, after={"reason": reason})
    if not sets:
        assignments.end(fresh, Rater.Outcome.COMPLETED)
        return True
    unanswered.update(state=Assignment.State.EXPIRED)
    RaterSet.objects.filter(pk__in=sets).update(state=RaterSet.State.EXPIRED)
    Rater.objects.filter(pk=fresh.pk).update(state=Rater.State.JUDGING, outcome=None, ended_at=None)
    return True
