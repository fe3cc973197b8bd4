"""Opening, closing and reopening through the pages: what is asked once more, what is shown, what is stored."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from analytics_app.models import Plan
from analytics_app.plan import default_document
from tasks_app.models import ConsentText, Study
from tasks_app.services.study import lifecycle
from tests.about import ABOUT
from tests.builders import build_study
from tests.tasks_app.services.test_pay import shift, work
from tests.tasks_app.views.test_absence import with_pay, words_of

pytestmark = pytest.mark.django_db

OPEN = {"action": "open"}
SETTLE, OPENING = "set-up/review/?settle=1", "set-up/review/?opening=1"
SURE = {"action": "open", "sure": "yes"}


def path(study: Study, page: str = "move") -> str:
    return f"/admin/studies/{study.slug}/{page}" + ("" if "?" in page else "/")


def test_sign_in_leads_to_the_studies(rosa: User, somebody: Client) -> None:
    asked = somebody.get("/admin/", follow=True)
    assert asked.request["PATH_INFO"] == "/admin/login/"
    login = {"username": "rosa", "password": "a researcher's password"}
    # At the first time to where one can begin.
    for leads_to in ("/admin/studies/welcome/", "/admin/studies/"):
        signed_in = somebody.post("/admin/login/", {**login, "next": "/admin/"}, follow=True)
        assert signed_in.request["PATH_INFO"] == leads_to
        assert signed_in.status_code == 200
        somebody.logout()


def opening_page(browser: Client, study: Study) -> str:
    """Return the words of the two parts of Review about opening; the button in the frame leads there."""
    frame = browser.get(path(study, "set-up/review")).content.decode()
    assert f'<a class="ew-button" href="{path(study, "set-up/review")}">Check and open…</a>' in frame
    assert browser.post(path(study), OPEN)["Location"] == path(study, SETTLE)
    return " ".join(words_of(browser.get(path(study, part)).content.decode()) for part in (SETTLE, OPENING))


def test_opening_shows_what_is_frozen_and_what_is_missing_and_asks_why(rosa: User, rosas_browser: Client) -> None:
    study = build_study(rosa, opened=False)
    ConsentText.objects.filter(study=study).delete()
    words = opening_page(rosas_browser, study)
    assert "What opening freezes" in words
    assert "4 items, 8 outputs, 2 systems" in words
    assert "Likert scale" in words
    assert "Nobody has viewed this study as a rater yet." in words
    assert "1 point to settle before raters come" in words
    assert "There is no consent text" in words
    assert "There are no known answers and no repeats" in words
    assert words.count("check this") == 2
    assert "Open the study now" not in words
    page = rosas_browser.post(path(study), SURE, follow=True).content.decode()
    assert "The study was not opened" in page
    study.refresh_from_db()
    assert (study.state, study.current_version) == ("draft", 0)
    reason = {**SURE, "reason": "Our panel has agreed on paper."}
    assert rosas_browser.post(path(study), reason)["Location"] == path(study, "recruit")
    study.refresh_from_db()
    assert (study.state, study.current_version) == ("open", 1)
    passed_over = study.events.get(verb="opened in spite of points")
    assert passed_over.after["reason"] == "Our panel has agreed on paper."
    assert len(passed_over.after["points"]) == 1


@pytest.mark.parametrize("gap", ["[your institution]", "you@example.org"])
def test_what_raters_would_read_as_a_gap_keeps_the_study_closed(rosa: User, rosas_browser: Client, gap: str) -> None:
    study = build_study(rosa, opened=False)
    ConsentText.objects.filter(study=study).update(body=f"You agree. Write to {gap}.")
    words = opening_page(rosas_browser, study)
    assert f"“{gap}”" in words
    assert "can be opened once these points are settled" in words
    rosas_browser.post(path(study), {**SURE, "reason": "No time."})
    study.refresh_from_db()
    assert study.state == "draft"
    ConsentText.objects.filter(study=study).update(body=f"You agree. Write to {ABOUT['contact']}.")
    rosas_browser.post(path(study), SURE)
    study.refresh_from_db()
    assert study.state == "open"


def test_what_is_in_order_is_said_to_be(rosa: User, rosas_browser: Client) -> None:
    study = with_pay(build_study(rosa, opened=False, known={"control": 2}))
    Plan.objects.create(
        study=study, version=1, document={**default_document(), "rules": [{"rule": "control_accuracy", "least": 1}]}
    )
    assert rosas_browser.get(path(study, "recruit/try"), {"channel": "link", "example": "0"}).status_code == 200
    rosas_browser.get(path(study, "recruit/try"), {"channel": "link", "example": "0"})
    words = opening_page(rosas_browser, study)
    assert study.events.filter(verb="tried out").count() == 1
    assert "rosa viewed the arrival page on" in words
    assert "2 units with known answers" in words
    assert "Taking part is not paid." in words
    assert "check this" not in words
    assert "to settle before raters come" not in words
    assert 'data-state="problem"' not in rosas_browser.get(path(study, "set-up/review")).content.decode()
    # It opens by a button that another one unfolds.
    assert "The study can be opened." in words
    assert words.index("Open the study…") < words.index("Open the study now")


def test_pay_per_hour_is_held_against_the_promise_and_the_measured_time(rosa: User, rosas_browser: Client) -> None:
    study = with_pay(build_study(rosa, opened=False), amount="2.00", minutes=10, minimum_hourly="11.00")
    words = opening_page(rosas_browser, study)
    assert "2.00 EUR for about 10 minutes, which is 12.00 EUR per hour" in words
    assert "No time has been measured yet" in words
    assert "less than the 11.00 EUR per hour" not in words
    lifecycle.move(study_id=study.pk, action="open", by=rosa)
    slow = work(study)
    shift(slow, minutes=[5, 10, 15, 20])
    lifecycle.move(study_id=study.pk, action="close", by=rosa)
    words = words_of(rosas_browser.post(path(study), OPEN).content.decode())
    assert "Measured: half of the raters took at least 20.0 minutes, which comes to 6.00 EUR per hour." in words
    assert "That is below this study's minimum of 11.00 EUR per hour." in words


def test_a_plan_that_cannot_be_drawn_is_refused_before_anything_is_pressed(rosa: User, rosas_browser: Client) -> None:
    study = build_study(rosa, opened=False)
    study.tasks.update(design="latin_square", set_size=7)
    words = opening_page(rosas_browser, study)
    assert "The study cannot be opened yet:" in words
    rosas_browser.post(path(study), SURE)
    study.refresh_from_db()
    assert study.state == "draft"
    study.tasks.update(design="independent", set_size=4)
    assert "Open the study now" in opening_page(rosas_browser, study)


def test_a_closed_study_is_reopened_with_a_reason_that_the_log_and_the_results_show(
    rosa: User, rosas_browser: Client, study: Study
) -> None:
    lifecycle.move(study_id=study.pk, action="close", by=rosa)
    page = rosas_browser.get(path(study, "setup")[: -len("setup/")]).content.decode()
    assert '<button class="ew-button" name="action" value="open">Open again</button>' in page
    asked = rosas_browser.post(path(study), OPEN)
    assert "Open this study again?" in asked.content.decode()
    refused = rosas_browser.post(path(study), {**SURE, "reason": "  "})
    assert refused.status_code == 422
    assert "Enter a reason." in refused.content.decode()
    study.refresh_from_db()
    assert study.state == "closed"
    assert rosas_browser.post(path(study), {**SURE, "reason": "Two raters withdrew."}).status_code == 302
    study.refresh_from_db()
    assert study.state == "open"
    event = study.events.filter(verb="opened").first()
    assert event is not None
    assert event.after == {"state": "open", "reason": "Two raters withdrew."}
    results = words_of(rosas_browser.get(path(study, "results")).content.decode())
    assert "by rosa. Reason: Two raters withdrew." in results


def test_the_service_itself_reopens_nothing_without_a_reason(rosa: User, study: Study) -> None:
    lifecycle.move(study_id=study.pk, action="close", by=rosa)
    with pytest.raises(lifecycle.NotPossible, match="Enter a reason"):
        lifecycle.move(study_id=study.pk, action="open", by=rosa, reason=" \n")
    with pytest.raises(lifecycle.NotPossible, match="NUL"):
        lifecycle.move(study_id=study.pk, action="open", by=rosa, reason="a\x00b")
    assert lifecycle.move(study_id=study.pk, action="open", by=rosa, reason="more raters").state == "open"


def test_a_paused_study_resumes_at_one_press(rosa: User, rosas_browser: Client, study: Study) -> None:
    lifecycle.move(study_id=study.pk, action="pause", by=rosa)
    assert rosas_browser.post(path(study), OPEN).status_code == 302
    study.refresh_from_db()
    assert study.state == "open"
