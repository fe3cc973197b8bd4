"""Pages of several texts: which units stand on one, and that sending one stores all of it or nothing."""

import uuid
from typing import Any

import pytest
from django.contrib.auth.models import User

from tasks_app.hooks.signals import judgment_submitted
from tasks_app.models import Assignment, Draft, Judgment, Rater, Rating, Study, Unit
from tasks_app.selectors.screens import RaterScreen
from tasks_app.services.judging import assignments, between_units, drafts, judgments
from tasks_app.task_types import registry
from tests import invariants
from tests.builders import build_study
from tests.tasks_app.checks_kit import checked_study
from tests.walk import arrive

pytestmark = pytest.mark.django_db


def paged_study(n: int = 3, **rest: Any) -> Study:
    """Open a study of four texts a set, of which n stand on a page."""
    return build_study(None, **{"k": 1, "params": {"texts_per_page": n}, **rest})


def sent(rater: Rater, unit: Assignment, step: int = 3, **fields: Any) -> judgments.Answered:
    """Return the answer to a text, the same step for every criterion."""
    screen = RaterScreen(rater, unit)
    form = screen.form(dict.fromkeys(screen.form().fields, str(step)))
    assert form.is_valid(), form.errors
    return judgments.Answered(screen, judgments.Submission(uuid.uuid4(), form.cleaned_data, **fields))


def states() -> list[str]:
    """Return the states of units that were answered, in their order."""
    answered = Assignment.objects.exclude(judgments=None).order_by("rater", "order")
    return list(answered.values_list("state", flat=True))


def test_one_answer_that_cannot_be_stored_keeps_the_others_out(rosa: User) -> None:
    rater = arrive(paged_study())
    page = [sent(rater, unit) for unit in assignments.next_page(rater=rater)]
    drafts.save_draft(screen=page[0].screen, counter=1, answer={"p1-fluency": "3"})
    broken = judgments.Answered(page[2].screen, judgments.Submission(uuid.uuid4(), {}))
    with pytest.raises(KeyError):
        judgments.submit_page(page=[*page[:2], broken])
    assert not Judgment.objects.exists()
    assert not Rating.objects.exists()
    assert Draft.objects.count() == 1
    assert set(Assignment.objects.filter(first_shown__isnull=False).values_list("state", flat=True)) == {"live"}
    receipts = judgments.submit_page(page=page)
    assert all(isinstance(receipt, judgments.Receipt) and receipt.is_new for receipt in receipts)
    assert Judgment.objects.count() == Rating.objects.count() == 3
    assert not Draft.objects.exists()


def test_a_page_sent_twice_gets_the_first_results() -> None:
    rater = arrive(paged_study())
    page = [sent(rater, unit) for unit in assignments.next_page(rater=rater)]
    first = judgments.submit_page(page=page)
    # Of a page that was stored in part before, as from an older tab, the rest is stored.
    again = judgments.submit_page(page=page)
    assert [result.judgment for result in again] == [result.judgment for result in first]
    assert not any(result.is_new for result in again)
    (rest,) = assignments.next_page(rater=rater)
    mixed = judgments.submit_page(page=[page[2], sent(rater, rest)])
    assert [result.is_new for result in mixed] == [False, True]
    rater.refresh_from_db()
    assert rater.outcome == Rater.Outcome.COMPLETED
    assert Judgment.objects.count() == 4


def test_other_apps_hear_of_each_new_judgment_once() -> None:
    rater = arrive(paged_study())
    page = [sent(rater, unit) for unit in assignments.next_page(rater=rater)]
    heard: list[tuple[Judgment, Rater]] = []

    def hear(judgment: Judgment, rater: Rater, **rest: Any) -> None:
        heard.append((judgment, rater))

    judgment_submitted.connect(hear)
    try:
        judgments.submit_page(page=page)
        judgments.submit_page(page=page)
    finally:
        judgment_submitted.disconnect(hear)
    assert heard == [(judgment, rater) for judgment in Judgment.objects.order_by("pk")]
    assert len(heard) == 3


def test_a_text_whose_place_went_to_somebody_is_surplus_and_the_others_count() -> None:
    study = paged_study()
    late = arrive(study)
    page = assignments.next_page(rater=late)
    Assignment.objects.filter(pk__in=[page[1].pk, page[2].pk]).update(state="expired")
    theirs = arrive(study).assignments.order_by("order").first()
    Assignment.objects.filter(pk=theirs.pk).update(unit=page[1].unit, place=page[1].place)
    results = judgments.submit_page(page=[sent(late, unit) for unit in page])
    assert all(isinstance(result, judgments.Receipt) for result in results)
    assert states() == ["submitted", "surplus", "submitted"], "the third place was free, and is taken back"


def test_a_text_that_was_given_back_is_refused_alone() -> None:
    study = paged_study()
    rater = arrive(study)
    page = assignments.next_page(rater=rater)
    Assignment.objects.filter(pk=page[0].pk).update(state="returned")
    other, step = sent(rater, page[1], 1), sent(rater, page[1], 5)
    assert judgments.submit(screen=other.screen, submission=other.submission).is_new
    results = judgments.submit_page(page=[sent(rater, page[0]), step, sent(rater, page[2])])
    assert [type(result) for result in results] == [judgments.Over, judgments.Conflict, judgments.Receipt]
    assert states() == ["submitted", "submitted"]


@pytest.mark.parametrize("on_failing", ["mark", "warn", "end"])
@pytest.mark.parametrize("n", [1, 3, 10])
def test_failed_checks_lead_to_the_same_on_every_page(n: int, on_failing: str) -> None:
    """A page that is on the screen is answered whole; the rater ends after it as they would have without pages."""
    settings = {"training": 0, "exam": 0, "fail_after": 1, "on_failing": on_failing}
    rater = arrive(checked_study(checks=settings, params={"texts_per_page": n}, set_size=6))
    steps: list[str] = []
    while page := assignments.next_page(rater=rater):
        is_check = [unit.purpose in {"control", "attention"} for unit in page]
        results = judgments.submit_page(
            page=[sent(rater, unit, 1 if check else 3) for unit, check in zip(page, is_check, strict=True)]
        )
        step = judgments.step_of(results)
        steps += [step.kind] if step else []
        if step:
            between_units.go_on(rater=rater, step=step)
        rater.refresh_from_db()
    assert rater.failed_checks_at is not None
    assert rater.outcome == (Rater.Outcome.FAILED if on_failing == "end" else Rater.Outcome.COMPLETED)
    assert steps == (["notice"] if on_failing == "warn" else [])
    if n == 10:
        assert Judgment.objects.count() == 9, "every answer is stored"


def test_a_limit_is_passed_once() -> None:
    checks = {"fast_seconds": 5, "fast_share": 0.5, "stop_after": 3, "stop_when": "now"}
    study = build_study(None, items=8, set_size=8, checks=checks, params={"texts_per_page": 6})
    rater = arrive(study)
    page = [sent(rater, unit, seconds_active=1) for unit in assignments.next_page(rater=rater)]
    judgments.submit_page(page=page)
    rater.refresh_from_db()
    assert rater.outcome == Rater.Outcome.STOPPED
    assert rater.prefs["stopped"] == {"limit": "fast", "n": 3, "of": 3}, "as it was when the limit was passed"
    assert Judgment.objects.count() == 6
    invariants.check(study)


def test_a_page_of_skips_gives_its_places_back() -> None:
    study = paged_study()
    rater = arrive(study)
    page = assignments.next_page(rater=rater)
    skip = judgments.Submission(uuid.uuid4(), {}, skip_reason="other")
    judgments.submit_page(page=[judgments.Answered(RaterScreen(rater, page[0]), skip), sent(rater, page[1])])
    assert states() == ["skipped", "submitted"]
    assert page[2] in assignments.next_page(rater=rater)
    invariants.check(study)


def test_no_page_holds_a_text_beside_its_repeat_or_its_copy() -> None:
    study = paged_study(10, opened=False)
    units = list(Unit.objects.filter(task__study=study).order_by("pk")[:4])
    copy = units[3]
    copy.features = {"degraded_of": units[0].pk}

    def given(unit: Unit, purpose: str = "main", set_id: int = 1) -> Assignment:
        return Assignment(unit=unit, purpose=purpose, set_id=set_id)

    def page(*waiting: Assignment) -> int:
        return len(assignments.page_of(waiting, study))

    a, b, c = (given(unit) for unit in units[:3])
    assert page(a, b, given(units[0], "repeat"), c) == 2
    assert page(a, b, c, given(copy, "control")) == 3
    assert page(given(copy, "control"), b, a) == 2
    assert page(b, given(copy, "control"), c, given(units[0], "exam")) == 3
    assert page(given(units[0], "training"), b) == 1
    assert page(a, given(units[1], set_id=2)) == 1
    other_criterion = Unit(pk=10_000, task=units[0].task, features={"criterion": "content"})
    assert page(a, given(other_criterion)) == 1
    assert page() == 0


def test_only_types_with_simple_screens_show_several_on_a_page() -> None:
    paged = {name for name, member in registry.items() if "texts_per_page" in member.Settings.base_fields}
    assert paged == {"labels", "likert", "slider"}
    for name in paged:
        assert registry[name]({"texts_per_page": 5}).texts_on_page == 5
        assert registry[name]().texts_on_page == 1
        with pytest.raises(ValueError, match="less than or equal to 10"):
            registry[name]({"texts_per_page": 11})
    with pytest.raises(ValueError, match="side by side fill a page"):
        registry["slider"]({"texts_per_page": 2, "layout": "together"})
    with pytest.raises(ValueError, match="texts_per_page: unknown parameter"):
        registry["pairwise"]({"texts_per_page": 2})
