"""Write the items and ratings of one table as a study file, with the scales that its ratings have."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import yaml
from django.utils.translation import gettext as _

from tasks_app.hooks.sections import Json
from tasks_app.importing.whole.columns import ATTRIBUTE, OF_SYSTEM
from tasks_app.importing.whole.reading import CRITERION, MOST_LABELS, Reading, Scale
from tasks_app.models import System
from tasks_app.setup.tables.layout import key_of
from tasks_app.texts.language_guess import guess

# Scales of so many steps are chosen step by step; longer ones are drawn. Nobody may have used the last of five steps.
LEAST_STEPS, MOST_STEPS = 5, 11

# Texts from which the language is guessed.
_TEXTS = 50

# The criterion of a score that stands beside marked spans, and those that such a task has.
SCORE, ERRORS = "score", "errors"

# Kinds of systems, which a table may tell in a column system_kind.
_KINDS = frozenset(kind.value for kind in System.Kind)

# The task that holds the attributes of raters.
RATERS = "raters"


class _Quoting(yaml.SafeDumper):
    """Writes texts in quotation marks: a label such as 1e3 is a number for some readers, and a text for others."""


def _quoted(dumper: yaml.SafeDumper, text: str) -> yaml.Node:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"')


_Quoting.add_representer(str, _quoted)


@dataclass(frozen=True, slots=True)
class TaskOfTable:
    """A task: its type with parameters, and the criteria that have this scale, by their names in the table.

    `assumed` is the sentence that says how the scale was read. A task that `has_own_criteria` takes those of its type.
    """

    key: str
    type: str
    params: Mapping[str, Json]
    criteria: Mapping[str, str]
    labels: Sequence[str] = ()
    assumed: str = ""
    has_own_criteria: bool = False


def tasks_of(reading: Reading) -> list[TaskOfTable]:
    """Return the tasks of a table: criteria with the same scale are asked together."""
    by_scale: dict[str, TaskOfTable] = {}
    keys: dict[str, None] = {}
    scales = dict(reading.scales)
    if any(scale.spans for scale in scales.values()):
        # Marks, the score beside them and answers that found nothing belong to one task, whose type names its criteria.
        of_marks = [name for name, scale in scales.items() if scale.spans or name == SCORE or not scale.numbers]
        scheme = {"scheme": "esa" if SCORE in of_marks else "mqm"}
        by_scale[""] = TaskOfTable(
            "task-1", "error_spans", scheme, {name: name for name in of_marks}, has_own_criteria=True
        )
        scales = {name: scale for name, scale in scales.items() if name not in of_marks}
    for number, (name, scale) in enumerate(scales.items(), start=1):
        kind, params, labels, assumed = _scale(scale)
        base = key_of(name)[:80] or f"criterion-{number}"
        key = base if base not in keys else f"{base}-{number}"
        keys.setdefault(key)
        shape = json.dumps([kind, params, labels])
        if shape not in by_scale:
            by_scale[shape] = TaskOfTable(f"task-{len(by_scale) + 1}", kind, params, {}, labels, assumed)
        of_scale = by_scale[shape]
        by_scale[shape] = replace(of_scale, criteria={**of_scale.criteria, name: key})
    return list(by_scale.values())


def _scale(scale: Scale) -> tuple[str, dict[str, Json], list[str], str]:
    """Return the task type of a scale, its parameters, the labels of its criteria, and how the scale was read."""
    if scale.pairs:
        return "pairwise", {}, [], ""
    if scale.numbers:
        low, high = min(scale.numbers), max(scale.numbers)
        if low >= 1 and high <= MOST_STEPS and all(float(number).is_integer() for number in scale.numbers):
            points = max(LEAST_STEPS, int(high))
            return "likert", {"points": points}, [], _("read as a scale of %(n)d steps") % {"n": points}
        if low >= 0 and MOST_STEPS < high <= 100:
            low, high = 0, 100
        ends = {"minimum": math.floor(low), "maximum": max(math.ceil(high), math.floor(low) + 1)}
        return "slider", dict(ends), [], _("read as numbers from %(minimum)s to %(maximum)s") % ends
    labels = sorted(scale.labels)[:MOST_LABELS]
    labels = labels if len(labels) > 1 else [*labels, "other" if labels != ["other"] else "another"]
    return "labels", {}, labels, _("read as labels: %(labels)s") % {"labels": ", ".join(labels)}


def write_study(
    folder: Path, reading: Reading, tasks: Sequence[TaskOfTable], *, slug: str, title: str, public_title: str, file: str
) -> None:
    """Write study.yaml and items.jsonl into a folder."""
    systems = dict.fromkeys(system for _item, system, _variant in reading.outputs)
    document: dict[str, Json] = {
        "evalweb": 1,
        "study": {"slug": slug, "title": title[:200], "public_title": public_title or _("Reading and rating texts"),
                  "language": _language(reading)},
        "about": {"institution": _("Not stated: imported from %(file)s") % {"file": file}},
        "flow": {"imported": True},
        "criteria": [
            {"key": key, "name": _words(name)[:200], "question": _words(name),
             **({"labels": list(task.labels)} if task.labels else {})}
            for task in tasks for name, key in task.criteria.items() if not task.has_own_criteria
        ],
        "tasks": [
            {"key": task.key, "type": task.type, "params": dict(task.params), "keep_identical": True, "k": 1,
             **({"criteria": list(task.criteria.values())} if not task.has_own_criteria else {})}
            for task in tasks
        ],
        "systems": [{"key": system, **_about_system(reading, system)} for system in systems],
    }  # fmt: skip
    if reading.groups:
        document["groups"] = [{"key": key, "name": group[:200]} for group, key in _group_keys(reading).items()]
    if reading.attributes:
        document["tasks"].append(_about_raters(reading))
    text = yaml.dump(document, Dumper=_Quoting, allow_unicode=True, sort_keys=False)
    (folder / "study.yaml").write_text(text, encoding="utf-8")
    with (folder / "items.jsonl").open("w", encoding="utf-8") as lines:
        lines.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in _items(reading))


def _about_system(reading: Reading, system: str) -> dict[str, Json]:
    """Return the attributes of a system as its entry in a study file has them; a known kind is a field of its own."""
    values = reading.systems[system].values if system in reading.systems else {}
    words = {name.removeprefix(OF_SYSTEM): value for name, value in values.items()}
    kind = {"kind": words.pop("kind")} if words.get("kind") in _KINDS else {}
    return {**kind, **({"attributes": words} if words else {})}


def _words(criterion: str) -> str:
    return _("Rating") if criterion == CRITERION else criterion


def _about_raters(reading: Reading) -> Json:
    """Return the questionnaire that holds the attributes of raters."""
    questions = []
    for name, key in _attribute_keys(reading).items():
        words = name.removeprefix(ATTRIBUTE).replace("_", " ")
        questions.append({"key": key, "kind": "text", "question": words.capitalize()})
    return {
        "key": RATERS, "type": "questionnaire", "k": 1, "set_size": 1, "title": _("About the raters"),
        "params": {"instrument": "own", "questions": questions},
    }  # fmt: skip


def _attribute_keys(reading: Reading) -> dict[str, str]:
    """Return the keys of the questions by the names of attributes, some of which have no Latin letter."""
    keys: dict[str, str] = {}
    for number, name in enumerate(reading.attribute_names, start=1):
        key = key_of(name.removeprefix(ATTRIBUTE))[:80]
        keys[name] = key if key and key not in keys.values() else f"attribute-{number}"
    return keys


def attributes_in_study(reading: Reading) -> list[str]:
    """Return the attributes of raters as analyses of the study call them."""
    return [f"{ATTRIBUTE}{key}" for key in _attribute_keys(reading).values()]


def in_study(reading: Reading, tasks: Sequence[TaskOfTable], cells: dict[str, Json]) -> dict[str, Json]:
    """Return a rating of the table by the keys of the study."""
    name = cells["criterion"]
    task = next(task for task in tasks if name in task.criteria)
    cells = {**cells, "task": task.key, "criterion": task.criteria[name]}
    if task.has_own_criteria and (name not in {SCORE, ERRORS} or len(task.criteria) == 1):
        del cells["criterion"]
    if "group" in cells:
        cells["group"] = _group_keys(reading)[cells["group"]]
    return cells


def _group_keys(reading: Reading) -> dict[str, str]:
    return {group: key_of(group) or f"group-{number}" for number, group in enumerate(reading.groups, start=1)}


def attribute_rows(reading: Reading) -> Iterator[tuple[int, int, dict[str, Json]]]:
    """Yield the attributes of raters as answers to their questionnaire, each with its line and number."""
    keys = _attribute_keys(reading)
    places = {name: place for place, name in enumerate(keys)}
    for rater, found in reading.attributes.items():
        for name, value in found.values.items():
            yield found.lines[name], places[name], {
                "task": RATERS, "unit": "once", "rater": rater, "criterion": keys[name], "text": str(value),
            }  # fmt: skip


def _items(reading: Reading) -> Iterator[dict[str, Json]]:
    """Yield a row for each output; where the table has no text, a sentence stands in its place."""
    for (item, system, variant), found in reading.outputs.items():
        about = reading.items[item].values
        text = found.values.get("output")
        if text is None:
            text = _("(The file has no text of %(system)s for %(item)s.)") % {"system": system, "item": item}
        yield {"item": item, "system": system, **({"variant": variant} if variant else {}), **about,
               **found.values, "output": text}  # fmt: skip


def _language(reading: Reading) -> str:
    texts = [str(found.values["output"]) for found in reading.outputs.values() if "output" in found.values][:_TEXTS]
    return guess(" ".join(text[:100] for text in texts)) or "en"
