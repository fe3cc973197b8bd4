"""Orders of parts are balanced over columns in every prefix."""

from collections import Counter
from itertools import islice
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks_app.settings.orders import latin_orders


@given(n=st.integers(1, 7), seed=st.integers(0, 2**32))
def test_every_prefix_has_each_part_in_each_column_equally_often(n: int, seed: int) -> None:
    counts = Counter({(part, column): 0 for part in range(n) for column in range(n)})
    for number, order in enumerate(islice(latin_orders(n, Random(seed)), 3 * n + 2), start=1):
        assert sorted(order) == list(range(n))
        counts.update((part, column) for column, part in enumerate(order))
        assert max(counts.values()) - min(counts.values()) <= 1
        if number % n == 0:
            assert set(counts.values()) == {number // n}


def test_a_seed_gives_one_stream_and_all_orders_come() -> None:
    assert [*islice(latin_orders(4, Random(5)), 9)] == [*islice(latin_orders(4, Random(5)), 9)]
    counts = Counter(islice(latin_orders(3, Random(1)), 600))
    assert len(counts) == 6
    assert min(counts.values()) > 60


def test_an_order_of_nothing_is_refused_at_once() -> None:
    with pytest.raises(ValueError, match="at least one part"):
        latin_orders(0, Random(1))
