"""TrueSkill by the procedure of WMT and RankME: many runs over resampled comparisons, with rank ranges."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
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
# Random numbers are drawn for so many steps at once, which bounds memory.
_STEPS_DRAWN = 64

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


@dataclass(frozen=True, slots=True)
class Comparisons:
    """Comparisons of systems, as `wmt_trueskill` takes them, with the generator of their runs."""

    wins: ArrayLike
    ties: ArrayLike
    rng: np.random.Generator


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
    comparisons = [Comparisons(wins, ties, rng)]
    return ranked_together(comparisons, n_runs=n_runs, most_steps=most_steps, confidence=confidence)[0]


def ranked_together(
    several: Sequence[Comparisons], *, n_runs: int = 200, most_steps: int = 20_000, confidence: float = 0.95
) -> list[Ranked]:
    """Return the result of `wmt_trueskill` for each of several sets of comparisons, such as those of many criteria.

    All runs of all sets advance at once, which takes far less time than one set after the other. Each set has its own
    generator, so its result does not depend on the others.

    Raises
    ------
    ValueError
        As `wmt_trueskill`.

    Examples
    --------
    >>> sets = [Comparisons([[0, n], [10, 0]], np.zeros((2, 2)), np.random.default_rng(1)) for n in (5, 90)]
    >>> [ranked.skills[0].rank.value for ranked in ranked_together(sets)]
    [2.0, 1.0]
    """
    if n_runs < 40:
        raise ValueError(f"There are at least 40 runs, not {n_runs}.")
    if most_steps < 1 or not 0 < confidence < 1:
        raise ValueError("There is at least 1 step, and the confidence is between 0 and 1.")
    ranked: list[Ranked] = []
    fields: list[_Field] = []
    for comparisons in several:
        won, tied = checked_counts(comparisons.wins, comparisons.ties)
        compared = won + won.T + tied
        placed = np.flatnonzero(largest_linked(compared, both_ways=False))
        unplaced = [Estimate(None, note=APART if row.any() else NEVER) for row in compared]
        skills = tuple(Skill(note, note, None) for note in unplaced)
        cut = np.ix_(placed, placed)
        total = round(compared[cut].sum() / 2)
        n_steps = min(total + 1, most_steps) if placed.size else 0
        ranked.append(Ranked(skills, total, n_steps, n_runs))
        if placed.size:
            fields.append(_Field(len(ranked) - 1, placed, won[cut], tied[cut], n_steps, comparisons.rng))
    for field, mu in zip(fields, _runs(fields, n_runs), strict=True):
        before = ranked[field.place]
        placed_skills = dict(zip(field.placed.tolist(), _skills(mu, confidence), strict=True))
        skills = tuple(placed_skills.get(system, skill) for system, skill in enumerate(before.skills))
        ranked[field.place] = replace(before, skills=skills)
    return ranked


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


@dataclass(frozen=True, slots=True)
class _Field:
    """The systems that one set of comparisons links: their codes, comparisons, steps and generator."""

    place: int
    placed: Codes
    won: Floats
    tied: Floats
    n_steps: int
    rng: np.random.Generator


def _runs(fields: Sequence[_Field], n_runs: int) -> list[Floats]:
    """Return mu after each run of each field, shape (n_runs, n)."""
    by_steps = sorted(range(len(fields)), key=lambda number: fields[number].n_steps)
    results: dict[int, Floats] = {}
    if not fields:
        return []
    games = _Games([fields[number] for number in by_steps], n_runs)
    for rank, number in enumerate(by_steps):
        # The fields before it have made all of their steps and are dropped.
        games.advance(to=fields[number].n_steps)
        results[number] = games.first_ended(fields[number])
        if rank + 1 < len(by_steps):
            games.drop_first()
    return [results[number] for number in range(len(fields))]


class _Games:
    """Runs of several fields that advance together; arrays have a column for each run, and a row for each system.

    Each run has its own order of the systems, since the first of those with equal sigma plays. Fields with fewer
    systems than others have rows without a system, with a variance below all others.
    """

    def __init__(self, fields: Sequence[_Field], n_runs: int) -> None:
        self.fields, self.n_runs, self.step = list(fields), n_runs, 0
        self.n = max(len(field.won) for field in fields)
        shape = (self.n, n_runs * len(fields))
        self.mu, self.variance = np.full(shape, MU), np.full(shape, -1.0)
        self.system = np.zeros(shape, dtype=np.intp)
        # Tables of all pairs of systems, one field after the other: whether they were compared, the chance that a
        # random number says that the first wins, and that it says so or that they tie.
        pairs = (len(fields), self.n, self.n)
        self.compared, self.wins_to, self.ties_to = np.zeros(pairs), np.zeros(pairs), np.zeros(pairs)
        self.offset = np.repeat(np.arange(len(fields)) * self.n**2, n_runs)
        beta = np.repeat([SIGMA * field.n_steps / BETA_STEPS for field in fields], n_runs)
        self.update = _Update(beta)
        for number, field in enumerate(fields):
            n, total = len(field.won), field.won + field.won.T + field.tied
            safe = np.where(total > 0, total, 1.0)
            self.compared[number, :n, :n] = total > 0
            self.wins_to[number, :n, :n], self.ties_to[number, :n, :n] = (
                field.won / safe,
                (field.won + field.tied) / safe,
            )
            columns = slice(number * n_runs, (number + 1) * n_runs)
            self.system[:n, columns] = field.rng.permuted(np.tile(np.arange(n), (n_runs, 1)), axis=1).T
            self.system[n:, columns] = np.arange(n, self.n)[:, np.newaxis]
            self.variance[:n, columns] = SIGMA**2

    def advance(self, *, to: int) -> None:
        """Make steps until each run of the remaining fields has made so many."""
        while self.step < to:
            steps = min(_STEPS_DRAWN, to - self.step)
            drawn = [field.rng.random((steps, 2, self.n_runs)) for field in self.fields]
            for random in np.concatenate(drawn, axis=2):
                self._play(random[0], random[1])
            self.step += steps

    def _play(self, opponent: Floats, outcome: Floats) -> None:
        """Play one game in each run; two random numbers choose the opponent and the outcome."""
        n_runs = self.mu.shape[1]
        run = np.arange(n_runs)
        # Places in the flat tables, which numpy reads much faster than rows and columns.
        place_a = _first_largest(self.variance) * n_runs + run
        row = self.offset + self.system.take(place_a) * self.n
        chance = np.exp(-np.abs(self.mu - self.mu.take(place_a))) * self.compared.take(row + self.system)
        for k in range(1, self.n):
            chance[k] += chance[k - 1]
        # Slightly below 1, so that rounding never draws past the last system.
        target = opponent * (1 - 1e-12) * chance[-1]
        place_b = (chance <= target).sum(axis=0, dtype=np.intp) * n_runs + run
        pair = row + self.system.take(place_b)
        a_wins = outcome < self.wins_to.take(pair)
        equal = ~a_wins & (outcome < self.ties_to.take(pair))
        first = a_wins | equal
        won_by, lost_by = np.where(first, place_a, place_b), np.where(first, place_b, place_a)
        self.update(self.mu.reshape(-1), self.variance.reshape(-1), won_by, lost_by, equal)

    def first_ended(self, field: _Field) -> Floats:
        """Return mu of each system after the runs of the first field, shape (n_runs, n)."""
        n = len(field.won)
        mu, system = self.mu[:n, : self.n_runs], self.system[:n, : self.n_runs]
        by_system = np.empty((self.n_runs, n))
        np.put_along_axis(by_system, system.T, mu.T, axis=1)
        return by_system

    def drop_first(self) -> None:
        """Leave out the runs of the first field."""
        del self.fields[0]
        self.mu, self.variance, self.system = (
            np.ascontiguousarray(table[:, self.n_runs :]) for table in (self.mu, self.variance, self.system)
        )
        self.offset = self.offset[self.n_runs :]
        self.update.drop_first(self.n_runs)


def _first_largest(table: Floats) -> Codes:
    """Return the first row with the largest number of each column."""
    largest, place = table[0].copy(), np.zeros(table.shape[1], dtype=np.intp)
    for k in range(1, len(table)):
        place[table[k] > largest] = k
        np.maximum(largest, table[k], out=largest)
    return place


class _Update:
    """TrueSkill's update of two players, for many runs at once, each with its own beta."""

    def __init__(self, beta: Floats) -> None:
        # Lazy import: scipy takes a third of a second to load, and only a run needs it.
        from scipy.special import ndtr, ndtri  # noqa: PLC0415

        self._below: Any = ndtr
        self._noise = 2 * beta**2
        self._margin = float(ndtri((DRAW + 1) / 2)) * sqrt(2) * beta

    def drop_first(self, n_runs: int) -> None:
        """Leave out the first runs."""
        self._noise, self._margin = self._noise[n_runs:], self._margin[n_runs:]

    def __call__(self, mu: Floats, variance: Floats, won_by: Codes, lost_by: Codes, equal: NDArray[np.bool_]) -> None:
        """Update flat mu and variance after one game in each run, at the places of its two players."""
        var_w, var_l, mu_w, mu_l = variance.take(won_by), variance.take(lost_by), mu.take(won_by), mu.take(lost_by)
        spread = np.sqrt(var_w + var_l + self._noise)
        t, margin = (mu_w - mu_l) / spread, self._margin / spread
        v, w = self._won(t, margin)
        ties = np.flatnonzero(equal)
        if ties.size:
            v[ties], w[ties] = self._tied(t[ties], margin[ties])
        mu[won_by] = mu_w + var_w / spread * v
        mu[lost_by] = mu_l - var_l / spread * v
        square = spread**2
        variance[won_by] = var_w * (1 - var_w / square * w)
        variance[lost_by] = var_l * (1 - var_l / square * w)

    def _won(self, t: Floats, margin: Floats) -> tuple[Floats, Floats]:
        x = t - margin
        below = self._below(x)
        v = np.where(below > 0, _density(x) / np.maximum(below, 1e-300), -x)
        return v, v * (v + x)

    def _tied(self, t: Floats, margin: Floats) -> tuple[Floats, Floats]:
        far = np.abs(t)
        a, b = margin - far, -margin - far
        at_a, at_b = _density(a), _density(b)
        inside = self._below(a) - self._below(b)
        safe, is_possible = np.maximum(inside, 1e-300), inside > 0
        v = np.where(is_possible, (at_b - at_a) / safe, a)
        w = np.where(is_possible, v**2 + (a * at_a - b * at_b) / safe, 1.0)
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
