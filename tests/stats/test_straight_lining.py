"""Runs of the same position, against R's careless and plain Python."""

from collections.abc import Callable
from itertools import groupby

import numpy as np
import pytest

from analytics_app.stats.quality.straight_lining import equal_screens, runs
from tests.work import assert_work_grows_with_data

NAN = float("nan")

# reference_values.json, careless_matrix: R careless 1.2.2, longstring(avg = TRUE).
RESPONDENTS = [
    [4, 4, 2, 3, 3, 1], [5, 5, 1, 4, 3, 2], [2, 1, 4, 2, 2, 5], [3, 3, 3, 3, 3, 3], [1, 2, 5, 1, 2, 4],
    [4, 5, 2, 5, 1, 1], [3, 4, 2, 2, 4, 3], [5, 4, 1, 4, 5, 1], [2, 2, 4, 3, 1, 5], [1, 5, 1, 5, 1, 5],
    [4, 3, 2, 4, 4, 2], [2, 3, 3, 1, 2, 4],
]  # fmt: skip
LONGEST = [2, 2, 2, 6, 1, 2, 2, 1, 2, 1, 2, 2]
MEAN = [1.5, 1.2, 1.2, 6, 1, 1.2, 1.2, 1, 1.2, 1, 1.2, 1.2]


def test_as_careless_has_them() -> None:
    table = np.array(RESPONDENTS)
    found = runs(table.ravel(), np.repeat(np.arange(len(table)), table.shape[1]))
    assert found.longest.tolist() == LONGEST
    assert found.mean == pytest.approx(MEAN)
    # Raters' answers come mixed.
    mixed = runs(table.T.ravel(), np.tile(np.arange(len(table)), table.shape[1]))
    assert mixed.longest.tolist() == LONGEST


def test_as_plain_python_has_them() -> None:
    rng = np.random.default_rng(3)
    values, raters = rng.integers(1, 4, 500).astype(float), rng.integers(0, 7, 500) * 3
    values[rng.random(500) < 0.1] = NAN
    found = runs(values, raters)
    for place, code in enumerate(found.raters.tolist()):
        own = values[(raters == code) & ~np.isnan(values)].tolist()
        lengths = [len(list(some)) for _value, some in groupby(own)]
        assert (found.longest[place], found.answers[place]) == (max(lengths), len(own))
        assert found.mean[place] == pytest.approx(np.mean(lengths))


def test_nothing_one_and_all_equal() -> None:
    assert runs([], np.array([], dtype=int)).raters.size == 0
    assert runs([NAN], [4]).raters.size == 0
    one = runs([3.0], [4])
    assert (one.raters.tolist(), one.longest.tolist(), one.mean.tolist()) == ([4], [1], [1.0])
    assert runs([2.0] * 9, [0] * 9).longest.tolist() == [9]


def test_screens_of_equal_answers() -> None:
    positions = [1, 1, 1, 1, 2, 2, 2, 3, 4, 4, NAN, 4, 5, 5, 5, 5]
    screens = [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]
    raters = [8] * 8 + [9] * 8
    found = equal_screens(positions, screens, raters)
    # The third screen has three answers only.
    assert found.raters.tolist() == [8, 9]
    assert (found.equal.tolist(), found.screens.tolist()) == ([1, 1], [2, 1])
    assert equal_screens(positions, screens, raters, least=5).raters.size == 0
    assert equal_screens([], np.array([], dtype=int), np.array([], dtype=int)).screens.size == 0
    with pytest.raises(ValueError, match="at least 2"):
        equal_screens(positions, screens, raters, least=1)


def test_wrong_input_is_refused() -> None:
    with pytest.raises(ValueError, match="codes"):
        runs([1, 2], [0])
    with pytest.raises(ValueError, match="at least 0"):
        runs([1], [-1])


def test_work_grows_with_the_answers_alone() -> None:
    def prepare(n: int) -> Callable[[], object]:
        rng = np.random.default_rng(0)
        values, raters = rng.integers(1, 6, n).astype(float), rng.integers(0, n // 1000, n)
        screens = np.arange(n) // 5

        def look() -> None:
            runs(values, raters)
            equal_screens(values, screens, screens % (n // 1000))

        return look

    assert_work_grows_with_data(prepare, 10_000)
