"""Show raters the text that was written for them alone; from then on it does not change."""

from django.db.models.functions import Now

from tasks_app.models import Assignment, PersonalText
from tasks_app.selectors.personal_texts import is_pretended
from tasks_app.selectors.screens import RaterScreen
from tasks_app.services.database import atomically


def show(*, screen: RaterScreen) -> bool:
    """Mark a rater's own text as shown; False where the rater has to wait for it.

    A screen without such texts can always be shown. One statement marks the text, so that an upload replaces it
    before or is refused.
    """
    kind = screen.kind
    if not kind.shows_personal_text():
        return True
    return _mark(screen) or not kind.waits_for_personal_text() or is_pretended(screen.rater)


@atomically
def _mark(screen: RaterScreen) -> bool:
    """Mark the text of a rater as shown; return whether there is one."""
    texts = PersonalText.objects.filter(rater=screen.rater, task__key=screen.frame.task.key)
    if texts.filter(shown_at=None).update(shown_at=Now()):
        # The time of an answer begins with the text, not with the wait for it.
        Assignment.objects.filter(pk=screen.assignment.pk).update(first_shown=Now())
        return True
    return texts.exists()
