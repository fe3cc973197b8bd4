"""Change: R's paired t test, scipy's Welch test, statsmodels' analysis of covariance, Morris's effect size."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
import scipy.stats

from analytics_app.stats.comparison.change import (
    Compared,
    adjusted_difference,
    difference_of_changes,
    mean_with_limits,
    paired_change,
)
from analytics_app.stats.comparison.corrections import adjust
from analytics_app.stats.comparison.noncentral import noncentral_limits
from tests.work import assert_work_grows_with_data

NAN = float("nan")
# reference_values.json, paired_t: R t.test(paired = TRUE).
PRE = [30, 25, 33, 28, 35, 22, 31, 27, 29, 34]
POST = [33, 27, 32, 31, 38, 25, 30, 30, 33, 36]


def groups(n_a: int = 40, n_b: int = 31, seed: int = 1) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(seed)
    before_a, before_b = rng.normal(30, 6, n_a), rng.normal(31, 7, n_b)
    return before_a, before_a * 0.7 + rng.normal(12, 4, n_a), before_b, before_b * 0.7 + rng.normal(9, 6, n_b)


def test_the_paired_t_test_of_r() -> None:
    found = paired_change(PRE, POST)
    assert found.t == pytest.approx(3.84117779335, abs=1e-9)
    assert found.estimate.p == pytest.approx(0.00395938573114, abs=1e-9)
    assert [found.estimate.low, found.estimate.high] == pytest.approx([0.863262130147, 3.33673786985], abs=1e-9)
    assert (found.estimate.value, found.estimate.df, found.estimate.n_raters) == (2.1, 9, 10)
    # d_z is t over the root of n.
    assert found.effect.value == pytest.approx(3.84117779335 / np.sqrt(10))


def test_who_lacks_one_time_is_left_out() -> None:
    assert paired_change([*PRE, NAN, 4], [*POST, 3, NAN]) == paired_change(PRE, POST)


def test_means_have_limits_by_t() -> None:
    wanted = scipy.stats.t.interval(0.9, 9, np.mean(PRE), scipy.stats.sem(PRE))
    found = mean_with_limits([*PRE, NAN], confidence=0.9)
    assert [found.low, found.high] == pytest.approx(wanted)
    assert found.n_raters == 10


def test_welch_of_scipy() -> None:
    before_a, after_a, before_b, after_b = groups()
    other = scipy.stats.ttest_ind(after_a - before_a, after_b - before_b, equal_var=False)
    found = difference_of_changes(before_a, after_a, before_b, after_b)
    assert found.t == pytest.approx(other.statistic)
    assert found.estimate.p == pytest.approx(other.pvalue)
    assert found.estimate.df == pytest.approx(other.df)
    assert [found.estimate.low, found.estimate.high] == pytest.approx(list(other.confidence_interval()))


def test_the_effect_size_of_morris() -> None:
    # Morris (2008), equations 8 to 10, written out.
    before_a, after_a, before_b, after_b = groups()
    n_a, n_b = len(before_a), len(before_b)
    correction = 1 - 3 / (4 * (n_a + n_b - 2) - 1)
    pooled = np.sqrt(((n_a - 1) * before_a.var(ddof=1) + (n_b - 1) * before_b.var(ddof=1)) / (n_a + n_b - 2))
    wanted = correction * ((after_a.mean() - before_a.mean()) - (after_b.mean() - before_b.mean())) / pooled
    assert difference_of_changes(before_a, after_a, before_b, after_b).effect.value == pytest.approx(wanted)


@pytest.mark.parametrize("of_change", [False, True])
def test_the_analysis_of_covariance_of_statsmodels(*, of_change: bool) -> None:
    import statsmodels.formula.api as smf

    before_a, after_a, before_b, after_b = groups()
    frame = pd.DataFrame(
        {
            "before": np.r_[before_a, before_b],
            "after": np.r_[after_a, after_b],
            "group": np.r_[np.ones(len(before_a)), np.zeros(len(before_b))],
        }
    )
    # The change in place of the end gives the same coefficient.
    frame["y"] = frame["after"] - (frame["before"] if of_change else 0)
    other = smf.ols("y ~ group + before", frame).fit()
    found = adjusted_difference(before_a, after_a, before_b, after_b)
    assert found.estimate.value == pytest.approx(other.params["group"])
    assert found.estimate.se == pytest.approx(other.bse["group"])
    assert found.t == pytest.approx(other.tvalues["group"])
    assert found.estimate.p == pytest.approx(other.pvalues["group"])
    assert found.estimate.df == other.df_resid
    assert [found.estimate.low, found.estimate.high] == pytest.approx(other.conf_int().loc["group"].tolist())
    assert found.effect.value == pytest.approx(other.params["group"] / np.sqrt(other.scale))


def test_limits_of_a_noncentral_t_as_by_boost() -> None:
    # conf.limits.nct of R's MBESS (its documentation): t 2.83 with 126 degrees of freedom, .8337502 to 4.815359.
    assert noncentral_limits(2.83, 126) == pytest.approx((0.8337502, 4.815359), abs=1e-6)
    for t, df, confidence in ((-3.2, 7.3, 0.9), (0.0, 9.0, 0.95), (12.5, 30.0, 0.99)):
        low, high = noncentral_limits(t, df, confidence=confidence)
        tail = (1 - confidence) / 2
        assert scipy.stats.nct.sf(t, df, low) == pytest.approx(tail, abs=1e-5)
        assert scipy.stats.nct.cdf(t, df, high) == pytest.approx(tail, abs=1e-5)
    with pytest.raises(ValueError, match="degrees of freedom"):
        noncentral_limits(1.0, 0)
    with pytest.raises(ValueError, match="confidence"):
        noncentral_limits(1.0, 5, confidence=1)


def test_effect_sizes_have_the_limits_of_their_t() -> None:
    found = paired_change(PRE, POST)
    assert found.t is not None
    expected = np.array(noncentral_limits(found.t, 9)) / np.sqrt(10)
    assert [found.effect.low, found.effect.high] == pytest.approx(expected.tolist())
    adjusted = adjusted_difference(*groups())
    assert adjusted.t is not None
    assert adjusted.effect.value is not None
    low, high = noncentral_limits(adjusted.t, adjusted.estimate.df or 0)
    per_t = adjusted.effect.value / adjusted.t
    assert [adjusted.effect.low, adjusted.effect.high] == pytest.approx([low * per_t, high * per_t])


def test_limits_of_morris_s_effect_size_hold_as_often_as_they_say() -> None:
    """In 500 made-up studies with an effect of 0.8, limits of 95 % miss it about 25 times (SD 5)."""
    rng, n, effect = np.random.default_rng(20), 24, 0.8
    missed, effects, widths = 0, [], []
    for _study in range(500):
        before = rng.standard_normal(2 * n)
        after = 0.6 * before + 0.8 * rng.standard_normal(2 * n)
        after[:n] += effect
        found = difference_of_changes(before[:n], after[:n], before[n:], after[n:]).effect
        assert found.value is not None
        assert found.low is not None
        assert found.high is not None
        missed += not found.low <= effect <= found.high
        effects.append(found.value)
        widths.append((found.high - found.low) / 2 / scipy.stats.norm.ppf(0.975))
    assert 10 <= missed <= 40
    assert np.std(effects) == pytest.approx(np.sqrt(np.mean(np.square(widths))), rel=0.1)


def test_sidak_of_a_family() -> None:
    # reference_values.json, p_adjust_sidak.
    wanted = [0.00598501998501, 0.058519850599, 0.114157619136, 0.167027995071, 0.217242210304, 0.737856]
    assert adjust([0.001, 0.01, 0.02, 0.03, 0.04, 0.2], "sidak") == pytest.approx(wanted, abs=1e-9)


def undefined(found: Compared, sentence: str, *, value: float | None = None) -> None:
    assert found.estimate.value == value
    assert found.t is None
    assert found.estimate.p is None
    assert found.effect.value is None
    assert sentence in (found.estimate.note or "")


def test_nobody_one_person_and_all_alike() -> None:
    undefined(paired_change([], []), "Nobody answered both times")
    undefined(paired_change([3, NAN], [NAN, 4]), "Nobody answered both times")
    undefined(paired_change([3], [5]), "One person's change", value=2)
    undefined(paired_change([0.1, 0.2, 0.3], [0.4, 0.5, 0.6]), "by the same amount", value=pytest.approx(0.3))
    assert mean_with_limits([NAN]).value is None
    assert mean_with_limits([4]).note == "One score has no interval."
    assert mean_with_limits([4, 4, 4]).low is None
    assert mean_with_limits([4, 5]).note == "2 scores: too few for an interval."


def test_too_few_in_a_group() -> None:
    few = "at least two people"
    undefined(difference_of_changes([], [], [1, 2], [2, 4]), few)
    undefined(difference_of_changes([1], [4], [1, 2], [2, 4]), few, value=1.5)
    undefined(adjusted_difference([1], [4], [1, 2], [2, 4]), few)
    same = difference_of_changes([1, 2], [3, 4], [1, 5], [2, 6])
    assert same.estimate.value == 1
    assert "by the same amount" in (same.estimate.note or "")
    assert same.effect.value is not None


def test_nothing_to_adjust_for() -> None:
    undefined(adjusted_difference([3, 3], [4, 5], [3, 3], [6, 7]), "began with the same score")
    undefined(adjusted_difference([3, 3], [4, 5], [4, 4], [6, 7]), "one score each")
    exact = adjusted_difference([1, 2, 3], [3, 4, 5], [1, 2, 4], [1, 2, 4])
    undefined(exact, "exactly", value=pytest.approx(2))


def test_two_values_only_and_ties() -> None:
    rng = np.random.default_rng(4)
    before_a, after_a, before_b, after_b = (rng.choice([10.0, 50.0], 30) for _column in range(4))
    for found in (
        difference_of_changes(before_a, after_a, before_b, after_b),
        adjusted_difference(before_a, after_a, before_b, after_b),
    ):
        assert found.estimate.p is not None
        assert 0 <= found.estimate.p <= 1


def test_wrong_input_is_refused() -> None:
    with pytest.raises(ValueError, match="before and after"):
        paired_change([1, 2], [1])
    with pytest.raises(ValueError, match="confidence"):
        paired_change(PRE, POST, confidence=0)
    with pytest.raises(ValueError, match="finite"):
        mean_with_limits([np.inf, 2])


def test_work_grows_with_the_people_alone() -> None:
    def prepare(n: int) -> Callable[[], object]:
        columns = groups(n // 2, n // 2)

        def compare() -> None:
            assert difference_of_changes(*columns).t is not None
            assert adjusted_difference(*columns).t is not None
            assert paired_change(columns[0], columns[1]).t is not None

        return compare

    assert_work_grows_with_data(prepare, 10_000)
