"""The smallest difference that a study of a given size can show; the app above adds functions that compute it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tasks_app.task_types import TaskType


@dataclass(frozen=True, slots=True)
class TaskSize:
    """The comparisons of a task, and their number.

    Parameters
    ----------
    kind : TaskType
        With the parameters of the task.
    items : int
        Items with texts of two systems or more.
    systems : int
        Systems that are judged.
    units : int
        Units to be judged.
    per_text : float
        Judgments of each text.
    judgments : int
        Judgments in all.
    raters : int
        Raters in all, if each judges one set.
    """

    kind: TaskType
    items: int
    systems: int
    units: int
    per_text: float
    judgments: int
    raters: int


Sentence = Callable[[TaskSize], str]

_sentences: list[Sentence] = []


def register(sentence: Sentence) -> None:
    """Register a function that words the smallest difference; registering it twice has no effect."""
    if sentence not in _sentences:
        _sentences.append(sentence)


def smallest_difference(size: TaskSize) -> str:
    """Return the difference that a task of this size shows, with its power; empty if nothing is known about it."""
    return next((text for sentence in _sentences if (text := sentence(size))), "")
