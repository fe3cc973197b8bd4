"""All pairs within groups, such as the texts of a screen, without a loop over ratings."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike

from analytics_app.stats.values import Codes, Floats, checked_codes, checked_values


def pairs_within(groups: ArrayLike) -> Iterator[tuple[Codes, Codes]]:
    """Yield the indices of all pairs of entries that share a group.

    Parameters
    ----------
    groups : array_like of int, shape (n,)
        Codes from 0.

    Yields
    ------
    first, second : ndarray of int
        Indices; each pair is yielded once. There are as many steps as the largest group has entries,
        less one, so memory holds at most one pair per entry.

    Examples
    --------
    >>> [(a.tolist(), b.tolist()) for a, b in pairs_within([7, 2, 7, 7])]
    [([0, 2], [2, 3]), ([0], [3])]
    """
    array = np.asarray(groups)
    codes = checked_codes(array, array.size)
    order = np.argsort(codes, kind="stable")
    ordered = codes[order]
    gap = 1
    while gap < ordered.size:
        firsts = np.flatnonzero(ordered[gap:] == ordered[:-gap])
        if not firsts.size:
            return
        yield order[firsts], order[firsts + gap]
        gap += 1


def pair_totals(values: ArrayLike, groups: ArrayLike, systems: ArrayLike, n_systems: int) -> tuple[Floats, Floats]:
    """Count how often each system's value is above each other's in the same group, and how often they are equal.

    Parameters
    ----------
    values : array_like of float, shape (n,)
        NaN = not rated; those entries are in no pair.
    groups, systems : array_like of int, shape (n,)
        Codes from 0; two entries of the same system are not a pair.
    n_systems : int

    Returns
    -------
    wins : ndarray of float, shape (n_systems, n_systems)
        `wins[a, b]` counts how often a was above b.
    ties : ndarray of float, shape (n_systems, n_systems)
        Symmetric.

    Raises
    ------
    ValueError
        Wrong shapes or codes.

    Examples
    --------
    >>> wins, ties = pair_totals([5, 3, 5], [0, 0, 0], [0, 1, 2], 3)
    >>> wins.tolist(), ties[0].tolist()
    ([[0.0, 1.0, 0.0], [0.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [0.0, 0.0, 1.0])
    """
    numbers = checked_values(values)
    system = checked_codes(systems, numbers.size, below=n_systems)
    group = checked_codes(groups, numbers.size)
    rated = ~np.isnan(numbers)
    numbers, system, group = numbers[rated], system[rated], group[rated]
    wins, ties = np.zeros(n_systems * n_systems), np.zeros(n_systems * n_systems)
    for first, second in pairs_within(group):
        a, b, x, y = system[first], system[second], numbers[first], numbers[second]
        different = a != b
        cells = np.where(x >= y, a * n_systems + b, b * n_systems + a)
        wins += np.bincount(cells[different & (x != y)], minlength=wins.size)
        ties += np.bincount(cells[different & (x == y)], minlength=ties.size)
    square = ties.reshape(n_systems, n_systems)
    return wins.reshape(n_systems, n_systems), square + square.T


def won_shares(
    values: ArrayLike, groups: ArrayLike, systems: ArrayLike, clusters: ArrayLike, n_systems: int, n_clusters: int
) -> tuple[Floats, Floats]:
    """Count the comparisons that each system won within groups, and all that it was in, by cluster [1]_.

    Their ratio is the share of comparisons won. Where every group has one text of each system it is the mean rank, on a
    scale from 0 to 1 where higher is better.

    Parameters
    ----------
    values : array_like of float, shape (n,)
        Higher is better; NaN = not rated.
    groups, systems, clusters : array_like of int, shape (n,)
        Codes from 0; two entries of the same system are not compared. The cluster of a comparison is that of its first
        entry.
    n_systems, n_clusters : int

    Returns
    -------
    won, compared : ndarray of float, shape (n_clusters, n_systems)
        A tie is half a win.

    References
    ----------
    .. [1] O. Bojar, M. Ercegovčević, M. Popel and O. Zaidan (2011). A grain of salt for the WMT manual evaluation.
       WMT, 1-11.

    Examples
    --------
    >>> won, compared = won_shares([5, 3, 5], [0, 0, 0], [0, 1, 2], [0, 0, 0], 3, 1)
    >>> won.tolist(), compared.tolist()
    ([[1.5, 0.0, 1.5]], [[2.0, 2.0, 2.0]])
    """
    numbers = checked_values(values)
    system = checked_codes(systems, numbers.size, below=n_systems)
    group, cluster = checked_codes(groups, numbers.size), checked_codes(clusters, numbers.size, below=n_clusters)
    rated = ~np.isnan(numbers)
    numbers, system, group, cluster = numbers[rated], system[rated], group[rated], cluster[rated]
    size = n_clusters * n_systems
    won, compared = np.zeros(size), np.zeros(size)
    for first, second in pairs_within(group):
        different = system[first] != system[second]
        one, other = first[different], second[different]
        points = 0.5 * (1 + np.sign(numbers[one] - numbers[other]))
        for mine, gained in ((one, points), (other, 1 - points)):
            cells = cluster[one] * n_systems + system[mine]
            won += np.bincount(cells, weights=gained, minlength=size)
            compared += np.bincount(cells, minlength=size)
    return won.reshape(n_clusters, n_systems), compared.reshape(n_clusters, n_systems)
