"""Judged predictions by hand: shares of right ones by model, what two models have in common, coverage, and subsets."""

from dataclasses import replace

import numpy as np
import pytest

from analytics_app.results import Row
from tests.analytics_app.test_labels import labelled, rows_of, value

# For each rater and item: the verdicts on the predictions of two models, and the right option where there is one.
Answer = tuple[int, int, str, str, str]

SAID: list[Answer] = [
    (0, 0, "right", "right", "a"), (1, 0, "right", "right", "a"),
    (0, 1, "right", "wrong", "a"), (1, 1, "right", "right", "a"),
    (0, 2, "wrong", "wrong", "none_of_these"), (1, 2, "right", "wrong", "b"),
    (0, 3, "cannot_tell", "cannot_tell", ""), (1, 3, "wrong", "right", "b"),
    (0, 4, "wrong_text", "wrong_text", ""), (1, 4, "right", "wrong", "c"),
]  # fmt: skip


def rows(said: list[Answer], **settings: object) -> list[Row]:
    """Return the rows of the analysis of some answers; items 0 to 2 are nouns, the others verbs."""
    given = [
        (rater, item, system, word)
        for rater, item, first, second, option in said
        for system, word in ((0, first), (1, second), (0, f"right-option={option}"))
        if not word.endswith("=")
    ]
    data = labelled(given, criteria=("sense", "right-option"))
    # All verdicts of a screen are one judgment.
    screens = list(dict.fromkeys((rater, item) for rater, item, _system, _word in given))
    judgment = np.array([screens.index(one[:2]) for one in given], dtype=np.int32)
    first = np.array([int(np.flatnonzero(judgment == n)[0]) for n in range(len(screens))])
    judgments = data.judgments.where(data.judgment[first])
    nouns = np.array(["noun" if int(key[1:]) < 3 else "verb" for key in data.names.items], dtype=object)
    names = replace(data.names, features={"tag": nouns})
    return rows_of("predictions", replace(data, judgment=judgment, judgments=judgments, names=names), **settings)


def test_shares_of_each_model_leave_out_what_nobody_could_judge() -> None:
    found = rows(SAID)
    assert value(found, "prediction_right", system="s0") == pytest.approx(6 / 8)
    assert value(found, "prediction_right", system="s1") == pytest.approx(4 / 8)
    (row,) = [row for row in found if row.statistic == "prediction_right" and row.system == "s0"]
    assert (row.n_ratings, row.n_items, row.n_raters, row.criterion) == (8, 5, 2, "sense")


def test_answers_pairs_and_coverage_by_hand() -> None:
    found = rows(SAID)
    answers = {"all_right": 3, "some_right": 4, "none_right": 1, "cannot_tell": 1, "wrong_text": 1}
    for label, n in answers.items():
        assert value(found, "prediction_answers", label=label) == pytest.approx(n / 10), label
    for label, n in {"both": 3, "first": 3, "second": 1, "neither": 1}.items():
        share = value(found, "prediction_pair", system="s0", system_b="s1", label=label)
        assert share == pytest.approx(n / 8), label
    assert value(found, "option_coverage") == pytest.approx(7 / 8)


def test_differences_are_of_item_means_over_items_and_of_the_model_for_further_raters() -> None:
    found = rows(SAID)
    # Means of the items: model 0 has 1, 1, .5, 0, 1 and model 1 has 1, .5, 0, 1, 0.
    assert value(found, "prediction_difference", system="s0", system_b="s1") == pytest.approx(0.2)
    crossed = value(found, "prediction_difference_crossed", system="s0", system_b="s1")
    assert crossed is not None
    assert -1 < crossed < 1
    over_items = rows(SAID, common={"generalise_to": "texts"})
    assert not [row for row in over_items if row.statistic.endswith("_crossed")]


def test_slices_give_the_same_for_each_part_of_speech() -> None:
    found = rows(SAID, slices=["tag"])
    assert value(found, "prediction_right", system="s0", slice="tag=noun") == pytest.approx(5 / 6)
    assert value(found, "prediction_right", system="s0", slice="tag=verb") == pytest.approx(1 / 2)
    assert value(found, "option_coverage", slice="tag=noun") == pytest.approx(5 / 6)
    assert value(found, "prediction_pair", system="s0", system_b="s1", label="both", slice="tag=verb") == 0


def test_where_nobody_could_judge_a_row_says_so() -> None:
    found = rows([(rater, item, "cannot_tell", "cannot_tell", "") for rater in (0, 1) for item in (0, 1)])
    (row,) = [row for row in found if row.statistic == "prediction_right"]
    assert (row.value, row.note) == (None, "No prediction was called right or wrong.")
    assert value(found, "prediction_answers", label="cannot_tell") == 1


def test_a_model_left_out_leaves_the_other() -> None:
    found = rows(SAID, without_systems=["s1"])
    assert {row.system for row in found if row.statistic == "prediction_right"} == {"s0"}
    assert not [row for row in found if row.statistic in {"prediction_pair", "prediction_difference"}]
