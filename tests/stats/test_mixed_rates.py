"""Ratios of mean counts: against Poisson and negative binomial regression of statsmodels, and how often they hold."""

import numpy as np
import pytest
from statsmodels import api

from analytics_app.stats.comparison.wilson import wilson
from analytics_app.stats.mixed.rates import ALL_ZERO, compare_rates
from analytics_app.stats.values import Floats

# The planted ratio of two systems.
RATIO = 1.5

Columns = tuple[Floats, np.ndarray, np.ndarray, np.ndarray]


def counted(rng: np.random.Generator, ratio: float, n_items: int, n_raters: int, *, own: float = 0.2) -> Columns:
    """Return counts, systems, items and raters: Poisson about means that vary by item, rater and rater on a system."""
    system, item, rater = (
        axis.ravel() for axis in np.meshgrid(range(2), range(n_items), range(n_raters), indexing="ij")
    )
    log_mean = (
        0.6
        + np.log(ratio) * (system == 0)
        + 0.4 * rng.normal(size=n_items)[item]
        + 0.2 * rng.normal(size=n_raters)[rater]
        + own * rng.normal(size=(n_raters, 2))[rater, system]
    )
    return rng.poisson(np.exp(log_mean)).astype(float), system, item, rater


def test_the_ratio_is_that_of_poisson_and_negative_binomial_regression() -> None:
    counts, system, item, rater = counted(np.random.default_rng(1), 1.5, 60, 12)
    (pair,) = compare_rates(counts, system, item, rater, n_systems=2, pairs=[(0, 1)], confidence=0.95).pairs
    design = np.column_stack([np.ones(len(counts)), system == 0]).astype(float)
    for family in (api.families.Poisson(), api.families.NegativeBinomial(alpha=0.3)):
        fit = api.GLM(counts, design, family=family).fit()
        assert pair.difference.value == pytest.approx(fit.params[1], abs=1e-8)
    # Their own standard errors take all counts as independent; the two-way robust one is near the model's.
    groups = np.column_stack([item, rater])
    robust = api.GLM(counts, design, family=api.families.Poisson()).fit(cov_type="cluster", cov_kwds={"groups": groups})
    assert pair.difference.se == pytest.approx(robust.bse[1], rel=0.15)
    assert pair.difference.se > 1.2 * api.GLM(counts, design, family=api.families.Poisson()).fit().bse[1]


def test_counts_may_be_missing_and_the_other_order_is_the_inverse() -> None:
    counts, system, item, rater = counted(np.random.default_rng(2), 1.5, 30, 5)
    counts[::7] = np.nan
    there, back = compare_rates(counts, system, item, rater, n_systems=2, pairs=[(0, 1), (1, 0)], confidence=0.95).pairs
    assert there.difference.value == pytest.approx(-back.difference.value)
    assert there.difference.p == pytest.approx(back.difference.p)
    assert there.difference.low == pytest.approx(-back.difference.high)


def test_without_a_count_above_0_there_is_no_ratio_and_below_0_there_is_no_count() -> None:
    counts, system, item, rater = counted(np.random.default_rng(3), 1, 6, 3)
    none = np.where(system == 0, 0.0, counts)
    (pair,) = compare_rates(none, system, item, rater, n_systems=2, pairs=[(0, 1)], confidence=0.95).pairs
    assert (pair.difference.value, pair.difference.note) == (None, ALL_ZERO)
    alike = np.where(system == 0, 4.0, 2.0)
    (pair,) = compare_rates(alike, system, item, rater, n_systems=2, pairs=[(0, 1)], confidence=0.95).pairs
    assert pair.difference.value == pytest.approx(np.log(2))
    assert pair.difference.low is None
    with pytest.raises(ValueError, match="at least 0"):
        compare_rates(-counts - 1, system, item, rater, n_systems=2, pairs=[(0, 1)], confidence=0.95)


def test_the_size_of_the_test_and_the_cover_of_the_interval_hold() -> None:
    """Of 200 seeded studies each, whose Monte Carlo intervals reach 3 to 7 % and 93 to 97 %."""
    n, rejected, covered = 200, 0, 0
    for seed in range(n):
        rng = np.random.default_rng([9, seed, 20, 6])
        same, planted = (
            compare_rates(*counted(rng, ratio, 20, 6), n_systems=2, pairs=[(0, 1)], confidence=0.95).pairs[0].difference
            for ratio in (1.0, RATIO)
        )
        rejected += same.p is not None and same.p < 0.05
        assert planted.low is not None
        assert planted.high is not None
        covered += planted.low <= np.log(RATIO) <= planted.high
    for times, (low, high) in ((rejected, (0.03, 0.07)), (covered, (0.93, 0.97))):
        share = wilson(times, n, confidence=0.95)
        assert share.low is not None
        assert share.high is not None
        assert share.low <= high, times
        assert share.high >= low, times
