"""Sums over the items or documents that are resampled, for pairs of systems."""

from collections.abc import Sequence

import numpy as np

from analytics_app.stats.resampling.bootstrap import Interval, interval
from analytics_app.stats.values import Codes, Floats, checked_codes, compressed, joined

Pairs = Sequence[tuple[int, int]]

# Intervals from fewer items or documents have a warning.
_FEW = 10


def by_cluster(matrix: Floats, places: Codes, n_clusters: int) -> tuple[Floats, Floats]:
    """Return sums and counts of the values that are not NaN, shape (n_clusters, k)."""
    present = ~np.isnan(matrix)
    cells = places[:, np.newaxis] * matrix.shape[1] + np.arange(matrix.shape[1])
    return summed(cells[present], matrix[present], (n_clusters, matrix.shape[1]))


def rows_by_cluster(table: Floats, clusters: Codes | None) -> Floats:
    """Return sums of the rows of each cluster, shape (n_clusters, k); the table itself where every row is its own.

    Examples
    --------
    >>> rows_by_cluster(np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), np.array([7, 2, 7])).tolist()
    [[3.0, 4.0], [6.0, 8.0]]
    """
    if clusters is None:
        return table
    cluster_codes, places = compressed(clusters)
    sums = np.zeros((cluster_codes.size, table.shape[1]))
    np.add.at(sums, places, table)
    return sums


def summed(cells: Codes, numbers: Floats, shape: tuple[int, int]) -> tuple[Floats, Floats]:
    """Return the sum and the count of the numbers in each cell of a table of this shape."""
    size = shape[0] * shape[1]
    sums = np.bincount(cells, weights=numbers, minlength=size).astype(np.float64, copy=False)
    counts = np.bincount(cells, minlength=size).astype(np.float64)
    return sums.reshape(shape), counts.reshape(shape)


def checked_pairs(pairs: Pairs, n_systems: int | None) -> Codes:
    """Return the pairs as an array, shape (n_pairs, 2); ValueError where one does not name two systems."""
    columns = checked_codes(np.asarray(pairs).reshape(-1), 2 * len(pairs), below=n_systems).reshape(-1, 2)
    if (columns[:, 0] == columns[:, 1]).any():
        raise ValueError("A pair names two different systems.")
    return columns


def limits(samples: Floats | None, n_clusters: int, confidence: float) -> Interval:
    """Return the interval of samples in which `n_clusters` clusters were drawn, with a warning if they are few."""
    if samples is None:
        return Interval(None, None, None, None)
    if n_clusters < 2:
        return Interval(None, None, None, "An interval takes at least two items, or documents, with both systems.")
    low, high, se, note = interval(samples, confidence, n_clusters)
    return Interval(low, high, se, joined(note, None if low is None else few_drawn(n_clusters, "items or documents")))


def few_drawn(n: int, unit: str) -> str | None:
    """Return a warning if so few units were resampled that their interval is too narrow, else None.

    Examples
    --------
    >>> few_drawn(9, "documents"), few_drawn(10, "documents")
    ('The interval rests on 9 documents only.', None)
    """
    return f"The interval rests on {n} {unit} only." if n < _FEW else None
