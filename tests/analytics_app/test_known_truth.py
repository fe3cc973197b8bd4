"""Known truth: right answers by system, category and rater against chance, and what is said where there is no truth."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binomtest

from analytics_app.ratings import Extra, Table
from analytics_app.ratings.extras.own_options import OwnOptions
from analytics_app.results import Row
from analytics_app.stats.comparison.chance import right_by_chance_p
from tests.analytics_app.test_labels import labelled, rows_of, value

# (rater, item, system, label): items 0 and 1 are Yes, 2 and 3 are No. Of s0 all is right but the last answer of r1, of
# s1 half is.
GIVEN = [(rater, item, 0, "Yes" if item < 2 else "No") for rater in range(2) for item in range(4)][:-1]
GIVEN += [(1, 3, 0, "Yes")]
GIVEN += [(rater, item, 1, "Yes") for rater in range(2) for item in range(4)]


def told(truth: list[str], given: list[tuple[int, int, int, str]] = GIVEN) -> Table:
    data = labelled(given)
    return replace(data, names=replace(data.names, features={"truth": np.array(truth)}))


def of(rows: list[Row], statistic: str) -> list[Row]:
    return [row for row in rows if row.statistic == statistic]


def test_right_answers_by_hand() -> None:
    rows = rows_of("known_truth", told(["Yes", "Yes", "No", "No"]), truth="truth")
    assert value(rows, "right_share") == pytest.approx(11 / 16)
    assert value(rows, "right_share", system="s0") == pytest.approx(7 / 8)
    assert value(rows, "right_share", system="s1") == pytest.approx(4 / 8)
    assert value(rows, "right_share", label="Yes") == 1
    assert value(rows, "right_share", label="No") == pytest.approx(3 / 8)
    assert value(rows, "right_by_rater", rater="r0") == pytest.approx(6 / 8)
    (rater,) = [row for row in of(rows, "right_by_rater") if row.rater == "r1"]
    assert rater.value == pytest.approx(5 / 8)
    assert rater.p == pytest.approx(binomtest(5, 8, 0.5).pvalue)
    assert value(rows, "answered_share", label="No: Yes") == pytest.approx(5 / 8)
    # Items minus chance: 1/2, 1/2, 0, -1/4 in all; of 8 flips of the three that move, 2 are as far from zero.
    (test,) = [row for row in of(rows, "right_against_chance") if row.system is None]
    assert test.value == pytest.approx(3 / 16)
    assert test.p == pytest.approx(4 / 8)
    (pair,) = of(rows, "right_difference")
    assert (pair.system, pair.system_b) == ("s0", "s1")
    assert pair.value == pytest.approx(3 / 8)


def test_the_system_itself_can_be_the_truth() -> None:
    given = [(0, item, system, "s0" if item < 3 else "s1") for item in range(4) for system in range(2)]
    rows = rows_of("known_truth", labelled(given), labels=("s0", "s1"), truth="system")
    assert value(rows, "right_share", system="s0") == pytest.approx(3 / 4)
    assert value(rows, "right_share", system="s1") == pytest.approx(1 / 4)
    assert value(rows, "right_share", label="s1") == pytest.approx(1 / 4)
    # While systems are hidden, no row may tell them apart.
    assert all(row.by_system for row in rows if row.label is not None or row.system is not None)


def test_chance_is_one_over_the_options_that_are_offered() -> None:
    rows = rows_of("known_truth", told(["Yes", "Yes", "No", "No"]), labels=("Yes", "No", "Both"), truth="truth")
    assert {row.settings["chance"] for row in of(rows, "right_against_chance") if row.settings} == {1 / 3}


def test_none_of_these_is_an_option_and_several_have_no_chance() -> None:
    data = told(["Yes", "Yes", "No", "No"])
    offered = rows_of("known_truth", data, params={"none_of_these": ["tone"]}, truth="truth")
    assert {row.settings["chance"] for row in of(offered, "right_against_chance") if row.settings} == {1 / 3}
    several = rows_of("known_truth", data, params={"multiple": True}, truth="truth")
    assert not of(several, "right_against_chance")
    assert "Several options may be chosen" in str(of(several, "right_share")[0].note)


def test_items_without_a_truth_are_left_out_and_counted() -> None:
    (row,) = [
        row
        for row in rows_of("known_truth", told(["Yes", "", "No", "Maybe"]), truth="truth")
        if row.statistic == "right_share" and row.system is None and row.label is None
    ]
    assert row.n_ratings == 8
    assert (row.note or "").startswith("8 answers are left out: no option is true of the item.")


def test_what_cannot_be_compared_is_said() -> None:
    data = told(["yes", "yes", "no", "no"])
    (row,) = rows_of("known_truth", data, truth="genre")
    assert row.note == "The items have no feature “genre”. Their features: truth."
    (row,) = rows_of("known_truth", data, truth="truth")
    assert row.note == "No value of “truth”, such as “yes”, is one of the options: Yes, No."
    assert rows_of("known_truth", data) == []


def own_options(*of_items: int, key: str = "labels") -> dict[type[Extra], Extra]:
    """Let item 0, 1, 2 … offer so many options of its own."""
    n = len(of_items)
    lists = tuple(("Yes", "No", *map(str, range(2, many))) for many in of_items)
    return {OwnOptions: OwnOptions((key,) * n, np.arange(n, dtype=np.int64), lists)}


@pytest.mark.parametrize("key", ["labels", "tone"])
def test_options_of_items_give_each_item_its_chance(key: str) -> None:
    data = told(["Yes", "Yes", "No", "No"])
    params, extras = {"item_options": ["tone"]}, own_options(2, 4, 5, 2, key=key)
    rows = rows_of("known_truth", data, params=params, extras=extras, truth="truth")
    (together,) = [row for row in of(rows, "right_against_chance") if row.system is None]
    # Shares of the items 1, 1, 1/2 and 1/4, of chances 1/2, 1/4, 1/5 and 1/2.
    assert together.value == pytest.approx((2.75 - 1.45) / 4)
    assert together.settings
    assert together.settings["chance"] == pytest.approx(1.45 / 4)
    (rater,) = [row for row in of(rows, "right_by_rater") if row.rater == "r1"]
    assert rater.p == pytest.approx(right_by_chance_p(5, [1 / 2, 1 / 4, 1 / 5, 1 / 2] * 2))
    assert of(rows, "right_difference")


def test_none_of_these_is_an_option_of_every_item() -> None:
    data = told(["Yes", "Yes", "No", "No"])
    params = {"item_options": ["tone"], "none_of_these": ["tone"]}
    rows = rows_of("known_truth", data, params=params, extras=own_options(2, 2, 2, 2), truth="truth")
    assert {row.settings["chance"] for row in of(rows, "right_against_chance") if row.settings} == {1 / 3}


def test_a_truth_that_nobody_chose_is_an_answer_that_all_got_wrong() -> None:
    data = told(["2", "Yes", "No", "2"])
    params = {"item_options": ["tone"]}
    rows = rows_of("known_truth", data, params=params, extras=own_options(3, 3, 3, 2), truth="truth")
    (share,) = [row for row in of(rows, "right_share") if row.system is None and row.label is None]
    # Item 0 is all wrong, item 1 all right, item 2 half; the truth of item 3 was not offered with it.
    assert share.value == pytest.approx(6 / 12)
    assert share.n_ratings == 12
    assert (share.note or "").startswith("4 answers are left out: no option is true of the item.")


def test_without_the_options_of_an_item_there_is_no_chance() -> None:
    data = told(["Yes", "Yes", "No", "No"])
    rows = rows_of("known_truth", data, params={"item_options": ["tone"]}, extras=own_options(2, 4, 5), truth="truth")
    assert value(rows, "right_share") == pytest.approx(11 / 16)
    assert not of(rows, "right_against_chance")
    assert of(rows, "right_difference")
    assert {row.p for row in of(rows, "right_by_rater")} == {None}
    assert "so there is no chance level" in str(of(rows, "right_share")[0].note)


def test_several_options_are_right_only_where_the_truth_stands_alone() -> None:
    data = told(["Yes"], [(0, 0, 0, "Yes"), (0, 0, 0, "No"), (1, 0, 0, "Yes")])
    assert value(rows_of("known_truth", data, truth="truth"), "right_share") == pytest.approx(1 / 2)


def of_both(given: list[tuple[int, int, int, str]]) -> Table:
    """Let every text be by both systems: each part stands for an output of s0 and of s1."""
    data = told(["Yes", "Yes", "No", "No"], given)
    names = data.names
    return replace(
        data,
        names=replace(
            names,
            shown_part=np.repeat(names.shown_part, 2),
            shown_item=np.repeat(names.shown_item, 2),
            shown_system=np.tile(np.array([0, 1], dtype=names.shown_system.dtype), len(names.shown_part)),
            systems=("s0", "s1"),
        ),
    )


def test_an_answer_about_a_text_of_two_systems_counts_once_for_its_rater() -> None:
    data = of_both([(0, item, 0, "Yes" if item < 2 else "No") for item in range(4)])
    rows = rows_of("known_truth", data, truth="truth")
    (rater,) = of(rows, "right_by_rater")
    assert (rater.value, rater.n_ratings) == (1.0, 4)
    assert rater.p == pytest.approx(2 * 0.5**4)
    (together,) = [row for row in of(rows, "right_share") if row.system is None and row.label is None]
    assert together.n_ratings == 4
    assert [row.n_ratings for row in of(rows, "right_share") if row.system] == [4, 4]
    (said,) = rows_of("known_truth", data, labels=("s0", "s1", "Yes", "No"), truth="system")
    assert said.note == "Several systems wrote each text, so none of them is the right answer."


def test_no_system_is_named_where_none_is_an_option() -> None:
    (row,) = rows_of("known_truth", told(["Yes", "Yes", "No", "No"]), truth="system")
    assert row.note == "No value of “system” is one of the options: Yes, No."


TRUTH = ["Yes"] * 3 + ["No"] * 3
OTHER = {"Yes": "No", "No": "Yes"}


def is_wrong(rater: int, item: int, system: int) -> bool:
    """Return whether one of five raters is wrong: r3 and r4 on all texts of s1, r2 on that of item 0 by s0."""
    return (rater > 2 and system == 1) or (rater == 2 and system == item == 0)


VOTES = [
    (rater, item, system, OTHER[TRUTH[item]] if is_wrong(rater, item, system) else TRUTH[item])
    for rater in range(5)
    for item in range(6)
    for system in range(2)
]


def test_joint_labels_stand_beside_single_answers() -> None:
    rows = rows_of("known_truth", told(TRUTH, VOTES), truth="truth")
    assert value(rows, "right_share") == pytest.approx(1 - (2 * 6 + 1) / 60)
    for statistic in ("majority_right_share", "ds_right_share"):
        for system in (None, "s0", "s1"):
            assert value(rows, statistic, system=system) == 1
        (of_s1,) = [row for row in of(rows, statistic) if row.system == "s1"]
        # Six texts of six, one of each item.
        assert of_s1.n_ratings == 6
        assert of_s1.low == pytest.approx(binomtest(6, 6).proportion_ci(method="exact").low)
        (together,) = [row for row in of(rows, statistic) if row.system is None]
        assert (together.n_ratings, together.low, together.by_system) == (12, None, False)
    assert all(row.by_system for row in rows if row.system is not None)


def test_a_joint_label_may_be_wrong_where_single_answers_are_right() -> None:
    """Of three raters two are wrong on items 0 and 1, and of two raters one is on item 2."""
    given = [(rater, item, 0, "Yes") for item in range(2) for rater in range(3)]
    given += [(0, 2, 0, "Yes"), (1, 2, 0, "No")]
    given = [(rater, item, system, "No" if item < 2 and rater else label) for rater, item, system, label in given]
    rows = rows_of("known_truth", told(["Yes", "Yes", "Yes"], given), truth="truth")
    assert value(rows, "right_share") == pytest.approx(3 / 8)
    (row,) = [row for row in of(rows, "majority_right_share") if row.system is None]
    assert (row.value, row.n_ratings) == (0, 2)
    assert "1 text is left out: no clear joint label." in str(row.note)


def test_the_model_may_be_right_where_the_majority_is_wrong() -> None:
    """Two raters are always right, three answer at random: the model learns whom to believe."""
    rng = np.random.default_rng(5)
    right = {(rater, text): rater < 2 or rng.random() < 0.5 for text in range(18) for rater in range(5)}
    given = [
        (rater, text % 6, text // 6, TRUTH[text % 6] if is_right else OTHER[TRUTH[text % 6]])
        for (rater, text), is_right in right.items()
    ]
    rows = rows_of("known_truth", told(TRUTH, given), truth="truth")
    often = [sum(right[rater, text] for rater in range(5)) > 2 for text in range(18)]
    assert value(rows, "majority_right_share") == pytest.approx(np.mean(often))
    assert value(rows, "majority_right_share") < value(rows, "ds_right_share") == 1
