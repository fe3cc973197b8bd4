"""Fences: quartiles of type 7, strictly outside is out, and no fences of no width."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics_app.stats.quality.fences import Fences, iqr_fences

NAN = float("nan")


def test_quartiles_and_outliers_of_r() -> None:
    # R IQR(type = 7), boxplot fences of them: shared/reference_values.json, robust_location. Hinges would be 3 and 4.5.
    values = np.array([2, 3, 3, 4, 4, 4, 5, 9])
    fences = iqr_fences(values)
    assert (fences.q1, fences.q3) == (3, 4.25)
    assert (fences.low, fences.high) == (3 - 1.5 * 1.25, 4.25 + 1.5 * 1.25)
    assert values[fences.outside(values)].tolist() == [9]


@given(st.lists(st.integers(-20, 20) | st.floats(-1e6, 1e6) | st.just(NAN), max_size=40), st.floats(0.1, 5))
def test_as_pandas_has_them(values: list[float], factor: float) -> None:
    fences = iqr_fences(values, factor=factor)
    series = pd.Series(values, dtype=float).dropna()
    if series.empty:
        assert fences == Fences(None, None, None, None, "Nothing was rated, so there are no fences.")
        return
    q1, q3 = series.quantile(0.25), series.quantile(0.75)
    assert (fences.q1, fences.q3) == pytest.approx((q1, q3))
    if fences.low is None:
        assert len(series) < 4 or q3 - q1 == pytest.approx(0, abs=1e-9)
        assert fences.high is None
        assert fences.note
        assert not fences.outside(values).any()
    else:
        assert (fences.low, fences.high) == pytest.approx((q1 - factor * (q3 - q1), q3 + factor * (q3 - q1)))
        assert fences.outside(values).sum() == ((series < fences.low) | (series > fences.high)).sum()


def test_a_value_on_the_fence_is_inside() -> None:
    fences = iqr_fences([0, 1, 2, 3, 4])
    assert (fences.low, fences.high) == (-2, 6)
    assert fences.outside([-2, 6, -2.0001, 6.0001]).tolist() == [False, False, True, True]


def test_near_unanimity_removes_nobody() -> None:
    fences = iqr_fences([4] * 20 + [1])
    assert (fences.low, fences.high) == (None, None)
    assert fences.note == "The quartiles are equal, so there are no fences and nothing is outside."


def test_three_ratings_are_too_few() -> None:
    fences = iqr_fences([1, 2, 100, NAN])
    assert (fences.q1, fences.low) == (1.5, None)
    assert "Fewer than 4" in fences.note


@pytest.mark.parametrize("factor", [0, -1, NAN, float("inf")])
def test_wrong_factors_are_refused(factor: float) -> None:
    with pytest.raises(ValueError, match="factor"):
        iqr_fences([1, 2, 3, 4], factor=factor)
