"""Tasks on another site, through the addresses of raters and of the site: the link, reports, the way back, attacks."""

import json
import re
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client

from tasks_app.models import Assignment, Judgment, Rater, Rating, Study
from tasks_app.services.judging import elsewhere
from tasks_app.task_types import kind_of
from tasks_app.task_types.base import Criterion, ItemTexts, OutputText
from tests import invariants, pages
from tests.builders import build_study
from tests.elsewhere import HOSTS, study_elsewhere
from tests.once import study_made_once
from tests.wrong import altered

pytestmark = pytest.mark.django_db

by_word_once, by_word = study_made_once("by_word", lambda owner: study_elsewhere(owner, k=4))
by_site_once, by_site = study_made_once(
    "by_site", lambda owner: study_elsewhere(owner, slug="by-site", elsewhere_finished="site")
)


def page_of(browser: Client, token: str) -> str:
    response = browser.get(f"/r/{token}/judge/")
    assert response.status_code == 200
    return response.content.decode()


def opened(browser: Client, token: str, order: int = 0) -> str:
    """Follow the link of the task on the screen, and return the token with which the other site reports."""
    order = order or _order(browser, token)
    response = browser.get(f"/r/{token}/elsewhere/{order}/")
    assert response.status_code == 302
    return parse_qs(urlsplit(response["Location"]).query)["evalweb_token"][0]


def _order(browser: Client, token: str) -> int:
    return int(page_of(browser, token).partition(f"/r/{token}/elsewhere/")[2].partition("/")[0])


def tell(site: str, event: object = "query", detail: Any = None, **options: Any) -> HttpResponse:
    """Report an event as the other site does, which has no cookies."""
    body = {"event": event} | ({} if detail is None else {"detail": detail})
    sent: HttpResponse = Client().post(f"/elsewhere/{site}/", body, content_type="application/json", **options)
    return sent


def answer(browser: Client, token: str, **fields: str) -> HttpResponse:
    sent: HttpResponse = browser.post(f"/r/{token}/judge/", {**pages.unit(browser, token), "p1-fluency": "4", **fields})
    return sent


def test_a_rater_goes_there_comes_back_and_answers(by_word: Study, somebody: Client) -> None:
    token = pages.join(by_word)
    page = page_of(somebody, token)
    assert "search.example.org" not in page
    assert page.count('target="_blank" rel="noopener noreferrer"') == 1
    assert "Source " in page, "what to do there"
    unopened = answer(somebody, token, finished="on")
    assert unopened.status_code == 422
    assert "Task 1 has not been opened. Open it first." in unopened.content.decode()
    assert "search.example.org" not in unopened.content.decode()
    order = _order(somebody, token)
    sent_away = somebody.get(f"/r/{token}/elsewhere/{order}/")
    assert sent_away.headers["Referrer-Policy"] == "no-referrer"
    address = urlsplit(sent_away["Location"])
    assert (address.scheme, address.netloc, address.fragment) == ("https", "search.example.org", "top")
    assert list(parse_qs(address.query)) == ["q", "evalweb_token"]
    rater = Rater.objects.get()
    assert not {token, rater.pseudonym} & set(parse_qs(address.query)["evalweb_token"])
    site = opened(somebody, token)
    assert tell(site, "query", {"words": "pool", "n": 3}).status_code == 201
    early = answer(somebody, token)
    assert early.status_code == 422
    assert "Task 1 is not finished. Open it again, or say that you have finished it." in early.content.decode()
    assert [tell(site, "done").status_code for _twice in range(2)] == [201, 200]
    assert "The other site says that you have finished this task." in page_of(somebody, token)
    assert answer(somebody, token).status_code == 302
    stored = Judgment.objects.get().elsewhere
    assert [(event["event"], event.get("detail")) for event in stored["events"]] == [
        ("query", {"words": "pool", "n": 3}), ("done", None),
    ]  # fmt: skip
    assert 0 <= stored["events"][0]["at"] <= stored["events"][1]["at"] <= stored["answered"] + 0.1
    assert Rating.objects.count() == 1
    invariants.check(by_word)
    # The answer may be changed, and the task is not asked for again; nothing is reported any more.
    again = somebody.get(f"/r/{token}/judge/{order}/").content.decode()
    assert "You have answered this task." in again
    assert "/elsewhere/" not in again
    assert tell(site).status_code == 410
    assert somebody.get(f"/r/{token}/elsewhere/{order}/")["Location"] == f"/r/{token}/"
    mine = somebody.get(f"/r/{token}/stored/mine.json").json()
    assert mine["answers"][0]["on_another_site"] == stored


def test_the_word_of_a_rater_is_enough_unless_the_study_wants_a_report(
    by_word: Study, by_site: Study, somebody: Client
) -> None:
    token = pages.join(by_word)
    opened(somebody, token)
    assert 'name="finished"' in page_of(somebody, token)
    assert answer(somebody, token, finished="on").status_code == 302
    assert Judgment.objects.get().elsewhere["events"] == []
    strict = pages.join(by_site)
    site = opened(somebody, strict)
    assert 'name="finished"' not in page_of(somebody, strict)
    refused = answer(somebody, strict, finished="on")
    assert refused.status_code == 422
    assert "Task 1 is not finished. Open it again." in refused.content.decode()
    assert tell(site, "done").status_code == 201
    assert answer(somebody, strict).status_code == 302


def test_a_task_that_does_not_work_can_be_skipped_and_done_after_all(by_site: Study, somebody: Client) -> None:
    token = pages.join(by_site)
    site = opened(somebody, token)
    order = _order(somebody, token)
    tell(site, "error")
    page = page_of(somebody, token)
    form = pages.hidden_fields(page[page.index(f'action="/r/{token}/skip/"') - 30 :])
    skipped = somebody.post(f"/r/{token}/skip/", {**form, "reason": "technical", "comment": ""})
    assert skipped.status_code == 302
    assert [event["event"] for event in Judgment.objects.get().elsewhere["events"]] == ["error"]
    path = f"/r/{token}/judge/{order}/"
    form = pages.hidden(somebody.get(path), "answer")
    assert somebody.post(path, {**form, "p1-fluency": "4"}).status_code == 422
    assert opened(somebody, token, order) == site
    assert tell(site, "done").status_code == 201
    assert somebody.post(path, {**form, "p1-fluency": "4"}).status_code == 302


def test_the_way_back_tells_where_to_go_on_and_not_how_to_get_there(by_word: Study, somebody: Client) -> None:
    token = pages.join(by_word)
    site = opened(somebody, token)
    back = Client().get(f"/elsewhere/{site}/")
    assert back.status_code == 200
    assert "Go back to the tab of the study" in back.content.decode()
    assert token not in back.content.decode()
    assert Rater.objects.get().pseudonym not in back.content.decode()


def test_the_consent_page_names_the_other_sites(by_word: Study, somebody: Client) -> None:
    consent = somebody.get(f"/join/{by_word.link_code}/").content.decode()
    # Names of sites become links there.
    said = re.sub(r"<[^>]+>", "", consent)
    assert "You do some tasks on another site: search.example.org, try.example.net:8443." in said
    token = pages.join(by_word)
    for page in ("help", "stored"):
        assert "search.example.org" in somebody.get(f"/r/{token}/{page}/").content.decode()
    other = build_study(None, slug="at-home")
    assert "Another site" not in somebody.get(f"/join/{other.link_code}/").content.decode()


def test_only_the_token_of_a_task_reports_and_only_its_rater_opens_it(by_word: Study, somebody: Client) -> None:
    token, other = pages.join(by_word), pages.join(by_word)
    order = _order(somebody, token)
    assert somebody.get(f"/r/{altered(token)}/elsewhere/{order}/").status_code == 404
    assert somebody.get(f"/r/{token}/elsewhere/999/").status_code == 404
    assert somebody.post(f"/r/{token}/elsewhere/{order}/").status_code == 405
    site, other_site = opened(somebody, token), opened(somebody, other)
    assert len({site, other_site, token, other}) == 4
    for wrong in (altered(site), token):
        assert tell(wrong, "done").status_code == 404
        assert Client().get(f"/elsewhere/{wrong}/").status_code == 404
        assert Client().options(f"/elsewhere/{wrong}/").status_code == 404
    tell(other_site, "done")
    assert answer(somebody, token).status_code == 422
    assert Client().put(f"/elsewhere/{site}/", {}).status_code == 405
    # A look ahead opens nothing.
    third = pages.join(by_word)
    somebody.head(f"/r/{third}/elsewhere/{_order(somebody, third)}/")
    assert Assignment.objects.exclude(elsewhere_opened_at=None).count() == 2


def test_a_task_without_another_site_has_no_link(somebody: Client) -> None:
    token = pages.join(build_study(None))
    page_of(somebody, token)
    assert somebody.get(f"/r/{token}/elsewhere/1/").status_code == 404


def test_nothing_is_reported_after_withdrawal_and_the_events_are_gone(by_word: Study, somebody: Client) -> None:
    token = pages.join(by_word)
    first = opened(somebody, token)
    tell(first, "done", "secret words")
    assert answer(somebody, token).status_code == 302
    second = opened(somebody, token)
    tell(second, "query", "more secret words")
    assert somebody.get(f"/r/{token}/stored/mine.json").json()["begun_on_another_site"][0][0]["event"] == "query"
    form = pages.hidden(somebody.get(f"/r/{token}/withdraw/"))
    assert somebody.post(f"/r/{token}/withdraw/", form).status_code == 200
    assert not Judgment.objects.exists()
    assert not Assignment.objects.exclude(elsewhere_events=None).exists()
    assert {tell(first).status_code, tell(second).status_code} == {410}
    assert not Assignment.objects.exclude(elsewhere_events=None).exists()


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (b'{"event": "query"}', "text/plain", 415),
        (b"event=query", "application/x-www-form-urlencoded", 415),
        (b'{"event": "query", "detail": "' + b"x" * 4096 + b'"}', "application/json", 413),
        (b"not json", "application/json", 400),
        (b"[" * 4000, "application/json", 400),
        (b'["query"]', "application/json", 400),
        (b"{}", "application/json", 400),
        (b'{"event": "Query!"}', "application/json", 400),
        (b'{"event": ["query"]}', "application/json", 400),
        (b'{"event": "' + b"q" * 41 + b'"}', "application/json", 400),
        (b'{"event": "query", "rater": "x"}', "application/json", 400),
        (b'{"event": "query", "detail": NaN}', "application/json", 400),
        (b'{"event": "query", "detail": 1e999}', "application/json", 400),
        (b'{"event": "query", "detail": "\\u0000"}', "application/json", 400),
        (b'{"event": "query", "detail": {"\\ud800": 1}}', "application/json", 400),
        (b'{"event": "query", "detail": "\xff"}', "application/json", 400),
        (b'{"event": "query", "detail": {"a": [1, null, true, "\xc3\xa9"]}}', "application/json", 201),
    ],
)  # fmt: skip
def test_what_a_site_sends_is_read_strictly(
    by_word: Study, somebody: Client, body: bytes, kind: str, status: int
) -> None:
    site = opened(somebody, pages.join(by_word))
    response = Client().post(f"/elsewhere/{site}/", body, content_type=kind)
    assert response.status_code == status
    assert json.loads(response.content)["stored"] is (status == 201)
    stored = Assignment.objects.exclude(elsewhere_opened_at=None).get().elsewhere_events
    assert len(stored) == (status == 201)


def test_events_are_limited_and_the_end_of_a_task_is_always_stored(
    by_word: Study, somebody: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(elsewhere, "MOST_A_MINUTE", 3)
    monkeypatch.setattr(elsewhere, "MOST_EVENTS", 4)
    site = opened(somebody, pages.join(by_word))
    assert [tell(site).status_code for _n in range(4)] == [201, 201, 201, 429]
    assert tell(site).headers["Retry-After"] == "60"
    task = Assignment.objects.exclude(elsewhere_opened_at=None)
    earlier = [{**event, "at": event["at"] - 100} for event in task.get().elsewhere_events]
    task.update(elsewhere_events=earlier)
    assert [tell(site).status_code for _n in range(2)] == [201, 409]
    assert tell(site, "done").status_code == 201
    assert [event["event"] for event in task.get().elsewhere_events] == ["query"] * 4 + ["done"]


@pytest.mark.parametrize(
    ("origin", "allowed"),
    [
        ("https://search.example.org", True),
        ("https://try.example.net:8443", True),
        ("http://search.example.org", False),
        ("https://evil.example", False),
        ("null", False),
    ],
)
def test_pages_of_the_named_sites_may_report(by_word: Study, somebody: Client, origin: str, allowed: bool) -> None:
    site = opened(somebody, pages.join(by_word))
    asked = Client().options(f"/elsewhere/{site}/", headers={"origin": origin})
    assert asked.status_code == 204
    assert (asked.headers["Access-Control-Allow-Methods"], asked.headers["Access-Control-Allow-Headers"]) == (
        "POST", "Content-Type",
    )  # fmt: skip
    for response in (asked, tell(site, headers={"origin": origin})):
        assert response.headers.get("Access-Control-Allow-Origin") == (origin if allowed else None)
        assert "Access-Control-Allow-Credentials" not in response.headers
        assert "Origin" in response.headers["Vary"]


@pytest.mark.parametrize(
    ("address", "complaint"),
    [
        ("https://search.example.org/a?q=b%20c#d", ""),
        ("https://SEARCH.example.org", ""),
        ("https://try.example.net:8443/x", ""),
        ("http://search.example.org/", "https://"),
        ("HTTPS://search.example.org/", "https://"),
        ("javascript:alert(1)", "https://"),
        ("//search.example.org/", "https://"),
        ("search.example.org", "https://"),
        ("https://evil.example/", "not among the allowed"),
        ("https://search.example.org.evil.example/", "not among the allowed"),
        ("https://search.example.org:444/", "not among the allowed"),
        ("https://try.example.net/", "not among the allowed"),
        ("https:///search.example.org", "not among the allowed"),
        ("https:search.example.org", "https://"),
        ("https://user:word@search.example.org/", "password"),
        ("https://search.example.org@evil.example/", "password"),
        ("https://evil.example\\@search.example.org/", "characters"),
        ("https://search.example.org/a b", "characters"),
        ("https://search.example.org/\n", "characters"),
        ("https://search.example.org/\r\nSet-Cookie: a=b", "characters"),
        ("https://search.example.org/é", "characters"),
        ("https://[search.example.org/", "not an address"),
        ("https://search.example.org/?evalweb_token=x", "evalweb_token"),
        ("https://search.example.org/" + "x" * 2000, "longer than 2000"),
        ("", "characters"),
    ],
)
def test_addresses_lead_to_named_sites_alone(address: str, complaint: str) -> None:
    item = ItemTexts.collapsed("one", [OutputText("alpha", "", address)])
    problems = list(kind_of("likert", HOSTS).item_problems(item))
    assert len(problems) == bool(complaint)
    assert all("the text by “alpha” " in problem and complaint in problem for problem in problems)
    assert list(kind_of("likert", {}).item_problems(item)) == []


@pytest.mark.parametrize(
    ("params", "parameters"),
    [
        (HOSTS, []),
        ({"elsewhere_hosts": "https://search.example.org"}, ["elsewhere_hosts"]),
        ({"elsewhere_hosts": "localhost"}, ["elsewhere_hosts"]),
        ({"elsewhere_hosts": "127.0.0.1"}, ["elsewhere_hosts"]),
        ({"elsewhere_hosts": "*.example.org, -a.example.org"}, ["elsewhere_hosts", "elsewhere_hosts"]),
        ({"elsewhere_hosts": " ".join(f"s{n}.example.org" for n in range(11))}, ["elsewhere_hosts"]),
        ({**HOSTS, "texts_per_page": 2}, ["elsewhere_hosts"]),
        ({**HOSTS, "layout": "together"}, ["elsewhere_hosts"]),
        ({**HOSTS, "page": "document"}, ["elsewhere_hosts"]),
        ({**HOSTS, "set_seconds": 20}, ["elsewhere_hosts"]),
        ({"elsewhere_finished": "site"}, ["elsewhere_finished"]),
    ],
)
def test_parameters_that_make_no_sense_are_refused(params: dict[str, object], parameters: list[str]) -> None:
    asked = Criterion("fluency", "Fluency", question="How fluent?")
    assert [getattr(problem, "parameter", "") for problem in kind_of("likert", params).problems([asked])] == parameters


def test_an_address_that_got_past_the_checks_leads_nowhere(somebody: Client) -> None:
    """Rows that were written behind the checks are no open redirect."""
    study = study_elsewhere(None, slug="evil", site="https://evil.example")
    token = pages.join(study)
    page_of(somebody, token)
    assert somebody.get(f"/r/{token}/elsewhere/1/").status_code == 404
    assert not Assignment.objects.exclude(elsewhere_opened_at=None).exists()


def test_the_preview_has_the_place_of_the_link_and_no_address(rosa: User, rosas_browser: Client) -> None:
    study = study_elsewhere(rosa, slug="draft", opened=False)
    page = rosas_browser.get(f"/admin/studies/{study.slug}/set-up/preview/").content.decode()
    assert "Here raters get the link to a task on another site." in page
    assert "search.example.org" not in page.partition("data-answer")[2]
