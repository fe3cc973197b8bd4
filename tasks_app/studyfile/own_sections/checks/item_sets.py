"""Check which items the tasks of a study file take."""

from collections.abc import Iterator, Mapping, Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tasks_app import task_types
from tasks_app.hooks.sections import Json, Path
from tasks_app.services.study.item_sets import FEATURE, ONLY_TASKS, cell_of, takes
from tasks_app.studyfile.problems import nearest
from tasks_app.studyfile.reading import StudyReading


def check_item_sets(reading: StudyReading, items: Sequence[Mapping[str, Json]]) -> None:
    """Report columns and values that no item has, and items that no task takes."""
    _check_tasks_named(reading, items)
    tasks = reading.document["tasks"]
    for number, task in enumerate(tasks):
        path: Path = ("tasks", number, "items")
        if not task["items"] or not reading.sound(path):
            continue
        if task["type"] in task_types.registry and not task_types.registry[task["type"]].needs_items:
            reading.problem(path, _("This task type shows no items. Leave this out."))
            continue
        for column, values in task["items"].items():
            _check_column(reading, (*path, column), column, values, items)
        if reading.sound(path) and items and not any(takes_item(task, item) for item in _free(items)):
            reading.problem(path, _("No item has all of this. Give fewer columns, or other values."))
    _note_rest(reading, items)


def _check_tasks_named(reading: StudyReading, items: Sequence[Mapping[str, Json]]) -> None:
    """Report items with a value of “only_tasks” that is no list of keys of tasks."""
    keys = [str(task["key"]) for task in reading.document["tasks"]]
    for item in items:
        named = item["options"].get(ONLY_TASKS, [])
        if isinstance(named, list) and all(name in keys for name in named):
            continue
        sentence = _("item “%(item)s”: “%(option)s” in the column options must be a list of keys of tasks.")
        words = {"item": item["key"], "option": ONLY_TASKS}
        reading.problems.add(reading.items_file, 0, 0, sentence % words)
        item["options"][ONLY_TASKS] = []


def _free(items: Sequence[Mapping[str, Json]]) -> Iterator[Mapping[str, Json]]:
    """Yield the items that do not name their tasks themselves."""
    return (item for item in items if ONLY_TASKS not in item["options"])


def _check_column(
    reading: StudyReading, path: Path, column: str, values: Sequence[str], items: Sequence[Mapping[str, Json]]
) -> None:
    """Report a column that items do not have, and each value that no item has in it."""
    cells = {_cell(column, item) for item in items} - {None}
    if items and not cells:
        known = {"item", *(f"{FEATURE}{name}" for item in items for name in item["features"])}
        sentence = _("No item has a “%(column)s”.") % {"column": column}
        reading.problem(path, f"{sentence} {nearest(column, sorted(known))}".rstrip(), key=True)
        return
    for number, value in enumerate(values):
        if items and value not in cells:
            sentence = _("No item has “%(value)s” in the column “%(column)s”.") % {"value": value, "column": column}
            place = (*path, number) if reading.tree.holds((*path, 0)) else path
            reading.problem(place, f"{sentence} {nearest(value, sorted(filter(None, cells)))}".rstrip())


def _note_rest(reading: StudyReading, items: Sequence[Mapping[str, Json]]) -> None:
    """Note the number of items that no task takes."""
    showing = [
        task
        for task in reading.document["tasks"]
        if task["type"] in task_types.registry and task_types.registry[task["type"]].needs_items
    ]
    n_unused = sum(not any(takes_item(task, item) for task in showing) for item in items) if showing else 0
    if n_unused:
        sentence = ngettext("%(n)d item is in no task.", "%(n)d items are in no task.", n_unused)
        reading.note(sentence % {"n": n_unused})


def _cell(column: str, item: Mapping[str, Json]) -> str | None:
    return cell_of(column, key=item["key"], document=item["document"], features=item["features"])


def takes_item(task: Mapping[str, Json], item: Mapping[str, Json]) -> bool:
    """Return whether a task of a study file takes an item of it."""
    return takes(
        task["items"],
        task=task["key"],
        key=item["key"],
        document=item["document"],
        features=item["features"],
        options=item["options"],
    )
