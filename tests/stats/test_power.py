"""Power before a study: closed forms of R, simulations against them, and enumeration."""

import numpy as np
import pytest
from scipy.stats import binom, binomtest

from analytics_app.stats.planning.power import Assumed, power_of_means, power_of_t, runs_within, share_of_runs
from analytics_app.stats.planning.power import _holm_of_first as holm_of_first
from analytics_app.stats.planning.power import _raters_of_texts as who_has_each_text
from analytics_app.stats.planning.sign_power import (
    critical_wins,
    items_for_sign_test,
    power_of_sign_test,
    sign_test_curve,
)
from tests.work import counting_generator


def simulated(assumed: Assumed, n: int, seed: int = 1) -> float:
    return power_of_means(assumed, [n], alpha=0.05, rng=np.random.default_rng(seed))[0].single.value or 0.0


def test_closed_form() -> None:
    # statistics.md section 8: .7200 closed for 100 items and 3 raters.
    assert power_of_t(Assumed(0.2), 100, alpha=0.05) == pytest.approx(0.72, abs=5e-5)
    # reference_values.json, power_t: R power.t.test .564483 without the far tail; statsmodels .564504 with it.
    paired = Assumed(0.5, raters_per_text=1, sd_system_item=0, sd_residual=np.sqrt(0.5))
    assert power_of_t(paired, 20, alpha=0.05) == pytest.approx(0.564504, abs=1e-6)


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


def test_simulation_agrees_with_the_closed_form() -> None:
    assert simulated(Assumed(0.2), 100) == pytest.approx(0.72, abs=0.03)
    cancelling = Assumed(0.3, same_raters=True, sd_rater=2.0, sd_item=1.0)
    assert simulated(cancelling, 50) == pytest.approx(power_of_t(cancelling, 50, alpha=0.05), abs=0.03)


def test_rounding_costs_power() -> None:
    # statistics.md: .6585 with rounding to 1-5.
    assert simulated(Assumed(0.2, steps=5), 100) == pytest.approx(0.6585, abs=0.03)


@pytest.mark.parametrize("same", [True, False])
def test_without_a_difference_it_is_found_as_often_as_alpha_says(same: bool) -> None:
    assumed = Assumed(0.0, sd_rater=0.5, same_raters=same, steps=7, middle=4)
    assert 0.015 < simulated(assumed, 60) < 0.065


def test_holm_of_one_pair_is_nothing_and_of_several_costs() -> None:
    one = power_of_means(Assumed(0.2), [80], alpha=0.05, rng=np.random.default_rng(1))[0]
    assert one.adjusted == one.single
    several = power_of_means(Assumed(0.2, systems=4), [80], alpha=0.05, rng=np.random.default_rng(1))[0]
    assert several.adjusted.value < several.single.value


def holm(p: list[float]) -> list[float]:
    """Holm's adjusted p, written down as Holm (1979) says it."""
    order = sorted(range(len(p)), key=p.__getitem__)
    adjusted = [max(min(1, (len(p) - place) * p[order[place]]) for place in range(k + 1)) for k in range(len(p))]
    return [adjusted[order.index(one)] for one in range(len(p))]


def test_holm_of_the_first_pair() -> None:
    p = np.random.default_rng(1).random((50, 1, 6)) ** 3
    expected = [holm(row[0].tolist())[0] for row in p]
    assert holm_of_first(p)[:, 0] == pytest.approx(expected)


def test_more_items_are_a_continuation_of_fewer() -> None:
    both = power_of_means(Assumed(0.2), [40, 80], alpha=0.05, rng=np.random.default_rng(3))
    assert both[0].single.value < both[1].single.value
    assert [one.n_items for one in both] == [40, 80]


@pytest.mark.parametrize(("raters", "systems", "k"), [(30, 2, 3), (31, 2, 3), (30, 3, 3), (4, 2, 3), (12, 4, 1)])
def test_raters_are_shared_evenly_and_differ_within_a_text(raters: int, systems: int, k: int) -> None:
    who = who_has_each_text(Assumed(0.1, systems=systems, raters_per_text=k, raters=raters), 240)
    counts = np.array([np.bincount(who[:, system].ravel(), minlength=raters) for system in range(systems)])
    assert counts.max() - counts.min() <= max(2, k)
    assert all(len(set(row)) == k for row in who.reshape(-1, k).tolist())


def test_what_is_too_large_runs_less_often_or_not_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    assert runs_within(Assumed(0.2), 100, 2000) == 2000
    assert runs_within(Assumed(0.2), 10_000, 2000) == 2**25 // 80_000
    with pytest.raises(ValueError, match="too large"):
        runs_within(Assumed(0.2), 100_000, 2000)
    # 2,000 studies of 1,000 items would be 16 times as much.
    monkeypatch.setattr("analytics_app.stats.planning.power.MOST_DRAWS", 2**20)
    rng = counting_generator(1)
    power_of_means(Assumed(0.2), [1000], alpha=0.05, n_runs=2000, rng=rng)
    assert 2**19 < rng.drawn < 1.25 * 2**20


def test_monte_carlo_error_keeps_a_width_where_all_runs_agree() -> None:
    assert share_of_runs(2000, 2000).low == pytest.approx(1998 / 2004, abs=1e-3)
    assert share_of_runs(0, 2000).high > 0
    assert share_of_runs(1000, 2000).se == pytest.approx(0.01118, abs=1e-5)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Assumed(0.2, systems=1),
        lambda: Assumed(0.2, sd_residual=-1),
        lambda: Assumed(0.2, raters=2),
        lambda: Assumed(float("nan")),
        lambda: Assumed(0.2, sd_system_item=0, sd_residual=0),
        lambda: power_of_means(Assumed(0.2), [1], alpha=0.05, rng=np.random.default_rng(1)),
        lambda: power_of_means(Assumed(0.2), [10], alpha=0, rng=np.random.default_rng(1)),
        lambda: power_of_means(Assumed(0.2), [10], alpha=0.05, n_runs=10, rng=np.random.default_rng(1)),
        lambda: power_of_t(Assumed(0.2), 1, alpha=0.05),
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
