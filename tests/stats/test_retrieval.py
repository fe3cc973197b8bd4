"""Precision and nDCG of ranked lists: printed examples, and scikit-learn."""

import math

import numpy as np
import pytest
from sklearn.metrics import dcg_score, ndcg_score

from analytics_app.stats.ranking.retrieval import dcg_at, ndcg_at, precision_at

# Manning, Raghavan and Schütze (2008), exercise 8.8: the first ten results of two systems, R is relevant.
SYSTEMS = ("RNRNNNNNRR", "NRNNRRRNNN")
RELEVANT = [[float(one == "R") for one in results] for results in SYSTEMS]


def test_precision_of_the_two_systems_of_exercise_8_8() -> None:
    at = {n: precision_at(RELEVANT, n).tolist() for n in (1, 3, 5, 10)}
    assert at[1] == [1, 0]
    assert at[3] == pytest.approx([2 / 3, 1 / 3])
    assert at[5] == pytest.approx([2 / 5, 2 / 5])
    assert at[10] == pytest.approx([4 / 10, 4 / 10])
    # A shorter list is divided by n as well.
    assert precision_at([[1, 1]], 5).tolist() == [2 / 5]


def test_ndcg_of_a_list_by_hand() -> None:
    gains, known = [[3.0, 2.0, 3.0, 0.0, 1.0, 2.0]], [[3.0, 2.0, 3.0, 0.0, 1.0, 2.0, 3.0, 2.0]]
    assert dcg_at(gains, 6)[0] == pytest.approx(3 + 2 / math.log2(3) + 3 / 2 + 1 / math.log2(6) + 2 / math.log2(7))
    best = 3 + 3 / math.log2(3) + 3 / 2 + 2 / math.log2(5) + 2 / math.log2(6) + 2 / math.log2(7)
    assert ndcg_at(gains, known, 6)[0] == pytest.approx(dcg_at(gains, 6)[0] / best)
    assert ndcg_at(gains, known, 6)[0] == pytest.approx(0.785, abs=5e-4)


@pytest.mark.parametrize("n", [1, 3, 5, 10, 20])
def test_the_same_as_scikit_learn(n: int) -> None:
    rng = np.random.default_rng(4)
    # Each row ranks everything that is known, so that scikit-learn's ideal order is ours.
    gains = rng.integers(0, 4, (40, 12)).astype(float)
    gains[:, 0] += 1
    scores = np.tile(np.arange(12, 0, -1.0), (40, 1))
    assert dcg_at(gains, n).mean() == pytest.approx(dcg_score(gains, scores, k=n))
    shuffled = rng.permuted(gains, axis=1)
    assert ndcg_at(gains, shuffled, n).mean() == pytest.approx(ndcg_score(gains, scores, k=n))


def test_without_a_gain_there_is_no_best_order() -> None:
    assert np.isnan(ndcg_at([[0.0, 0.0]], [[0.0]], 2)[0])


def test_what_are_no_lists_is_refused() -> None:
    for values, n in (([[2.0]], 1), ([[-1.0]], 1), ([[1.0]], 0), ([[math.nan]], 1), ([1.0], 1)):
        with pytest.raises(ValueError, match=r"at least|dimensions"):
            precision_at(values, n)
    with pytest.raises(ValueError, match="at least 0"):
        dcg_at([[-1.0]], 1)
    with pytest.raises(ValueError, match="2 lists and 1 sets"):
        ndcg_at([[1.0], [1.0]], [[1.0]], 1)
