"""Student's t over raters: scipy's tests, and designs in which raters gave unequal numbers of ratings."""

import numpy as np
import pytest
import scipy.stats

from analytics_app.stats.comparison.over_raters import differences_over_raters, means_over_raters

NAN = float("nan")


def ratings(n_raters: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ratings of two systems on five items by raters who differ in leniency; the last one gave none of the second."""
    draw = np.random.default_rng(4)
    rater, _item, system = (axis.ravel() for axis in np.meshgrid(range(n_raters), range(5), range(2), indexing="ij"))
    value = 3 + draw.normal(0, 1, n_raters)[rater] + draw.normal(0, 1, rater.size)
    return np.where((rater == n_raters - 1) & (system == 1), NAN, value), system, rater


def test_a_balanced_mean_has_the_t_interval_of_the_raters_own_means() -> None:
    value, system, rater = ratings(6)
    first, second = means_over_raters(value, system, rater, n_groups=2, confidence=0.9)
    own = [value[(rater == r) & (system == 0)].mean() for r in range(6)]
    expected = scipy.stats.t.interval(0.9, 5, np.mean(own), scipy.stats.sem(own))
    assert (first.low, first.high) == pytest.approx(expected)
    assert (first.value, first.se, first.df) == pytest.approx((np.mean(own), scipy.stats.sem(own), 5))
    assert (first.n_raters, second.n_raters, second.df, second.n_ratings) == (6, 5, 4, 25)


def test_unequal_numbers_of_ratings_have_the_variance_of_a_ratio() -> None:
    value, group, rater = np.array([1, 2, 3, 5, 5, 4, 2.0]), np.zeros(7, int), np.array([0, 0, 0, 1, 2, 3, 3])
    (mean,) = means_over_raters(value, group, rater, n_groups=1, confidence=0.95)
    # The sums of residuals by rater, as a sandwich clustered by rater has them (here with the factor n / (n - 1)).
    sums = np.bincount(rater, value - value.mean())
    assert mean.se == pytest.approx((4 / 3 * (sums**2).sum()) ** 0.5 / 7)
    assert mean.df == 3


def test_differences_are_tested_as_scipy_tests_pairs() -> None:
    matrix = np.random.default_rng(2).normal(3, 1, (7, 3))
    matrix[6, 2] = NAN
    for (a, b), estimate in zip(
        [(0, 1), (2, 0)], differences_over_raters(matrix, [(0, 1), (2, 0)], confidence=0.95), strict=True
    ):
        known = matrix[~np.isnan(matrix[:, [a, b]]).any(axis=1)]
        test = scipy.stats.ttest_rel(known[:, a], known[:, b])
        assert (estimate.p, estimate.df, estimate.n_raters) == pytest.approx((test.pvalue, test.df, len(known)))
        assert (estimate.low, estimate.high) == pytest.approx(tuple(test.confidence_interval(0.95)))


@pytest.mark.parametrize("n_raters", [1, 2, 3])
def test_fewer_than_four_raters_have_no_interval_and_say_why(n_raters: int) -> None:
    matrix = np.arange(2.0 * n_raters).reshape(n_raters, 2) ** 2
    (difference,) = differences_over_raters(matrix, [(0, 1)], confidence=0.95)
    (mean,) = means_over_raters(matrix[:, 0], [0] * n_raters, range(n_raters), n_groups=1, confidence=0.95)
    for estimate in (difference, mean):
        assert estimate.value is not None
        assert (estimate.low, estimate.high, estimate.p, estimate.df) == (None, None, None, None)
        assert estimate.note == f"No interval over raters: it takes at least 4, and here are {n_raters}."


def test_raters_who_do_not_differ_have_no_interval_of_width_zero() -> None:
    (difference,) = differences_over_raters([[0.3, 0.1], [0.5, 0.3], [0.9, 0.7], [0.2, 0.0]], [(0, 1)], confidence=0.95)
    (mean,) = means_over_raters([0.1, 0.2] * 4, [0] * 8, [0, 0, 1, 1, 2, 2, 3, 3], n_groups=1, confidence=0.95)
    for estimate in (difference, mean):
        assert (estimate.low, estimate.p, estimate.note) == (
            None, None, "No interval over raters: they do not differ.",
        )  # fmt: skip


def test_systems_that_no_rater_judged_have_no_value() -> None:
    (difference,) = differences_over_raters([[1, NAN], [NAN, 2]], [(0, 1)], confidence=0.95)
    assert (difference.value, difference.note) == (None, "No rater judged both.")
    rated, other = means_over_raters([1.0] * 4, [0] * 4, range(4), n_groups=2, confidence=0.95)
    assert (rated.value, other.value, other.note) == (1.0, None, "Nothing was rated.")


def test_wrong_confidence_and_shapes_are_refused() -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        differences_over_raters([[1, 2]], [(0, 1)], confidence=1)
    with pytest.raises(ValueError, match="two dimensions"):
        differences_over_raters([1, 2], [(0, 1)], confidence=0.95)
    with pytest.raises(ValueError, match="between 0 and 1"):
        means_over_raters([1], [0], [0], n_groups=1, confidence=0)
