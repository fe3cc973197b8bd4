"""Strengths of systems from paired comparisons: Bradley and Terry, with ties as halves or by Davidson's model."""

from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analytics_app.stats.ranking.connected import all_linked, largest_linked
from analytics_app.stats.ranking.strengths import NO_END, Strengths, estimates, unplaced
from analytics_app.stats.resampling.bootstrap import interval
from analytics_app.stats.resampling.pair_sums import Pairs, checked_pairs
from analytics_app.stats.values import Codes, Estimate, Floats

Ties: TypeAlias = Literal["half", "davidson"]

# The most steps of Newton's method, the longest step, and the farthest point.
_STEPS, _LONGEST, _FARTHEST = 60, 2.0, 30.0
# A likelihood without a maximum becomes flat: at a maximum the information is at least this.
_FLAT = 1e-5
# Cells of the matrices that are solved at once: 32 MiB.
_CELLS = 2**22

NO_TIES = "There are no ties, so the model is that of Bradley and Terry."


def bradley_terry(
    pairs: Pairs,
    counts: ArrayLike,
    n_systems: int,
    *,
    ties: Ties = "half",
    resampled: ArrayLike | None = None,
    n_items: int | None = None,
    confidence: float = 0.95,
) -> Strengths:
    """Strengths of systems by the model of Bradley and Terry [1]_, ties as half wins or by Davidson's model [2]_.

    Only systems that chains of wins link in both directions have a finite maximum [3]_: those of the largest such set
    are placed, and the others have a note that says why not.

    Parameters
    ----------
    pairs : sequence of (int, int), length n_pairs
        Systems a and b.
    counts : array_like of float, shape (n_pairs, 3)
        Wins of a, wins of b, ties.
    n_systems : int
    ties : {"half", "davidson"}
        With "half" a tie is half a win of each.
    resampled : array_like of float, shape (n_resamples, n_pairs, 3), optional
        `counts` in bootstrap samples of items, for intervals and standard errors. Without them there are no intervals,
        and standard errors come from the information matrix, which treats all comparisons as independent.
    n_items : int, optional
        Number of items from which they were drawn.
    confidence : float

    Returns
    -------
    Strengths

    Raises
    ------
    ValueError
        Wrong shapes, or counts below 0.

    Notes
    -----
    Estimates with half ties are those of choix; resamples and Davidson's model are solved by Newton's method, all at
    once.

    References
    ----------
    .. [1] R. A. Bradley and M. E. Terry (1952). Rank analysis of incomplete block designs: I. The method of paired
       comparisons. Biometrika 39, 324-345.
    .. [2] R. R. Davidson (1970). On extending the Bradley-Terry model to accommodate ties in paired comparison
       experiments. JASA 65, 317-328.
    .. [3] L. R. Ford (1957). Solution of a ranking problem from binary comparisons. American Mathematical Monthly
       64(8), 28-33.

    Examples
    --------
    >>> found = bradley_terry([(0, 1)], [[30, 10, 0]], 2)
    >>> a, b = (one.value for one in found.strengths)
    >>> round(a - b, 6) == round(float(np.log(3)), 6)
    True
    """
    columns, table, samples = _checked_tables(pairs, counts, resampled, n_systems)
    links = _links(columns, table, n_systems)
    placed = largest_linked(links, both_ways=True)
    notes = unplaced(links, placed)
    errors = np.zeros((n_systems, n_systems))
    if not placed.any():
        undefined = tuple(Estimate(None, note=note) for note in notes)
        return Strengths(undefined, undefined, None, None, errors)
    inside = placed[columns].all(axis=1)
    new_codes = np.cumsum(placed) - 1
    model = _Model(
        new_codes[columns[inside]], int(placed.sum()), davidson=ties == "davidson" and bool(table[inside, 2].any())
    )
    theta, delta, fine = model.fit(table[np.newaxis, inside])
    if not fine[0]:
        undefined = tuple(Estimate(None, note=notes[k] if not placed[k] else NO_END) for k in range(n_systems))
        return Strengths(undefined, undefined, None, None, errors)
    if not model.davidson:
        theta[0] = _of_choix(links[np.ix_(placed, placed)], theta[0])
    covariance = model.covariance(theta, delta, table[np.newaxis, inside])
    resampled_fit = None if samples is None else model.resampled(samples[:, inside])
    strengths, ranks = estimates(
        theta[0], covariance, None if resampled_fit is None else resampled_fit[0], placed, notes, confidence, n_items
    )
    errors[np.ix_(placed, placed)] = covariance[: model.n, : model.n]
    tie = Estimate(None, note=NO_TIES) if ties == "davidson" else None
    if model.davidson:
        tie = _tie(delta[0], covariance, None if resampled_fit is None else resampled_fit[1], confidence, n_items)
    likelihood = model.log_likelihood(theta[0], delta[0], table[inside])
    return Strengths(strengths, ranks, tie, likelihood, errors)


def _checked_tables(
    pairs: Pairs, counts: ArrayLike, resampled: ArrayLike | None, n_systems: int
) -> tuple[Codes, Floats, Floats | None]:
    columns = checked_pairs(pairs, n_systems)
    table = _checked(counts, (len(columns), 3))
    if resampled is None:
        return columns, table, None
    return columns, table, _checked(resampled, (len(np.asarray(resampled)), len(columns), 3))


def _checked(counts: ArrayLike, shape: tuple[int, ...]) -> Floats:
    table = np.asarray(counts, dtype=np.float64).reshape(shape) if np.size(counts) == np.prod(shape) else None
    if table is None:
        raise ValueError(f"There are wins of both and ties for each pair, {shape}, not {np.shape(counts)}.")
    if not np.isfinite(table).all() or (table < 0).any():
        raise ValueError("Counts are numbers from 0.")
    return table


def _links(columns: Codes, table: Floats, n: int) -> Floats:
    """Return wins with half ties, shape (n, n)."""
    links = np.zeros((n, n))
    np.add.at(links, (columns[:, 0], columns[:, 1]), table[:, 0] + table[:, 2] / 2)
    np.add.at(links, (columns[:, 1], columns[:, 0]), table[:, 1] + table[:, 2] / 2)
    return links


def _of_choix(wins: Floats, start: Floats) -> Floats:
    # Lazy import: choix takes a second to load, and only a fit needs it.
    from choix import ilsr_pairwise_dense  # noqa: PLC0415

    strengths: Floats = np.asarray(ilsr_pairwise_dense(wins, alpha=0.0, initial_params=start, max_iter=1000))
    centred: Floats = strengths - strengths.mean()
    return centred


class _Model:
    """Newton's method for many tables of counts at once.

    Both models are multinomial logits of a pair: utilities d/2 and -d/2 with d = theta_a - theta_b, and for a tie
    delta = log nu; without Davidson's ties there are two outcomes only, and a tie is half of each.
    """

    def __init__(self, columns: Codes, n: int, *, davidson: bool) -> None:
        self.a, self.b, self.n, self.davidson = columns[:, 0], columns[:, 1], n, davidson

    def _split(self, table: Floats) -> tuple[Floats, Floats, Floats]:
        """Return wins of a, wins of b, and ties that count as a separate outcome."""
        half = 0.0 if self.davidson else table[..., 2] / 2
        return table[..., 0] + half, table[..., 1] + half, table[..., 2] * float(self.davidson)

    def _chances(self, theta: Floats, delta: Floats) -> tuple[Floats, Floats, Floats]:
        half = (theta[..., self.a] - theta[..., self.b]) / 2
        tie = np.broadcast_to(delta[..., np.newaxis] if self.davidson else -np.inf, half.shape)
        top = np.maximum(np.abs(half), tie)
        first, second, third = np.exp(half - top), np.exp(-half - top), np.exp(tie - top)
        total = first + second + third
        return first / total, second / total, third / total

    def _information(self, theta: Floats, delta: Floats, total: Floats) -> Floats:
        """Return the information matrix, shape (m, n + 1, n + 1): strengths, then log nu."""
        first, second, third = self._chances(theta, delta)
        gap = first - second
        curvature = total / 4 * ((first + second) - gap**2)
        mixed = -total / 2 * gap * third
        matrix = np.zeros((len(theta), self.n + 1, self.n + 1))
        rows = np.arange(len(theta))[:, np.newaxis]
        for row, column, sign in ((self.a, self.a, 1), (self.b, self.b, 1), (self.a, self.b, -1), (self.b, self.a, -1)):
            np.add.at(matrix, (rows, row, column), sign * curvature)
        border = np.zeros((len(theta), self.n))
        np.add.at(border, (rows, self.a), mixed)
        np.add.at(border, (rows, self.b), -mixed)
        matrix[:, self.n, : self.n] = matrix[:, : self.n, self.n] = border
        matrix[:, self.n, self.n] = (total * third * (1 - third)).sum(axis=1) if self.davidson else 1.0
        # Strengths have no origin: this fixes their sum, which the data do not determine.
        matrix[:, : self.n, : self.n] += 1.0
        return matrix

    def fit(self, table: Floats) -> tuple[Floats, Floats, NDArray[np.bool_]]:
        """Return strengths (m, n), log nu (m,) and which of m tables have a maximum."""
        m = len(table)
        won, lost, tied = self._split(table)
        total = won + lost + tied
        theta, delta = np.zeros((m, self.n)), np.zeros(m)
        enough = 1e-10 + 1e-13 * total.sum(axis=1)
        gradient = np.full((m, self.n + 1), np.inf)
        for _step in range(_STEPS):
            first, second, third = self._chances(theta, delta)
            slope = (won - lost - total * (first - second)) / 2
            gradient = np.zeros((m, self.n + 1))
            rows = np.arange(m)[:, np.newaxis]
            np.add.at(gradient, (rows, self.a), slope)
            np.add.at(gradient, (rows, self.b), -slope)
            gradient[:, self.n] = (tied - total * third).sum(axis=1) if self.davidson else 0.0
            if (np.abs(gradient).max(axis=1) <= enough).all():
                break
            matrix = self._information(theta, delta, total)
            # A small number on the diagonal, for resamples in which a system has no comparison.
            matrix[:, np.arange(self.n + 1), np.arange(self.n + 1)] += 1e-12
            step = np.linalg.solve(matrix, gradient[..., np.newaxis])[..., 0]
            step *= np.minimum(1.0, _LONGEST / np.maximum(np.abs(step).max(axis=1, keepdims=True), 1e-300))
            theta += step[:, : self.n]
            delta += step[:, self.n]
            np.clip(theta, -_FARTHEST, _FARTHEST, out=theta)
            np.clip(delta, -_FARTHEST, _FARTHEST, out=delta)
        theta -= theta.mean(axis=1, keepdims=True)
        flat = np.linalg.eigvalsh(self._information(theta, delta, total))[:, 0] < _FLAT
        fine: NDArray[np.bool_] = (np.abs(gradient).max(axis=1) <= 1e3 * enough) & ~flat
        return theta, delta, fine

    def covariance(self, theta: Floats, delta: Floats, table: Floats) -> Floats:
        """Return the covariance of strengths (with sum 0) and log nu of one table."""
        total = table.sum(axis=-1)
        inverse: Floats = np.linalg.inv(self._information(theta, delta, total)[0])
        inverse[: self.n, : self.n] -= 1 / self.n**2
        return inverse

    def resampled(self, samples: Floats) -> tuple[Floats, Floats]:
        """Return strengths (m, n) and log nu (m,) of resamples, NaN where there is no maximum."""
        theta, delta = np.full((len(samples), self.n), np.nan), np.full(len(samples), np.nan)
        linked = np.array([all_linked(_links(np.column_stack((self.a, self.b)), table, self.n)) for table in samples])
        if self.davidson:
            linked &= samples[..., 2].any(axis=1)
        rows = np.flatnonzero(linked)
        height = max(1, _CELLS // (self.n + 1) ** 2)
        for start in range(0, len(rows), height):
            chosen = rows[start : start + height]
            strengths, ties, fine = self.fit(samples[chosen])
            theta[chosen[fine]], delta[chosen[fine]] = strengths[fine], ties[fine]
        return theta, delta

    def log_likelihood(self, theta: Floats, delta: float, table: Floats) -> float:
        """Return the logarithm of the likelihood of one table."""
        chances = self._chances(theta[np.newaxis], np.array([delta]))
        total = 0.0
        for chance, count in zip(chances, self._split(table), strict=True):
            observed = count > 0
            total += float((count[observed] * np.log(chance[0][observed])).sum())
        return total


def _tie(delta: float, covariance: Floats, samples: Floats | None, confidence: float, n_items: int | None) -> Estimate:
    if samples is None:
        return Estimate(delta, se=float(np.sqrt(covariance[-1, -1])))
    low, high, se, note = interval(samples, confidence, n_items)
    return Estimate(delta, low=low, high=high, se=se, note=note)
