"""Answers to checks: what is known, how raters answered it, and nothing that names a system."""

import csv
import io
import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from tasks_app import studyfile
from tasks_app.models import Event, Membership, Rater, Study
from tasks_app.selectors import check_results
from tasks_app.selectors.check_results import checks_of_study, in_words
from tests.cast import browser_of
from tests.tasks_app.checks_kit import checked_study, walk
from tests.walk import arrive

pytestmark = pytest.mark.django_db


def test_the_page_tells_how_many_were_right_by_unit_and_by_rater(rosa: User, rosas_browser: Client) -> None:
    study = checked_study(rosa, checks={"repeats": 1})
    for wrong in ((), ("control",), ("control", "attention"), ("exam",)):
        walk(study, arrive(study), wrong)
    (about,) = checks_of_study(study)
    assert about.counts == {"training": 2, "exam": 2, "control": 4, "attention": 2}
    assert [(one.number, one.finished, one.passed) for one in about.exam] == [(1, 4, 3), (2, 1, 0)]
    assert sorted((one.controls.right, one.controls.answered, one.attention.right) for one in about.raters) == [
        (0, 2, 0),
        (0, 2, 1),
        (2, 2, 1),
    ]
    controls = [one for one in about.known if one.purpose == "control"]
    assert sum(one.score.answered for one in controls) == 6
    assert (about.repeats.right, about.repeats.answered) == (3, 3)
    page = rosas_browser.get(reverse("researcher:checks", args=[study.slug])).content.decode()
    assert "An exam of 2 units" in page
    assert "75" in page
    for rater in study.raters.exclude(outcome="failed"):
        assert rater.pseudonym in page


def test_many_repeats_are_compared_after_the_page(
    rosa: User, rosas_browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = checked_study(rosa, checks={"repeats": 1})
    walk(study, arrive(study))
    address = reverse("researcher:checks", args=[study.slug])
    compared = "of them were exactly the same both times"
    assert compared in rosas_browser.get(address).content.decode()
    monkeypatch.setattr(check_results, "MANY_REPEATS", 0)
    page = rosas_browser.get(address).content.decode()
    assert compared not in page
    assert f'hx-get="{address}?repeats=main"' in page
    part = rosas_browser.get(f"{address}?repeats=main", headers={"HX-Request": "true"}).content.decode()
    assert (compared in part, "<html" in part) == (True, False)
    assert compared in rosas_browser.get(f"{address}?repeats=main").content.decode(), "without scripts it is a page"
    assert rosas_browser.get(f"{address}?repeats=%00", headers={"HX-Request": "true"}).status_code == 404
    viewer = User.objects.create_user("viewer", password="one of their own", is_staff=True)
    Membership.objects.create(study=study, user=viewer, role=Membership.Role.VIEWER)
    assert browser_of(viewer).get(f"{address}?repeats=main", headers={"HX-Request": "true"}).status_code == 404


def test_a_unit_that_most_raters_miss_is_said_to_be_doubtful(rosa: User, rosas_browser: Client) -> None:
    study = checked_study(rosa, mistaken="i6")
    for _rater in range(10):
        walk(study, arrive(study))
    (about,) = checks_of_study(study)
    assert {one.name for one in about.doubtful} == {"i6 (1)", "i6 (2)"}
    page = rosas_browser.get(reverse("researcher:checks", args=[study.slug])).content.decode()
    assert "the known answer may be wrong" in page


def test_the_known_answer_stands_beside_how_many_were_right(rosa: User) -> None:
    study = checked_study(rosa)
    walk(study, arrive(study), ("control",))
    address = reverse("researcher:checks", args=[study.slug])
    for role, status in ((Membership.Role.EDITOR, 200), (Membership.Role.VIEWER, 404)):
        member = User.objects.create_user(role, password="one of their own", is_staff=True)
        Membership.objects.create(study=study, user=member, role=role)
        answer = browser_of(member).get(address)
        assert answer.status_code == status, role
        assert (">Known answer</th>" in answer.content.decode()) == (status == 200)
    page = browser_of(rosa).get(address).content.decode()
    assert re.search(r"<bdi>i4 \(1\)</bdi></th><td>[^<]*</td><td>3</td>", page)


@pytest.mark.parametrize(
    ("kind", "answer", "words"),
    [("exact", 3, "3"), ("range", [1, 2.5], "1 to 2.5"), ("set", [4, 5], "4 or 5"), ("set", ["alpha-mt"], ""),
     ("span", [{"start": 0}], ""), ("exact", True, ""), ("order", ["alpha-mt", "beta-mt"], "")],
)  # fmt: skip
def test_a_known_answer_is_shown_in_words_if_it_is_a_number(kind: str, answer: object, words: str) -> None:
    assert in_words(kind, answer) == words


def test_no_system_is_on_the_page_and_no_answer_in_the_files(rosa: User, rosas_browser: Client) -> None:
    study = checked_study(rosa)
    walk(study, arrive(study), ("control",))
    for name, args in (("checks", []), ("checks_csv", ["units"]), ("checks_csv", ["raters"])):
        answer = rosas_browser.get(reverse(f"researcher:{name}", args=[study.slug, *args]))
        text = b"".join(answer.streaming_content if answer.streaming else [answer.content]).decode()
        assert answer.status_code == 200
        assert not re.search(r"alpha|beta|Three it is", text)
    assert rosas_browser.get(reverse("researcher:checks_csv", args=[study.slug, "systems"])).status_code == 404
    assert Event.objects.filter(study=study, verb="exported", object="checks by raters").count() == 1


def test_the_files_have_every_number_of_the_page(rosa: User, rosas_browser: Client) -> None:
    study = checked_study(rosa)
    walk(study, arrive(study), ("control",))
    answer = rosas_browser.get(reverse("researcher:checks_csv", args=[study.slug, "raters"]))
    (row,) = csv.DictReader(io.StringIO(answer.content.decode()))
    assert (row["task"], row["checks"], row["right"], row["share"]) == ("main", "2", "0", "0.0000")
    assert (row["loud_checks"], row["loud_right"], row["marked"]) == ("1", "1", "yes")
    answer = rosas_browser.get(reverse("researcher:checks_csv", args=[study.slug, "units"]))
    rows = list(csv.DictReader(io.StringIO(answer.content.decode())))
    assert [row["unit"] for row in rows][:2] == ["i4 (1)", "i4 (2)"]
    assert sum(int(row["answered"]) for row in rows) == 2 + 2 + 2 + 1


def test_without_checks_the_page_says_how_to_have_some(study: Study, rosas_browser: Client, rosa: User) -> None:
    page = rosas_browser.get(reverse("researcher:checks", args=[study.slug])).content.decode()
    assert "This task has no checks." in page
    assert "Checks are set before a study is opened." in page
    draft = studyfile.load("examples/likert", owner=rosa)
    page = rosas_browser.get(reverse("researcher:checks", args=[draft.slug])).content.decode()
    assert f'href="{reverse("researcher:step", args=[draft.slug, "checks"])}"' in page


def test_raters_who_try_the_study_out_are_not_counted(rosa: User) -> None:
    study = checked_study(rosa)
    walk(study, arrive(study, kind=Rater.Kind.SANDBOX), ("control",))
    (about,) = checks_of_study(study)
    assert (about.raters, about.exam) == ([], [])
    assert all(one.score.answered == 0 for one in about.known)


@pytest.mark.exhaustive
def test_the_page_takes_as_many_queries_for_many_raters_as_for_one(
    rosa: User, rosas_browser: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    study = checked_study(rosa)
    for _rater in range(6):
        walk(study, arrive(study))
    with django_assert_max_num_queries(16):
        rosas_browser.get(reverse("researcher:checks", args=[study.slug]))
