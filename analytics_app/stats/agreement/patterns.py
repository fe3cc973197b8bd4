"""Patterns of ratings: units with the same counts of values share a row of the table."""

import numpy as np

from analytics_app.stats.values import Codes, Floats


def count_patterns(
    units: Codes, values: Codes, n_units: int, n_values: int, *, aligned: bool = False
) -> tuple[Codes, Floats]:
    """Return the pattern of each unit's ratings, sorted or `aligned` with the units, and the table of patterns."""
    table = np.bincount(units * n_values + values, minlength=n_units * n_values).reshape(n_units, n_values)
    # Rows are compared as bytes, which is faster; the fixed byte order also fixes the order of the patterns.
    rows = np.ascontiguousarray(table.astype("<u4")).view(np.dtype((np.void, 4 * n_values))).ravel()
    _rows, first_places, patterns = np.unique(rows, return_index=True, return_inverse=True)
    # Sorted, so that a random index draws the same pattern whatever the order of the units.
    return patterns if aligned else np.sort(patterns), table[first_places].astype(np.float64)
