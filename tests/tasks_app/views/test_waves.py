"""The pages of waves: the wait between two of them, and whom a researcher has to remind."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from tasks_app.jobs import upkeep
from tasks_app.models import Assignment, Event, Identity, Membership, Outbox, Rater, RaterSet, Study
from tasks_app.services.arrival import enrolment, invitations, returning
from tasks_app.services.waves import reminders
from tasks_app.views import waves
from tests import pages, walk
from tests.clock import set_clock
from tests.once import ModuleRows
from tests.tasks_app import waves_kit as kit
from tests.tasks_app.waves_kit import days_pass, do_what_is_open, from_prolific, invited

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def made(module_db: ModuleRows) -> int:
    return kit.opened().pk


@pytest.fixture
def study(made: int) -> Study:
    """The example, open."""
    return Study.objects.get(pk=made)


def finish_first(browser: Client, study: Study) -> tuple[Rater, str]:
    """Go through the first wave by its pages; returns the rater and the token."""
    token = pages.join(study)
    rater = Rater.objects.latest("pk")
    do_what_is_open(study, rater)
    return rater, token


def test_between_two_waves_a_rater_is_told_when_it_goes_on(
    study: Study, somebody: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, token = finish_first(somebody, study)
    set_clock(monkeypatch, ada.enrolled_at)  # the day may have ended meanwhile
    week = RaterSet.objects.get(rater=ada, wave=2)
    for path in ("", "judge/", "end/"):
        led = somebody.get(f"/r/{token}/{path}", follow=True)
        assert led.redirect_chain[-1][0] == f"/r/{token}/waiting/", path
    text = somebody.get(f"/r/{token}/waiting/").content.decode()
    local = week.opens_at.astimezone(timezone.zoneinfo.ZoneInfo("Europe/London"))
    assert "in 7 days" in text
    assert f"{local:%A}" in text
    assert "09:00" in text
    assert "Europe/London" in text
    assert f"http://testserver/r/{token}/" in text
    assert not somebody.cookies
    assert study.title not in text
    days_pass(ada, 7.5)
    page = somebody.get(f"/r/{token}/", follow=True)
    assert page.redirect_chain[-1][0] == f"/r/{token}/judge/"
    assert somebody.get(f"/r/{token}/waiting/").status_code == 302
    assert somebody.get(f"/r/{token}/calendar.ics").status_code == 302


def test_the_instructions_announce_the_later_parts(study: Study, somebody: Client) -> None:
    token = pages.agree(study)
    text = somebody.get(f"/r/{token}/instructions/").content.decode()
    assert "2 more parts open later" in text
    assert "09:00" in text
    assert "shorter" not in text


@pytest.mark.parametrize(
    "now",
    [
        "2026-05-01T11:59:59.9+12:00",
        "2026-05-01T00:00:00+12:00",
        "2028-02-28T23:59:59.9+13:00",  # the next day is a leap day
        "2026-09-26T12:00:00+12:00",  # the clock is set forward in the night
        "2026-04-05T02:30:00+13:00",  # it is set back within the hour
    ],
)
def test_the_wait_is_told_in_the_language_and_days_of_the_study(now: str, monkeypatch: pytest.MonkeyPatch) -> None:
    zone = "Pacific/Auckland"
    here = datetime.fromisoformat(now).astimezone(timezone.zoneinfo.ZoneInfo(zone))
    set_clock(monkeypatch, here.astimezone(UTC))
    assert waves.in_days(here.astimezone(UTC), zone) == "today"
    next_day = (here + timedelta(days=1)).replace(hour=0, minute=1)
    assert waves.in_days(next_day.astimezone(UTC), zone) == "tomorrow"
    assert waves.in_days(next_day + timedelta(days=2), zone) == "in 3 days"


def test_the_calendar_file_is_one_that_calendars_take(study: Study, somebody: Client) -> None:
    Study.objects.filter(pk=study.pk).update(public_title="Reading; writing, and \\ more: " + "é" * 60)
    ada, token = finish_first(somebody, study)
    answer = somebody.get(f"/r/{token}/calendar.ics")
    assert answer["Content-Type"] == "text/calendar; charset=utf-8"
    raw = answer.content
    assert all(len(line) <= 75 for line in raw.split(b"\r\n"))
    assert raw.count(b"\n") == raw.count(b"\r\n")
    lines = raw.decode().replace("\r\n ", "").split("\r\n")
    opens = RaterSet.objects.get(rater=ada, wave=2).opens_at
    assert f"DTSTART:{opens:%Y%m%dT%H%M%SZ}" in lines
    assert "SUMMARY:Reading\\; writing\\, and \\\\ more: " + "é" * 60 in lines
    assert f"URL:http://testserver/r/{token}/" in lines
    assert (lines[0], lines[-2]) == ("BEGIN:VCALENDAR", "END:VCALENDAR")


def test_a_title_cannot_add_lines_to_the_calendar() -> None:
    text = waves.calendar_file(
        uid="u", begins=datetime(2026, 5, 1, tzinfo=UTC), title="a\r\nATTENDEE:x\nURL:y", link="l", words="w"
    )
    assert "SUMMARY:a\\nATTENDEE:x\\nURL:y\r\n" in text


def test_the_code_of_a_wave_is_shown_when_it_is_done(study: Study, somebody: Client) -> None:
    flow = {**study.settings["flow"], "wave_codes": "WAVE1CODE"}
    Study.objects.filter(pk=study.pk).update(settings={**study.settings, "flow": flow})
    ada, token = finish_first(somebody, study)
    assert "WAVE1CODE" in somebody.get(f"/r/{token}/waiting/").content.decode()
    # A text of it that went to another rater is a part that was not done.
    left = Assignment.objects.filter(rater=ada).first()
    assert left is not None
    Assignment.objects.filter(pk=left.pk).update(state="expired")
    assert "WAVE1CODE" not in somebody.get(f"/r/{token}/waiting/").content.decode()


def test_a_rater_can_have_no_more_mail(study: Study, somebody: Client) -> None:
    ada = invited(study)
    token = reminders.return_token(ada, Identity.objects.get())
    path = f"/r/{token}/mail/"
    assert somebody.post(path, {"form_token": "a:b"}).status_code == 403
    ada.refresh_from_db()
    assert reminders.NO_MAIL not in ada.prefs
    Outbox.objects.create(rater=ada, kind=reminders.OPENS, wave=2, due=timezone.now())
    assert somebody.post(path, pages.hidden(somebody.get(path))).status_code == 200
    ada.refresh_from_db()
    assert ada.prefs[reminders.NO_MAIL] is True
    assert not Outbox.objects.exists()


def test_an_invited_person_comes_back_by_the_links_in_their_mail(
    study: Study, rosa: User, somebody: Client, settings: Settings
) -> None:
    settings.EVALWEB_URL = "http://testserver"
    Study.objects.filter(pk=study.pk).update(settings={**study.settings, "channels": {"invited": {}}}, language="de")
    study.refresh_from_db()
    made = invitations.invite(study=study, people=[invitations.Person("Bo", email="bo@example.org")], by=rosa)[0]
    path = f"/join/{study.link_code}/invited/"
    form = pages.hidden(somebody.get(path, {"key": made.secret}))
    begun = somebody.post(path, form)["Location"] + "instructions/"
    assert somebody.post(begun, pages.hidden(somebody.get(begun))).status_code == 302
    bo = Rater.objects.get()
    link = ""
    for days in (7.5, 7):
        do_what_is_open(study, bo)
        days_pass(bo, days)
        upkeep()
        link = re.findall(r"http://testserver(/r/\S+?/)\n", str(mail.outbox[-1].body))[0]
        # On another device, without a cookie.
        page = Client().get(link, follow=True)
        assert page.redirect_chain[-1][0] == f"{link}judge/"
    assert [one.to for one in mail.outbox] == [["bo@example.org"]] * 2
    assert {one.subject for one in mail.outbox} == {"Der nächste Teil ist offen: Two weeks with a food diary"}
    do_what_is_open(study, bo)
    assert Client().get(link, follow=True).redirect_chain[-1][0] == f"{link}end/"
    assert bo.outcome == "completed"


@pytest.fixture
def rosas_study(study: Study, rosa: User) -> Study:
    Membership.objects.create(study=study, user=rosa, role="owner")
    return study


def test_who_is_due_is_shown_without_ids_and_ids_are_logged(
    rosas_study: Study, rosas_browser: Client, mallorys_browser: Client
) -> None:
    base = f"/admin/studies/{rosas_study.slug}/due/"
    ada = enrolment.enrol(study_id=rosas_study.pk, nonce="x", consent_text_id=None, arrival=from_prolific("1")).rater
    bob = walk.arrive(rosas_study)
    for rater in (ada, bob):
        do_what_is_open(rosas_study, rater)
        days_pass(rater, 7.5)
    page = rosas_browser.get(base).content.decode()
    assert ada.pseudonym in page
    assert bob.pseudonym in page
    assert "a" * 24 not in page
    assert "Wave 2" in page
    ids = rosas_browser.get(f"{base}2/ids/").content.decode()
    assert "a" * 24 in ids
    assert ada.pseudonym not in ids
    rows = rosas_browser.get(f"{base}2/ids.csv").content.decode().splitlines()
    assert rows[0] == "channel,id,opens,closes"
    assert [row.split(",")[:2] for row in rows[1:]] == [["prolific", "a" * 24]]
    logged = list(Event.objects.filter(study=rosas_study, object="wave 2").values_list("verb", "after"))
    assert sorted(logged) == [("downloaded ids of due raters", {"ids": 1}), ("read ids of due raters", {"ids": 1})]
    for path in (base, f"{base}2/ids/", f"{base}2/ids.csv"):
        assert mallorys_browser.get(path).status_code == 404


def test_the_next_page_of_raters_is_of_the_same_wave(
    rosas_study: Study, rosas_browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waves, "RATERS_ON_A_PAGE", 1)
    for _rater in range(2):
        walk.arrive(rosas_study)
    base = f"/admin/studies/{rosas_study.slug}/due/"
    page = rosas_browser.get(base, {"wave": "3"}).content.decode()
    assert 'href="?wave=3&amp;page=2"' in page
    assert "Raters of wave 3" in rosas_browser.get(f"{base}?wave=3&page=2").content.decode()


def test_a_link_is_derived_or_made_anew_when_asked_twice(
    rosas_study: Study, rosas_browser: Client, somebody: Client
) -> None:
    path = f"/admin/studies/{rosas_study.slug}/due/link/"
    ada = invited(rosas_study)
    token = reminders.return_token(ada, Identity.objects.get())
    assert f"/r/{token}/" in rosas_browser.post(path, {"rater": ada.pseudonym}).content.decode()
    bob, old = finish_first(somebody, rosas_study)
    first = rosas_browser.post(path, {"rater": bob.pseudonym}).content.decode()
    assert "/r/" not in first
    assert somebody.get(f"/r/{old}/").status_code == 302
    second = rosas_browser.post(path, {"rater": bob.pseudonym, "sure": "yes"}).content.decode()
    assert somebody.get(f"/r/{old}/").status_code == 404
    bob.refresh_from_db()
    assert f"/r/{reminders.return_token(bob, None)}/" in second
    assert Event.objects.filter(verb="read a personal link").count() == 2
    assert rosas_browser.post(path, {"rater": "r-nobody"}).status_code == 404


def test_a_platform_rater_comes_back_through_the_address_of_the_wave(
    rosas_study: Study, rosas_browser: Client, somebody: Client
) -> None:
    Study.objects.filter(pk=rosas_study.pk).update(settings={**rosas_study.settings, "channels": {"prolific": {}}})
    rosas_study.refresh_from_db()
    ada = enrolment.enrol(study_id=rosas_study.pk, nonce="x", consent_text_id=None, arrival=from_prolific("1")).rater
    do_what_is_open(rosas_study, ada)
    ids = {"PROLIFIC_PID": "a" * 24, "STUDY_ID": "d" * 24, "SESSION_ID": "2" * 24}
    address = returning.address(rosas_study, "prolific", 2)
    refused = somebody.get(address, ids | {"wave": address.partition("wave=")[2]})
    early = somebody.get(f"{address}&" + "&".join(f"{name}={value}" for name, value in ids.items()))
    assert (refused.status_code, early.status_code) == (409, 409)
    days_pass(ada, 7.5)
    shown = rosas_browser.get(f"/admin/studies/{rosas_study.slug}/due/?wave=2").content.decode()
    assert address.replace("&", "&amp;") in shown
    answer = somebody.get(f"{address}&" + "&".join(f"{name}={value}" for name, value in ids.items()))
    assert answer.status_code == 302
    assert somebody.get(answer["Location"], follow=True).status_code == 200
    # Without the signed wave, another visit of the same person is refused as ever.
    plain = somebody.get(f"/join/{rosas_study.link_code}/prolific/", ids | {"SESSION_ID": "3" * 24})
    assert plain.status_code == 409
