"""Edit distance against the textbook's table; TER against sacrebleu's corpus score."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics.ter import TER

from analytics_app.stats.errors.edits import MOST_WORDS, Ter, WordEdits, edit_distance, normalised_distance
from tests.work import work_of

TEXTS = st.text(alphabet="abc dé", max_size=60)

# shared/reference_values.json, sacrebleu_corpus: sacrebleu 2.6.0 gives TER 18.75.
HYPOTHESES = ["the cat sat on the mat", "there is a dog in the garden today", "hello world"]
REFERENCES = ["the cat is on the mat", "there is a dog in the garden", "hello there world"]


def textbook(a: str, b: str) -> int:
    """Wagner and Fischer (1974), cell by cell."""
    above = list(range(len(b) + 1))
    for row, one in enumerate(a, start=1):
        here = [row]
        for column, other in enumerate(b, start=1):
            here.append(min(above[column] + 1, here[-1] + 1, above[column - 1] + (one != other)))
        above = here
    return above[-1]


@given(TEXTS, TEXTS)
def test_as_in_the_textbook(a: str, b: str) -> None:
    assert edit_distance(a, b) == textbook(a, b) == edit_distance(b, a)


def test_known_distances() -> None:
    # Levenshtein's own kind of example, and Navarro (2001), "survey" to "surgery".
    assert edit_distance("kitten", "sitting") == 3
    assert edit_distance("survey", "surgery") == 2
    assert normalised_distance("survey", "surgery") == pytest.approx(2 / 7)
    assert normalised_distance("", "") == 0
    assert normalised_distance("", "abc") == 1


def test_an_accent_typed_by_itself_is_no_edit() -> None:
    assert edit_distance("Ma\u0301laga", "M\u00e1laga") == 0
    assert edit_distance("\U0001f600", "\U0001f601") == 1


def test_work_grows_with_the_shorter_text_alone() -> None:
    def steps(n: int, other: int) -> int:
        a, b = "ab cd" * n, "ba dc" * other
        assert 0 < edit_distance(a, b) <= 5 * max(n, other)
        return work_of(lambda: edit_distance(a, b)).steps

    # Each step works on one whole number that stands for the longer text.
    assert steps(500, 500) <= 11 * steps(50, 50)
    assert steps(500, 50) <= 6 * steps(50, 50)


def test_rates_sum_up_to_the_corpus_score() -> None:
    ter = Ter()
    found = [ter.edits(one, other) for one, other in zip(HYPOTHESES, REFERENCES, strict=True)]
    rate = 100 * sum(one.edits for one in found if one) / sum(one.words for one in found if one)
    assert rate == pytest.approx(18.75)
    assert rate == pytest.approx(TER().corpus_score(HYPOTHESES, [REFERENCES]).score)
    assert ter.signature.startswith("nrefs:1|case:lc|tok:tercom")


def test_a_word_that_moves_is_one_edit() -> None:
    assert Ter().edits("mat the cat sat on the", "the cat sat on the mat") == WordEdits(1.0, 6.0)


def test_capital_letters_count_where_asked() -> None:
    assert Ter().edits("The cat", "the cat") == WordEdits(0.0, 2.0)
    assert Ter(case_sensitive=True).edits("The cat", "the cat") == WordEdits(1.0, 2.0)
    assert Ter(asian_support=True).edits("你好", "你们好") == WordEdits(1.0, 3.0)


def test_texts_beyond_a_page_are_left_out() -> None:
    assert Ter().edits("a " * (MOST_WORDS + 1), "a") is None
