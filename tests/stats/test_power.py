"""Power before a study: simulated studies, published formulas, closed forms of R, and enumeration."""

from math import sqrt

import numpy as np
import pytest
from scipy import stats
from scipy.stats import binom, binomtest

from analytics_app.stats.planning.power import Assumed, half_width, power_of_means, spread_of_difference
from analytics_app.stats.planning.power import _rounded as rounded
from analytics_app.stats.planning.sign_power import (
    critical_wins,
    items_for_sign_test,
    power_of_sign_test,
    sign_test_curve,
)


def test_anova_and_proportions_of_r() -> None:
    # The planning pages do not use these; they hold the oracles of statistics.md to the library they name.
    from statsmodels.stats.power import FTestAnovaPower, NormalIndPower
    from statsmodels.stats.proportion import proportion_effectsize

    total = FTestAnovaPower().solve_power(effect_size=0.25, k_groups=4, alpha=0.05, power=0.8)
    assert total == pytest.approx(178.397097196, abs=1e-3)
    effect = proportion_effectsize(0.6, 0.5)
    assert NormalIndPower(ddof=0).solve_power(effect, alpha=0.05, power=0.8, ratio=0) == pytest.approx(
        193.583873, abs=1e-4
    )


def crossed_quasi_f(assumed: Assumed, n_items: int, n_studies: int, seed: int) -> tuple[float, float]:
    """Simulate studies in which every rater rates every text; return the share of rejections and the SD of differences.

    The test is the quasi-F of the analysis of variance, written down independently of the power.
    """
    rng, shape = np.random.default_rng(seed), (n_studies, n_items, assumed.systems, assumed.raters)
    runs, items, systems, raters = shape
    y = rng.normal(0, assumed.sd_residual, shape)
    y += rng.normal(0, assumed.sd_item, (runs, items, 1, 1)) + rng.normal(0, assumed.sd_rater, (runs, 1, 1, raters))
    y += rng.normal(0, assumed.sd_system_item, (runs, items, systems, 1))
    y += rng.normal(0, assumed.sd_rater_system, (runs, 1, systems, raters))
    y[:, :, 0] += assumed.difference
    if assumed.steps:
        y = np.clip(np.rint(y + assumed.middle), 1, assumed.steps)
    difference = y[:, :, 0].mean(axis=(1, 2)) - y[:, :, 1].mean(axis=(1, 2))
    y -= y.mean(axis=2, keepdims=True)
    y -= y.mean(axis=(1, 3), keepdims=True)
    by_item, by_rater = y.mean(axis=3, keepdims=True), y.mean(axis=1, keepdims=True)
    counts = np.array([(items - 1), (raters - 1), (items - 1) * (raters - 1)]) * (systems - 1)
    sums = [raters * by_item**2, items * by_rater**2, (y - by_item - by_rater) ** 2]
    squares = [part.sum(axis=(1, 2, 3)) / count for part, count in zip(sums, counts, strict=True)]
    variance = np.maximum(squares[0] + squares[1] - squares[2], 1e-9)
    df = variance**2 / sum(square**2 / count for square, count in zip(squares, counts, strict=True))
    t = difference / np.sqrt(2 * variance / (items * raters))
    return float((2 * stats.t.sf(np.abs(t), df) <= 0.05).mean()), float(difference.std())


CROSSED = {
    "two systems": Assumed(0.5, raters_per_text=6, raters=6, sd_item=0.5, sd_rater=0.4, sd_rater_system=0.3),
    "five steps": Assumed(
        0.5, raters_per_text=6, raters=6, sd_item=0.5, sd_rater=0.4, sd_rater_system=0.3, steps=5, middle=4.0
    ),
    "three systems near the end of the scale": Assumed(
        0.3, systems=3, raters_per_text=10, raters=10, sd_item=0.9, sd_rater=0.5, sd_rater_system=0.2, steps=5,
        middle=4.4,
    ),
    "raters who do not differ in taste": Assumed(0.3, raters_per_text=4, raters=4, sd_system_item=0.6, sd_rater=1.0),
}  # fmt: skip


@pytest.mark.parametrize("assumed", CROSSED.values(), ids=CROSSED)
def test_power_and_standard_error_are_those_of_simulated_studies(assumed: Assumed) -> None:
    rejected, sd = crossed_quasi_f(assumed, 40, 1500, seed=1)
    spread = spread_of_difference(assumed, 40)
    # Three Monte-Carlo errors of 1,500 studies: .04 of a share near a half, and 5.5 % of a standard deviation.
    assert power_of_means(assumed, 40, alpha=0.05) == pytest.approx(rejected, abs=0.04)
    assert spread.se == pytest.approx(sd, rel=0.055)


def test_standard_error_of_westfall_kenny_and_judd() -> None:
    """Their model codes two conditions as 1 and -1, so that slopes have half of the variance of effects of systems.

    d over its standard error is difference / (2 sqrt(V_PC / p + V_SC / q + V_E / (2 p q))) for p raters and q items.
    """
    assumed = Assumed(0.4, raters_per_text=12, raters=12, sd_system_item=0.3, sd_rater_system=0.2, sd_residual=0.9)
    slopes = 0.2**2 / 2 / 12 + 0.3**2 / 2 / 50 + 0.9**2 / (2 * 12 * 50)
    assert spread_of_difference(assumed, 50).se == pytest.approx(2 * sqrt(slopes))


def test_closed_form_of_a_paired_test() -> None:
    """A rater a rating: what is left is the paired t test over items, .7200 by statistics.md, section 8."""
    assert power_of_means(Assumed(0.2, raters=300), 100, alpha=0.05) == pytest.approx(0.72, abs=5e-5)
    # reference_values.json, power_t: R power.t.test .564483 without the far tail; statsmodels .564504 with it.
    paired = Assumed(0.5, raters_per_text=1, sd_system_item=0, sd_residual=np.sqrt(0.5))
    assert power_of_means(paired, 20, alpha=0.05) == pytest.approx(0.564504, abs=1e-6)


def test_raters_who_differ_in_taste_limit_the_power_whatever_the_number_of_items() -> None:
    few = Assumed(0.3, raters=6, sd_rater_system=0.3)
    at_most = power_of_means(few, 20_000, alpha=0.05)
    assert at_most < 0.5
    assert power_of_means(few, 100, alpha=0.05) < at_most
    assert power_of_means(Assumed(0.3, raters=60, sd_rater_system=0.3), 100, alpha=0.05) > 0.8


def test_leniency_counts_where_nobody_is_sure_to_judge_both_systems() -> None:
    shared = spread_of_difference(Assumed(0.3, raters=30, sd_rater=1.0), 10)
    apart = spread_of_difference(Assumed(0.3, raters=31, sd_rater=1.0), 10)
    assert shared.se == pytest.approx(sqrt(2 * (0.3**2 / 10 + 0.8**2 / 30)))
    assert apart.se == pytest.approx(sqrt(2 * (0.3**2 / 10 + (0.8**2 + 1) / 30)))


def test_a_rounded_scale_has_the_moments_of_its_steps() -> None:
    """Against numbers drawn from the same normal variables."""
    rng = np.random.default_rng(3)
    z, one, other = rng.normal(size=(3, 200_000))
    ratings = [
        np.clip(np.rint(mean + 1.3 * (sqrt(0.4) * z + sqrt(0.6) * own)), 1, 5) for mean, own in ((3.4, one), (3, other))
    ]
    high, low = rounded(3.4, 1.3, 5), rounded(3.0, 1.3, 5)
    assert [high.mean, low.mean] == pytest.approx([drawn.mean() for drawn in ratings], abs=0.01)
    assert [high.variance, low.variance] == pytest.approx([drawn.var() for drawn in ratings], abs=0.02)
    assert high.shared_with(low, 0.4) == pytest.approx(np.cov(*ratings)[0, 1], abs=0.01)
    assert high.shared_with(high, 0.9) < high.variance


def test_without_a_difference_it_is_found_as_often_as_alpha_says() -> None:
    assert power_of_means(Assumed(0.0, sd_rater_system=0.4, steps=7, middle=4), 60, alpha=0.05) == pytest.approx(0.05)


def test_a_scale_of_one_step_finds_nothing() -> None:
    assert power_of_means(Assumed(3.0, steps=1), 60, alpha=0.05) == 0


def test_half_width_is_that_of_a_t_interval() -> None:
    assumed = Assumed(0.0, raters=10, sd_rater_system=0.3)
    spread = spread_of_difference(assumed, 100)
    assert half_width(spread, confidence=0.9) == pytest.approx(stats.t.ppf(0.95, spread.df) * spread.se)
    assert sum(spread.shares.values()) == pytest.approx(1)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Assumed(0.2, systems=1),
        lambda: Assumed(0.2, sd_residual=-1),
        lambda: Assumed(0.2, raters=2),
        lambda: Assumed(0.2, raters=1, raters_per_text=1),
        lambda: Assumed(float("nan")),
        lambda: Assumed(0.2, sd_system_item=0, sd_residual=0),
        lambda: spread_of_difference(Assumed(0.2), 1),
        lambda: power_of_means(Assumed(0.2), 10, alpha=0),
        lambda: half_width(spread_of_difference(Assumed(0.2), 10), confidence=1),
        lambda: power_of_sign_test(0, wins=0.6, alpha=0.05),
        lambda: power_of_sign_test(10, wins=0.6, ties=1, alpha=0.05),
        lambda: items_for_sign_test(wins=0.6, alpha=0.05, power=1),
    ],
)
def test_wrong_input_is_refused(wrong: object) -> None:
    with pytest.raises(ValueError, match=r"."):
        wrong()


# Preferences ----------------------------------------------------------------------------------------------


def enumerated(n: int, wins: float, ties: float, alpha: float) -> float:
    """Enumerate both how many ties there are and how many of the others are won."""
    found = 0.0
    for m in range(1, n + 1):
        rejected = sum(float(binom.pmf(x, m, wins)) for x in range(m + 1) if binomtest(x, m).pvalue <= alpha)
        found += float(binom.pmf(m, n, 1 - ties)) * rejected
    return found


@pytest.mark.parametrize(
    ("n", "wins", "ties"), [(60, 0.65, 0.0), (25, 0.8, 0.3), (6, 1.0, 0.0), (5, 1.0, 0.0), (1, 0.9, 0.5)]
)
def test_sign_test_by_brute_force(n: int, wins: float, ties: float) -> None:
    assert power_of_sign_test(n, wins=wins, ties=ties, alpha=0.05) == pytest.approx(enumerated(n, wins, ties, 0.05))


def test_sign_test_of_the_reference() -> None:
    # power_sign_test_exact: exact enumeration, n = 200, p = .6.
    assert power_of_sign_test(200, wins=0.6, alpha=0.05) == pytest.approx(0.7868482653, abs=1e-9)
    assert power_of_sign_test(200, wins=0.4, alpha=0.05) == pytest.approx(0.7868482653, abs=1e-9)
    assert sign_test_curve([10, 200], wins=0.6, alpha=0.05)[1] == pytest.approx(0.7868482653, abs=1e-9)


@pytest.mark.parametrize("ties", [0.0, 0.3])
def test_items_that_are_enough_stay_enough(ties: float) -> None:
    n = items_for_sign_test(wins=0.65, ties=ties, alpha=0.05, power=0.8)
    curve = sign_test_curve(range(n - 1, n + 200), wins=0.65, ties=ties, alpha=0.05)
    assert curve[0] < 0.8
    assert min(curve[1:]) >= 0.8


def test_no_preference_is_never_found() -> None:
    assert items_for_sign_test(wins=0.5, alpha=0.05, power=0.8) is None
    assert items_for_sign_test(wins=0.501, alpha=0.05, power=0.8) is None
    assert power_of_sign_test(500, wins=0.5, alpha=0.05) < 0.05
    assert items_for_sign_test(wins=0.55, alpha=0.5, power=0.3) is not None


def test_critical_wins() -> None:
    m = np.arange(0, 400)
    found = critical_wins(m, 0.05)
    for size, least in zip(m.tolist(), found.tolist(), strict=True):
        assert 2 * binom.sf(least - 1, size, 0.5) <= 0.05 or least == size + 1
        assert least == 1 or 2 * binom.sf(least - 2, size, 0.5) > 0.05 or size == 0
