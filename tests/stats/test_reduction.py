"""Which scale leaves the factors next, by the criteria of Macketanz et al. (2022), and which factors are the same."""

import numpy as np
import pytest

from analytics_app.stats.scales.reduction import congruences, loading_gaps, matched_factors, weakest_scale

PATTERN = [[0.8, 0.1], [0.7, -0.6], [0.5, 0.3], [0.1, -0.9]]


def test_the_lowest_communality_goes_first_even_if_another_scale_cross_loads_more() -> None:
    found = weakest_scale(PATTERN, [0.65, 0.5, 0.39, 0.2])
    assert found is not None
    assert (found.place, found.criterion, found.value) == (3, "communality", 0.2)


def test_without_low_communalities_the_closest_loadings_go() -> None:
    found = weakest_scale(PATTERN, [0.65, 0.9, 0.41, 0.8])
    assert found is not None
    assert (found.place, found.criterion) == (1, "cross-loading")
    # By size: the sign of a loading is the direction of a factor.
    assert found.value == pytest.approx(0.1)


def test_a_scale_at_a_limit_stays() -> None:
    # In floating point .5 - .3 is a little less than .2.
    assert weakest_scale([[0.8, 0.1], [0.5, 0.3]], [0.65, 0.4]) is None
    assert weakest_scale([[0.8, 0.1], [0.5, 0.301]], [0.65, 0.4]) is not None


def test_with_one_factor_no_scale_loads_on_two() -> None:
    assert np.isnan(loading_gaps([[0.9], [0.2]])).all()
    assert weakest_scale([[0.9], [0.7]], [0.81, 0.49]) is None


def test_factors_are_matched_whatever_their_order_and_direction() -> None:
    rng = np.random.default_rng(1)
    earlier = rng.normal(size=(9, 4))
    order, signs = [2, 0, 3, 1], [1.0, -1.0, -1.0, 1.0]
    later = earlier[:, order] * signs + rng.normal(scale=0.05, size=(9, 4))
    assert matched_factors(earlier, later) == list(zip(order, signs, strict=True))


def test_more_or_fewer_factors_than_before() -> None:
    earlier = np.eye(4)[:, :2]
    assert matched_factors(earlier, np.eye(4)[:, :3]) == [(0, 1.0), (1, 1.0), (-1, 1.0)]
    assert matched_factors(earlier, earlier[:, 1:]) == [(1, 1.0)]


def test_congruence_of_tucker() -> None:
    # Lorenzo-Seva and ten Berge (2006), equation 1: the sum of products over the root of the sums of squares.
    a, b = np.array([0.8, 0.7, 0.1]), np.array([0.6, 0.9, -0.2])
    by_hand = (0.48 + 0.63 - 0.02) / ((0.64 + 0.49 + 0.01) * (0.36 + 0.81 + 0.04)) ** 0.5
    assert congruences(a[:, None], b[:, None])[0, 0] == pytest.approx(by_hand)
    assert congruences([[0.0], [0.0]], [[1.0], [1.0]])[0, 0] == 0
