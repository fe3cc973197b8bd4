"""Texts that were written for one rater each: how many there are, and who has none."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.db.models import Count, Exists, OuterRef, Q

from tasks_app.models import Assignment, PersonalText, Rater, Study, Task
from tasks_app.selectors.personal_texts import tasks_with_texts

# So many raters without a text are named on the page.
MOST_NAMED = 20


@dataclass(frozen=True, slots=True)
class TaskTexts:
    """The texts of one task: how many are stored and were shown, and which raters have to answer without one."""

    task: Task
    texts: int
    shown: int
    not_begun: int
    without: Sequence[str]

    @property
    def named(self) -> Sequence[str]:
        """The pseudonyms of the first raters without a text."""
        return self.without[:MOST_NAMED]

    @property
    def more(self) -> int:
        """How many further raters have no text."""
        return max(0, len(self.without) - MOST_NAMED)


def texts_of(study: Study) -> list[TaskTexts]:
    """Return each task that shows raters a text of their own, with its texts, in two queries a task."""
    return [_texts_of(task) for task in tasks_with_texts(study)]


def _texts_of(task: Task) -> TaskTexts:
    texts = PersonalText.objects.filter(study=task.study_id, task__key=task.key)
    counts = texts.aggregate(
        n=Count("pk"), shown=Count("pk", filter=Q(shown_at__isnull=False)), later=Count("pk", filter=Q(rater=None))
    )
    unanswered = Assignment.objects.filter(
        rater=OuterRef("pk"), unit__task__key=task.key, state__in=Assignment.State.WAITING
    )
    without = (
        Rater.objects.filter(study=task.study_id, kind=Rater.Kind.REAL, erased_at=None)
        .exclude(state=Rater.State.ENDED)
        .filter(Exists(unanswered), ~Exists(texts.filter(rater=OuterRef("pk"))))
    )
    names = list(without.order_by("pseudonym").values_list("pseudonym", flat=True))
    return TaskTexts(task, counts["n"], counts["shown"], counts["later"], names)


def values_of(study: Study) -> Iterator[tuple[str, str, str, str, str, str]]:
    """Yield pseudonym, group, task, condition, text and time shown of every text of a rater who has begun."""
    stored = PersonalText.objects.filter(study=study, rater__isnull=False)
    for row in stored.select_related("rater__group", "task").order_by("rater__pseudonym", "task__order", "pk"):
        assert row.rater is not None
        group = row.rater.group.key if row.rater.group is not None else ""
        shown = row.shown_at.isoformat() if row.shown_at is not None else ""
        yield row.rater.pseudonym, group, row.task.key, row.condition, row.text, shown
