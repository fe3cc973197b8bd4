"""Raters, judgments and ratings that rules or researchers excluded, including judgments without ratings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from analytics_app.ratings.extras.base import Extra, Loading
from analytics_app.ratings.extras.registry import extra
from analytics_app.ratings.extras.spans import gone
from analytics_app.ratings.table import Mask, Table


@extra
@dataclass(frozen=True, slots=True)
class Gone(Extra):
    """Ids of raters and of judgments. An answer that found no error has no rating that could be missed."""

    raters: NDArray[np.int64]
    judgments: NDArray[np.int64]

    @classmethod
    def load(cls, loading: Loading) -> Self:
        """Read the exclusions of the run."""
        return cls(*gone(loading.run, loading.seen["tasks"]))

    @classmethod
    def empty(cls, table: Table) -> Self:
        """Return nobody and nothing."""
        none = np.empty(0, dtype=np.int64)
        return cls(none, none)


def answered(table: Table, raters: NDArray[np.int64], judgments: NDArray[np.int64]) -> Mask:
    """Say of each judgment of a table whether it counts, though it may have no rating; those are ids that are out."""
    found = table.judgments
    counts = (found.unit >= 0) & ~np.isin(found.id, judgments)
    if len(found.id):
        counts &= ~np.isin(table.names.rater_ids[found.rater], raters)
    # The ratings of an answer, such as a score, say that it counts, whatever is known of it.
    counts[table.judgment] = True
    return counts
