"""One-to-one matching of overlapping spans that maximises the sum of the scores of the matched pairs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analytics_app.stats.values import Codes, Floats, compressed

# Weights of the scores and of the two tie-breaks, each at most 2: different sums hardly ever differ by less.
_WEIGHTS = np.array([1, 1e-8, 1e-11])
# Scores that differ by rounding only are equal.
_DIGITS = 12
# The most candidates of a component whose matchings are all compared, 64 of them.
_ENUMERATED = 6
# The difference of two sums beyond rounding errors.
_CLOSE = 1e-14


@dataclass(frozen=True, slots=True)
class Candidates:
    """Pairs of overlapping spans, of which a one-to-one matching chooses some.

    Spans that overlap one after another form a component. In nearly all components one span overlaps all others, so the
    best candidate is the matching; of components with a few candidates all matchings are compared; the remaining
    components are assignment problems, solved one by one.

    Parameters
    ----------
    first, second : ndarray of int, shape (n,)
        The two spans of each candidate, by codes from 0. Codes of `first` and of `second` are independent.
    alone : ndarray of int
        The candidates whose spans overlap no other span.
    order : ndarray of int
        The others, those of a component together.
    component : ndarray of int
        The component of each candidate in `order`.
    has_centre : ndarray of bool
        Whether one span overlaps all others, for each component.
    """

    first: Codes
    second: Codes
    alone: Codes
    order: Codes
    component: Codes
    has_centre: NDArray[np.bool_]

    @classmethod
    def of(cls, first: Codes, second: Codes) -> Candidates:
        """Return the candidates with these spans, by component."""
        first, second = compressed(first)[1], compressed(second)[1]
        single = (np.bincount(first)[first] == 1) & (np.bincount(second)[second] == 1)
        alone, rest = np.flatnonzero(single), np.flatnonzero(~single)
        component, has_centre = _components(first[rest], second[rest])
        order = np.argsort(component, kind="stable")
        return cls(first, second, alone, rest[order], component[order], has_centre)

    def best(self, score: Floats, *ties: Floats) -> Codes:
        """Return the candidates of the matching with the largest sum of scores, by their places, ascending.

        Parameters
        ----------
        score : ndarray of float, shape (n,)
            Above 0.
        *ties : ndarray of float, shape (n,)
            At most two: among matchings with the same sum of scores, the one with the largest sum of the first is
            returned, and among those the one with the largest sum of the second.

        Examples
        --------
        >>> candidates = Candidates.of(np.array([0, 0, 1]), np.array([0, 1, 0]))
        >>> candidates.best(np.array([0.9, 0.6, 0.5])).tolist()
        [1, 2]
        """
        ranked = np.round([column[self.order] for column in (score, *ties)], _DIGITS)
        centred = np.flatnonzero(self.has_centre[self.component])
        best = centred[np.lexsort((*-ranked[::-1, centred], self.component[centred]))]
        is_first = np.diff(self.component[best], prepend=-1) != 0
        chosen = [self.alone, self.order[best[is_first]]]
        weighed = _WEIGHTS[: len(ranked)] @ ranked
        begins = np.flatnonzero(np.diff(self.component, prepend=-1))
        sizes = np.diff(begins, append=self.order.size)
        open_ones = np.flatnonzero(~self.has_centre)
        left = begins[open_ones[sizes[open_ones] > _ENUMERATED]]
        for size in range(3, _ENUMERATED + 1):
            places = begins[open_ones[sizes[open_ones] == size]][:, np.newaxis] + np.arange(size)
            first, second = self.first[self.order[places]], self.second[self.order[places]]
            matched, is_clear = _enumerated(first, second, weighed[places])
            chosen.append(self.order[places[is_clear]][matched[is_clear]])
            left = np.r_[left, places[~is_clear, 0]]
        n_left = dict(zip(begins.tolist(), sizes.tolist(), strict=True)) if left.size else {}
        for begin in left.tolist():
            within = self.order[begin : begin + n_left[begin]]
            scores = weighed[begin : begin + n_left[begin]]
            chosen.append(within[_assigned(self.first[within], self.second[within], scores)])
        return np.sort(np.concatenate(chosen))


def _components(first: Codes, second: Codes) -> tuple[Codes, NDArray[np.bool_]]:
    """Return the component of each candidate, and whether one span of a component overlaps all others."""
    if not first.size:
        return np.zeros(0, dtype=np.intp), np.zeros(0, dtype=bool)
    # Lazy import: scipy loads slowly, and web processes match nothing.
    from scipy.sparse import csr_array  # noqa: PLC0415
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

    (a_codes, a), (b_codes, b) = compressed(first), compressed(second)
    n = a_codes.size + b_codes.size
    graph = csr_array((np.ones(first.size), (a, a_codes.size + b)), shape=(n, n))
    n_components, component = connected_components(graph, directed=False)
    sides = (component[: a_codes.size], component[a_codes.size :])
    sizes = [np.bincount(side, minlength=n_components) for side in sides]
    return component[a].astype(np.intp), np.minimum(*sizes) == 1


def _enumerated(first: Codes, second: Codes, score: Floats) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return the matching with the largest sum of each component, and whether no other comes close to it.

    Parameters
    ----------
    first, second : ndarray of int, shape (n_components, n)
        The spans of the candidates of each component.
    score : ndarray of float, shape (n_components, n)

    Returns
    -------
    matched : ndarray of bool, shape (n_components, n)
    is_clear : ndarray of bool, shape (n_components,)
    """
    n = score.shape[1]
    subsets = (np.arange(2**n)[:, np.newaxis] >> np.arange(n)) & 1
    a, b = np.triu_indices(n, k=1)
    clash = (first[:, a] == first[:, b]) | (second[:, a] == second[:, b])
    clashes = clash.astype(np.float32) @ (subsets[:, a] & subsets[:, b]).T.astype(np.float32)
    sums = np.where(clashes > 0, -np.inf, score @ subsets.T.astype(np.float64))
    largest = np.partition(sums, -2, axis=1)[:, -2:]
    return subsets[sums.argmax(axis=1)] == 1, largest[:, 1] - largest[:, 0] > _CLOSE


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
