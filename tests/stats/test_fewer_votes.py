"""The error of fewer votes: against scipy's hypergeometric distributions, and against all samples listed one by one."""

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import hypergeom, multivariate_hypergeom

from analytics_app.stats.errors.fewer_votes import error_of_fewer_means, error_of_fewer_votes


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
