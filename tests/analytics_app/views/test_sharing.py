"""Results for people without an account: what a link shows, for how long, and what the log has of it."""

import re
from dataclasses import replace
from datetime import timedelta
from urllib.parse import urlsplit

import pytest
from django.contrib.auth.models import User
from django.db.models import F
from django.db.models.functions import Now
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from analytics_app.models import ResultsLink, Run, RunTrigger
from analytics_app.results import Row
from analytics_app.runs.upkeep import clear_superseded
from analytics_app.views.one_page import drawn_page
from tasks_app.links.credentials import hash_token
from tasks_app.models import Event, Study
from tests.analytics_app.builders import SETTINGS, SLIDER, add_plots, build_run, funnel, slider_rows
from tests.analytics_app.views.reading import page, results, text

pytestmark = pytest.mark.django_db

GIVEN = {"name": "Kim", "days": "7"}


@pytest.fixture
def run(closed: Study) -> Run:
    """A run of Rosa's closed study, with a plot."""
    run = build_run(closed, [*funnel(), *slider_rows()])
    add_plots(run, "content")
    return run


def shared(browser: Client, study: Study, **given: str) -> str:
    """Make a link; return its address, which the page shows once."""
    answer = browser.post(results(study, "1/share/"), GIVEN | given)
    assert answer.status_code == 200
    address = re.search(r"<code data-copy-source>([^<]+)</code>", answer.content.decode())
    assert address
    return urlsplit(address[1]).path


def used(study: Study) -> int:
    return Event.objects.filter(study=study, verb="viewed by link").count()


def test_a_link_shows_the_results_without_an_account(
    rosas_browser: Client, closed: Study, run: Run, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    address = shared(rosas_browser, closed)
    with django_assert_max_num_queries(15):
        answer = Client().get(address)
    shown = answer.content.decode()
    said = text(shown)
    for expected in (closed.title, "Results of run 1 (view only).", *SLIDER, "What was excluded", "Exploratory"):
        assert expected in said, expected
    assert "<svg" in shown
    assert answer["Cache-Control"] == "no-store"
    assert answer["Referrer-Policy"] == "no-referrer"


def test_a_link_leads_nowhere_else(rosas_browser: Client, closed: Study, run: Run) -> None:
    address = shared(rosas_browser, closed)
    shown = Client().get(address).content.decode()
    assert "<form" not in shown.replace('<form class="languages"', "").replace('<form method="dialog"', "")
    links = {link.partition("?")[0].partition("#")[0] for link in re.findall(r'(?:href|action)="([^"]+)"', shown)}
    inside = {link for link in links if link.startswith(("/admin", "/api", "/results"))}
    assert inside == {f"{address}summary.pdf"}
    assert Client().get(f"{address}summary.pdf").content.startswith(b"%PDF")
    for method in ("post", "put", "delete"):
        assert getattr(Client(), method)(address).status_code == 405


def test_while_results_by_system_are_hidden_a_link_hides_them(rosas_browser: Client, study: Study) -> None:
    run = build_run(study, [*funnel(), *slider_rows()])
    Run.objects.filter(pk=run.pk).update(settings={**SETTINGS, "comparisons": [["HIGH", "LUO"]]})
    assert "they are hidden for people with a link, too" in page(rosas_browser, results(study, "1/share/"))
    said = text(Client().get(shared(rosas_browser, study)).content.decode())
    assert said.count("Results by system are hidden until the study is closed.") == 1
    assert not any(system in said for system in SLIDER)


def test_a_link_ends_and_expires(rosas_browser: Client, closed: Study, run: Run) -> None:
    first, second = shared(rosas_browser, closed), shared(rosas_browser, closed, name="Lee", days="30")
    ended, expired = ResultsLink.objects.order_by("pk")
    assert expired.expires - expired.created_at > timedelta(days=29)
    for _again in range(2):
        rosas_browser.post(reverse("analytics:end_link", args=[closed.slug, ended.pk]))
    ResultsLink.objects.filter(pk=expired.pk).update(expires=Now())
    for address in (first, second):
        assert Client().get(address).status_code == Client().get(f"{address}summary.pdf").status_code == 404
    said = text(page(rosas_browser, results(closed, "1/share/")))
    assert re.search(r"Lee 1 .* never expired Kim 1 .* never revoked", said)
    assert closed.events.filter(verb="ended a link to results").count() == 1


def test_only_a_hash_of_the_address_is_stored(rosas_browser: Client, closed: Study, run: Run) -> None:
    token = shared(rosas_browser, closed).split("/")[2]
    link = ResultsLink.objects.get()
    assert link.token_hash == hash_token(token)
    assert token not in page(rosas_browser, results(closed, "1/share/"))
    assert not Event.objects.filter(after__contains=token).exists()
    assert Client().get("/results/another/").status_code == 404


def test_use_is_logged_once_an_hour(rosas_browser: Client, closed: Study, rosa: User, run: Run) -> None:
    address = shared(rosas_browser, closed)
    made = closed.events.get(verb="shared results")
    assert (made.actor, made.after) == (rosa, {"run": 1, "for": "Kim", "days": 7})
    for _again in range(3):
        Client().get(address)
    assert used(closed) == 1
    Event.objects.filter(verb="viewed by link").update(at=F("at") - timedelta(hours=2))
    Client().get(f"{address}summary.pdf")
    assert used(closed) == 2
    assert re.search(r"Kim 1 \d.*, rosa \d.* \d\d:\d\d Revoke", text(page(rosas_browser, results(closed, "1/share/"))))


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"name": " "}, "Enter who the link is for."),
        ({"name": "x" * 101}, "at most 100 characters"),
        ({"days": "365"}, "Select a valid choice"),
        ({"name": "a\x00b"}, "Null characters are not allowed"),
    ],
    ids=["no name", "a long name", "a year", "a null character"],
)
def test_what_cannot_be_used_is_said_and_makes_no_link(
    rosas_browser: Client, closed: Study, run: Run, given: dict[str, str], problem: str
) -> None:
    answer = rosas_browser.post(results(closed, "1/share/"), GIVEN | given)
    assert answer.status_code == 422
    assert problem in text(answer.content.decode())
    assert not ResultsLink.objects.exists()


def test_a_run_that_is_shared_is_not_cleared_away(rosas_browser: Client, closed: Study) -> None:
    for _number in range(3):
        build_run(closed, slider_rows())
    Run.objects.update(trigger=RunTrigger.SCHEDULE, planned=False)
    address = shared(rosas_browser, closed)
    clear_superseded()
    assert list(Run.objects.order_by("number").values_list("number", flat=True)) == [1, 3]
    assert Client().get(address).status_code == 200
    rosas_browser.post(reverse("analytics:end_link", args=[closed.slug, ResultsLink.objects.get().pk]))
    clear_superseded()
    assert [run.number for run in Run.objects.all()] == [3]
    assert closed.events.get(verb="shared results").after == {"run": 1, "for": "Kim", "days": 7}
    assert used(closed) == 1


def test_a_run_with_one_link_that_works_keeps_all_of_them(rosas_browser: Client, closed: Study) -> None:
    for _number in range(3):
        build_run(closed, slider_rows())
    Run.objects.update(trigger=RunTrigger.SCHEDULE, planned=False)
    shared(rosas_browser, closed)
    ResultsLink.objects.update(expires=Now())
    address = shared(rosas_browser, closed, name="Lee")
    clear_superseded()
    assert Client().get(address).status_code == 200
    assert ResultsLink.objects.count() == 2
    ResultsLink.objects.update(expires=Now())
    clear_superseded()
    assert not ResultsLink.objects.exists()


def test_a_link_names_no_rater_and_no_account(rosas_browser: Client, study: Study) -> None:
    """Imported raters keep the name that a file gave them, and reasons are written for the team."""
    rows = [replace(row, rater="Ann Bell") if row.statistic == "rater_mean" else row for row in slider_rows()]
    rows.append(Row(analysis="raters", statistic="rater_mean", task="main", criterion="content", basis="kept",
                    rater="Ann Bell", value=3.0, note="All ratings of Ann Bell are the same."))  # fmt: skip
    rows.append(Row(analysis="correlation", statistic="pearson_pair", task="main", criterion="content", basis="kept",
                    label="Ann Bell and Bo", value=0.5))  # fmt: skip
    run = build_run(study, [*funnel(), *rows])
    Run.objects.filter(pk=run.pk).update(by=User.objects.get(username="rosa"))
    given = {"name": "Rater", "usermeta": {"columns": [["name", "Rater"]], "subtitle": "", "further": False}}
    spec = {**given, "data": {"values": [{"name": "Ann Bell"}]}}
    run.plots.create(key="main/content/trust", order=1, task="main", criterion="content", title="Ann Bell is trusted",
                     spec=spec, svg="<svg><text>Ann Bell</text></svg>", digest="x")  # fmt: skip
    rosas_browser.post(f"/admin/studies/{study.slug}/results/lift/", {"reason": "A talk for Xylo.", "sure": "yes"})
    inside = page(rosas_browser, results(study))
    assert "Ann Bell" in inside
    assert "by rosa, before the study was closed. Reason: A talk for Xylo." in text(inside)
    said = text(Client().get(shared(rosas_browser, study)).content.decode())
    assert "HIGH" in said
    assert "by an owner of the study, before the study was closed." in said
    for kept in ("Ann Bell", "rosa", "Xylo"):
        assert kept not in said
    drawn = drawn_page(study, Run.objects.get(), systems=True, named=False)
    assert "an owner of the study" in drawn
    assert "Xylo" not in drawn
