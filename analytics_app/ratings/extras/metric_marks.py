"""Marks of automatic metrics in the texts of a task, which were imported as marks of raters that are metrics."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from analytics_app.ratings.copying import copy, rows
from analytics_app.ratings.extras.base import Extra, Loading, extra
from analytics_app.ratings.extras.spans import excluded_ids
from analytics_app.ratings.judgment_conditions import METRICS, counts
from analytics_app.ratings.table import Coding, Floats, Table
from tasks_app.models import Rater
from tasks_app.models.raters import METRIC


@extra
@dataclass(frozen=True, slots=True)
class MetricMarks(Extra):
    """Texts as metrics judged them, and the marks that they made there, as columns.

    Each of the looks (`part`, `metric`, `score`) is the first answer of a metric to a text: the part is a code of the
    table's names, the metric a code into `metrics`, the score the one that the metric gave with its marks (NaN: none).
    The other columns are about marks: `look` is the place of the look, `side`, `start` and `end` are as in `Spans`,
    `severity` is a code into `severities`, -1 none. Metrics that a person excluded are left out.
    """

    metrics: tuple[str, ...]
    part: NDArray[np.int32]
    metric: NDArray[np.int32]
    score: Floats
    look: NDArray[np.int32]
    side: NDArray[np.int32]
    start: NDArray[np.int32]
    end: NDArray[np.int32]
    severity: NDArray[np.int32]
    severities: tuple[str, ...]

    @classmethod
    def load(cls, loading: Loading) -> Self:
        """Read the marks of metrics up to the run's mark."""
        names = loading.table.names
        excluded, _judgments = excluded_ids(loading.run, loading.params["tasks"])
        ids = sorted(set(loading.params["metrics"]) - set(excluded.tolist()))
        if not ids:
            return cls.empty(loading.table)
        params: dict[str, Any] = {**loading.params, "metrics": ids}
        pseudonyms = dict(Rater.objects.filter(pk__in=ids).values_list("pk", "pseudonym"))
        by_name = sorted(ids, key=lambda pk: (pseudonyms[pk], pk))
        looks = copy(_LOOKS.format(counts=counts(whose=METRICS)), params, _LOOK)
        part = Coding(names.part_ids)(looks["part"])
        # Judgments are numbered in the order in which they arrived: the first answer to a text counts.
        order = np.lexsort((looks["judgment"], looks["rater"], part))
        is_first = np.r_[True, (np.diff(part[order]) != 0) | (np.diff(looks["rater"][order]) != 0)][: len(order)]
        kept = order[is_first & (part[order] >= 0)]
        looks, part = looks[kept], part[kept]
        severities = tuple(word for (word,) in rows(_SEVERITIES, **params))
        marks = copy(_MARKS, {**params, "severities": list(severities)}, _MARK)
        n_parts = len(names.part_ids) + 1
        of_marks = marks["judgment"] * n_parts + Coding(names.part_ids)(marks["part"])
        place = Coding((looks["judgment"] * n_parts + part).astype(np.int64))(of_marks.astype(np.int64))
        marks, place = marks[place >= 0], place[place >= 0]
        in_order = np.lexsort((marks["id"], place))
        marks, place = marks[in_order], place[in_order]
        code_of = {pk: code for code, pk in enumerate(by_name)}
        return cls(
            metrics=tuple(pseudonyms[pk].removeprefix(METRIC) for pk in by_name),
            part=part.astype(np.int32),
            metric=np.array([code_of[pk] for pk in looks["rater"].tolist()], dtype=np.int32),
            score=looks["score"],
            look=place.astype(np.int32),
            side=marks["side"],
            start=marks["start"],
            end=marks["end"],
            severity=marks["severity"] - np.int32(1),
            severities=severities,
        )

    @classmethod
    def empty(cls, table: Table) -> Self:
        """Return data without metrics."""
        codes = np.empty(0, dtype=np.int32)
        return cls((), codes, codes, np.empty(0), codes, codes, codes, codes, codes, ())


_LOOK: dict[str, type] = {"judgment": np.int64, "part": np.int64, "rater": np.int64, "score": np.float64}

# Each text of a unit that a metric judged, whether it marked something there or not.
_LOOKS = """
SELECT j.id, p.id, a.rater_id, COALESCE(s.value, 'NaN'::float8)
  FROM tasks_app_assignment a
  JOIN tasks_app_judgment j ON j.assignment_id = a.id
  JOIN tasks_app_unit u ON u.id = a.unit_id
  JOIN tasks_app_part p ON p.unit_id = u.id
  LEFT JOIN (SELECT r.judgment_id, r.part_id, max(r.value) AS value
               FROM tasks_app_rating r JOIN tasks_app_criterion c ON c.id = r.criterion_id AND c.key = 'score'
              WHERE r.task_id = ANY(%(tasks)s) AND r.rater_id = ANY(%(metrics)s::bigint[]) AND r.id <= %(high)s
              GROUP BY r.judgment_id, r.part_id) s ON s.judgment_id = j.id AND s.part_id = p.id
 WHERE u.task_id = ANY(%(tasks)s) AND a.purpose = 'main' AND {counts}
"""

_OF_METRICS = """
 WHERE r.task_id = ANY(%(tasks)s) AND r.rater_id = ANY(%(metrics)s::bigint[]) AND r.id <= %(high)s
"""

_SEVERITIES = f"""
SELECT DISTINCT r.severity COLLATE "C" FROM tasks_app_rating r {_OF_METRICS} AND r.severity IS NOT NULL ORDER BY 1
"""  # noqa: S608  conditions of ours

_MARK: dict[str, type] = {
    "id": np.int64,
    "judgment": np.int64,
    "part": np.int64,
    "side": np.int32,
    "start": np.int32,
    "end": np.int32,
    "severity": np.int32,
}

_MARKS = f"""
SELECT r.id, r.judgment_id, COALESCE(r.part_id, 0),
       CASE r.span_side WHEN 'output' THEN 0 WHEN 'source' THEN 1 ELSE -1 END,
       COALESCE(r.span_start, 0)::int, COALESCE(r.span_end, 0)::int, COALESCE(s.code, 0)::int
  FROM tasks_app_rating r
  LEFT JOIN unnest(%(severities)s::text[]) WITH ORDINALITY s (word, code) ON s.word = r.severity
{_OF_METRICS} AND (r.span_side IS NOT NULL OR r.category IS NOT NULL OR r.severity IS NOT NULL)
"""  # noqa: S608  conditions of ours
