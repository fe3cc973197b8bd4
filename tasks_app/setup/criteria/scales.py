"""The number of steps of a question with words, as the tasks that ask it say."""

from collections.abc import Sequence

from tasks_app.models.setup_document import SetupDocument
from tasks_app.setup.criteria.library import kind_of_task, tasks_with_criteria
from tasks_app.task_types import TaskType
from tasks_app.task_types.base import Criterion

# The numbers of steps that are tried; more than one that fits means that the researcher decides.
_TRIED = range(2, 12)


def steps_worded(document: SetupDocument, key: str) -> int | None:
    """Return the number of steps of a question in the tasks that ask it, the most of several.

    0 where none of them shows words of steps, None where there can be any number.
    """
    kinds = _asking(document, key)
    numbers = [_steps_of(kind) for kind in kinds]
    if not numbers or None in numbers:
        return None
    return max(number for number in numbers if number is not None)


def has_scale(document: SetupDocument, key: str) -> bool:
    """Return whether a task that asks a question may show words of a scale: ends or steps.

    Answers of fixed labels, such as the better one of two texts, have none.
    """
    kinds = _asking(document, key)
    # A comparison has labels of its own, but its question about the strength has steps: the key tells them apart.
    question = _question(("1", "2"), key)
    fixed = [kind.labels_of(question) for kind in kinds]
    return not kinds or any(labels is None or "1" in labels for labels in fixed)


def may_have_wordings(document: SetupDocument, key: str) -> bool:
    """Return whether the tasks that ask a question can ask it in several wordings."""
    kinds = _asking(document, key)
    return bool(kinds) and all(kind.has_wordings for kind in kinds)


def _asking(document: SetupDocument, key: str) -> list[TaskType]:
    """Return the types of the tasks that ask a question; of all tasks with questions if none does as yet."""
    places = tasks_with_criteria(document)
    asking = [place for place in places if key in (document.value(("tasks", place, "criteria")) or ())]
    return [kind_of_task(document, place) for place in asking or places]


def _steps_of(kind: TaskType) -> int | None:
    """Return the number of steps that can be worded for a type: 0 for none, None for any number."""
    plain = set(kind.problems([_question(())]))
    fitting = [n for n in _TRIED if set(kind.problems([_question([str(step) for step in range(n)])])) <= plain]
    return None if len(fitting) > 1 else fitting[0] if fitting else 0


def _question(labels: Sequence[str], key: str = "question") -> Criterion:
    return Criterion(key, "Question", question="?", labels=tuple(labels))
