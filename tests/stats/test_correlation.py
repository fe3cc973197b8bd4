"""Correlation between raters: R's irr, scipy, and all pairs written out."""

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from analytics_app.stats.agreement import correlation, pooled, rater_pairs
from analytics_app.stats.agreement.correlation import BetweenRaters, between_raters
from analytics_app.stats.agreement.pooled import pooled_samples, shared_units
from tests.stats import naive

NAN = float("nan")
METHODS = ["pearson", "spearman"]
PLAIN = {"pearson": scipy.stats.pearsonr, "spearman": scipy.stats.spearmanr}

# The anxiety data of R's irr, items x raters.
ANXIETY = [
    [3, 3, 2], [3, 6, 1], [3, 4, 4], [4, 6, 4], [5, 2, 3], [5, 4, 2], [2, 2, 1], [3, 4, 6], [5, 3, 1], [2, 3, 1],
    [2, 2, 1], [6, 3, 2], [1, 3, 3], [5, 3, 3], [2, 2, 1], [2, 2, 1], [1, 1, 3], [2, 3, 3], [4, 3, 2], [3, 4, 2],
]  # fmt: skip

# Human scores and a metric's, compared by R cor(): reference_values.json, metric_correlations.
HUMAN = [44, 52, 42, 66, 53, 42, 55, 57, 56, 47, 65, 54, 44, 28, 61, 50, 50, 59, 58, 56, 59, 58, 51, 30, 56, 49, 48, 35]
HUMAN += [45, 54]
METRIC = [42, 36, 33, 46, 26, 26, 35, 39, 48, 39, 44, 36, 36, 24, 37, 29, 38, 47, 40, 46, 44, 36, 38, 12, 51, 50, 31]
METRIC += [16, 36, 37]


def of(matrix: list[list[float]], **options: object) -> BetweenRaters:
    """Items x raters."""
    table = np.array(matrix, dtype=float)
    units, raters = np.indices(table.shape)
    return between_raters(table.ravel(), units.ravel(), raters.ravel(), **options)


def crowd(seed: int, n_units: int = 30, n_raters: int = 8, each: int = 4) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Every unit rated by another choice of raters."""
    rng = np.random.default_rng(seed)
    units = np.repeat(np.arange(n_units), each)
    raters = np.concatenate([rng.choice(n_raters, each, replace=False) for _unit in range(n_units)])
    values = np.clip(np.round(rng.normal(size=n_units)[units] + rng.normal(size=units.size) + 3), 1, 5)
    return values, units, raters


def test_mean_over_pairs_of_r_and_numpy() -> None:
    # R irr::meancor (fisher = TRUE) .2235020324; plain mean, numpy: .221505809.
    result = of(ANXIETY)
    assert result.mean.value == pytest.approx(0.221505809, abs=1e-8)
    assert result.mean_fisher.value == pytest.approx(0.2235020324, abs=1e-8)
    assert result.mean.note == "Mean over pairs of raters who share at least 3 texts: 3."
    assert (result.mean.n_items, result.mean.n_raters) == (20, 3)


@pytest.mark.parametrize(("method", "expected"), [("pearson", 0.726359095701), ("spearman", 0.631450639577)])
def test_two_columns_of_r(method: str, expected: float) -> None:
    result = of(np.transpose([HUMAN, METRIC]).tolist(), method=method)
    for estimate in (result.pooled, result.mean, result.mean_fisher, result.pairs[0].estimate):
        assert estimate.value == pytest.approx(expected, abs=1e-10)


def test_two_raters_have_the_test_and_limits_of_scipy() -> None:
    estimate = of(np.transpose([HUMAN, METRIC]).tolist()).pooled
    expected = scipy.stats.pearsonr(HUMAN, METRIC)
    assert (estimate.p, estimate.df) == pytest.approx((expected.pvalue, 28))
    assert (estimate.low, estimate.high) == pytest.approx(tuple(expected.confidence_interval(0.95)))
    assert (estimate.n_ratings, estimate.n_items, estimate.n_raters) == (60, 30, 2)


def test_two_raters_by_ranks() -> None:
    estimate = of(np.transpose([HUMAN, METRIC]).tolist(), method="spearman", confidence=0.9).pooled
    assert estimate.p == pytest.approx(scipy.stats.spearmanr(HUMAN, METRIC).pvalue)
    # Bonett and Wright (2000): variance (1 + r^2/2)/(n - 3) on Fisher's scale.
    half = scipy.stats.norm.ppf(0.95) * np.sqrt((1 + estimate.value**2 / 2) / 27)
    expected = np.tanh(np.arctanh(estimate.value) + np.array([-half, half]))
    assert (estimate.low, estimate.high) == pytest.approx(tuple(expected))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("seed", range(3))
def test_as_all_pairs_written_out(method: str, seed: int) -> None:
    values, units, raters = crowd(seed)
    rows = naive.pairs_of_ratings(values, units, raters)
    result = between_raters(values, units, raters, method=method)
    first, second = np.array([row[2:] for row in rows]).T
    assert result.pooled.value == pytest.approx(PLAIN[method](first, second).statistic, abs=1e-12)
    assert result.pooled.p is None

    by_pair: dict[tuple[int, int], list[tuple[float, float]]] = {}
    for a, b, x, y in rows:
        by_pair.setdefault((a, b), []).append((x, y))
    assert [(pair.rater_a, pair.rater_b) for pair in result.pairs] == sorted(by_pair)
    defined = []
    for pair in result.pairs:
        x, y = np.array(by_pair[pair.rater_a, pair.rater_b]).T
        assert pair.estimate.n_items == x.size
        if x.size < 3 or np.ptp(x) == 0 or np.ptp(y) == 0:
            assert pair.estimate.value is None
        else:
            expected = PLAIN[method](x, y)
            assert pair.estimate.value == pytest.approx(expected.statistic, abs=1e-12)
            perfect = abs(expected.statistic) > 1 - 1e-12
            assert pair.estimate.p == (None if perfect else pytest.approx(expected.pvalue, abs=1e-9))
            defined.append(expected.statistic)
    assert result.mean.value == pytest.approx(np.mean(defined))
    imperfect = [r for r in defined if abs(r) < 1 - 1e-12]
    assert result.mean_fisher.value == pytest.approx(np.tanh(np.arctanh(imperfect).mean()))


SMALL = st.lists(
    st.tuples(st.sampled_from([1, 2, 3, 0.1, NAN]), st.integers(0, 4), st.integers(0, 3)),
    max_size=16,
    unique_by=lambda row: row[1:],
)


@given(SMALL, st.sampled_from(METHODS))
def test_small_and_degenerate(rows: list[tuple[float, int, int]], method: str) -> None:
    values, units, raters = ([row[k] for row in rows] for k in range(3))
    result = between_raters(values, np.array(units, dtype=int), np.array(raters, dtype=int), method=method)
    pairs = naive.pairs_of_ratings(values, units, raters)
    first, second = [pair[2] for pair in pairs], [pair[3] for pair in pairs]
    if len(set(first)) < 2 or len(set(second)) < 2:
        assert result.pooled.value is None
        assert result.pooled.note
    else:
        assert result.pooled.value == pytest.approx(PLAIN[method](first, second).statistic, abs=1e-9)


@given(st.integers(0, 10**6), st.sampled_from(METHODS))
def test_order_of_rows_and_codes_of_units_change_nothing(seed: int, method: str) -> None:
    values, units, raters = crowd(seed, n_units=12)
    rows = np.random.default_rng(seed).permutation(values.size)
    plain = between_raters(values, units, raters, method=method)
    assert between_raters(values[rows], units[rows], raters[rows], method=method) == plain
    other = between_raters(values, 500 - units, raters, method=method)
    assert other.mean.value == pytest.approx(plain.mean.value, abs=1e-12)
    assert other.pooled.value == pytest.approx(plain.pooled.value, abs=1e-12)


@given(st.integers(0, 10**6), st.sampled_from(METHODS))
def test_codes_of_raters_change_the_pooled_value_only(seed: int, method: str) -> None:
    values, units, raters = crowd(seed, n_units=12)
    codes = np.random.default_rng(seed).permutation(100)[:8]
    plain = between_raters(values, units, raters, method=method)
    other = between_raters(values, units, codes[raters], method=method)
    for name in ("mean", "mean_fisher"):
        a, b = getattr(plain, name), getattr(other, name)
        assert (a.value, a.note) == (pytest.approx(b.value, abs=1e-12), b.note)
    as_they_were = {frozenset((codes[p.rater_a], codes[p.rater_b])): p.estimate.value for p in plain.pairs}
    for pair in other.pairs:
        before = as_they_were[frozenset((pair.rater_a, pair.rater_b))]
        assert pair.estimate.value == (before if before is None else pytest.approx(before, abs=1e-12))


@pytest.mark.parametrize("method", METHODS)
def test_blocks_do_not_change_a_digit(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    values, units, raters = crowd(5, n_units=60, n_raters=20, each=6)
    whole = between_raters(values, units, raters, method=method)
    monkeypatch.setattr(rater_pairs, "_BLOCK", 50)
    assert between_raters(values, units, raters, method=method) == whole


@pytest.mark.parametrize("method", METHODS)
def test_a_resample_of_units_is_their_correlation(method: str) -> None:
    values, units, raters = crowd(6, n_units=12)
    shared = shared_units(values, units, raters)
    samples = pooled_samples(shared, method, 40, np.random.default_rng(3))
    assert samples is not None
    for b, row in enumerate(np.random.default_rng(3).integers(12, size=(40, 12))):
        chosen = [np.flatnonzero(units == unit) for unit in row]
        drawn = np.concatenate(chosen)
        new_units = np.repeat(np.arange(12), [len(rows) for rows in chosen])
        pairs = naive.pairs_of_ratings(values[drawn], new_units, raters[drawn])
        first, second = np.array([pair[2:] for pair in pairs]).T
        assert samples[b] == pytest.approx(PLAIN[method](first, second).statistic, abs=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_the_pooled_value_has_an_interval_where_asked(method: str) -> None:
    values, units, raters = crowd(7, n_units=200)
    options = {"method": method, "n_resamples": 2000}
    one = between_raters(values, units, raters, rng=np.random.default_rng(1), **options).pooled
    assert one == between_raters(values, units, raters, rng=np.random.default_rng(1), **options).pooled
    assert one.low < one.value < one.high
    samples = pooled_samples(shared_units(values, units, raters), method, 2000, np.random.default_rng(1))
    assert (one.low, one.high) == pytest.approx(np.percentile(samples, [2.5, 97.5]))
    assert one.se == pytest.approx(samples.std(ddof=1))


def test_ranks_of_a_wide_scale_have_no_interval() -> None:
    values, units, raters = crowd(7)
    values = values + np.arange(values.size) / 1000
    options = {"n_resamples": 99, "rng": np.random.default_rng(1)}
    spearman = between_raters(values, units, raters, method="spearman", **options).pooled
    assert (spearman.low, spearman.note) == (None, "No interval: it takes a scale of at most 20 values.")
    assert between_raters(values, units, raters, **options).pooled.low is not None


def test_few_texts_have_no_bootstrap_interval() -> None:
    values, units, raters = crowd(7, n_units=9)
    estimate = between_raters(values, units, raters, n_resamples=99, rng=np.random.default_rng(1)).pooled
    assert estimate.value is not None
    assert estimate.note == "Too few texts with two ratings or more for an interval: 9, and it takes 10."


def test_a_constant_rater_is_left_out_and_said() -> None:
    # 0/0: reference_values.json, undefined_correlation_constant.
    result = of([[1, 1, 2], [1, 2, 1], [1, 3, 4], [1, 4, 3]])
    assert [pair.estimate.value is None for pair in result.pairs] == [True, True, False]
    assert result.pairs[0].estimate.note == (
        "One rater gave all texts the same rating, so the correlation is undefined."
    )
    assert result.mean.value == pytest.approx(scipy.stats.pearsonr([1, 2, 3, 4], [2, 1, 4, 3]).statistic)
    assert "one gave all texts the same rating: 2." in result.mean.note
    assert result.mean.n_raters == 2


def test_a_constant_of_tenths_is_constant() -> None:
    # The mean of thirty times 0.1 is not 0.1, and neither are the deviations 0.
    table = np.column_stack([np.full(30, 0.1), np.arange(30)])
    result = of(table.tolist())
    assert result.pooled.value is result.mean.value is result.pairs[0].estimate.value is None
    assert result.pooled.note == "All ratings on one side are the same, so the correlation is undefined."
    assert result.mean.note == "In every pair of raters one gave all texts the same rating."


def test_two_raters_who_agree_perfectly_have_no_p_of_zero() -> None:
    estimate = between_raters([1, 2, 4, 2, 4, 8], [0, 1, 2, 0, 1, 2], [0, 0, 0, 1, 1, 1]).pooled
    assert (estimate.value, estimate.p, estimate.df) == (1, None, None)
    assert "no p from the t distribution" in estimate.note


def test_perfect_correlations_have_no_fisher_z() -> None:
    result = of([[1, 2, 1], [2, 4, 3], [3, 6, 2], [5, 10, 5]])
    assert result.pairs[0].estimate.value == 1
    assert result.pairs[0].estimate.low is None
    others = [pair.estimate.value for pair in result.pairs[1:]]
    assert result.mean.value == pytest.approx((1 + sum(others)) / 3)
    assert result.mean_fisher.value == pytest.approx(others[0])
    assert "perfect correlation: 1." in result.mean_fisher.note
    alone = of([[1, 2], [2, 4], [3, 6]])
    assert alone.mean.value == 1
    assert alone.mean_fisher.value is None


def test_raters_who_share_too_little() -> None:
    matrix = [[1, 2, NAN], [2, 1, 4], [NAN, 3, 5], [NAN, 1, 1]]
    result = of(matrix)
    assert result.pairs[0].estimate.note == "These raters share fewer than 3 texts."
    assert [pair.estimate.n_items for pair in result.pairs] == [2, 1, 3]
    assert result.mean.value == result.pairs[2].estimate.value
    none = of(matrix, min_shared=4).mean
    assert (none.value, none.note) == (None, "No two raters share at least 4 texts.")
    two = of(matrix, min_shared=2).pairs[0].estimate
    assert (two.value, two.p, two.low) == (-1, None, None)
    assert two.note == "Over two texts every correlation is 1 or -1."


def test_three_texts_have_a_test_and_no_limits() -> None:
    estimate = of([[1, 2], [2, 1], [3, 4]]).pooled
    assert estimate.p == pytest.approx(scipy.stats.pearsonr([1, 2, 3], [2, 1, 4]).pvalue)
    assert estimate.low is None


@pytest.mark.parametrize("matrix", [[[1], [2], [3]], [[1, NAN], [NAN, 2]]])
def test_one_rating_a_text_has_no_correlation(matrix: list[list[float]]) -> None:
    result = of(matrix)
    assert result.pooled.note == "No two raters rated the same text, so there is no correlation."
    assert (result.mean.value, result.mean_fisher.value, result.pairs) == (None, None, ())


def test_nothing_rated() -> None:
    assert between_raters([], [], []).pooled.note == "Nothing was rated."


def test_only_so_many_pairs_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    values, units, raters = crowd(1)
    listed = len(between_raters(values, units, raters).pairs)
    monkeypatch.setattr(correlation, "_LISTED", listed - 1)
    result = between_raters(values, units, raters)
    assert result.pairs == ()
    assert result.mean.value is not None


def test_too_many_pairs_of_ratings_leave_the_pooled_value(monkeypatch: pytest.MonkeyPatch) -> None:
    values, units, raters = crowd(1)
    monkeypatch.setattr(correlation, "_RATING_PAIRS", 179)
    result = between_raters(values, units, raters)
    assert result.pooled.value is not None
    assert (result.mean.value, result.pairs) == (None, ())
    assert "180 pairs of ratings" in result.mean.note


def test_wide_tables_are_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    values, units, raters = crowd(1)
    monkeypatch.setattr(pooled, "_CELLS", 100)
    assert pooled_samples(shared_units(values, units, raters), "spearman", 9, np.random.default_rng(1)) is None


@pytest.mark.parametrize(
    ("options", "said"),
    [({"method": "kendall"}, "method"), ({"min_shared": 1}, "at least 2"), ({"confidence": 2}, "confidence")],
)
def test_wrong_settings_are_refused(options: dict, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        of(ANXIETY, **options)


def test_two_ratings_of_a_unit_by_one_rater_are_refused() -> None:
    with pytest.raises(ValueError, match="several ratings"):
        between_raters([1, 2, 3], [0, 0, 0], [1, 2, 1])
