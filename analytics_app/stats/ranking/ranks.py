"""Ranks with ties, for many groups at once."""

import numpy as np

from analytics_app.stats.values import Codes, Floats


def ranks_within(groups: Codes, values: Floats) -> Floats:
    """Return the mid-rank of each value within its group.

    Parameters
    ----------
    groups : ndarray of int, shape (n,)
        Codes from 0, sorted.
    values : ndarray of float, shape (n,)
        Sorted within each group.

    Returns
    -------
    ndarray of float, shape (n,)
        From 1; values that tie share the mean of their ranks.

    Examples
    --------
    >>> ranks_within(np.array([0, 0, 0, 1]), np.array([3.0, 5.0, 5.0, 1.0])).tolist()
    [1.0, 2.5, 2.5, 1.0]
    """
    if not values.size:
        return np.zeros(0)
    ties = np.cumsum(np.r_[False, (np.diff(groups) != 0) | (np.diff(values) != 0)])
    lengths = np.bincount(ties)
    # Ranks over all groups, minus the entries of the preceding groups.
    overall = (np.cumsum(lengths) - lengths + (lengths + 1) / 2)[ties]
    sizes = np.bincount(groups)
    ranks: Floats = overall - (np.cumsum(sizes) - sizes)[groups]
    return ranks
