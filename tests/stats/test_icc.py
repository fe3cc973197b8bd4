"""Intraclass correlation: Shrout and Fleiss, R, the package at any confidence, and what is undefined."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pingouin
import pytest

from analytics_app.stats.agreement import icc as module
from analytics_app.stats.agreement.icc import Form, icc_forms, icc_one_way
from analytics_app.stats.values import Estimate
from tests.stats.agreeing import FOUR_JUDGES, NAN, long, many
from tests.work import assert_work_grows_with_data

# Shrout and Fleiss (1979), table 4: .17 .29 .71 .44 .62 .91; the digits and the limits are R psych 2.2.9 ICC's.
PUBLISHED: dict[Form, tuple[float, float, float]] = {
    "ICC1": (0.1657417684, -0.13293232, 0.72256006),
    "ICC2": (0.2897637795, 0.01878651, 0.76108437),
    "ICC3": (0.7148407148, 0.34246477, 0.94585826),
    "ICC1k": (0.4427971337, -0.88444216, 0.91241542),
    "ICC2k": (0.6200505476, 0.07113682, 0.92723204),
    "ICC3k": (0.9093155424, 0.67567471, 0.98589168),
}


@pytest.mark.parametrize("form", list(PUBLISHED))
def test_shrout_and_fleiss(form: Form) -> None:
    found = icc_forms(FOUR_JUDGES)[form]
    assert (found.value, found.low, found.high) == pytest.approx(PUBLISHED[form], abs=1e-7)
    assert (found.n_ratings, found.n_items, found.n_raters, found.df) == (24, 6, 4, 5)


def test_the_limits_at_95_percent_are_the_packages_and_others_nest() -> None:
    squares = module._two_way_squares(np.array(FOUR_JUDGES, dtype=float))
    own = module._all_limits(squares, 0.95)
    for form, (_value, low, high) in PUBLISHED.items():
        assert own[form] == pytest.approx((low, high), abs=1e-7)
        narrow, wide = icc_forms(FOUR_JUDGES, confidence=0.8)[form], icc_forms(FOUR_JUDGES, confidence=0.99)[form]
        assert wide.low < low < narrow.low < narrow.value < narrow.high < high < wide.high


def test_one_way_is_the_same_for_equal_numbers_of_ratings() -> None:
    values, texts, _raters = long(FOUR_JUDGES)
    found, forms = icc_one_way(values, texts), icc_forms(FOUR_JUDGES)
    both: tuple[tuple[Estimate, Form], ...] = ((found.single, "ICC1"), (found.average, "ICC1k"))
    for one, form in both:
        for name in ("value", "low", "high", "p", "df"):
            assert getattr(one, name) == pytest.approx(getattr(forms[form], name), abs=1e-12)
    assert found.ratings == 4


def test_unequal_numbers_of_ratings() -> None:
    # R lm and anova, n0 = 2.625.
    texts = [1, 1, 1, 2, 2, 3, 3, 3, 3, 4, 4, 5, 5, 5, 6, 6]
    found = icc_one_way([4, 5, 4, 2, 2, 3, 4, 3, 3, 5, 5, 1, 2, 1, 3, 2], texts)
    assert found.single.value == pytest.approx(0.871825162434, abs=1e-10)
    assert found.ratings == 2.625
    assert found.single.note == "Texts have 2 to 4 ratings: the limits are approximate."
    # A text with one rating says nothing about agreement.
    assert icc_one_way([*([4, 5, 4, 2, 2]), 9], [0, 0, 0, 1, 1, 2]) == icc_one_way([4, 5, 4, 2, 2], [0, 0, 0, 1, 1])


NAMES_OF_PINGOUIN: dict[Form, str] = {
    "ICC1": "ICC(1,1)",
    "ICC2": "ICC(A,1)",
    "ICC3": "ICC(C,1)",
    "ICC1k": "ICC(1,k)",
    "ICC2k": "ICC(A,k)",
    "ICC3k": "ICC(C,k)",
}


@pytest.mark.parametrize(
    "table",
    [
        many(40, 3, seed=9),
        many(300, 12, seed=2),
        FOUR_JUDGES,
        [[1, 3], [2, 1], [5, 4]],
        [[1, 5, 9], [2, 5, 9], [3, 6, 10]],
    ],
)
def test_all_forms_are_as_pingouin_has_them(table: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(pingouin.options, "round.column.CI95", None)
    values, texts, raters = long(table)
    data = pd.DataFrame({"text": texts, "rater": raters, "value": values})
    expected = pingouin.intraclass_corr(data, targets="text", raters="rater", ratings="value").set_index("Type")
    for form, estimate in icc_forms(table).items():
        row = expected.loc[NAMES_OF_PINGOUIN[form]]
        assert (estimate.value, estimate.p) == pytest.approx((row["ICC"], row["pval"]), rel=1e-10, abs=1e-12)
        assert (estimate.low, estimate.high) == pytest.approx(sorted(row["CI95"]), rel=1e-10, abs=1e-12)


def test_undefined_values_are_sentences() -> None:
    assert {one.note for one in icc_forms([[3, 3], [3, 3], [3, 3]]).values()} == {module.ALL_SAME}
    assert icc_one_way([3, 3, 3, 3], [0, 0, 1, 1]).single.note == module.ALL_SAME
    for one in (icc_one_way([], np.zeros(0, int)), icc_one_way([1, 2], [0, 1]), icc_one_way([1, 2], [0, 0])):
        assert one.average.note == module.NO_TEXTS
    assert icc_forms([[1, 2, 3]])["ICC2"].note == module.NO_TEXTS
    assert icc_one_way([NAN, NAN], [0, 0]).single.value is None


def test_where_nothing_is_left_there_is_no_interval() -> None:
    perfect = icc_one_way([1, 1, 2, 2, 5, 5], [0, 0, 1, 1, 2, 2])
    assert (perfect.single.value, perfect.average.value, perfect.single.low) == (1, 1, None)
    # One rater is stricter, and that is all.
    stricter = icc_forms([[1, 2], [2, 3], [3, 4]])
    assert stricter["ICC3"].value == 1
    assert stricter["ICC2"].value == pytest.approx(2 / 3)
    assert stricter["ICC2"].low is None
    flat = icc_one_way([1, 2, 2, 1, 1, 2], [0, 0, 1, 1, 2, 2])
    assert (flat.single.value, flat.average.value) == (-1, None)
    assert icc_forms([[1, 2], [2, 1], [1, 2]])["ICC3"].value is not None


def test_far_values_keep_their_digits() -> None:
    shifted = np.array(FOUR_JUDGES) * 1e-6 + 1e6
    assert icc_forms(shifted)["ICC3"].value == pytest.approx(PUBLISHED["ICC3"][0], abs=1e-4)
    values, texts, _raters = long(FOUR_JUDGES)
    assert icc_one_way(values * 1e90, texts).single.value == pytest.approx(PUBLISHED["ICC1"][0])


def test_wrong_input_is_refused() -> None:
    with pytest.raises(ValueError, match="complete table"):
        icc_forms([[1, NAN], [2, 3]])
    with pytest.raises(ValueError, match="confidence"):
        icc_one_way([1, 2], [0, 0], confidence=95)


def test_work_grows_with_the_ratings_alone() -> None:
    def prepare(n: int) -> Callable[[], object]:
        values, texts, _raters = long(many(n // 10))
        return lambda: icc_one_way(values, texts)

    assert prepare(10_000)().single.value > 0.5
    assert_work_grows_with_data(prepare, 10_000)


def test_two_texts_by_two_raters_are_too_few_for_a_complete_table() -> None:
    for estimate in icc_forms([[1, 2], [4, 3]]).values():
        assert (estimate.value, estimate.n_ratings) == (None, 4)
        assert "too few" in (estimate.note or "")
