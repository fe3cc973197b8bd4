"""Power for preferences of further raters and items: simulated studies, and the test that results make of them."""

from collections.abc import Callable
from math import sqrt

import numpy as np
import pytest
from scipy import stats

from analytics_app.stats.mixed.preferences import preference_shares
from analytics_app.stats.planning.power import half_width
from analytics_app.stats.planning.preference_power import AssumedShares, power_of_share, spread_of_share
from analytics_app.stats.values import Floats


def drawn(assumed: AssumedShares, rng: np.random.Generator, shape: tuple[int, int, int]) -> Floats:
    """Draw preferences of studies, items and raters, with the variances assumed exactly.

    The probability of a win is raised or lowered by the same amount for half of the items, and for half of the raters.
    """
    runs, items, raters = shape
    of_item, of_rater = (
        sqrt(part * assumed.variance) / (1 - assumed.ties) for part in (assumed.between_items, assumed.between_raters)
    )
    wins = assumed.wins + of_item * rng.choice([-1, 1], (runs, items, 1))
    wins = wins + of_rater * rng.choice([-1, 1], (runs, 1, raters))
    assert wins.min() >= 0
    assert wins.max() <= 1
    won = (rng.random(shape) < wins).astype(float)
    return np.where(rng.random(shape) < assumed.ties, 0.5, won)


def crossed_quasi_t(y: Floats) -> tuple[float, float]:
    """Return the share of rejections of .5, and the SD of the means, where every rater judges every item.

    The test is that of the analysis of variance of items by raters, written down independently of the power.
    """
    _runs, items, raters = y.shape
    mean = y.mean(axis=(1, 2))
    centred = y - mean[:, None, None]
    by_item, by_rater = centred.mean(axis=2, keepdims=True), centred.mean(axis=1, keepdims=True)
    counts = np.array([items - 1, raters - 1, (items - 1) * (raters - 1)])
    sums = [raters * by_item**2, items * by_rater**2, (centred - by_item - by_rater) ** 2]
    squares = [part.sum(axis=(1, 2)) / count for part, count in zip(sums, counts, strict=True)]
    variance = np.maximum(squares[0] + squares[1] - squares[2], 1e-9)
    df = variance**2 / sum(square**2 / count for square, count in zip(squares, counts, strict=True))
    t = (mean - 0.5) / np.sqrt(variance / (items * raters))
    return float((2 * stats.t.sf(np.abs(t), df) <= 0.05).mean()), float(mean.std())


CASES = {
    "raters and items that differ": AssumedShares(0.62, raters_per_item=8, raters=8),
    "ties": AssumedShares(0.62, ties=0.25, raters_per_item=6, raters=6, between_items=0.1, between_raters=0.04),
    "raters who differ much": AssumedShares(
        0.6, raters_per_item=10, raters=10, between_items=0.05, between_raters=0.1
    ),
    "a clear preference": AssumedShares(0.7, raters_per_item=5, raters=5, between_items=0.05, between_raters=0.05),
    "no preference": AssumedShares(0.5, raters_per_item=12, raters=12),
}  # fmt: skip


@pytest.mark.parametrize("assumed", CASES.values(), ids=CASES)
def test_power_and_standard_error_are_those_of_simulated_studies(assumed: AssumedShares) -> None:
    n_items = 40
    preferences = drawn(assumed, np.random.default_rng(1), (1500, n_items, assumed.raters))
    rejected, sd = crossed_quasi_t(preferences)
    assert preferences.mean() == pytest.approx(assumed.share, abs=0.01)
    assert preferences.var() == pytest.approx(assumed.variance, abs=0.005)
    # Three Monte-Carlo errors of 1,500 studies are .04 of a share and 5.5 % of a standard deviation; t is approximate.
    assert power_of_share(assumed, n_items, alpha=0.05) == pytest.approx(rejected, abs=0.05)
    assert spread_of_share(assumed, n_items).se == pytest.approx(sd, rel=0.055)


def test_the_standard_error_of_results_is_the_one_planned_with_where_raters_share_the_items() -> None:
    """Three of twelve raters judge each item, in turns; the plan has the components that the model estimates."""
    assumed, n_items = AssumedShares(0.66, raters=12, between_raters=0.06), 60
    (study,) = drawn(assumed, np.random.default_rng(2), (1, n_items, assumed.raters))
    item = np.repeat(np.arange(n_items), 3)
    rater = (item + np.tile([0, 4, 8], n_items)) % assumed.raters
    first, second = np.zeros(item.size, int), np.ones(item.size, int)
    (pair,) = preference_shares(study[item, rater], first, second, item, rater, pairs=[(0, 1)], confidence=0.95)
    assert pair.model is not None
    assert pair.difference.value is not None
    squares = {name: sd.value**2 for name, sd in pair.model.sd.items() if sd.value is not None}
    assert squares["item"] > 0
    assert squares["rater"] > 0
    estimated = AssumedShares(
        pair.difference.value,
        raters=12,
        between_items=squares["item"] / sum(squares.values()),
        between_raters=squares["rater"] / sum(squares.values()),
    )
    spread = spread_of_share(estimated, n_items)
    # The variance of the plan is that of preferences with this share; the model estimates it.
    assert sum(squares.values()) == pytest.approx(estimated.variance, rel=0.05)
    assert pair.difference.se == pytest.approx(spread.se, rel=0.03)
    assert pair.difference.df == pytest.approx(spread.df, rel=0.25)


def test_raters_who_differ_limit_the_power_whatever_the_number_of_items() -> None:
    few = AssumedShares(0.6, raters=6, between_raters=0.1)
    assert power_of_share(few, 100, alpha=0.05) < power_of_share(few, 5000, alpha=0.05) < 0.4
    assert power_of_share(AssumedShares(0.6, raters=60, between_raters=0.1), 200, alpha=0.05) > 0.8


def test_one_rater_a_preference_leaves_the_t_test_of_a_share() -> None:
    """Nothing shared: .6 of 100 preferences has the standard error sqrt(.24 / 100), and 99 degrees of freedom."""
    alone = AssumedShares(0.6, raters_per_item=1, raters=100, between_items=0.0, between_raters=0.0)
    spread = spread_of_share(alone, 100)
    assert spread.se == pytest.approx(sqrt(0.24 / 100))
    limit = stats.t.ppf(0.975, 99)
    power = stats.nct.sf(limit, 99, 0.1 / spread.se) + stats.nct.cdf(-limit, 99, 0.1 / spread.se)
    assert power_of_share(alone, 100, alpha=0.05) == pytest.approx(power, abs=1e-6)
    assert half_width(spread, confidence=0.95) == pytest.approx(limit * spread.se)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: AssumedShares(1.2),
        lambda: AssumedShares(0.6, ties=1.0),
        lambda: AssumedShares(0.6, raters=1, raters_per_item=1),
        lambda: AssumedShares(0.6, raters=2),
        lambda: AssumedShares(0.6, between_items=0.6, between_raters=0.4),
        lambda: AssumedShares(0.6, between_items=-0.1),
        lambda: spread_of_share(AssumedShares(0.6), 1),
        lambda: power_of_share(AssumedShares(0.6), 10, alpha=0),
    ],
)
def test_wrong_input_is_refused(wrong: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        wrong()
