"""Studies and judgments by the API, its errors and its pages of entries."""

import uuid
from datetime import timedelta
from random import Random
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils.dateparse import parse_datetime
from pytest_django import DjangoAssertNumQueries

from tasks_app.models import Judgment, Membership, Rater, Study
from tasks_app.selectors.screens import RaterScreen
from tasks_app.services.judging import judgments
from tasks_app.services.study import lifecycle, projects
from tests import walk
from tests.builders import build_study
from tests.once import study_made_once
from tests.tasks_app.api.conftest import everything, script_of
from tests.walk import next_for

pytestmark = pytest.mark.django_db

STUDIES = "/api/v1/studies/"


study_once, study = study_made_once("study", build_study)


def work(study: Study, units: int = 3, **rest: Any) -> Rater:
    """Let a rater answer some units; the last one is skipped where `rest` gives a reason."""
    rater = walk.arrive(study)
    for number in range(units):
        given = next_for(rater=rater)
        last = number == units - 1
        answer = walk.answer(study, given, Random(1), **(rest if last else {}))
        judgments.submit(screen=RaterScreen(rater, given), submission=answer)
    return rater


# Studies --------------------------------------------------------------------------------------------------


def test_a_listing_says_what_one_may_see_and_do(rosa: User, study: Study) -> None:
    build_study(None, slug="of-nobody")
    draft = build_study(None, slug="a-draft", opened=False)
    Membership.objects.create(study=draft, user=rosa, role="viewer")
    script = script_of(rosa, study, everywhere=True)
    rows = script.get(STUDIES).json()["results"]
    assert [(row["slug"], row["state"], row["role"]) for row in rows] == [
        ("a-draft", "draft", "viewer"),
        (study.slug, "open", "owner"),
    ]
    assert script.get(rows[0]["url"]).json()["slug"] == "a-draft"
    assert [row["slug"] for row in everything(script, f"{STUDIES}?state=open")] == [study.slug]
    assert everything(script, f"{STUDIES}?state=closed") == []


def test_studies_of_a_project_are_found_by_its_slug(rosa: User, study: Study) -> None:
    build_study(rosa, slug="alone")
    projects.put_into_new(study=study, name="All pairs", by=rosa)
    script = script_of(rosa, study, everywhere=True)
    assert {row["slug"]: row["project"] for row in everything(script, STUDIES)} == {
        "alone": None, study.slug: "all-pairs",
    }  # fmt: skip
    assert [row["slug"] for row in everything(script, f"{STUDIES}?project=all-pairs")] == [study.slug]
    assert everything(script, f"{STUDIES}?project=another") == []
    assert script.get(f"{STUDIES}{study.slug}/").json()["project"] == "all-pairs"
    assert script.get(f"{STUDIES}?project=%00").status_code == 400


def test_a_study_says_what_it_is_made_of(rosas_script: Client, study: Study) -> None:
    work(study)
    found = rosas_script.get(f"{STUDIES}{study.slug}/").json()
    assert (found["title"], found["version"], found["role"]) == (study.title, 1, "owner")
    assert found["tasks"] == [
        {
            "key": "main", "title": "", "instructions": "", "type": "likert", "params": {}, "design": "independent",
            "k": 2, "set_size": 4, "criteria": ["fluency"],
        }
    ]  # fmt: skip
    assert [one["key"] for one in found["criteria"]] == ["fluency"]
    assert found["criteria"][0]["ends"] == {"low": "very bad", "high": "very good"}
    assert [one["key"] for one in found["systems"]] == ["alpha-mt", "beta-mt"]
    assert found["counts"] == {
        "items": 4, "outputs": 8, "units": 8, "places": 16, "answered": 3, "raters": 1, "judgments": 3,
    }  # fmt: skip


def test_listings_take_few_queries(rosa: User, study: Study, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    script = script_of(rosa, study, everywhere=True)
    work(study, 4)
    with django_assert_num_queries(3):
        script.get(STUDIES)
    for number in range(5):
        build_study(rosa, slug=f"more-{number}", opened=False)
    with django_assert_num_queries(3):
        assert len(script.get(STUDIES).json()["results"]) == 6
    lifecycle.move(study_id=study.pk, action="close", by=rosa)
    path = f"{STUDIES}{study.slug}/judgments/"
    with django_assert_num_queries(9):
        assert len(script.get(path).json()["results"]) == 4
    with django_assert_num_queries(9):
        assert len(script.get(f"{path}?page_size=1").json()["results"]) == 1
    with django_assert_num_queries(14):
        script.get(f"{STUDIES}{study.slug}/")


# Judgments ------------------------------------------------------------------------------------------------


def test_judgments_are_as_they_were_given(rosas_script: Client, study: Study) -> None:
    rater = work(study, 2, comment="Hard to say")
    rows = everything(rosas_script, f"{STUDIES}{study.slug}/judgments/")
    assert [row["judgment"] for row in rows] == sorted(row["judgment"] for row in rows)
    stored = Judgment.objects.get(pk=rows[1]["judgment"])
    given = stored.assignment
    assert rows[1] | {"submitted_at": None} == {
        "judgment": stored.pk,
        "task": "main",
        "unit": given.unit.key,
        "rater": rater.pseudonym,
        "purpose": "main",
        "state": "submitted",
        "wave": 1,
        "position": 2,
        "arrangement": given.arrangement,
        "answer": stored.answer,
        "skip_reason": None,
        "comment": "Hard to say",
        "seconds_active": 4.5,
        "seconds_elapsed": None,
        "timing": None,
        "elsewhere": None,
        "version": 1,
        "submitted_at": None,
    }
    assert parse_datetime(rows[1]["submitted_at"]) == stored.submitted_at


def test_only_current_answers_of_real_raters_are_listed(rosas_script: Client, study: Study) -> None:
    rater = work(study, 1)
    first = Judgment.objects.get()
    again = walk.answer(study, first.assignment, Random(7), replaces=first.pk, uuid=uuid.uuid4())
    judgments.submit(screen=RaterScreen(rater, first.assignment), submission=again)
    rows = everything(rosas_script, f"{STUDIES}{study.slug}/judgments/")
    assert [row["judgment"] for row in rows] == [Judgment.objects.get(replaces=first).pk]


def test_filters_of_judgments(rosas_script: Client, study: Study) -> None:
    one, two = work(study, 2), work(study, 3)
    path = f"{STUDIES}{study.slug}/judgments/"
    assert {row["rater"] for row in everything(rosas_script, f"{path}?rater={one.pseudonym}")} == {one.pseudonym}
    both = everything(rosas_script, f"{path}?rater={one.pseudonym}&rater={two.pseudonym}&task=main")
    assert len(both) == 5
    at = Judgment.objects.order_by("id")[3].submitted_at
    assert len(everything(rosas_script, f"{path}?since={at:%Y-%m-%dT%H:%M:%S.%fZ}")) >= 2
    later = at + timedelta(days=1)
    assert everything(rosas_script, f"{path}?since={later:%Y-%m-%dT%H:%M:%SZ}") == []


@pytest.mark.parametrize("size", [1, 2, 3, 5, 100])
def test_pages_miss_nothing_and_repeat_nothing(rosas_script: Client, study: Study, size: int) -> None:
    work(study, 2)
    work(study, 3)
    rows = everything(rosas_script, f"{STUDIES}{study.slug}/judgments/?page_size={size}")
    assert [row["judgment"] for row in rows] == list(Judgment.objects.order_by("id").values_list("pk", flat=True))


def test_pages_of_studies(rosa: User, study: Study) -> None:
    for number in range(4):
        build_study(rosa, slug=f"more-{number}", opened=False)
    script = script_of(rosa, study, everywhere=True)
    slugs = [row["slug"] for row in everything(script, f"{STUDIES}?page_size=2")]
    assert slugs == ["more-3", "more-2", "more-1", "more-0", study.slug]


def test_while_a_study_is_open_only_owners_see_judgments_and_it_is_logged(rosa: User, study: Study) -> None:
    work(study, 1)
    editor = User.objects.create_user("editor", is_staff=True)
    Membership.objects.create(study=study, user=editor, role="editor")
    path = f"{STUDIES}{study.slug}/judgments/"
    refused = script_of(editor, study).get(path)
    assert (refused.status_code, refused.json()["error"]) == (403, "under_way")
    assert "Ask an owner" in refused.json()["detail"]
    script = script_of(rosa, study)
    for _page in range(3):
        assert script.get(path).status_code == 200
    logged = study.events.filter(verb="exported")
    assert [(one.actor, one.object) for one in logged] == [(rosa, "judgments")]
    lifecycle.move(study_id=study.pk, action="close", by=rosa)
    assert script_of(editor, study).get(path).status_code == 200
    assert logged.count() == 1


# Refusals ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("rator=x", "no parameter “rator”"),
        ("page_size=0", "page_size"),
        ("page_size=1001", "page_size"),
        ("page_size=many", "page_size"),
        ("cursor=x", "not a valid cursor"),
        ("cursor=-1", "not a valid cursor"),
        ("cursor=99999999999999999999", "not a valid cursor"),
        ("cursor=" + "9" * 5000, "not a valid cursor"),
        ("cursor=", "“cursor” is empty"),
        ("cursor=1&cursor=2", "“cursor” is given more than once"),
        ("since=yesterday", "since"),
        ("task=mian", "no task “mian”"),
        ("rater=nobody", "no rater “nobody”"),
        ("format=csv", "no parameter “format”"),
    ],
)
def test_what_cannot_be_understood_is_named(rosas_script: Client, study: Study, query: str, said: str) -> None:
    path = f"{STUDIES}{study.slug}/judgments/"
    answer = rosas_script.get(f"{path}?{query}")
    assert (answer.status_code, answer.json()["error"]) == (400, "bad_request")
    assert said in answer.json()["detail"]
    assert rosas_script.get(path).status_code == 200


@pytest.mark.parametrize("path", ["nope/", "studies/nope/", "studies/hidden-slug/nope", "studies/hidden-slug/runs/9/"])
def test_nothing_is_refused_as_json(rosas_script: Client, study: Study, path: str) -> None:
    answer = rosas_script.get(f"/api/v1/{path}")
    assert (answer.status_code, answer.json()["error"]) == (404, "not_found")
    assert set(answer.json()) == {"error", "detail"}


def test_whoever_forgets_the_slash_is_sent_on(rosas_script: Client, study: Study) -> None:
    answer = rosas_script.get("/api/v1/studies?page_size=1")
    assert (answer.status_code, answer["Location"]) == (302, "/api/v1/studies/?page_size=1")
    posted = rosas_script.post(f"{STUDIES}{study.slug}/runs")
    assert (posted.status_code, posted.json()["error"]) == (404, "not_found")
    assert "slash at its end" in posted.json()["detail"]


def test_other_methods_are_refused(rosas_script: Client, study: Study) -> None:
    for method in ("post", "put", "patch", "delete", "options"):
        answer = getattr(rosas_script, method)(f"{STUDIES}{study.slug}/")
        assert (answer.status_code, answer.json()["error"]) == (405, "method_not_allowed")
    assert rosas_script.put(f"{STUDIES}{study.slug}/runs/").status_code == 405
    assert rosas_script.options("/api/v1/schema/").status_code == 405
    assert rosas_script.options("/api/v1/nowhere/").status_code == 404


@pytest.mark.parametrize("address", [STUDIES, f"{STUDIES}{{slug}}/", f"{STUDIES}{{slug}}/runs/?a=1"])
def test_a_method_that_there_is_not_is_refused_before_anything_else(
    rosas_script: Client, study: Study, address: str
) -> None:
    for method in ("TRACE", "PUT", "DELETE"):
        for script in (rosas_script, Client()):
            answer = script.generic(method, address.format(slug=study.slug), headers={"accept": "application/json"})
            assert (answer.status_code, answer.json()["error"]) == (405, "method_not_allowed")
            assert "GET" in answer["Allow"]


@pytest.mark.parametrize("kind", ["application/x-www-form-urlencoded", "text/plain", "multipart/form-data; boundary=b"])
def test_a_body_of_another_type_is_refused(rosas_script: Client, study: Study, kind: str) -> None:
    address = f"{STUDIES}{study.slug}/runs/"
    refused = rosas_script.post(address, '{"nonsense": 1}', content_type=kind)
    assert (refused.status_code, refused.json()["error"]) == (415, "unsupported_media_type")
    for json_type in ("application/json", "application/json; charset=utf-8"):
        read = rosas_script.post(address, '{"nonsense": 1}', content_type=json_type)
        assert read.status_code in {400, 422}, "read, and found to be nonsense"


def test_what_a_client_accepts_changes_nothing(rosas_script: Client, study: Study) -> None:
    for accepted in ("text/csv", "text/html", "application/xml"):
        answer = rosas_script.get(f"{STUDIES}{study.slug}/", headers={"accept": accepted})
        assert (answer.status_code, answer["Content-Type"]) == (200, "application/json")
