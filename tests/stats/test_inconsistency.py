"""The inconsistency score: its definition, the fence, and weights."""

from collections.abc import Callable

import numpy as np
import pytest

from analytics_app.stats.quality.inconsistency import inconsistency_scores, inverse_variance, outliers
from tests.work import assert_work_grows_with_data

NAN = float("nan")


@pytest.mark.parametrize(
    ("weights", "score"), [([1, 1, 1, 1], 1.118033988749895), ([1, 0.5, 0.5, 1], 0.9128709291752769)]
)
def test_as_defined(weights: list[float], score: float) -> None:
    # reference_values.json: naderi_inconsistency_equal_weights and naderi_inconsistency_weighted.
    found = inconsistency_scores([4, 3, 5, 2], [4, 1, 4, 2], [0] * 4, ranges=1, weights=weights)
    assert found.scores == pytest.approx([score], abs=1e-12)
    assert found.differences == pytest.approx([0.75])
    assert (found.equal.tolist(), found.pairs.tolist()) == ([2], [4])


def test_each_pair_is_on_its_own_scale() -> None:
    # One step of five and a quarter of a slider are the same quarter.
    found = inconsistency_scores([1, 50], [2, 75], [0, 0], ranges=[4, 100], steps=[1, 1])
    assert found.scores == pytest.approx([0.25])
    assert found.differences == pytest.approx([0.25])
    assert found.steps == pytest.approx([np.sqrt((0.25**2 + 0.01**2) / 2)])


def test_missing_answers_are_no_pairs() -> None:
    found = inconsistency_scores([1, NAN, 3, 4], [1, 2, NAN, 2], [7, 7, 8, 9], ranges=4)
    assert found.raters.tolist() == [7, 9]
    assert found.pairs.tolist() == [1, 1]
    nobody = inconsistency_scores([NAN], [1], [0], ranges=4)
    assert nobody.raters.size == 0
    assert outliers(nobody).note == "Nobody answered 2 repeats or more, and it takes 4 to tell who is far off."


def scores(*of_raters: list[float], step: float = 1) -> object:
    """Raters who first said 3 throughout, on a scale from 1 to 5."""
    again = np.concatenate(of_raters)
    raters = np.repeat(np.arange(len(of_raters)), [len(one) for one in of_raters])
    return inconsistency_scores(np.full(again.size, 3.0), again, raters, ranges=4, steps=step)


def test_the_fence_is_that_of_the_raters_with_enough_pairs() -> None:
    found = scores([3, 4], [3, 3], [4, 3], [2, 3], [1, 5], [1])
    fence = outliers(found)
    q1, q3 = np.quantile(found.scores[:5], [0.25, 0.75])
    assert fence.limit == pytest.approx(q3 + 1.5 * (q3 - q1))
    # The last one has a single pair, however far off.
    assert fence.outside.tolist() == [False, False, False, False, True, False]


def test_where_most_never_change_a_single_step_is_no_reason() -> None:
    found = scores(*[[3, 3]] * 9, [3, 4], [4, 4], [5, 3])
    fence = outliers(found)
    assert fence.limit < found.scores[9]
    assert fence.outside.tolist() == [False] * 10 + [True, True]


@pytest.mark.parametrize("n", [0, 1, 3])
def test_too_few_raters_have_no_fence(n: int) -> None:
    fence = outliers(scores(*[[1, 5]] * n, [3]))
    assert fence.limit is None
    assert not fence.outside.any()
    assert "it takes 4" in fence.note


def test_all_equal_removes_nobody() -> None:
    assert not outliers(scores(*[[3, 3, 3]] * 8)).outside.any()
    assert not outliers(scores(*[[5, 1]] * 8)).outside.any()


def test_a_text_where_all_agree_weighs_more() -> None:
    codes, weights = inverse_variance([0.5, 0.5, 0.5, 0, 1, 0.2, NAN], [4, 4, 4, 6, 6, 8, 8], floor=0.02)
    assert codes.tolist() == [4, 6]
    assert weights == pytest.approx([1 / 0.02, 1 / 0.5])
    assert inverse_variance([], [])[0].size == 0


@pytest.mark.parametrize(
    "wrong",
    [
        {"again": [1, 2]},
        {"ranges": 0},
        {"ranges": [1, 2]},
        {"weights": [0.0]},
        {"steps": [NAN]},
    ],
)
def test_wrong_input_is_refused(wrong: dict[str, object]) -> None:
    given = {"first": [1.0], "again": [2.0], "raters": [0], "ranges": 4, **wrong}
    with pytest.raises(ValueError, match=r"\w"):
        inconsistency_scores(given.pop("first"), given.pop("again"), given.pop("raters"), **given)
    with pytest.raises(ValueError, match="factor"):
        outliers(scores([3, 3]), factor=0)
    with pytest.raises(ValueError, match="floor"):
        inverse_variance([1], [0], floor=0)


def test_work_grows_with_the_pairs_alone() -> None:
    def prepare(n: int) -> Callable[[], object]:
        rng = np.random.default_rng(0)
        first, again = rng.integers(1, 6, (2, n)).astype(float)
        raters, texts = rng.integers(0, n // 1000, n), rng.integers(0, n // 100, n)

        def score() -> None:
            inconsistency_scores(first, again, raters, ranges=4, steps=1)
            inverse_variance(first, texts)

        return score

    assert_work_grows_with_data(prepare, 10_000)
