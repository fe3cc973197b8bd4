"""Systems that comparisons connect, so that they can be placed on one scale."""

import numpy as np
from numpy.typing import NDArray

from analytics_app.stats.values import Floats


def largest_linked(links: Floats, *, both_ways: bool) -> NDArray[np.bool_]:
    """Return which systems are in the largest set that comparisons link [1]_.

    Parameters
    ----------
    links : ndarray of float, shape (n, n)
        Above 0 where system a has wins, or half ties, against system b.
    both_ways : bool
        Whether a chain of wins must lead from each system of the set to each other, as maximum likelihood needs;
        otherwise any comparison links.

    Returns
    -------
    ndarray of bool, shape (n,)
        All False if no two systems are linked. Among several largest sets, the one with the most links, then the first.

    References
    ----------
    .. [1] L. R. Ford (1957). Solution of a ranking problem from binary comparisons. American Mathematical Monthly
       64(8), 28-33.

    Examples
    --------
    >>> wins = np.array([[0.0, 2.0, 5.0], [1.0, 0.0, 3.0], [0.0, 0.0, 0.0]])
    >>> largest_linked(wins, both_ways=True).tolist()
    [True, True, False]
    >>> largest_linked(wins, both_ways=False).tolist()
    [True, True, True]
    """
    if not len(links):
        return np.zeros(0, dtype=bool)
    labels = _components(links, both_ways=both_ways)
    sizes = np.bincount(labels, minlength=len(links))
    weights = np.zeros(len(sizes))
    np.add.at(weights, labels, np.where(labels[:, np.newaxis] == labels, links, 0.0).sum(axis=1))
    best = int(np.lexsort((-np.arange(len(sizes)), weights, sizes))[-1])
    in_largest: NDArray[np.bool_] = (labels == best) & (sizes[best] > 1)
    return in_largest


def all_linked(links: Floats) -> bool:
    """Return whether a chain of wins leads from every system to every other system.

    Examples
    --------
    >>> all_linked(np.array([[0.0, 1.0], [1.0, 0.0]])), all_linked(np.array([[0.0, 1.0], [0.0, 0.0]]))
    (True, False)
    """
    return bool((_components(links, both_ways=True) == 0).all())


def _components(links: Floats, *, both_ways: bool) -> NDArray[np.intp]:
    # Lazy import: scipy.sparse takes half a second to load, and only a fit needs it.
    from scipy.sparse import csr_array  # noqa: PLC0415
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

    graph = csr_array(links > 0)
    _n, labels = connected_components(graph, directed=True, connection="strong" if both_ways else "weak")
    components: NDArray[np.intp] = labels.astype(np.intp)
    return components
