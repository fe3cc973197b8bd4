"""Scores of metrics as matrices of items by systems, beside those of people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analytics_app.analyses.base import Sample
from analytics_app.ratings import Floats
from analytics_app.ratings.extras.scores import Scores


@dataclass(frozen=True, slots=True)
class OfMetric:
    """The scores of one metric, higher is better: of texts (items by systems), of systems as wholes, or both.

    NaN where there is none. `turned` says that lower is better in what was imported.
    """

    name: str
    of_texts: Floats | None
    of_systems: Floats | None
    turned: bool


def metrics_of(
    sample: Sample, systems: Sequence[str], items: NDArray[np.intp], settings: Mapping[str, Any]
) -> Iterator[OfMetric]:
    """Yield each metric with its scores of these systems and items, in alphabetical order."""
    scores, names = sample.extras[Scores], sample.table.names
    column = np.full(len(names.systems), -1)
    for code, key in enumerate(systems):
        column[names.systems.index(key)] = code
    row = np.full(len(names.items) + 1, -1)
    row[items] = np.arange(len(items))
    wanted, turned = set(settings["metrics"]), set(settings["lower_is_better"])
    for code, name in enumerate(scores.metrics):
        if wanted and name not in wanted:
            continue
        mine = scores.metric == code
        sign = -1.0 if name in turned else 1.0
        at, item, value = column[scores.system[mine]], scores.item[mine], sign * scores.value[mine]
        whole = (item < 0) & (at >= 0)
        of_text = (at >= 0) & (row[item] >= 0) & (item >= 0)
        yield OfMetric(
            name=name,
            of_texts=_matrix((len(items), len(systems)), (row[item[of_text]], at[of_text]), value[of_text]),
            of_systems=_matrix((len(systems),), (at[whole],), value[whole]),
            turned=name in turned,
        )


def _matrix(shape: tuple[int, ...], place: tuple[NDArray[Any], ...], value: Floats) -> Floats | None:
    """Return the scores in their places, or None where there are none."""
    if not len(value):
        return None
    matrix = np.full(shape, np.nan)
    matrix[place] = value
    return matrix
