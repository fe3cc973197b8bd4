"""Start the clock of a text with a set time, once, with the time that the rater wants."""

from tasks_app.models import Rater
from tasks_app.models.statements import Prepared
from tasks_app.selectors.screens import RaterScreen
from tasks_app.services.database import atomically
from tasks_app.services.judging import leases

# A clock that has started goes on, whatever time the rater would like now.
_START = Prepared(
    "start_clock",
    """
UPDATE tasks_app_assignment SET clock_started_at = clock_timestamp(), clock_seconds = %(seconds)s::float8
WHERE id = %(assignment)s AND state IN ('reserved', 'live') AND clock_started_at IS NULL RETURNING id
""",
)


@atomically
def start(*, screen: RaterScreen, choice: str) -> bool:
    """Start the clock of a text, and keep the rater's choice for the next texts of the task.

    Returns False where it had been started before, or where there is nothing to be answered any more.
    """
    time, rater = screen.kind.set_time, screen.rater
    if time is None:
        return False
    fresh = leases.lock_rater(rater.pk)
    started = _START.rows({"assignment": screen.assignment.pk, "seconds": time.allowed(choice)})
    if not started:
        return False
    chosen = {**(fresh.prefs.get("time") or {}), screen.frame.task.key: choice}
    if chosen != fresh.prefs.get("time"):
        Rater.objects.filter(pk=rater.pk).update(prefs={**fresh.prefs, "time": chosen})
    return True
