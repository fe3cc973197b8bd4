"""The definitions written down as slowly as they read, to compare the fast ones with."""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from itertools import combinations, permutations
from math import isnan


def alpha(values: Sequence[float], units: Sequence[int], level: str) -> float | None:
    """Krippendorff's alpha over all ordered pairs of ratings; None where it is 0/0. NaN = not rated."""
    by_unit = defaultdict(list)
    for value, unit in zip(values, units, strict=True):
        if not isnan(value):
            by_unit[unit].append(value)
    pairable = [ratings for ratings in by_unit.values() if len(ratings) > 1]
    everything = [value for ratings in pairable for value in ratings]
    difference = _difference(level, Counter(everything))
    if len(set(everything)) < 2:
        return None
    n = len(everything)
    observed = sum(
        sum(difference(a, b) for a, b in permutations(ratings, 2)) / (len(ratings) - 1) for ratings in pairable
    )
    expected = sum(difference(a, b) for a, b in permutations(everything, 2)) / (n - 1)
    return 1 - observed / expected


def _difference(level: str, counts: Counter[float]) -> Callable[[float, float], float]:
    def ordinal(a: float, b: float) -> float:
        low, high = sorted((a, b))
        between = sum(count for value, count in counts.items() if low <= value <= high)
        return (between - (counts[low] + counts[high]) / 2) ** 2

    return {
        "nominal": lambda a, b: float(a != b),
        "ordinal": ordinal,
        "interval": lambda a, b: (a - b) ** 2,
        "ratio": lambda a, b: ((a - b) / (a + b)) ** 2 if a + b else 0.0,
    }[level]


def pairs_of_ratings(
    values: Sequence[float], units: Sequence[int], raters: Sequence[int]
) -> list[tuple[int, int, float, float]]:
    """All pairs of ratings of the same unit as (rater, rater, value, value), the lower rater code first."""
    by_unit = defaultdict(list)
    for value, unit, rater in zip(values, units, raters, strict=True):
        if not isnan(value):
            by_unit[unit].append((rater, value))
    return [
        (a[0], b[0], a[1], b[1])
        for ratings in (sorted(ratings) for ratings in by_unit.values())
        for a, b in combinations(ratings, 2)
    ]


def superiority(a: Sequence[float], b: Sequence[float]) -> float:
    """Share of the pairs in which a is above b, ties half."""
    return sum((x > y) + (x == y) / 2 for x in a for y in b) / (len(a) * len(b))
