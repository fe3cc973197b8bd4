"""Identical texts of several systems for one item: shown once, or each by itself."""

from collections.abc import Mapping
from typing import Any

from tasks_app import task_types


def keeps_identical(task: Mapping[str, Any]) -> bool:
    """Return whether a task of a study file has each of several identical texts judged by itself."""
    member = task_types.registry.get(str(task["type"]))
    return bool(task["keep_identical"]) or (member is not None and member(task["params"]).judges_identical_apart)
