"""The smallest effects found with a given power, against statsmodels and against the power functions they invert."""

from dataclasses import replace
from math import sqrt

import numpy as np
import pytest
from statsmodels.stats.power import TTestPower

from analytics_app.stats.planning.discrimination_power import power_of_difference
from analytics_app.stats.planning.power import Assumed, power_of_means
from analytics_app.stats.planning.sign_power import power_of_sign_test
from analytics_app.stats.planning.smallest import (
    fewest,
    smallest_difference,
    smallest_preference,
    smallest_share_of_discriminators,
)


@pytest.mark.parametrize(("n_items", "alpha"), [(60, 0.05 / 3), (100, 0.05), (10_000, 0.05 / 190)])
def test_difference_of_means_is_that_of_statsmodels(n_items: int, alpha: float) -> None:
    """A rater a rating: what is left is the paired t test of the means of items."""
    assumed = Assumed(0, raters_per_text=3, raters=3 * n_items, sd_rater=0.5)
    spread = sqrt(2 * (0.3**2 + 0.8**2 / 3))
    effect = TTestPower().solve_power(nobs=n_items, alpha=alpha, power=0.8)
    smallest = smallest_difference(assumed, n_items, alpha=alpha, power=0.8)
    assert smallest == pytest.approx(effect * spread, rel=2e-4)


def test_every_usual_size_has_a_smallest_difference() -> None:
    """Where scipy has no number for a tail, too."""
    spreads = {"raters_per_text": 5, "sd_item": 0.5, "sd_system_item": 0.4, "sd_rater": 0.5, "sd_rater_system": 0.2}
    for raters in (5, 40):
        for n_items in (*range(10, 200, 30), 500, 1_000):
            for pairs in (1, 3, 10, 45):
                smallest = smallest_difference(
                    Assumed(0, raters=raters, **spreads), n_items, alpha=0.05 / pairs, power=0.8
                )
                assert smallest is not None
                at_it = Assumed(smallest, raters=raters, **spreads)
                assert power_of_means(at_it, n_items, alpha=0.05 / pairs) == pytest.approx(0.8, abs=1e-4)


def test_the_ends_of_the_scale_are_counted() -> None:
    """The difference found has the power on its scale, and is larger than without ends."""
    plain = Assumed(0, raters=12, sd_item=0.5, sd_rater_system=0.2)
    for steps, middle in ((5, 3.0), (7, 6.0), (2, 1.5)):
        cut = replace(plain, steps=steps, middle=middle)
        smallest = smallest_difference(cut, 60, alpha=0.05, power=0.8)
        without = smallest_difference(plain, 60, alpha=0.05, power=0.8)
        assert smallest is not None
        assert without is not None
        assert smallest > without
        assert power_of_means(replace(cut, difference=smallest), 60, alpha=0.05) == pytest.approx(0.8, abs=1e-4)


def test_a_difference_beyond_the_ends_of_the_scale_is_none() -> None:
    """Three raters who differ in taste by .8, and ratings that are all at the upper end."""
    few = Assumed(0, raters=3, sd_rater_system=0.8, steps=5)
    assert smallest_difference(few, 100, alpha=0.05, power=0.8) is None
    assert power_of_means(replace(few, difference=4.0), 100, alpha=0.05) < 0.8
    assert smallest_difference(Assumed(0, steps=5, middle=9.0), 100, alpha=0.05, power=0.8) is None


# Numbers of items and raters per text, and standard deviations of system x item, rater x system and residual.
SIZES = [(n_items, per_text) for n_items in (4, 25, 100) for per_text in (1, 3)]
SPREADS = [(0.4, 0.2, 0.8), (0.0, 0.5, 0.5), (1.0, 0.05, 0.3), (0.1, 0.0, 1.5)]


def assumed_with(spreads: tuple[float, float, float], **others: float) -> Assumed:
    of_text, of_taste, residual = spreads
    return Assumed(
        **{"difference": 0.3, "sd_item": 0.5, "sd_rater": 0.5} | others,
        sd_system_item=of_text, sd_rater_system=of_taste, sd_residual=residual,
    )  # fmt: skip


@pytest.mark.parametrize(("n_items", "per_text"), SIZES)
@pytest.mark.parametrize("spreads", SPREADS)
def test_power_rises_with_the_difference_and_with_items(
    n_items: int, per_text: int, spreads: tuple[float, float, float]
) -> None:
    """On a scale without ends, and with ten raters."""
    assumed = assumed_with(spreads, raters_per_text=per_text, raters=10)
    by_difference = [
        power_of_means(replace(assumed, difference=shift), n_items, alpha=0.05) for shift in np.linspace(0, 2, 9)
    ]
    by_items = [power_of_means(assumed, number, alpha=0.05) for number in range(n_items, 10 * n_items, n_items)]
    for rising in (by_difference, by_items):
        assert all(0 <= power <= 1 for power in rising)
        # scipy's noncentral t has about seven digits near 1.
        assert np.diff(rising).min() >= -1e-6


@pytest.mark.parametrize(("n_items", "per_text"), SIZES)
@pytest.mark.parametrize("spreads", SPREADS)
@pytest.mark.parametrize("steps", [0, 5])
def test_the_fewest_reach_the_power_and_one_fewer_does_not(
    n_items: int, per_text: int, spreads: tuple[float, float, float], steps: int
) -> None:
    assumed = assumed_with(spreads, raters_per_text=per_text, raters=max(2, per_text), steps=steps)

    def by_items(number: int) -> float:
        return power_of_means(assumed, number, alpha=0.05)

    def by_raters(number: int) -> float:
        return power_of_means(replace(assumed, raters=number), n_items, alpha=0.05)

    cases = ((by_items, n_items, 2_000), (by_raters, assumed.raters, n_items * per_text))
    for power_at, above, most in cases:
        for power in (0.3, 0.8):
            found = fewest(power_at, above=above, most=most, power=power)
            if found is None:
                tried = {*range(above + 1, min(most, above + 20) + 1), *([most] if most > above else [])}
                assert all(power_at(number) < power for number in tried)
            else:
                assert above < found <= most
                assert power_at(found) >= power
                assert found == above + 1 or power_at(found - 1) < power


def test_a_power_that_falls_again_is_still_found() -> None:
    """Two raters who hardly differ: more items make them, with one degree of freedom, the larger part of the error."""
    two = assumed_with(SPREADS[2], raters_per_text=1, raters=2)
    at = [power_of_means(two, number, alpha=0.05) for number in (600, 20_000)]
    assert at[0] > 0.8 > at[1]
    enough = fewest(lambda number: power_of_means(two, number, alpha=0.05), above=100, most=20_000, power=0.8)
    assert enough is not None
    assert 100 < enough < 600
    cut = replace(two, steps=5)
    smallest = smallest_difference(cut, 100, alpha=0.05, power=0.99)
    assert smallest is not None
    assert power_of_means(replace(cut, difference=4.0), 100, alpha=0.05) < 0.99


def test_more_raters_than_ratings_of_a_system_do_not_hide_that_fewer_are_enough() -> None:
    """With 300 ratings of a system 50 raters reach a power that 20,000, of whom most rate one system, do not."""
    assumed = Assumed(0.32, sd_rater=1.5, sd_rater_system=0.3)

    def power_at(raters: int) -> float:
        return power_of_means(replace(assumed, raters=raters), 100, alpha=0.05)

    assert power_at(20_000) < 0.8
    enough = fewest(power_at, above=20, most=300, power=0.8)
    assert enough is not None
    assert power_at(enough) >= 0.8 > power_at(enough - 1)


def test_power_of_a_large_difference_is_one() -> None:
    assert power_of_means(Assumed(1.0), 100, alpha=0.05) == pytest.approx(1.0)


@pytest.mark.parametrize(("n", "ties"), [(10, 0.2), (210, 0.0), (2_000, 0.2)])
def test_preference_is_found_with_the_power(n: int, ties: float) -> None:
    wins = smallest_preference(n, ties=ties, alpha=0.05, power=0.8)
    assert wins is not None
    assert power_of_sign_test(n, wins=wins, ties=ties, alpha=0.05) == pytest.approx(0.8, abs=1e-4)


def test_share_of_discriminators_is_found_with_the_power() -> None:
    share = smallest_share_of_discriminators(24, alpha=0.05, power=0.9)
    assert share is not None
    assert float(power_of_difference(24, alpha=0.05, pd=share)) == pytest.approx(0.9, abs=1e-4)


def test_too_few_find_nothing() -> None:
    assert smallest_preference(4, ties=0.0, alpha=0.05, power=0.8) is None
    assert smallest_share_of_discriminators(2, alpha=0.05, power=0.8) is None


def test_power_is_above_alpha() -> None:
    with pytest.raises(ValueError, match="below the power"):
        smallest_difference(Assumed(0), 10, alpha=0.05, power=0.05)
