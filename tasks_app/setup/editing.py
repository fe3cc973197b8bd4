"""The posts of a step's form: the values that were changed, and the button that was pressed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from django.utils.datastructures import MultiValueDict

from tasks_app import designs, task_types
from tasks_app.hooks.sections import Json, Path
from tasks_app.services import events
from tasks_app.services.database import atomically
from tasks_app.setup import buttons
from tasks_app.setup.changes import Conflict, Edit
from tasks_app.setup.controls import ON, Control, posted_value
from tasks_app.setup.entries import NAMED_BY, new_key
from tasks_app.setup.page import SetupPage
from tasks_app.studyfile.problems import nearest
from tasks_app.texts.plaintext import problems_in_json

# The parameters that belong to a choice.
_PARAMETERS_OF = {"type": "params", "design": "design_params"}

# Names that the form posts beside its fields.
_NOT_FIELDS = {"csrfmiddlewaretoken", "revision", "do", "click", "new_language", "new_type"}


@dataclass(frozen=True, slots=True)
class Saved:
    """The outcome of a post: the page as it is now, and the parts of the post that were not stored.

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
    pressed = buttons.press(page, edit, "" if edit.is_repeated else button, posted)
    saved = replace(page, setup=edit.setup)
    unknown = _unknown(shown, posted)
    return Saved(saved, conflicts, left_out, unknown, pressed.is_outdated, edit.has_others, pressed.refusal)


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
    """Return the values of a step that differ from the values its form showed; None for an emptied value."""
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
        if len(path) != 3 or path[2] != NAMED_BY.get(section) or not isinstance(value, str):
            continue
        key: Path = (section, number, "key")
        own, others = page.value(key), page.keys(section) | {str(other) for other in keys.values()}
        if key not in values and (not own or _was_made_of_name(page, path, own)):
            keys[key] = new_key(value, others - {own})
    return keys


def _was_made_of_name(page: SetupPage, path: Path, key: Json) -> bool:
    """Return whether a key was made of a name that is still being typed: no task refers to it yet."""
    name, tasks = page.value(path), page.value(("tasks",))
    lists = [page.value(("tasks", n, str(path[0]))) for n in range(len(tasks) if isinstance(tasks, list) else 0)]
    is_named = any(key in names for names in lists if isinstance(names, list))
    return isinstance(name, str) and bool(name) and key == new_key(name, ()) and not is_named and path[0] != "tasks"
