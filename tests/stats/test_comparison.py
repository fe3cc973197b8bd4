"""Comparisons of systems: scipy's permutation and Wilcoxon tests, R's values, and what cannot be compared."""

from collections.abc import Iterable
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike

from analytics_app.stats.comparison import paired as paired_module
from analytics_app.stats.comparison.corrections import adjust
from analytics_app.stats.comparison.paired import Paired, item_means, paired
from analytics_app.stats.resampling import permutation
from analytics_app.stats.resampling.bootstrap import ALL_ALIKE, Adjusted
from analytics_app.stats.resampling.permutation import permutations_needed

NAN = float("nan")

# Ten items, two systems: R t.test, wilcox.test and coin's exact test (reference_values.json, paired_t, wilcoxon_ties).
BEFORE = [30, 25, 33, 28, 35, 22, 31, 27, 29, 34]
AFTER = [33, 27, 32, 31, 38, 25, 30, 30, 33, 36]


def compare(matrix: ArrayLike, pairs: Iterable[tuple[int, int]] = ((0, 1),), **options: object) -> list[Paired]:
    chosen = {"n_resamples": 200, "confidence": 0.95, "rng": np.random.default_rng(1)} | options
    return paired(matrix, list(pairs), **chosen)


def study(seed: int, n_items: int = 40, missing: float = 0.0) -> np.ndarray:
    """Item means of four systems, thirds of steps as three raters give them."""
    rng = np.random.default_rng(seed)
    quality = rng.normal(3, 0.7, (n_items, 1)) + rng.normal([0, 0.1, 0.3, 0.3], 0.5, (n_items, 4))
    matrix = np.clip(np.round(quality * 3) / 3, 1, 5)
    matrix[rng.random(matrix.shape) < missing] = NAN
    return matrix


def scipys_p(differences: np.ndarray, **options: object) -> float:
    result = scipy.stats.permutation_test(
        (differences,), lambda x, axis: x.sum(axis=axis), permutation_type="samples", vectorized=True, **options
    )
    return float(result.pvalue)


def test_published_values() -> None:
    (result,) = compare(np.transpose([AFTER, BEFORE]))
    assert result.difference.value == pytest.approx(2.1)
    assert result.wilcoxon.value == 3
    assert result.wilcoxon.p == pytest.approx(0.0078125, abs=1e-12)
    # dz is t over the root of n: R t.test gives t 3.84117779335.
    assert result.effect_size == pytest.approx(3.84117779335 / np.sqrt(10))
    assert (result.n_items, result.difference.n_items, result.wilcoxon.n_items) == (10, 10, 10)
    # R's t interval [0.8633, 3.3367] is a little wider than the percentiles of ten items.
    assert 0.8633 < result.difference.low < 1.4
    assert 2.8 < result.difference.high < 3.3367


@pytest.mark.parametrize("seed", range(3))
def test_all_flips_are_enumerated_where_they_are_few(seed: int) -> None:
    matrix = study(seed, n_items=12)
    pairs = list(combinations(range(4), 2))
    for result in compare(matrix, pairs, n_permutations=4096):
        # In whole numbers: scipy takes sums of thirds that differ in their last digit for different sums.
        thirds = np.round(3 * (matrix[:, result.a] - matrix[:, result.b]))
        expected = scipys_p(thirds, n_resamples=np.inf)
        assert result.permutation_p == pytest.approx(expected, abs=1e-12)


def test_exact_p_of_ten_items() -> None:
    (result,) = compare(np.transpose([AFTER, BEFORE]))
    expected = scipys_p(np.subtract(AFTER, BEFORE), n_resamples=np.inf)
    assert result.permutation_p == pytest.approx(expected, abs=1e-12)


def test_random_flips_come_near_the_exact_p() -> None:
    matrix = study(3, n_items=12) + np.random.default_rng(3).normal(0, 0.1, (12, 4))
    pairs = list(combinations(range(4), 2))
    exact = compare(matrix, pairs, n_permutations=2**12)
    drawn = compare(matrix, pairs, n_permutations=2**12 - 1, rng=np.random.default_rng(3))
    assert [result.permutation_p for result in drawn] != [result.permutation_p for result in exact]
    for one, other in zip(drawn, exact, strict=True):
        # Four standard errors of 4,095 draws.
        error = 4 * np.sqrt(other.permutation_p * (1 - other.permutation_p) / 4095) + 1 / 4096
        assert one.permutation_p == pytest.approx(other.permutation_p, abs=error)


def test_random_flips_come_near_scipys_on_many_items() -> None:
    matrix = study(5, n_items=150)
    for result in compare(matrix, [(0, 1), (0, 2), (2, 3)]):
        expected = scipys_p(matrix[:, result.a] - matrix[:, result.b], n_resamples=9999, rng=np.random.default_rng(2))
        assert result.permutation_p == pytest.approx(expected, abs=0.025)


def test_p_is_never_zero() -> None:
    (result,) = compare(np.column_stack([np.full(60, 5.0), np.arange(60) / 60]), n_permutations=999)
    assert result.permutation_p == 1 / 1000


def test_chunks_of_flips_are_all_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    matrix = study(8, n_items=80)
    (whole,) = compare(matrix)
    monkeypatch.setattr(permutation, "_CELLS", 800)
    (result,) = compare(matrix)
    assert result.permutation_p == pytest.approx(whole.permutation_p, abs=0.02)
    assert 0.05 < result.permutation_p < 0.95


def test_sums_that_are_equal_but_for_rounding_are_as_extreme() -> None:
    # 0.1 + 0.2 - 0.3 is not 0: without a tolerance some flips with the observed sum would be missed.
    matrix = np.array([[0.1, 0], [0.2, 0], [-0.3, 0], [0.4, 0], [0.5, 0], [-0.6, 0]])
    (result,) = compare(matrix)
    (whole,) = compare(np.round(matrix * 10))
    assert result.permutation_p == whole.permutation_p


def test_wilcoxon_ties_are_ties_whatever_rounding_does() -> None:
    # As thirds the differences 1/3 have several last digits, as whole numbers one.
    thirds = np.column_stack([[7 / 3, 4 / 3, 5 / 3, 11 / 3, 13 / 3, 2.0], [2.0, 1.0, 4 / 3, 3.0, 11 / 3, 2.0]])
    (result,), (whole,) = compare(thirds), compare(np.round(thirds * 3))
    assert (result.wilcoxon.value, result.wilcoxon.p) == (whole.wilcoxon.value, whole.wilcoxon.p)
    assert result.wilcoxon.n_items == 5
    assert result.permutation_p == whole.permutation_p


@pytest.mark.parametrize("seed", range(3))
def test_every_pair_as_scipy_and_numpy_have_it(seed: int) -> None:
    matrix = study(seed, missing=0.2)
    pairs = list(combinations(range(4), 2))
    results = compare(matrix, pairs)
    assert [(result.a, result.b) for result in results] == pairs
    for result in results:
        x, y = matrix[:, result.a], matrix[:, result.b]
        both = ~np.isnan(x) & ~np.isnan(y)
        differences = np.round(x[both] - y[both], 9)
        expected = scipy.stats.wilcoxon(differences, zero_method="wilcox")
        assert (result.wilcoxon.value, result.wilcoxon.p) == pytest.approx((expected.statistic, expected.pvalue))
        assert result.difference.value == pytest.approx(differences.mean())
        assert result.effect_size == pytest.approx(differences.mean() / differences.std(ddof=1))
        assert result.n_items == both.sum()


def test_adjusted_intervals_are_expanded_percentiles_of_the_shared_items_and_do_not_depend_on_the_test() -> None:
    matrix = study(3)[:12]
    matrix[[1, 4], 0] = np.nan
    apart = matrix[:, 2] - matrix[:, 0]
    draws = np.random.default_rng(6).integers(12, size=(500, 12))
    means = np.nanmean(apart[draws], axis=1)
    tail = scipy.stats.norm.cdf(np.sqrt(10 / 9) * scipy.stats.t.ppf(0.025, 9))
    for n_permutations in (0, 999):
        options = {"n_resamples": 500, "n_permutations": n_permutations, "confidence": Adjusted(0.95)}
        (found,) = compare(matrix, [(2, 0)], rng=np.random.default_rng(6), **options)
        ends = (found.difference.low, found.difference.high)
        assert ends == pytest.approx(np.quantile(means, [tail, 1 - tail]))


def test_the_interval_is_that_of_scipys_bootstrap() -> None:
    matrix = study(6, n_items=80)
    differences = matrix[:, 2] - matrix[:, 0]
    expected = scipy.stats.bootstrap(
        (differences,), np.mean, n_resamples=20_000, method="percentile", rng=np.random.default_rng(2)
    )
    (result,) = compare(matrix, [(2, 0)], n_resamples=20_000)
    limits = expected.confidence_interval
    assert (result.difference.low, result.difference.high) == pytest.approx((limits.low, limits.high), abs=0.01)
    assert result.difference.se == pytest.approx(expected.standard_error, rel=0.03)


@given(st.integers(0, 10**6))
def test_swapping_the_systems_turns_the_sign_only(seed: int) -> None:
    matrix = study(seed, n_items=30, missing=0.1)
    (one,), (other,) = compare(matrix, [(0, 2)]), compare(matrix, [(2, 0)])
    assert other.difference.value == pytest.approx(-one.difference.value, abs=1e-12)
    assert other.difference.low == pytest.approx(-one.difference.high, abs=1e-9)
    assert other.effect_size == pytest.approx(-one.effect_size)
    assert (other.permutation_p, other.wilcoxon) == (one.permutation_p, one.wilcoxon)


def test_a_pair_has_the_same_result_alone_and_among_others() -> None:
    matrix = study(7)
    pairs = list(combinations(range(4), 2))
    together = compare(matrix, pairs)
    for k, pair in enumerate(pairs):
        (alone,) = compare(matrix, [pair])
        assert alone.permutation_p == together[k].permutation_p
        assert alone.difference.low == pytest.approx(together[k].difference.low, abs=1e-12)


def test_the_same_seed_gives_the_same_digits() -> None:
    matrix = study(8)
    one, again, other = (compare(matrix, rng=np.random.default_rng(seed)) for seed in (3, 3, 4))
    assert one == again
    assert one != other


def test_documents_are_drawn_and_flipped_whole() -> None:
    rng = np.random.default_rng(9)
    documents = np.repeat(np.arange(12), rng.integers(1, 7, 12))
    effect = rng.normal(0.3, 1, 12)[documents]
    matrix = np.column_stack([effect + rng.normal(0, 0.3, documents.size), np.zeros(documents.size)])
    (result,) = compare(matrix, clusters=documents * 7, n_resamples=4000)
    frame = pd.Series(matrix[:, 0]).groupby(documents)
    assert result.permutation_p == pytest.approx(scipys_p(frame.sum().to_numpy(), n_resamples=np.inf), abs=1e-12)
    expected = scipy.stats.wilcoxon(frame.mean())
    assert (result.wilcoxon.value, result.wilcoxon.p) == pytest.approx((expected.statistic, expected.pvalue))
    slow = scipy.stats.bootstrap(
        (frame.sum().to_numpy(), frame.size().to_numpy(float)),
        lambda s, n, axis: s.sum(axis=axis) / n.sum(axis=axis),
        paired=True,
        n_resamples=4000,
        method="percentile",
        rng=np.random.default_rng(2),
    ).confidence_interval
    assert (result.difference.low, result.difference.high) == pytest.approx((slow.low, slow.high), abs=0.06)
    # The mean is that over items, and each item one document changes nothing.
    assert result.difference.value == pytest.approx(matrix[:, 0].mean())
    (alone,), (default,) = compare(matrix, clusters=np.arange(documents.size)), compare(matrix)
    assert alone == default


def test_all_differences_zero() -> None:
    matrix = np.column_stack([study(1)[:, 0]] * 2)
    (result,) = compare(matrix)
    assert (result.difference.value, result.difference.low, result.difference.high) == (0, None, None)
    assert result.wilcoxon.note == "All differences are zero."
    assert result.difference.note == f"All differences are zero. {ALL_ALIKE}"
    assert (result.permutation_p, result.wilcoxon.p, result.wilcoxon.n_items) == (1, 1, 0)
    assert result.effect_size is None


def test_equal_differences_have_no_effect_size() -> None:
    (result,) = compare([[1.1, 1.0], [2.1, 2.0], [3.1, 3.0], [4.1, 4.0]])
    assert result.effect_size is None
    assert result.permutation_p == 2 / 16


@pytest.mark.parametrize(
    "matrix", [[[1, 2]], [[1, NAN], [NAN, 2]], [[1, 2], [NAN, 2], [3, NAN]], np.zeros((0, 2)), [[NAN, NAN]] * 3]
)
def test_fewer_than_two_shared_items_are_undefined(matrix: object) -> None:
    (result,) = compare(matrix)
    assert (result.difference.value, result.wilcoxon.value) == (None, None)
    assert (result.permutation_p, result.effect_size) == (None, None)
    assert result.difference.note == "A comparison takes at least two items with ratings of both systems."
    assert result.n_items == result.difference.n_items < 2


def test_few_items_come_with_a_warning() -> None:
    few, enough = compare(study(1, n_items=9)), compare(study(1, n_items=10))
    assert few[0].difference.note == "The interval rests on 9 items or documents only."
    assert enough[0].difference.note is None


def test_one_document_has_a_difference_and_nothing_else() -> None:
    (result,) = compare(study(1, n_items=5), clusters=[3] * 5)
    assert result.difference.value is not None
    assert (result.difference.low, result.permutation_p, result.wilcoxon.value) == (None, None, None)
    assert result.difference.note == "An interval takes at least two items, or documents, with both systems."


def test_one_item_that_differs() -> None:
    (result,) = compare([[1, 2], [3, 3], [4, 4]])
    assert (result.permutation_p, result.wilcoxon.p) == (1, 1)


def test_without_resamples_and_permutations() -> None:
    (result,) = compare(study(1), n_resamples=0, n_permutations=0)
    assert (result.difference.low, result.permutation_p) == (None, None)
    assert result.difference.note is None
    assert compare(study(1), []) == []


@pytest.mark.parametrize(
    ("matrix", "options", "said"),
    [
        ([1, 2], {}, "two dimensions"),
        ([[1, float("inf")]], {}, "finite"),
        ([[1, 2]], {"pairs": [(0, 2)]}, "below 2"),
        ([[1, 2]], {"pairs": [(0, -1)]}, "at least 0"),
        ([[1, 2]], {"pairs": [(1, 1)]}, "two different"),
        ([[1, 2]], {"pairs": [(0, 1, 0)]}, "shape"),
        ([[1, 2]], {"clusters": [0, 1]}, "shape"),
        ([[1, 2]], {"n_permutations": -1}, "permutations"),
        ([[1, 2]], {"n_resamples": -1}, "resamples"),
        ([[1, 2]], {"confidence": 1}, "confidence"),
    ],
)
def test_wrong_input_is_refused(matrix: object, options: dict, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        compare(matrix, **options)


ROWS = st.lists(st.tuples(st.floats(-9, 9) | st.just(NAN), st.integers(0, 2), st.integers(0, 6)), max_size=40)


@given(ROWS)
def test_item_means_as_pandas_has_them(rows: list[tuple[float, int, int]]) -> None:
    frame = pd.DataFrame(rows, columns=["value", "system", "item"]).astype({"value": float, "system": int, "item": int})
    matrix, items = item_means(frame["value"], frame["system"], frame["item"] * 1000, 3)
    expected = frame.dropna().pivot_table(values="value", index="item", columns="system", aggfunc="mean")
    assert items.tolist() == (expected.index * 1000).tolist()
    assert matrix.shape == (len(items), 3)
    np.testing.assert_allclose(matrix, expected.reindex(columns=range(3)), rtol=1e-9, atol=1e-12)


def test_item_means_of_a_system_that_is_not_there_are_refused() -> None:
    with pytest.raises(ValueError, match="below 2"):
        item_means([1, NAN], [0, 2], [0, 0], 2)


@pytest.mark.parametrize("correction", ["holm", "bonferroni", "sidak", "holm-sidak", "fdr_bh", "none"])
@pytest.mark.parametrize("n_tests", [1, 6, 210])
def test_the_fewest_permutations_with_which_a_family_can_be_significant(correction: str, n_tests: int) -> None:
    needed = permutations_needed(n_tests, correction, 0.05)

    def least(n_permutations: int) -> float:
        """The least adjusted p: the largest differences there can be, in all tests."""
        return min(p for p in adjust([1 / (n_permutations + 1)] * n_tests, correction) if p is not None)

    assert least(needed) < 0.05
    assert least(needed - 1) >= 0.05 - 1e-12


def test_pairs_compared_some_at_a_time_have_the_draws_of_all_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    matrix = np.random.default_rng(5).normal(size=(30, 4)).round(1)
    pairs = [(a, b) for a in range(4) for b in range(a)]
    results = []
    for cells in (2**19, 60):
        monkeypatch.setattr(paired_module, "_CELLS", cells)
        options = {"n_resamples": 200, "confidence": 0.95, "rng": np.random.default_rng(1)}
        results.append(paired(matrix, pairs, n_permutations=499, **options))
    assert results[0] == results[1]


def test_wilcoxons_test_can_be_left_out() -> None:
    matrix, options = [[3, 1], [4, 3], [5, 2]], {"n_resamples": 0, "confidence": 0.95}
    with_ranks, without = (
        paired(matrix, [(0, 1)], ranks=ranks, rng=np.random.default_rng(1), **options)[0] for ranks in (True, False)
    )
    assert with_ranks.wilcoxon.value == 0
    assert without.wilcoxon.value is None
    assert without.difference == with_ranks.difference
