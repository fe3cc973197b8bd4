"""Values within a document, by paths such as ("tasks", 0, "k")."""

import copy
import itertools
from collections.abc import Mapping
from typing import Any

from tasks_app.sections import Json, Path


class NoSuchPlace(LookupError):
    """The document has no list entry there, so that a value cannot be set."""


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


def entries_at(document: Json, path: Path) -> list[dict[str, Json]]:
    """Return the entries of a list that can be used: groups of settings whose key, where they have one, is a text."""
    value = value_at(document, path)
    return [
        entry
        for entry in (value if isinstance(value, list) else ())
        if isinstance(entry, dict) and isinstance(entry.get("key", ""), str)
    ]


def with_value(document: Mapping[str, Json], path: Path, value: Json) -> dict[str, Json]:
    """Return a copy of a document with another value at a path; None takes the value away.

    A list grows by one entry where the path names the place behind its last one.

    Raises
    ------
    NoSuchPlace
        Where the path leads through a list entry that is not there.
    """
    changed = copy.deepcopy(dict(document))
    if value is None:
        _take_away(changed, path)
        return changed
    place: Any = changed
    for step, following in itertools.pairwise(path):
        inner: Json = [] if isinstance(following, int) else {}
        place = _inner(place, step, inner)
    _set(place, path[-1], copy.deepcopy(value))
    return changed


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


def touches(path: Path, other: Path) -> bool:
    """Return whether two paths name the same value, or one a part of the other."""
    n = min(len(path), len(other))
    return path[:n] == other[:n]
