"""Tables of what raters confuse: pandas', and counted by hand."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from analytics_app.stats.errors.confusion import of_pairs, together
from tests.work import assert_work_grows_with_data


def test_pairs_as_pandas_has_them() -> None:
    rng = np.random.default_rng(3)
    texts, raters = np.tile(np.arange(50), 3), np.repeat([0, 2, 5], 50)
    labels = rng.integers(4, size=150)
    keep = rng.random(150) < 0.8
    texts, raters, labels = texts[keep], raters[keep], labels[keep]
    found = of_pairs(labels, texts, raters, [(0, 2), (0, 5), (5, 2), (1, 2)], n_labels=4)
    for one in found[:3]:
        first = dict(zip(texts[raters == one.first].tolist(), labels[raters == one.first].tolist(), strict=True))
        second = dict(zip(texts[raters == one.second].tolist(), labels[raters == one.second].tolist(), strict=True))
        shared = sorted(first.keys() & second.keys())
        crossed = pd.crosstab([first[t] for t in shared], [second[t] for t in shared])
        expected = crossed.reindex(index=range(4), columns=range(4), fill_value=0)
        np.testing.assert_array_equal(one.counts, expected)
    # Nobody is rater 1.
    assert found[3].counts.sum() == 0


def test_all_together_is_the_sum_of_both_orders_of_all_pairs() -> None:
    rng = np.random.default_rng(5)
    texts, raters = np.tile(np.arange(30), 4), np.repeat(np.arange(4), 30)
    labels = rng.integers(3, size=120)
    pairs = [(a, b) for a in range(4) for b in range(4) if a != b]
    expected = sum(one.counts for one in of_pairs(labels, texts, raters, pairs, n_labels=3))
    np.testing.assert_array_equal(together(labels, texts, n_labels=3).counts, expected)


def test_what_is_odd() -> None:
    assert together([], [], n_labels=2).counts.tolist() == [[0, 0], [0, 0]]
    assert together([1], [0], n_labels=2).counts.sum() == 0
    assert together([1] * 4, [0] * 4, n_labels=2).counts.tolist() == [[0, 0], [0, 12]]
    assert of_pairs([], [], [], [(0, 1)], n_labels=2)[0].counts.sum() == 0
    assert of_pairs([0, 1], [0, 1], [0, 1], [(0, 1)], n_labels=2)[0].counts.sum() == 0


@pytest.mark.parametrize(("labels", "texts", "raters"), [([2], [0], [0]), ([0], [0], [0, 1]), ([0], [-1], [0])])
def test_wrong_input_is_refused(labels: list[int], texts: list[int], raters: list[int]) -> None:
    with pytest.raises(ValueError, match=r"."):
        of_pairs(labels, texts, raters, [(0, 1)], n_labels=2)


def test_work_grows_with_the_labels_alone() -> None:
    def prepare(n: int) -> Callable[[], object]:
        texts, raters = np.repeat(np.arange(n // 10), 10), np.tile(np.arange(10), n // 10)
        labels = np.random.default_rng(1).integers(7, size=n)

        def count() -> None:
            counts = together(labels, texts, n_labels=7).counts
            of_pairs(labels, texts, raters, [(0, 1), (3, 9)], n_labels=7)
            assert counts.sum() == n // 10 * 90

        return count

    assert_work_grows_with_data(prepare, 10_000)
