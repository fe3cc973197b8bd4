"""Limits that act while a study collects: who is stopped, when, what it leads to, and how it is undone."""

import uuid
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from tasks_app.models import Assignment, Event, Judgment, Payment, Rater, Study
from tasks_app.selectors.screens import RaterScreen
from tasks_app.services.judging import allowing, assignments, judgments
from tests import invariants
from tests.builders import build_study
from tests.tasks_app.checks_kit import checked_study, give, skip
from tests.walk import arrive, next_for

pytestmark = pytest.mark.django_db

FAST = {"fast_seconds": 5, "fast_share": 0.5, "stop_after": 4}


def study_with(checks: dict[str, Any], **rest: Any) -> Study:
    return build_study(None, **{"items": 8, "k": 4, "set_size": 4, "sets_per_rater": 2, "checks": checks, **rest})


def paid(rater: Rater) -> Decimal:
    """Return the pay of a rater, as a share of the pay for a set."""
    return Payment.objects.get(rater=rater).amount / rater.study.options.amount


def work(study: Study, rater: Rater, seconds: float, n: int = 99) -> int:
    """Answer up to n units in so many seconds each; return how many there were."""
    for done in range(n):
        assignment = next_for(rater=rater)
        if assignment is None:
            return done
        give(study, rater, assignment, 3, seconds_active=seconds)
    return n


def test_who_is_too_fast_gets_no_further_set_and_is_paid() -> None:
    study = study_with(FAST)
    careless, careful = arrive(study), arrive(study)
    assert work(study, careless, 2) == 4, "the set that the rater has is finished"
    careless.refresh_from_db()
    assert careless.outcome == "stopped"
    assert careless.prefs["stopped"] == {"limit": "fast", "n": 4, "of": 4}
    assert careless.completion_code
    assert not assignments.take_another(rater=careless)
    assert work(study, careful, 6) == 4
    assert assignments.take_another(rater=careful)
    assert paid(careless) == 1
    event = Event.objects.get(verb="stopped a rater")
    assert (event.object, event.actor, event.after["n"]) == (careless.pseudonym, None, 4)
    assert Judgment.objects.filter(assignment__rater=careless).count() == 4
    invariants.check(study)


def test_time_of_a_change_counts_and_few_fast_screens_stop_nobody() -> None:
    study = study_with(FAST)
    rater = arrive(study)
    for seconds in (2, 2, 9, 9):
        assignment = next_for(rater=rater)
        stored = give(study, rater, assignment, 3, seconds_active=seconds).judgment
        if seconds == 2 and assignment.order % 2:
            give(study, rater, assignment, 4, seconds_active=4, replaces=stored.pk)
    rater.refresh_from_db()
    assert rater.outcome == "completed"


def test_at_once_the_rest_of_the_set_goes_to_others() -> None:
    study = study_with({**FAST, "stop_when": "now"}, set_size=8)
    rater = arrive(study)
    # The limit is compared with the answers before each answer, as with checks.
    assert work(study, rater, 1) == 5
    rater.refresh_from_db()
    assert (rater.outcome, rater.prefs["stopped"]["of"]) == ("stopped", 4)
    assert not rater.assignments.filter(state__in=Assignment.State.UNANSWERED).exists()
    assert paid(rater) == pytest.approx(Decimal(5) / 8, abs=Decimal("0.01"))
    invariants.check(study)


def test_who_was_to_be_stopped_when_the_process_died_is_stopped_on_the_next_page(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    study = study_with({**FAST, "stop_when": "now"}, set_size=8)
    rater = arrive(study)
    with monkeypatch.context() as broken:
        broken.setattr(judgments.assignments, "stop", lambda **_given: None)
        assert work(study, rater, 1, 5) == 5
    assert Rater.objects.get(pk=rater.pk).outcome is None
    fresh = Rater.objects.select_related("study").get(pk=rater.pk)
    assert next_for(rater=fresh) is None
    assert Rater.objects.get(pk=rater.pk).outcome == "stopped"


def test_an_answer_sent_twice_counts_once() -> None:
    study = study_with({**FAST, "stop_when": "now", "stop_after": 3}, set_size=8)
    rater = arrive(study)
    for _n in range(3):
        assignment = next_for(rater=rater)
        screen = RaterScreen(rater, assignment)
        form = screen.form(dict.fromkeys(screen.form().fields, "3"))
        assert form.is_valid()
        given = judgments.Submission(uuid.uuid4(), form.cleaned_data, seconds_active=1)
        receipts = [judgments.submit(screen=RaterScreen(rater, assignment), submission=given) for _time in range(3)]
        assert [receipt.is_new for receipt in receipts] == [True, False, False]
    rater.refresh_from_db()
    assert rater.outcome is None


@pytest.mark.parametrize(
    ("reasons", "outcome"),
    [
        (["cannot_judge", "other"], "stopped"),
        (["upsetting", "technical"], "completed"),
        (["cannot_judge", "upsetting"], "completed"),
    ],
)
def test_skips_that_count_stop_and_blameless_ones_never_do(reasons: list[str], outcome: str) -> None:
    study = study_with({"skip_share": 0.5, "stop_after": 2})
    rater = arrive(study)
    for reason in reasons:
        skip(rater, next_for(rater=rater), reason)
    work(study, rater, 1)
    rater.refresh_from_db()
    assert rater.outcome == outcome


def test_too_few_right_checks_give_no_further_set() -> None:
    study = checked_study(
        checks={"fail_after": 2, "on_failing": "stop", "attention": 0}, purposes={"i6": "control", "i7": "control"}
    )
    rater = arrive(study)
    while (assignment := next_for(rater=rater)) is not None:
        give(study, rater, assignment, 1 if assignment.purpose == "control" else 3)
    rater.refresh_from_db()
    assert rater.outcome == "stopped"
    assert rater.prefs["stopped"] == {"limit": "checks", "n": 2, "of": 2}
    assert rater.failed_checks_at is not None


def test_an_owner_lets_a_rater_continue_who_had_finished(rosa: User) -> None:
    study = study_with(FAST)
    rater = arrive(study)
    work(study, rater, 1)
    with pytest.raises(ValueError, match="Enter a reason"):
        allowing.allow(rater=rater, by=rosa, reason=" ")
    assert allowing.allow(rater=rater, by=rosa, reason="Knows these texts")
    assert not allowing.allow(rater=rater, by=rosa, reason="Again")
    rater.refresh_from_db()
    assert rater.outcome == "completed"
    assert assignments.take_another(rater=rater)
    assert work(study, rater, 1) == 4
    rater.refresh_from_db()
    assert rater.outcome == "completed", "no limit stops this rater again"
    assert Event.objects.get(verb="let a stopped rater continue").after == {"reason": "Knows these texts"}
    invariants.check(study)


def test_an_owner_gives_back_what_is_free_of_a_set(rosa: User) -> None:
    study = study_with({**FAST, "stop_when": "now"}, set_size=8)
    rater = arrive(study)
    work(study, rater, 1)
    assert allowing.allow(rater=rater, by=rosa, reason="Was ill")
    rater.refresh_from_db()
    assert (rater.state, rater.outcome) == ("judging", None)
    assert work(study, rater, 1) == 3
    rater.refresh_from_db()
    assert rater.outcome == "completed"
    invariants.check(study)


def test_a_closed_study_gives_no_set_back(rosa: User) -> None:
    study = study_with({**FAST, "stop_when": "now"}, set_size=8)
    rater = arrive(study)
    work(study, rater, 1)
    Study.objects.filter(pk=study.pk).update(state="closed")
    with pytest.raises(ValueError, match="The study is closed"):
        allowing.allow(rater=rater, by=rosa, reason="Was ill")


def test_pages_say_why_and_let_the_owner_undo_it(rosa: User, rosas_browser: Client) -> None:
    study = build_study(rosa, items=8, k=4, set_size=4, sets_per_rater=2, checks=FAST, slug="limited")
    rater = arrive(study)
    work(study, rater, 1)
    rater.refresh_from_db()
    address = reverse("analytics:rater", args=["limited", rater.pseudonym])
    page = rosas_browser.get(address).content.decode()
    assert "stopped by a limit (4 of 4 answers were too fast)" in page
    assert "A limit stopped the rater." in page
    monitor = rosas_browser.get(reverse("analytics:monitor", args=["limited"])).content.decode()
    assert "1 rater was stopped by a limit: 1 too fast." in monitor
    assert (
        rater.pseudonym
        in rosas_browser.get(reverse("analytics:raters", args=["limited"]) + "?show=stopped").content.decode()
    )
    act = reverse("analytics:act", args=["limited"])
    rosas_browser.post(act, {"rater": rater.pseudonym, "action": "allow", "reason": ""})
    assert Rater.objects.get(pk=rater.pk).outcome == "stopped"
    rosas_browser.post(act, {"rater": rater.pseudonym, "action": "allow", "reason": "Knows these texts"})
    assert Rater.objects.get(pk=rater.pk).outcome == "completed"
    assert "rosa let the rater continue:" in rosas_browser.get(address).content.decode()
