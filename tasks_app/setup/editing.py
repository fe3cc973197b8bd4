"""The posts of a step's form: values that were changed, and buttons that add, remove and move entries of lists."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping

from django.utils.datastructures import MultiValueDict

from tasks_app import designs, task_types
from tasks_app.models import Setup
from tasks_app.sections import Json, Path
from tasks_app.services import events
from tasks_app.setup import changes
from tasks_app.setup.advice import advice_on
from tasks_app.setup.controls import ON, Control, path_of, posted_value
from tasks_app.setup.fields import Fields, Group, Node, controls_of
from tasks_app.setup.numbers import checked_reading
from tasks_app.setup.paths import entries_at, touches, value_at, with_value
from tasks_app.studyfile.fields import is_language
from tasks_app.studyfile.schema import whole_schema

# The parameters that belong to a choice.
_PARAMETERS_OF = {"type": "params", "design": "design_params"}

# Lists whose entries have keys, and the setting of which a key is made where none was given.
_NAMED_BY = {"tasks": "title", "criteria": "name", "systems": "name", "groups": "name"}
_LONGEST_KEY = 40


def given_at(setup: Setup, revision: int) -> dict[str, Json]:
    """Return the content of a set-up at an earlier revision."""
    given = dict(setup.given)
    for change in setup.changes.filter(revision__gt=revision, is_table=False).order_by("-revision", "-id"):
        given = with_value(given, tuple(change.path), change.before)
    return given


def changed_values(given: Mapping[str, Json], step: str, posted: MultiValueDict[str, str]) -> dict[Path, Json]:
    """Return the values of a step that differ from what its form showed; None where one was emptied."""
    values: dict[Path, Json] = {}
    for control in _controls(Fields(whole_schema(), given, {}, step).groups()):
        if control.name not in posted:
            continue
        value = posted_value(control, posted)
        if control.path[-1] == "":
            if (value is True) != (control.value == ON):
                values[control.path[:-1]] = {} if value else None
        elif not control.is_as_shown(value) and not _is_key_left_out(control, value):
            values[control.path] = value
    for path, value in list(values.items()):
        values = _without_foreign_parameters(given, path, value, values)
    return values | _missing_keys(given, values)


def _without_foreign_parameters(
    given: Mapping[str, Json], path: Path, value: Json, values: dict[Path, Json]
) -> dict[Path, Json]:
    """Leave out the parameters that only the old task type or design has, where another one is chosen."""
    params = _PARAMETERS_OF.get(str(path[-1])) if len(path) == 3 and path[0] == "tasks" else None
    registry = task_types.registry if params == "params" else designs.registry
    if params is None or not isinstance(value, str) or value not in registry:
        return values
    place = (*path[:-1], params)
    before, known = value_at(given, place), registry[str(value)].Settings.base_fields
    values = {other: setting for other, setting in values.items() if other[: len(place)] != place}
    if isinstance(before, Mapping) and not before.keys() <= known.keys():
        values[place] = {name: setting for name, setting in before.items() if name in known}
    return values


def _is_key_left_out(control: Control, value: Json) -> bool:
    """Return whether the page did not know yet which key was made of a name."""
    return control.path[-1] == "key" and len(control.path) == 3 and value is None


def _controls(groups: Iterable[Group]) -> Iterable[Control]:
    return (control for group in groups for control in controls_of(group))


def _missing_keys(given: Mapping[str, Json], values: Mapping[Path, Json]) -> dict[Path, Json]:
    """Return keys for entries that were given a name but have no key."""
    keys: dict[Path, Json] = {}
    for path, value in values.items():
        section, number = str(path[0]), path[1] if len(path) > 1 else ""
        if len(path) != 3 or path[2] != _NAMED_BY.get(section) or not isinstance(value, str):
            continue
        key: Path = (section, number, "key")
        own, others = value_at(given, key), _keys(given, section) | {str(other) for other in keys.values()}
        if key not in values and (not own or _was_made_of_name(given, path, own)):
            keys[key] = new_key(value, others - {own})
    return keys


def _was_made_of_name(given: Mapping[str, Json], path: Path, key: Json) -> bool:
    """Return whether a key was made of a name that is still being typed: no task refers to it yet."""
    name, tasks = value_at(given, path), value_at(given, ("tasks",))
    named = [
        other
        for task in (tasks if isinstance(tasks, list) else ())
        for other in (value_at(task, (str(path[0]),)) or ())
    ]
    return isinstance(name, str) and bool(name) and key == new_key(name, ()) and key not in named and path[0] != "tasks"


def _keys(given: Mapping[str, Json], section: str) -> set[str]:
    return {str(row.get("key", "")) for row in entries_at(given, (section,))}


def new_key(name: str, taken: Iterable[str]) -> str:
    """Make a key of a name that no other entry has."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    stem = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:_LONGEST_KEY].strip("-") or "entry"
    taken, number, key = set(taken), 1, stem
    while key in taken:
        number += 1
        key = f"{stem}-{number}"
    return key


def is_outdated(setup: Setup, button: str, base: int, before: int) -> bool:
    """Return whether a button names an entry by its place in a list that was changed since the page was made.

    The page was made at the revision `base`; `before` is the revision before what it posted was stored.
    """
    action, _colon, name = button.partition(":")
    path = path_of(name) if name else ()
    if action not in {"remove", "up", "down", "advice"}:
        return False
    later = setup.changes.filter(revision__gt=base, revision__lte=before)
    return any(len(change.path) < len(path) and touches(tuple(change.path), path) for change in later)


def _lists(groups: Iterable[Node]) -> Iterator[str]:
    """Yield the name of every list to which entries can be added."""
    for group in groups:
        if isinstance(group, Group):
            if group.adds:
                yield group.name
            yield from _lists(group.members)


def press(*, setup: Setup, step: str, button: str, posted: MultiValueDict[str, str], by: events.Actor) -> Setup:
    """Carry out the action of a button of a form.

    add, remove, up, down: an entry of a list; advice: take the advised value; language: another consent text.

    A button that names no entry changes nothing. Raises tasks_app.services.study.drafts.NotADraft.
    """
    action, _colon, name = button.partition(":")
    path = path_of(name) if name else ()
    values: dict[Path, Json] = {}
    if action == "add" and name in _lists(Fields(whole_schema(), setup.given, {}, step).groups()):
        rows = value_at(setup.given, path)
        values[path] = [*(rows if isinstance(rows, list) else ()), _new_entry(setup.given, path)]
    elif action in {"remove", "up", "down"} and len(path) > 1:
        values = _moved(setup.given, path, action)
    elif action == "advice" and path:
        advice = advice_on(path, setup.given, checked_reading(setup)[0].nearest)
        values = {path: advice.value} if advice is not None and advice.value is not None else {}
    elif action == "language":
        language = posted.get("new_language", "").strip()
        if is_language(language) and value_at(setup.given, ("consent", language)) is None:
            values[("consent", language)] = ""
    if not values:
        return setup
    return changes.change(setup=setup, values=values, base=setup.revision, by=by).setup


def _new_entry(given: Mapping[str, Json], path: Path) -> dict[str, Json]:
    section = str(path[0])
    if path == ("tasks",):
        kind = value_at(given, ("tasks", 0, "type")) or "likert"
        return {"key": new_key("task", _keys(given, section)), "type": kind}
    return {}


def _moved(given: Mapping[str, Json], path: Path, action: str) -> dict[Path, Json]:
    rows, number = value_at(given, path[:-1]), path[-1]
    if not isinstance(rows, list) or not isinstance(number, int) or number >= len(rows):
        return {}
    changed = list(rows)
    entry = changed.pop(number)
    if action != "remove":
        changed.insert(max(0, number + (1 if action == "down" else -1)), entry)
    return {path[:-1]: changed or None}
