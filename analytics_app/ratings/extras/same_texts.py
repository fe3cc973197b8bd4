"""Counts of equal texts by two systems for an item, shown to raters or not."""

from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from typing import Self

import numpy as np
from numpy.typing import NDArray

from analytics_app.ratings.extras.base import Extra, Loading, extra
from analytics_app.ratings.table import Table
from tasks_app.models import Study, Task
from tasks_app.services.study.units import texts_of


@extra
@dataclass(frozen=True, slots=True)
class SameTexts(Extra):
    """Every two systems by their codes, the lower one first: items with texts of both, and those with the same text.

    `kept` says that a task shows identical texts apart.
    """

    first: NDArray[np.int32]
    second: NDArray[np.int32]
    items: NDArray[np.int32]
    same: NDArray[np.int32]
    kept: bool

    @classmethod
    def load(cls, loading: Loading) -> Self:
        """Count over the items that the tasks take."""
        code = {key: number for number, key in enumerate(loading.table.names.systems)}
        texts = texts_of(Study.objects.get(pk=loading.run.study_id), keep=False)
        tasks = list(Task.objects.filter(pk__in=loading.params["tasks"], until=None).order_by("pk"))
        items: Counter[tuple[int, int]] = Counter()
        same: Counter[tuple[int, int]] = Counter()
        for item in {item.key: item for task in tasks for item in texts.items_of(task)}.values():
            groups = [{code[key] for at in group if (key := item.outputs[at].system) in code} for group in item.groups]
            items.update(combinations(sorted(set().union(*groups)), 2))
            same.update({pair for group in groups for pair in combinations(sorted(group), 2)})
        pairs = sorted(items)
        return cls(
            np.array([a for a, _b in pairs], dtype=np.int32),
            np.array([b for _a, b in pairs], dtype=np.int32),
            np.array([items[pair] for pair in pairs], dtype=np.int32),
            np.array([same[pair] for pair in pairs], dtype=np.int32),
            any(task.keep_identical for task in tasks),
        )

    @classmethod
    def empty(cls, table: Table) -> Self:
        """Return no pair."""
        nobody = np.empty(0, dtype=np.int32)
        return cls(nobody, nobody, nobody, nobody, kept=False)
