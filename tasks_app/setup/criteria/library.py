"""A library of published criteria, each worded anew, with its source and its answers for the datasheet.

`normalised_name` is the name that Howcroft et al. (2020) give to what papers call by many names; empty where they have
none.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tasks_app import task_types
from tasks_app.hooks.sections import Json
from tasks_app.models import Setup
from tasks_app.models.setup_document import SetupDocument, value_at
from tasks_app.services import events
from tasks_app.setup import changes
from tasks_app.setup.changes import Changed
from tasks_app.task_types import TaskType
from tasks_app.task_types.base import Criterion, Scale

_FILE = Path(__file__).with_name("library.json")


@dataclass(frozen=True, slots=True)
class Entry:
    """A criterion of the library.

    `question` asks about one text; `aspect` goes on after "Compare the texts by". `steps` words five steps from low to
    high. `fits` names what kinds of texts it was used for, `heds` answers questions of the datasheet by their numbers.
    """

    key: str
    name: str
    definition: str
    question: str
    aspect: str
    low: str
    high: str
    steps: tuple[str, ...]
    source: str
    normalised_name: str
    fits: tuple[str, ...]
    heds: Mapping[str, str]

    def is_about(self, words: str) -> bool:
        """Return whether all words occur in the library's entry of the criterion."""
        text = " ".join((self.name, self.definition, self.question, self.source, self.normalised_name, *self.fits))
        return all(word in text.casefold() for word in words.casefold().split())


@cache
def library() -> Mapping[str, Entry]:
    """Return the criteria of the library by their keys."""
    rows = json.loads(_FILE.read_text(encoding="utf-8"))
    return {row["key"]: Entry(**{**row, "steps": tuple(row["steps"]), "fits": tuple(row["fits"])}) for row in rows}


def search(words: str) -> list[Entry]:
    """Return the criteria that are about all words, those that have them in their name first."""
    entries = [entry for entry in library().values() if entry.is_about(words)]
    return sorted(entries, key=lambda entry: words.casefold() not in entry.name.casefold())


def as_criterion(entry: Entry, kind: TaskType) -> dict[str, Json]:
    """Return a criterion of the library as an entry of study.yaml, worded for a task type.

    A type that compares texts asks to compare them; any other asks about the text, with every step worded where the
    type has as many, else with the words of both ends.
    """
    about: dict[str, Json] = {"key": entry.key, "name": entry.name, "definition": entry.definition}
    if _compares(kind):
        about["question"] = f"Compare the texts by {entry.aspect}."
    else:
        about["question"] = entry.question
        worded = Criterion(entry.key, entry.name, question=entry.question, labels=entry.steps)
        if _takes_steps(kind, worded):
            about["labels"] = list(entry.steps)
        elif kind.scale_of(worded) is not None:
            about |= {"low": entry.low, "high": entry.high}
    named = {"4.3.1.2": f"{entry.normalised_name} (Howcroft et al. 2020)"} if entry.normalised_name else {}
    about["heds"] = {**entry.heds, **named, "source": entry.source}
    return about


def _takes_steps(kind: TaskType, worded: Criterion) -> bool:
    """Return whether the type shows the words of the steps of such a criterion."""
    outcome = kind.outcome_of(worded)
    is_in_steps = outcome is not None and outcome.scale in {Scale.ORDINAL, Scale.NOMINAL}
    return is_in_steps and not list(kind.problems([worded]))


def _compares(kind: TaskType) -> bool:
    outcome = kind.outcome_of(None)
    return kind.side_by_side and (outcome is None or outcome.scale != Scale.RATIO)


def tasks_with_criteria(document: SetupDocument) -> dict[int, str]:
    """Return the tasks of a set-up that can ask criteria: their places and their names."""
    tasks = document.value(("tasks",))
    titles = {}
    for place, task in enumerate(tasks if isinstance(tasks, list) else []):
        member = task_types.registry.get(str(value_at(task, ("type",))))
        if member is not None and member.criteria_needed[1] != 0:
            titles[place] = str(task.get("title") or task.get("key") or member.label)
    return titles


def add(*, setup: Setup, task: int, keys: Sequence[str], by: events.Actor) -> Changed:
    """Append criteria of the library to a set-up, and to one of its tasks; present criteria stay as they are.

    Raises
    ------
    LookupError
        Where the library has no such criterion, or the set-up no such task.
    tasks_app.services.study.drafts.NotADraft
        Where the study was opened meanwhile.
    """
    document = setup.document
    if task not in tasks_with_criteria(document):
        raise LookupError(task)
    kind = kind_of_task(document, task)
    criteria = _list(document, ("criteria",))
    task_criteria = _list(document, ("tasks", task, "criteria"))
    known = {entry.get("key") for entry in document.entries("criteria")}
    added = [as_criterion(library()[key], kind) for key in dict.fromkeys(keys) if key not in known]
    values: dict[tuple[str | int, ...], Json] = {
        ("criteria",): [*criteria, *added],
        ("tasks", task, "criteria"): [
            *task_criteria,
            *(key for key in dict.fromkeys(keys) if key not in task_criteria),
        ],
    }
    return changes.change(setup=setup, values=values, base=setup.revision, by=by)


def kind_of_task(document: SetupDocument, task: int) -> TaskType:
    """Return the type of a task with its parameters, or with the usual ones where these are wrong as yet."""
    member = task_types.registry[str(document.value(("tasks", task, "type")))]
    try:
        return member(document.value(("tasks", task, "params")) or {})
    except (ValueError, TypeError, AttributeError):
        return member()


def _list(document: SetupDocument, path: tuple[str | int, ...]) -> list[Json]:
    value = document.value(path)
    return value if isinstance(value, list) else []
