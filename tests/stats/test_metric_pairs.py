"""Two metrics against each other, compared with scipy, a loop over resamples, and published means of systems."""

import csv

import numpy as np
import pytest
import scipy.stats

from analytics_app.stats.metrics.metric_pairs import pair_over_systems, pair_over_texts
from analytics_app.stats.metrics.system_scores import correlated_scores
from tests.reproduction.published import folder_of, missing

NAN = np.nan
RNG = np.random.default_rng(8)
A = RNG.normal(size=(20, 6)) + np.arange(6) / 2
B = np.round(A + RNG.normal(size=A.shape), 1)
ITEMS = np.repeat(np.arange(20), 6)
DRAWN = {"n_resamples": 2000, "confidence": 0.95}


def rng() -> np.random.Generator:
    return np.random.default_rng(3)


def test_over_texts_as_scipy_has_it() -> None:
    holes = A.copy()
    holes[0, 0] = holes[4, 3] = NAN
    found = pair_over_texts(holes.ravel(), B.ravel(), ITEMS, rng=rng(), **DRAWN)
    there = ~np.isnan(holes)
    x, y = holes[there], B[there]
    assert found.pearson.value == pytest.approx(scipy.stats.pearsonr(x, y).statistic)
    assert found.spearman.value == pytest.approx(scipy.stats.spearmanr(x, y).statistic)
    assert found.kendall.value == pytest.approx(scipy.stats.kendalltau(x, y).statistic)
    assert (found.kendall.n_ratings, found.kendall.n_items, found.kendall.p) == (118, 20, None)


def test_intervals_are_those_of_a_loop_over_resamples_of_items() -> None:
    texts = pair_over_texts(A.ravel(), B.ravel(), ITEMS, rng=rng(), **DRAWN)
    systems = pair_over_systems(A, B, rng=rng(), **DRAWN)
    draw, by_text, by_system = np.random.default_rng(4), [], []
    for _resample in range(1000):
        some = draw.integers(0, 20, 20)
        by_text.append(scipy.stats.kendalltau(A[some].ravel(), B[some].ravel()).statistic)
        by_system.append(scipy.stats.kendalltau(A[some].mean(axis=0), B[some].mean(axis=0)).statistic)
    for found, loop in ((texts.kendall, by_text), (systems.kendall, by_system)):
        assert (found.low, found.high) == pytest.approx(tuple(np.quantile(loop, (0.025, 0.975))), abs=0.03)


def test_over_systems_as_scipy_has_it() -> None:
    found = pair_over_systems(A, B, rng=rng(), **DRAWN)
    x, y = A.mean(axis=0), B.mean(axis=0)
    every_order = scipy.stats.PermutationMethod(n_resamples=np.inf)
    expected = scipy.stats.pearsonr(x, y, method=every_order)
    assert (found.pearson.value, found.pearson.p) == pytest.approx((expected.statistic, expected.pvalue))
    assert found.kendall.p == pytest.approx(scipy.stats.kendalltau(x, y).pvalue)
    assert found.kendall.n_items == 20
    assert "6 systems are few" in str(found.spearman.note)
    # Whichever side is of systems as wholes, the correlation is the same.
    wholes = [3.0, 1.0, 2.0, 5.0, 4.0, 6.0]
    one, other = (pair_over_systems(*sides, rng=rng(), **DRAWN) for sides in ((A, wholes), (wholes, A)))
    assert one == other
    assert one.spearman.value == pytest.approx(scipy.stats.spearmanr(x, wholes).statistic)


def test_what_is_undefined_says_why() -> None:
    assert "2 have scores" in str(pair_over_texts([1, 2], [1, 2], [0, 1], rng=rng(), **DRAWN).pearson.note)
    same = pair_over_texts([1, 2, 3], [1, 1, 1], [0, 1, 2], rng=rng(), **DRAWN)
    assert "same score" in str(same.kendall.note)
    assert "at least 3 systems" in str(pair_over_systems([[1.0, 2]], [[1.0, 2]], rng=rng(), **DRAWN).kendall.note)
    apart = np.array([[1, 2, NAN, NAN], [2, 4, NAN, NAN], [NAN, NAN, 6, 8], [NAN, NAN, 5, 9]])
    assert "share no item" in str(pair_over_systems(apart, apart**2, rng=rng(), **DRAWN).kendall.note)
    assert "same score on one side" in str(correlated_scores([1, 2, 3], [1, 1, 1]).pearson.note)
    settled = correlated_scores([0.1 + 0.2, 0.3, 0.5], [1, 2, 3], settle=True).kendall.value
    assert settled == pytest.approx(scipy.stats.kendalltau([1, 1, 2], [1, 2, 3]).statistic)
    with pytest.raises(ValueError, match="same systems"):
        pair_over_systems(A, B[:, :3], rng=rng(), **DRAWN)


@pytest.mark.skipif(bool(missing("detox2022_tables")), reason=missing("detox2022_tables"))
def test_published_means_of_systems() -> None:
    """The automatic scores of 15 systems in Table 1 of Logacheva et al. (2022), and the p values, as scipy has them."""
    with (folder_of("detox2022_tables") / "system_scores.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    scores = {name: np.array([float(row[name]) for row in rows]) for name in ("STAa", "SIMa", "FLa", "Ja", "ChrF")}
    for a, b in (("STAa", "SIMa"), ("SIMa", "ChrF"), ("Ja", "FLa")):
        found = pair_over_systems(scores[a], scores[b], rng=rng(), **DRAWN)
        for estimate, test in (
            (found.pearson, scipy.stats.pearsonr),
            (found.spearman, scipy.stats.spearmanr),
            (found.kendall, scipy.stats.kendalltau),
        ):
            expected = test(scores[a], scores[b])
            assert (estimate.value, estimate.p) == pytest.approx((expected.statistic, expected.pvalue))
            assert estimate.n_ratings == 15
            assert "no interval" in str(estimate.note)
