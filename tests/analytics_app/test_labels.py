"""Labels and error labels: numbers of small tables counted by hand."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from analytics_app import analyses
from analytics_app.analyses.base import Common, Question, QuestionCriterion, Sample
from analytics_app.analyses.joint_labels import GoodField
from analytics_app.ratings import Extras, Table
from analytics_app.ratings.extras.due_units import Wanted
from analytics_app.ratings.extras.experts import Experts
from analytics_app.ratings.extras.kinds import Kinds
from analytics_app.ratings.extras.skips import Skips
from analytics_app.results import Row
from tasks_app import task_types
from tasks_app.task_types.base import Scale
from tests.house.test_analyses import made, table

# (rater, item, system, label)
Given = Sequence[tuple[int, int, int, str]]


def labelled(given: Given, criteria: Sequence[str] = ("tone",), groups: Sequence[int] | None = None) -> Table:
    """Make a table of labels; a label may say its criterion, as "meaning=Yes"."""
    raters, items, systems, said = (list(one) for one in zip(*given, strict=True))
    made = table([0.0] * len(given), raters, items, systems)
    parts = [one.rpartition("=") for one in said]
    words = tuple(sorted({label for _criterion, _sign, label in parts}))
    place = np.array([words.index(label) for _criterion, _sign, label in parts], dtype=np.int32)
    code = np.array([criteria.index(key) if key else 0 for key, _sign, _label in parts], dtype=np.int32)
    keys = [(rater, item, system, one) for rater, item, system, one in zip(raters, items, systems, code, strict=True)]
    numbers = np.array([keys[:place].count(key) + 1 for place, key in enumerate(keys)], dtype=np.int32)
    # Labels of one rater on one text are one judgment.
    texts = list(dict.fromkeys((rater, item, system) for rater, item, system, _code in keys))
    judgment = np.array([texts.index(key[:3]) for key in keys], dtype=np.int32)
    first = np.array([int(np.flatnonzero(judgment == one)[0]) for one in range(len(texts))])
    judgments = made.judgments.where(first)
    if groups is not None:
        judgments = replace(judgments, group=np.array(groups, dtype=np.int32)[judgments.rater])
    names = replace(made.names, labels=words, criteria=tuple(criteria), criterion_ids=np.arange(len(criteria)) + 1)
    names = replace(names, groups=("crowd", "experts"))
    return replace(
        made, value=np.full(len(given), np.nan), label=place, criterion=code, number=numbers, judgment=judgment,
        judgments=judgments, names=names,
    )  # fmt: skip


def rows_of(
    name: str, data: Table, *, labels: Sequence[str] = ("Yes", "No"), params: dict | None = None,
    extras: dict | None = None, common: dict | None = None, **settings: object,
) -> list[Row]:  # fmt: skip
    member = analyses.registry[name]
    kind = min(member.task_types)
    whole = member.whole_task
    asked = tuple(
        QuestionCriterion(key, key, Scale.NOMINAL, code, labels=tuple(labels))
        for code, key in enumerate(data.names.criteria)
    )
    question = Question(
        task="main", task_type=kind, scale=Scale.NOMINAL, criterion=None if whole else data.names.criteria[0],
        whole=whole, criteria=asked if whole else (), params=task_types.registry[kind](params).params,
        labels=() if whole else tuple(labels),
    )  # fmt: skip
    found = {need: need.empty(data) for need in member.needs} | (extras or {})
    about = Common(n_resamples=200, n_permutations=999, seed=1, **(common or {}))
    sample = Sample(data, np.full(len(data), np.nan), question, about, "kept", extras=Extras(found))
    return list(made(name, **settings).rows(sample))


def value(rows: Sequence[Row], statistic: str, **about: object) -> float | None:
    (row,) = [
        row
        for row in rows
        if row.statistic == statistic
        and all(getattr(row, name) == about.get(name) for name in ("system", "system_b", "label", "rater", "slice"))
        and row.criterion == about.get("criterion", row.criterion)
    ]
    return row.value


# Four items by two systems, three raters: of s0 all are Yes but one, of s1 all No but one that is disputed.
TWO = [(rater, item, 0, "Yes") for rater in range(3) for item in range(4) if (rater, item) != (2, 3)]
TWO += [(2, 3, 0, "No")]
TWO += [(rater, item, 1, "No") for rater in range(3) for item in range(4) if (rater, item) not in {(0, 0), (1, 0)}]
TWO += [(0, 0, 1, "Yes"), (1, 0, 1, "Yes")]


def test_shares_and_differences_by_hand() -> None:
    rows = rows_of("labels", labelled(TWO))
    assert value(rows, "share", system="s0", label="Yes") == pytest.approx(11 / 12)
    assert value(rows, "share", system="s1", label="Yes") == pytest.approx(2 / 12)
    assert value(rows, "distribution", label="No") == pytest.approx(11 / 24)
    assert value(rows, "majority_share", system="s1", label="Yes") == pytest.approx(1 / 4)
    assert value(rows, "majority_ties") == 0
    (difference,) = [row for row in rows if row.statistic == "label_difference"]
    # Items differ by 1/3, 1, 1 and 2/3; of 16 flips of signs two are as far from zero.
    assert (difference.system, difference.system_b, difference.label) == ("s0", "s1", "Yes")
    assert difference.value == pytest.approx(3 / 4)
    assert difference.p == pytest.approx(2 / 16)
    (test,) = [row for row in rows if row.statistic == "mcnemar"]
    assert (test.value, test.n_items) == (3, 4)
    assert test.p == pytest.approx(2 / 8)
    # The three items that differ all have the same direction, so that p is the smallest possible.
    assert test.note == "Only 3 of 4 items differ, so the smallest possible p is 0.25."
    assert (test.settings or {}).items() >= {"n_units": 4, "n_differing": 3}.items()


def test_a_test_that_can_be_significant_has_no_note() -> None:
    """Six items that differ: p is 2 / 64 at least."""
    opposed = [(rater, item, s, "Yes" if s else "No") for rater in range(2) for item in range(6) for s in (0, 1)]
    rows = rows_of("labels", labelled(opposed))
    (test,) = [row for row in rows if row.statistic == "mcnemar"]
    assert test.p == pytest.approx(2 / 64)
    assert test.note is None
    assert "n_differing" not in (test.settings or {})


def test_skills_and_accuracy_name_who_errs() -> None:
    rows = rows_of("labels", labelled(TWO))
    skills = {row.rater: row.value for row in rows if row.statistic == "wawa_skill"}
    assert skills == {"r0": 1.0, "r1": 1.0, "r2": pytest.approx(6 / 8)}
    accuracy = {row.rater: row.value for row in rows if row.statistic == "rater_accuracy"}
    assert min(accuracy, key=accuracy.get) == "r2"


def test_ties_are_counted_and_left_out() -> None:
    tied = [(0, 0, 0, "Yes"), (1, 0, 0, "No"), (0, 1, 0, "Yes"), (1, 1, 0, "Yes")]
    rows = rows_of("labels", labelled(tied))
    assert value(rows, "majority_ties") == 1
    assert value(rows, "majority_share", system="s0", label="Yes") == 1
    (row,) = [row for row in rows if row.statistic == "majority_share" and row.label == "Yes"]
    assert "1 text is left out: their votes are tied." in row.note


def test_one_rater_leaves_the_model_undefined_with_a_sentence() -> None:
    rows = rows_of("labels", labelled([(0, item, 0, "Yes") for item in range(3)]))
    for statistic in ("label_confidence", "low_confidence_texts"):
        (row,) = [row for row in rows if row.statistic == statistic]
        assert row.value is None
        assert row.note.startswith("No text has labels by two raters")
    assert not [row for row in rows if row.statistic == "uncertain_text"]


def test_several_options_are_yes_or_no_each() -> None:
    given = [(rater, item, 0, label) for rater in range(3) for item in range(4) for label in ("a", "b")]
    given += [(3, item, 0, "a") for item in range(4)]
    rows = rows_of("labels", labelled(given), labels=("a", "b", "c"), params={"multiple": True})
    assert value(rows, "share", system="s0", label="a") == 1
    assert value(rows, "share", system="s0", label="b") == pytest.approx(3 / 4)
    assert value(rows, "share", system="s0", label="c") == 0
    assert value(rows, "ds_prevalence", label="b") == pytest.approx(1, abs=0.01)
    assert value(rows, "majority_share", system="s0", label="b") == 1
    assert next(row for row in rows if row.statistic == "distribution").note.startswith("Several options")


def test_options_of_items_have_no_model() -> None:
    params = {"item_options": ["tone"]}
    rows = rows_of("labels", labelled(TWO), labels=(), params=params)
    (row,) = [row for row in rows if row.statistic == "label_confidence"]
    assert row.note.startswith("The options differ from item to item")
    assert value(rows, "share", system="s0", label="Yes") == pytest.approx(11 / 12)
    assert {(row.settings or {})["labels"] for row in rows if row.statistic == "mcnemar"} == {"majority"}


@pytest.mark.parametrize(("best", "expected"), [("first", 0.5), ("last", 1.0)])
def test_not_worse_than_source(best: str, expected: float) -> None:
    of_source = ["Yes", "Yes", "No", "In part"]
    of_system = ["Yes", "No", "No", "No"]
    given = [(rater, item, 0, one) for rater in range(2) for item, one in enumerate(of_source)]
    given += [(rater, item, 1, one) for rater in range(2) for item, one in enumerate(of_system)]
    kinds = {Kinds: Kinds(("source", "machine", ""))}
    rows = rows_of("labels", labelled(given), labels=("Yes", "In part", "No"), extras=kinds, best=best)
    assert value(rows, "not_worse_than_source", system="s1") == pytest.approx(expected)
    assert not [row for row in rows if row.statistic == "not_worse_than_source" and row.system == "s0"]


def test_experts_of_a_group_within_the_task() -> None:
    crowd = [(rater, item, 0, "Yes") for rater in range(3) for item in range(4)]
    experts = [(3, 0, 0, "No"), (3, 1, 0, "Yes"), (4, 2, 0, "Yes"), (3, 2, 0, "No")]
    data = labelled([*crowd, *experts], groups=[0, 0, 0, 1, 1])
    rows = [row for row in rows_of("labels", data, experts=["experts"]) if row.group is None]
    # The crowd alone is counted; of two texts with a clear expert's label one is as the crowd has it.
    assert value(rows, "share", system="s0", label="Yes") == 1
    assert value(rows, "expert_texts") == pytest.approx(3 / 4)
    assert value(rows, "expert_agreement") == pytest.approx(1 / 2)
    assert value(rows, "expert_majority_agreement") == pytest.approx(1 / 2)
    assert value(rows, "final_prevalence", label="No") == pytest.approx(1 / 4)
    (row,) = [row for row in rows if row.statistic == "expert_texts"]
    assert row.note == "Where experts are tied, the label of the crowd stays."


def test_what_only_experts_chose_is_an_option() -> None:
    data = labelled([(rater, item, 0, "Yes") for rater in range(2) for item in range(2)])
    zero = np.zeros(1, dtype=np.int32)
    sent = Experts(part=zero, rater=zero + 4, criterion=zero, label=zero, labels=("Neither",))
    rows = rows_of("labels", data, labels=(), extras={Experts: sent})
    assert value(rows, "final_prevalence", label="Neither") == pytest.approx(1 / 2)
    assert value(rows, "share", system="s0", label="Neither") == 0


def test_uncertain_texts_are_listed_least_certain_first() -> None:
    given = [(rater, item, 0, "Yes" if item < 2 else "No") for rater in range(4) for item in range(4)]
    given += [(0, 4, 0, "Yes"), (1, 4, 0, "Yes"), (2, 4, 0, "No"), (3, 4, 0, "No")]
    given += [(0, 5, 0, "No"), (1, 5, 0, "No"), (2, 5, 0, "Yes"), (3, 5, 0, "Yes")]
    rows = rows_of("labels", labelled(given), threshold=0.9)
    listed = [row for row in rows if row.statistic == "uncertain_text"]
    assert {row.slice for row in listed} == {"text=u4", "text=u5"}
    confidences = [row.value or 0.0 for row in listed]
    assert confidences == sorted(confidences)
    assert value(rows, "low_confidence_texts") == 2
    assert all(row.by_system for row in listed)


def test_a_whole_number_of_the_settings_is_in_rows_as_in_the_plan() -> None:
    given = [(rater, item, 0, "Yes" if item < 2 else "No") for rater in range(4) for item in range(4)]
    rows = rows_of("labels", labelled(given), threshold=1)
    (row,) = [row for row in rows if row.statistic == "low_confidence_texts"]
    assert repr(row.settings) == "{'threshold': 1}"


BOTH = [
    (rater, item, system, f"{key}={one}")
    for rater in range(2)
    for item, (tone, meaning) in enumerate([("Yes", "Yes"), ("Yes", "No"), ("No", "Yes")])
    for system in range(2)
    for key, one in (("tone", tone if system else "Yes"), ("meaning", meaning if system else "Yes"))
]


@pytest.mark.parametrize("aggregate", ["dawid_skene", "majority"])
def test_joint_scores(aggregate: str) -> None:
    data = labelled(BOTH, criteria=("tone", "meaning"))
    rows = rows_of("joint_labels", data, good=["tone=Yes", "meaning=Yes"], aggregate=aggregate)
    assert value(rows, "joint_share", system="s0") == 1
    assert value(rows, "joint_share", system="s1") == pytest.approx(1 / 3)
    assert value(rows, "joint_share") == pytest.approx(4 / 6)
    (test,) = [row for row in rows if row.statistic == "joint_difference"]
    assert (test.value, test.n_items) == (2, 3)
    assert test.p == pytest.approx(1 / 2)
    assert (test.note or "").startswith("Only 2 of 3 items differ, so the smallest possible p is 0.5.")


def test_joint_scores_where_criteria_were_asked_apart() -> None:
    """Each criterion has screens of its own, whose texts are the same."""
    tone = [(rater, item, 0, "tone=Yes") for rater in range(2) for item in range(3)]
    meaning = [(rater, item, 1, f"meaning={'Yes' if item else 'No'}") for rater in range(2) for item in range(3)]
    data = labelled([*tone, *meaning], criteria=("tone", "meaning"))
    # What was made as the texts of a second system shows those of the first.
    names = replace(data.names, shown_system=np.zeros_like(data.names.shown_system))
    rows = rows_of("joint_labels", replace(data, names=names), good=["tone=Yes", "meaning=Yes"])
    assert value(rows, "joint_share") == pytest.approx(2 / 3)
    assert value(rows, "joint_share", system="s0") == pytest.approx(2 / 3)
    # Six screens, but three texts, and all of them have clear labels.
    (by_system,) = [row for row in rows if row.system == "s0"]
    assert "no clear label" not in (by_system.note or "")


def test_joint_scores_need_to_know_what_is_good() -> None:
    data = labelled(BOTH, criteria=("tone", "meaning"))
    assert rows_of("joint_labels", data) == []
    (row,) = rows_of("joint_labels", data, good=["tome=Yes"])
    assert row.note == "This task does not ask tome."
    (row,) = rows_of("joint_labels", data, good=["tone=Yes", "tone=Yse"])
    assert (row.value, row.note) == (None, "No label that is offered, or that anybody gave: tone=Yse.")
    field = GoodField()
    assert field.clean(["tone=Yes"]) == ["tone=Yes"]
    with pytest.raises(Exception, match="Write criterion=label"):
        field.clean(["tone"])


def test_a_test_over_items_of_whole_documents_says_so() -> None:
    data = labelled([(r, i, s, "Yes" if (i + s) % 2 else "No") for r in range(2) for i in range(6) for s in range(2)])
    notes = {}
    for by_document in (False, True):
        member = analyses.registry["labels"]
        question = Question(
            task="main", task_type="labels", scale=Scale.NOMINAL, criterion="tone", by_document=by_document,
            params=task_types.registry["labels"]().params, labels=("Yes", "No"),
        )  # fmt: skip
        extras = Extras({need: need.empty(data) for need in member.needs})
        sample = Sample(data, np.full(len(data), np.nan), question, Common(n_resamples=50), "kept", extras=extras)
        (row,) = [one for one in made("labels").rows(sample) if one.statistic == "mcnemar"]
        notes[by_document] = row.note
    assert notes == {False: None, True: "Items of one document count as independent here, so p may be too small."}


def test_groups_of_experts_that_are_none() -> None:
    data = labelled([(r, i, 0, "Yes") for r in range(2) for i in range(3)])
    rows = rows_of("labels", data, experts=["experst"])
    (row,) = [row for row in rows if row.statistic == "expert_texts"]
    assert (row.label, row.note) == ("experst", "This study has no group experst.")


def test_error_labels_by_system_and_rater() -> None:
    given = [(0, item, 0, "error=V" if item else "error=MT") for item in range(4)]
    given += [(1, item, 0, "error=V") for item in range(4)]
    given += [(0, 0, 0, "side=target")]
    data = labelled(given, criteria=("error", "side"))
    rows = rows_of("error_labels", data, labels=())
    assert value(rows, "share", system="s0", label="MT") == pytest.approx(1 / 8)
    assert value(rows, "label_count", system="s0", label="MT") == 1
    assert value(rows, "overall_share", label="V") == pytest.approx(7 / 8)
    (several,) = {row.note for row in rows if row.statistic == "overall_share"}
    assert several == "Several raters labelled a text, and answers count as independent: the interval is too narrow."
    assert value(rows, "rater_share", rater="r0", label="MT") == pytest.approx(1 / 4)
    assert value(rows, "follow_up_share", label="target", criterion="side") == 1
    assert value(rows, "follow_up_share", label="target", criterion="side", slice="after=MT") == 1
    confused = {row.label: row.value for row in rows if row.statistic == "confusion" and row.rater is None}
    assert confused == {"MT / V": 1, "V / MT": 1, "V / V": 6}
    assert value(rows, "seconds_median") == 1


def test_flags_and_what_is_left_over() -> None:
    data = labelled([(0, item, 0, "error=V") for item in range(3)], criteria=("error", "rude"))
    rude = {"criterion": np.ones(3, dtype=np.int32), "label": np.full(3, -1, dtype=np.int32)}
    flags = replace(data, **rude, value=np.array([1.0, 0.0, 0.0]))
    both = replace(
        data,
        **{
            name: np.concatenate([getattr(data, name), getattr(flags, name)])
            for name in (
                "id", "judgment", "rater", "unit", "part", "part_b", "criterion", "number", "value", "shown", "label",
            )
        },
    )  # fmt: skip
    extras = {
        Wanted: Wanted(np.arange(5, dtype=np.int32)),
        Skips: Skips(*(np.zeros(2, dtype=np.int32) for _column in range(4))),
    }
    rows = rows_of("error_labels", both, labels=(), extras=extras)
    assert value(rows, "flag_share", criterion="rude") == pytest.approx(1 / 3)
    assert value(rows, "unlabelled_texts") == 2
    (skipped,) = [row for row in rows if row.statistic == "skipped_texts"]
    assert (skipped.value, skipped.label) == (2, "upsetting")
