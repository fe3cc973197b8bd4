"""All texts of a rater's set: listed, searched, opened, and their own answers taken away."""

import csv
import io
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from tasks_app.management.simulated_raters import hidden_fields
from tasks_app.models import Assignment, Judgment, Rater, Study
from tests.house.examples import load, opened
from tests.house.test_forged import Rated

pytestmark = pytest.mark.django_db


@pytest.fixture
def labelled(tmp_path: Path) -> Study:
    """An open study of error labels."""
    return opened(load("error_labels", tmp_path, "labelled", k=20))


@pytest.fixture
def ada(labelled: Study) -> Rated:
    """A rater at her first unit."""
    return Rated(labelled)


def texts_of(ada: Rated) -> list[str]:
    """The texts of a rater's set in the order of their screens."""
    given = Assignment.objects.filter(rater=ada.assignment.rater).order_by("order")
    return list(given.values_list("unit__parts__part_outputs__output__text", flat=True))


def test_every_text_is_listed_with_its_state(ada: Rated) -> None:
    ada.send(ada.answers[0])
    page = ada.client.get(reverse("rater:overview", args=[ada.token])).content.decode()
    n = len(texts_of(ada))
    assert page.count('class="set-row"') == n
    assert page.count("to do") - 1 == n - 1
    assert "answered (1)" in page
    for key in ada.study.systems.values_list("key", flat=True):
        assert f'"{key}"' not in page
    assert ada.assignment.unit.key not in page


def test_search_and_state_narrow_the_list(ada: Rated) -> None:
    address = reverse("rater:overview", args=[ada.token])
    words = texts_of(ada)[3][:25].upper()
    found = ada.client.get(address, {"q": words}).content.decode()
    assert 1 <= found.count('class="set-row"') < len(texts_of(ada))
    assert "No text fits" in ada.client.get(address, {"q": "zzz nowhere zzz"}).content.decode()
    assert "No text fits" in ada.client.get(address, {"state": "skipped"}).content.decode()
    assert ada.client.get(address, {"q": "\0<script>", "state": "<b>"}).status_code == 200


def test_a_pending_text_is_opened_answered_and_the_rest_follows_in_order(ada: Rated) -> None:
    chosen = Assignment.objects.filter(rater=ada.assignment.rater).order_by("order")[4]
    url = reverse("rater:unit", args=[ada.token, chosen.order])
    shown = ada.client.get(url)
    assert shown.status_code == 200
    chosen.refresh_from_db()
    assert chosen.state == "live"
    hidden = hidden_fields(shown.content.decode(), "answer")
    assert ada.client.post(url, {**hidden, **ada.answers[0]}).status_code == 302
    assert Judgment.objects.get().assignment_id == chosen.pk
    following = ada.client.get(ada.url).content.decode()
    assert hidden_fields(following, "answer")["form_token"]
    assert Assignment.objects.get(rater=ada.assignment.rater, order=1).state == "live"


def test_nobody_opens_what_is_anothers_or_given_back(ada: Rated, labelled: Study) -> None:
    mallory = Rated(labelled)
    others = reverse("rater:unit", args=[mallory.token, 999])
    assert mallory.client.get(others).status_code == 404
    Assignment.objects.filter(rater=ada.assignment.rater, order=3).update(state="expired")
    lost = ada.client.get(reverse("rater:unit", args=[ada.token, 3]))
    assert lost.status_code == 302
    assert Assignment.objects.get(rater=ada.assignment.rater, order=3).state == "expired"


def test_the_summary_holds_the_raters_own_answers_in_words(ada: Rated) -> None:
    ada.send({**ada.answers[0], "comment": "=1+1"})
    answer = ada.client.get(reverse("rater:summary", args=[ada.token]))
    assert answer.headers["Content-Type"].startswith("text/csv")
    rows = list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"), newline="")))
    assert rows
    assert {row["text number"] for row in rows} == {"1"}
    assert {row["comment"] for row in rows} == {"'=1+1"}
    assert all(row["question"] for row in rows)
    assert any(row["answer"] != "no answer" for row in rows)


def test_who_has_ended_may_still_look_but_open_nothing(ada: Rated) -> None:
    Rater.objects.filter(pk=ada.assignment.rater_id).update(state="ended", outcome="withdrawn")
    page = ada.client.get(reverse("rater:overview", args=[ada.token])).content.decode()
    assert "Judge text" not in page
    assert ada.client.get(reverse("rater:unit", args=[ada.token, 2])).status_code == 302


def test_the_list_takes_few_queries_however_long_it_is(
    ada: Rated, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_max_num_queries(12):
        ada.client.get(reverse("rater:overview", args=[ada.token]))


def test_a_type_without_a_list_opens_nothing_ahead(tmp_path: Path, somebody: Client) -> None:
    rated = Rated(opened(load("likert", tmp_path, "plain", k=20)))
    assert "All texts" not in rated.client.get(rated.url).content.decode()
    assert rated.client.get(reverse("rater:overview", args=[rated.token])).status_code == 302
    assert rated.client.get(reverse("rater:unit", args=[rated.token, 3])).status_code == 302
    assert not Assignment.objects.filter(order=3, state="live").exists()
