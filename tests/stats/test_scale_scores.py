"""Sums with a few answers missing, as PANAS is scored."""

from collections.abc import Callable

import numpy as np
import pytest

from analytics_app.stats.scales.scale_scores import prorated_sums
from tasks_app.task_types.questionnaire.panas import MOST_MISSING
from tests.work import assert_work_grows_with_data

NAN = float("nan")


def test_the_middle_of_panas() -> None:
    # reference_values.json, panas_scoring: 3 throughout gives 30 and 30.
    assert prorated_sums(np.full((1, 10), 3.0), most_missing=2).value.tolist() == [30]


def test_the_mean_of_the_others_stands_for_what_is_missing() -> None:
    rng = np.random.default_rng(1)
    answers = rng.integers(1, 6, (400, 10)).astype(float)
    answers[rng.random((400, 10)) < 0.12] = NAN
    scored = prorated_sums(answers, most_missing=MOST_MISSING)
    seen = set()
    for row, value, missing, prorated in zip(answers, scored.value, scored.missing, scored.prorated, strict=True):
        given = [answer for answer in row if not np.isnan(answer)]
        assert missing == 10 - len(given)
        assert np.isnan(value) == (missing > 2)
        assert np.isnan(value) or value == pytest.approx(sum(given) + missing * sum(given) / len(given))
        assert prorated == (missing in {1, 2})
        seen.add(min(missing, 3))
    assert seen == {0, 1, 2, 3}


def test_nobody_and_nothing() -> None:
    assert prorated_sums(np.empty((0, 3)), most_missing=1).value.tolist() == []
    nothing = prorated_sums([[NAN, NAN]], most_missing=5)
    assert np.isnan(nothing.value).all()
    assert not nothing.prorated.any()
    with pytest.raises(ValueError, match="at least one column"):
        prorated_sums([1, 2], most_missing=1)
    with pytest.raises(ValueError, match="finite"):
        prorated_sums([[np.inf]], most_missing=1)
    with pytest.raises(ValueError, match="At least 0"):
        prorated_sums([[1]], most_missing=-1)


def test_work_grows_with_the_answers_alone() -> None:
    def prepare(n: int) -> Callable[[], object]:
        answers = np.random.default_rng(1).integers(1, 6, (n // 10, 10)).astype(float)
        return lambda: prorated_sums(answers, most_missing=2)

    assert prepare(10_000)().value.shape == (1000,)
    assert_work_grows_with_data(prepare, 10_000)
