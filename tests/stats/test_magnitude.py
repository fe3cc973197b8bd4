"""Magnitudes: scipy's geometric mean, normalisations written out, ratios by hand."""

from collections.abc import Callable

import numpy as np
import pytest
import scipy.stats

from analytics_app.stats.comparison.means import group_means
from analytics_app.stats.comparison.paired import item_means
from analytics_app.stats.resampling.bootstrap import ALL_ALIKE
from analytics_app.stats.scales.magnitude import NORMALISATIONS, normalised, ratios, taken_back
from analytics_app.stats.values import Estimate
from tests.work import assert_work_grows_with_data

NAN = float("nan")


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_the_geometric_mean_is_scipys() -> None:
    values = rng().integers(1, 1000, 60).astype(float)
    groups = np.tile([0, 1, 2], 20)
    means = group_means(
        np.log(values), groups, np.arange(60) // 3, n_groups=4, n_resamples=300, confidence=0.95, rng=rng()
    )
    found = [taken_back(mean) for mean in means]
    for group in range(3):
        assert found[group].value == pytest.approx(scipy.stats.gmean(values[groups == group]))
        assert found[group].low < found[group].value < found[group].high
        # A standard error of logarithms says nothing of the mean itself.
        assert found[group].se is None
    assert found[3].note == "Nothing was rated."


def test_normalisations_written_out() -> None:
    values, raters = [50, 100, 200, 10, NAN, 40], [0, 0, 0, 3, 3, 3]
    assert normalised(values, raters).values == pytest.approx(np.log(values), nan_ok=True)
    assert normalised(values, raters, "standard", standard=100).values == pytest.approx(
        np.log(np.array(values) / 100), nan_ok=True
    )
    logs = np.log(values)
    equal = normalised(values, raters, "modulus").values
    grand = np.nanmean(logs)
    assert equal[:3] == pytest.approx(logs[:3] - logs[:3].mean() + grand)
    assert equal[[3, 5]] == pytest.approx(logs[[3, 5]] - logs[[3, 5]].mean() + grand)
    ranged = normalised(values, raters, "range")
    assert ranged.values == pytest.approx([0, 1 / 3, 1, 0, NAN, 1], nan_ok=True)
    assert not ranged.logged


def test_dividing_by_the_standard_moves_no_difference() -> None:
    values, raters = rng().integers(1, 500, 40).astype(float), np.repeat(range(8), 5)
    one = normalised(values, raters).values
    other = normalised(values, raters, "standard", standard=100).values
    assert one - other == pytest.approx(np.full(40, np.log(100)))


def test_zeros_and_raters_without_a_range_are_left_out_and_said() -> None:
    found = normalised([0, -3, 10, NAN], [0, 0, 0, 0])
    assert found.not_positive == 2
    assert np.isnan(found.values[[0, 1, 3]]).all()
    assert normalised([5, 5, 7, NAN], [0, 0, 1, 2], "range").without == (0, 1)


@pytest.mark.parametrize("how", NORMALISATIONS)
def test_nothing_and_one_rating(how: str) -> None:
    assert normalised([], [], how).values.size == 0
    assert np.isnan(normalised([NAN], [0], how).values).all()
    assert normalised([7], [4], how).values.size == 1


def test_ratios() -> None:
    values = np.array([100, 50, 200, 100, 80, 40, 60, 30.0])
    matrix, _items = item_means(np.log(values), np.tile([0, 1], 4), np.repeat(range(4), 2), 2)
    same, other = ratios(matrix, [(0, 1), (1, 0)], n_resamples=100, confidence=0.95, rng=rng())
    assert (same.low, same.high, same.note) == (None, None, ALL_ALIKE)
    assert same.value == pytest.approx(2)
    assert same.p == other.p == 0.125
    assert other.value == pytest.approx(0.5)
    (nothing,) = ratios([[0.0, NAN]], [(0, 1)], n_resamples=10, confidence=0.95, rng=rng())
    assert (nothing.value, nothing.p) == (None, None)


def test_the_p_is_that_of_a_permutation_of_logs() -> None:
    draw = rng(2)
    matrix = draw.normal(size=(12, 2)) + np.array([0.4, 0])
    (found,) = ratios(matrix, [(0, 1)], n_resamples=0, confidence=0.95, rng=draw)
    differences = matrix[:, 0] - matrix[:, 1]
    wanted = scipy.stats.permutation_test(
        (differences,), np.mean, permutation_type="samples", n_resamples=np.inf
    ).pvalue
    assert found.p == pytest.approx(wanted)
    assert found.value == pytest.approx(np.exp(differences.mean()))


def test_taken_back_stays_finite() -> None:
    assert taken_back(Estimate(5000.0)).value < float("inf")
    assert taken_back(Estimate(None, note="Why.")).note == "Why."


@pytest.mark.parametrize(
    ("values", "raters", "how", "standard"),
    [
        ([1], [0], "other", 1.0),
        ([1], [0], "standard", 0.0),
        ([1, 2], [0], "log", 1.0),
        ([float("inf")], [0], "log", 1.0),
    ],
)
def test_wrong_input(values: list[float], raters: list[int], how: str, standard: float) -> None:
    with pytest.raises(ValueError, match=r"[a-z]"):
        normalised(values, raters, how, standard=standard)


@pytest.mark.parametrize("how", NORMALISATIONS)
def test_work_grows_with_the_ratings_alone(how: str) -> None:
    def prepare(n: int) -> Callable[[], object]:
        values, raters = rng(3).integers(1, 300, n).astype(float), rng(4).integers(0, n // 1000, n)
        return lambda: normalised(values, raters, how)

    assert_work_grows_with_data(prepare, 10_000)
