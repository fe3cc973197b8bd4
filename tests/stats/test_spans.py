"""Span F1 against sets counted pair by pair, and by hand."""

from collections.abc import Callable, Sequence
from itertools import combinations, permutations
from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics_app.stats.errors import marks, matching
from analytics_app.stats.errors.marks import Looks, Spans, sorted_by, within_groups
from analytics_app.stats.errors.span_matches import counted
from analytics_app.stats.errors.spans import Kind, PairedLooks, SpanF1, match_counts, span_f1s
from tests.work import assert_work_grows_with_data

Mark = tuple[int, int, int, int, int, int]  # text, rater, side, start, end, label


def made(looks: list[tuple[int, int]], marks: list[Mark]) -> tuple[Looks, Spans]:
    text, rater = (np.array([one[k] for one in looks], dtype=np.intp) for k in range(2))
    look = np.array([looks.index(one[:2]) for one in marks], dtype=np.intp)
    rest = [np.array([one[k] for one in marks], dtype=np.intp) for k in range(2, 6)]
    return Looks(text, rater), Spans(look, *rest)


def f1(
    looks: list[tuple[int, int]],
    marks: list[Mark],
    *,
    overlap: bool = False,
    labelled: bool = False,
    n_resamples: int = 0,
    confidence: float = 0.95,
    rng: np.random.Generator | None = None,
) -> SpanF1:
    settings = {"n_resamples": n_resamples, "confidence": confidence, "rng": rng or np.random.default_rng(1)}
    (result,) = span_f1s(*made(looks, marks), [Kind("overlap" if overlap else "exact", labelled)], **settings)
    return result


def naive(looks: list[tuple[int, int]], marks: list[Mark], *, overlap: bool, labelled: bool) -> float | None:
    """Mean over pairs of raters of F1 over their shared texts, with sets and loops."""
    values = []
    for a, b in combinations(sorted({rater for _text, rater in looks}), 2):
        shared = {text for text, rater in looks if rater == a} & {text for text, rater in looks if rater == b}
        if not shared:
            continue
        of = [
            {(t, s, x, y, label if labelled else 0) for t, r, s, x, y, label in marks if r == who and t in shared}
            for who in (a, b)
        ]

        def has(one: tuple[int, ...], others: set[tuple[int, ...]]) -> bool:
            if not overlap:
                return one in others
            same = [other for other in others if (other[0], other[1], other[4]) == (one[0], one[1], one[4])]
            return any(one[2] < other[3] and other[2] < one[3] for other in same)

        if not of[0] and not of[1]:
            continue
        hits = [sum(has(one, of[1 - side]) for one in of[side]) for side in (0, 1)]
        p, r = (hits[side] / len(of[side]) if of[side] else 0 for side in (0, 1))
        values.append(2 * p * r / (p + r) if p + r else 0)
    return float(np.mean(values)) if values else None


LOOKS = st.sets(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=12)


@given(LOOKS, st.data(), st.booleans(), st.booleans())
def test_as_counted_with_sets(looks: set[tuple[int, int]], data: st.DataObject, overlap: bool, labelled: bool) -> None:
    ordered = sorted(looks, key=lambda one: (one[1], one[0]))
    mark = st.tuples(
        st.sampled_from(ordered), st.integers(0, 1), st.integers(0, 6), st.integers(1, 4), st.integers(0, 1)
    )
    drawn = data.draw(st.lists(mark, max_size=14))
    marks = [(*look, side, start, start + size, label) for look, side, start, size, label in drawn]
    found = f1(ordered, marks, overlap=overlap, labelled=labelled)
    wanted = naive(ordered, marks, overlap=overlap, labelled=labelled)
    if wanted is None:
        assert found.mean.value is None
        assert found.mean.note
    else:
        assert found.mean.value == pytest.approx(wanted)


def test_by_hand() -> None:
    # One of two marks is the same: P = 1/2, R = 1; overlap finds it twice in one mark of the other's.
    looks = [(0, 0), (0, 1)]
    marks = [(0, 0, 0, 0, 4, 0), (0, 0, 0, 6, 9, 0), (0, 1, 0, 0, 4, 0)]
    assert f1(looks, marks).mean.value == pytest.approx(2 / 3)
    assert f1(looks, [*marks[:2], (0, 1, 0, 3, 7, 0)], overlap=True).mean.value == 1
    assert f1(looks, [marks[0], (0, 1, 0, 0, 4, 1)], labelled=True).mean.value == 0


def test_a_text_without_marks_counts_as_seen() -> None:
    found = f1([(0, 0), (0, 1), (1, 0), (1, 1)], [(0, 0, 0, 0, 1, 0), (0, 1, 0, 0, 1, 0), (1, 1, 0, 0, 1, 0)])
    # 2 marks of one, 1 of the other, 1 in common.
    assert found.mean.value == pytest.approx(2 / 3)
    assert (found.mean.n_items, found.mean.n_raters, found.mean.n_ratings) == (2, 2, 4)
    assert [(one.rater_a, one.rater_b, one.n_texts) for one in found.pairs] == [(0, 1, 2)]


@pytest.mark.parametrize(
    ("looks", "marks", "said"),
    [
        ([], [], "No two raters"),
        ([(0, 0), (1, 0)], [(0, 0, 0, 0, 1, 0)], "No two raters"),
        ([(0, 0), (0, 1)], [], "F1 is undefined"),
    ],
)
def test_undefined_is_a_sentence(looks: list[tuple[int, int]], marks: list[Mark], said: str) -> None:
    for overlap in (False, True):
        found = f1(looks, marks, overlap=overlap, n_resamples=20)
        assert found.mean.value is None
        assert said in str(found.mean.note)


def test_silent_pairs_are_left_out_and_counted() -> None:
    looks = [(0, 0), (0, 1), (0, 2)]
    found = f1(looks, [(0, 2, 0, 0, 1, 0)])
    assert found.mean.value == 0
    assert found.mean.note == "1 of 3 pairs of raters marked nothing and are left out."


def test_an_interval_holds_what_resampling_texts_gives() -> None:
    rng = np.random.default_rng(5)
    looks = [(text, rater) for text in range(40) for rater in range(3)]
    marks = [(t, r, 0, int(rng.integers(5)), 5 + int(rng.integers(3)), 0) for t, r in looks if rng.random() < 0.8]
    found = f1(looks, marks, overlap=True, n_resamples=400).mean
    assert found.low is not None
    assert found.high is not None
    assert found.low < found.value < found.high
    again = []
    for _draw in range(400):
        chosen = rng.integers(40, size=40)
        drawn_looks = [(place, rater) for place in range(40) for rater in range(3)]
        drawn = [(place, *one[1:]) for place, text in enumerate(chosen) for one in marks if one[0] == text]
        again.append(f1(drawn_looks, drawn, overlap=True).mean.value)
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(again, [0.025, 0.975])), abs=0.03)


def test_wrong_input_is_refused() -> None:
    with pytest.raises(ValueError, match="more than once"):
        f1([(0, 0), (0, 0)], [])
    with pytest.raises(ValueError, match="ends after"):
        f1([(0, 0)], [(0, 0, 0, 4, 4, 0)])


def test_pairs_within_groups() -> None:
    one, other = within_groups(np.array([1, 1, 1, 4, 6, 6]))
    assert list(zip(one.tolist(), other.tolist(), strict=True)) == [(0, 1), (0, 2), (1, 2), (4, 5)]


def test_sorting_by_many_columns_is_the_same_whether_they_fit_one_number_or_not() -> None:
    rng = np.random.default_rng(1)
    columns = [rng.integers(4, size=50) for _column in range(3)]
    assert sorted_by(*columns).tolist() == np.lexsort(columns[::-1]).tolist()
    wide = [column * 10**12 for column in columns]
    assert sorted_by(*wide).tolist() == sorted_by(*columns).tolist()


def credits_of(a: Sequence[tuple[int, ...]], b: Sequence[tuple[int, ...]], penalty: float) -> set[tuple[float, float]]:
    """Return the credits of a and b in every best one-to-one matching, which is found by trying all of them.

    Marks are side, start, end, label. Best is the largest sum of scores, then of credits, then the shorter marks.
    """
    if len(a) > len(b):
        return {(of_a, of_b) for of_b, of_a in credits_of(b, a, penalty)}
    outcomes = []
    for partners in permutations(range(len(b)), len(a)):
        score, of_a, of_b, short = 0.0, 0.0, 0.0, 0.0
        for one, other in zip(a, (b[place] for place in partners), strict=True):
            common = min(one[2], other[2]) - max(one[1], other[1]) if one[0] == other[0] else 0
            if common <= 0:
                continue
            factor = 1.0 if one[3] == other[3] else 1 - penalty
            p, r = common / (one[2] - one[1]), common / (other[2] - other[1])
            score += factor * 2 * p * r / (p + r)
            of_a, of_b = of_a + factor * p, of_b + factor * r
            short += 1 / (one[2] - one[1] + other[2] - other[1]) if factor else 0
        outcomes.append((round(score, 9), round(of_a + of_b, 9), round(short, 9), round(of_a, 6), round(of_b, 6)))
    best = max(outcomes)[:3]
    return {outcome[3:] for outcome in outcomes if outcome[:3] == best}


NARROW_MARK = st.tuples(st.integers(0, 1), st.integers(0, 12), st.integers(1, 8), st.integers(0, 2)).map(
    lambda mark: (mark[0], mark[1], mark[1] + mark[2], mark[3])
)


@given(st.lists(NARROW_MARK, max_size=5), st.lists(NARROW_MARK, max_size=5), st.sampled_from([0.0, 0.5, 1.0]))
def test_partial_credit_is_that_of_the_best_of_all_matchings(
    a: list[tuple[int, ...]], b: list[tuple[int, ...]], penalty: float
) -> None:
    marks: list[Mark] = [(0, rater, *mark) for rater, of_rater in enumerate((a, b)) for mark in of_rater]
    looks, spans = made([(0, 0), (0, 1)], marks)
    (counts,) = match_counts(PairedLooks.of(looks), spans, Kind("partial", penalty=penalty)).tolist()
    assert counts[:2] == [len(a), len(b)]
    assert any(counts[2:] == pytest.approx(credits, abs=1e-5) for credits in credits_of(a, b, penalty))


@pytest.mark.parametrize(
    ("a", "b", "penalty", "credits"),
    [
        # Half of one mark is half of the other: 5 of 10 characters, and 5 of 8.
        ([(0, 0, 10, 0)], [(0, 5, 13, 0)], 0.0, (5 / 10, 5 / 8)),
        # The other severity costs half of the credit, all of it, or nothing.
        ([(0, 0, 10, 0)], [(0, 5, 13, 1)], 0.5, (2.5 / 10, 2.5 / 8)),
        ([(0, 0, 10, 0)], [(0, 5, 13, 1)], 1.0, (0, 0)),
        # Places on the source are not those on the output.
        ([(0, 0, 10, 0)], [(1, 0, 10, 0)], 0.0, (0, 0)),
        # Neighbours do not overlap.
        ([(0, 0, 4, 0)], [(0, 4, 8, 0)], 0.0, (0, 0)),
        # A mark over the whole text is worth little, although it touches everything.
        ([(0, 0, 100, 0)], [(0, 0, 5, 0), (0, 50, 60, 0)], 0.0, (10 / 100, 1)),
        # Of two equal marks one is matched: repeating a mark costs precision.
        ([(0, 0, 4, 0), (0, 0, 4, 0)], [(0, 0, 4, 0)], 0.0, (1, 1)),
        # The most similar pair is given up where that leaves more for both: 8/10 + 4/8 > 6/7 + 0.
        ([(0, 0, 6, 0), (0, 2, 4, 0)], [(0, 0, 4, 0), (0, 4, 8, 0)], 0.0, (2 / 6 + 1, 2 / 4 + 2 / 4)),
        # Both matchings score 2/3 and give 1.5 in all: the shorter mark is matched.
        ([(0, 0, 2, 0)], [(0, 0, 4, 0), (0, 0, 1, 0)], 0.0, (1 / 2, 1)),
        # Omissions are marked as the character after the end.
        ([(0, 30, 31, 0)], [(0, 30, 31, 0)], 0.0, (1, 1)),
        ([], [(0, 0, 4, 0)], 0.0, (0, 0)),
    ],
)
def test_partial_credit_by_hand(
    a: list[tuple[int, ...]], b: list[tuple[int, ...]], penalty: float, credits: tuple[float, float]
) -> None:
    marks: list[Mark] = [(0, rater, *mark) for rater, of_rater in enumerate((a, b)) for mark in of_rater]
    paired, (looks, spans) = PairedLooks, made([(0, 0), (0, 1)], marks)
    counts = match_counts(paired.of(looks), spans, Kind("partial", penalty=penalty))
    assert counts[0].tolist() == pytest.approx([len(a), len(b), *credits])


def test_characters_count_once_however_often_they_are_marked() -> None:
    marks: list[Mark] = [
        (0, 0, 0, 0, 6, 0),
        (0, 0, 0, 4, 8, 1),
        (0, 0, 0, 8, 9, 0),
        (0, 0, 1, 0, 3, 0),
        (0, 1, 0, 5, 12, 0),
    ]
    looks, spans = made([(0, 0), (0, 1)], marks)
    assert match_counts(PairedLooks.of(looks), spans, Kind("characters")).tolist() == [[12, 7, 4, 4]]


@pytest.mark.parametrize("match", ["exact", "overlap", "characters", "partial"])
def test_work_grows_with_the_marks_alone(match: Literal["exact", "overlap", "characters", "partial"]) -> None:
    def prepare(n: int) -> Callable[[], list[SpanF1]]:
        rng = np.random.default_rng(1)
        n_texts, n_raters, each = n // 10, 2, 5
        looks = Looks(np.repeat(np.arange(n_texts), n_raters), np.tile(np.arange(n_raters), n_texts))
        start = rng.integers(200, size=n_texts * n_raters * each)
        zeros = np.zeros(start.size, dtype=np.intp)
        spans = Spans(np.repeat(np.arange(looks.text.size), each), zeros, start, start + 5, zeros)
        return lambda: span_f1s(looks, spans, [Kind(match)], n_resamples=0, confidence=0.95, rng=rng)

    assert prepare(10_000)()[0].mean.value is not None
    # Where spans of both looks overlap several others, assignments are solved one by one.
    assert_work_grows_with_data(prepare, 10_000, steps=10 if match == "partial" else 1.5)


def many_marks() -> tuple[Looks, Spans]:
    """Return marks of six raters in forty texts, of which many overlap or are repeated."""
    rng = np.random.default_rng(3)
    looks = Looks(np.repeat(np.arange(40), 6), np.tile(np.arange(6), 40))
    look, start = rng.integers(240, size=1500), rng.integers(40, size=1500)
    end = start + rng.integers(1, 15, size=1500)
    return looks, Spans(look, rng.integers(2, size=1500), start, end, rng.integers(3, size=1500))


KINDS = [
    Kind("exact"), Kind("exact", labelled=True), Kind("overlap"), Kind("overlap", labelled=True), Kind("characters"),
    Kind("partial"), Kind("partial", penalty=0.5), Kind("partial", penalty=1.0),
]  # fmt: skip


def test_counts_do_not_depend_on_how_many_texts_are_compared_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    looks, spans = many_marks()
    at_once = [match_counts(PairedLooks.of(looks), spans, kind) for kind in KINDS]
    monkeypatch.setattr(marks, "AT_ONCE", 50)
    assert len(list(marks.pieces(np.sort(looks.text[spans.look])))) > 20
    in_pieces = [match_counts(PairedLooks.of(looks), spans, kind) for kind in KINDS]
    assert [counts.tolist() for counts in in_pieces] == [counts.tolist() for counts in at_once]


def test_kinds_counted_together_are_those_counted_alone() -> None:
    looks, spans = many_marks()
    together = counted(PairedLooks.of(looks), spans, KINDS)
    for kind, counts in zip(KINDS, together, strict=True):
        alone = match_counts(PairedLooks.of(looks), spans, kind)
        assert np.column_stack(list(counts.columns())).tolist() == alone.tolist(), kind


def test_matchings_that_are_compared_are_those_of_the_assignment_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    looks, spans = many_marks()
    compared = match_counts(PairedLooks.of(looks), spans, Kind("partial", penalty=0.3))
    monkeypatch.setattr(matching, "_ENUMERATED", 2)
    assert match_counts(PairedLooks.of(looks), spans, Kind("partial", penalty=0.3)).tolist() == compared.tolist()
