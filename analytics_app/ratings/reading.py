"""Read the ratings of a task that a run sees: the SQL statements, and the conversion of their rows."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analytics_app.models import Run
from analytics_app.ratings.copying import copy, rows
from analytics_app.ratings.judgment_conditions import counts
from analytics_app.ratings.pair_order import Pairs, in_one_order
from analytics_app.ratings.table import Coding, Judgments, Names, Table
from tasks_app.models import Rater, Task, Version
from tasks_app.settings.checks import COPIES

# The fact of a run that names the texts that were withdrawn when it was started.
WITHDRAWN = "withdrawn"

# Every column has a fixed width and is never null, so that all rows are equally long.
_RATING_TYPE = {
    "id": np.int64,
    "judgment": np.int64,
    "part": np.int64,
    "part_b": np.int64,
    "criterion": np.int64,
    "number": np.int32,
    "value": np.float64,
    "shown": np.float64,
}

_RATINGS = """
SELECT r.id, r.judgment_id, COALESCE(r.part_id, 0), COALESCE(r.part_b_id, 0), COALESCE(r.criterion_id, 0), r.number,
       COALESCE(r.value, 'NaN'::float8), COALESCE(r.shown_value, 'NaN'::float8)
  FROM tasks_app_rating r
 WHERE r.task_id = ANY(%(tasks)s) AND r.id <= %(high)s {about}
"""

_WORDS = """
SELECT DISTINCT r.label COLLATE "C"
  FROM tasks_app_rating r
 WHERE r.task_id = ANY(%(tasks)s) AND r.id <= %(high)s {about} AND r.label IS NOT NULL
 ORDER BY 1
"""

_LABELS = """
SELECT r.id, w.code
  FROM tasks_app_rating r JOIN unnest(%(words)s::text[]) WITH ORDINALITY w (label, code) USING (label)
 WHERE r.task_id = ANY(%(tasks)s) AND r.id <= %(high)s {about}
 ORDER BY r.id
"""

_JUDGMENT_TYPE = {
    "id": np.int64,
    "rater": np.int64,
    "unit": np.int64,
    "order": np.int32,
    "seconds": np.float64,
    "at": np.float64,
    "wave": np.int32,
    "group": np.int64,
    "simulated": np.int32,
}

# A skip that replaced an answer after the mark does not remove the answer: the state is read only for surplus.
_JUDGMENTS = """
SELECT j.id, a.rater_id, a.unit_id, a."order", COALESCE(j.seconds_active, 'NaN'::float8),
       EXTRACT(epoch FROM j.submitted_at)::float8, a.wave, COALESCE(ra.group_id, 0), (a.rater_kind = 'simulated')::int
  FROM tasks_app_judgment j
  JOIN tasks_app_assignment a ON a.id = j.assignment_id
  JOIN tasks_app_unit u ON u.id = a.unit_id
  JOIN tasks_app_rater ra ON ra.id = a.rater_id
 WHERE u.task_id = ANY(%(tasks)s) AND a.purpose IN ('main', 'screening', 'exit') AND {counts}
"""

_RATERS = 'SELECT id, pseudonym FROM tasks_app_rater WHERE study_id = %s ORDER BY pseudonym COLLATE "C", id'

_SHOWN_TYPE = {"part": np.int64, "unit": np.int64, "system": np.int64, "item": np.int64}

_SHOWN = """
SELECT p.id, p.unit_id, COALESCE(o.system_id, 0), COALESCE(o.item_id, 0)
  FROM tasks_app_part p
  JOIN tasks_app_unit u ON u.id = p.unit_id
  LEFT JOIN tasks_app_partoutput po ON po.part_id = p.id
  LEFT JOIN tasks_app_output o ON o.id = po.output_id
 WHERE u.task_id = ANY(%(tasks)s) AND u.features->>'degraded_of' IS NULL
 ORDER BY p.id, po.id
"""

# Degraded copies are checks made by the program: they are neither units nor systems of the study.
_UNITS = """
SELECT id, key, COALESCE(item_id, 0) FROM tasks_app_unit
 WHERE task_id = ANY(%s) AND features->>'degraded_of' IS NULL ORDER BY id
"""

# Items are in the order of their keys: bootstraps draw in this order, and recomputation from a file has only the keys.
_ITEMS = """
SELECT id, key, COALESCE(document_id, 0), features FROM tasks_app_item WHERE study_id = %s ORDER BY key COLLATE "C", id
"""
_DOCUMENTS = 'SELECT id, key FROM tasks_app_document WHERE study_id = %s ORDER BY key COLLATE "C", id'


def pooled_versions(study_id: int, version: int) -> tuple[int, ...]:
    """Return the versions pooled with a version: back to the last change after which results are separate."""
    changes = dict(Version.objects.filter(study=study_id, number__lte=version).values_list("number", "change"))
    pooled = []
    for number in range(version, 0, -1):
        pooled.append(number)
        if changes.get(number) != Version.Change.WORDING:
            break
    return tuple(pooled)


def seen_by(run: Run, task_key: str, criteria: Sequence[int] | None = None) -> dict[str, Any]:
    """Return the parameters of the statements that read the rows of a task that a run sees."""
    tasks = rows("SELECT id FROM tasks_app_task WHERE study_id = %s AND key = %s", run.study_id, task_key)
    return {
        "study": run.study_id,
        "tasks": [pk for (pk,) in tasks],
        "versions": list(pooled_versions(run.study_id, run.version)),
        "high": run.high_water,
        "judgment_high": run.judgment_high_water,
        "criteria": list(criteria or ()),
        "surplus": bool(run.settings.get("surplus")),
        "added": list(run.facts.get("added", ())),
        "withdrawn": withdrawn_units(run),
        "metrics": metric_raters(run.study_id),
    }


def metric_raters(study_id: int) -> list[int]:
    """Return the ids of the raters of a study that are automatic metrics."""
    return list(Rater.objects.filter(Rater.METRICS, study=study_id).order_by("pk").values_list("pk", flat=True))


def withdrawn_units(run: Run) -> list[int]:
    """Return the units that a run leaves out, since their texts were withdrawn when it was started."""
    return list(run.facts.get(WITHDRAWN, {}).get("units", ()))


def load(run: Run, task_key: str, criteria: Sequence[int] | None = None) -> Table:
    """Read the ratings of a task that a run sees, or those on some criteria (by id), in their order of arrival.

    Rows of a task that a later version replaced count under the same key if the versions are pooled.
    """
    params = seen_by(run, task_key, criteria)
    judgments, judgment_codes, names = _judgments(params)
    about = "AND r.criterion_id = ANY(%(criteria)s)" if criteria is not None else ""
    columns = copy(_RATINGS.format(about=about), params, _RATING_TYPE)
    code = judgment_codes(columns["judgment"])
    counted = code >= 0
    columns, code = columns[counted], code[counted]
    if len(columns) and np.any(np.diff(columns["id"]) < 0):
        order = np.argsort(columns["id"], kind="stable")
        columns, code = columns[order], code[order]
    if criteria is not None:
        # The outcome of a part must not depend on judgments on other criteria.
        used, places = np.unique(code, return_inverse=True)
        judgments, code = judgments.where(used), places.astype(np.int32)
    labels, label = _labels(params, about, columns["id"])
    table = Table(
        id=columns["id"],
        judgment=code,
        rater=judgments.rater[code],
        unit=judgments.unit[code],
        part=Coding(names.part_ids)(columns["part"]),
        part_b=Coding(names.part_ids)(columns["part_b"]),
        criterion=names.criterion_codes(columns["criterion"]),
        number=columns["number"],
        value=columns["value"],
        shown=columns["shown"],
        label=label,
        judgments=judgments,
        names=replace(names, labels=labels),
    )
    return in_one_order(table, Pairs.of(Task.objects.filter(pk__in=params["tasks"]), names))


def _judgments(params: Mapping[str, Any]) -> tuple[Judgments, Coding, Names]:
    raw = copy(_JUDGMENTS.format(counts=counts()), params, _JUDGMENT_TYPE)
    raw = raw[np.argsort(raw["id"], kind="stable")]
    raters = rows(_RATERS, params["study"])
    groups = rows("SELECT id, key FROM tasks_app_group WHERE study_id = %s ORDER BY id", params["study"])
    # Codes of raters are in the order of pseudonyms, so that the order of two raters does not depend on their arrival.
    by_id = sorted((pk, code) for code, (pk, _name) in enumerate(raters))
    known = np.array([pk for pk, _code in by_id], dtype=np.int64)
    code_of = np.array([code for _pk, code in by_id], dtype=np.int32)
    names = _names(params, raters, groups)
    judgments = Judgments(
        id=raw["id"],
        rater=code_of[Coding(known)(raw["rater"])] if len(raw) else np.empty(0, dtype=np.int32),
        unit=Coding(names.unit_ids)(raw["unit"]),
        order=raw["order"],
        seconds=raw["seconds"],
        at=raw["at"],
        wave=raw["wave"],
        group=Coding(np.array([pk for pk, _key in groups], dtype=np.int64))(raw["group"]),
        simulated=raw["simulated"].astype(bool),
    )
    return judgments, Coding(judgments.id), names


def _names(params: Mapping[str, Any], raters: Sequence[tuple[Any, ...]], groups: Sequence[tuple[Any, ...]]) -> Names:
    study = params["study"]
    units = rows(_UNITS, params["tasks"])
    criteria = rows("SELECT id, key FROM tasks_app_criterion WHERE study_id = %s ORDER BY id", study)
    system_rows = rows("SELECT id, key FROM tasks_app_system WHERE study_id = %s ORDER BY id", study)
    systems = [(pk, key) for pk, key in system_rows if key != COPIES]
    items, documents = rows(_ITEMS, study), rows(_DOCUMENTS, study)
    shown = copy(_SHOWN, params, _SHOWN_TYPE)
    part_ids, first = np.unique(shown["part"], return_index=True)
    unit_ids, item_ids = ids_of(units), ids_of(items)
    visible = shown[shown["system"] > 0]
    return Names(
        raters=tuple(name for _pk, name in raters),
        rater_ids=ids_of(raters),
        units=tuple(key for _pk, key, _item in units),
        unit_ids=unit_ids,
        part_ids=part_ids,
        unit_of_part=Coding(unit_ids)(shown["unit"][first]),
        item_of_unit=Coding(item_ids)(np.array([item for _pk, _key, item in units], dtype=np.int64)),
        criteria=tuple(key for _pk, key in criteria),
        criterion_ids=ids_of(criteria),
        labels=(),
        systems=tuple(key for _pk, key in systems),
        items=tuple(key for _pk, key, *_rest in items),
        document_of_item=Coding(ids_of(documents))(np.array([item[2] for item in items], dtype=np.int64)),
        documents=tuple(key for _pk, key in documents),
        groups=tuple(key for _pk, key in groups),
        shown_part=Coding(part_ids)(visible["part"]),
        shown_system=Coding(ids_of(systems))(visible["system"]),
        shown_item=Coding(item_ids)(visible["item"]),
        features=_features([json.loads(item[3]) for item in items]),
    )


def _features(of_items: Sequence[Mapping[str, Any]]) -> dict[str, NDArray[Any]]:
    """Return the items' features as one array of words for each feature."""
    named = sorted({name for features in of_items for name in features})
    return {
        name: np.array(
            ["" if (value := features.get(name)) is None else str(value) for features in of_items], dtype=object
        )
        for name in named
    }


def _labels(params: Mapping[str, Any], about: str, ids: NDArray[np.int64]) -> tuple[tuple[str, ...], NDArray[np.int32]]:
    """Return the labels in alphabetical order, and the code of each rating's label."""
    words = rows(_WORDS.format(about=about), **params)
    code = np.full(len(ids), -1, dtype=np.int32)
    labels = tuple(word for (word,) in words)
    if labels:
        raw = copy(_LABELS.format(about=about), {**params, "words": list(labels)}, {"id": np.int64, "code": np.int64})
        place = Coding(ids)(raw["id"])
        code[place[place >= 0]] = raw["code"][place >= 0] - 1
    return labels, code


def ids_of(id_rows: Sequence[tuple[Any, ...]]) -> NDArray[np.int64]:
    return np.array([row[0] for row in id_rows], dtype=np.int64)
