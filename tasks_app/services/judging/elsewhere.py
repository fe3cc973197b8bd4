"""Tasks on another site: give out the token of a task, and store the events that the site reports by it.

The tokens are derived from the server's key, and only their hashes are stored. Events are appended under the lock of
the assignment, which an answer takes as well, so that the answer has every event that was confirmed before it.
"""

from enum import Enum
from typing import Any

from django.db.models.functions import Now

from tasks_app.links.credentials import hash_token, token_elsewhere
from tasks_app.models import Assignment, Rater, seconds_since
from tasks_app.selectors.screens import RaterScreen
from tasks_app.services.database import atomically
from tasks_app.services.judging import leases
from tasks_app.task_types.errand import DONE, with_token

# Far more than people do in a task, and few enough that a faulty site fills no disk.
MOST_EVENTS, MOST_A_MINUTE = 200, 60


class Reported(Enum):
    """The ways in which a reported event ends."""

    STORED = "stored"
    # Finished already: stored once.
    KNOWN = "known"
    OVER = "over"
    TOO_FAST = "too fast"
    TOO_MANY = "too many"


def is_open(screen: RaterScreen, state: str = "") -> bool:
    """Return whether a task can still be done: it is not answered, or was skipped and may be answered after all.

    `state` is that of the assignment, where it was read again.
    """
    state = state or screen.assignment.state
    may_change = screen.may_change and screen.rater.state != Rater.State.ENDED
    return state in Assignment.State.UNANSWERED or (state == Assignment.State.SKIPPED and may_change)


@atomically
def open_task(*, screen: RaterScreen) -> str:
    """Open the task of a screen on the other site, and return the address with the token; empty where it is over.

    Opened again, the task has the same token and keeps its events.
    """
    assignment = screen.assignment
    leases.renew(screen.rater)
    fresh = Assignment.objects.select_for_update().get(pk=assignment.pk)
    if not (screen.address_elsewhere and is_open(screen, fresh.state)):
        return ""
    token = token_elsewhere(assignment.pk)
    if fresh.elsewhere_opened_at is None:
        opened = Assignment.objects.filter(pk=assignment.pk)
        opened.update(elsewhere_hash=hash_token(token), elsewhere_opened_at=Now(), elsewhere_events=[])
    elif fresh.elsewhere_hash != hash_token(token):
        # The server has another key since.
        Assignment.objects.filter(pk=assignment.pk).update(elsewhere_hash=hash_token(token))
    return with_token(screen.address_elsewhere, token)


@atomically
def report(*, assignment: Assignment, event: str, detail: Any = None) -> Reported:
    """Append an event to those of a task, with the seconds since the task was opened, and lengthen the rater's lease.

    `detail` is any value that JSON has; without one the event has none. That the task is finished is always stored,
    however many events there are.
    """
    leases.renew(assignment.rater, writes=True)
    locked = Assignment.objects.select_for_update(of=("self",))
    fresh = locked.annotate(seconds_open=seconds_since("elsewhere_opened_at")).get(pk=assignment.pk)
    if fresh.elsewhere_opened_at is None or not is_open(RaterScreen(assignment.rater, assignment), fresh.state):
        return Reported.OVER
    events: list[dict[str, Any]] = fresh.elsewhere_events
    if event == DONE and any(earlier["event"] == DONE for earlier in events):
        return Reported.KNOWN
    now = round(max(0.0, fresh.seconds_open), 1)
    if event != DONE and len(events) >= MOST_EVENTS:
        return Reported.TOO_MANY
    if event != DONE and sum(earlier["at"] > now - 60 for earlier in events) >= MOST_A_MINUTE:
        return Reported.TOO_FAST
    added = {"event": event, "at": now} | ({} if detail is None else {"detail": detail})
    Assignment.objects.filter(pk=assignment.pk).update(elsewhere_events=[*events, added])
    return Reported.STORED
