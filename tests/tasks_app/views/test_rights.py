"""Raters' rights by their own link, and what researchers can do about a rater."""

import html
import json
import re
from datetime import datetime
from decimal import Decimal
from random import Random

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone, translation
from django.utils.translation import gettext

from scripts import messages
from tasks_app.channels.base import Arrival
from tasks_app.models import Assignment, Event, Identity, Judgment, Payment, Rater, Study
from tasks_app.selectors.screens import RaterScreen
from tasks_app.services.arrival import enrolment
from tasks_app.services.judging import assignments, judgments
from tasks_app.views import pay_words
from tests import pages, walk
from tests.builders import build_study
from tests.clock import set_clock
from tests.tasks_app.services.test_erasure import everywhere
from tests.walk import next_for

pytestmark = pytest.mark.django_db

LANGUAGES = ("en", *messages.LANGUAGES)
UA = "A browser of its own kind/17.3"
PLATFORM = "66aa00bb11cc22dd33ee44ff"


@pytest.fixture
def study(rosa: User) -> Study:
    return build_study(rosa, known={"control": 2}, checks={"controls": 2})


@pytest.fixture
def enrolled(study: Study) -> enrolment.Enrolled:
    """A platform's rater who answered three units, the first with a comment."""
    text = study.consent_texts.get()
    arrival = Arrival("prolific", PLATFORM, "visit-1")
    found = enrolment.enrol(study_id=study.pk, nonce="n", consent_text_id=text.pk, arrival=arrival)
    for number in range(3):
        assignment = next_for(rater=found.rater)
        assert assignment is not None
        comment = "The second line is cut off." if number == 0 else ""
        given = walk.answer(study, assignment, Random(number), comment=comment)
        judgments.submit(screen=RaterScreen(found.rater, assignment), submission=given)
    return found


def test_the_page_says_what_is_stored_and_the_file_holds_it(somebody: Client, enrolled: enrolment.Enrolled) -> None:
    page = somebody.get(f"/r/{enrolled.token}/stored/").content.decode()
    told = ("3 answers.", "1 comment.", "Kept apart from your answers, to pay you.", "Not stored.", "<strong>agree")
    assert [said for said in told if said not in page] == []
    data = json.loads(somebody.get(f"/r/{enrolled.token}/stored/mine.json").content)
    assert [one["comment"] for one in data["answers"]] == ["The second line is cut off.", "", ""]
    assert data["agreed_to"][0]["text"] == "You **agree** to take part."
    given = Judgment.objects.order_by("id").values_list("answer", flat=True)
    assert [one["answer"] for one in data["answers"]] == list(given)


def test_neither_page_nor_file_tells_gold_systems_or_purposes(somebody: Client, enrolled: enrolment.Enrolled) -> None:
    for path in ("stored/", "stored/mine.json", "withdraw/", "help/"):
        text = somebody.get(f"/r/{enrolled.token}/{path}").content.decode()
        secrets = ("alpha-mt", "beta-mt", "purpose", "Secret title", "hidden-slug", PLATFORM)
        assert [secret for secret in secrets if secret in text] == [], path


def test_both_pages_say_in_every_language_what_backups_keep(somebody: Client, enrolled: enrolment.Enrolled) -> None:
    """Erasure changes the database, and not the copies that were made of it before."""
    english = "Backups made before you withdraw keep your data until they are deleted."
    told = set()
    for language in LANGUAGES:
        Rater.objects.filter(pk=enrolled.rater.pk).update(language=language)
        with translation.override(language):
            sentence = gettext(english)
        told.add(sentence)
        for path in ("stored/", "withdraw/"):
            page = html.unescape(somebody.get(f"/r/{enrolled.token}/{path}").content.decode())
            assert sentence in page, (language, path)
    assert len(told) == len(LANGUAGES) == 9


PAID = "You are paid %(pay)s for your work here."
WAIT = "If you have not been paid yet, wait until you are: afterwards nobody can tell that the answers were yours."
DUE = ("The researchers see that this amount is due, but no longer to whom.", "To be paid, write to %(contact)s.")
MARKED = "The researchers have marked it as paid."


def said(browser: Client, token: str, *, withdraws: bool) -> str:
    """Return the text of the page that asks whether to erase everything, or of the one that follows."""
    page = browser.get(f"/r/{token}/withdraw/")
    shown = browser.post(f"/r/{token}/withdraw/", pages.hidden(page)) if withdraws else page
    return html.unescape(shown.content.decode())


@pytest.mark.parametrize("language", LANGUAGES)
def test_who_withdraws_reads_what_they_are_paid(
    somebody: Client, study: Study, enrolled: enrolment.Enrolled, language: str
) -> None:
    """Three of six units, with the checks, are half of a full set, for which 3.00 EUR are paid."""
    Study.objects.filter(pk=study.pk).update(settings={**study.settings, "about": {"contact": "lab@uni-trier.de"}})
    Rater.objects.filter(pk=enrolled.rater.pk).update(language=language)
    with translation.override(language):
        words = {"pay": pay_words.money(Decimal("1.50"), "EUR"), "contact": "lab@uni-trier.de"}
        paid, wait, due, contact = (gettext(sentence) % words for sentence in (PAID, WAIT, *DUE))
    before = said(somebody, enrolled.token, withdraws=False)
    assert paid in before
    assert wait in before
    assert f"{paid} {due} {contact}" in said(somebody, enrolled.token, withdraws=True)


def test_who_was_paid_is_not_told_to_wait(somebody: Client, study: Study, enrolled: enrolment.Enrolled) -> None:
    assignments.stop(rater=enrolled.rater)
    Payment.objects.update(settled_at=timezone.now())
    before = said(somebody, enrolled.token, withdraws=False)
    assert f"{PAID % {'pay': '1.50 EUR'}} {MARKED}" in before
    assert WAIT not in before
    after = said(somebody, enrolled.token, withdraws=True)
    assert MARKED in after
    assert DUE[0] not in after


def test_who_withdraws_from_a_study_without_pay_reads_nothing_of_it(
    somebody: Client, study: Study, enrolled: enrolment.Enrolled
) -> None:
    Study.objects.filter(pk=study.pk).update(settings={})
    for withdraws in (False, True):
        assert not re.search(r"\b(pay|paid)\b", said(somebody, enrolled.token, withdraws=withdraws))


def test_a_rater_erases_everything_by_the_own_link(somebody: Client, enrolled: enrolment.Enrolled) -> None:
    page = somebody.get(f"/r/{enrolled.token}/withdraw/")
    assert "You cannot take part in this study again" in page.content.decode()
    forged = somebody.post(f"/r/{enrolled.token}/withdraw/", {"form_token": "made up"})
    assert (forged.status_code, Judgment.objects.count()) == (403, 3)
    answer = somebody.post(f"/r/{enrolled.token}/withdraw/", pages.hidden(page))
    assert "3 answers were erased." in answer.content.decode()
    assert (Judgment.objects.count(), Identity.objects.count()) == (0, 0)
    assert somebody.get(f"/r/{enrolled.token}/").status_code == 404
    assert not Assignment.objects.filter(state__in=("reserved", "live", "submitted")).exists()


# The last moment of the last day and the first of the day after, in the study's time zone.
LAST_DAYS = [
    ("UTC", "2028-02-29", "2028-02-29T23:59:59.999999+00:00", 200),
    ("UTC", "2028-02-29", "2028-03-01T00:00:00+00:00", 403),
    ("Pacific/Auckland", "2026-05-01", "2026-05-01T11:59:59+00:00", 200),
    ("Pacific/Auckland", "2026-05-01", "2026-05-01T12:00:00+00:00", 403),
    # The clock is set forward that morning, and back that night.
    ("America/New_York", "2026-03-08", "2026-03-09T03:59:59+00:00", 200),
    ("America/New_York", "2026-03-08", "2026-03-09T04:00:00+00:00", 403),
    ("America/New_York", "2026-11-01", "2026-11-02T04:59:59+00:00", 200),
    ("America/New_York", "2026-11-01", "2026-11-02T05:00:00+00:00", 403),
]


@pytest.mark.parametrize(("zone", "last", "moment", "status"), LAST_DAYS)
def test_after_the_last_day_nothing_can_be_withdrawn(
    somebody: Client, study: Study, enrolled: enrolment.Enrolled, monkeypatch: pytest.MonkeyPatch,
    zone: str, last: str, moment: str, status: int,
) -> None:  # fmt: skip
    page = somebody.get(f"/r/{enrolled.token}/withdraw/")
    about = {"withdraw_until": last, "contact": "a@b.example"}
    Study.objects.filter(pk=study.pk).update(settings={**study.settings, "about": about}, timezone=zone)
    set_clock(monkeypatch, datetime.fromisoformat(moment))
    assert somebody.get(f"/r/{enrolled.token}/withdraw/").status_code == status
    answer = somebody.post(f"/r/{enrolled.token}/withdraw/", pages.hidden(page))
    assert answer.status_code == status
    assert Judgment.objects.count() == (3 if status == 403 else 0)


def test_no_address_and_no_kind_of_browser_is_stored(study: Study) -> None:
    client = Client(headers={"user-agent": UA}, REMOTE_ADDR="203.0.113.77")
    pages.unit(client, pages.join_by_pages(client, study))
    assert Rater.objects.count() == 1
    assert everywhere("203.0.113.77") == []
    assert everywhere(UA) == []


@pytest.mark.parametrize("action", ["returned", "timed_out"])
def test_a_researcher_ends_who_has_left_the_platform(
    rosas_browser: Client, study: Study, enrolled: enrolment.Enrolled, action: str
) -> None:
    sent = {"rater": str(enrolled.rater), "action": action}
    assert rosas_browser.post(f"/admin/studies/{study.slug}/people/act/", sent).status_code == 302
    rater = Rater.objects.get(pk=enrolled.rater.pk)
    assert (rater.state, rater.outcome) == ("ended", action)
    assert Judgment.objects.count() == 3
    event = Event.objects.get(study=study, verb="ended a rater")
    assert (event.object, event.after) == ("", {"outcome": action})


def test_a_researcher_makes_a_new_link_and_the_old_one_ends(
    rosas_browser: Client, somebody: Client, study: Study, enrolled: enrolment.Enrolled
) -> None:
    address = f"/admin/studies/{study.slug}/people/"
    page = rosas_browser.post(f"{address}link/", {"rater": str(enrolled.rater)}).content.decode()
    token = page.split("/r/", 1)[1].split("/", 1)[0]
    assert somebody.get(f"/r/{enrolled.token}/").status_code == 404
    assert somebody.get(f"/r/{token}/").status_code == 302
    assert (
        token
        not in rosas_browser.get(f"/admin/studies/{study.slug}/raters/{enrolled.rater}/timeline/").content.decode()
    )
    assert everywhere(token) == []
    assert Event.objects.get(study=study, verb="made a personal link").object == ""


def test_a_researcher_erases_a_rater_and_the_log_names_nobody(
    rosas_browser: Client, study: Study, enrolled: enrolment.Enrolled
) -> None:
    old = str(enrolled.rater)
    rosas_browser.post(f"/admin/studies/{study.slug}/people/act/", {"rater": old, "action": "erase"})
    assert Judgment.objects.count() == 0
    event = Event.objects.filter(study=study, verb="erased").get()
    assert (event.object, event.actor) == ("", study.memberships.get().user)
    page = rosas_browser.get(f"/admin/studies/{study.slug}/raters/").content.decode()
    assert old not in page
    assert "erased" in page


def test_the_list_costs_the_same_for_one_rater_and_for_many(
    rosas_browser: Client, study: Study, django_assert_max_num_queries: object
) -> None:
    for _rater in range(4):
        walk.arrive(study)
    with django_assert_max_num_queries(12):
        assert rosas_browser.get(f"/admin/studies/{study.slug}/raters/").status_code == 200
