"""Chosen places, repeated answers, and each rater against the rest: scipy, naive versions, and what is undefined."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import binomtest, chisquare, ttest_1samp

from analytics_app.stats.agreement import intra_rater, with_rest
from analytics_app.stats.agreement.intra_rater import repeated_answers
from analytics_app.stats.agreement.with_rest import (
    agreement_with_rest,
    correlations_with_rest,
    differences_from_rest,
)
from analytics_app.stats.ranking.places import NOTHING, choices_by_place
from analytics_app.stats.resampling.alike import DEPENDENT
from tests.stats.agreeing import NAN, long, many
from tests.work import assert_work_grows_with_data

RNG = {"n_resamples": 99, "confidence": 0.95}


def rng() -> np.random.Generator:
    return np.random.default_rng(1)


@pytest.mark.parametrize("left", [0, 7, 10, 13, 20])
def test_two_places_are_tested_exactly(left: int) -> None:
    shares, test = choices_by_place([0] * left + [1] * (20 - left), np.arange(20) % 4, n_places=2, **RNG, rng=rng())
    assert test.p == pytest.approx(binomtest(left, 20).pvalue)
    assert shares[0].value == left / 20
    # Four raters with five choices each: where all agree, no interval holds.
    assert shares[0].note == DEPENDENT if left in {0, 20} else shares[0].low <= shares[0].value <= shares[0].high


def test_more_places_are_tested_by_chi_square() -> None:
    chosen = np.repeat([0, 1, 2], [20, 30, 10])
    shares, test = choices_by_place(chosen, np.arange(60) % 6, n_places=3, **RNG, rng=rng())
    expected = chisquare([20, 30, 10])
    assert (test.value, test.p, test.df) == pytest.approx((expected.statistic, expected.pvalue, 2))
    assert [one.value for one in shares] == pytest.approx([1 / 3, 1 / 2, 1 / 6])


def test_few_choices_and_one_rater() -> None:
    shares, test = choices_by_place([0, 1, 2], [0, 0, 0], n_places=3, **RNG, rng=rng())
    assert shares[0].note == "One rater: no interval."
    assert test.note == "Fewer than 5 choices expected a place: p is rough."
    nothing, test = choices_by_place(np.zeros(0, int), np.zeros(0, int), n_places=2, **RNG, rng=rng())
    assert (nothing[1].note, test.note) == (NOTHING, NOTHING)
    with pytest.raises(ValueError, match="confidence"):
        choices_by_place([], [], n_places=2, n_resamples=99, confidence=2.0, rng=rng())
    with pytest.raises(ValueError, match="at least two places"):
        choices_by_place([0], [0], n_places=1, **RNG, rng=rng())


def test_repeated_answers() -> None:
    first, again = np.arange(12.0), np.arange(12.0) + ([0] * 9 + [2, 4, -6])
    raters = np.arange(12) // 4
    found = repeated_answers(first, again, raters, **RNG, rng=rng())
    assert (found.equal.value, found.difference.value) == (0.75, 1.0)
    assert (found.equal.n_items, found.equal.n_ratings, found.equal.n_raters) == (12, 24, 3)
    assert found.equal.low <= 0.75 <= found.equal.high
    assert repeated_answers(first, again, raters, categories=True, **RNG, rng=rng()).difference is None


def test_few_repeats_say_how_many_were_equal() -> None:
    found = repeated_answers([1, 2, 3, NAN], [1, 2, 5, 1], [0, 1, 2, 2], **RNG, rng=rng())
    assert (found.equal.note, found.equal.low) == ("2 of 3 equal.", None)
    nothing = repeated_answers([], [], np.zeros(0, int), **RNG, rng=rng())
    assert nothing.equal.note == nothing.difference.note == intra_rater.NONE
    with pytest.raises(ValueError, match="first answers"):
        repeated_answers([1, 2], [1], [0, 0], **RNG, rng=rng())


def test_each_rater_against_the_mean_of_the_rest() -> None:
    table = many(40, 4, seed=2)
    table[np.random.default_rng(3).random(table.shape) < 0.2] = NAN
    values, texts, raters = long(table)
    for one in correlations_with_rest(values, texts, raters):
        others = np.delete(table, one.rater, axis=1)
        means = np.array([np.nan if np.isnan(row).all() else np.nanmean(row) for row in others])
        both = ~np.isnan(table[:, one.rater]) & ~np.isnan(means)
        assert one.estimate.value == pytest.approx(np.corrcoef(table[both, one.rater], means[both])[0, 1])
        assert one.estimate.n_items == both.sum()


def test_each_rater_against_the_labels_of_the_rest() -> None:
    table = many(30, 4, seed=5)
    for one in agreement_with_rest(*long(table)):
        others = np.delete(table, one.rater, axis=1)
        assert one.estimate.value == pytest.approx((others == table[:, [one.rater]]).mean())


def test_raters_without_a_correlation() -> None:
    values, texts, raters = long([[3, 1], [3, 2], [3, 4]])
    one, other = correlations_with_rest(values, texts, raters)
    assert one.estimate.note == with_rest.ONE_VALUE
    assert other.estimate.note == with_rest.REST_SAME
    few = correlations_with_rest([1, 2, 1, 2], [0, 1, 0, 1], [0, 0, 1, 1])
    assert few[0].estimate.note == "Shares 2 texts with others, and it takes 3."
    assert correlations_with_rest([], np.zeros(0, int), np.zeros(0, int)) == []
    assert agreement_with_rest([1.0, 2.0], [0, 1], [0, 1]) == []
    with pytest.raises(ValueError, match="at least 3 texts"):
        correlations_with_rest([1, 2], [0, 0], [0, 1], min_shared=2)


@pytest.mark.parametrize("measure", [correlations_with_rest, agreement_with_rest])
def test_work_grows_with_the_ratings_alone(measure: Callable) -> None:
    def prepare(n: int) -> Callable[[], object]:
        columns = long(many(n // 10))
        return lambda: measure(*columns)

    assert len(prepare(10_000)()) == 10
    assert_work_grows_with_data(prepare, 10_000)


def test_how_far_each_rater_is_from_the_rest() -> None:
    """Against scipy's test of one sample, on differences written out text by text."""
    table = many(48, 4, seed=7).astype(float)
    table[np.random.default_rng(8).random(table.shape) < 0.3] = NAN
    values, texts, raters = long(table)
    items = texts // 3
    for one in differences_from_rest(values, texts, raters, items, confidence=0.9):
        by_item: dict[int, list[float]] = {}
        for text, row in enumerate(table):
            rest = np.delete(row, one.rater)
            if not np.isnan(row[one.rater]) and not np.isnan(rest).all():
                by_item.setdefault(text // 3, []).append(row[one.rater] - np.nanmean(rest))
        means = [np.mean(each) for each in by_item.values()]
        expected = ttest_1samp(means, 0)
        ends = expected.confidence_interval(0.9)
        assert one.estimate.value == pytest.approx(np.mean(means))
        assert (one.estimate.low, one.estimate.high) == pytest.approx((ends.low, ends.high))
        assert (one.estimate.p, one.estimate.df) == pytest.approx((expected.pvalue, len(means) - 1))
        assert one.estimate.n_ratings == sum(map(len, by_item.values()))


def test_differences_without_an_interval() -> None:
    values, texts, raters = long([[3, 1], [3, 1]])
    same = differences_from_rest(values, texts, raters, [0, 0, 1, 1])
    assert [(one.estimate.value, one.estimate.low, one.estimate.note) for one in same] == [
        (2.0, None, with_rest.NO_SPREAD), (-2.0, None, with_rest.NO_SPREAD),
    ]  # fmt: skip
    alone = differences_from_rest(values, texts, raters, [0, 0, 0, 0])
    assert [(one.estimate.n_items, one.estimate.p, one.estimate.note) for one in alone] == [
        (1, None, with_rest.ONE_ITEM), (1, None, with_rest.ONE_ITEM),
    ]  # fmt: skip
    assert differences_from_rest([1.0, 2.0], [0, 1], [0, 1], [0, 1]) == []
