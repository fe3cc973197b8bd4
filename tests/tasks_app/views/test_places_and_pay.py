"""Who leaves, comes late or is let in again: places and payments counted. The ten rows of docs/recruiting.md."""

from decimal import Decimal
from random import Random

import pytest
from django.db.models import Sum
from django.test import Client

from tasks_app import channels
from tasks_app.links.credentials import hash_token
from tasks_app.models import Assignment, Identity, Judgment, Payment, Place, Rater, RaterSet, Study
from tasks_app.selectors.screens import RaterScreen
from tasks_app.services.arrival import enrolment, platform_statuses
from tasks_app.services.arrival.platform_statuses import Report
from tasks_app.services.judging import assignments, judgments
from tasks_app.views.rater import arriving
from tests import invariants, pages, walk
from tests.builders import build_study
from tests.tasks_app.views.test_arriving import arrive, open_study, prolific
from tests.walk import next_for

pytestmark = pytest.mark.django_db

FULL_PAY = Decimal("3.00")


def two_sets() -> Study:
    """Make a study of two sets of two texts, each text asked of one rater; Prolific's raters get codes."""
    return open_study(items=4, systems=("alpha",), k=1, set_size=2)


def someone(study: Study, query: dict[str, str] | None = None) -> tuple[Client, str, Rater, dict[str, str]]:
    """Come through Prolific, agree and have read the instructions."""
    browser, query = Client(), query or prolific()
    token = arrive(browser, study, "prolific", query)
    rater = Rater.objects.select_related("study").get(token_hash=hash_token(token))
    assignments.start(rater=rater)
    rater.refresh_from_db()
    return browser, token, rater, query


def answer(rater: Rater, n: int) -> None:
    """Answer so many texts."""
    for _text in range(n):
        unit = next_for(rater=rater)
        judgments.submit(screen=RaterScreen(rater, unit), submission=walk.answer(rater.study, unit, Random(1)))


def finish(rater: Rater) -> Rater:
    """Answer whatever is left, and come to the end."""
    rater.refresh_from_db()
    while (unit := next_for(rater=rater)) is not None:
        judgments.submit(screen=RaterScreen(rater, unit), submission=walk.answer(rater.study, unit, Random(1)))
    rater.refresh_from_db()
    return rater


def stays_away(rater: Rater) -> None:
    """Let the rater's lease be over."""
    RaterSet.objects.filter(rater=rater).update(lease_until="2020-01-01T00:00Z")


def report(study: Study, query: dict[str, str], status: str) -> None:
    """Enter a status as Prolific's file has it."""
    rows = [Report(2, query["PROLIFIC_PID"], query["SESSION_ID"], status)]
    platform_statuses.enter(study=study, channel="prolific", reports=rows, by=None)


def paid(rater: Rater) -> Decimal:
    return Payment.objects.filter(rater=rater).aggregate(sum=Sum("amount"))["sum"] or Decimal(0)


def judged(study: Study) -> tuple[int, int]:
    """Return how many places have an answer, and how many answers there are beside them."""
    states = list(Assignment.objects.filter(rater__study=study).values_list("state", flat=True))
    return states.count("submitted"), states.count("surplus")


def end_page(browser: Client, token: str) -> str:
    shown = browser.get(f"/r/{token}/", follow=True)
    assert shown.request["PATH_INFO"] == f"/r/{token}/end/"
    return shown.content.decode()


def test_1_who_leaves_before_an_answer_frees_the_places_after_ten_minutes() -> None:
    study = two_sets()
    _browser, _token, gone, _query = someone(study)
    lease = RaterSet.objects.get(rater=gone)
    assert (lease.lease_until - lease.claimed_at).total_seconds() == pytest.approx(600, abs=60)
    _b, _t, second, _q = someone(study)
    assert not enrolment.has_room(study)
    stays_away(gone)
    assert enrolment.has_room(study)
    _b, _t, third, _q = someone(study)
    assert [finish(rater).outcome for rater in (second, third)] == ["completed"] * 2
    assert judged(study) == (4, 0)
    assert (paid(gone), paid(second), paid(third)) == (Decimal(0), FULL_PAY, FULL_PAY)
    assert finish(gone).outcome == "full"
    invariants.check(study)


def test_2_who_leaves_after_an_answer_keeps_it_and_is_paid_for_it() -> None:
    study = two_sets()
    _browser, _token, gone, query = someone(study)
    answer(gone, 1)
    stays_away(gone)
    _b, _t, second, _q = someone(study)
    _b, _t, third, _q = someone(study)
    assert [finish(second).outcome, finish(third).outcome] == ["completed"] * 2
    assert judged(study) == (4, 0), "the place that was left was filled once"
    report(study, query, "RETURNED")
    gone.refresh_from_db()
    assert (gone.outcome, paid(gone)) == ("returned", FULL_PAY / 2)
    invariants.check(study)


def test_3_who_comes_back_in_time_goes_on_and_nothing_is_freed() -> None:
    study = two_sets()
    browser, token, rater, query = someone(study)
    answer(rater, 1)
    again = Client().get(f"/join/{study.link_code}/prolific/", query)
    assert again["Location"] == f"/r/{token}/"
    assert (finish(rater).outcome, paid(rater)) == ("completed", FULL_PAY)
    assert "cc=DONE1" in end_page(browser, token)
    assert Rater.objects.count() == 1


def test_4_who_comes_late_takes_back_what_is_free() -> None:
    study = two_sets()
    browser, token, rater, _query = someone(study)
    answer(rater, 1)
    stays_away(rater)
    assert "Text 2 of 2" in browser.get(f"/r/{token}/", follow=True).content.decode()
    assert (finish(rater).outcome, paid(rater)) == ("completed", FULL_PAY)
    assert judged(study) == (2, 0)
    invariants.check(study)


def test_5_an_answer_that_comes_after_somebody_elses_is_stored_beside_it_and_paid() -> None:
    study = two_sets()
    _browser, _token, late, _query = someone(study)
    unit = next_for(rater=late)
    stays_away(late)
    others = [someone(study)[2] for _rater in range(2)]
    assert [finish(rater).outcome for rater in others] == ["completed"] * 2
    judgments.submit(screen=RaterScreen(late, unit), submission=walk.answer(study, unit, Random(1)))
    assert judged(study) == (4, 1), "one judgment more than asked for, and no place twice"
    late = finish(late)
    assert (late.outcome, paid(late)) == ("full", FULL_PAY / 2)
    invariants.check(study)


def test_6_who_comes_when_others_have_taken_the_rest_is_paid_for_what_they_did() -> None:
    study = two_sets()
    browser, token, rater, _query = someone(study)
    answer(rater, 1)
    stays_away(rater)
    for _rater in range(2):
        finish(someone(study)[2])
    shown = end_page(browser, token)
    assert "All places were taken meanwhile" in shown
    assert "cc=FULL1" in shown
    assert "You are paid 1.50 EUR for your work here." in shown
    assert judged(study) == (4, 0)
    invariants.check(study)


def test_7_who_returns_on_the_platform_frees_the_places_at_once() -> None:
    study = two_sets()
    browser, token, rater, query = someone(study)
    answer(rater, 1)
    someone(study)
    assert not enrolment.has_room(study)
    report(study, query, "RETURNED")
    assert enrolment.has_room(study), "without another rater one judgment would be missing"
    shown = end_page(browser, token)
    assert "You have returned this study" in shown
    assert "cc=" not in shown
    assert paid(rater) == FULL_PAY / 2
    report(study, query, "RETURNED")
    assert paid(rater) == FULL_PAY / 2, "the same file again changes nothing"


def test_8_who_timed_out_and_is_let_in_again_goes_on_and_is_paid_once() -> None:
    study = two_sets()
    browser, token, rater, query = someone(study)
    answer(rater, 1)
    report(study, query, "TIMED-OUT")
    assert paid(rater) == FULL_PAY / 2
    again = Client().get(f"/join/{study.link_code}/prolific/", query, follow=True)
    shown = again.content.decode()
    assert "The time for this study is over" in shown
    assert "Were you let in again?" in shown
    assert "cc=" not in shown
    gone_on = browser.post(f"/r/{token}/more/", pages.hidden(again))
    assert gone_on["Location"] == f"/r/{token}/judge/"
    report(study, query, "TIMED-OUT")
    rater.refresh_from_db()
    assert rater.state == "judging", "the platform's file still has the old status"
    assert "Text 2 of 2" in browser.get(f"/r/{token}/judge/").content.decode()
    assert (finish(rater).outcome, paid(rater)) == ("completed", FULL_PAY)
    assert "cc=DONE1" in end_page(browser, token)
    assert judged(study) == (2, 0)
    invariants.check(study)


def test_9_who_is_let_in_again_when_nothing_is_left_is_told_what_to_do() -> None:
    study = two_sets()
    browser, token, rater, query = someone(study)
    answer(rater, 1)
    report(study, query, "TIMED-OUT")
    page = browser.get(f"/r/{token}/end/")
    for _rater in range(2):
        finish(someone(study)[2])
    states = sorted(Assignment.objects.filter(rater=rater).values_list("state", flat=True))
    full = browser.post(f"/r/{token}/more/", pages.hidden(page)).content.decode()
    assert "Other raters have taken the rest of your texts" in full
    shown = end_page(browser, token)
    for sentence in ("The time for this study is over", "Please return your submission on Prolific", "1.50 EUR"):
        assert sentence in shown
    assert "Go on with the study" not in shown
    rater.refresh_from_db()
    assert (rater.outcome, paid(rater)) == ("timed_out", FULL_PAY / 2)
    assert sorted(Assignment.objects.filter(rater=rater).values_list("state", flat=True)) == states
    assert judged(study) == (4, 0)
    invariants.check(study)


def test_10_who_is_let_in_by_a_new_submission_goes_on_in_the_browser_they_began_in() -> None:
    study = two_sets()
    browser, token, rater, query = someone(study)
    answer(rater, 1)
    anew = {**query, "SESSION_ID": prolific()["SESSION_ID"]}
    path = f"/join/{study.link_code}/prolific/"
    elsewhere = Client().get(path, anew)
    assert elsewhere.status_code == 409, "an id alone opens nobody's answers"
    for sentence in ("Each person can take part once", "in the browser you began in", "return your submission"):
        assert sentence in elsewhere.content.decode()
    offer = browser.get(path, anew)
    assert "You have already begun this study in this browser." in offer.content.decode()
    assert Identity.objects.get().visits == [query["SESSION_ID"]], "looking stores nothing"
    gone_on = browser.post(path, {**pages.hidden(offer), "begun": "earlier"})
    assert gone_on["Location"] == f"/r/{token}/"
    assert Identity.objects.get().visits == [query["SESSION_ID"], anew["SESSION_ID"]]
    assert Client().get(path, anew)["Location"] == f"/r/{token}/", "from now on this submission is the rater's"
    report(study, query, "TIMED-OUT")
    rater.refresh_from_db()
    assert rater.state == "judging", "the old submission is over, the new one is not"
    assert (finish(rater).outcome, paid(rater)) == ("completed", FULL_PAY)
    assert "cc=DONE1" in end_page(browser, token)
    stranger = browser.get(path, prolific())
    assert "I agree, begin" in stranger.content.decode(), "another person at the same computer is not asked"
    invariants.check(study)


def test_nobody_on_trial_is_led_to_the_platform_with_a_code() -> None:
    study = open_study()
    browser, path = Client(), f"/join/{study.link_code}/prolific/"
    form = arriving.consent_form(study, channels.registry["prolific"]().arrival(prolific()), kind="sandbox")
    token = browser.post(path, {"form_token": form["form_token"].value()})["Location"].strip("/").split("/")[1]
    rater = finish(Rater.objects.select_related("study").get())
    assert (rater.kind, rater.outcome) == ("sandbox", "completed")
    assert not browser.cookies
    shown = browser.get(f"/r/{token}/end/").content.decode()
    for secret in ("DONE1", "prolific.com", "Back to Prolific"):
        assert secret not in shown
    assert "Nobody on trial gets a code" in shown


def test_a_hundred_workers_who_lose_their_tabs() -> None:
    """Two of three come back in their browser, every third by the link; each tenth never does, and others come."""
    study = build_study(None, items=200, systems=("alpha",), k=1, set_size=2, slug="hundred")
    path, browsers = f"/join/{study.link_code}/", [Client() for _worker in range(100)]
    tokens = []
    for number, browser in enumerate(browsers):
        sent = browser.post(path, pages.hidden(browser.get(path)))
        tokens.append(sent["Location"].strip("/").split("/")[1])
        rater = Rater.objects.select_related("study").get(token_hash=hash_token(tokens[-1]))
        assignments.start(rater=rater)
        if number % 2:
            answer(rater, 1)
    assert Client().get(path).status_code == 409, "a hundred sets, all held"
    for number, (browser, token) in enumerate(zip(browsers, tokens, strict=True)):
        if number % 10 == 0:
            continue
        if number % 3:
            found = browser.post(path, {**pages.hidden(browser.get(path)), "begun": "earlier"})["Location"]
        else:
            found = f"/r/{token}/"
        assert found == f"/r/{token}/"
        assert finish(_rater(found)).outcome == "completed"
    assert Rater.objects.count() == 100, "nobody began a second time"
    RaterSet.objects.filter(state="open").update(lease_until="2020-01-01T00:00Z")
    for _newcomer in range(10):
        finish(walk.arrive(study))
    assert Client().get(path).status_code == 409
    assert Rater.objects.filter(outcome="completed").count() == 100
    assert Judgment.objects.count() == Place.objects.count() == 200
    assert set(Payment.objects.values_list("amount", flat=True)) == {FULL_PAY}
    assert Payment.objects.aggregate(sum=Sum("amount"))["sum"] == 100 * FULL_PAY
    invariants.check(study)


def _rater(address: str) -> Rater:
    token = address.strip("/").split("/")[1]
    return Rater.objects.select_related("study").get(token_hash=hash_token(token))
