"""The SQL statements that load a table of ratings."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analytics_app.ratings.conditions import counts
from analytics_app.ratings.copying import copy, rows
from analytics_app.ratings.table import Coding, Judgments, Names
from tasks_app.check_settings import COPIES

# Every column is of fixed width and never null, so that all rows are equally long.
RATING_TYPE = {
    "id": np.int64,
    "judgment": np.int64,
    "part": np.int64,
    "part_b": np.int64,
    "criterion": np.int64,
    "number": np.int32,
    "value": np.float64,
    "shown": np.float64,
}

RATINGS = """
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

# A skip that replaced an answer after the mark does not unmake the answer: the state is read for surplus only.
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

# Degraded copies are checks that the tool makes: neither a unit nor a system of the study.
_UNITS = """
SELECT id, key, COALESCE(item_id, 0) FROM tasks_app_unit
 WHERE task_id = ANY(%s) AND features->>'degraded_of' IS NULL ORDER BY id
"""

# By their keys: bootstraps draw them in this order, and whoever draws again has the keys alone.
_ITEMS = """
SELECT id, key, COALESCE(document_id, 0), features FROM tasks_app_item WHERE study_id = %s ORDER BY key COLLATE "C", id
"""
_DOCUMENTS = 'SELECT id, key FROM tasks_app_document WHERE study_id = %s ORDER BY key COLLATE "C", id'


def read_judgments(seen: Mapping[str, Any]) -> tuple[Judgments, Coding, Names]:
    raw = copy(_JUDGMENTS.format(counts=counts()), seen, _JUDGMENT_TYPE)
    raw = raw[np.argsort(raw["id"], kind="stable")]
    raters = rows(_RATERS, seen["study"])
    groups = rows("SELECT id, key FROM tasks_app_group WHERE study_id = %s ORDER BY id", seen["study"])
    # Raters are numbered by their pseudonyms, so that "the first of two raters" does not depend on who came first.
    by_id = sorted((pk, code) for code, (pk, _name) in enumerate(raters))
    known = np.array([pk for pk, _code in by_id], dtype=np.int64)
    code_of = np.array([code for _pk, code in by_id], dtype=np.int32)
    names = _names(seen, raters, groups)
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


def _names(seen: Mapping[str, Any], raters: Sequence[tuple[Any, ...]], groups: Sequence[tuple[Any, ...]]) -> Names:
    study = seen["study"]
    units = rows(_UNITS, seen["tasks"])
    criteria = rows("SELECT id, key FROM tasks_app_criterion WHERE study_id = %s ORDER BY id", study)
    found = rows("SELECT id, key FROM tasks_app_system WHERE study_id = %s ORDER BY id", study)
    systems = [(pk, key) for pk, key in found if key != COPIES]
    items, documents = rows(_ITEMS, study), rows(_DOCUMENTS, study)
    shown = copy(_SHOWN, seen, _SHOWN_TYPE)
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
        document_of_item=Coding(ids_of(documents))(np.array([one[2] for one in items], dtype=np.int64)),
        documents=tuple(key for _pk, key in documents),
        groups=tuple(key for _pk, key in groups),
        shown_part=Coding(part_ids)(visible["part"]),
        shown_system=Coding(ids_of(systems))(visible["system"]),
        shown_item=Coding(item_ids)(visible["item"]),
        features=_features([json.loads(one[3]) for one in items]),
    )


def _features(of_items: Sequence[Mapping[str, Any]]) -> dict[str, NDArray[Any]]:
    """Turn the items' features into one array of words a feature."""
    named = sorted({name for features in of_items for name in features})
    return {
        name: np.array(["" if (found := one.get(name)) is None else str(found) for one in of_items], dtype=object)
        for name in named
    }


def read_labels(
    seen: Mapping[str, Any], about: str, ids: NDArray[np.int64]
) -> tuple[tuple[str, ...], NDArray[np.int32]]:
    """Return the labels there are, in their alphabetical order, and the code of each rating's label."""
    words = rows(_WORDS.format(about=about), **seen)
    code = np.full(len(ids), -1, dtype=np.int32)
    labels = tuple(word for (word,) in words)
    if labels:
        raw = copy(_LABELS.format(about=about), {**seen, "words": list(labels)}, {"id": np.int64, "code": np.int64})
        place = Coding(ids)(raw["id"])
        code[place[place >= 0]] = raw["code"][place >= 0] - 1
    return labels, code


def ids_of(found: Sequence[tuple[Any, ...]]) -> NDArray[np.int64]:
    return np.array([one[0] for one in found], dtype=np.int64)
