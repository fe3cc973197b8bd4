"""Scores of metrics as matrices of items by systems, aligned with those of people."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analytics_app.analyses.base import Sample
from analytics_app.ratings import Floats, Mask
from analytics_app.ratings.composites import Made
from analytics_app.ratings.extras.scores import Scores
from analytics_app.ratings.metric_directions import Directions

# No metric is turned.
AS_IMPORTED = Directions()


@dataclass(frozen=True, slots=True)
class OfMetric:
    """The scores of one metric, higher is better: of texts (items by systems), of systems as wholes, or both.

    NaN where there is none. `turned` says that lower is better in what was imported, and `direction` who says so: the
    plan, the name, or nobody ("unknown"); None where only listed metrics are turned. `signature` has the settings of
    the program, of a metric that was computed here. `made` says how a composite was made; `lacking` are then the texts
    that have scores of some of its parts only, and so none of it.
    """

    name: str
    of_texts: Floats | None
    of_systems: Floats | None
    turned: bool
    direction: str | None = None
    signature: str = ""
    made: Made | None = None
    lacking: Mask | None = None

    @property
    def scores(self) -> Floats | None:
        """Return the scores of systems as wholes if there are any, else those of texts."""
        return self.of_texts if self.of_systems is None else self.of_systems

    @property
    def sign(self) -> float:
        """Return the factor from scores to imported values."""
        return -1.0 if self.turned else 1.0

    def settings(self, settings: Mapping[str, Any], **more: Any) -> dict[str, Any]:
        """Return the settings of a row of this metric."""
        composite = {"composite": self.made.definition} if self.made is not None else {}
        return {**settings, **self.signs(), **composite, **more}

    def signs(self, end: str = "") -> dict[str, str]:
        """Return the settings about its sign, with an end of their names."""
        direction = {} if self.direction is None else {f"direction{end}": self.direction}
        signature = {f"signature{end}": self.signature} if self.signature else {}
        return {f"sign{end}": "turned" if self.turned else "as it is", **direction, **signature}


def metrics_of(
    sample: Sample,
    systems: Sequence[str],
    items: NDArray[np.intp],
    names_of_metrics: Collection[str] = (),
    directions: Directions = AS_IMPORTED,
) -> Iterator[OfMetric]:
    """Yield the metrics of some names, or all, with their scores of systems and items, in alphabetical order."""
    scores, names = sample.extras[Scores], sample.table.names
    column = np.full(len(names.systems), -1)
    for code, key in enumerate(systems):
        column[names.systems.index(key)] = code
    row = np.full(len(names.items) + 1, -1)
    row[items] = np.arange(len(items))
    at, shape = column[scores.system], (len(items), len(systems))
    is_text = (at >= 0) & (row[scores.item] >= 0) & (scores.item >= 0)

    def of_texts(name: str) -> Floats | None:
        of_metric = is_text & (scores.metric == scores.metrics.index(name))
        return _matrix(shape, (row[scores.item[of_metric]], at[of_metric]), scores.value[of_metric])

    composites = {composite.name: composite for composite in scores.composites if not composite.problem}
    for code, name in enumerate(scores.metrics):
        if names_of_metrics and name not in names_of_metrics:
            continue
        whole = (scores.metric == code) & (scores.item < 0) & (at >= 0)
        # A composite has the direction that its definition gives it, unless the plan says otherwise.
        turned, direction = directions.of(name) if name not in composites else (name in directions.lower, None)
        sign = -1.0 if turned else 1.0
        texts, wholes = of_texts(name), _matrix(shape[1:], (at[whole],), scores.value[whole])
        lacking = None
        if name in composites:
            parts = [matrix for base in composites[name].bases if (matrix := of_texts(base)) is not None]
            some = np.any([~np.isnan(matrix) for matrix in parts], axis=0) if parts else np.zeros(shape, dtype=bool)
            lacking = some if texts is None else some & np.isnan(texts)
        yield OfMetric(
            name=name,
            of_texts=None if texts is None else sign * texts,
            of_systems=None if wholes is None else sign * wholes,
            turned=turned,
            direction=direction,
            signature=scores.signatures.get(name, "") or _of_parts(scores, composites.get(name)),
            made=composites.get(name),
            lacking=lacking,
        )


def _of_parts(scores: Scores, composite: Made | None) -> str:
    """Return the signatures of the parts of a composite that were computed here, each with its name."""
    bases = composite.bases if composite is not None else ()
    return "; ".join(f"{base}: {scores.signatures[base]}" for base in bases if base in scores.signatures)


def _matrix(shape: tuple[int, ...], place: tuple[NDArray[Any], ...], value: Floats) -> Floats | None:
    """Return the scores in their places, or None if there are none."""
    if not len(value):
        return None
    matrix = np.full(shape, np.nan)
    matrix[place] = value
    return matrix


def column_means(matrix: Floats) -> Floats:
    """Return the mean of each column without missing values, NaN for an empty column."""
    present = ~np.isnan(matrix)
    n = present.sum(axis=0)
    means: Floats = np.divide(np.nansum(matrix, axis=0), n, out=np.full(matrix.shape[1], np.nan), where=n > 0)
    return means
