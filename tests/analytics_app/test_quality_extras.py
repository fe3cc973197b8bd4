"""What rules need beside the ratings: repeats, controls, skips, times and words on a screen."""

from pathlib import Path

import numpy as np
import pytest

from analytics_app import ratings
from analytics_app.ratings import Extra
from analytics_app.ratings.extras.base import AnyExtra
from analytics_app.ratings.extras.controls import Controls
from analytics_app.ratings.extras.repeats import Repeats
from analytics_app.ratings.extras.skips import REASONS, Skips
from analytics_app.ratings.extras.times import Times
from analytics_app.ratings.extras.words import Words
from tasks_app.models import ControlResult, Gold, Judgment, Output, Rating, Study
from tests.analytics_app.filling import Filler, new_run
from tests.builders import build_study
from tests.house.examples import judged, load

pytestmark = pytest.mark.django_db


@pytest.fixture
def filler() -> Filler:
    """A draft, whose texts and known answers can still be changed."""
    return Filler(build_study(None, opened=False))


def extra(study: Study, kind: type[AnyExtra], task: str = "main", run: object = None) -> AnyExtra:
    """Load one kind of material as a part of a run would."""
    run = run or new_run(study)
    found = ratings.load_extras(run, task, ratings.load(run, task), [kind])
    return found[kind]


def test_a_unit_shown_again_is_a_pair_and_keeps_its_distance(filler: Filler) -> None:
    first = filler.judge("zoe", "i0", "alpha-mt", {"fluency": 2}, order=3)
    alone = filler.judge("zoe", "i1", "alpha-mt", {"fluency": 4}, order=4)
    again = filler.judge(
        "zoe", "i0", "alpha-mt", {"fluency": 5}, order=15, purpose="repeat", repeat_of=first.assignment
    )
    filler.judge("ada", "i0", "alpha-mt", {"fluency": 1})
    run = new_run(filler.study)
    found = extra(filler.study, Repeats, run=run)
    table = ratings.load(run, "main")
    names = table.names
    assert len(found) == 1
    assert [names.raters[code] for code in found.rater] == ["zoe"]
    assert names.unit_ids[found.unit].tolist() == [first.assignment.unit_id]
    assert names.part_ids[found.part].tolist() == [filler.parts["i0", "alpha-mt"].pk]
    assert [names.criteria[code] for code in found.criterion] == ["fluency"]
    assert (found.first.tolist(), found.again.tolist(), found.apart.tolist()) == ([2.0], [5.0], [12])
    assert (found.first_judgment.tolist(), found.again_judgment.tolist()) == ([first.pk], [again.pk])
    assert (found.first_label.tolist(), found.again_label.tolist(), found.labels) == ([-1], [-1], ())
    assert alone.pk not in found.first_judgment
    # With the ratings of another rater only, no pair is left.
    assert len(found.of(table)) == 1
    assert len(found.of(table.where(table.rater == names.raters.index("ada")))) == 0


def test_only_answers_that_a_run_counts_are_pairs(filler: Filler) -> None:
    first = filler.judge("zoe", "i0", "alpha-mt", {"fluency": 2})
    run = new_run(filler.study)
    again = filler.judge("zoe", "i0", "alpha-mt", {"fluency": 5}, purpose="repeat", repeat_of=first.assignment)
    assert len(extra(filler.study, Repeats, run=run)) == 0
    run = new_run(filler.study)
    # What comes later changes nothing about an earlier run, and the newest answer is what a later one sees.
    filler.answer(again.assignment, filler.parts["i0", "alpha-mt"], {"fluency": 3}, replaces=again)
    assert extra(filler.study, Repeats, run=run).again.tolist() == [5.0]
    assert extra(filler.study, Repeats).again.tolist() == [3.0]
    filler.answer(first.assignment, None, {}, replaces=first, skip_reason="other")
    assert len(extra(filler.study, Repeats)) == 0


def test_several_labels_of_one_answer_are_one(filler: Filler) -> None:
    first = filler.judge("zoe", "i0", "alpha-mt", {})
    again = filler.judge("zoe", "i0", "alpha-mt", {}, purpose="repeat", repeat_of=first.assignment)
    for judgment, labels in ((first, ("b", "a")), (again, ("a",))):
        for number, label in enumerate(labels, start=1):
            Rating.objects.create(
                judgment=judgment,
                task=filler.task,
                rater=judgment.assignment.rater,
                unit=judgment.assignment.unit,
                part=filler.parts["i0", "alpha-mt"],
                criterion=filler.criteria["fluency"],
                number=number,
                label=label,
            )
    found = extra(filler.study, Repeats)
    assert found.labels == ("a", "a + b")
    assert (found.first_label.tolist(), found.again_label.tolist()) == ([1], [0])
    assert np.isnan(found.first).all()


def test_pairs_asked_again_on_one_screen(tmp_path: Path) -> None:
    study = judged(load("semantic_differential", tmp_path, "asked-twice", params={"repeated_share": 0.5}))
    task = study.tasks.exclude(stage="exit").first().key
    found = extra(study, Repeats, task)
    again = Rating.objects.filter(rater__study=study, number=2, judgment__replaced_by=None)
    again = again.filter(judgment__assignment__purpose="main", judgment__skip_reason="")
    assert len(found) == again.count() > 0
    assert set(found.apart.tolist()) == {0}
    assert (found.first_judgment == found.again_judgment).all()
    one = Rating.objects.get(pk=again.order_by("judgment", "part", "criterion").first().pk)
    before = Rating.objects.get(judgment=one.judgment, part=one.part, criterion=one.criterion, number=1)
    (here,) = np.flatnonzero(
        (found.again_judgment == one.judgment_id)
        & (np.array(found.criterion) == ratings.load(new_run(study), task).names.criteria.index(one.criterion.key))
    )
    assert (found.first[here], found.again[here]) == (before.value, one.value)
    assert (found.first_shown[here], found.again_shown[here]) == (before.shown_value, one.shown_value)


def check(filler: Filler, judgment: Judgment, *passed: bool, purpose: str = "control") -> None:
    """Write down how an answer compares with what is known about its unit."""
    unit = judgment.assignment.unit
    for number, one in enumerate(passed):
        gold, _new = Gold.objects.get_or_create(unit=unit, purpose=purpose, kind="exact", answer=number)
        ControlResult.objects.create(judgment=judgment, gold=gold, passed=one)


def test_a_control_counts_as_it_was_answered_last_and_by_everything_known_of_it(filler: Filler) -> None:
    right = filler.judge("ada", "i0", "alpha-mt", {"fluency": 1}, purpose="control", order=4)
    check(filler, right, True, True)
    half = filler.judge("ada", "i1", "alpha-mt", {"fluency": 1}, purpose="control", order=9)
    check(filler, half, True, False)
    attention = filler.judge("ada", "i2", "alpha-mt", {"fluency": 1}, purpose="attention", order=2)
    check(filler, attention, False, purpose="attention")
    filler.judge("ada", "i3", "alpha-mt", {"fluency": 1})
    run = new_run(filler.study)
    better = filler.answer(half.assignment, filler.parts["i1", "alpha-mt"], {"fluency": 2}, replaces=half)
    check(filler, better, True, True)
    before, after = extra(filler.study, Controls, run=run), extra(filler.study, Controls)
    assert before.judgment.tolist() == [attention.pk, right.pk, half.pk]
    assert before.order.tolist() == [2, 4, 9]
    assert before.passed.tolist() == [False, True, False]
    assert before.attention.tolist() == [True, False, False]
    assert after.judgment.tolist() == [attention.pk, right.pk, better.pk]
    assert after.passed.tolist() == [False, True, True]
    assert not after.copy.any()
    assert set(after.rater.tolist()) == {0}


def test_skips_say_why_and_an_answer_unmakes_one(filler: Filler) -> None:
    for item, reason in (("i0", "upsetting"), ("i1", "cannot_judge"), ("i2", "other"), ("i3", "technical")):
        filler.judge("ada", item, "alpha-mt", {}, skip_reason=reason, state="skipped")
    run = new_run(filler.study)
    skipped = Judgment.objects.get(skip_reason="other")
    filler.answer(skipped.assignment, filler.parts["i2", "alpha-mt"], {"fluency": 2}, replaces=skipped)
    found = extra(filler.study, Skips, run=run)
    assert [REASONS[code] for code in found.reason] == ["upsetting", "cannot_judge", "other", "technical"]
    assert found.counted.tolist() == [False, True, True, False]
    assert found.order.tolist() == [1, 2, 3, 4]
    assert extra(filler.study, Skips).counted.tolist() == [False, True, False]


def test_times_are_those_of_all_versions_of_an_answer(filler: Filler) -> None:
    first = filler.judge("ada", "i0", "alpha-mt", {"fluency": 1}, rater_kind="simulated", place=None, state="expired")
    filler.judge("ada", "i1", "alpha-mt", {"fluency": 1}, rater_kind="simulated", purpose="control")
    filler.judge("ada", "i2", "alpha-mt", {}, rater_kind="simulated", skip_reason="other", state="skipped")
    changed = filler.answer(first.assignment, filler.parts["i0", "alpha-mt"], {"fluency": 4}, replaces=first)
    filler.judge("imp", "i0", "alpha-mt", {"fluency": 1})
    run = new_run(filler.study)
    table = ratings.load(run, "main")
    found = extra(filler.study, Times, run=run)
    assert found.active.tolist() == [50.0, 12.5]
    assert np.isnan(found.elapsed).all()
    assert found.answered.tolist() == [1, 1]
    assert found.seconds[table.judgments.id.tolist().index(changed.pk)] == 25.0
    per_unit = filler.study.options.expected_minutes * 60 / filler.task.set_size
    assert found.per_unit[0] == pytest.approx(per_unit)
    assert np.isnan(found.per_unit[1])
    assert found.pause[0] >= 0
    assert np.isnan(found.pause[1])


def test_words_of_scripts_with_and_without_spaces(filler: Filler) -> None:
    texts = {"i0": "Three short words.", "i1": "  ", "i2": "日本語の文です", "i3": "GPT 4 は 新しい"}
    for item, text in texts.items():
        Output.objects.filter(item__key=item, system__key="alpha-mt").update(text=text)
    run = new_run(filler.study)
    names = ratings.load(run, "main").names
    found = extra(filler.study, Words, run=run)
    shown = {}
    for (item, system), part in filler.parts.items():
        if system == "alpha-mt":
            shown[item] = found.shown[names.unit_ids.tolist().index(part.unit_id)]
    assert shown == {"i0": 3.0, "i1": 0.0, "i2": pytest.approx(7 / 1.5), "i3": pytest.approx(2 + 4 / 1.5)}


KINDS: tuple[type[Extra], ...] = (Repeats, Controls, Skips, Times, Words)


@pytest.mark.parametrize("kind", KINDS)
def test_a_study_without_answers_has_none(filler: Filler, kind: type[Extra]) -> None:
    run = new_run(filler.study)
    table = ratings.load(run, "main")
    found = ratings.load_extras(run, "main", table, [kind])[kind]
    assert type(found) is type(kind.empty(table))
