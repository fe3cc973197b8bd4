"""Raters, judgments and ratings that rules or researchers excluded, including judgments without ratings."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from analytics_app.ratings.extras.base import Extra, Loading, extra
from analytics_app.ratings.extras.spans import excluded_ids
from analytics_app.ratings.table import Mask, Table


@extra
@dataclass(frozen=True, slots=True)
class Gone(Extra):
    """Ids of excluded raters and judgments, needed for answers without errors, since these have no rating.

    The name of the class is part of the digests of stored results; another one would have all of them recomputed.
    """

    raters: NDArray[np.int64]
    judgments: NDArray[np.int64]

    @classmethod
    def load(cls, loading: Loading) -> Self:
        """Read the exclusions of the run."""
        return cls(*excluded_ids(loading.run, loading.params["tasks"]))

    @classmethod
    def empty(cls, table: Table) -> Self:
        """Return nobody and nothing."""
        ids = np.empty(0, dtype=np.int64)
        return cls(ids, ids)


def answered(table: Table, raters: NDArray[np.int64], judgments: NDArray[np.int64]) -> Mask:
    """Return a mask of the judgments of a table that count, with or without ratings; arguments are excluded ids."""
    table_judgments = table.judgments
    counts = (table_judgments.unit >= 0) & ~np.isin(table_judgments.id, judgments)
    if len(table_judgments.id):
        counts &= ~np.isin(table.names.rater_ids[table_judgments.rater], raters)
    # A judgment with ratings in the table, such as a score, counts in any case.
    counts[table.judgment] = True
    return counts
