"""Majority votes and Wawa: crowd-kit's numbers, votes counted by hand, and what is odd."""

from collections.abc import Callable

import numpy as np
import pytest

from analytics_app.stats.errors.votes import TIE, majority, wawa
from tests.work import assert_work_grows_with_data

# reference_values.json "wawa": crowd-kit 1.4.2 Wawa (run with scikit-learn 1.5).
TASKS = [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3]
WORKERS = [0, 1, 2] * 4
A, B = 0, 1
LABELS = [A, A, B, B, B, B, A, B, B, A, A, B]


def test_wawa_as_crowd_kit_has_it() -> None:
    found = wawa(LABELS, TASKS, WORKERS, n_labels=2)
    assert found.skill.tolist() == [0.75, 1.0, 0.5]
    of_a = np.where(found.label == A, found.share, 1 - found.share)
    np.testing.assert_allclose(of_a, [0.7777777778, 0, 0.3333333333, 0.7777777778], atol=1e-9)


def test_majority_by_hand() -> None:
    found = majority(LABELS, TASKS, n_labels=2)
    assert found.label.tolist() == [A, B, B, A]
    assert found.share.tolist() == pytest.approx([2 / 3, 1, 2 / 3, 2 / 3])
    assert found.votes.tolist() == [3, 3, 3, 3]
    assert found.ties == 0


def test_ties_are_said_and_say_nothing_of_skill() -> None:
    most = majority([0, 1, 1, 2, 2], [7, 7, 9, 9, 9], n_labels=3)
    assert (most.texts.tolist(), most.label.tolist(), most.ties) == ([7, 9], [TIE, 2], 1)
    found = wawa([0, 1, 1, 2, 2], [7, 7, 9, 9, 9], [0, 1, 0, 1, 2], n_labels=3)
    assert found.skill.tolist() == [0, 1, 1]
    # Who is right elsewhere decides the tie.
    assert found.label.tolist() == [1, 2]


def test_everywhere_ties() -> None:
    found = wawa([0, 1, 1, 0], [0, 0, 1, 1], [0, 1, 0, 1], n_labels=2)
    assert np.isnan(found.skill).all()
    assert found.label.tolist() == [TIE, TIE]
    assert np.isnan(found.share).all()


def test_one_rater_one_text_and_all_equal() -> None:
    one = wawa([1], [4], [6], n_labels=2)
    assert (one.raters.tolist(), one.skill.tolist(), one.label.tolist()) == ([6], [1.0], [1])
    same = wawa([1] * 6, [0, 0, 0, 1, 1, 1], [0, 1, 2] * 2, n_labels=2)
    assert same.skill.tolist() == [1, 1, 1]
    assert same.share.tolist() == [1, 1]


def test_nothing_labelled() -> None:
    empty = majority([], [], n_labels=3)
    assert (empty.texts.size, empty.label.size, empty.ties) == (0, 0, 0)
    assert wawa([], [], [], n_labels=3).skill.size == 0


@pytest.mark.parametrize(
    ("labels", "texts", "n_labels"), [([2], [0], 2), ([0], [0, 1], 2), ([-1], [0], 2), ([0.5], [0], 2), ([], [], 0)]
)
def test_wrong_input_is_refused(labels: list[float], texts: list[int], n_labels: int) -> None:
    with pytest.raises(ValueError, match=r"."):
        majority(labels, texts, n_labels=n_labels)


def test_work_grows_with_the_labels_alone() -> None:
    def prepare(n: int) -> Callable[[], object]:
        rng = np.random.default_rng(1)
        texts, raters = np.repeat(np.arange(n // 10), 10), rng.integers(n // 1000, size=n)
        labels = rng.integers(5, size=n)
        return lambda: wawa(labels, texts, raters, n_labels=5)

    assert_work_grows_with_data(prepare, 10_000)


def test_many_labels_counted_apart_for_some_texts() -> None:
    rng = np.random.default_rng(1)
    texts, raters = np.repeat(np.arange(10_000), 10), rng.permutation(np.repeat(np.arange(1000), 100))
    labels = rng.integers(5, size=100_000)
    found = wawa(labels, texts, raters, n_labels=5)
    for text in (0, 500, 9_999):
        counts = np.bincount(labels[texts == text], minlength=5)
        most = majority(labels[texts == text], texts[texts == text], n_labels=5)
        assert most.share[0] == counts.max() / 10
    assert found.skill.shape == (1000,)
