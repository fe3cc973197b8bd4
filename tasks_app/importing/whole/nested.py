"""Answers that stand in lists of objects, such as annotations: [{"worker": "w1", "score": 4}]."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from tasks_app.hooks.sections import Json
from tasks_app.importing.guessing import guess
from tasks_app.importing.shaping.paths import opened

# The longest word of a label, and lists within lists that are looked into.
_LABEL, _DEEPEST = 30, 3


@dataclass(frozen=True, slots=True)
class Nested:
    """The content of the objects of one column: paths by our columns, further parts of a mapping, and the column."""

    columns: Mapping[str, str]
    more: Mapping[str, Json]
    used: Sequence[str]


def nested_answers(cells: Mapping[str, Sequence[str]]) -> Nested | None:
    """Return how answers of raters stand in a column of lists of objects; None where there is no such column.

    Such an object may hold a list of objects in turn, as sentences do that several raters judged.
    """
    for name, texts in cells.items():
        filled = [opened(text) for text in texts if text.startswith("[")]
        found = _within(f"{name}[*]", [entry for entries in filled if isinstance(entries, list) for entry in entries])
        if found is not None:
            return replace(found, used=[name])
    return None


def _within(path: str, objects: Sequence[Json], depth: int = 1) -> Nested | None:
    """Return how answers stand in objects at a path, or in lists of objects within them."""
    if not objects or not all(isinstance(entry, dict) for entry in objects):
        return None
    keys = list(dict.fromkeys(str(key) for entry in objects for key in entry))
    values = {key: [entry[key] for entry in objects if entry.get(key) is not None] for key in keys}
    guessed = guess(keys)
    rater = guessed.get("rater") or ("id" if "id" in keys and len(keys) > 1 else None)
    answers = [key for key in keys if key != rater and _all(values[key], (int, float))]
    answers = [key for key in answers if key not in {guessed.get("seconds"), guessed.get("submitted_at")}]
    labels = [key for key in keys if key != rater and _all(values[key], (str,)) and _are_words(values[key])]
    if rater is not None and (answers or labels):
        return _nested(path, rater, answers, labels, guessed)
    for key in keys if depth < _DEEPEST else ():
        lists = [value for value in values[key] if isinstance(value, list)]
        inner = _within(f"{path}.{key}[*]", [entry for entries in lists for entry in entries], depth + 1)
        if inner is not None:
            texts = [name for name in keys if _all(values[name], (str,)) and not _are_words(values[name])]
            outputs = {"output": f"{path}.{texts[0]}"} if len(texts) == 1 else {}
            return replace(inner, columns={**outputs, **inner.columns})
    return None


def _nested(path: str, rater: str, answers: Sequence[str], labels: Sequence[str], guessed: Mapping[str, str]) -> Nested:
    columns, prefix = {"rater": f"{path}.{rater}"}, f"{path}."
    more: dict[str, Json] = {}
    criterion = guessed.get("criterion")
    if answers and criterion in labels:
        columns |= {"criterion": f"{prefix}{criterion}", "value": f"{prefix}{answers[0]}"}
    elif len(answers) > 1:
        columns["value"] = f"{prefix}{{criterion}}"
        more["only"] = {"criterion": list(answers)}
    elif answers:
        columns["value"] = f"{prefix}{answers[0]}"
        more["constant"] = {"criterion": answers[0]}
    else:
        label = guessed.get("label", labels[0])
        columns["label"] = f"{prefix}{label if label in labels else labels[0]}"
        more["constant"] = {"criterion": label if label in labels else labels[0]}
    return Nested(columns, more, [])


def _all(values: Sequence[Json], kinds: tuple[type, ...]) -> bool:
    return bool(values) and all(isinstance(value, kinds) and not isinstance(value, bool) for value in values)


def _are_words(values: Sequence[Json]) -> bool:
    return all(len(str(value)) <= _LABEL for value in values)
