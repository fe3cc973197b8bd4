"""Strengths of systems from rankings: the model of Plackett and Luce."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analytics_app.stats.arrays import Codes, Floats, checked_codes, checked_values, compressed
from analytics_app.stats.comparison.win_rates import resampled_totals
from analytics_app.stats.estimate import Estimate
from analytics_app.stats.ranking.connected import all_linked, largest_linked
from analytics_app.stats.ranking.pairs_within import pairs_within
from analytics_app.stats.ranking.strengths import NO_END, Strengths, estimates, unplaced
from analytics_app.stats.resampling.bootstrap import check_settings

# Newton's steps, the longest of them, how far they go, and what is flat (see bradley_terry).
_STEPS, _LONGEST, _FARTHEST, _FLAT = 60, 2.0, 30.0, 1e-5
# Cells that are worked on at once: 32 MiB; and the work of one step beyond which there are no resamples.
_CELLS, _MOST_WORK = 2**22, 2e9

TOO_MANY = "No interval: screens showed too many different sets of systems for it."


@dataclass(frozen=True, slots=True)
class _Choices:
    """What rankings say, stage by stage: of a set of systems, which one was next.

    `sets` are the different sets, shape (n_sets, n_systems). Of each choice `of` is its set, `chosen` the system,
    `place` the item and `weight` how much it counts.
    """

    sets: NDArray[np.bool_]
    of: Codes
    chosen: Codes
    place: Codes
    weight: Floats


def plackett_luce(
    ranks: ArrayLike,
    rankings: ArrayLike,
    systems: ArrayLike,
    items: ArrayLike,
    n_systems: int,
    *,
    n_resamples: int = 0,
    confidence: float = 0.95,
    rng: np.random.Generator,
) -> Strengths:
    """Strengths of systems by the model of Plackett [1]_ and Luce [2]_, with bootstrap intervals over items.

    A ranking is a chain of choices: the best of all, the best of the rest, and so on. A ranking with ties is none;
    it counts as its pairs instead, each tie as half a win of both. As in the model of Bradley and Terry, only systems
    that chains of wins link both ways are placed.

    Parameters
    ----------
    ranks : array_like of float, shape (n,)
        1 is the best; NaN = not ranked.
    rankings : array_like of int, shape (n,)
        Codes from 0 of the rankings; a system is in a ranking once.
    systems, items : array_like of int, shape (n,)
        Codes from 0; a ranking is about one item.
    n_systems : int
    n_resamples : int
        Bootstrap samples of items; 0 gives no intervals, and standard errors by the information matrix.
    confidence : float
    rng : numpy.random.Generator

    Returns
    -------
    Strengths
        Logarithms with mean 0: the chance that a is ranked before b is 1 / (1 + exp(b - a)).

    Raises
    ------
    ValueError
        Wrong shapes, codes or settings, or a system that stands in a ranking twice.

    Notes
    -----
    Solved by Newton's method for all resamples at once, from counts of the choices: the package choix, with which it
    agrees, goes through the rankings one by one.

    References
    ----------
    .. [1] R. L. Plackett (1975). The analysis of permutations. Applied Statistics 24(2), 193-202.
    .. [2] R. D. Luce (1959). Individual Choice Behavior. Wiley.

    Examples
    --------
    >>> found = plackett_luce([1, 2, 1, 2, 2, 1], [0, 0, 1, 1, 2, 2], [0, 1] * 3, [0] * 6, 2,
    ...                       rng=np.random.default_rng(1))
    >>> a, b = (one.value for one in found.strengths)
    >>> round(float(np.exp(a - b)), 6)
    2.0
    """
    check_settings(n_resamples, confidence)
    numbers = checked_values(ranks)
    ranking, system, item = (checked_codes(codes, numbers.size) for codes in (rankings, systems, items))
    checked_codes(system, numbers.size, below=n_systems)
    there = ~np.isnan(numbers)
    made = _choices(numbers[there], ranking[there], system[there], item[there], n_systems)
    links = np.zeros((n_systems, n_systems))
    np.add.at(links, made.chosen, made.sets[made.of] * made.weight[:, np.newaxis])
    np.fill_diagonal(links, 0.0)
    placed = largest_linked(links, both_ways=True)
    notes = unplaced(links, placed)
    errors = np.zeros((n_systems, n_systems))
    if not placed.any():
        nothing = tuple(Estimate(None, note=note) for note in notes)
        return Strengths(nothing, nothing, None, None, errors)
    made = _only(made, placed)
    wins, times = _totals(made)
    theta, fine = _fit(wins[np.newaxis], times[np.newaxis], made.sets)
    if not fine[0]:
        nothing = tuple(Estimate(None, note=notes[k] if not placed[k] else NO_END) for k in range(n_systems))
        return Strengths(nothing, nothing, None, None, errors)
    covariance = np.linalg.inv(_information(theta, times[np.newaxis], made.sets)[0]) - 1 / len(wins) ** 2
    drawn, note = None, None
    if n_resamples:
        drawn, note = _resampled(made, n_resamples, rng)
    n_items = compressed(made.place)[0].size
    strengths, ranks_of = estimates(theta[0], covariance, drawn, placed, notes, confidence, n_items)
    errors[np.ix_(placed, placed)] = covariance
    return Strengths(strengths, ranks_of, None, _log_likelihood(theta[0], wins, times, made.sets), errors, note)


def _choices(numbers: Floats, ranking: Codes, system: Codes, item: Codes, n: int) -> _Choices:
    """Turn rankings into choices."""
    _known, row = compressed(ranking)
    n_rankings = int(row.max(initial=-1)) + 1
    if np.unique(row * n + system).size != row.size:
        raise ValueError("A system stands in a ranking once.")
    _item, place = compressed(item)
    order = np.lexsort((numbers, row))
    row, system, numbers, place = row[order], system[order], numbers[order], place[order]
    same = (row[1:] == row[:-1]) & (numbers[1:] == numbers[:-1])
    tied = np.zeros(n_rankings, dtype=bool)
    tied[row[1:][same]] = True
    made = list(_stages(row[~tied[row]], system[~tied[row]], place[~tied[row]], n_rankings, n))
    made += list(_pairs(row[tied[row]], system[tied[row]], place[tied[row]], numbers[tied[row]], n))
    if not made:
        empty = np.empty(0, dtype=np.intp)
        return _Choices(np.empty((0, n), dtype=bool), empty, empty, empty, np.empty(0))
    packed, chosen, places, weight = (np.concatenate(columns) for columns in zip(*made, strict=True))
    sets, of = np.unique(packed, axis=0, return_inverse=True)
    unpacked = np.unpackbits(sets, axis=1, count=n).astype(bool)
    return _Choices(unpacked, of.ravel(), chosen, places, weight)


def _stages(
    row: Codes, system: Codes, place: Codes, n_rankings: int, n: int
) -> Iterator[tuple[NDArray[np.uint8], Codes, Codes, Floats]]:
    """Yield the choices of rankings without ties, the first of each, then the second: set, system, item, weight."""
    left = np.zeros((n_rankings, n), dtype=bool)
    left[row, system] = True
    begins = np.searchsorted(row, np.arange(n_rankings))
    sizes = np.bincount(row, minlength=n_rankings)
    for stage in range(int(sizes.max(initial=0)) - 1):
        rows = np.flatnonzero(sizes > stage + 1)
        at = begins[rows] + stage
        yield np.packbits(left[rows], axis=1), system[at], place[at], np.ones(len(rows))
        left[rows, system[at]] = False


def _pairs(
    row: Codes, system: Codes, place: Codes, numbers: Floats, n: int
) -> Iterator[tuple[NDArray[np.uint8], Codes, Codes, Floats]]:
    """Yield the pairs of rankings with ties; a tie is half a choice of each."""
    for one, other in pairs_within(row):
        both = np.zeros((len(one), n), dtype=bool)
        at = np.arange(len(one))
        both[at, system[one]] = both[at, system[other]] = True
        packed = np.packbits(both, axis=1)
        better = np.where(numbers[one] <= numbers[other], system[one], system[other])
        worse = np.where(numbers[one] <= numbers[other], system[other], system[one])
        half = numbers[one] == numbers[other]
        yield packed, better, place[one], np.where(half, 0.5, 1.0)
        yield packed[half], worse[half], place[one][half], np.full(int(half.sum()), 0.5)


def _only(made: _Choices, placed: NDArray[np.bool_]) -> _Choices:
    """Return the choices of placed systems among placed systems."""
    sets = made.sets[:, placed]
    stays = placed[made.chosen] & (sets.sum(axis=1) > 1)[made.of]
    number = np.cumsum(placed) - 1
    _item, place = compressed(made.place[stays])
    known, of = compressed(made.of[stays])
    return _Choices(sets[known], of, number[made.chosen[stays]], place, made.weight[stays])


def _totals(made: _Choices) -> tuple[Floats, Floats]:
    """Return how often each system was chosen, and how often from each set."""
    wins = np.bincount(made.chosen, weights=made.weight, minlength=made.sets.shape[1])
    times = np.bincount(made.of, weights=made.weight, minlength=len(made.sets))
    return wins.astype(np.float64), times.astype(np.float64)


def _chances(theta: Floats, sets: NDArray[np.bool_]) -> Floats:
    """Return the chance of each system in each set, shape (m, n_sets, n)."""
    worth = np.exp(theta - theta.max(axis=1, keepdims=True))[:, np.newaxis, :] * sets
    chances: Floats = worth / worth.sum(axis=2, keepdims=True)
    return chances


def _information(theta: Floats, times: Floats, sets: NDArray[np.bool_]) -> Floats:
    chances = _chances(theta, sets)
    weighted = chances * times[:, :, np.newaxis]
    matrix = -np.swapaxes(weighted, 1, 2) @ chances
    along = np.arange(theta.shape[1])
    matrix[:, along, along] += weighted.sum(axis=1)
    # Strengths have no origin: this fixes their sum, which the data do not touch.
    matrix += 1.0
    return matrix


def _fit(wins: Floats, times: Floats, sets: NDArray[np.bool_]) -> tuple[Floats, NDArray[np.bool_]]:
    """Return strengths (m, n) of m tables of counts, and which have a maximum."""
    theta = np.zeros(wins.shape)
    enough = 1e-10 + 1e-13 * times.sum(axis=1)
    along, slope = np.arange(wins.shape[1]), np.full(wins.shape, np.inf)
    for _step in range(_STEPS):
        slope = wins - (_chances(theta, sets) * times[:, :, np.newaxis]).sum(axis=1)
        if (np.abs(slope).max(axis=1) <= enough).all():
            break
        matrix = _information(theta, times, sets)
        matrix[:, along, along] += 1e-12
        step = np.linalg.solve(matrix, slope[..., np.newaxis])[..., 0]
        step *= np.minimum(1.0, _LONGEST / np.maximum(np.abs(step).max(axis=1, keepdims=True), 1e-300))
        theta = np.clip(theta + step, -_FARTHEST, _FARTHEST)
    theta -= theta.mean(axis=1, keepdims=True)
    flat = np.linalg.eigvalsh(_information(theta, times, sets))[:, 0] < _FLAT
    fine: NDArray[np.bool_] = (np.abs(slope).max(axis=1) <= 1e3 * enough) & ~flat
    return theta, fine


def _resampled(made: _Choices, n_resamples: int, rng: np.random.Generator) -> tuple[Floats | None, str | None]:
    """Return strengths of bootstrap samples, NaN where there is no maximum."""
    n_sets, n = made.sets.shape
    if n_sets * n**2 * n_resamples > _MOST_WORK:
        return None, TOO_MANY
    n_items = int(made.place.max()) + 1
    # Each choice counts once for its system and its set together, from which both totals follow.
    cells = made.of * n + made.chosen
    shape = (n_items, n_sets * n)
    totals = resampled_totals(made.place, cells, shape, n_resamples, rng, made.weight).reshape(n_resamples, n_sets, n)
    wins, times = totals.sum(axis=1), totals.sum(axis=2)
    theta = np.full((n_resamples, n), np.nan)
    links = np.swapaxes(totals, 1, 2) @ made.sets
    links[:, np.arange(n), np.arange(n)] = 0.0
    rows = np.flatnonzero([all_linked(one) for one in links])
    height = max(1, _CELLS // (n_sets * n))
    for start in range(0, len(rows), height):
        chosen = rows[start : start + height]
        strengths, fine = _fit(wins[chosen], times[chosen], made.sets)
        theta[chosen[fine]] = strengths[fine]
    return theta, None


def _log_likelihood(theta: Floats, wins: Floats, times: Floats, sets: NDArray[np.bool_]) -> float:
    top = theta.max()
    whole = np.log((np.exp(theta - top) * sets).sum(axis=1)) + top
    return float(wins @ theta - times @ whole)
