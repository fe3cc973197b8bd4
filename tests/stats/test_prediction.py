"""Errors of predicting ratings by the other raters: worked by hand, against pandas, and what is undefined."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from analytics_app.stats.agreement.prediction import (
    NOBODY_ELSE,
    ONE_ITEM,
    PredictionError,
    average_errors,
    prediction_errors,
)
from tests.stats.agreeing import NAN, long, many
from tests.work import assert_work_grows_with_data


def errors_of(values: object, units: object, raters: object, items: object, **options: object) -> list[PredictionError]:
    given = {"n_resamples": 200, "confidence": 0.95, "rng": np.random.default_rng(1), **options}
    return prediction_errors(values, units, raters, items, **given)


def test_three_raters_by_hand() -> None:
    """Text 0 has 1, 2 and 6, text 1 has 3 and 5, and text 2 has one rating, which nothing predicts.

    The errors of text 0 are 1 - 4, 2 - 3.5 and 6 - 1.5, those of text 1 are 3 - 5 and 5 - 3.
    """
    values, texts, raters = [1, 2, 6, 3, 5, 4], [0, 0, 0, 1, 1, 2], [0, 1, 2, 0, 1, 2]
    together, ada, ben, cem = errors_of(values, texts, raters, texts)
    assert (together.rater, together.absolute.value) == (None, (3 + 1.5 + 4.5 + 2 + 2) / 5)
    assert together.square.value == pytest.approx(((9 + 2.25 + 20.25 + 4 + 4) / 5) ** 0.5)
    assert (together.absolute.n_ratings, together.absolute.n_items, together.absolute.n_raters) == (5, 2, 3)
    assert [one.absolute.value for one in (ada, ben, cem)] == [2.5, 1.75, 4.5]
    assert [one.absolute.n_ratings for one in (ada, ben, cem)] == [2, 2, 1]
    # As one item: ada is 2.5 below on average, ben 0.25 above, cem 4.5.
    of_item = errors_of(values, texts, raters, [0] * 6, of_items=True)
    assert [one.absolute.value for one in of_item] == pytest.approx([(2.5 + 0.25 + 4.5) / 3, 2.5, 0.25, 4.5])
    assert of_item[0].absolute.n_items == 1
    assert of_item[0].absolute.low is None


@pytest.mark.parametrize("of_items", [False, True])
def test_against_pandas(of_items: bool) -> None:
    ratings = many(40, 5, seed=2)
    ratings[np.random.default_rng(3).random(ratings.shape) < 0.3] = NAN
    values, texts, raters = long(ratings)
    table = pd.DataFrame({"value": values, "text": texts, "rater": raters}).dropna()
    others = table.merge(table, on="text", suffixes=("", "_other")).query("rater != rater_other")
    predicted = others.groupby(["text", "rater", "value"], as_index=False)["value_other"].mean()
    predicted["error"], predicted["item"] = predicted["value"] - predicted["value_other"], predicted["text"] // 3
    if of_items:
        predicted = predicted.groupby(["item", "rater"], as_index=False)["error"].mean()
    found = errors_of(values, texts, raters, np.asarray(texts) // 3, of_items=of_items)
    expected = predicted.groupby("rater")["error"].agg([lambda x: x.abs().mean(), lambda x: (x**2).mean() ** 0.5])
    assert [(one.absolute.value, one.square.value) for one in found[1:]] == [
        pytest.approx(tuple(row)) for row in expected.to_numpy()
    ]
    together = found[0]
    assert together.absolute.value == pytest.approx(predicted["error"].abs().mean())
    assert together.square.value == pytest.approx((predicted["error"] ** 2).mean() ** 0.5)
    assert together.absolute.n_ratings == len(predicted)
    for estimate in (together.absolute, together.square):
        assert estimate.low < estimate.value < estimate.high


def test_documents_are_drawn_whole() -> None:
    values, texts, raters = long(many(40, 4, seed=7))
    documents = np.asarray(texts) // 10
    by_document = errors_of(values, texts, raters, texts, clusters=documents)[0].absolute
    assert by_document.note == "The interval rests on 4 items or documents only."
    # Texts of an item in no document have a code each, and the item is drawn whole.
    alone = errors_of(values, texts, raters, np.asarray(texts) // 2, clusters=np.asarray(texts) + 7)[0].absolute
    assert (alone.value, alone.note) == (by_document.value, None)


def test_nobody_else_rated_the_texts() -> None:
    (nothing,) = errors_of([1.0, 2.0], [0, 1], [0, 1], [0, 1])
    assert (nothing.rater, nothing.absolute.value, nothing.square.value) == (None, None, None)
    assert nothing.absolute.note == NOBODY_ELSE
    (one_text, *_raters) = errors_of([1.0, 2.0], [0, 0], [0, 1], [0, 0])
    assert (one_text.absolute.value, one_text.absolute.low) == (1.0, None)
    assert one_text.absolute.note == ONE_ITEM
    with pytest.raises(ValueError, match="several ratings of one unit"):
        errors_of([1.0, 2.0], [0, 0], [0, 0], [0, 0])


def test_work_grows_with_the_ratings_alone() -> None:
    def prepare(n: int) -> Callable[[], object]:
        values, texts, raters = long(many(n // 10))
        return lambda: errors_of(values, texts, raters, texts, n_resamples=0)

    assert len(prepare(10_000)()) == 11
    assert_work_grows_with_data(prepare, 10_000)


def test_human_error_of_prediction_by_hand() -> None:
    """Three raters, systems 0 (texts 0 and 1) and 1 (text 2); text 3 has one rating, which nothing predicts.

    Ada averages 2 on system 0, the others 5.5; 9 on system 1, the others 4. So her error is (3.5 + 5) / 2.
    """
    ratings = np.array([[1, 3, 9, 7], [4, 6, 5, NAN], [6, 6, 3, NAN]])
    values, raters, texts = ratings.ravel(), np.repeat(range(3), 4), np.tile(range(4), 3)
    rows, systems = np.arange(12), np.tile([0, 0, 1, 1], 3)
    found = dict(average_errors(values, texts, raters, rows, systems))
    assert [found[rater].value for rater in range(3)] == pytest.approx([(3.5 + 5) / 2, (1 + 1) / 2, (2.5 + 4) / 2])
    assert found[None].value == pytest.approx((4.25 + 1 + 3.25) / 3)
    assert [found[rater].n_ratings for rater in (None, 0, 1, 2)] == [9, 3, 3, 3]
    # Every text counts for a second system too: each error is an average over systems, so nothing changes.
    twice = dict(average_errors(values, texts, raters, np.tile(rows, 2), np.r_[systems, systems + 2]))
    assert [twice[key].value for key in found] == pytest.approx([found[key].value for key in found])
    assert twice[None].n_ratings == 9


def test_a_rater_who_is_stricter_with_one_system_has_a_human_error() -> None:
    rng = np.random.default_rng(4)
    values = rng.normal(50, 5, (3, 400))
    values[0, 200:] -= 20
    texts, raters, systems = np.tile(range(400), 3), np.repeat(range(3), 400), np.tile(np.repeat([0, 1], 200), 3)
    found = dict(average_errors(values.ravel(), texts, raters, np.arange(1200), systems))
    assert found[0].value == pytest.approx(10, abs=1)
    assert found[1].value == pytest.approx(5, abs=1)


def test_one_rater_of_every_text_has_no_human_error() -> None:
    """As in the published MQM ratings of TED talks, where each output was annotated once."""
    (alone,) = average_errors([1, 2], [0, 1], [0, 1], [0, 1], [0, 0])
    assert (alone[0], alone[1].value, alone[1].note) == (None, None, NOBODY_ELSE)
