"""Corrections for several tests: R's p.adjust."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from analytics_app.stats.comparison.corrections import METHODS, adjust

P = [0.001, 0.01, 0.02, 0.03, 0.04, 0.2]
# R p.adjust; sidak 1 - (1 - p)^6 and holm-sidak step by step: reference_values.json, p_adjust_*.
ADJUSTED = {
    "none": P,
    "holm": [0.006, 0.05, 0.08, 0.09, 0.09, 0.2],
    "simes-hochberg": [0.006, 0.05, 0.08, 0.08, 0.08, 0.2],
    "hommel": [0.006, 0.05, 0.06, 0.06, 0.08, 0.2],
    "bonferroni": [0.006, 0.06, 0.12, 0.18, 0.24, 1],
    "fdr_bh": [0.006, 0.03, 0.04, 0.045, 0.048, 0.2],
    "fdr_by": [0.0147, 0.0735, 0.098, 0.11025, 0.1176, 0.49],
    "sidak": [0.00598501998501, 0.058519850599, 0.114157619136, 0.167027995071, 0.217242210304, 0.737856],
    "holm-sidak": [0.005985019985, 0.0490099501, 0.07763184, 0.087327, 0.087327, 0.2],
}


def test_every_method_has_its_oracle() -> None:
    assert set(METHODS) == set(ADJUSTED)


@pytest.mark.parametrize("method", METHODS)
def test_as_r_adjusts(method: str) -> None:
    assert adjust(P, method) == pytest.approx(ADJUSTED[method], abs=1e-9)
    backwards = adjust(P[::-1], method)
    assert backwards == pytest.approx(ADJUSTED[method][::-1], abs=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_undefined_tests_pass_through_and_do_not_count(method: str) -> None:
    with_gaps = adjust([None, *P[:3], None, *P[3:]], method)
    assert (with_gaps[0], with_gaps[4]) == (None, None)
    assert [p for p in with_gaps if p is not None] == pytest.approx(ADJUSTED[method], abs=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_one_test_or_none(method: str) -> None:
    assert adjust([], method) == []
    assert adjust([None, None], method) == [None, None]
    assert adjust([0.03], method) == [pytest.approx(0.03)]


@given(st.lists(st.floats(0, 1) | st.none(), max_size=12), st.sampled_from(METHODS))
def test_they_stay_between_p_and_one(p_values: list[float | None], method: str) -> None:
    for p, adjusted in zip(p_values, adjust(p_values, method), strict=True):
        assert (p is None and adjusted is None) or p - 1e-12 <= adjusted <= 1
        assert adjusted is None or type(adjusted) is float


def test_holm_is_the_default() -> None:
    assert adjust(P) == adjust(P, "holm")


def test_numbers_of_numpy_are_fine() -> None:
    assert adjust(np.array([0.01, 0.04])) == pytest.approx([0.02, 0.04])


@pytest.mark.parametrize("p", [-0.1, 1.1, float("nan")])
def test_what_is_no_probability_is_refused(p: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        adjust([0.5, p])


def test_unknown_methods_are_refused() -> None:
    with pytest.raises(ValueError, match="none, holm"):
        adjust([0.5], "tukey")


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12), st.sampled_from(["holm", "bonferroni"]))
def test_methods_computed_here_are_those_of_statsmodels_to_the_last_bit(p_values: list[float], method: str) -> None:
    assert adjust(p_values, method) == multipletests(p_values, method=method)[1].tolist()
