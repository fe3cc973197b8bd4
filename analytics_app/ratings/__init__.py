"""Load the ratings of a task as columns, never as one object a row.

PostgreSQL sends its binary COPY format, in which a row of fixed-width columns has a fixed width, so that whole
buffers become arrays without a loop.

Which judgments enter, unless a method says otherwise: the current answer of each main assignment, neither skipped nor
surplus, of raters that are no sandbox, up to the run's high-water marks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from analytics_app.models import Run
from analytics_app.ratings.copying import copy, rows
from analytics_app.ratings.extras import Extra, Extras, Loading
from analytics_app.ratings.left_out import WITHIN, LeftOut, left_out
from analytics_app.ratings.reading import RATING_TYPE, RATINGS, read_judgments, read_labels
from analytics_app.ratings.table import Coding, Floats, Judgments, Mask, Names, Table
from tasks_app.models import Version

__all__ = [
    "WITHIN",
    "Coding",
    "Extra",
    "Extras",
    "Floats",
    "Judgments",
    "LeftOut",
    "Mask",
    "Names",
    "Table",
    "left_out",
    "load",
    "load_extras",
    "pooled_versions",
    "seen_by",
]


def pooled_versions(study_id: int, version: int) -> tuple[int, ...]:
    """Return the versions whose results are pooled with one: back to the last change that keeps results apart."""
    changes = dict(Version.objects.filter(study=study_id, number__lte=version).values_list("number", "change"))
    pooled = []
    for number in range(version, 0, -1):
        pooled.append(number)
        if changes.get(number) != Version.Change.WORDING:
            break
    return tuple(pooled)


def seen_by(run: Run, task_key: str, criteria: Sequence[int] | None = None) -> dict[str, Any]:
    """Return the parameters of every statement that reads what a run sees of a task."""
    tasks = rows("SELECT id FROM tasks_app_task WHERE study_id = %s AND key = %s", run.study_id, task_key)
    return {
        "study": run.study_id,
        "tasks": [pk for (pk,) in tasks],
        "versions": list(pooled_versions(run.study_id, run.version)),
        "high": run.high_water,
        "judgment_high": run.judgment_high_water,
        "criteria": list(criteria or ()),
        "surplus": bool(run.settings.get("surplus")),
    }


def load_extras(run: Run, task_key: str, table: Table, needs: Iterable[type[Extra]]) -> Extras:
    """Read the further material that rules or analyses need, for all criteria of a task."""
    wanted = frozenset(needs)
    return Extras.load(Loading(run, table, seen_by(run, task_key)), wanted) if wanted else Extras()


def load(run: Run, task_key: str, criteria: Sequence[int] | None = None) -> Table:
    """Read the ratings of a task that a run sees, or those on some criteria (by id), in their order of arrival.

    Rows of a task that a later version replaced count under the same key where versions are pooled.
    """
    seen = seen_by(run, task_key, criteria)
    judgments, judgment_codes, names = read_judgments(seen)
    about = "AND r.criterion_id = ANY(%(criteria)s)" if criteria is not None else ""
    columns = copy(RATINGS.format(about=about), seen, RATING_TYPE)
    code = judgment_codes(columns["judgment"])
    counted = code >= 0
    columns, code = columns[counted], code[counted]
    if len(columns) and np.any(np.diff(columns["id"]) < 0):
        order = np.argsort(columns["id"], kind="stable")
        columns, code = columns[order], code[order]
    if criteria is not None:
        # Judgments on other criteria are none of this part's: what it finds must not depend on them.
        used, places = np.unique(code, return_inverse=True)
        judgments, code = judgments.where(used), places.astype(np.int32)
    labels, label = read_labels(seen, about, columns["id"])
    return Table(
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
