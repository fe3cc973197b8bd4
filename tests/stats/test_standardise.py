"""z values by rater: the published definition, checked against pandas, scipy and R."""

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from analytics_app.stats.scales.standardise import judge_wise_z

NAN = float("nan")
RATINGS = st.lists(st.tuples(st.floats(-1e100, 1e100) | st.just(NAN), st.integers(0, 4)), max_size=40)
STEPS = st.lists(st.tuples(st.integers(1, 5) | st.just(NAN), st.integers(0, 4)), max_size=40)


def test_z_of_r() -> None:
    # R scale(): shared/reference_values.json, robust_location.
    z = judge_wise_z([2, 3, 3, 4, 4, 4, 5, 9], [0] * 8).z
    assert z[-1] == pytest.approx(2.2391714738, abs=1e-9)


@pytest.mark.parametrize("ddof", [0, 1])
def test_each_rater_as_scipy_has_them(ddof: int) -> None:
    rng = np.random.default_rng(1)
    raters = rng.permutation(np.repeat([3, 8, 40], 50))
    values = rng.integers(0, 101, 150).astype(float)
    result = judge_wise_z(values, raters, ddof=ddof)
    for rater in (3, 8, 40):
        assert result.z[raters == rater] == pytest.approx(scipy.stats.zscore(values[raters == rater], ddof=ddof))
    assert result.undefined == ()


@given(STEPS, st.sampled_from([0, 1]))
def test_as_pandas_has_them(rows: list[tuple[float, int]], ddof: int) -> None:
    frame = pd.DataFrame(rows, columns=["value", "rater"]).astype({"value": float, "rater": int})
    by_rater = frame.groupby("rater")["value"]
    expected = (frame["value"] - by_rater.transform("mean")) / by_rater.transform("std", ddof=ddof)
    constant = by_rater.nunique() < 2
    expected[frame["rater"].map(constant).astype(bool)] = np.nan
    result = judge_wise_z(frame["value"], frame["rater"], ddof=ddof)
    np.testing.assert_allclose(result.z, expected.to_numpy(), rtol=1e-12, atol=1e-12)
    assert list(result.undefined) == sorted(constant.index[constant])


@given(RATINGS)
def test_it_is_finite_or_undefined(rows: list[tuple[float, int]]) -> None:
    values, raters = [value for value, _rater in rows], [rater for _value, rater in rows]
    result = judge_wise_z(values, np.array(raters, dtype=int))
    unrated = np.isnan(np.array(values, dtype=float))
    without = np.isin(raters, result.undefined)
    assert (np.isnan(result.z) == (unrated | without)).all()
    assert not np.isinf(result.z).any()


@given(STEPS, st.randoms())
def test_the_order_of_rows_and_the_codes_of_raters_change_nothing(
    rows: list[tuple[float, int]], random: object
) -> None:
    shuffled = list(range(len(rows)))
    random.shuffle(shuffled)
    values = np.array([value for value, _rater in rows], dtype=float)
    raters = np.array([rater for _value, rater in rows], dtype=int)
    plain = judge_wise_z(values, raters)
    other = judge_wise_z(values[shuffled], 1000 - raters[shuffled])
    np.testing.assert_allclose(other.z, plain.z[shuffled], rtol=1e-12, atol=1e-12)
    assert sorted(1000 - rater for rater in other.undefined) == list(plain.undefined)


def test_a_rater_without_variance_is_listed_and_not_average() -> None:
    # Ten ratings of 0.1 have a standard deviation of 1e-17, not 0: least and largest are what is compared.
    result = judge_wise_z([0.1] * 10 + [1, 2], [7] * 10 + [2, 2])
    assert result.undefined == (7,)
    assert np.isnan(result.z[:10]).all()
    assert result.z[10:] == pytest.approx([-np.sqrt(0.5), np.sqrt(0.5)])


@pytest.mark.parametrize("ddof", [0, 1])
def test_one_rating_has_no_z(ddof: int) -> None:
    result = judge_wise_z([5, NAN, NAN], [1, 1, 2], ddof=ddof)
    assert np.isnan(result.z).all()
    assert result.undefined == (1, 2)


def test_differences_too_small_to_square_have_no_z() -> None:
    assert judge_wise_z([0.0, 1e-200], [0, 0]).undefined == (0,)


def test_nothing_rated() -> None:
    result = judge_wise_z([], [])
    assert result.z.size == 0
    assert result.undefined == ()


def test_wrong_input_is_refused() -> None:
    with pytest.raises(ValueError, match="ddof"):
        judge_wise_z([1, 2], [0, 0], ddof=2)
    with pytest.raises(ValueError, match="shape"):
        judge_wise_z([1, 2], [0])


def test_constant_raters_are_zero_where_asked() -> None:
    values, raters = [1, 2, 3, 5, 5, 4, NAN], [0, 0, 0, 4, 4, 6, 4]
    dropped, zero = (judge_wise_z(values, raters, constant=how) for how in ("drop", "zero"))
    assert np.isnan(dropped.z).tolist() == [False] * 3 + [True] * 4
    assert zero.z[:6].tolist() == [-1, 0, 1, 0, 0, 0]
    assert np.isnan(zero.z[6])  # what was not rated has no z either way
    assert zero.undefined == dropped.undefined == (4, 6)
    with pytest.raises(ValueError, match="drop or zero, not 'mean'"):
        judge_wise_z(values, raters, constant="mean")
