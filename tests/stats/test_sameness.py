"""Most frequent numbers and identical texts, against counts in plain Python."""

from collections import Counter, defaultdict
from math import isnan

import numpy as np
import pytest

from analytics_app.stats.quality.sameness import identical_texts, most_frequent

NAN = float("nan")


def drawn() -> tuple[list[float], list[int], list[int]]:
    rng = np.random.default_rng(7)
    values = rng.integers(1, 4, 400).astype(float)
    values[rng.random(400) < 0.1] = NAN
    return values.tolist(), (rng.integers(0, 9, 400) * 2).tolist(), rng.integers(0, 60, 400).tolist()


def test_the_most_frequent_number_as_counter_has_it() -> None:
    values, raters, _texts = drawn()
    found = most_frequent(values, raters)
    for place, rater in enumerate(found.raters.tolist()):
        own = Counter(value for value, who in zip(values, raters, strict=True) if who == rater and not isnan(value))
        times = max(own.values())
        least = min(value for value, n in own.items() if n == times)
        assert (found.value[place], found.times[place], found.answers[place]) == (least, times, own.total())
    assert found.raters.tolist() == sorted(set(raters))


def test_identical_texts_as_plain_python_has_them() -> None:
    values, raters, texts = drawn()
    given: dict[tuple[int, int], list[float]] = defaultdict(list)
    for value, rater, text in zip(values, raters, texts, strict=True):
        if not isnan(value):
            given[rater, text].append(value)
    several = {key: own for key, own in given.items() if len(own) > 1}
    found = identical_texts(values, texts, raters)
    assert found.raters.tolist() == sorted({rater for rater, _text in several})
    assert found.texts.tolist() == [sum(key[0] == rater for key in several) for rater in found.raters]
    differ = [
        sum(key[0] == rater and len(set(own)) > 1 for key, own in several.items()) for rater in found.raters.tolist()
    ]
    assert found.differ.tolist() == differ


@pytest.mark.parametrize("values", [[], [NAN]])
def test_nothing_answered_is_nobody(values: list[float]) -> None:
    codes = [0] * len(values)
    assert most_frequent(values, codes).raters.size == 0
    assert identical_texts(values, codes, codes).raters.size == 0


def test_codes_that_are_none_are_refused() -> None:
    with pytest.raises(ValueError, match="at least 0"):
        most_frequent([1.0], [-1])
    with pytest.raises(ValueError, match="codes of shape"):
        identical_texts([1.0], [0, 1], [0])
