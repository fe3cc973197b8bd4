"""Carry-over: effects put in are found, and none is found where there is none, also in short sets."""

import numpy as np
import pytest

from analytics_app.stats.comparison import carry_over as module
from analytics_app.stats.comparison.carry_over import carry_over
from analytics_app.stats.comparison.within import effects_within
from tests.stats.agreeing import NAN
from tests.stats.carried import Columns, sittings


@pytest.mark.parametrize(("each", "text", "answer"), [(5, -0.3, 0.4), (10, 0.3, -0.3), (20, -0.3, 0.4)])
def test_what_the_text_and_the_answer_before_add_is_found_again(each: int, text: float, answer: float) -> None:
    data = sittings(np.random.default_rng(8), 4000 // each, each, 600, text=text, answer=answer)
    found = carry_over(*data, confidence=0.95)
    assert found.text.value == pytest.approx(text, abs=0.08)
    assert found.answer.value == pytest.approx(answer, abs=0.08)
    assert found.text.p is not None
    assert found.answer.p is not None
    assert max(found.text.p, found.answer.p) < 1e-4
    assert (found.text.n_raters, found.text.n_ratings, found.answer.df) == (4000 // each, 4000, 4000 // each - 1)


def regression(values: np.ndarray, texts: np.ndarray, raters: np.ndarray, places: np.ndarray) -> float:
    """Return the effect of the preceding answer by least squares with a constant for each text and rater."""
    before = np.where(places == 0, NAN, np.r_[NAN, values[:-1]])
    fit = effects_within(values, before[:, np.newaxis], (texts, raters), raters)
    assert fit is not None
    return float(fit.coefficients[0])


def test_nothing_is_found_in_sets_of_five_where_least_squares_find_contrast() -> None:
    rng = np.random.default_rng(5)
    studies = [sittings(rng, 30, 5, 30) for _ in range(60)]
    found = [carry_over(*data, confidence=0.95) for data in studies]
    answers, texts = ([getattr(one, name) for one in found] for name in ("answer", "text"))
    assert np.mean([one.value for one in answers]) == pytest.approx(0, abs=0.06)
    assert np.mean([one.value for one in texts]) == pytest.approx(0, abs=0.06)
    assert np.mean([regression(*data) for data in studies]) < -0.1
    # The table of 1,000 studies for each design is in decision 150.
    for estimates in (answers, texts):
        assert sum(one.p < 0.05 for one in estimates) <= 6


def test_an_order_that_is_the_same_for_all_says_nothing() -> None:
    values, texts, raters, places = sittings(np.random.default_rng(1), 20, 10, 10)
    found = carry_over(values, places, raters, places, confidence=0.95)
    assert found.text.note == found.answer.note == module.SAME_FOR_ALL
    assert carry_over(values, texts, raters, places, confidence=0.95).answer.note is None


def undefined(data: Columns, part: str) -> str | None:
    estimate = getattr(carry_over(*data, confidence=0.95), part)
    assert estimate.value is None
    return str(estimate.note)


def test_what_cannot_be_estimated_says_why() -> None:
    values, texts, raters, places = sittings(np.random.default_rng(2), 20, 10, 20)
    for data in (
        (values, np.arange(len(values)), raters, places),  # Nobody else has rated the text.
        (values, texts, raters, 2 * places),  # Never two texts in a row.
        (np.full(len(values), NAN), texts, raters, places),
        (values[raters < 2], texts[raters < 2], raters[raters < 2], places[raters < 2]),
    ):
        assert undefined(data, "answer") == undefined(data, "text") == module.TOO_SHORT
    same = np.zeros(len(values))
    assert undefined((same, texts, raters, places), "answer") == module.NO_SPREAD
    assert undefined((same, texts, raters, places), "text") == module.ALIKE
    # All raters say the same of a text: there is no deviation to carry over, but texts still differ.
    alike = (texts.astype(float), texts, raters, places)
    assert undefined(alike, "answer") == module.NO_SPREAD
    assert carry_over(*alike, confidence=0.95).text.value == pytest.approx(0, abs=1e-9)


def test_a_place_is_taken_once() -> None:
    with pytest.raises(ValueError, match="same place"):
        carry_over([1.0, 2.0], [0, 1], [0, 0], [3, 3], confidence=0.95)


def test_few_raters_get_a_warning_and_long_sittings_are_cut() -> None:
    found = carry_over(*sittings(np.random.default_rng(4), 5, 95, 95, answer=0.4), confidence=0.95)
    assert found.answer.note == module.ROUGH
    # Three rows of 31 or 32 texts for each rater.
    assert found.answer.n_ratings == 475
    assert found.answer.value == pytest.approx(0.4, abs=0.15)
