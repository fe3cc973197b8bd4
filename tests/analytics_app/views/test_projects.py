"""Results and data of a project: one file of ratings for all studies, and results side by side, by the same rules."""

import csv
import io
import json

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from analytics_app.exports.ratings import COLUMNS
from analytics_app.models import ResultLift
from tasks_app.models import Event, Item, Membership, Project, Study
from tasks_app.services.study import lifecycle, projects
from tests.analytics_app.builders import LIKERT, build_run, likert_rows
from tests.analytics_app.filling import Filler
from tests.builders import build_study

pytestmark = pytest.mark.django_db

PAGE = "/admin/projects/pairs/"


@pytest.fixture
def project(rosa: User) -> Project:
    """Three studies of rosa's in which ada has judged: two open ones, the last one closed, each with a run."""
    studies = [build_study(rosa, slug=f"study-{number}", systems=tuple(LIKERT), opened=False) for number in range(3)]
    project = projects.put_into_new(study=studies[0], name="Pairs", by=rosa)
    for number, study in enumerate(studies):
        projects.put(study=study, project=project, by=rosa)
        Item.objects.filter(study=study, key="i0").update(features={f"from_{number}": "yes", "domain": "=news"})
        opened = lifecycle.move(study_id=study.pk, action="open", by=rosa)
        Filler(opened).judge("ada", "i0", "north", {"fluency": number + 1})
        build_run(opened, likert_rows())
    lifecycle.move(study_id=studies[2].pk, action="close", by=rosa)
    return project


def body(browser: Client, path: str, status: int = 200) -> str:
    answer = browser.get(f"{PAGE}{path}")
    assert answer.status_code == status
    return b"".join(answer).decode() if status == 200 else ""


def systems_of(browser: Client) -> str:
    """Return the part of the page of results that is about systems."""
    return body(browser, "results/").partition('id="agreement"')[0]


def as_user(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def test_one_file_holds_the_ratings_of_all_studies(project: Project, rosas_browser: Client, rosa: User) -> None:
    rows = list(csv.DictReader(io.StringIO(body(rosas_browser, "ratings.csv"))))
    features = [f"feature_{name}" for name in ("domain", "from_0", "from_1", "from_2")]
    assert list(rows[0]) == ["study", *COLUMNS, *features]
    assert [(row["study"], row["value"]) for row in rows] == [("study-0", "1"), ("study-1", "2"), ("study-2", "3")]
    assert [(row["feature_domain"], row["feature_from_1"]) for row in rows] == [
        ("'=news", ""), ("'=news", "yes"), ("'=news", ""),
    ]  # fmt: skip
    for study in project.studies.all():
        event = study.events.first()
        assert (event.verb, event.object, event.actor) == ("exported", "ratings as csv", rosa)
        assert event.after["project"] == "pairs"


def test_the_lines_of_json_hold_the_same(project: Project, rosas_browser: Client) -> None:
    rows = [json.loads(line) for line in body(rosas_browser, "ratings.jsonl").splitlines()]
    assert [(row["study"], row["value"]) for row in rows] == [("study-0", 1), ("study-1", 2), ("study-2", 3)]
    assert next(iter(rows[0])) == "study"
    assert (rows[0]["feature_domain"], rows[0]["feature_from_0"], rows[0]["feature_from_1"]) == ("=news", "yes", None)


def test_a_slug_that_begins_like_a_formula_is_made_safe(project: Project, rosas_browser: Client) -> None:
    Study.objects.filter(slug="study-1").update(slug="-study")
    first = [line.partition(",")[0] for line in body(rosas_browser, "ratings.csv").splitlines()]
    assert sorted(first) == sorted(["study", "'-study", "study-0", "study-2"])


def test_of_open_studies_only_owners_take_ratings_out(project: Project, mallory: User) -> None:
    browser = as_user(mallory)
    for study in project.studies.all():
        Membership.objects.create(study=study, user=mallory, role="editor")
    rows = list(csv.DictReader(io.StringIO(body(browser, "ratings.csv"))))
    assert [row["study"] for row in rows] == ["study-2"]
    page = body(browser, "data/")
    assert "exported only by their owners. Not included:" in page
    assert page.count("/data/") >= 2
    Membership.objects.filter(user=mallory).exclude(study__slug="study-0").delete()
    assert "ratings.csv" not in body(browser, "data/")
    body(browser, "ratings.csv", status=404)
    body(browser, "ratings.xml", status=404)


def test_results_stand_side_by_side_as_far_as_they_may_be_shown(
    project: Project, rosas_browser: Client, rosa: User
) -> None:
    page = systems_of(rosas_browser)
    assert page.count("/results/1/") == 1, "results of open studies are hidden"
    assert "Results by system are hidden until the study is closed, or until an owner shows them:" in page
    for mean in LIKERT.values():
        assert f"{mean:.2f}" in page
    ResultLift.objects.create(study=Study.objects.get(slug="study-0"), by=rosa, reason="Needed for the pilot.")
    assert systems_of(rosas_browser).count("/results/1/") == 2


def test_a_look_of_a_superuser_at_the_results_of_others_is_logged(project: Project, rosas_browser: Client) -> None:
    body(rosas_browser, "results/")
    assert not Event.objects.filter(verb="viewed").exists()
    body(as_user(User.objects.create_superuser("root")), "results/")
    viewed = Event.objects.filter(verb="viewed", object="results", actor__username="root")
    assert {event.study.slug for event in viewed} == {"study-0", "study-1", "study-2"}, "each shows its agreement"


@pytest.mark.exhaustive
def test_the_tabs_take_as_many_queries_for_many_studies(
    project: Project, rosas_browser: Client, rosa: User, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(5):
        study = build_study(rosa, slug=f"more-{number}", systems=tuple(LIKERT))
        projects.put(study=study, project=project, by=rosa)
        lifecycle.move(study_id=study.pk, action="close", by=rosa)
        build_run(study, likert_rows())
    for path in ("results/", "data/", ""):
        with django_assert_max_num_queries(15):
            body(rosas_browser, path)
