"""Equivalence: against statsmodels, where differences are alike, and what is refused."""

import numpy as np
import pytest
from statsmodels.stats.weightstats import ttost_paired

from analytics_app.stats.comparison.equivalence import ALIKE, equivalence, mean_of_differences
from analytics_app.stats.values import Estimate
from tests.stats.agreeing import NAN

RNG = np.random.default_rng(3)
FIRST = RNG.normal(4.0, 1.0, 30)
SECOND = FIRST - RNG.normal(0.1, 0.4, 30)


@pytest.mark.parametrize("margin", [0.05, 0.2, 0.5])
def test_two_one_sided_tests_are_those_of_statsmodels(margin: float) -> None:
    difference = mean_of_differences(FIRST - SECOND, np.arange(30))
    found = equivalence(difference, margin, alpha=0.05)
    p, _lower, _upper = ttost_paired(FIRST, SECOND, -margin, margin)
    assert found.p == pytest.approx(p)
    # Both say the same: p is below .05 exactly if the interval of 90 % lies within the margin.
    assert found.least_margin is not None
    assert (found.p < 0.05) == (found.least_margin < margin)
    low, high = found.difference.low, found.difference.high
    assert low is not None
    assert high is not None
    assert found.least_margin == pytest.approx(max(abs(low), abs(high)))


def test_the_interval_and_the_test_of_no_difference_are_those_of_the_paired_t_test() -> None:
    from scipy.stats import ttest_rel

    found = equivalence(mean_of_differences(FIRST - SECOND, np.arange(30)), None, alpha=0.05)
    expected = ttest_rel(FIRST, SECOND)
    assert found.p is None
    assert found.difference.p == pytest.approx(expected.pvalue)
    interval = expected.confidence_interval(0.9)
    assert (found.difference.low, found.difference.high) == pytest.approx((interval.low, interval.high))


def test_documents_of_equal_size_are_their_means() -> None:
    differences = RNG.normal(0.2, 1.0, 24)
    documents = np.repeat(np.arange(8), 3)
    whole = mean_of_differences(differences, documents)
    means = mean_of_differences(differences.reshape(8, 3).mean(axis=1), np.arange(8))
    assert (whole.value, whole.se, whole.df, whole.p) == pytest.approx((means.value, means.se, means.df, means.p))
    assert (whole.n_items, means.n_items) == (24, 8)


@pytest.mark.parametrize(
    ("differences", "margin", "p", "p_of_zero"),
    [([0.0] * 6, 0.1, 0.5**6, 1.0), ([0.3] * 6, 0.5, 0.5**6, 2 * 0.5**6), ([0.3] * 6, 0.1, 1.0, 2 * 0.5**6)],
)
def test_differences_that_are_alike_have_exact_sign_tests(
    differences: list[float], margin: float, p: float, p_of_zero: float
) -> None:
    found = equivalence(mean_of_differences(differences, range(6)), margin, alpha=0.05)
    assert found.p == pytest.approx(p)
    assert found.difference.p == pytest.approx(p_of_zero)
    assert found.difference.low is None
    assert found.difference.note == ALIKE
    assert found.least_margin == pytest.approx(differences[0])


def test_what_cannot_be_tested_says_why() -> None:
    for differences in ([0.4], [NAN, NAN], [1.0, NAN]):
        found = equivalence(mean_of_differences(differences, range(len(differences))), 0.5, alpha=0.05)
        assert (found.p, found.least_margin) == (None, None)
        assert found.difference.note is not None
    estimate = Estimate(0.1, se=0.1, df=9)
    with pytest.raises(ValueError, match="above 0"):
        equivalence(estimate, 0.0, alpha=0.05)
    with pytest.raises(ValueError, match=r"between 0 and 0\.5"):
        equivalence(estimate, 1.0, alpha=0.5)
