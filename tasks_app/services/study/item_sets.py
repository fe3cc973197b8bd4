"""The items that a task takes: one rule for checking a study file and for making units."""

from collections.abc import Mapping, Sequence
from typing import Any

# Prefix of the columns of the items table that hold features.
FEATURE = "feature_"

# The option of an item that lists the keys of the tasks that take it, whatever items they take otherwise.
ONLY_TASKS = "only_tasks"


def cell_of(column: str, *, key: str, document: str | None, features: Mapping[str, Any]) -> str | None:
    """Return the value of an item in a column by which items are taken, as text; None where it has none."""
    if column == "item":
        return key
    value = document if column == "document" else features.get(column.removeprefix(FEATURE))
    return None if value in (None, "") else str(value)


def takes(
    taken: Mapping[str, Sequence[str]],
    *,
    task: str,
    key: str,
    document: str | None,
    features: Mapping[str, Any],
    options: Mapping[str, Any],
) -> bool:
    """Return whether the task with the key `task` takes an item.

    `taken` has for each column the values of which an item must have one; where it is empty, all items are taken. Of
    an item whose `options` name its tasks, these decide alone.
    """
    if ONLY_TASKS in options:
        return task in options[ONLY_TASKS]
    return all(
        cell_of(column, key=key, document=document, features=features) in values for column, values in taken.items()
    )
