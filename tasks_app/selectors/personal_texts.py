"""Texts that were written for one rater each."""

from tasks_app.models import PersonalText, Rater, Study, Task
from tasks_app.task_types.samples import PERSONAL_TEXT


def shown_text(rater: Rater, task: str) -> str:
    """Return the text that a rater was shown in the task of a key; empty where there was none.

    Trial raters and simulated raters without a text see a placeholder.
    """
    texts = PersonalText.objects.filter(rater=rater, task__key=task, shown_at__isnull=False)
    text = texts.values_list("text", flat=True).first()
    return str(PERSONAL_TEXT) if text is None and is_pretended(rater) else text or ""


def is_pretended(rater: Rater) -> bool:
    """Return whether a rater is simulated or tries the study out, so that nobody writes texts for them."""
    return rater.kind in {Rater.Kind.SANDBOX, Rater.Kind.SIMULATED}


def tasks_with_texts(study: Study) -> list[Task]:
    """Return the tasks of a study that show each rater a text of their own, in order."""
    tasks = Task.objects.filter(study=study, until=None).prefetch_related("task_groups").order_by("order", "id")
    return [task for task in tasks if task.kind.shows_personal_text()]
