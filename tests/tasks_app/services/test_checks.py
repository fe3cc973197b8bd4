"""What answers to units with known answers lead to: graded on the server, the last counts, nothing can be forged."""

import json
import re
import uuid
from collections import Counter
from random import Random

import pytest
from django.test import Client
from django.urls import reverse

from tasks_app.models import Assignment, ControlResult, Gold, Judgment, Rater, Rating, Study, Task, Unit
from tasks_app.selectors import screens
from tasks_app.selectors.screens import RaterScreen
from tasks_app.services.arrival import enrolment
from tasks_app.services.judging import assignments, between_units, grading, judgments
from tasks_app.services.study import lifecycle
from tests import invariants, pages
from tests.builders import build_study
from tests.tasks_app.checks_kit import checked_study, give, reach, skip, walk
from tests.walk import answer, arrive, next_for

pytestmark = pytest.mark.django_db


def known_study(known: list[dict[str, object]], **rest: object) -> tuple[Study, Unit | None]:
    """Make a study whose first item's units are controls of which this is known."""
    study = build_study(None, **{"items": 6, "k": 4, "set_size": 3, **rest}, opened=False)
    for unit in Unit.objects.filter(task__study=study, item__key="i0"):
        for one in known:
            Gold.objects.create(unit=unit, purpose="control", **one)
    Task.objects.filter(study=study).update(checks={"controls": 1})
    return lifecycle.move(study_id=study.pk, action="open", by=None), Unit.objects.filter(gold__isnull=False).first()


def test_the_comparison_with_a_known_answer_is_stored_with_the_value_given() -> None:
    study, _unit = known_study([{"kind": "range", "answer": [3, 5]}])
    rater = arrive(study)
    give(study, rater, reach(study, rater, "control"), 2)
    result = ControlResult.objects.get()
    assert (result.passed, result.detail) == (False, {"given": [2]})


def test_a_unit_is_right_only_where_everything_known_about_it_is() -> None:
    study, _unit = known_study([{"kind": "exact", "answer": 3}, {"kind": "range", "answer": [4, 5]}])
    rater = arrive(study)
    give(study, rater, reach(study, rater, "control"), 3)
    assert sorted(ControlResult.objects.values_list("passed", flat=True)) == [False, True]
    score = grading.check_score(rater, study.tasks.get())
    assert (score.right, score.answered) == (0, 1)


def simulated(study: Study, rater: Rater, seed: int) -> Judgment:
    """Answer up to the control as a simulated rater does, and return the judgment of the control."""
    rng = Random(seed)
    while True:
        assignment = next_for(rater=rater)
        stored = judgments.submit(
            screen=RaterScreen(rater, assignment), submission=answer(study, assignment, rng)
        ).judgment
        if assignment.purpose == "control":
            return stored


def test_an_order_between_texts_is_graded_by_the_places_they_were_given() -> None:
    known: list[dict[str, object]] = [{"kind": "order", "answer": [2, 1]}, {"kind": "order", "answer": [1, 2]}]
    study, _unit = known_study(known, type="ranking")
    judgment = simulated(study, arrive(study), 1)
    first, second = (Rating.objects.get(judgment=judgment, part__number=number).value for number in (0, 1))
    passed = judgment.control_results.order_by("gold").values_list("passed", flat=True)
    assert list(passed) == [second < first, first < second]


@pytest.mark.parametrize("purpose", ["training", "exam"])
def test_an_answer_that_decides_cannot_be_changed(purpose: str) -> None:
    study = checked_study()
    rater = arrive(study)
    assignment = reach(study, rater, purpose)
    first = give(study, rater, assignment, 1).judgment
    with pytest.raises(judgments.Conflict):
        give(study, rater, assignment, 3, replaces=first.pk)
    assert Judgment.objects.filter(assignment=assignment).count() == 1


def test_a_failed_exam_comes_again_once_and_then_ends_with_places_free_and_answers_kept() -> None:
    study = checked_study()
    rater = arrive(study)
    steps = walk(study, rater, ("exam",))
    rater.refresh_from_db()
    assert rater.outcome == "failed"
    assert steps == ["feedback", "feedback", "", "exam", "", ""]
    exam = rater.assignments.filter(purpose="exam").order_by("order")
    assert list(exam.values_list("attempt", "order")) == [(1, 3), (1, 4), (2, 5), (2, 6)]
    assert Judgment.objects.filter(assignment__rater=rater).count() == 6
    assert set(rater.assignments.filter(purpose="main").values_list("state", flat=True)) == {"returned"}
    assert len(walk(study, arrive(study))) == 2 + 2 + 4 + 2 + 1
    invariants.check(study)


@pytest.mark.parametrize(("mark", "passes"), [(0.5, True), (0.51, False)])
def test_the_pass_mark_is_a_share_of_the_units(mark: float, passes: bool) -> None:
    study = checked_study(checks={"exam_pass": mark, "exam_attempts": 1})
    rater = arrive(study)
    give(study, rater, reach(study, rater, "exam"), 1)
    give(study, rater, next_for(rater=rater), 3)
    result = between_units.exam_result(rater, study.tasks.get())
    assert (result.right, result.graded, result.passed) == (1, 2, passes)
    rater.refresh_from_db()
    assert (rater.outcome == "failed") is not passes


def test_an_exam_of_which_nothing_could_be_shown_is_not_failed() -> None:
    study = checked_study(checks={"exam_attempts": 1})
    rater = arrive(study)
    skip(rater, reach(study, rater, "exam"), "technical")
    skip(rater, next_for(rater=rater), "upsetting")
    rater.refresh_from_db()
    assert rater.outcome == "withdrawn"


def test_nobody_passes_an_exam_by_skipping_most_of_it() -> None:
    known = {f"i{number}": "exam" for number in range(3)}
    study = checked_study(checks={"exam": 3, "exam_attempts": 2}, purposes=known, items=12)
    rater = arrive(study)
    for attempt, outcome in ((1, None), (2, "withdrawn")):
        skip(rater, reach(study, rater, "exam"), "technical")
        skip(rater, next_for(rater=rater), "upsetting")
        give(study, rater, next_for(rater=rater), 3)
        result = between_units.exam_result(rater, study.tasks.get())
        assert (result.attempt, result.right, result.graded, result.asked) == (attempt, 1, 1, 3)
        assert not result.passed
        rater.refresh_from_db()
        assert rater.outcome == outcome


@pytest.mark.parametrize(("reason", "graded"), [("upsetting", 1), ("technical", 1), ("cannot_judge", 2), ("other", 2)])
def test_skips_for_a_good_reason_count_for_nothing_in_an_exam(reason: str, graded: int) -> None:
    study = checked_study()
    rater = arrive(study)
    skip(rater, reach(study, rater, "exam"), reason)
    give(study, rater, next_for(rater=rater), 3)
    result = between_units.exam_result(rater, study.tasks.get())
    assert (result.right, result.graded) == (1, graded)


@pytest.mark.parametrize("reason", Judgment.Skip.values)
def test_a_skipped_control_is_no_wrong_answer(reason: str) -> None:
    study = checked_study(checks={"fail_after": 1})
    rater = arrive(study)
    skip(rater, reach(study, rater, "control"), reason)
    assert grading.check_score(rater, study.tasks.get()).answered == 0
    rater.refresh_from_db()
    assert rater.failed_checks_at is None


def test_who_misses_checks_is_marked_only() -> None:
    study = checked_study(checks={"fail_after": 2})
    rater = arrive(study)
    assert "notice" not in walk(study, rater, ("control",))
    rater.refresh_from_db()
    assert rater.failed_checks_at is not None
    assert rater.outcome == "completed"


def test_who_misses_checks_is_told_later_and_once() -> None:
    study = checked_study(
        checks={"fail_after": 1, "on_failing": "warn"}, set_size=12, items=20, purposes={"i4": "control"}
    )
    rater = arrive(study)
    told, failed = [], None
    number = 0
    while (assignment := next_for(rater=rater)) is not None:
        step = give(study, rater, assignment, 1 if assignment.purpose == "control" else 3).step
        number += 1
        if assignment.purpose == "control" and failed is None:
            failed = number
        if step is not None and step.kind == "notice":
            told.append(number)
            between_units.notice_seen(rater=rater)
    if told:
        assert told[0] >= failed + grading.UNITS_BEFORE_A_WARNING
    assert len(told) == (1 if number - failed > grading.UNITS_BEFORE_A_WARNING else len(told)) <= 1


def test_who_misses_checks_ends_where_the_researcher_says_so() -> None:
    study = checked_study(checks={"fail_after": 1, "on_failing": "end"})
    rater = arrive(study)
    walk(study, rater, ("control",))
    rater.refresh_from_db()
    assert rater.outcome == "failed"
    states = Counter(rater.assignments.exclude(purpose__in=("training", "exam")).values_list("state", flat=True))
    assert set(states) == {"submitted", "returned"}
    assert Judgment.objects.filter(assignment__rater=rater).count() == states["submitted"] + 4
    invariants.check(study)


def screened(reason: str = "", step: int = 3, *, known: bool = True) -> Rater:
    """Screen a rater by a unit of which 3 is right."""
    study = build_study(None, items=3, k=2, set_size=2, opened=False)
    task = study.tasks.get()
    first = Task.objects.create(study=study, key="first", order=0, type="likert", stage="screening")
    first.task_criteria.create(criterion=task.task_criteria.get().criterion, order=1)
    unit = Unit.objects.filter(task=task).first()
    Unit.objects.filter(pk=unit.pk).update(task=first)
    if known:
        Gold.objects.create(unit=unit, purpose="screening", kind="exact", answer=3)
    study = lifecycle.move(study_id=study.pk, action="open", by=None)
    rater = arrive(study)
    assignment = next_for(rater=rater)
    assert assignment.purpose == "screening"
    if reason:
        skip(rater, assignment, reason)
    else:
        give(study, rater, assignment, step)
    rater.refresh_from_db()
    return rater


@pytest.mark.parametrize(
    ("reason", "step", "known", "outcome"),
    [
        ("", 3, True, None),
        ("", 1, True, "screened_out"),
        ("cannot_judge", 0, True, "screened_out"),
        ("technical", 0, True, "withdrawn"),
        ("upsetting", 0, True, "withdrawn"),
        ("cannot_judge", 0, False, None),
        ("", 1, False, None),
    ],
)
def test_screening_ends_for_whom_the_study_is_not(reason: str, step: int, known: bool, outcome: str | None) -> None:
    assert screened(reason, step, known=known).outcome == outcome


def test_checks_of_one_task_do_not_fail_a_rater_in_another(study: Study) -> None:
    rater = arrive(study)
    other = Task(study=study, key="other")
    other.pk = 10**6
    assert grading.check_score(rater, other).answered == 0


LEAKS = re.compile(r"gold|control|purpose|degraded|attention|repeat|warm.?up|passed|alpha|beta", re.IGNORECASE)


def test_a_raters_pages_do_not_tell_a_check_from_any_other_unit() -> None:
    """The words on the pages of all units are compared with those of the first unit that is judged."""
    study = checked_study(checks={"repeats": 1}, purposes={"i6": "control", "i7": "control"})
    enrolled = enrolment.enrol(study_id=study.pk, nonce=uuid.uuid4().hex, consent_text_id=None)
    client, token = Client(), enrolled.token
    assignments.start(rater=enrolled.rater)
    shapes: dict[str, set[str]] = {}
    while (assignment := next_for(rater=enrolled.rater)) is not None:
        enrolled.rater.refresh_from_db()
        page = client.get(reverse("rater:judge", args=[token]))
        html = page.content.decode()
        shape = re.sub(r"[\w:-]{36,}|value=\"[^\"]*\"|minutes?|\d+", "", html)
        shapes.setdefault(assignment.purpose, set()).add(shape)
        assert page.status_code == 200
        named = {name for name in page.headers if name != "Cache-Control"}
        assert not LEAKS.search(" ".join(named))
        give(study, enrolled.rater, assignment, 3)
    assert set(shapes) == {"main", "control", "repeat"}
    words = {purpose: [set(re.findall(r"[a-z_-]+", one)) for one in found] for purpose, found in shapes.items()}
    # Whatever comes first, be it a control, has no way Back.
    everywhere, anywhere = set.intersection(*words["main"]) - {"ack"}, set.union(*words["main"]) | {"ack"}
    for purpose in ("control", "repeat"):
        for one in words[purpose]:
            assert everywhere <= one, everywhere - one
            assert one <= anywhere, one - anywhere


def test_nothing_that_is_posted_sets_or_shows_a_result() -> None:
    study = checked_study(purposes={"i6": "control"})
    enrolled = enrolment.enrol(study_id=study.pk, nonce=uuid.uuid4().hex, consent_text_id=None)
    client, token, rater = Client(), enrolled.token, enrolled.rater
    assignments.start(rater=enrolled.rater)
    forged = {"passed": "true", "purpose": "main", "control_results": "[1]", "gold": "3", "degraded_of": "1"}
    while (assignment := next_for(rater=rater)) is not None:
        page = client.get(reverse("rater:judge", args=[token]))
        fields = pages.hidden(page, "answer")
        frame = screens.frame_of(assignment.unit.task_id, study)
        wrong = dict.fromkeys(frame.kind.form(screens.screen_of(assignment, study)).fields, "1")
        draft = {"form_token": fields["form_token"], "counter": 1, "answer": {**wrong, **forged}}
        told = client.post(reverse("rater:draft", args=[token]), json.dumps(draft), content_type="application/json")
        assert told.json() == {"saved": True, "counter": 1}
        assert set(Assignment.objects.get(pk=assignment.pk).draft.answer) <= {*wrong, "comment"}
        sent = client.post(reverse("rater:judge", args=[token]), {**fields, **wrong, **forged})
        assert sent.status_code == 302
        assert not LEAKS.search(sent.headers["Location"].replace(token, ""))
    assert list(ControlResult.objects.values_list("passed", flat=True)) == [False, False]
    assert set(Assignment.objects.filter(rater=rater).values_list("purpose", flat=True)) == {"main", "control"}
    for path in ("passed", "results", "gold", "checks", "control"):
        assert client.get(f"/r/{token}/{path}/").status_code == 404
