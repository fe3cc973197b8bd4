"""Alpha and omega: pingouin, Shrout and Fleiss, McDonald."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from analytics_app.stats.scales import factor
from analytics_app.stats.scales.reliability import cronbach_alpha, omega, omega_total
from tests.work import assert_work_grows_with_data

# Shrout and Fleiss (1979): reference_values.json, cronbach_alpha_shrout_fleiss.
SHROUT = np.array([[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]])


def rows(n: int = 200, k: int = 5, seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.round(rng.standard_normal((n, 1)) + rng.standard_normal((n, k)))


def test_alpha_of_shrout_and_fleiss() -> None:
    assert cronbach_alpha(SHROUT).value == pytest.approx(0.9093155424, abs=1e-8)


@pytest.mark.parametrize("confidence", [0.9, 0.95])
@pytest.mark.parametrize("k", [2, 5])
def test_alpha_and_its_limits_of_pingouin(k: int, confidence: float) -> None:
    import pingouin

    data = rows(k=k)
    value, limits = pingouin.cronbach_alpha(pd.DataFrame(data), ci=confidence)
    found = cronbach_alpha(data, confidence=confidence)
    assert found.value == pytest.approx(value)
    # pingouin rounds to three digits.
    assert [found.low, found.high] == pytest.approx(list(limits), abs=5.001e-4)
    assert found.n_raters == len(data)


def test_alpha_below_zero_says_why() -> None:
    data = rows()
    data[:, 0] *= -5
    found = cronbach_alpha(data)
    assert found.value is not None
    assert found.value < 0
    assert "other way" in (found.note or "")


def test_omega_of_mcdonald() -> None:
    # reference_values.json, omega_total_one_factor.
    assert omega_total([0.5, 0.6, 0.7], [0.75, 0.64, 0.51]) == pytest.approx(0.6303501945525292, abs=1e-12)


def test_omega_is_alpha_where_all_scales_are_alike() -> None:
    """Equal loadings and uniquenesses: both are the Spearman-Brown prophecy of one correlation."""
    rng = np.random.default_rng(2)
    data = rng.standard_normal((100_000, 1)) + rng.standard_normal((100_000, 4))
    wanted = 4 * 0.5 / (1 + 3 * 0.5)
    assert omega(data).value == pytest.approx(wanted, abs=0.005)
    assert cronbach_alpha(data).value == pytest.approx(wanted, abs=0.005)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (np.empty((0, 3)), "no complete rows"),
        ([[1, 2, 3]], "one complete row"),
        ([[1], [2]], "One scale alone"),
        ([[3, 3], [3, 3], [3, 3]], "the same in every row"),
        ([[1, 5], [5, 1], [2, 4]], "the same in every row"),
    ],
)
def test_no_alpha_says_why(data: object, sentence: str) -> None:
    found = cronbach_alpha(data)
    assert found.value is None
    assert sentence in (found.note or "")


def test_two_rows_have_no_interval() -> None:
    found = cronbach_alpha([[1, 2], [2, 4]])
    assert found.value is not None
    assert found.low is None
    assert found.note is not None


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (rows(k=2), "three scales"),
        (np.column_stack([rows(k=3), np.ones(200)]), "does not vary"),
        (np.column_stack([rows(k=3), rows(k=3)]), "follows exactly"),
        (rows(n=3, k=3, seed=2), "more rows than scales"),
        (np.empty((0, 3)), "no complete rows"),
    ],
)
def test_no_omega_says_why(data: np.ndarray, sentence: str) -> None:
    found = omega(data)
    assert found.value is None
    assert sentence in (found.note or "")


def test_wrong_input_is_refused() -> None:
    with pytest.raises(ValueError, match="complete"):
        cronbach_alpha([[1, float("nan")]])
    with pytest.raises(ValueError, match="confidence"):
        cronbach_alpha(SHROUT, confidence=1)
    with pytest.raises(ValueError, match="a loading and a uniqueness"):
        omega_total([0.5], [0.5, 0.5])
    with pytest.raises(ValueError, match="Neither"):
        omega_total([0.0], [0.0])


def test_work_grows_with_the_answers_alone() -> None:
    def prepare(n: int) -> Callable[[], object]:
        data = rows(n=n // 10, k=10)

        def measure() -> None:
            assert cronbach_alpha(data).value is not None
            assert omega(data).value is not None

        return measure

    assert_work_grows_with_data(prepare, 10_000, steps=3)  # the search for loadings may take some steps more


def test_omega_has_no_value_where_the_search_does_not_converge(monkeypatch: pytest.MonkeyPatch) -> None:
    assert omega(rows()).value is not None
    monkeypatch.setattr(factor, "_FLAT", 0.0)
    found = omega(rows())
    assert found.value is None
    assert found.note == factor.NOT_CONVERGED
