"""Alpha over characters against the krippendorff package, given every character as a unit."""

from collections.abc import Callable

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics_app.stats.errors import marks
from analytics_app.stats.errors.characters import character_alpha
from analytics_app.stats.errors.marks import Looks, Spans
from analytics_app.stats.values import Estimate
from tests.work import assert_work_grows_with_data, work_of

Mark = tuple[int, int, int, int]  # look, start, end, label


def alpha(looks: list[tuple[int, int]], marks: list[Mark], lengths: list[int], **options: object) -> Estimate:
    said = {"n_labels": 2, "n_resamples": 0, "confidence": 0.95, "rng": np.random.default_rng(1)} | options
    text, rater = (np.array([one[k] for one in looks], dtype=np.intp) for k in range(2))
    look, start, end, label = (np.array([one[k] for one in marks], dtype=np.intp) for k in range(4))
    spans = Spans(look, np.zeros_like(look), start, end, label)
    return character_alpha(Looks(text, rater), spans, np.array(lengths, dtype=np.intp), **said)


def by_characters(looks: list[tuple[int, int]], marks: list[Mark], lengths: list[int]) -> float:
    """Every character of every text as a unit, the highest label where marks overlap."""
    values = np.full((max(r for _t, r in looks) + 1, sum(lengths)), np.nan)
    begins = np.cumsum([0, *lengths])
    for look, (text, rater) in enumerate(looks):
        row = np.zeros(lengths[text])
        for _look, start, end, label in sorted((m for m in marks if m[0] == look), key=lambda one: one[3]):
            row[start:end] = label + 1
        values[rater, begins[text] : begins[text + 1]] = row
    return float(krippendorff.alpha(values, level_of_measurement="nominal"))


LENGTHS = [9, 4, 12]
LOOKS = st.sets(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=2, max_size=9)


@given(LOOKS, st.data())
def test_as_the_package_has_it(looks: set[tuple[int, int]], data: st.DataObject) -> None:
    ordered = sorted(looks)
    mark = st.tuples(st.integers(0, len(ordered) - 1), st.integers(0, 8), st.integers(1, 6), st.integers(0, 1))
    marks = []
    for look, start, size, label in data.draw(st.lists(mark, max_size=12)):
        length = LENGTHS[ordered[look][0]]
        if start < length:
            marks.append((look, start, min(start + size, length), label))
    found = alpha(ordered, marks, LENGTHS)
    if found.value is None:
        assert found.note
    else:
        assert found.value == pytest.approx(by_characters(ordered, marks, LENGTHS))


def test_a_mark_on_what_is_missing_lengthens_the_text() -> None:
    looks = [(0, 0), (0, 1)]
    one = alpha(looks, [(0, 4, 5, 0), (1, 4, 5, 0)], [4])
    assert one.value == pytest.approx(by_characters(looks, [(0, 4, 5, 0), (1, 4, 5, 0)], [5])) == 1


@pytest.mark.parametrize(
    ("looks", "marks", "said"),
    [
        ([(0, 0)], [(0, 0, 2, 0)], "No two raters"),
        ([(0, 0), (0, 1)], [], "Nothing is marked"),
        ([(0, 0), (0, 1)], [(0, 0, 4, 0), (1, 0, 4, 0)], "the same mark"),
    ],
)
def test_undefined_is_a_sentence(looks: list[tuple[int, int]], marks: list[Mark], said: str) -> None:
    found = alpha(looks, marks, [4], n_resamples=20)
    assert found.value is None
    assert said in str(found.note)


def test_one_text_has_no_interval_and_several_have() -> None:
    looks = [(0, 0), (0, 1)]
    assert "too few" in str(alpha(looks, [(0, 0, 2, 0)], [4], n_resamples=50).note)
    looks = [(text, rater) for text in range(12) for rater in range(2)]
    marks = [(look, 0, 1 + look % 5, look % 2) for look in range(24)]
    found = alpha(looks, marks, [8] * 12, n_resamples=200)
    assert found.low is not None
    assert found.high is not None
    assert found.low <= found.value <= found.high


def test_work_grows_with_the_marks_alone() -> None:
    def prepare(n: int) -> Callable[[], object]:
        rng = np.random.default_rng(1)
        n_texts, each = n // 10, 5
        looks = Looks(np.repeat(np.arange(n_texts), 2), np.tile(np.arange(2), n_texts))
        start = np.tile(np.arange(each) * 20, n_texts * 2) + rng.integers(10, size=n_texts * 2 * each)
        look = np.repeat(np.arange(looks.text.size), each)
        spans = Spans(look, np.zeros_like(look), start, start + 8, rng.integers(2, size=look.size))
        about = {"n_labels": 2, "n_resamples": 0, "confidence": 0.95, "rng": rng}
        return lambda: character_alpha(looks, spans, np.full(n_texts, 150), **about)

    assert prepare(10_000)().value is not None
    assert_work_grows_with_data(prepare, 10_000)


def overlapping(length: int) -> Callable[[], object]:
    """Return the computation of alpha over texts in which each rater left three marks of a length that overlap."""
    looks = Looks(np.repeat(np.arange(200), 3), np.tile(np.arange(3), 200))
    look = np.repeat(np.arange(600), 3)
    start = np.tile([0, length // 2, length // 3], 600) + looks.rater[look]
    spans = Spans(look, np.zeros_like(look), start, start + length, np.tile([0, 1, 0], 600))
    about = {"n_labels": 2, "n_resamples": 0, "confidence": 0.95, "rng": np.random.default_rng(1)}
    return lambda: character_alpha(looks, spans, np.full(200, 3 * length), **about)


def test_memory_grows_with_the_marks_and_not_with_their_characters() -> None:
    assert work_of(overlapping(10_000)).held < 1.2 * work_of(overlapping(30)).held


def test_alpha_does_not_depend_on_how_many_texts_are_counted_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    at_once = overlapping(30)()
    monkeypatch.setattr(marks, "AT_ONCE", 50)
    assert overlapping(30)() == at_once
