"""Helpers of several kinds of data: which judgments count, and the codes of raters."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from analytics_app.ratings.table import Coding, Names

# An answer up to the run's marks, neither skipped nor given up, of whoever did not only try the study out.
GIVEN = """({judgment}.id <= %(judgment_high)s AND {judgment}.skip_reason = ''
       AND {judgment}.version = ANY(%(versions)s) AND {assignment}.rater_kind <> 'sandbox'
       AND {assignment}.state NOT IN ('withdrawn', 'returned') AND (%(surplus)s OR {assignment}.state <> 'surplus'))"""

# The answer as it stood at the run's marks.
CURRENT = f"""({GIVEN}
       AND NOT EXISTS (SELECT 1 FROM tasks_app_judgment n
                        WHERE n.replaces_id = {{judgment}}.id AND n.id <= %(judgment_high)s))"""  # noqa: S608  GIVEN stands above


def rater_codes(names: Names, ids: NDArray[np.int64]) -> NDArray[np.int32]:
    """Return codes into the raters' names for ids of raters, which are in no order there; -1 for the unknown."""
    order = np.argsort(names.rater_ids, kind="stable")
    found = Coding(names.rater_ids[order])(ids)
    if not len(order):
        return found
    return np.where(found >= 0, order[found].astype(np.int32), np.int32(-1))
