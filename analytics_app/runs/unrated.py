"""Judgments without ratings, such as texts in which a rater found no error; rules treat them like any other."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from analytics_app.quality.base import Asking, Removal
from analytics_app.ratings import Mask, Table


def unrated_in(table: Table, task: Asking, replaced: Collection[int]) -> NDArray[np.int64]:
    """Return the codes of the judgments that count and have no rating; none where no errors are marked.

    Elsewhere an answer without a rating left out every question there was.
    """
    judgments = table.judgments
    if not task.marked:
        return np.empty(0, dtype=np.int64)
    counts = (judgments.unit >= 0) & ~np.isin(judgments.id, list(replaced))
    counts[table.judgment] = False
    return np.flatnonzero(counts).astype(np.int64)


def taken(table: Table, unrated: NDArray[np.int64], removal: Removal) -> Mask:
    """Say which of some judgments a rule took, with their rater or by themselves."""
    gone = np.zeros(len(unrated), dtype=bool)
    keys = {"rater": table.names.rater_ids[table.judgments.rater[unrated]], "judgment": table.judgments.id[unrated]}
    for one in (removal, *removal.more):
        if one.target in keys:
            gone |= np.isin(keys[one.target], one.ids)
    return gone
