"""TrueSkill by the procedure of WMT and RankME: many runs over resampled comparisons, with rank ranges."""

from dataclasses import dataclass
from math import ceil, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analytics_app.stats.ranking.connected import largest_linked
from analytics_app.stats.ranking.strengths import rank_of
from analytics_app.stats.values import Codes, Estimate, Floats

MU, SIGMA, DRAW = 0.0, 0.5, 0.25
# WMT's beta is sigma times the number of steps over 40.
BETA_STEPS = 40

NEVER = "It was compared with no other system."
APART = "No comparisons link it with the systems that are placed."


@dataclass(frozen=True, slots=True)
class Skill:
    """Result of the runs for one system.

    Parameters
    ----------
    mu : Estimate
        Mean of mu over the runs, with the range of the runs as its interval; None where comparisons do not place it.
    rank : Estimate
        Rank by that mean, 1 is the best, with the rank range of the runs.
    cluster : int or None
        Number of the cluster, from 1, the best.
    """

    mu: Estimate
    rank: Estimate
    cluster: int | None


@dataclass(frozen=True, slots=True)
class Ranked:
    """Skills in the order of the systems, and the numbers of comparisons, steps and runs."""

    skills: tuple[Skill, ...]
    n_comparisons: int
    n_steps: int
    n_runs: int


def wmt_trueskill(
    wins: ArrayLike,
    ties: ArrayLike,
    *,
    n_runs: int = 200,
    most_steps: int = 20_000,
    confidence: float = 0.95,
    rng: np.random.Generator,
) -> Ranked:
    """TrueSkill [1]_ by the procedure of WMT [2]_, with which RankME [3]_ ranked.

    mu 0, sigma .5, tau 0, draw probability .25, beta = .5 N / 40 with N = comparisons + 1. One run has N steps: take
    the system with the largest sigma, draw an opponent with weight exp(-|difference of mu|), draw one comparison of the
    two with replacement, update both. A system's score is its mean mu over the runs; its rank range leaves the outer
    2.5 % of the runs out on each side, rounded up. Going down the scores, a new cluster begins below a system whose
    worst rank is better than the best rank of all systems below it.

    mu depends on N, so it is never compared between studies; where clusters begin can move between seeds.

    Parameters
    ----------
    wins, ties : array_like of float, shape (n, n)
        `wins[a, b]` counts how often a was above b; `ties` is symmetric.
    n_runs : int
        At least 40, so that the rank range leaves out at least one run on each side.
    most_steps : int
        Most steps of a run: with more comparisons N is this number.
    confidence : float
    rng : numpy.random.Generator

    Returns
    -------
    Ranked
        If comparisons do not link all systems, only those of the largest linked set are placed.

    Raises
    ------
    ValueError
        Wrong shapes, numbers below 0, ties that are not symmetric, or wrong settings.

    Notes
    -----
    All runs advance at once. Among systems with equal sigma one is drawn. The update is that of the package
    trueskill 0.4.5 for two players.

    References
    ----------
    .. [1] R. Herbrich, T. Minka and T. Graepel (2006). TrueSkill: a Bayesian skill rating system. NIPS, 569-576.
    .. [2] K. Sakaguchi, M. Post and B. Van Durme (2014). Efficient elicitation of annotations for human evaluation of
       machine translation. WMT, 1-11.
    .. [3] J. Novikova, O. Dušek and V. Rieser (2018). RankME: reliable human ratings for natural language generation.
       NAACL, 72-78.

    Examples
    --------
    >>> wins = [[0, 90], [10, 0]]
    >>> found = wmt_trueskill(wins, np.zeros((2, 2)), rng=np.random.default_rng(1))
    >>> [one.rank.value for one in found.skills], [one.cluster for one in found.skills], found.n_steps
    ([1.0, 2.0], [1, 2], 101)
    """
    won, tied = checked_counts(wins, ties)
    if n_runs < 40:
        raise ValueError(f"There are at least 40 runs, not {n_runs}.")
    if most_steps < 1 or not 0 < confidence < 1:
        raise ValueError("There is at least 1 step, and the confidence is between 0 and 1.")
    compared = won + won.T + tied
    placed = np.flatnonzero(largest_linked(compared, both_ways=False))
    unplaced = [Estimate(None, note=APART if row.any() else NEVER) for row in compared]
    skills = [Skill(note, note, None) for note in unplaced]
    if not placed.size:
        return Ranked(tuple(skills), 0, 0, n_runs)
    cut = np.ix_(placed, placed)
    total = round(compared[cut].sum() / 2)
    n_steps = min(total + 1, most_steps)
    mu = _runs(won[cut], tied[cut], n_runs, n_steps, rng)
    for system, skill in zip(placed.tolist(), _skills(mu, confidence), strict=True):
        skills[system] = skill
    return Ranked(tuple(skills), total, n_steps, n_runs)


def checked_counts(wins: ArrayLike, ties: ArrayLike) -> tuple[Floats, Floats]:
    """Return wins and ties as square arrays with 0 on the diagonal; ValueError for other shapes or values."""
    won, tied = np.array(wins, dtype=np.float64), np.array(ties, dtype=np.float64)
    if won.ndim != 2 or won.shape[0] != won.shape[1] or tied.shape != won.shape:
        raise ValueError(f"Wins and ties are square and of one size, not {won.shape} and {tied.shape}.")
    if not (np.isfinite(won).all() and np.isfinite(tied).all()) or (won < 0).any() or (tied < 0).any():
        raise ValueError("Wins and ties are numbers from 0.")
    if (tied != tied.T).any():
        raise ValueError("Ties are symmetric.")
    np.fill_diagonal(won, 0.0)
    np.fill_diagonal(tied, 0.0)
    return won, tied


def _runs(won: Floats, tied: Floats, n_runs: int, n_steps: int, rng: np.random.Generator) -> Floats:
    """Return mu after each run, shape (n_runs, n)."""
    n = len(won)
    beta = SIGMA * n_steps / BETA_STEPS
    update = _Update(beta)
    total = won + won.T + tied
    compared = total > 0
    safe = np.where(compared, total, 1.0)
    # A random number below the first bound means that a wins, below the second that they tie.
    wins_to, ties_to = won / safe, (won + tied) / safe
    run = np.arange(n_runs)
    # Each run has its own order of the systems, since argmax takes the first of equal ones.
    order = rng.permuted(np.tile(np.arange(n), (n_runs, 1)), axis=1)
    mu, variance = np.full((n_runs, n), MU), np.full((n_runs, n), SIGMA**2)
    for _step in range(n_steps):
        random = rng.random((2, n_runs))
        a = variance.argmax(axis=1)
        mu_a, system_a = mu[run, a], order[run, a]
        chance = np.exp(-np.abs(mu - mu_a[:, np.newaxis])) * compared[system_a[:, np.newaxis], order]
        up_to = np.cumsum(chance, axis=1)
        # Slightly below 1, so that rounding never draws past the last system.
        target = random[0] * (1 - 1e-12) * up_to[:, -1]
        b = (up_to <= target[:, np.newaxis]).sum(axis=1)
        system_b = order[run, b]
        a_wins = random[1] < wins_to[system_a, system_b]
        equal = ~a_wins & (random[1] < ties_to[system_a, system_b])
        won_by, lost_by = np.where(a_wins | equal, a, b), np.where(a_wins | equal, b, a)
        update(mu, variance, run, won_by, lost_by, equal)
    by_system = np.empty_like(mu)
    np.put_along_axis(by_system, order, mu, axis=1)
    return by_system


class _Update:
    """TrueSkill's update of two players, for many runs at once."""

    def __init__(self, beta: float) -> None:
        # Lazy import: scipy takes a third of a second to load, and only a run needs it.
        from scipy.special import ndtr, ndtri  # noqa: PLC0415

        self._below: Any = ndtr
        self._noise = 2 * beta**2
        self._margin = float(ndtri((DRAW + 1) / 2)) * sqrt(2) * beta

    def __call__(
        self, mu: Floats, variance: Floats, run: Codes, won_by: Codes, lost_by: Codes, equal: NDArray[np.bool_]
    ) -> None:
        """Update mu and variance, shape (n_runs, n), after one game in each run."""
        var_w, var_l = variance[run, won_by], variance[run, lost_by]
        spread = np.sqrt(var_w + var_l + self._noise)
        t = (mu[run, won_by] - mu[run, lost_by]) / spread
        v, w = self._won(t, self._margin / spread)
        if equal.any():
            v_tie, w_tie = self._tied(t, self._margin / spread)
            v, w = np.where(equal, v_tie, v), np.where(equal, w_tie, w)
        mu[run, won_by] += var_w / spread * v
        mu[run, lost_by] -= var_l / spread * v
        variance[run, won_by] = var_w * (1 - var_w / spread**2 * w)
        variance[run, lost_by] = var_l * (1 - var_l / spread**2 * w)

    def _won(self, t: Floats, margin: Floats) -> tuple[Floats, Floats]:
        x = t - margin
        below = self._below(x)
        v = np.where(below > 0, _density(x) / np.maximum(below, 1e-300), -x)
        return v, v * (v + x)

    def _tied(self, t: Floats, margin: Floats) -> tuple[Floats, Floats]:
        far = np.abs(t)
        a, b = margin - far, -margin - far
        inside = self._below(a) - self._below(b)
        safe, is_possible = np.maximum(inside, 1e-300), inside > 0
        v = np.where(is_possible, (_density(b) - _density(a)) / safe, a)
        w = np.where(is_possible, v**2 + (a * _density(a) - b * _density(b)) / safe, 1.0)
        return np.where(t < 0, -v, v), w


def _density(x: Floats) -> Floats:
    density: Floats = np.exp(-0.5 * x * x) / sqrt(2 * np.pi)
    return density


def _skills(mu: Floats, confidence: float) -> list[Skill]:
    """Return score, rank range and cluster of each system."""
    n_runs, n = mu.shape
    score = mu.mean(axis=0)
    best_first = np.argsort(-score, kind="stable")
    ranks = rank_of(mu)
    # Rounded, since 1 - 0.95 is slightly above 0.05 in floats.
    cut = ceil(round(n_runs * (1 - confidence) / 2, 9))
    kept_ranks = np.sort(ranks, axis=0)[cut : n_runs - cut]
    kept_mu = np.sort(mu, axis=0)[cut : n_runs - cut]
    clusters = clusters_of_ranges(kept_ranks[0][best_first], kept_ranks[-1][best_first])
    places, place = rank_of(score[np.newaxis])[0], np.empty(n, dtype=np.intp)
    place[best_first] = np.arange(n)
    return [
        Skill(
            Estimate(score[k], low=kept_mu[0, k], high=kept_mu[-1, k], se=mu[:, k].std(ddof=1)),
            Estimate(places[k], low=kept_ranks[0, k], high=kept_ranks[-1, k]),
            clusters[place[k]],
        )
        for k in range(n)
    ]


def clusters_of_ranges(best: ArrayLike, worst: ArrayLike) -> list[int]:
    """Number the clusters of systems in the order of their scores, from their best and worst ranks.

    Examples
    --------
    >>> clusters_of_ranges([1, 1, 3, 4], [2, 2, 3, 4])
    [1, 1, 2, 3]
    """
    low, high = np.asarray(best, dtype=np.float64), np.asarray(worst, dtype=np.float64)
    clusters, cluster = [], 1
    for k in range(len(low)):
        clusters.append(cluster)
        if k + 1 < len(low) and high[k] < low[k + 1 :].min():
            cluster += 1
    return clusters
