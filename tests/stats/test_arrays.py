"""Ratings are checked once at the door of every statistic."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from analytics_app.stats.values import compressed, on_scale, rated, value_codes

NAN = float("nan")


def test_missing_ratings_are_dropped_with_their_codes() -> None:
    values, (units, raters) = rated([1, NAN, 3], [5, 6, 7], [0, 1, 1])
    assert (values.tolist(), units.tolist(), raters.tolist()) == ([1, 3], [5, 7], [0, 1])


def test_nothing_at_all_is_fine() -> None:
    values, (units,) = rated([], [])
    assert values.size == units.size == 0


@pytest.mark.parametrize(
    ("values", "codes", "said"),
    [
        ([1, 2], [0], "codes of shape"),
        ([[1, 2]], [[0, 1]], "one dimension"),
        ([1, 2], [0, -1], "at least 0"),
        ([1, 2], [0.0, 1.0], "whole numbers"),
        ([1, float("inf")], [0, 1], "finite"),
        ([1, -1e101], [0, 1], "finite"),
        ([1, "many"], [0, 1], "many"),
        ([1, {}], [0, 1], "numbers"),
    ],
)
def test_wrong_input_is_refused(values: list, codes: list, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        rated(values, codes)


@given(arrays.arrays(np.intp, st.integers(0, 30), elements=st.integers(0, 10**7) | st.integers(0, 20)))
def test_codes_are_compressed_as_numpy_does(codes: np.ndarray) -> None:
    found, places = compressed(codes)
    expected, inverse = np.unique(codes, return_inverse=True)
    assert found.tolist() == expected.tolist()
    assert places.tolist() == inverse.tolist()


WHOLE = st.integers(-5, 5).map(float) | st.sampled_from([1e16, 1e16 + 2])


@example(np.array([0.0, -1.0, 1e-17]))
@given(arrays.arrays(np.float64, st.integers(0, 30), elements=WHOLE | st.floats(-1e100, 1e100)))
def test_values_are_coded_as_numpy_does(values: np.ndarray) -> None:
    found, places = value_codes(values)
    expected, inverse = np.unique(values, return_inverse=True)
    assert found.tolist() == expected.tolist()
    assert places.tolist() == inverse.tolist()


def test_a_scale_keeps_its_order() -> None:
    scale, places = on_scale(np.array([1.0, 3.0, 1.0]), [3, 2, 1])
    assert (scale.tolist(), places.tolist()) == ([3, 2, 1], [2, 0, 2])


@pytest.mark.parametrize("domain", [[1, 2, 2], [1, NAN], [[1, 2]]])
def test_a_scale_lists_different_numbers(domain: list) -> None:
    with pytest.raises(ValueError, match=r"domain|dimension"):
        on_scale(np.array([1.0]), domain)


@pytest.mark.parametrize(("values", "named"), [([1.0, 7.0], "7"), ([0.5], "0.5"), ([9.0, 1.5], "1.5, 9")])
def test_values_outside_a_scale_are_named(values: list[float], named: str) -> None:
    with pytest.raises(ValueError, match=f"outside the domain: {named}"):
        on_scale(np.array(values), [1, 2, 3])


def test_an_empty_scale_holds_nothing() -> None:
    with pytest.raises(ValueError, match="outside"):
        on_scale(np.array([1.0]), [])
    assert on_scale(np.array([]), [])[1].size == 0
