"""Quality of ranked search results: precision and normalised discounted cumulative gain of the first results."""

import numpy as np
from numpy.typing import ArrayLike

from analytics_app.stats.values import Floats


def precision_at(relevance: ArrayLike, n: int) -> Floats:
    """Share of relevant results among the first n of each list [1]_.

    Parameters
    ----------
    relevance : array_like of float, shape (n_lists, depth)
        Relevance from 0 to 1 of the result at rank 1, 2, …; 0 where there is no result.
    n : int
        The number of first results, also where a list is shorter.

    Returns
    -------
    ndarray of float, shape (n_lists,)

    Raises
    ------
    ValueError
        A relevance that is not from 0 to 1, or n below 1.

    References
    ----------
    .. [1] C. D. Manning, P. Raghavan and H. Schütze (2008). Introduction to Information Retrieval, section 8.4.
       Cambridge University Press.

    Examples
    --------
    >>> precision_at([[1, 0, 1], [0, 0, 1]], 2).tolist()
    [0.5, 0.0]
    """
    lists = _checked(relevance, n, highest=1.0)
    precision: Floats = lists[:, :n].sum(axis=1) / n
    return precision


def dcg_at(gains: ArrayLike, n: int) -> Floats:
    """Discounted cumulative gain of the first n results of each list: gains over log2(1 + rank), summed [1]_.

    Parameters
    ----------
    gains : array_like of float, shape (n_lists, depth)
        Gain of the result at rank 1, 2, …, at least 0; 0 where there is no result.
    n : int

    Returns
    -------
    ndarray of float, shape (n_lists,)

    Raises
    ------
    ValueError
        A negative gain, or n below 1.

    Notes
    -----
    Järvelin and Kekäläinen [2]_ do not discount ranks below the base of the logarithm; log2(1 + rank) is that of [1]_
    and of trec_eval.

    References
    ----------
    .. [1] C. D. Manning, P. Raghavan and H. Schütze (2008). Introduction to Information Retrieval, equation 8.9.
       Cambridge University Press.
    .. [2] K. Järvelin and J. Kekäläinen (2002). Cumulated gain-based evaluation of IR techniques. ACM Transactions on
       Information Systems 20(4), 422-446.

    Examples
    --------
    >>> dcg_at([[3, 2, 3, 0, 1, 2]], 6).round(3).tolist()
    [6.861]
    """
    lists = _checked(gains, n, highest=np.inf)[:, :n]
    discounts = np.log2(np.arange(2, lists.shape[1] + 2))
    gained: Floats = (lists / discounts).sum(axis=1)
    return gained


def ndcg_at(gains: ArrayLike, ideal: ArrayLike, n: int) -> Floats:
    """Discounted cumulative gain of the first n results over that of the best possible list.

    Parameters
    ----------
    gains : array_like of float, shape (n_lists, depth)
        As for `dcg_at`.
    ideal : array_like of float, shape (n_lists, n_known)
        Gains of all results known for the query of each list, in any order; 0 fills a row.
    n : int

    Returns
    -------
    ndarray of float, shape (n_lists,)
        NaN where no known result has a gain.

    Raises
    ------
    ValueError
        A negative gain, n below 1, or numbers of lists that differ.

    Examples
    --------
    >>> ndcg_at([[0, 1], [1, 0], [0, 0]], [[1, 0], [0, 1], [0, 0]], 2).round(3).tolist()
    [0.631, 1.0, nan]
    """
    gained = dcg_at(gains, n)
    known = _checked(ideal, n, highest=np.inf)
    if len(known) != len(gained):
        raise ValueError(f"There are {len(gained)} lists and {len(known)} sets of known results.")
    best = dcg_at(-np.sort(-known, axis=1), n)
    shares: Floats = np.divide(gained, best, out=np.full(len(best), np.nan), where=best > 0)
    return shares


def _checked(values: ArrayLike, n: int, *, highest: float) -> Floats:
    lists = np.asarray(values, dtype=np.float64)
    if lists.ndim != 2:
        raise ValueError(f"Lists have two dimensions, not {lists.ndim}.")
    if n < 1:
        raise ValueError(f"The number of first results is at least 1, not {n}.")
    if lists.size and not (np.isfinite(lists).all() and lists.min() >= 0 and lists.max() <= highest):
        raise ValueError(f"Values are at least 0{'' if np.isinf(highest) else f' and at most {highest:g}'}.")
    return lists
