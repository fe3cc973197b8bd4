"""The error of fewer judgments: against scipy's hypergeometric distributions, and all samples listed one by one."""

from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import hypergeom, multivariate_hypergeom

from analytics_app.stats.errors.fewer_judgments import (
    error_of_fewer_means,
    error_of_fewer_votes,
    error_on_samples,
)


@pytest.mark.parametrize(("yes", "no"), [(7, 3), (6, 4), (9, 1), (10, 0), (8, 3)])
def test_two_labels_are_the_hypergeometric_distribution(yes: int, no: int) -> None:
    k = yes + no
    found = error_of_fewer_votes([[yes, no]], most=k)[0]
    for m in range(1, k + 1):
        drawn = hypergeom(k, yes, m)
        # Wrong where fewer than half of the sample say yes, half wrong where they are equal.
        expected = sum(float(drawn.pmf(x)) * (1 if 2 * x < m else 0.5 if 2 * x == m else 0) for x in range(m + 1))
        assert found[m - 1] == pytest.approx(expected, abs=1e-12)


def test_three_labels_are_the_multivariate_hypergeometric_distribution() -> None:
    votes = [5, 3, 2]
    found = error_of_fewer_votes([votes], most=10)[0]
    for m in range(1, 11):
        expected = 0.0
        for a in range(m + 1):
            for b in range(m + 1 - a):
                sample = np.array([a, b, m - a - b])
                right = (sample == sample.max())[0] / (sample == sample.max()).sum()
                expected += float(multivariate_hypergeom.pmf(sample, votes, m)) * (1 - right)
        assert found[m - 1] == pytest.approx(expected, abs=1e-9)


def test_four_labels_by_listing_all_samples() -> None:
    labels = np.repeat([0, 1, 2, 3], [3, 2, 2, 1])
    for m in range(1, 9):
        wrong = []
        for places in combinations(range(8), m):
            counts = np.bincount(labels[list(places)], minlength=4)
            best = counts == counts.max()
            wrong.append(1 - best[0] / best.sum())
        assert error_of_fewer_votes([[3, 2, 2, 1]], most=8)[0, m - 1] == pytest.approx(np.mean(wrong))


def test_a_tie_of_all_votes_has_no_label_to_compare_with() -> None:
    found = error_of_fewer_votes([[2, 2], [3, 0]], most=4)
    assert np.isnan(found[0]).all()
    assert found[1, :3].tolist() == [0, 0, 0]
    assert np.isnan(found[1, 3])


def test_many_votes_are_counted_exactly() -> None:
    found = error_of_fewer_votes([[40, 30, 20]], most=40)[0]
    assert found[0] == pytest.approx(50 / 90)
    assert (np.diff(found[2:]) < 0.01).all()


def test_means_by_listing_all_samples() -> None:
    values = np.array([1.0, 2.0, 5.0, 5.0, 3.0])
    found = error_of_fewer_means(values, np.zeros(5, dtype=int), most=5)[0]
    for m in range(1, 6):
        means = [values[list(places)].mean() for places in combinations(range(5), m)]
        assert found[m - 1] == pytest.approx(np.mean((np.array(means) - values.mean()) ** 2))


@pytest.mark.parametrize("counts", [[1, 2], [[0.5, 1]], [[-1, 2]]])
def test_what_is_no_table_of_counts_is_refused(counts: list[object]) -> None:
    with pytest.raises(ValueError, match="Counts are a table"):
        error_of_fewer_votes(counts, most=2)
    with pytest.raises(ValueError, match="at least 1"):
        error_of_fewer_votes([[1, 2]], most=0)
    with pytest.raises(ValueError, match="one length"):
        error_of_fewer_means([1.0], [0, 0], most=1)


def test_a_sample_takes_as_many_judgments_of_each_text_and_counts_labels_that_differ() -> None:
    texts, votes = np.array([5, 9, 5, 9, 5, 9]), np.array([1.0, 0, 1, 0, 0, 0])
    masks: list[NDArray[np.bool_]] = []

    def majority(mask: NDArray[np.bool_]) -> NDArray[np.float64]:
        masks.append(mask)
        means = np.array([[votes[mask & (texts == text)].mean()] for text in (5, 9)])
        return np.where(means == 0.5, np.nan, means > 0.5)

    rng = np.random.default_rng(3)
    found = error_on_samples(majority, texts, np.array([[1.0], [0.0]]), most=3, rounds=20, rng=rng)
    sizes = [[int((mask & (texts == text)).sum()) for text in (5, 9)] for mask in masks]
    assert sizes == [[m, m] for m in (1, 2, 3) for _round in range(20)]
    # The only vote against the label of the first text is judgment 4: alone it is wrong, beside another half wrong.
    only_wrong = np.array([mask[4] for mask in masks]).reshape(3, 20).mean(axis=1)
    assert 0 < only_wrong[0] < 1
    assert 0 < only_wrong[1] < 1
    assert found[0, 0].tolist() == pytest.approx([only_wrong[0], only_wrong[1] / 2, 0])
    assert found[1, 0].tolist() == [0, 0, 0]


def test_samples_that_cannot_be_labelled_have_no_error() -> None:
    reference = np.array([[1.0, 0.0]])
    rng = np.random.default_rng(3)

    def labels_of(mask: NDArray[np.bool_]) -> NDArray[np.float64] | None:
        return reference if mask.sum() > 1 else None

    found = error_on_samples(labels_of, [0, 0], reference, most=2, rounds=3, rng=rng)
    assert np.isnan(found[..., 0]).all()
    assert found[..., 1].tolist() == [[0, 0]]
