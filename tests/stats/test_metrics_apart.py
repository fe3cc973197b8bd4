"""Adjacent levels that a metric tells apart, and systems on which it agrees with people equally well."""

import numpy as np
import pytest
import scipy.stats

from analytics_app.stats.metrics.adjacent_levels import adjacent_levels
from analytics_app.stats.metrics.equal_systems import systems_differ
from bench.metrics_apart import Study, equally_far, levels_of, lower_end, one_system


def areas(levels: list[int], scores: list[float], units: list[int]) -> list[float | None]:
    return [area.value for area in adjacent_levels(levels, scores, units, confidence=0.95).areas]


def test_an_area_is_the_share_of_pairs_of_texts_in_the_order_of_their_levels() -> None:
    rng = np.random.default_rng(1)
    levels, scores = rng.integers(0, 3, 60), np.round(rng.normal(size=60), 1)
    found = adjacent_levels(levels, scores, np.arange(60), confidence=0.95)
    for lower, area in enumerate(found.areas):
        low, high = scores[levels == lower], scores[levels == lower + 1]
        pairs = np.sign(high[:, np.newaxis] - low)
        assert area.value == pytest.approx(((pairs > 0).sum() + (pairs == 0).sum() / 2) / pairs.size)
        u = scipy.stats.mannwhitneyu(high, low).statistic
        assert area.value == pytest.approx(u / (low.size * high.size))
    of_lowest = scores[levels == 0]
    assert found.levels[0].median == np.median(of_lowest)
    assert found.levels[0].n == of_lowest.size
    assert found.levels[0].mean == pytest.approx(of_lowest.mean())


def test_the_variance_of_an_area_without_clusters_is_that_of_delong() -> None:
    """DeLong's structural components by their definition; Obuchowski's variance is theirs where a unit has one text."""
    rng = np.random.default_rng(2)
    low, high = rng.normal(size=200), rng.normal(0.5, 1, size=300)
    wins = (high[:, np.newaxis] > low).astype(float)
    delong = wins.mean(axis=1).var(ddof=1) / high.size + wins.mean(axis=0).var(ddof=1) / low.size
    scores, levels = np.concatenate([low, high]), np.repeat([0, 1], [200, 300])
    (area,) = adjacent_levels(levels, scores, np.arange(500), confidence=0.95).areas
    assert area.se == pytest.approx(np.sqrt(delong), rel=0.005)
    assert area.low is not None
    assert area.value is not None
    assert area.high is not None
    assert area.low < area.value < area.high
    # The same texts twice, as two texts of each item, say no more than once.
    (twice,) = adjacent_levels(
        np.tile(levels, 2), np.tile(scores, 2), np.tile(np.arange(500), 2), confidence=0.95
    ).areas
    assert twice.se == pytest.approx(area.se)


def test_levels_without_texts_are_skipped_and_few_texts_have_no_area() -> None:
    assert areas([0] * 5 + [3] * 5, [1, 2, 3, 4, 5, 3, 4, 5, 6, 7], [*range(10)]) == [0.82]
    found = adjacent_levels([0] * 4 + [1] * 9, range(13), range(13), confidence=0.95)
    assert found.areas[0].note == "A level needs at least 5 texts; here are 4 below and 9 above."
    assert found.differ.note is not None
    assert "at least two pairs of adjacent levels" in found.differ.note
    (apart,) = adjacent_levels([0] * 6 + [1] * 6, range(12), range(12), confidence=0.95).areas
    assert (apart.value, apart.low, apart.note) == (
        1, None, "The metric separates the two levels completely, so there is no interval.",
    )  # fmt: skip
    (few,) = adjacent_levels([0, 1] * 6, [1, 2, 2, 1, 3, 4] * 2, [0, 1] * 6, confidence=0.95).areas
    assert few.p is None
    assert few.note is not None
    assert "Texts of 2 items or documents are too few" in few.note
    empty = adjacent_levels([], [], np.zeros(0, dtype=int), confidence=0.95)
    assert (empty.levels, empty.areas, empty.differ.value) == ((), (), None)
    unscored = adjacent_levels([0, 1], [np.nan, np.nan], [0, 1], confidence=0.95)
    assert unscored.levels == ()


def test_a_metric_that_is_good_at_the_lower_end_only_is_found() -> None:
    rng = np.random.default_rng(3)
    study = Study.drawn(100, 4, rng)
    levels = levels_of(study.people).astype(int).ravel()
    items = np.repeat(np.arange(100), 4)
    found = adjacent_levels(levels, lower_end(study, rng).ravel(), items, confidence=0.95)
    lowest, *others = found.areas
    assert lowest.low is not None
    assert lowest.low > 0.8
    assert all(area.low is not None and area.high is not None and area.low < 0.5 < area.high for area in others)
    assert found.differ.p is not None
    assert found.differ.p < 0.001
    even = adjacent_levels(levels, equally_far(study, rng).ravel(), items, confidence=0.95)
    assert even.differ.p is not None
    assert even.differ.p > 0.05


def test_a_metric_that_is_good_for_one_system_only_is_found() -> None:
    rng = np.random.default_rng(4)
    study = Study.drawn(60, 4, rng)
    for ranks in (False, True):
        planted = systems_differ(study.people, one_system(study, rng), ranks=ranks, n_permutations=199, rng=rng)
        assert planted.p == 1 / 200
        equal = systems_differ(study.people, study.metric(rng, 1.0), ranks=ranks, n_permutations=199, rng=rng)
        assert equal.p is not None
        assert equal.p > 0.05


def test_the_spread_is_that_of_the_correlations_of_the_systems() -> None:
    rng = np.random.default_rng(5)
    people, scores = rng.normal(size=(20, 3)), rng.normal(size=(20, 3))
    people[:4, 0], scores[18:, 1] = np.nan, np.nan
    for ranks, coefficient in ((False, scipy.stats.pearsonr), (True, scipy.stats.spearmanr)):
        found = systems_differ(people, scores, ranks=ranks, n_permutations=9, rng=rng)
        by_system = []
        for x, y in zip(people.T, scores.T, strict=True):
            known = ~np.isnan(x + y)
            by_system.append(coefficient(x[known], y[known]).statistic)
        assert found.value == pytest.approx(max(by_system) - min(by_system))
        assert (found.n_ratings, found.n_items) == (3, 20)


def test_documents_are_exchanged_whole_and_what_cannot_be_exchanged_has_no_test() -> None:
    rng = np.random.default_rng(6)
    people = rng.normal(size=(12, 2))
    scores = np.column_stack([people[:, 0], -people[:, 1]])
    # With two documents there are four exchanges, of which two leave the systems as they are.
    found = systems_differ(people, scores, clusters=np.repeat([0, 1], 6), n_permutations=999, rng=rng)
    assert found.p is not None
    assert found.p > 0.4
    apart = np.full((12, 2), np.nan)
    apart[:6, 0], apart[6:, 1] = people[:6, 0], people[6:, 1]
    alone = systems_differ(apart, scores, n_permutations=9, rng=rng)
    assert (alone.p, alone.note) == (
        None, "The systems share no items, so their scores cannot be exchanged within items.",
    )  # fmt: skip
    constant = systems_differ(people, np.ones((12, 2)), n_permutations=9, rng=rng)
    assert constant.note is not None
    assert "here are 0" in constant.note
    with pytest.raises(ValueError, match="at least 1 permutation"):
        systems_differ(people, scores, n_permutations=0, rng=rng)
