"""Intervals of coefficients of agreement: the definition written with other functions, and the ends of the scale."""

import numpy as np
import pytest
import scipy.stats

from analytics_app.stats.agreement.krippendorff import krippendorff_alpha
from analytics_app.stats.resampling.bootstrap import ALL_ALIKE, Adjusted, agreement_interval, interval

RNG = np.random.default_rng


def half_width(low: float, high: float, n: int, confidence: float) -> float:
    tail = (1 + confidence) / 2
    widening = np.sqrt(n / (n - 1)) * scipy.stats.t.ppf(tail, n - 1) / scipy.stats.norm.ppf(tail)
    return float((np.arctanh(high) - np.arctanh(low)) / 2 * widening)


@pytest.mark.parametrize("confidence", [0.9, 0.95])
def test_two_ratings_a_text_are_fishers_z(confidence: float) -> None:
    samples = RNG(1).normal(0.4, 0.1, size=2000)
    plain = interval(samples, confidence)
    found = agreement_interval(samples, Adjusted(confidence), 15, value=0.45, k=2)
    half = half_width(plain.low, plain.high, 15, confidence)
    middle = np.arctanh(0.45)
    assert (found.low, found.high) == pytest.approx((np.tanh(middle - half), np.tanh(middle + half)))
    assert (found.se, found.note) == (plain.se, None)
    # Without adjustment they are the percentiles.
    assert agreement_interval(samples, confidence, 15, value=0.45, k=2) == plain


@pytest.mark.parametrize("k", [2, 3.5, 10])
def test_more_ratings_are_the_scale_that_begins_at_their_least_value(k: float) -> None:
    samples = RNG(2).normal(0.2, 0.05, size=2000)
    plain = interval(samples, 0.95)
    found = agreement_interval(samples, Adjusted(0.95), 20, value=0.21, k=k)

    def fisher(c: float) -> float:
        return float(np.log((1 + (k - 1) * c) / (1 - c)))

    half = (fisher(plain.high) - fisher(plain.low)) / 2
    half *= np.sqrt(20 / 19) * scipy.stats.t.ppf(0.975, 19) / scipy.stats.norm.ppf(0.975)
    assert [fisher(found.low), fisher(found.high)] == pytest.approx([fisher(0.21) - half, fisher(0.21) + half])


def test_where_a_percentile_is_at_an_end_the_other_one_counts() -> None:
    # One text of twelve on which raters differ: in a third of the resamples it is missing, and all agree.
    samples = np.r_[np.full(400, 1.0), RNG(3).uniform(0.5, 0.9, size=600)]
    low, high, _se, _note = agreement_interval(samples, Adjusted(0.95), 12, value=0.85, k=2)
    plain = interval(samples, 0.95)
    assert plain.high == 1
    assert low < plain.low
    assert 0.85 < high < 1
    # Nothing but ends: anything is possible.
    both = np.r_[np.full(500, 1.0), np.full(500, -1.0)]
    assert agreement_interval(both, Adjusted(0.95), 12, value=0.1, k=2)[:2] == (-1, 1)


def test_raters_who_all_agree_have_no_interval() -> None:
    found = krippendorff_alpha(
        np.repeat(np.arange(12.0), 2), np.repeat(np.arange(12), 2), level="interval",
        confidence=Adjusted(0.95), rng=RNG(4),
    )  # fmt: skip
    assert (found.value, found.low, found.high, found.note) == (1, None, None, ALL_ALIKE)


def test_texts_with_unequal_numbers_of_ratings_may_disagree_beyond_the_scale_of_their_mean() -> None:
    # Ten texts of two raters who contradict each other, and two of twenty who agree.
    values = [*(0.0, 1.0) * 10, *[0.0] * 20, *[1.0] * 20]
    texts = [*np.repeat(np.arange(10), 2), *[10] * 20, *[11] * 20]
    found = krippendorff_alpha(values, texts, level="nominal", confidence=Adjusted(0.95), rng=RNG(5))
    assert -1 <= found.low < found.value < found.high <= 1
    samples = RNG(6).normal(-0.3, 0.02, size=1000)
    low, high, *_rest = agreement_interval(samples, Adjusted(0.95), 12, value=-0.3, k=8)
    half = half_width(*interval(samples, 0.95)[:2], 12, 0.95)
    assert (low, high) == pytest.approx((np.tanh(np.arctanh(-0.3) - half), np.tanh(np.arctanh(-0.3) + half)))
