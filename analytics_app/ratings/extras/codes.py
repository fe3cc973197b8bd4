"""The codes of raters, which several kinds of data need."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from analytics_app.ratings.table import Coding, Names


def rater_codes(names: Names, ids: NDArray[np.int64]) -> NDArray[np.int32]:
    """Return codes into the raters' names for (unsorted) ids of raters; -1 for unknown ids."""
    order = np.argsort(names.rater_ids, kind="stable")
    codes = Coding(names.rater_ids[order])(ids)
    if not len(order):
        return codes
    return np.where(codes >= 0, order[codes].astype(np.int32), np.int32(-1))
