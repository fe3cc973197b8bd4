"""The buttons of a step's form: the values that each of them sets, by the name of its action.

A button posts its action and the name of what it acts on, such as "remove:criteria.0". To add a button, write a
function that returns the values which it sets, and name it in `_VALUES`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from django.utils.datastructures import MultiValueDict

from tasks_app import task_types
from tasks_app.hooks.sections import Json, Path
from tasks_app.setup import attention
from tasks_app.setup.changes import Edit
from tasks_app.setup.controls import name_of, path_of
from tasks_app.setup.entries import new_key
from tasks_app.setup.names import language_read
from tasks_app.setup.numbers import size_of_last_task
from tasks_app.setup.page import SetupPage
from tasks_app.setup.starting import first_document
from tasks_app.studyfile.fields import is_language

Values: TypeAlias = dict[Path, Json]
Posted: TypeAlias = MultiValueDict[str, str]


@dataclass(frozen=True, slots=True)
class Pressed:
    """The outcome of a button: whether its list entry was changed meanwhile, and why the button was refused.

    In both cases nothing was set.
    """

    is_outdated: bool = False
    refusal: str = ""


def press(page: SetupPage, edit: Edit, button: str, posted: Posted) -> Pressed:
    """Carry out the action of a button, "" for none, on the newest document."""
    action, _colon, name = button.partition(":")
    if action in _OTHERS:
        return Pressed(refusal=_OTHERS[action](edit, name))
    if action in _VALUES:
        path = path_of(name) if name else ()
        if action in _BY_PLACE and edit.is_moved(path):
            return Pressed(is_outdated=True)
        if values := _VALUES[action](replace(page, setup=edit.setup), path, posted):
            edit.press(values)
    return Pressed()


def _with_entry(page: SetupPage, path: Path, _posted: Posted) -> Values:
    """Add an entry to a list of the step."""
    if not page.on(page.step).can_add_to(name_of(path)):
        return {}
    rows = page.value(path)
    entry = _new_task(page) if path == ("tasks",) else _new_wording(page, path) if path[-1] == "wordings" else {}
    values: Values = {path: [*(rows if isinstance(rows, list) else ()), entry]}
    if path == ("tasks",) and (size := size_of_last_task(page.setup, values)):
        entry["set_size"] = size
    return values


def _new_task(page: SetupPage) -> dict[str, Json]:
    """Return a task of the type of the first one."""
    return {"key": new_key("task", page.keys("tasks")), "type": page.value(("tasks", 0, "type")) or "likert"}


def _new_wording(page: SetupPage, path: Path) -> dict[str, Json]:
    """Return a wording with a short name that no other wording of the question has."""
    rows = page.value(path)
    taken = [row.get("key", "") for row in (rows if isinstance(rows, list) else ()) if isinstance(row, Mapping)]
    return {"key": new_key(f"wording {len(taken) + 2}", taken)}


def _moved(page: SetupPage, path: Path, by: int | None) -> Values:
    """Move an entry of a list by some places, None to remove it; a question that is removed is asked by no task."""
    rows, number = page.value(path[:-1]), path[-1] if len(path) > 1 else None
    if not isinstance(rows, list) or not isinstance(number, int) or number >= len(rows):
        return {}
    changed = list(rows)
    entry = changed.pop(number)
    if by is not None:
        changed.insert(max(0, number + by), entry)
    values: Values = {path[:-1]: changed or None}
    if by is None and path[:-1] == ("criteria",) and isinstance(entry, Mapping):
        values |= _not_asked(page, entry.get("key"))
    return values


def _not_asked(page: SetupPage, key: Json) -> Values:
    """Return the questions of tasks without one that was removed."""
    asked = {n: page.value(("tasks", n, "criteria")) for n in range(len(page.entries("tasks")))}
    return {
        ("tasks", n, "criteria"): [other for other in keys if other != key] or None
        for n, keys in asked.items()
        if isinstance(keys, list) and key in keys
    }


def _advised(page: SetupPage, path: Path, _posted: Posted) -> Values:
    """Take the value that is advised, or the values of other settings."""
    advice = page.advice(path) if path else None
    if advice is None:
        return {}
    return dict(advice.values) or ({path: advice.value} if advice.value is not None else {})


def _with_language(page: SetupPage, _path: Path, posted: Posted) -> Values:
    """Add an empty consent text in another language."""
    language = language_read(posted.get("new_language", "").strip())
    if is_language(language) and page.value(("consent", language)) is None:
        return {("consent", language): ""}
    return {}


def _with_task(page: SetupPage, _path: Path, posted: Posted) -> Values:
    """Add another task of a type with its questions; nothing where there is no such type."""
    task_type = posted.get("new_type", "")
    if task_type not in task_types.registry:
        return {}
    document = first_document(task_types.registry[task_type])
    taken, keys = page.keys("criteria"), dict[str, str]()
    criteria: list[dict[str, Json]] = []
    for entry in document.get("criteria", ()):
        keys[entry["key"]] = new_key(entry["key"], taken | set(keys.values()))
        criteria.append({**entry, "key": keys[entry["key"]]})
    (task,) = document["tasks"]
    task["key"] = new_key("task", page.keys("tasks"))
    if keys:
        task["criteria"] = list(keys.values())
    values: Values = {
        (name,): [*(rows if isinstance(rows := page.value((name,)), list) else ()), *added]
        for name, added in (("tasks", [task]), ("criteria", criteria))
        if added
    }
    if size := size_of_last_task(page.setup, values):
        task["set_size"] = size
    return values


# The values that each button sets, from the page, the path that it names, and what was posted with it.
_VALUES: Mapping[str, Callable[[SetupPage, Path, Posted], Values]] = {
    "add": _with_entry,
    "remove": lambda page, path, _posted: _moved(page, path, None),
    "up": lambda page, path, _posted: _moved(page, path, -1),
    "down": lambda page, path, _posted: _moved(page, path, 1),
    "advice": _advised,
    "language": _with_language,
    "task": _with_task,
}


def _undo(edit: Edit, _name: str) -> str:
    edit.undo()
    return ""


# Buttons that set no values but change tables, or take back a change; each returns why it was refused, else "".
_OTHERS: Mapping[str, Callable[[Edit, str], str]] = {
    "undo": _undo,
    "add_check": attention.press_add,
    "remove_check": attention.press_remove,
}

# Buttons that name an entry by its place in a list, which another entry has once the list was changed.
_BY_PLACE = frozenset({"remove", "up", "down", "advice"})
