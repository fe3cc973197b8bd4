"""Kendall's W: R, Friedman's test of scipy, and what is undefined."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import friedmanchisquare

from analytics_app.stats.agreement.kendall import ALL_TIED, NO_TEXTS, kendall_w
from tests.stats.agreeing import NAN, many
from tests.work import assert_work_grows_with_data

# irr's `anxiety`: 20 subjects, 3 raters.
ANXIETY = [
    [3, 3, 2], [3, 6, 1], [3, 4, 4], [4, 6, 4], [5, 2, 3], [5, 4, 2], [2, 2, 1], [3, 4, 6], [5, 3, 1], [2, 3, 1],
    [2, 2, 1], [6, 3, 2], [1, 3, 3], [5, 3, 3], [2, 2, 1], [2, 2, 1], [1, 1, 3], [2, 3, 3], [4, 3, 2], [3, 4, 2],
]  # fmt: skip


def test_anxiety() -> None:
    # R irr 0.84.1 kendall(correct=TRUE); without the correction for ties it would be .5019.
    found = kendall_w(ANXIETY)
    assert found.value == pytest.approx(0.539656876, abs=1e-8)
    assert found.df == 19
    assert found.p == pytest.approx(0.04288347313, abs=1e-8)


def test_it_is_friedmans_test() -> None:
    ranks = np.array([np.random.default_rng(seed).permutation(7) for seed in range(5)]).T
    found = kendall_w(ranks)
    chi2, p = friedmanchisquare(*ranks)
    assert found.value * 5 * 6 == pytest.approx(chi2)
    assert found.p == pytest.approx(p)


def test_full_agreement_and_none() -> None:
    assert kendall_w([[1, 10], [2, 20], [3, 30]]).value == 1
    assert kendall_w([[1, 3], [2, 2], [3, 1]]).value == 0


def test_undefined_values_are_sentences() -> None:
    assert kendall_w([[3, 3], [3, 3]]).note == ALL_TIED
    assert kendall_w([[1], [2]]).note == kendall_w([[1, 2]]).note == NO_TEXTS
    assert kendall_w(np.zeros((0, 0))).note == NO_TEXTS
    # One rater who ties everything leaves the other alone, not undefined.
    assert kendall_w([[1, 5], [2, 5], [3, 5]]).value == pytest.approx(1 / 2 * 1.0, abs=0.5)


def test_missing_ratings_are_refused() -> None:
    with pytest.raises(ValueError, match="finite rating of every text"):
        kendall_w([[1, NAN], [2, 3]])
    with pytest.raises(ValueError, match="dimensions"):
        kendall_w([1, 2])


def test_work_grows_with_the_ratings_alone() -> None:
    def prepare(n: int) -> Callable[[], object]:
        table = many(n // 10)
        return lambda: kendall_w(table)

    assert prepare(10_000)().value > 0.5
    assert_work_grows_with_data(prepare, 10_000)
