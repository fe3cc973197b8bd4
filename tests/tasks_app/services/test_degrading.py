"""Degraded copies: how much of a text is replaced, where copies are made, and how the pair is graded."""

import uuid
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
import regex
from django.db.models import QuerySet
from hypothesis import given
from hypothesis import strategies as st

from analytics_app import ratings
from tasks_app import studyfile
from tasks_app.hooks import sections
from tasks_app.models import Assignment, ControlResult, Gold, Judgment, Output, Rater, Study, System, Task, Unit
from tasks_app.selectors import screens
from tasks_app.selectors import studies as reads
from tasks_app.selectors.screens import RaterScreen
from tasks_app.services.judging import grading, judgments
from tasks_app.services.study import degrading, lifecycle
from tasks_app.services.study.degraded_text import Pieces, degrade, run_length
from tasks_app.settings.checks import COPIES
from tests import invariants
from tests.analytics_app.filling import new_run
from tests.builders import build_study
from tests.tasks_app.studyfile.kit import STUDY, problems_of, put
from tests.walk import arrive, next_for

words = st.lists(st.text("abcdefgh", min_size=1, max_size=6), min_size=1, max_size=40)


@pytest.mark.parametrize(
    ("n", "run"),
    [(1, 1), (2, 2), (5, 2), (6, 3), (8, 3), (9, 4), (15, 4), (16, 5), (20, 5), (21, 5), (24, 6), (100, 25)],
)
def test_the_run_is_as_long_as_published(n: int, run: int) -> None:
    """Words replaced by words in the text, as tabulated by Bojar et al. (2017) for the news task of WMT 2017."""
    assert run_length(n) == run


@given(words, st.lists(words, min_size=1, max_size=4), st.integers(0, 1000))
def test_a_run_of_words_comes_from_another_text_and_the_rest_stays(
    own: list[str], others: list[list[str]], seed: int
) -> None:
    text = "  ".join(own)
    made = degrade(text, [" ".join(one) for one in others], Random(seed))
    if made is None:
        assert set(own) & {word for other in others for word in other}, "words of other texts only change this one"
        return
    after = regex.findall(r"\S+", made)
    assert len(after) == len(own)
    changed = [place for place, (old, new) in enumerate(zip(own, after, strict=True)) if old != new]
    run = run_length(len(own))
    assert changed
    assert changed[-1] - changed[0] < run
    if len(own) >= run + 2:
        assert changed[0] > 0
        assert changed[-1] < len(own) - 1
    longest = max(map(len, others))
    start = changed[0]
    donors = [" ".join(one) for one in others]
    assert any(" ".join(after[start : changed[-1] + 1]) in donor for donor in donors) or longest < run


@pytest.mark.parametrize(
    "text",
    ["我们今天去公园散步然后回家吃饭看书睡觉。", "วันนี้อากาศดีมากเราไปเดินเล่นกันเถอะ", "きょうはとてもいいてんきですね。"],
)
def test_texts_without_spaces_are_taken_apart_by_what_people_see_as_characters(text: str) -> None:
    other = {
        "我": "他说这本书的内容非常有意思值得一读。",
        "ว": "เมื่อวานฝนตกหนักจนน้ำท่วมถนน",
        "き": "あしたはあめがふるでしょう。",
    }[text[0]]
    made = degrade(text, [other], Random(3))
    assert made is not None
    before, after = regex.findall(r"\X", text), regex.findall(r"\X", made)
    assert len(before) == len(after)
    changed = [place for place, (old, new) in enumerate(zip(before, after, strict=True)) if old != new]
    assert 0 < len(changed) <= Pieces.of(text).run <= len(before) // 2
    assert before[0] == after[0]


def test_there_is_no_copy_where_nothing_would_change() -> None:
    assert degrade("same same", ["same same same"], Random(1)) is None
    assert degrade("", ["a text"], Random(1)) is None
    assert degrade("a text", [], Random(1)) is None


def long_text(number: int, system: str) -> str:
    return " ".join(f"{system}{number}w{place}" for place in range(12))


def degraded_study(*, n: int = 1, items: int = 12, k: int = 2, spacing: int = 3, **rest: Any) -> Study:
    """Make a draft whose texts are long enough, with degraded copies, and open it."""
    study = build_study(None, items=items, k=k, set_size=8, spacing=spacing, opened=False, **rest)
    for output in Output.objects.filter(item__study=study).select_related("item", "system"):
        output.text = long_text(output.item_id, output.system.key[0])
        output.save()
    Task.objects.filter(study=study).update(checks={"degraded": n, "controls": 0})
    degrading.make_copies(study=study)
    return lifecycle.move(study_id=study.pk, action="open", by=None)


def copies_of(rater: Rater) -> QuerySet[Assignment]:
    return rater.assignments.filter(unit__features__has_key="degraded_of").order_by("order")


@pytest.mark.django_db
def test_every_set_gets_copies_of_every_system_equally_often() -> None:
    study = degraded_study(systems=("alpha", "beta", "gamma"), k=3)
    raters = [arrive(study) for _rater in range(12)]
    given = {"alpha": 0, "beta": 0, "gamma": 0}
    for rater in raters:
        (copy,) = copies_of(rater)
        (system,) = copy.unit.features["systems"]
        given[system] += 1
        assert max(given.values()) - min(given.values()) <= 1
        original = rater.assignments.get(unit=copy.unit.features["degraded_of"])
        between = rater.assignments.filter(order__gt=original.order, order__lt=copy.order, purpose="main").count()
        assert between + 1 >= 3
        assert original.purpose == "main"
        assert original.unit.parts.get().part_outputs.get().output.system.key == system
        assert (copy.purpose, copy.place, copy.unit.item_id) == ("control", None, original.unit.item_id)
    invariants.check(study)


@pytest.mark.django_db
def test_copies_stay_within_the_block_of_their_criterion() -> None:
    study = degraded_study(n=2, criteria=("fluency", "style"), criteria_mode="block", spacing=2)
    for _rater in range(6):
        met = list(arrive(study).assignments.order_by("order").values_list("unit__features__criterion", flat=True))
        assert met == sorted(met, key=met.index), "a criterion comes back"


def judge_all(study: Study, rater: Rater, value: Callable[[Assignment], int]) -> None:
    """Answer everything: `value` says for each assignment which step."""
    while (assignment := next_for(rater=rater)) is not None:
        submit(study, rater, assignment, value(assignment))


def submit(study: Study, rater: Rater, assignment: Assignment, step: int, **rest: object) -> judgments.Receipt:
    frame = screens.frame_of(assignment.unit.task_id, study)
    screen = screens.screen_of(assignment, study)
    form = frame.kind.form(screen)
    form = frame.kind.form(screen, dict.fromkeys(form.fields, str(step)))
    assert form.is_valid(), form.errors
    given = judgments.Submission(uuid=uuid.uuid4(), answer=form.cleaned_data, **rest)
    return judgments.submit(screen=RaterScreen(rater, assignment), submission=given)


@pytest.mark.django_db
@pytest.mark.parametrize(("copy_step", "passed"), [(2, True), (4, False), (5, False)])
def test_a_copy_passes_where_it_is_rated_lower_than_its_original(copy_step: int, passed: bool) -> None:
    study = degraded_study()
    rater = arrive(study)
    judge_all(study, rater, lambda one: copy_step if one.purpose == "control" else 4)
    result = ControlResult.objects.get()
    assert result.passed is passed
    assert result.judgment.assignment.purpose == "control"
    assert result.gold.kind == Gold.Kind.WORSE
    assert result.detail == {"given": [copy_step, 4.0]}


@pytest.mark.django_db
def test_the_original_counts_as_it_stands_when_its_copy_is_answered() -> None:
    study = degraded_study()
    rater = arrive(study)
    (copy,) = copies_of(rater)
    original = rater.assignments.get(unit=copy.unit.features["degraded_of"])
    while not Judgment.objects.filter(assignment=original).exists():
        submit(study, rater, next_for(rater=rater), 4)
    first = Judgment.objects.get(assignment=original)
    second = submit(study, rater, original, 3, replaces=first.pk).judgment
    while (assignment := next_for(rater=rater)) != copy:
        submit(study, rater, assignment, 4)
    # Before the last answer, so that the original can still be changed after it.
    Assignment.objects.filter(pk=rater.assignments.filter(state="submitted").first().pk).update(state="reserved")
    submit(study, rater, copy, 2)
    submit(study, rater, original, 1, replaces=second.pk)
    result = ControlResult.objects.get()
    assert (result.passed, result.detail) == (True, {"given": [2, 3]})
    score = grading.check_score(rater, study.tasks.get())
    assert (score.right, score.answered) == (1, 1)


@pytest.mark.django_db
def test_an_original_that_is_answered_after_its_copy_completes_the_pair() -> None:
    study = degraded_study()
    rater = arrive(study)
    (copy,) = copies_of(rater)
    original = rater.assignments.get(unit=copy.unit.features["degraded_of"])
    submit(study, rater, copy, 4)
    assert not ControlResult.objects.exists()
    submit(study, rater, original, 3)
    result = ControlResult.objects.get()
    assert (result.judgment.assignment, result.passed, result.detail) == (original, False, {"given": [4, 3]})


@pytest.mark.django_db
def test_a_skipped_original_takes_its_copy_along() -> None:
    study = degraded_study()
    rater = arrive(study)
    (copy,) = copies_of(rater)
    while (assignment := next_for(rater=rater)) is not None:
        assert assignment.pk != copy.pk
        if assignment.unit_id == copy.unit.features["degraded_of"]:
            skip = judgments.Submission(uuid=uuid.uuid4(), answer={}, skip_reason="technical")
            judgments.submit(screen=RaterScreen(rater, assignment), submission=skip)
        else:
            submit(study, rater, assignment, 3)
    copy.refresh_from_db()
    assert (copy.state, ControlResult.objects.count()) == ("returned", 0)


@pytest.mark.django_db
def test_copies_are_in_no_count_no_plan_and_no_result() -> None:
    study = degraded_study()
    contents = reads.contents(study)
    assert (contents.outputs, contents.units) == (24, 24)
    assert [key for key, _kind, _n in contents.systems] == ["alpha-mt", "beta-mt"]
    assert all(len(item.outputs.all()) == 2 for item in reads.items_of(study))
    assert not Unit.objects.filter(places__isnull=False, features__has_key="degraded_of").exists()
    rater = arrive(study)
    judge_all(study, rater, lambda one: 3)
    assert Judgment.objects.filter(assignment__unit__features__has_key="degraded_of").count() == 1
    table = ratings.load(new_run(study), "main")
    assert list(table.names.systems) == ["alpha-mt", "beta-mt"]
    assert len(table) == 8


EXAMPLE = STUDY.replace("    spacing: 1\n", "    spacing: 1\n    checks:\n      degraded: 1\n")
LONG = "item,system,output\n" + "".join(
    f"i{number},{system},{long_text(number, system)}\n" for number in range(6) for system in ("alpha", "beta")
)


@pytest.mark.django_db
def test_the_study_file_holds_no_copy_and_gives_the_same_ones_again(tmp_path: Path) -> None:
    study = studyfile.load(put(tmp_path / "study", study_yaml=EXAMPLE, items_csv=LONG), owner=None)
    document = sections.snapshot(study)
    assert [one["key"] for one in document["systems"]] == ["alpha", "beta"]
    assert {output["system"] for item in document["items"] for output in item["outputs"]} == {"alpha", "beta"}
    assert document["controls"] == []

    def made(of: Study) -> dict[str, str]:
        rows = Output.objects.filter(item__study=of, system__key=COPIES)
        return {f"{one.item.key}/{one.variant}": one.text for one in rows.select_related("item")}

    first = made(study)
    assert len(first) == 12
    assert Gold.objects.filter(unit__task__study=study, kind="worse", purpose="control").count() == 12
    studyfile.export(study, tmp_path / "again")
    again = studyfile.load(tmp_path / "again", owner=None, replace=True)
    assert made(again) == first
    assert System.objects.filter(study=again, kind="degraded").count() == 1
    assert sections.digest(sections.snapshot(again)) == sections.digest(document)


REFUSED = {
    "ranking": ("max_texts: 2", "Degraded copies need a task that shows one text on each screen."),
    "labels": ("order: drawn", "Degraded copies need a criterion that is rated on a scale from bad to good."),
}


@pytest.mark.django_db
@pytest.mark.parametrize("kind", REFUSED)
def test_a_task_that_cannot_have_copies_is_refused_by_line(tmp_path: Path, kind: str) -> None:
    params, sentence = REFUSED[kind]
    text = EXAMPLE.replace("type: likert", f"type: {kind}").replace("points: 5", params)
    text = text.replace("    low: badly\n    high: well\n", "    labels: [x, y]\n")
    lines = problems_of(put(tmp_path / "study", study_yaml=text, items_csv=LONG))
    line = next(number for number, one in enumerate(text.splitlines(), start=1) if "degraded: 1" in one)
    assert any(one.startswith(f"study.yaml:{line}:") and sentence in one for one in lines), lines
