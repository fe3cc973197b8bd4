"""The smallest effects found with a given power, against statsmodels and against the power functions they invert."""

from math import sqrt

import pytest
from statsmodels.stats.power import TTestPower

from analytics_app.stats.planning.discrimination_power import power_of_difference
from analytics_app.stats.planning.power import Assumed, power_of_means
from analytics_app.stats.planning.sign_power import power_of_sign_test
from analytics_app.stats.planning.smallest import (
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
                at_it = Assumed(smallest, raters=raters, **spreads)
                assert power_of_means(at_it, n_items, alpha=0.05 / pairs) == pytest.approx(0.8, abs=1e-4)


def test_a_scale_with_steps_is_refused() -> None:
    with pytest.raises(ValueError, match="without steps"):
        smallest_difference(Assumed(0, steps=5), 100, alpha=0.05, power=0.8)


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
