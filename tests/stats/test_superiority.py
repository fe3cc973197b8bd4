"""The probability of superiority: all pairs of ratings written out, and Mann and Whitney's U."""

from collections.abc import Iterable

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from analytics_app.stats.comparison.paired import superiority
from analytics_app.stats.values import Estimate
from tests.stats import naive

NAN = float("nan")
ROWS = st.lists(
    st.tuples(st.integers(1, 4) | st.floats(0, 5) | st.just(NAN), st.integers(0, 2), st.integers(0, 3)), max_size=40
)


def chances(
    values: object, systems: object, items: object, pairs: Iterable[tuple[int, int]] = ((0, 1),), **options: object
) -> list:
    chosen = {"n_resamples": 200, "confidence": 0.95, "rng": np.random.default_rng(1)} | options
    return superiority(values, systems, items, list(pairs), **chosen)


def ratings(seed: int, n_items: int = 30) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    items, systems = np.repeat(np.arange(n_items), 8), np.tile([0, 0, 0, 1, 1, 1, 2, 2], n_items)
    values = np.clip(np.round(rng.normal(3, 1, n_items)[items] + 0.5 * systems + rng.normal(size=items.size)), 1, 5)
    return values, systems, items


@given(ROWS)
def test_as_all_pairs_written_out(rows: list[tuple[float, int, int]]) -> None:
    values, systems, items = (np.array([row[k] for row in rows]) for k in range(3))
    pairs = [(0, 1), (2, 0)]
    found = chances(values, systems.astype(int), items.astype(int), pairs, n_resamples=20)
    for (a, b), estimate in zip(pairs, found, strict=True):
        of_items, n_ratings = [], 0
        for item in range(4):
            here = (items == item) & ~np.isnan(values)
            x, y = values[here & (systems == a)], values[here & (systems == b)]
            if x.size and y.size:
                of_items.append(naive.superiority(x, y))
                n_ratings += x.size + y.size
        assert estimate.value == (pytest.approx(np.mean(of_items)) if of_items else None)
        assert (estimate.n_items, estimate.n_ratings) == (len(of_items), n_ratings)


def test_one_item_is_mann_and_whitney() -> None:
    # Vargha and Delaney's A is U / (m n).
    a, b = [3, 4, 4, 5, 2], [1, 4, 3, 3]
    (estimate,) = chances([*a, *b], [0] * 5 + [1] * 4, [7] * 9)
    assert estimate.value == pytest.approx(scipy.stats.mannwhitneyu(a, b).statistic / 20)
    assert (estimate.low, estimate.n_items, estimate.n_ratings) == (None, 1, 9)
    assert estimate.note == "An interval takes at least two items, or documents, with both systems."


def test_the_interval_is_that_of_scipys_bootstrap_over_items() -> None:
    values, systems, items = ratings(2, n_items=60)
    (estimate,) = chances(values, systems, items, [(2, 0)], n_resamples=20_000)
    of_items = [
        naive.superiority(values[(items == item) & (systems == 2)], values[(items == item) & (systems == 0)])
        for item in range(60)
    ]
    limits = scipy.stats.bootstrap(
        (of_items,), np.mean, n_resamples=20_000, method="percentile", rng=np.random.default_rng(3)
    ).confidence_interval
    assert (estimate.low, estimate.high) == pytest.approx((limits.low, limits.high), abs=0.01)


def test_the_other_way_round_is_one_minus() -> None:
    one, other = chances(*ratings(1), [(0, 1), (1, 0)])
    assert one.value + other.value == pytest.approx(1)
    assert (one.low + other.high, one.high + other.low) == pytest.approx((1, 1))


def test_only_the_order_of_ratings_counts() -> None:
    values, systems, items = ratings(3)
    assert chances(np.exp(values) - 40, systems, items) == chances(values, systems, items)


@given(st.integers(0, 10**6))
def test_order_of_rows_and_codes_of_items_change_no_digit(seed: int) -> None:
    values, systems, items = ratings(seed, n_items=12)
    rows = np.random.default_rng(seed).permutation(values.size)
    plain = chances(values, systems, items)
    assert chances(values[rows], systems[rows], 10**9 + 5 * items[rows]) == plain


def test_all_equal_is_one_half() -> None:
    (estimate,) = chances([3] * 40, [0, 1] * 20, np.arange(40) // 4)
    assert (estimate.value, estimate.low, estimate.high) == (0.5, None, None)


def test_systems_without_a_common_item() -> None:
    (estimate,) = chances([1, 2, NAN], [0, 1, 1], [0, 1, 0])
    assert estimate == Estimate(None, n_ratings=0, n_items=0, note="No item has ratings of both systems.")
    assert chances([], [], [])[0].value is None


def test_documents_are_drawn_whole() -> None:
    values, systems, items = ratings(4)
    (by_item,) = chances(values, systems, items, n_resamples=2000)
    (by_document,) = chances(values, systems, items, clusters=items // 10, n_resamples=2000)
    assert by_document.value == by_item.value
    assert by_document.note == "The interval rests on 3 items or documents only."
    assert (by_document.low, by_document.high) != (by_item.low, by_item.high)
    (alone,) = chances(values, systems, items, clusters=items + 4, n_resamples=2000)
    assert alone == by_item


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"pairs": [(0, 0)]}, "two different"),
        ({"clusters": [0, 1, 0]}, "one cluster only"),
        ({"clusters": [0, 1]}, "shape"),
        ({"n_resamples": -1}, "resamples"),
        ({"confidence": 0}, "confidence"),
    ],
)
def test_wrong_input_is_refused(options: dict, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        chances([1, 2, 3], [0, 1, 1], [0, 0, 1], **{"clusters": None, **options})
