"""The posts of a step's form: values that were changed, and buttons that add, remove and move entries of lists."""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from django.utils.datastructures import MultiValueDict

from tasks_app import designs, task_types
from tasks_app.plaintext import problems_in_json
from tasks_app.sections import Json, Path
from tasks_app.services import events
from tasks_app.services.database import atomically
from tasks_app.setup import attention, changes
from tasks_app.setup.changes import Conflict, Edit
from tasks_app.setup.controls import ON, Advice, Control, path_of, posted_value
from tasks_app.setup.names import language_read
from tasks_app.setup.page import SetupPage
from tasks_app.setup.starting import first_document
from tasks_app.studyfile.fields import is_language
from tasks_app.studyfile.problems import nearest

# The parameters that belong to a choice.
_PARAMETERS_OF = {"type": "params", "design": "design_params"}

# Lists whose entries have keys, and the setting of which a key is made where none was given.
_NAMED_BY = {"tasks": "title", "criteria": "name", "systems": "name", "groups": "name"}
_LONGEST_KEY = 40

# Names that the form posts beside its fields.
_NOT_FIELDS = {"csrfmiddlewaretoken", "revision", "do", "click", "new_language", "new_type"}


@dataclass(frozen=True, slots=True)
class Saved:
    """The outcome of a post: the page as it is now, and what was not done.

    `conflicts` are values that somebody else has changed too, `left_out` those that cannot be stored, `unknown` names
    for which the step has no field, each with a suggestion. `is_outdated` says that the button named an entry of a list
    that was changed meanwhile, `others` that other people have changed the document since the page was made.
    `refusal` says why a check could not be added.
    """

    page: SetupPage
    conflicts: Sequence[Conflict]
    left_out: Sequence[Path]
    unknown: Mapping[str, str]
    is_outdated: bool
    others: bool
    refusal: str = ""


@atomically
def save(*, page: SetupPage, posted: MultiValueDict[str, str], button: str, by: events.Actor) -> Saved:
    """Store the values of a step that were changed, and carry out the action of the button that was pressed.

    A press that was carried out before, as its key says, is not carried out again.

    Raises
    ------
    tasks_app.services.study.drafts.NotADraft
        Where the study was opened meanwhile.
    """
    edit = Edit.begin(page.setup, by=by, base=_revision(posted), click=_click(posted))
    shown = SetupPage(edit.seen, page.step)
    values = _posted_values(shown, posted)
    left_out = [path for path, value in values.items() if any(problems_in_json(value))]
    conflicts = edit.set({path: value for path, value in values.items() if path not in left_out})
    button = "" if edit.is_repeated else button
    is_outdated = _is_outdated(edit, button)
    refusal = "" if is_outdated else _press(page, edit, button, posted)
    saved = replace(page, setup=edit.setup)
    return Saved(saved, conflicts, left_out, _unknown(shown, posted), is_outdated, edit.has_others, refusal)


# Buttons that add and remove attention checks, which are rows of tables.
_CHECK_BUTTONS = {"add_check", "remove_check"}


def _press(page: SetupPage, edit: Edit, button: str, posted: MultiValueDict[str, str]) -> str:
    """Carry out the action of a button; return why it was refused, "" if it was not."""
    if button == "undo":
        edit.undo()
    elif button.partition(":")[0] in _CHECK_BUTTONS:
        return _press_check(edit, button)
    elif values := _pressed(replace(page, setup=edit.setup), button, posted):
        edit.press(values)
    return ""


def _press_check(edit: Edit, button: str) -> str:
    """Add or remove an attention check; return why none was added."""
    action, _colon, name = button.partition(":")
    before, refusal = edit.setup.revision, ""
    try:
        if action == "add_check":
            number = int(name) if name.isdecimal() and len(name) < 6 else -1
            attention.add(setup=edit.setup, number=number, by=edit.by)
        else:
            attention.remove(setup=edit.setup, item=name, by=edit.by)
        # The same press, sent twice, is carried out once.
        edit.setup.changes.filter(revision__gt=before).update(click=edit.click)
    except attention.CannotAdd as reason:
        refusal = str(reason)
    edit.setup = changes.hold(edit.setup)
    return refusal


def _unknown(page: SetupPage, posted: MultiValueDict[str, str]) -> dict[str, str]:
    """Return the names that were posted and that are no field of the page, each with a suggestion."""
    names = [control.name for control in page.controls]
    return {name: nearest(name, names) for name in posted if name not in {*names, *_NOT_FIELDS}}


def _click(posted: MultiValueDict[str, str]) -> UUID | None:
    """Return the key that the page drew for the next press of a button."""
    try:
        return UUID(hex=posted.get("click", ""))
    except ValueError:
        return None


def _revision(posted: MultiValueDict[str, str]) -> int | None:
    """Return the revision of the page that was posted; None where none can be read."""
    text = posted.get("revision", "")
    return int(text) if text.isdecimal() and len(text) < 10 else None


def _is_outdated(edit: Edit, button: str) -> bool:
    """Return whether a button names an entry by its place in a list that was changed since the page was made."""
    action, _colon, name = button.partition(":")
    path = path_of(name) if name else ()
    return action in {"remove", "up", "down", "advice"} and edit.is_moved(path)


def _pressed(page: SetupPage, button: str, posted: MultiValueDict[str, str]) -> dict[Path, Json]:
    """Return the values that a button sets.

    add, remove, up, down: an entry of a list; advice: take the advised value; language: another consent text; task:
    another task of a type, with its questions. A button that names no entry sets none.
    """
    action, _colon, name = button.partition(":")
    path = path_of(name) if name else ()
    if action == "add" and page.on(page.step).can_add_to(name):
        rows = page.value(path)
        return {path: [*(rows if isinstance(rows, list) else ()), _new_entry(page, path)]}
    if action in {"remove", "up", "down"} and len(path) > 1:
        return _moved(page, path, action)
    if action == "task":
        return _another_task(page, posted.get("new_type", ""))
    if action == "advice" and path:
        return _advised(page.advice(path), path)
    if action == "language":
        language = language_read(posted.get("new_language", "").strip())
        if is_language(language) and page.value(("consent", language)) is None:
            return {("consent", language): ""}
    return {}


def is_stale(page: SetupPage, posted: MultiValueDict[str, str]) -> bool:
    """Return whether the page that was posted has other fields, or other values in them, than the step has now."""
    if {control.name for control in page.controls} != set(posted) - _NOT_FIELDS:
        return True
    for control in page.controls:
        if control.kind == "steps" and len(control.rows) != len(posted.getlist(control.name)):
            return True
        value = posted_value(control, posted)
        is_empty = value is None and (control.value == control.default or control.path[-1] == "key")
        if control.path[-1] != "" and not is_empty and not control.is_as_shown(value):
            return True
    return False


def _posted_values(page: SetupPage, posted: MultiValueDict[str, str]) -> dict[Path, Json]:
    """Return the values of a step that differ from what its form showed; None where one was emptied."""
    values: dict[Path, Json] = {}
    for control in page.controls:
        if control.name not in posted:
            continue
        value = posted_value(control, posted)
        if control.path[-1] == "":
            if (value is True) != (control.value == ON):
                values[control.path[:-1]] = {} if value else None
        elif not control.is_as_shown(value) and not _is_key_left_out(control, value):
            values[control.path] = value
    for path, value in list(values.items()):
        values = _without_foreign_parameters(page, path, value, values)
    return values | _missing_keys(page, values)


def _without_foreign_parameters(page: SetupPage, path: Path, value: Json, values: dict[Path, Json]) -> dict[Path, Json]:
    """Leave out the parameters that only the old task type or design has, where another one is chosen."""
    params = _PARAMETERS_OF.get(str(path[-1])) if len(path) == 3 and path[0] == "tasks" else None
    registry = task_types.registry if params == "params" else designs.registry
    if params is None or not isinstance(value, str) or value not in registry:
        return values
    place = (*path[:-1], params)
    before, known = page.value(place), registry[str(value)].Settings.base_fields
    values = {other: setting for other, setting in values.items() if other[: len(place)] != place}
    if isinstance(before, Mapping) and not before.keys() <= known.keys():
        values[place] = {name: setting for name, setting in before.items() if name in known}
    return values


def _is_key_left_out(control: Control, value: Json) -> bool:
    """Return whether the page did not know yet which key was made of a name."""
    return control.path[-1] == "key" and len(control.path) == 3 and value is None


def _missing_keys(page: SetupPage, values: Mapping[Path, Json]) -> dict[Path, Json]:
    """Return keys for entries that were given a name but have no key."""
    keys: dict[Path, Json] = {}
    for path, value in values.items():
        section, number = str(path[0]), path[1] if len(path) > 1 else ""
        if len(path) != 3 or path[2] != _NAMED_BY.get(section) or not isinstance(value, str):
            continue
        key: Path = (section, number, "key")
        own, others = page.value(key), _keys(page, section) | {str(other) for other in keys.values()}
        if key not in values and (not own or _was_made_of_name(page, path, own)):
            keys[key] = new_key(value, others - {own})
    return keys


def _was_made_of_name(page: SetupPage, path: Path, key: Json) -> bool:
    """Return whether a key was made of a name that is still being typed: no task refers to it yet."""
    name, tasks = page.value(path), page.value(("tasks",))
    lists = [page.value(("tasks", n, str(path[0]))) for n in range(len(tasks) if isinstance(tasks, list) else 0)]
    is_named = any(key in names for names in lists if isinstance(names, list))
    return isinstance(name, str) and bool(name) and key == new_key(name, ()) and not is_named and path[0] != "tasks"


def _keys(page: SetupPage, section: str) -> set[str]:
    return {str(row.get("key", "")) for row in page.entries(section)}


def new_key(name: str, taken: Iterable[str]) -> str:
    """Make a key of a name that no other entry has."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    stem = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:_LONGEST_KEY].strip("-") or "entry"
    taken, number, key = set(taken), 1, stem
    while key in taken:
        number += 1
        key = f"{stem}-{number}"
    return key


def _new_entry(page: SetupPage, path: Path) -> dict[str, Json]:
    section = str(path[0])
    if path == ("tasks",):
        kind = page.value(("tasks", 0, "type")) or "likert"
        return {"key": new_key("task", _keys(page, section)), "type": kind}
    return {}


def _advised(advice: Advice | None, path: Path) -> dict[Path, Json]:
    """Return the values that the button beside an advice sets."""
    if advice is None:
        return {}
    return dict(advice.values) or ({path: advice.value} if advice.value is not None else {})


def _another_task(page: SetupPage, task_type: str) -> dict[Path, Json]:
    """Return tasks and questions with those of another task of a type; nothing where there is no such type."""
    if task_type not in task_types.registry:
        return {}
    document = first_document(task_types.registry[task_type])
    taken, keys = _keys(page, "criteria"), dict[str, str]()
    criteria: list[dict[str, Json]] = []
    for entry in document.get("criteria", ()):
        keys[entry["key"]] = new_key(entry["key"], taken | set(keys.values()))
        criteria.append({**entry, "key": keys[entry["key"]]})
    (task,) = document["tasks"]
    task["key"] = new_key("task", _keys(page, "tasks"))
    if keys:
        task["criteria"] = list(keys.values())
    return {
        (name,): [*(rows if isinstance(rows := page.value((name,)), list) else ()), *added]
        for name, added in (("tasks", [task]), ("criteria", criteria))
        if added
    }


def _moved(page: SetupPage, path: Path, action: str) -> dict[Path, Json]:
    rows, number = page.value(path[:-1]), path[-1]
    if not isinstance(rows, list) or not isinstance(number, int) or number >= len(rows):
        return {}
    changed = list(rows)
    entry = changed.pop(number)
    if action != "remove":
        changed.insert(max(0, number + (1 if action == "down" else -1)), entry)
    values: dict[Path, Json] = {path[:-1]: changed or None}
    if action == "remove" and path[:-1] == ("criteria",) and isinstance(entry, Mapping):
        values |= _not_asked(page, entry.get("key"))
    return values


def _not_asked(page: SetupPage, key: Json) -> dict[Path, Json]:
    """Return the questions of tasks without one that was removed."""
    asked = {n: page.value(("tasks", n, "criteria")) for n in range(len(page.entries("tasks")))}
    return {
        ("tasks", n, "criteria"): [other for other in keys if other != key] or None
        for n, keys in asked.items()
        if isinstance(keys, list) and key in keys
    }
