"""Percent agreement, Fleiss' kappa and Gwet's AC: published examples, naive versions, and what is undefined."""

from collections import Counter
from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest
from statsmodels.stats.inter_rater import fleiss_kappa as published

from analytics_app.stats.agreement.counted import counted
from analytics_app.stats.agreement.fleiss import fleiss_kappa
from analytics_app.stats.agreement.gwet import gwet_ac
from analytics_app.stats.agreement.percent import percent_agreement
from tests.stats.agreeing import DIAGNOSES, FOUR_RATERS, NAN, long, many
from tests.work import assert_work_grows_with_data

EVERY = [percent_agreement, fleiss_kappa, gwet_ac]


def test_fleiss_1971() -> None:
    # Fleiss (1971): kappa .430, percent agreement .5556; AC1 .44788 by R irrCAC 1.0.
    values, texts, raters = long(DIAGNOSES)
    percent = percent_agreement(values, texts, raters=raters)
    assert percent.value == pytest.approx(0.5555555556, abs=1e-9)
    assert (percent.n_ratings, percent.n_items, percent.n_raters) == (180, 30, 6)
    assert fleiss_kappa(values, texts).value == pytest.approx(0.4302445201, abs=1e-9)
    assert gwet_ac(values, texts).value == pytest.approx(0.44788, abs=6e-6)


def test_fleiss_of_fourteen_raters() -> None:
    # Wikipedia's worked example, .210; R irr .2099307044.
    counts = [
        [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
        [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
    ]  # fmt: skip
    values = [step for row in counts for step, times in enumerate(row) for _time in range(times)]
    assert fleiss_kappa(values, np.repeat(np.arange(10), 14)).value == pytest.approx(0.2099307044, abs=1e-9)


@pytest.mark.parametrize(
    ("weights", "value", "se"),
    [
        # R irrCAC 1.0 gwet.ac1.raw, five digits.
        ("identity", 0.77544, 0.14295),
        ("linear", 0.85874, 0.11733),
        ("quadratic", 0.91400, 0.10396),
        ("ordinal", 0.89894, 0.10690),
    ],
)
def test_gwet_with_missing_ratings(weights: str, value: float, se: float) -> None:
    values, texts, raters = long(np.array(FOUR_RATERS).T)
    found = gwet_ac(values, texts, domain=[1, 2, 3, 4, 5], weights=weights, raters=raters)
    assert (found.value, found.se) == pytest.approx((value, se), abs=6e-6)
    assert (found.n_items, found.n_ratings, found.df) == (12, 41, 11)
    assert found.low < found.value < found.high <= 1


def test_categories_that_nobody_used_count_in_gwets_ac() -> None:
    values, texts, _raters = long(DIAGNOSES)
    assert gwet_ac(values, texts, domain=range(1, 11)).value > gwet_ac(values, texts).value


def naive_percent(values: np.ndarray, texts: np.ndarray) -> float:
    shares = []
    for text in set(texts.tolist()):
        mine = [value for value in values[texts == text].tolist() if not np.isnan(value)]
        if len(mine) > 1:
            shares.append(np.mean([a == b for a, b in combinations(mine, 2)]))
    return float(np.mean(shares))


def test_percent_agreement_as_the_definition_has_it() -> None:
    table = many(50, 5)
    table[np.random.default_rng(2).random(table.shape) < 0.4] = NAN
    values, texts, _raters = long(table)
    assert percent_agreement(values, texts).value == pytest.approx(naive_percent(values, texts), abs=1e-12)


def test_intervals_are_those_of_texts_drawn_again() -> None:
    values, texts, _raters = long(DIAGNOSES)
    table = np.array(DIAGNOSES)
    rng = np.random.default_rng(5)
    drawn = [table[rng.integers(30, size=30)] for _resample in range(2000)]
    shares = [np.mean([len([1 for a, b in combinations(row, 2) if a == b]) / 15 for row in one]) for one in drawn]
    kappas = [published(np.array([[Counter(row)[k] for k in range(1, 6)] for row in one.tolist()])) for one in drawn]
    for measure, samples in ((percent_agreement, shares), (fleiss_kappa, kappas)):
        found = measure(values, texts, n_resamples=2000, rng=np.random.default_rng(6))
        assert (found.low, found.high) == pytest.approx(np.quantile(samples, [0.025, 0.975]).tolist(), abs=0.015)
        assert found.se == pytest.approx(np.std(samples, ddof=1), rel=0.06)


def test_fleiss_refuses_unequal_numbers_of_ratings_and_points_to_alpha() -> None:
    found = fleiss_kappa([1, 1, 2, 2, 2], [0, 0, 1, 1, 1])
    assert found.value is None
    assert found.note == (
        "Texts have 2 to 3 ratings; Fleiss' kappa takes the same number for each. Take Krippendorff's alpha."
    )


@pytest.mark.parametrize("measure", EVERY)
def test_nothing_to_compare(measure: object) -> None:
    assert measure([], np.zeros(0, dtype=int)).note.startswith("Nothing was rated")
    assert measure([NAN, NAN], [0, 0]).note.startswith("Nothing was rated")
    assert measure([1, 2], [0, 1]).note.startswith("No two raters rated the same text")


def test_all_equal() -> None:
    same, texts = [3.0] * 24, np.repeat(np.arange(12), 2)
    assert percent_agreement(same, texts, rng=np.random.default_rng(1)).value == 1
    assert fleiss_kappa(same, texts).note == "All ratings are the same, so Fleiss' kappa is undefined."
    assert gwet_ac(same, texts).value is None
    found = gwet_ac(same, texts, domain=[1, 2, 3])
    assert (found.value, found.low) == (1, None)
    assert found.note.startswith("All ratings are the same: nothing shows")


def test_one_text_and_two_values() -> None:
    assert percent_agreement([1, 2, 1], [0, 0, 0]).value == pytest.approx(1 / 3)
    assert gwet_ac([1, 2, 1], [0, 0, 0]).note == "One text gives no interval."
    found = percent_agreement([0, 0, 0, 1], [0, 0, 1, 1], rng=np.random.default_rng(1))
    assert found.value == 0.5
    assert found.note == "Too few texts with two ratings or more for an interval: 2, and it takes 10."


def test_blocks_of_missing_ratings_and_ties_everywhere() -> None:
    # Two raters a text, other ones each time.
    values, texts = [1, 1, 1, 2, 1, 1], [0, 0, 1, 1, 2, 2]
    assert percent_agreement(values, texts).value == pytest.approx(2 / 3)
    assert fleiss_kappa(values, texts).value == pytest.approx(published([[2, 0], [1, 1], [2, 0]]))


def test_wrong_input_is_refused() -> None:
    with pytest.raises(ValueError, match="weights are one of"):
        gwet_ac([1, 2], [0, 0], weights="cubic")
    with pytest.raises(ValueError, match="outside the domain"):
        gwet_ac([1, 7], [0, 0], domain=[1, 2])
    with pytest.raises(ValueError, match="codes of shape"):
        percent_agreement([1, 2], [0])


def test_scales_without_categories_are_said_to_be_too_wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("analytics_app.stats.agreement.counted._CELLS", 100)
    values, texts, _raters = long(np.arange(200.0).reshape(100, 2))
    assert counted(values, texts) is None
    assert "too many for categories" in percent_agreement(values, texts).note


@pytest.mark.parametrize("measure", EVERY)
def test_work_grows_with_the_ratings_alone(measure: Callable) -> None:
    def prepare(n: int) -> Callable[[], object]:
        values, texts, raters = long(many(n // 10))
        more = {} if measure is gwet_ac else {"rng": np.random.default_rng(1)}
        return lambda: measure(values, texts, raters=raters, **more)

    found = prepare(10_000)()
    assert found.low < found.value < found.high
    # Samples are counted 32,768 draws at a time, a few steps each.
    assert_work_grows_with_data(prepare, 10_000, steps=6)
