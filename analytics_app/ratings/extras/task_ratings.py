"""The ratings of a task on all of its criteria, for analyses of one criterion that choose texts by another."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from analytics_app.ratings.extras.base import Extra, Loading, extra
from analytics_app.ratings.reading import load
from analytics_app.ratings.table import Floats, Table
from tasks_app.models import Task


@extra
@dataclass(frozen=True, slots=True)
class TaskRatings(Extra):
    """Columns of equal length, an entry for each output that a rating of a value counts for, before any rule.

    `criterion`, `rater`, `system` and `item` are codes of the table's names.
    """

    criterion: NDArray[np.int32]
    rater: NDArray[np.int32]
    system: NDArray[np.int32]
    item: NDArray[np.int32]
    value: Floats

    @classmethod
    def load(cls, loading: Loading) -> Self:
        """Read the ratings on all criteria that the run sees: a part of a run for one criterion has only its own."""
        task = Task.objects.get(pk=loading.params["tasks"][-1])
        table = load(loading.run, task.key)
        row, system, item = table.by_system()
        keep = ~np.isnan(table.value[row])
        row = row[keep]
        return cls(table.criterion[row], table.rater[row], system[keep], item[keep], table.value[row])

    @classmethod
    def empty(cls, table: Table) -> Self:
        """Return no rating."""
        codes = np.empty(0, dtype=np.int32)
        return cls(codes, codes, codes, codes, np.empty(0))
