"""McNemar's test and Wilson's interval: R's numbers, and enumeration."""

from itertools import product

import numpy as np
import pytest
from statsmodels.stats import contingency_tables
from statsmodels.stats.proportion import proportion_confint

from analytics_app.stats.comparison.mcnemar import mcnemar
from analytics_app.stats.comparison.wilson import wilson
from analytics_app.stats.values import Estimate

NAN = float("nan")


def table(both: int, a_alone: int, b_alone: int, none: int) -> tuple[list[int], list[int]]:
    a = [1] * (both + a_alone) + [0] * (b_alone + none)
    b = [1] * both + [0] * a_alone + [1] * b_alone + [0] * none
    return a, b


def test_as_r_has_it() -> None:
    """reference_values.json "mcnemar": R mcnemar.test(correct=FALSE), binom.test(6, 22)."""
    a, b = table(59, 16, 6, 80)
    exact, rough = mcnemar(a, b), mcnemar(a, b, exact=False)
    assert exact.p == pytest.approx(0.0524787902832, abs=1e-9)
    assert rough.p == pytest.approx(0.0330062576612, abs=1e-9)
    assert (exact.value, exact.n_items) == (10, 161)


def test_as_all_signs_gone_through() -> None:
    a, b = table(2, 4, 1, 0)
    sums = [abs(sum(signs)) for signs in product((1, -1), repeat=5)]
    assert mcnemar(a, b).p == pytest.approx(np.mean([one >= 3 for one in sums]))


def test_what_is_odd() -> None:
    assert mcnemar([], []).value is None
    assert mcnemar([1, NAN], [NAN, 0]).note == "There is no item on which both have a decision."
    assert mcnemar([1, 1, 0], [1, 1, 0]) == Estimate(0.0, p=1.0, n_items=3, note="The two never differ.")
    assert mcnemar([1], [0]).p == 1


@pytest.mark.parametrize(("a", "b"), [([1], [1, 0]), ([2], [1]), ([[1]], [[0]])])
def test_wrong_input_is_refused(a: object, b: object) -> None:
    with pytest.raises(ValueError, match=r"."):
        mcnemar(a, b)


def test_wilson_as_r_has_it() -> None:
    """reference_values.json "wilson_ci": R prop.test(correct=FALSE)."""
    found = wilson(15, 25, confidence=0.95)
    assert (found.low, found.high) == pytest.approx((0.40739457359, 0.765966976223), abs=1e-9)


@pytest.mark.parametrize(("k", "n"), [(0, 1), (1, 1), (0, 500), (500, 500), (3, 1000)])
def test_wilson_as_statsmodels_has_it(k: int, n: int) -> None:
    found = wilson(k, n, confidence=0.9)
    assert (found.low, found.high) == pytest.approx(proportion_confint(k, n, 0.1, "wilson"), abs=1e-9)
    assert found.low <= found.value <= found.high


def test_wilson_of_nothing_and_of_nonsense() -> None:
    assert wilson(0, 0, confidence=0.95).note == "Nothing was rated."
    for k, n, confidence in ((2, 1, 0.95), (-1, 1, 0.95), (0, 1, 1.0)):
        with pytest.raises(ValueError, match=r"."):
            wilson(k, n, confidence=confidence)


@pytest.mark.parametrize(("a_alone", "b_alone"), [(16, 6), (0, 9), (7, 7), (410, 340)])
@pytest.mark.parametrize("exact", [True, False])
def test_as_statsmodels_has_it(a_alone: int, b_alone: int, *, exact: bool) -> None:
    expected = contingency_tables.mcnemar([[0, a_alone], [b_alone, 0]], exact=exact, correction=False).pvalue
    assert mcnemar(*table(3, a_alone, b_alone, 2), exact=exact).p == expected
