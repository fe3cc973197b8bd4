"""Scores of automatic metrics that were imported into a study."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from analytics_app.models import MetricScore
from analytics_app.ratings.copying import rows
from analytics_app.ratings.extras.base import Extra, Loading
from analytics_app.ratings.extras.registry import extra
from analytics_app.ratings.table import Floats, Table


@extra
@dataclass(frozen=True, slots=True)
class Scores(Extra):
    """Columns of equal length: metric (a code into `metrics`), item and system (codes of the table's names) and value.

    `item` is -1 where a score is of a system as a whole.
    """

    metrics: tuple[str, ...]
    metric: NDArray[np.int32]
    item: NDArray[np.int32]
    system: NDArray[np.int32]
    value: Floats

    @classmethod
    def load(cls, loading: Loading) -> Self:
        """Read the scores that existed when the run was started; scores replaced since then are missing.

        Items that a later version replaced are matched by key.
        """
        run, names = loading.run, loading.table.names
        high = run.facts.get("scores", {}).get("high")
        scores = MetricScore.objects.filter(study=run.study_id)
        newest = scores.order_by("-pk").values_list("pk", flat=True).first() if high is None else high
        score_rows = rows(_SCORES, run.study_id, newest or 0)
        metrics = tuple(sorted({name for name, *_rest in score_rows}))
        # Of items with the same key the latest code counts, as the ratings are about that version.
        items = {key: code for code, key in enumerate(names.items)}
        systems = {key: code for code, key in enumerate(names.systems)}
        known_rows = [row for row in score_rows if row[2] in systems and (row[1] is None or row[1] in items)]
        return cls(
            metrics=metrics,
            metric=np.array([metrics.index(row[0]) for row in known_rows], dtype=np.int32),
            item=np.array([-1 if row[1] is None else items[row[1]] for row in known_rows], dtype=np.int32),
            system=np.array([systems[row[2]] for row in known_rows], dtype=np.int32),
            value=np.array([row[3] for row in known_rows], dtype=np.float64),
        )

    @classmethod
    def empty(cls, table: Table) -> Self:
        """Return no score."""
        codes = np.empty(0, dtype=np.int32)
        return cls((), codes, codes, codes, np.empty(0))


_SCORES = """
SELECT s.metric, i.key, y.key, s.value
  FROM analytics_app_metricscore s
  JOIN tasks_app_system y ON y.id = s.system_id
  LEFT JOIN tasks_app_item i ON i.id = s.item_id
 WHERE s.study_id = %s AND s.id <= %s
 ORDER BY s.metric COLLATE "C", s.id
"""
