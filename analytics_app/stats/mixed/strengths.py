"""Bradley-Terry strengths with raters and items both random: two-way cluster-robust standard errors."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analytics_app.stats.mixed.design import combined
from analytics_app.stats.mixed.results import estimate
from analytics_app.stats.ranking.bradley_terry import bradley_terry
from analytics_app.stats.resampling.bootstrap import check_settings
from analytics_app.stats.values import Codes, Estimate, Floats, checked_codes, checked_values, compressed, joined, rated

TOO_FEW = "An interval takes at least two items, or documents, and two raters."

# Numbers in the matrices of groups that are held at once: 32 MiB.
_CELLS = 2**22
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class _Judgments:
    """Judgments between systems that are placed: codes of the two, preference less its chance, and information."""

    first: Codes
    second: Codes
    score: Floats
    information: Floats
    n_systems: int

    def part(self, chosen: slice) -> _Judgments:
        """Return a stretch of the judgments."""
        return _Judgments(
            self.first[chosen], self.second[chosen], self.score[chosen], self.information[chosen], self.n_systems
        )


def crossed_strengths(
    preferences: ArrayLike,
    first: ArrayLike,
    second: ArrayLike,
    items: ArrayLike,
    raters: ArrayLike,
    *,
    n_systems: int,
    confidence: float,
    clusters: ArrayLike | None = None,
) -> tuple[Estimate, ...]:
    """Return Bradley-Terry strengths (ties one half) with intervals for further raters and further items [1]_.

    Parameters
    ----------
    preferences : array_like of float, shape (n,)
        1 where the first system was preferred, 0 where the second was, 0.5 for a tie, NaN = not judged.
    first, second : array_like of int, shape (n,)
        Codes of the two systems of each judgment, 0 to n_systems - 1.
    items, raters : array_like of int, shape (n,)
        Codes from 0.
    n_systems : int
    confidence : float
    clusters : array_like of int, shape (n,), optional
        Code of the document of each judgment's item, which then takes the place of the item.

    Returns
    -------
    tuple of Estimate, length n_systems
        Logarithms of strengths as in `bradley_terry`, with mean 0 over the systems that are placed; the others have no
        value, and a note. `n_items` and `n_raters` count those who judged the system.

    Raises
    ------
    ValueError
        Wrong shapes or codes, preferences other than 0, 0.5 and 1, or a confidence outside 0 to 1.

    Notes
    -----
    The influence of a judgment on the strengths is the inverse of the information times the judgment's score. The
    variance is that of sums of influences by items, plus that by raters, less that by their combinations, and not less
    than either of the first two. Each is divided by its expectation where only one effect of its groups on each system
    exists, and the effective number of groups is that of groups with equally large effects, as for means of systems
    (`compare_crossed_robust`).

    References
    ----------
    .. [1] A. C. Cameron, J. B. Gelbach and D. L. Miller (2011). Robust inference with multiway clustering. Journal of
       Business and Economic Statistics 29(2), 238-249.

    Examples
    --------
    >>> wins = [1, 1, 0, 1, 1, 0, 1, 1, 0.5, 1, 0, 1]
    >>> found = crossed_strengths(
    ...     wins, [0] * 12, [1] * 12, [0, 1, 2, 3] * 3, [0] * 4 + [1] * 4 + [2] * 4, n_systems=2, confidence=0.95
    ... )
    >>> round(found[0].value - found[1].value, 3), found[0].df
    (0.887, 2.0)
    """
    check_settings(0, confidence)
    numbers = checked_values(preferences)
    for codes in (first, second):
        checked_codes(codes, numbers.size, below=n_systems)
    others = [] if clusters is None else [clusters]
    numbers, (one, two, item, rater, *documents) = rated(numbers, first, second, items, raters, *others)
    if not np.isin(numbers, (0.0, 0.5, 1.0)).all():
        raise ValueError("A preference is 0, 0.5 or 1.")
    counted = [_counts((one == code) | (two == code), item, rater) for code in range(n_systems)]
    fitted = _points(numbers, one, two, n_systems)
    points = [
        Estimate(fitted_point.value, note=fitted_point.note, **n)
        for fitted_point, n in zip(fitted, counted, strict=True)
    ]
    placed = np.array([point.value is not None for point in points], dtype=bool)
    if not placed.any():
        return tuple(points)
    inside, place = placed[one] & placed[two], np.cumsum(placed) - 1
    theta = np.array([point.value for point in points if point.value is not None])
    given = _judgments(theta, numbers[inside], place[one[inside]], place[two[inside]])
    spreads = _spreads(given, (documents[0] if documents else item)[inside], rater[inside])
    for code, spread in zip(np.flatnonzero(placed).tolist(), spreads, strict=True):
        point = points[code]
        if spread is None or point.value is None:
            points[code] = replace(point, note=joined(point.note, TOO_FEW))
        else:
            points[code] = estimate(point.value, *spread, confidence, counted[code], tested=None, note=point.note)
    return tuple(points)


def _points(preferences: Floats, first: Codes, second: Codes, n_systems: int) -> tuple[Estimate, ...]:
    """Return the strengths without intervals."""
    pairs = [(a, b) for a in range(n_systems) for b in range(n_systems) if a != b]
    cells = np.zeros((3, n_systems, n_systems))
    np.add.at(cells, ((2 - 2 * preferences).astype(np.intp), first, second), 1.0)
    won, tied, lost = cells
    return bradley_terry(pairs, [(won[a, b], lost[a, b], tied[a, b]) for a, b in pairs], n_systems).strengths


def _counts(chosen: NDArray[np.bool_], item: Codes, rater: Codes) -> dict[str, int]:
    return {
        "n_ratings": int(chosen.sum()),
        "n_items": len(np.unique(item[chosen])),
        "n_raters": len(np.unique(rater[chosen])),
    }


def _judgments(theta: Floats, preferences: Floats, first: Codes, second: Codes) -> _Judgments:
    chance = 1 / (1 + np.exp(theta[second] - theta[first]))
    return _Judgments(first, second, preferences - chance, chance * (1 - chance), theta.size)


def _spreads(given: _Judgments, items: Codes, raters: Codes) -> list[tuple[float, float] | None]:
    """Return standard error and degrees of freedom of each strength; None where there are too few groups."""
    total = _by_group(given, np.zeros(given.first.size, dtype=np.intp), 1)[1][0]
    # Strengths have no origin: this is the inverse for strengths with sum 0.
    inverse = np.linalg.inv(total + 1.0) - 1 / given.n_systems**2
    columns = compressed(items)[1], compressed(raters)[1]
    by_item, by_rater, by_both = (_clustered(given, inverse, codes) for codes in (*columns, combined(*columns)))
    errors: list[tuple[float, float] | None] = []
    for of_item, of_rater, of_both in zip(by_item, by_rater, by_both, strict=True):
        if of_item is None or of_rater is None or of_both is None:
            errors.append(None)
            continue
        variance = max(of_item[0] + of_rater[0] - of_both[0], of_item[0], of_rater[0])
        se = variance**0.5 if variance > _ROUNDING**2 else 0.0
        errors.append((se, max(1.0, min(of_item[1], of_rater[1]) - 1)))
    return errors


def _clustered(given: _Judgments, inverse: Floats, groups: Codes) -> list[tuple[float, float] | None]:
    """Return the corrected variance of each strength by these groups, and their effective number.

    The effect of a group on the strengths is A b, with A the inverse times the group's information, and b an effect on
    each system. The influence of the group in the data has A b - A (sum of A b over all groups), of which the square
    is expected to be smaller than that of A b.
    """
    n = given.n_systems
    order = np.argsort(groups, kind="stable")
    ordered = _Judgments(given.first[order], given.second[order], given.score[order], given.information[order], n)
    begins = np.concatenate([[0], np.cumsum(np.bincount(groups))])
    height = max(1, _CELLS // n**2)
    slices = [range(low, min(low + height, begins.size - 1)) for low in range(0, begins.size - 1, height)]

    def effects(chosen: range) -> tuple[Floats, Floats]:
        part = slice(begins[chosen.start], begins[chosen.stop])
        sizes = np.diff(begins[chosen.start : chosen.stop + 1])
        scores, information = _by_group(ordered.part(part), np.repeat(np.arange(len(chosen)), sizes), len(chosen))
        return scores @ inverse, inverse @ information

    spread = np.zeros((n, n))
    for chosen in slices:
        matrices = effects(chosen)[1]
        spread += np.einsum("gij,gkj->ik", matrices, matrices, optimize=True)
    sums, squares, expected, concentration = np.zeros((4, n))
    for chosen in slices:
        influence, matrices = effects(chosen)
        own = (matrices**2).sum(axis=2)
        sums += (influence**2).sum(axis=0)
        squares += own.sum(axis=0)
        concentration += (own**2).sum(axis=0)
        lost = 2 * ((matrices @ matrices) * matrices).sum(axis=2) - ((matrices @ spread) * matrices).sum(axis=2)
        expected += (own - lost).sum(axis=0)
    return [
        None if left <= 1e-9 * square else (float(total * square / left), float(square**2 / again))
        for total, square, left, again in zip(sums, squares, expected, concentration, strict=True)
    ]


def _by_group(given: _Judgments, groups: Codes, n_groups: int) -> tuple[Floats, Floats]:
    """Return sums of scores, shape (n_groups, n_systems), and information, shape (n_groups, n_systems, n_systems)."""
    n = given.n_systems
    scores, information = np.zeros(n_groups * n), np.zeros(n_groups * n * n)
    ends = (given.first, 1.0), (given.second, -1.0)
    for system, sign in ends:
        scores += np.bincount(groups * n + system, sign * given.score, scores.size)
        for other, turned in ends:
            cells = (groups * n + system) * n + other
            information += np.bincount(cells, sign * turned * given.information, information.size)
    return scores.reshape(n_groups, n), information.reshape(n_groups, n, n)
