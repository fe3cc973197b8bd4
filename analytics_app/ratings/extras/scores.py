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
        """Read the scores that there were when the run was started; none where they were replaced since.

        An item that a later version replaced is meant by its key.
        """
        run, names = loading.run, loading.table.names
        high = run.facts.get("scores", {}).get("high")
        about = MetricScore.objects.filter(study=run.study_id)
        newest = about.order_by("-pk").values_list("pk", flat=True).first() if high is None else high
        found = rows(_SCORES, run.study_id, newest or 0)
        metrics = tuple(sorted({name for name, *_rest in found}))
        # Of items with one key the latest code counts: the ratings are about that.
        items = {key: code for code, key in enumerate(names.items)}
        systems = {key: code for code, key in enumerate(names.systems)}
        kept = [one for one in found if one[2] in systems and (one[1] is None or one[1] in items)]
        return cls(
            metrics=metrics,
            metric=np.array([metrics.index(one[0]) for one in kept], dtype=np.int32),
            item=np.array([-1 if one[1] is None else items[one[1]] for one in kept], dtype=np.int32),
            system=np.array([systems[one[2]] for one in kept], dtype=np.int32),
            value=np.array([one[3] for one in kept], dtype=np.float64),
        )

    @classmethod
    def empty(cls, table: Table) -> Self:
        """Return no score."""
        none = np.empty(0, dtype=np.int32)
        return cls((), none, none, none, np.empty(0))


_SCORES = """
SELECT s.metric, i.key, y.key, s.value
  FROM analytics_app_metricscore s
  JOIN tasks_app_system y ON y.id = s.system_id
  LEFT JOIN tasks_app_item i ON i.id = s.item_id
 WHERE s.study_id = %s AND s.id <= %s
 ORDER BY s.metric COLLATE "C", s.id
"""
