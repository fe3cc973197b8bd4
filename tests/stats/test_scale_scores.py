"""Sums with a few answers missing: as the questionnaire itself scores PANAS."""

from collections.abc import Callable

import numpy as np
import pytest

from analytics_app.stats.scales.scale_scores import prorated_sums
from tasks_app.task_types.questionnaire.panas import MOST_MISSING, NEGATIVE, POSITIVE, score_panas
from tests.work import assert_work_grows_with_data

NAN = float("nan")


def test_the_middle_of_panas() -> None:
    # reference_values.json, panas_scoring: 3 throughout gives 30 and 30.
    assert prorated_sums(np.full((1, 10), 3.0), most_missing=2).value.tolist() == [30]


def test_scores_are_those_of_the_questionnaire() -> None:
    rng = np.random.default_rng(1)
    answers = rng.integers(1, 6, (200, 20)).astype(float)
    answers[rng.random((200, 20)) < 0.12] = NAN
    words = (*POSITIVE, *NEGATIVE)
    positive = prorated_sums(answers[:, :10], most_missing=MOST_MISSING)
    negative = prorated_sums(answers[:, 10:], most_missing=MOST_MISSING)
    seen = set()
    for person, row in enumerate(answers):
        scored = score_panas({word: None if np.isnan(one) else one for word, one in zip(words, row, strict=True)})
        for mine, theirs in ((positive, scored.pa), (negative, scored.na)):
            assert mine.missing[person] == theirs.missing
            assert bool(mine.prorated[person]) == theirs.prorated
            assert np.isnan(mine.value[person]) == (theirs.value is None)
            assert theirs.value is None or mine.value[person] == pytest.approx(theirs.value)
            seen.add((theirs.missing, theirs.value is None))
    assert {(0, False), (1, False), (2, False), (3, True)} <= seen


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
