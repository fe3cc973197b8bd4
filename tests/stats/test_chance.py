"""Right answers against chance: scipy's binomial test where chances are equal, all outcomes one by one elsewhere."""

from itertools import product
from math import prod

import pytest
from scipy.stats import binomtest

from analytics_app.stats.comparison.chance import right_by_chance_p


def enumerated(right: int, chances: list[float]) -> float:
    """Sum the probabilities of the numbers of right answers that are at most as likely as this one."""
    of_number = [0.0] * (len(chances) + 1)
    for outcome in product((0, 1), repeat=len(chances)):
        of_number[sum(outcome)] += prod(p if hit else 1 - p for hit, p in zip(outcome, chances, strict=True))
    return sum(p for p in of_number if p <= of_number[right] * (1 + 1e-7))


@pytest.mark.parametrize("right", range(7))
def test_as_all_outcomes_one_by_one(right: int) -> None:
    chances = [1 / 2, 1 / 3, 1 / 3, 1 / 4, 1 / 5, 1 / 7]
    assert right_by_chance_p(right, chances) == pytest.approx(enumerated(right, chances), rel=1e-9)


@pytest.mark.parametrize("right", [0, 3, 9, 12])
def test_equal_chances_are_the_binomial_test(right: int) -> None:
    assert right_by_chance_p(right, [1 / 3] * 12) == pytest.approx(binomtest(right, 12, 1 / 3).pvalue)


def test_limits() -> None:
    assert right_by_chance_p(0, []) is None
    assert right_by_chance_p(1, [0.0, 1.0]) == pytest.approx(1.0)
    with pytest.raises(ValueError, match="not possible"):
        right_by_chance_p(3, [0.5, 0.5])
    with pytest.raises(ValueError, match="from 0 to 1"):
        right_by_chance_p(0, [1.5])
