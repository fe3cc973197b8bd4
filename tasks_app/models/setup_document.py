"""A study file's content as a form holds it: values are read and replaced by paths such as ("tasks", 0, "k")."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tasks_app.hooks.sections import Json, Path


class NoSuchPlace(LookupError):
    """The document has no list entry there, so that a value cannot be set."""


@dataclass(frozen=True, slots=True)
class SetupDocument:
    """The content of study.yaml as far as it is filled in, with gaps and mistakes. It is never changed."""

    given: Mapping[str, Json]

    def value(self, path: Path) -> Json:
        """Return the value at a path; None where there is none."""
        return value_at(self.given, path)

    def entries(self, *path: str | int) -> list[dict[str, Json]]:
        """Return the usable entries of a list: groups of settings with a text as their key, or without a key."""
        value = self.value(path)
        return [
            entry
            for entry in (value if isinstance(value, list) else ())
            if isinstance(entry, dict) and isinstance(entry.get("key", ""), str)
        ]

    def with_value(self, path: Path, value: Json) -> SetupDocument:
        """Return a copy with another value at a path; None takes the value away.

        A list grows by one entry where the path names the place behind its last one.

        Raises
        ------
        NoSuchPlace
            Where the path leads through a list entry that is not there.
        """
        changed = copy.deepcopy(dict(self.given))
        if value is None:
            _take_away(changed, path)
            return SetupDocument(changed)
        place: Any = changed
        for step, following in itertools.pairwise(path):
            inner: Json = [] if isinstance(following, int) else {}
            place = _inner(place, step, inner)
        _set(place, path[-1], copy.deepcopy(value))
        return SetupDocument(changed)


def value_at(document: Json, path: Path) -> Json:
    """Return the value at a path; None where there is none."""
    for step in path:
        if isinstance(document, Mapping) and isinstance(step, str):
            document = document.get(step)
        elif isinstance(document, list) and isinstance(step, int) and 0 <= step < len(document):
            document = document[step]
        else:
            return None
    return document


def _inner(place: Any, step: str | int, empty: Json) -> Any:
    """Return the collection at a step of a path, made where there is none."""
    if isinstance(step, str) and isinstance(place, dict):
        if not isinstance(place.get(step), dict | list):
            place[step] = empty
        return place[step]
    if isinstance(step, int) and isinstance(place, list) and 0 <= step <= len(place):
        if step == len(place):
            place.append(empty)
        elif not isinstance(place[step], dict | list):
            place[step] = empty
        return place[step]
    raise NoSuchPlace(step)


def _set(place: Any, step: str | int, value: Json) -> None:
    if isinstance(step, str) and isinstance(place, dict):
        place[step] = value
    elif isinstance(step, int) and isinstance(place, list) and 0 <= step <= len(place):
        place[step : step + 1] = [value]
    else:
        raise NoSuchPlace(step)


def _take_away(document: dict[str, Json], path: Path) -> None:
    """Remove a value; the groups around it stay, since some say something by being there."""
    place = value_at(document, path[:-1])
    if isinstance(place, dict):
        place.pop(path[-1], None)
    elif isinstance(place, list) and isinstance(path[-1], int) and 0 <= path[-1] < len(place):
        del place[path[-1]]
