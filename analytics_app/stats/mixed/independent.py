"""Judgments that are independent of each other, for any raters and items."""

import numpy as np

from analytics_app.stats.values import Codes, compressed


def most_independent(items: Codes, raters: Codes) -> int:
    """Return the most judgments of which no two have an item or a rater in common.

    Examples
    --------
    >>> import numpy as np
    >>> most_independent(np.array([0, 0, 1, 1, 2]), np.array([0, 1, 0, 1, 0]))
    2
    """
    # Lazy import: web processes never need it.
    from scipy.sparse import coo_array  # noqa: PLC0415
    from scipy.sparse.csgraph import maximum_bipartite_matching  # noqa: PLC0415

    if not items.size:
        return 0
    rows, columns = compressed(items)[1], compressed(raters)[1]
    graph = coo_array((np.ones(rows.size), (rows, columns))).tocsr()
    return int((maximum_bipartite_matching(graph, perm_type="column") >= 0).sum())
