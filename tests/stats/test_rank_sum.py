"""Clusters by rank-sum tests: scipy's test, WMT's rule."""

import numpy as np
import pytest
import scipy.stats

from analytics_app.stats.comparison.rank_sum import FEW, clusters_of, rank_sum_clusters

NAN = float("nan")


def test_wmts_rule() -> None:
    # reference_values.json, wmt_clusters: a line where every system above beats every system below.
    beats = np.zeros((4, 4), dtype=bool)
    beats[0, 1:] = True
    beats[1, 3] = beats[2, 3] = True
    assert clusters_of(beats, [0, 1, 2, 3]) == [1, 2, 2, 3]
    assert clusters_of(np.zeros((3, 3), dtype=bool), [2, 0, 1]) == [1, 1, 1]


def test_the_test_is_scipys_one_sided_one() -> None:
    draw = np.random.default_rng(1)
    matrix = draw.normal(size=(40, 3)) + np.array([0.0, 0.8, 0.7])
    matrix[:5, 2] = NAN
    found = rank_sum_clusters(matrix)
    assert found.scores[2].n_items == 35
    for one in found.tests:
        x, y = (matrix[~np.isnan(matrix[:, k]), k] for k in (one.a, one.b))
        wanted = scipy.stats.mannwhitneyu(x, y, alternative="greater", method="asymptotic")
        assert (one.test.value, one.test.p) == pytest.approx((wanted.statistic, wanted.pvalue))
        assert x.mean() > y.mean()
        assert one.p_adjusted == one.test.p
    assert found.order[-1] == 0
    assert (found.clusters[0], found.ranges[0]) == (2, (3, 3))
    assert {found.ranges[1], found.ranges[2]} == {(1, 2)}


def test_scores_that_are_equal_but_for_rounding_tie() -> None:
    # Sums of the same z in another order: 0.1 + 0.2 + 0.3 is not 0.3 + 0.2 + 0.1.
    scores = np.array([0.1 + 0.2 + 0.3, -0.4, 0.7, 1.3, -1.1])
    other = np.array([0.3 + 0.2 + 0.1, -0.9, 0.7, 0.2, -1.2])
    assert scores[0] != other[0]
    (one,) = rank_sum_clusters(np.column_stack([scores, other])).tests
    exact = scipy.stats.mannwhitneyu(scores.round(6), other.round(6), alternative="greater", method="asymptotic")
    assert (one.test.value, one.test.p) == pytest.approx((exact.statistic, exact.pvalue))


def test_a_correction_can_only_join_clusters() -> None:
    draw = np.random.default_rng(7)
    matrix = draw.normal(size=(30, 6)) + np.linspace(0, 1.2, 6)
    plain, holm = rank_sum_clusters(matrix), rank_sum_clusters(matrix, correction="holm")
    assert max(filter(None, holm.clusters)) <= max(filter(None, plain.clusters))
    assert all(two.p_adjusted >= one.p_adjusted for one, two in zip(plain.tests, holm.tests, strict=True))


def test_degenerate_scores() -> None:
    same = rank_sum_clusters(np.ones((5, 2)))
    assert (same.clusters, same.tests[0].test.p) == ((1, 1), 1.0)
    one = rank_sum_clusters([[1.0, 2.0]])
    assert one.tests[0].test.note == FEW
    assert one.clusters == (1, 1)
    nothing = rank_sum_clusters([[NAN, 1.0], [NAN, 2.0]])
    assert nothing.clusters == (None, 1)
    assert nothing.scores[0].note
    assert nothing.ranges == (None, (1, 1))
    assert rank_sum_clusters(np.empty((0, 2))).clusters == (None, None)
    for matrix, options in (([1.0], {}), ([[1.0]], {"limit": 0})):
        with pytest.raises(ValueError, match=r"[a-z]"):
            rank_sum_clusters(matrix, **options)


def test_signed_ranks_are_scipys_on_the_segments_of_both() -> None:
    draw = np.random.default_rng(3)
    matrix = draw.normal(size=(30, 1)) + 0.4 * draw.normal(size=(30, 3)) + np.array([0.0, 0.15, 0.3])
    matrix[:4, 1] = NAN
    matrix[5, 0] = matrix[5, 2]
    found = rank_sum_clusters(matrix, paired=True)
    for one in found.tests:
        both = ~np.isnan(matrix[:, one.a] + matrix[:, one.b])
        wanted = scipy.stats.wilcoxon(matrix[both, one.a], matrix[both, one.b], alternative="greater")
        assert (one.test.value, one.test.p) == pytest.approx((wanted.statistic, wanted.pvalue))
        assert one.test.n_items == both.sum()
    # Segments differ more than systems, which only the paired test allows for.
    assert found.clusters != rank_sum_clusters(matrix).clusters
    same = rank_sum_clusters(np.ones((5, 2)), paired=True)
    assert (same.clusters, same.tests[0].test.p) == ((1, 1), 1.0)
    assert rank_sum_clusters([[1.0, 2.0]], paired=True).tests[0].test.note == FEW
