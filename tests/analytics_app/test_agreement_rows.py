"""The rows of agreement: what each scale calls for, forms and weights said, and who cannot agree at all."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from django.core.exceptions import ValidationError

from analytics_app import analyses
from analytics_app.analyses.base import Question
from analytics_app.analyses.shared import conditions
from analytics_app.analyses.shared.rated_texts import can_be_compared
from analytics_app.ratings import Extras
from analytics_app.ratings.extras.repeats import Repeats
from analytics_app.ratings.table import COLUMNS
from analytics_app.results import Row
from tasks_app.task_types.base import Scale
from tests.house.test_analyses import TABLES, crossed, labelled, made, sample

MADE = np.random.default_rng(8)
STEPS = [float(step) for step in MADE.integers(1, 6, 90)]


def rows(name: str, scale: Scale, numbers: Sequence[float] = STEPS, **settings: Any) -> list[Row]:
    return list(made(name, **settings).rows(sample(crossed(list(numbers)), scale, name)))


def statistics(found: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(row.statistic for row in found))


def test_labels_are_compared_as_labels_and_steps_as_steps() -> None:
    assert statistics(rows("agreement", Scale.NOMINAL)) == ["gwet_ac1", "percent_agreement", "fleiss_kappa"]
    steps = rows("agreement", Scale.ORDINAL)
    assert statistics(steps) == ["gwet_ac2", "percent_agreement", "fleiss_kappa", "kendall_w"]
    assert steps[0].settings is not None
    assert (steps[0].settings["weights"], steps[0].settings["categories"]) == ("quadratic", 5)
    assert statistics(rows("kappa", Scale.NOMINAL))[0] == "cohen_kappa"
    assert statistics(rows("kappa", Scale.ORDINAL))[0] == "cohen_kappa_quadratic"


def test_labels_that_a_question_offers_count_as_categories_although_nobody_gave_them() -> None:
    one = sample(crossed(STEPS), Scale.NOMINAL, "agreement")
    offered = replace(one, question=replace(one.question, labels=("1", "2", "3", "4", "5", "6", "7")))
    strange = replace(one, question=replace(one.question, labels=("yes", "no")))
    found = [next(made("agreement").rows(each)) for each in (one, offered, strange)]
    assert [(row.settings or {})["categories"] for row in found] == [5, 7, 5]


def test_numbers_that_stand_for_categories_are_compared_too() -> None:
    # As whether the odd text was chosen: 1 or 0, and no label.
    right = replace(sample(crossed([float(step > 2) for step in STEPS]), Scale.ORDINAL, "agreement"))
    nominal = replace(right, question=replace(right.question, scale=Scale.NOMINAL, domain=()))
    for name in ("agreement", "kappa", "krippendorff", "with_rest"):
        found = list(made(name).rows(nominal))
        assert found, name
        assert any(row.value is not None for row in found), name


def test_pairs_of_raters_are_listed_up_to_a_sensible_number(monkeypatch: pytest.MonkeyPatch) -> None:
    found = rows("kappa", Scale.NOMINAL)
    assert len([row for row in found if row.statistic == "cohen_kappa_pair"]) == 10
    mean, least, greatest = found[:3]
    values = [row.value for row in found[3:] if row.value is not None]
    assert mean.value == pytest.approx(np.mean(values))
    assert (least.value, greatest.value) == pytest.approx((min(values), max(values)))
    monkeypatch.setattr("analytics_app.analyses.kappa.LISTED", 9)
    assert statistics(rows("kappa", Scale.NOMINAL)) == ["cohen_kappa", "cohen_kappa_least", "cohen_kappa_greatest"]


def test_the_form_of_an_icc_is_always_said() -> None:
    found = [row for row in rows("icc", Scale.INTERVAL) if row.statistic == "icc"]
    assert [row.label for row in found] == ["ICC2k", "ICC2", "ICC3k", "ICC3", "ICC1k", "ICC1"]
    for row in found:
        assert row.settings is not None
        assert row.settings["form"] == row.label
        assert (row.settings["values"], row.settings["k"]) == ("raw", 5)
        assert row.settings["model"]
        assert (row.n_ratings, row.n_items, row.n_raters) == (90, 18, 5)


def test_magnitudes_are_read_as_logarithms_first() -> None:
    found = [row for row in rows("icc", Scale.RATIO) if row.statistic == "icc"]
    assert [row.label for row in found][::6] == ["ICC2k of logs", "ICC2k"]
    logs = rows("icc", Scale.INTERVAL, [np.log(step) for step in STEPS])
    assert found[0].value == pytest.approx(logs[0].value)
    none = rows("icc", Scale.RATIO, [0.0, *STEPS[1:]], values="log")
    assert [row.note for row in none] == ["There are ratings of zero or below, which have no logarithm."]


def test_only_the_first_ratings_of_each_text_where_that_is_asked_for() -> None:
    whole = sample(crossed(STEPS), Scale.INTERVAL, "icc")
    # Raters 0 to 4 came one after the other; one text has a single rating left.
    table = whole.table
    few = whole.where((table.text > 0) | (table.rater == 0))
    found = list(made("icc", k=3).rows(few))
    first = whole.where((table.rater < 3) & (table.text > 0))
    expected = list(made("icc").rows(first))
    one = next(row for row in found if row.label == "ICC1k")
    assert one.value == pytest.approx(next(row for row in expected if row.label == "ICC1k").value)
    assert "Left out: 1 text with fewer than 3 ratings." in str(one.note)
    assert [row.label for row in found if row.statistic == "icc"] == ["ICC1k", "ICC1"]
    # The order of arrival counts, not that of the rows.
    moved = few.where(np.random.default_rng(1).permutation(len(few.table)))
    again = list(made("icc", k=3).rows(moved))
    assert next(row for row in again if row.label == "ICC1k").value == pytest.approx(one.value)


def test_what_noise_allows() -> None:
    # Values that agree: the bound is the root of the reliability of means.
    agreed = [float(3 + (text % 5) + (rater == 1)) for rater in range(5) for text in range(18)]
    found = rows("icc", Scale.INTERVAL, agreed)
    bound, average = found[-1], next(row for row in found if row.label == "ICC1k")
    assert bound.statistic == "noise_bound"
    assert average.value is not None
    assert bound.value == pytest.approx(average.value**0.5)
    assert rows("icc", Scale.INTERVAL, [1.0, 2.0] * 45)[-1].note


def test_raters_who_share_no_text_agree_on_nothing() -> None:
    apart = sample(TABLES["missing in blocks"], Scale.ORDINAL, "agreement")
    for name in ("agreement", "kappa", "icc"):
        found = list(made(name).rows(apart))
        assert all(row.value is None and row.note for row in found), name
    found = list(made("with_rest").rows(apart))
    assert [row.statistic for row in found] == ["prediction_absolute", "prediction_square", "prediction_averages"]
    assert all(row.value is None and row.note for row in found)


def test_each_rater_has_a_row_against_the_rest() -> None:
    found = rows("with_rest", Scale.ORDINAL)
    errors = [f"prediction_{kind}{of}" for of in ("", "_items") for kind in ("absolute", "square")]
    errors.append("prediction_averages")
    assert statistics(found) == ["correlation_with_rest", "equal_to_another", "difference_from_rest", *errors]
    for statistic in statistics(found):
        raters = [row.rater for row in found if row.statistic == statistic]
        assert raters == [*([None] if statistic in errors else []), "r0", "r1", "r2", "r3", "r4"]
    assert statistics(rows("with_rest", Scale.NOMINAL)) == ["agreement_with_rest", "equal_to_another"]


def repeated(n: int, *, labels: bool = False) -> list[Row]:
    """Return the rows of raters who were asked n times again."""
    scale = Scale.NOMINAL if labels else Scale.ORDINAL
    of = sample(crossed(STEPS), scale, "intra_rater")
    first = np.arange(n) % 5 + 1.0
    again = np.where(np.arange(n) % 3 == 0, first, first + 1)
    none, codes = np.full(n, np.nan), np.zeros(n, dtype=np.int32)
    pairs = Repeats(
        rater=(np.arange(n) % 5).astype(np.int32),
        unit=codes,
        part=codes,
        criterion=codes,
        first=none if labels else first,
        again=none if labels else again,
        first_label=first.astype(np.int32) if labels else codes - 1,
        again_label=again.astype(np.int32) if labels else codes - 1,
        first_shown=none,
        again_shown=none,
        apart=codes + 5,
        first_judgment=of.table.judgments.id[:1].repeat(n),
        again_judgment=np.full(n, 10**6),
        labels=tuple("abcdefgh") if labels else (),
    )
    data = replace(of, extras=Extras({Repeats: pairs}))
    return list(made("intra_rater").rows(data))


def test_what_was_asked_twice() -> None:
    found = repeated(15)
    by_name = {row.statistic: row for row in found if row.rater is None}
    assert by_name["repeats_equal"].value == pytest.approx(1 / 3)
    assert by_name["repeats_difference"].value == pytest.approx(2 / 3)
    assert by_name["repeats_alpha"].n_items == 15
    for name in ("repeats_equal", "repeats_difference"):
        assert (by_name[name].settings or {})["interval"] == "Student's t over raters"
    own = [row for row in found if row.rater == "r0" and row.statistic == "rater_repeats_equal"]
    assert [row.value for row in own] == pytest.approx([1 / 3])
    assert [row.note for row in own] == ["1 of 3 equal."]


def test_few_repeats_give_counts_and_no_coefficient() -> None:
    found = repeated(6)
    assert "repeats_alpha" not in statistics(found)
    assert found[0].note == "2 of 6 equal."
    labels = repeated(12, labels=True)
    assert "repeats_difference" not in statistics(labels)
    assert labels[0].value == pytest.approx(1 / 3)
    assert repeated(0) == []


@pytest.mark.parametrize(
    ("task_type", "criterion", "possible"),
    [
        ("likert", "fluency", True),
        # Who was right says nothing of the texts.
        ("triangle", "correct", False),
        # A place on the screen means something only with the order in which the texts stood.
        ("triangle", "odd-one-out", False),
        # Whoever answers about themselves agrees with nobody.
        ("questionnaire", "age", False),
    ],
)
def test_who_can_agree(task_type: str, criterion: str, possible: bool) -> None:
    from tasks_app import task_types

    params = task_types.registry[task_type]().params
    question = Question("main", task_type, Scale.NOMINAL, criterion, params=params)
    assert can_be_compared(question) is possible
    for name in ("agreement", "kappa", "krippendorff", "with_rest"):
        assert analyses.registry[name].fits(question) is possible, name


@pytest.mark.parametrize(
    ("condition", "kept"),
    [("half=a", {"a"}), ("half!=a", {"b"}), ("half = b", {"b"}), ("half=c", set()), ("no such>1", None)],
)
def test_only_items_that_meet_a_condition(condition: str, kept: set[str] | None) -> None:
    if kept is None:
        with pytest.raises(ValidationError):
            conditions.check(condition)
        return
    found = rows("agreement", Scale.ORDINAL, where=condition)
    said = condition.replace(" ", "")
    assert {row.slice for row in found} == {said}
    assert found[0].n_ratings in ({45, 0, None} if kept else {0, None})


def test_conditions_compare_numbers_as_numbers() -> None:
    data = crossed(STEPS)
    scores = np.array(["0.7", "0.70", ".69", "", "10", "bad"], dtype=object)
    data = replace(data, names=replace(data.names, features={"score": scores}))
    item = data.names.item_of_unit[data.unit]

    def items(text: str) -> set[int]:
        return set(item[conditions.Condition.read(text).holds(data)].tolist())

    assert items("score>=0.7") == {0, 1, 4}
    assert items("score>0.7") == {4}
    assert items("score<0.7") == {2}
    assert items("score<=0.7") == {0, 1, 2}
    assert items("score=0.7") == {0, 1}
    assert items("score!=0.7") == {2, 4, 5}
    assert items("other>=0") == set()
    for wrong in ("score", "score>=high", ">=1", ""):
        with pytest.raises(ValueError, match=r"condition is|compares numbers"):
            conditions.Condition.read(wrong)


def test_a_condition_stands_beside_the_other_filters() -> None:
    found = rows("agreement", Scale.ORDINAL, where="half=a", without_systems=["s2"], slices=["half"])
    assert [row.slice for row in found if row.statistic == "percent_agreement"] == [
        "half=a; system!=s2", "half=a; half=a; system!=s2", "half=b; half=a; system!=s2",
    ]  # fmt: skip


def test_several_labels_of_a_rater_for_a_text_are_said_to_count_once() -> None:
    data = labelled(crossed(STEPS))
    number = data.number.copy()
    number[::7] = 2
    one = sample(crossed(STEPS), Scale.NOMINAL, "agreement")
    several = replace(one, table=replace(data, number=number))
    found = list(made("agreement").rows(several))
    assert all("only the first counts" in str(row.note) for row in found)


def test_labels_given_once_have_no_such_note_and_a_second_answer_is_counted_instead() -> None:
    several, again = "only the first counts", "1 further rating of a text by the same rater left out."
    once = sample(crossed(STEPS), Scale.NOMINAL, "agreement")
    found = list(made("agreement").rows(once))
    assert not any(several in str(row.note) or again in str(row.note) for row in found)
    for scale in (Scale.NOMINAL, Scale.ORDINAL):
        given = sample(crossed(STEPS), scale, "agreement")
        twice = given.where(np.append(np.arange(len(STEPS)), 0))
        first = next(made("agreement").rows(twice))
        assert again in str(first.note), scale
        assert several not in str(first.note), scale


def test_numbers_that_came_several_at_a_time_are_not_called_labels() -> None:
    given = sample(crossed(STEPS), Scale.ORDINAL, "agreement")
    number = given.table.number.copy()
    number[::7] = 2
    given = replace(given, table=replace(given.table, number=number))
    found = list(made("agreement").rows(given))
    assert not any("only the first counts" in str(row.note) for row in found)


def test_criteria_that_are_taken_together_are_never_compared_with_each_other() -> None:
    """Five raters agree on each of two criteria, which differ: over both together they agree as well."""
    data = crossed([float(1 + text % 5) for _rater in range(5) for text in range(18)])
    second = replace(data, value=6 - data.value, criterion=data.criterion + 1, id=data.id + len(data))
    columns = {name: np.concatenate((getattr(data, name), getattr(second, name))) for name in COLUMNS}
    names = replace(data.names, criteria=("fluency", "adequacy"), criterion_ids=np.array([1, 2], dtype=np.int64))
    given = sample(data, Scale.ORDINAL, "krippendorff")
    both = replace(
        given, table=replace(data, names=names, **columns), z=np.tile(given.z, 2),
        question=replace(given.question, criterion=None),
    )  # fmt: skip
    found = {row.statistic: row for row in made("krippendorff").rows(both)}
    assert found["alpha"].value == 1
    assert (found["alpha"].n_ratings, found["alpha"].n_items, found["alpha"].n_raters) == (180, 36, 5)
    agreed = list(made("agreement").rows(both))
    percent = next(row for row in agreed if row.statistic == "percent_agreement")
    assert (percent.value, percent.n_items) == (1, 36)
    assert "further" not in str(percent.note), "what was said of another criterion is no second answer"
