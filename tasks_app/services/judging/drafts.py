"""Store the choices of a rater before they are sent, and tell when there is nothing left to draft."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from tasks_app.models import Assignment, Draft
from tasks_app.selectors.screens import RaterScreen
from tasks_app.services.database import atomically
from tasks_app.services.judging import leases

State = Assignment.State


class Ended(StrEnum):
    """The reason for a rater why there is nothing to draft or to answer in an assignment."""

    ANSWERED = "answered"
    # Answered or skipped, in a study whose raters cannot change that.
    SETTLED = "settled"
    SKIPPED = "skipped"
    # The rater stopped, or the place was given back by the platform.
    STOPPED = "stopped"


class Over(Exception):
    """The rater has stopped, or there is nothing to draft, since the assignment was answered or skipped; `why` says."""

    def __init__(self, why: Ended = Ended.STOPPED) -> None:
        super().__init__(why)
        self.why = why


@dataclass(frozen=True, slots=True)
class SavedDraft:
    """Whether a draft was stored, and the counter of the newest stored draft."""

    saved: bool
    counter: int


@atomically
def save_draft(*, screen: RaterScreen, counter: int, answer: Mapping[str, Any]) -> SavedDraft:
    """Store the draft of an answer and lengthen the lease; an older draft never overwrites a newer one.

    Raises
    ------
    Over
        Where the assignment has been answered or given back, so that there is nothing to draft.
    """
    assignment = screen.assignment
    leases.renew(screen.rater, writes=_has_news(assignment, counter, answer))
    state = Assignment.objects.select_for_update().values_list("state", flat=True).get(pk=assignment.pk)
    if state not in State.UNANSWERED:
        raise Over(_why_over(state, may_change=screen.may_change))
    Draft.objects.bulk_create([Draft(assignment=assignment, counter=0)], ignore_conflicts=True)
    newer = Draft.objects.filter(assignment=assignment, counter__lt=counter).update(counter=counter, answer=answer)
    newest = Draft.objects.values_list("counter", flat=True).get(assignment=assignment)
    return SavedDraft(bool(newer), newest)


def counter_of(assignment: Assignment) -> int:
    """Return the counter of the stored draft of an assignment; 0 where there is none."""
    return Draft.objects.filter(assignment=assignment).values_list("counter", flat=True).first() or 0


def _why_over(state: str, *, may_change: bool) -> Ended:
    if state not in State.DONE:
        return Ended.STOPPED
    if not may_change:
        return Ended.SETTLED
    return Ended.SKIPPED if state == State.SKIPPED else Ended.ANSWERED


def _has_news(assignment: Assignment, counter: int, answer: Mapping[str, Any]) -> bool:
    """Return whether a draft holds something that the stored one does not: sent again, it keeps no set."""
    stored = Draft.objects.filter(assignment=assignment).values_list("counter", "answer").first()
    return any(answer.values()) and (stored is None or (counter > stored[0] and answer != stored[1]))
