"""Effects within texts and raters: statsmodels with every constant written down, and what cannot be seen."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf

from analytics_app.stats.comparison import within
from analytics_app.stats.comparison.within import effects_within, position_effects
from tests.stats.agreeing import NAN
from tests.work import assert_work_grows_with_data


def made(n: int = 600, seed: int = 3) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    data = pd.DataFrame({"text": rng.integers(80, size=n), "rater": rng.integers(15, size=n)})
    data["place"], data["late"] = rng.integers(3, size=n), rng.normal(size=n)
    noise = rng.normal(size=80)[data.text] + rng.normal(size=15)[data.rater] + rng.normal(size=n) / 2
    return data.assign(y=noise + 0.3 * (data.place == 0) + 0.1 * data.late)


def test_a_slope_is_that_of_least_squares_with_dummies() -> None:
    data = made()
    found = effects_within(data.y, data[["late"]], [data.text, data.rater], data.rater)
    one = found.estimate([1.0], confidence=0.95)
    fit = smf.ols("y ~ late + C(text) + C(rater)", data).fit(
        cov_type="cluster", cov_kwds={"groups": data.rater}, use_t=True
    )
    limits = fit.conf_int().loc["late"].tolist()
    expected = (fit.params["late"], fit.bse["late"], *limits, fit.pvalues["late"])
    assert (one.value, one.se, one.low, one.high, one.p) == pytest.approx(expected, abs=1e-7)
    assert (one.df, one.n_ratings, one.n_raters, one.note) == (14, 600, 15, None)


def test_places_are_deviations_from_their_mean() -> None:
    data = made()
    groupings = [data.text, data.rater]
    effects, test = position_effects(data.y, data.place, groupings, data.rater, n_positions=3, confidence=0.95)
    fit = smf.ols("y ~ C(place, Sum) + C(text) + C(rater)", data).fit(
        cov_type="cluster", cov_kwds={"groups": data.rater}, use_t=True
    )
    first, second = (f"C(place, Sum)[S.{number}]" for number in (0, 1))
    assert [one.value for one in effects[:2]] == pytest.approx([fit.params[first], fit.params[second]], abs=1e-7)
    assert [one.se for one in effects[:2]] == pytest.approx([fit.bse[first], fit.bse[second]], abs=1e-7)
    assert sum(one.value for one in effects) == pytest.approx(0, abs=1e-9)
    wald = fit.f_test(f"{first} = 0, {second} = 0")
    assert (test.value, test.p) == pytest.approx((float(wald.fvalue), float(wald.pvalue)), abs=1e-6)
    assert [one.n_ratings for one in effects] == np.bincount(data.place).tolist()


def test_missing_values_are_left_out() -> None:
    data = made()
    half = data.assign(y=data.y.where(data.index % 2 == 0))
    kept = data[data.index % 2 == 0]
    found = effects_within(half.y, half[["late"]], [half.text], half.rater)
    alone = effects_within(kept.y.to_numpy(), kept[["late"]].to_numpy(), [kept.text.to_numpy()], kept.rater.to_numpy())
    assert found.coefficients == pytest.approx(alone.coefficients)


def test_what_cannot_be_seen_is_none() -> None:
    data = made()
    # Every text is rated once: its constant takes everything.
    assert effects_within(data.y, data[["late"]], [np.arange(600)], data.rater) is None
    assert effects_within(data.y, np.zeros((600, 1)), [data.text], data.rater) is None
    assert effects_within(data.y, np.column_stack((data.late, data.late)), [data.text], data.rater) is None
    assert effects_within([NAN] * 20, np.arange(20.0)[:, np.newaxis], [], np.zeros(20, int)) is None
    # So few ratings for so many constants would make errors look small.
    few = made(40)
    assert effects_within(few.y, few[["late"]], [few.text, few.rater], few.rater) is None


def test_few_raters_are_said_to_be_few() -> None:
    data = made()
    of_one = effects_within(data.y, data[["late"]], [data.text], np.zeros(600, int))
    assert of_one.estimate([1.0], confidence=0.95).note == within.ONE_RATER
    assert of_one.all_zero().note == within.NO_TEST
    of_two = effects_within(data.y, data[["late"]], [data.text], data.rater % 2)
    assert of_two.estimate([1.0], confidence=0.95).note == within.ROUGH


def test_constant_values_have_no_effect() -> None:
    data = made()
    found = effects_within(np.ones(600), data[["late"]], [data.text], data.rater).estimate([1.0], confidence=0.95)
    assert (found.value, found.low) == (0, None)


def test_wrong_input_is_refused() -> None:
    with pytest.raises(ValueError, match="regressors of shape"):
        effects_within([1.0, 2.0], [[1.0]], [], [0, 0])
    with pytest.raises(ValueError, match="below 2"):
        position_effects([1.0, 2.0], [0, 2], [], [0, 0], n_positions=2, confidence=0.95)


def test_work_grows_with_the_ratings_alone() -> None:
    def prepare(n: int) -> Callable[[], object]:
        rng = np.random.default_rng(1)
        texts, raters = np.repeat(np.arange(n // 10), 10), rng.integers(n // 1000, size=n)
        values, late = rng.normal(size=n), rng.normal(size=(n, 1))
        return lambda: effects_within(values, late, [texts, raters], raters)

    assert_work_grows_with_data(prepare, 10_000)
