"""Strengths of systems from rankings: the model of Plackett and Luce."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analytics_app.stats.comparison.win_rates import resampled_totals
from analytics_app.stats.ranking.connected import all_linked, largest_linked
from analytics_app.stats.ranking.pairs_within import pairs_within
from analytics_app.stats.ranking.strengths import NO_END, Strengths, estimates, unplaced
from analytics_app.stats.resampling.bootstrap import check_settings
from analytics_app.stats.values import Codes, Estimate, Floats, checked_codes, checked_values, compressed

# The most steps of Newton's method, the longest step, the farthest point, and the flatness (see bradley_terry).
_STEPS, _LONGEST, _FARTHEST, _FLAT = 60, 2.0, 30.0, 1e-5
# Cells that are processed at once (32 MiB), and the work of one step beyond which there are no resamples.
_CELLS, _MOST_WORK = 2**22, 2e9

TOO_MANY = "No interval: screens showed too many different sets of systems for it."


@dataclass(frozen=True, slots=True)
class _Choices:
    """The choices that rankings consist of: from each set of remaining systems, the best.

    `sets` are the different sets, shape (n_sets, n_systems). For each choice `of` is its set, `chosen` the system,
    `place` the item and `weight` its weight.
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

    A ranking is a chain of choices: the best of all, the best of the rest, and so on. A ranking with ties is not; it
    counts as its pairs instead, each tie as half a win of both. As in the model of Bradley and Terry, only systems that
    chains of wins link in both directions are placed.

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
        Wrong shapes, codes or settings, or a system that is in a ranking twice.

    Notes
    -----
    Solved by Newton's method for all resamples at once, from counts of the choices: the package choix, with which it
    agrees, processes the rankings one by one.

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
    ranked = ~np.isnan(numbers)
    choices = _choices(numbers[ranked], ranking[ranked], system[ranked], item[ranked], n_systems)
    links = np.zeros((n_systems, n_systems))
    np.add.at(links, choices.chosen, choices.sets[choices.of] * choices.weight[:, np.newaxis])
    np.fill_diagonal(links, 0.0)
    placed = largest_linked(links, both_ways=True)
    notes = unplaced(links, placed)
    errors = np.zeros((n_systems, n_systems))
    if not placed.any():
        undefined = tuple(Estimate(None, note=note) for note in notes)
        return Strengths(undefined, undefined, None, None, errors)
    choices = _only(choices, placed)
    wins, times = _totals(choices)
    theta, fine = _fit(wins[np.newaxis], times[np.newaxis], choices.sets)
    if not fine[0]:
        undefined = tuple(Estimate(None, note=notes[k] if not placed[k] else NO_END) for k in range(n_systems))
        return Strengths(undefined, undefined, None, None, errors)
    covariance = np.linalg.inv(_information(theta, times[np.newaxis], choices.sets)[0]) - 1 / len(wins) ** 2
    resampled, note = None, None
    if n_resamples:
        resampled, note = _resampled(choices, n_resamples, rng)
    n_items = compressed(choices.place)[0].size
    strengths, ranks_of = estimates(theta[0], covariance, resampled, placed, notes, confidence, n_items)
    errors[np.ix_(placed, placed)] = covariance
    return Strengths(strengths, ranks_of, None, _log_likelihood(theta[0], wins, times, choices.sets), errors, note)


def _choices(numbers: Floats, ranking: Codes, system: Codes, item: Codes, n: int) -> _Choices:
    """Turn rankings into choices."""
    _ranking_codes, row = compressed(ranking)
    n_rankings = int(row.max(initial=-1)) + 1
    if np.unique(row * n + system).size != row.size:
        raise ValueError("A system stands in a ranking once.")
    _item, item_places = compressed(item)
    order = np.lexsort((numbers, row))
    row, system, numbers, item_places = row[order], system[order], numbers[order], item_places[order]
    is_tie = (row[1:] == row[:-1]) & (numbers[1:] == numbers[:-1])
    tied = np.zeros(n_rankings, dtype=bool)
    tied[row[1:][is_tie]] = True
    parts = list(_stages(row[~tied[row]], system[~tied[row]], item_places[~tied[row]], n_rankings, n))
    parts += list(_pairs(row[tied[row]], system[tied[row]], item_places[tied[row]], numbers[tied[row]], n))
    if not parts:
        empty = np.empty(0, dtype=np.intp)
        return _Choices(np.empty((0, n), dtype=bool), empty, empty, empty, np.empty(0))
    packed, chosen, places, weight = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    sets, set_codes = np.unique(packed, axis=0, return_inverse=True)
    unpacked = np.unpackbits(sets, axis=1, count=n).astype(bool)
    return _Choices(unpacked, set_codes.ravel(), chosen, places, weight)


def _stages(
    row: Codes, system: Codes, item_place: Codes, n_rankings: int, n: int
) -> Iterator[tuple[NDArray[np.uint8], Codes, Codes, Floats]]:
    """Yield the choices of rankings without ties, first choices before second ones: set, system, item, weight."""
    remaining = np.zeros((n_rankings, n), dtype=bool)
    remaining[row, system] = True
    begins = np.searchsorted(row, np.arange(n_rankings))
    sizes = np.bincount(row, minlength=n_rankings)
    for stage in range(int(sizes.max(initial=0)) - 1):
        rows = np.flatnonzero(sizes > stage + 1)
        positions = begins[rows] + stage
        yield np.packbits(remaining[rows], axis=1), system[positions], item_place[positions], np.ones(len(rows))
        remaining[rows, system[positions]] = False


def _pairs(
    row: Codes, system: Codes, item_place: Codes, numbers: Floats, n: int
) -> Iterator[tuple[NDArray[np.uint8], Codes, Codes, Floats]]:
    """Yield the pairs in rankings with ties; a tie is half a choice of each system."""
    for first, second in pairs_within(row):
        pair_sets = np.zeros((len(first), n), dtype=bool)
        rows = np.arange(len(first))
        pair_sets[rows, system[first]] = pair_sets[rows, system[second]] = True
        packed = np.packbits(pair_sets, axis=1)
        better = np.where(numbers[first] <= numbers[second], system[first], system[second])
        worse = np.where(numbers[first] <= numbers[second], system[second], system[first])
        half = numbers[first] == numbers[second]
        yield packed, better, item_place[first], np.where(half, 0.5, 1.0)
        yield packed[half], worse[half], item_place[first][half], np.full(int(half.sum()), 0.5)


def _only(choices: _Choices, placed: NDArray[np.bool_]) -> _Choices:
    """Return the choices of placed systems among placed systems."""
    sets = choices.sets[:, placed]
    mask = placed[choices.chosen] & (sets.sum(axis=1) > 1)[choices.of]
    new_codes = np.cumsum(placed) - 1
    _item, place = compressed(choices.place[mask])
    used_sets, set_codes = compressed(choices.of[mask])
    return _Choices(sets[used_sets], set_codes, new_codes[choices.chosen[mask]], place, choices.weight[mask])


def _totals(choices: _Choices) -> tuple[Floats, Floats]:
    """Return how often each system was chosen, and how often from each set."""
    wins = np.bincount(choices.chosen, weights=choices.weight, minlength=choices.sets.shape[1])
    times = np.bincount(choices.of, weights=choices.weight, minlength=len(choices.sets))
    return wins.astype(np.float64), times.astype(np.float64)


def _chances(theta: Floats, sets: NDArray[np.bool_]) -> Floats:
    """Return the chance of each system in each set, shape (m, n_sets, n)."""
    strengths = np.exp(theta - theta.max(axis=1, keepdims=True))[:, np.newaxis, :] * sets
    chances: Floats = strengths / strengths.sum(axis=2, keepdims=True)
    return chances


def _information(theta: Floats, times: Floats, sets: NDArray[np.bool_]) -> Floats:
    chances = _chances(theta, sets)
    weighted = chances * times[:, :, np.newaxis]
    matrix = -np.swapaxes(weighted, 1, 2) @ chances
    diagonal = np.arange(theta.shape[1])
    matrix[:, diagonal, diagonal] += weighted.sum(axis=1)
    # Strengths have no origin: this fixes their sum, which the data do not determine.
    matrix += 1.0
    return matrix


def _fit(wins: Floats, times: Floats, sets: NDArray[np.bool_]) -> tuple[Floats, NDArray[np.bool_]]:
    """Return strengths (m, n) of m tables of counts, and which have a maximum."""
    theta = np.zeros(wins.shape)
    enough = 1e-10 + 1e-13 * times.sum(axis=1)
    diagonal, slope = np.arange(wins.shape[1]), np.full(wins.shape, np.inf)
    for _step in range(_STEPS):
        slope = wins - (_chances(theta, sets) * times[:, :, np.newaxis]).sum(axis=1)
        if (np.abs(slope).max(axis=1) <= enough).all():
            break
        matrix = _information(theta, times, sets)
        matrix[:, diagonal, diagonal] += 1e-12
        step = np.linalg.solve(matrix, slope[..., np.newaxis])[..., 0]
        step *= np.minimum(1.0, _LONGEST / np.maximum(np.abs(step).max(axis=1, keepdims=True), 1e-300))
        theta = np.clip(theta + step, -_FARTHEST, _FARTHEST)
    theta -= theta.mean(axis=1, keepdims=True)
    flat = np.linalg.eigvalsh(_information(theta, times, sets))[:, 0] < _FLAT
    fine: NDArray[np.bool_] = (np.abs(slope).max(axis=1) <= 1e3 * enough) & ~flat
    return theta, fine


def _resampled(choices: _Choices, n_resamples: int, rng: np.random.Generator) -> tuple[Floats | None, str | None]:
    """Return strengths of bootstrap samples, NaN where there is no maximum."""
    n_sets, n = choices.sets.shape
    if n_sets * n**2 * n_resamples > _MOST_WORK:
        return None, TOO_MANY
    n_items = int(choices.place.max()) + 1
    # Choices are counted by set and system, from which the totals of both follow.
    cells = choices.of * n + choices.chosen
    shape = (n_items, n_sets * n)
    totals = resampled_totals(choices.place, cells, shape, n_resamples, rng, choices.weight).reshape(
        n_resamples, n_sets, n
    )
    wins, times = totals.sum(axis=1), totals.sum(axis=2)
    theta = np.full((n_resamples, n), np.nan)
    links = np.swapaxes(totals, 1, 2) @ choices.sets
    links[:, np.arange(n), np.arange(n)] = 0.0
    rows = np.flatnonzero([all_linked(table) for table in links])
    height = max(1, _CELLS // (n_sets * n))
    for start in range(0, len(rows), height):
        chosen = rows[start : start + height]
        strengths, fine = _fit(wins[chosen], times[chosen], choices.sets)
        theta[chosen[fine]] = strengths[fine]
    return theta, None


def _log_likelihood(theta: Floats, wins: Floats, times: Floats, sets: NDArray[np.bool_]) -> float:
    top = theta.max()
    log_totals = np.log((np.exp(theta - top) * sets).sum(axis=1)) + top
    return float(wins @ theta - times @ log_totals)
