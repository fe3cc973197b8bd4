"""What a statistic returns can be stored as it is: plain finite numbers, and a sentence where there is none."""

import json
from dataclasses import FrozenInstanceError, asdict

import numpy as np
import pytest

from analytics_app.stats.values import Estimate, joined


def test_numbers_of_numpy_become_plain_ones() -> None:
    estimate = Estimate(np.float64(0.5), low=np.float32(0.25), p=1, n_items=np.int64(3))
    assert [type(estimate.value), type(estimate.low), type(estimate.p), type(estimate.n_items)] == [
        float,
        float,
        float,
        int,
    ]
    assert json.loads(json.dumps(asdict(estimate)))["low"] == 0.25


def test_there_is_no_minus_zero() -> None:
    assert str(Estimate(-0.0).value) == "0.0"


@pytest.mark.parametrize("field", ["value", "low", "high", "se", "df", "p"])
@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")])
def test_nan_and_infinity_are_refused(field: str, number: float) -> None:
    with pytest.raises(ValueError, match=f"The {field} of an estimate"):
        Estimate(**{"value": 1.0, field: number})


@pytest.mark.parametrize("count", [-1, 2.5])
def test_counts_are_whole(count: float) -> None:
    with pytest.raises(ValueError, match="whole number"):
        Estimate(1.0, n_ratings=count)


def test_an_undefined_value_says_why() -> None:
    with pytest.raises(ValueError, match="note"):
        Estimate(None)
    assert Estimate(None, note="Nothing was rated.").value is None


def test_it_is_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        Estimate(1.0).value = 2.0


def test_sentences_are_joined() -> None:
    assert joined(None, "") is None
    assert joined("One.", None, "Two.") == "One. Two."
