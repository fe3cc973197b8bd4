"""One-to-one matching of overlapping spans that maximises the sum of the scores of the matched pairs."""

import numpy as np

from analytics_app.stats.values import Codes, Floats, compressed

# Weights of the scores and of the two tie-breaks, each at most 2: different sums hardly ever differ by less.
_WEIGHTS = np.array([1, 1e-8, 1e-11])
# Scores that differ by rounding only are equal.
_DIGITS = 12


def one_to_one(first: Codes, second: Codes, score: Floats, *ties: Floats) -> Codes:
    """Return the candidates of the matching with the largest sum of scores; each span is in at most one of them.

    Spans that overlap one after another form a component. In nearly all components one span overlaps all others, so the
    best candidate is the matching; only the remaining components are assignment problems, solved one by one.

    Parameters
    ----------
    first, second : ndarray of int, shape (n,)
        The two spans of each candidate, by codes from 0. Codes of `first` and of `second` are independent.
    score : ndarray of float, shape (n,)
        Above 0.
    *ties : ndarray of float, shape (n,)
        At most two: among matchings with the same sum of scores, the one with the largest sum of the first is returned,
        and among those the one with the largest sum of the second.

    Returns
    -------
    ndarray of int
        Indices of the chosen candidates, ascending.

    Examples
    --------
    >>> first, second = np.array([0, 0, 1]), np.array([0, 1, 0])
    >>> one_to_one(first, second, np.array([0.9, 0.6, 0.5])).tolist()
    [1, 2]
    """
    if not first.size:
        return np.zeros(0, dtype=np.intp)
    # Lazy import: scipy loads slowly, and web processes match nothing.
    from scipy.sparse import csr_array  # noqa: PLC0415
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

    a_codes, a = compressed(first)
    b_codes, b = compressed(second)
    n = a_codes.size + b_codes.size
    graph = csr_array((np.ones(first.size), (a, a_codes.size + b)), shape=(n, n))
    n_components, component = connected_components(graph, directed=False)
    sizes = [
        np.bincount(component[nodes], minlength=n_components) for nodes in (slice(a_codes.size), slice(a_codes.size, n))
    ]
    of_candidate = component[a]
    ranked = np.round([score, *ties], _DIGITS)
    order = np.lexsort((*-ranked[::-1], of_candidate))
    starts = np.flatnonzero(np.r_[True, np.diff(of_candidate[order]) != 0])
    ends = np.r_[starts[1:], order.size]
    has_centre = np.minimum(*sizes)[of_candidate[order[starts]]] == 1
    chosen = [order[starts[has_centre]]]
    for start, end in zip(starts[~has_centre].tolist(), ends[~has_centre].tolist(), strict=True):
        within = np.sort(order[start:end])
        weighed = _WEIGHTS[: len(ranked)] @ ranked[:, within]
        chosen.append(within[_assigned(a[within], b[within], weighed)])
    return np.sort(np.concatenate(chosen))


def _assigned(a: Codes, b: Codes, score: Floats) -> Codes:
    """Return the candidates of the best matching of one component."""
    from scipy.optimize import linear_sum_assignment  # noqa: PLC0415

    a_codes, rows = np.unique(a, return_inverse=True)
    b_codes, columns = np.unique(b, return_inverse=True)
    candidate = np.full((a_codes.size, b_codes.size), -1, dtype=np.intp)
    candidate[rows, columns] = np.arange(a.size)
    scores = np.zeros(candidate.shape)
    scores[rows, columns] = score
    assigned = candidate[linear_sum_assignment(scores, maximize=True)]
    result: Codes = assigned[assigned >= 0]
    return result
