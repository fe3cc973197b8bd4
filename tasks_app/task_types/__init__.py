"""The task types: one pure module each, found by this package and known under its module's name.

Whatever a task type of your own is written with can be imported from here (docs/extending.md).
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from types import MappingProxyType

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from tasks_app.settings.fields import YesNoField, choice_field, line_field, number_field, whole_field
from tasks_app.task_types.base import (
    Act,
    AnsweredOption,
    AnsweredQuestion,
    Arrangement,
    Compared,
    Criterion,
    Feedback,
    GoldAnswer,
    Graded,
    Instruction,
    ItemTexts,
    LaidOver,
    MarkedText,
    Media,
    Outcome,
    OutputText,
    Parameters,
    Part,
    Piece,
    Quality,
    Sample,
    Scale,
    Screen,
    ScreenForm,
    ShownPart,
    TaskType,
    UnitDraft,
    Value,
    Words,
    described,
)
from tasks_app.task_types.grid import GridType
from tasks_app.task_types.registry import register, registry
from tasks_app.task_types.simulation import share_of
from tasks_app.task_types.texts import SeveralTexts, SingleOrTogether, TextType

registry.discover(__name__)

__all__ = [
    "Act",
    "AnsweredOption",
    "AnsweredQuestion",
    "Arrangement",
    "Compared",
    "Criterion",
    "Feedback",
    "GoldAnswer",
    "Graded",
    "GridType",
    "Instruction",
    "ItemTexts",
    "LaidOver",
    "MarkedText",
    "Media",
    "Outcome",
    "OutputText",
    "Parameters",
    "Part",
    "Piece",
    "Quality",
    "Sample",
    "Scale",
    "Screen",
    "ScreenForm",
    "SeveralTexts",
    "ShownPart",
    "SingleOrTogether",
    "TaskType",
    "TextType",
    "UnitDraft",
    "Value",
    "Words",
    "YesNoField",
    "choice_field",
    "described",
    "exchanged_labels",
    "kind_of",
    "line_field",
    "name_of",
    "names_of",
    "number_field",
    "register",
    "registry",
    "share_of",
    "whole_field",
]


def kind_of(task_type: str, params: Mapping[str, object]) -> TaskType:
    """Return a task type with stored parameters. It cannot be changed, so equal ones are made only once.

    Raises
    ------
    UnknownMember
        If no task type has this name.
    ValueError
        With every problem of the parameters, one a line.
    """
    # Defaults that are words are in the language of whoever asks.
    return _made(registry[task_type], json.dumps(params, sort_keys=True), get_language())


@cache
def exchanged_labels() -> Mapping[str, str]:
    """Return the label that replaces each one where the two texts of a pair are named in the other order."""
    return MappingProxyType(
        {
            word: other
            for task_type in registry.values()
            for outcome in task_type.outcomes
            for word, other in zip(outcome.exchanged, reversed(outcome.exchanged), strict=True)
        }
    )


@lru_cache(maxsize=512)
def _made(task_type: type[TaskType], params: str, _language: str | None) -> TaskType:
    return task_type(json.loads(params))


def name_of(task_type: str, number: int) -> str:
    """Return the name of a task without a title: that of its type, and behind the first task its number in the study.

    The type itself is the name where no type is called so.
    """
    label = str(registry[task_type].label) if task_type in registry else task_type
    return label if number <= 1 else _("%(type)s (task %(n)d)") % {"type": label, "n": number}


def names_of(tasks: Iterable[tuple[str, str, str, int]]) -> dict[str, str]:
    """Return the names of the tasks of a study by key: each has its title, or the name of its type (`name_of`).

    `tasks` are their keys, titles, types and numbers in the study. Tasks that would have one name have their numbers
    behind it.
    """
    listed = [(key, title or name_of(task_type, number), number) for key, title, task_type, number in tasks]
    times = Counter(name for _key, name, _number in listed)
    return {
        key: name if times[name] == 1 else _("%(type)s (task %(n)d)") % {"type": name, "n": number}
        for key, name, number in listed
    }
