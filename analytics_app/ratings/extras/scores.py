"""Scores of automatic metrics that were imported into a study."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from analytics_app.models import MetricScore
from analytics_app.ratings.composites import Composite, Made, computed, read_composites
from analytics_app.ratings.copying import rows
from analytics_app.ratings.extras.base import Extra, Loading, extra
from analytics_app.ratings.table import Floats, Table


@extra
@dataclass(frozen=True, slots=True)
class Scores(Extra):
    """Columns of equal length: metric (a code into `metrics`), item and system (codes of the table's names) and value.

    `item` is -1 where a score is of a system as a whole. Composite scores that the plan declares are among the metrics;
    `composites` says how each was made. `signatures` has the signature of each metric that was computed here, by its
    name: the settings and version of the program.
    """

    metrics: tuple[str, ...]
    metric: NDArray[np.int32]
    item: NDArray[np.int32]
    system: NDArray[np.int32]
    value: Floats
    composites: tuple[Made, ...] = ()
    signatures: Mapping[str, str] = field(default_factory=dict)

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
        imported = cls(
            metrics=metrics,
            metric=np.array([metrics.index(row[0]) for row in known_rows], dtype=np.int32),
            item=np.array([-1 if row[1] is None else items[row[1]] for row in known_rows], dtype=np.int32),
            system=np.array([systems[row[2]] for row in known_rows], dtype=np.int32),
            value=np.array([row[3] for row in known_rows], dtype=np.float64),
            signatures=_signatures(score_rows),
        )
        return imported.with_composites(read_composites(str(run.settings.get("composites") or "")))

    def with_composites(self, declared: Sequence[Composite]) -> Self:
        """Return the scores with those of the composites among them."""
        if not declared or not self.metrics:
            return self
        texts, place = np.unique(np.column_stack([self.item, self.system]), axis=0, return_inverse=True)
        place = place.ravel()
        scores: dict[str, Floats] = {}
        for code, name in enumerate(self.metrics):
            of_metric = self.metric == code
            scores[name] = np.full(len(texts), np.nan)
            scores[name][place[of_metric]] = self.value[of_metric]
        values, made_composites = computed(declared, scores, (texts[:, 0] < 0).astype(np.float64))
        metrics = tuple(sorted({*self.metrics, *values}))
        codes, places = [self._codes_in(metrics)], [np.column_stack([self.item, self.system])]
        columns = [self.value]
        for name, column in values.items():
            scored_texts = np.flatnonzero(~np.isnan(column))
            codes.append(np.full(len(scored_texts), metrics.index(name), dtype=np.int32))
            places.append(texts[scored_texts])
            columns.append(column[scored_texts])
        item, system = np.concatenate(places).T
        return type(self)(
            metrics, np.concatenate(codes), item, system, np.concatenate(columns), tuple(made_composites),
            self.signatures,
        )  # fmt: skip

    def _codes_in(self, metrics: Sequence[str]) -> NDArray[np.int32]:
        """Return the metric of each score as a code into other names."""
        codes = np.array([metrics.index(name) for name in self.metrics] or [-1], dtype=np.int32)
        recoded: NDArray[np.int32] = codes[self.metric]
        return recoded

    @classmethod
    def empty(cls, table: Table) -> Self:
        """Return no score."""
        codes = np.empty(0, dtype=np.int32)
        return cls((), codes, codes, codes, np.empty(0))


def _signatures(score_rows: Sequence[tuple[Any, ...]]) -> dict[str, str]:
    """Return the signatures of each metric that has some: of texts, then of systems as wholes where that differs."""
    found: dict[str, dict[str, None]] = {}
    for row in sorted((row for row in score_rows if row[4]), key=lambda row: row[1] is None):
        found.setdefault(row[0], {})[row[4]] = None
    return {name: "; ".join(signatures) for name, signatures in found.items()}


_SCORES = """
SELECT s.metric, i.key, y.key, s.value, s.signature
  FROM analytics_app_metricscore s
  JOIN tasks_app_system y ON y.id = s.system_id
  LEFT JOIN tasks_app_item i ON i.id = s.item_id
 WHERE s.study_id = %s AND s.id <= %s
 ORDER BY s.metric COLLATE "C", s.id
"""
