"""Drafts with more texts than a page reads at once."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from tasks_app import studyfile
from tasks_app.setup import changes, numbers
from tasks_app.setup.checking import reading_of
from tasks_app.setup.facts import known_answers

pytestmark = pytest.mark.django_db


def test_known_answers_are_counted_with_the_first_texts(
    rosa: User,
    rosas_browser: Client,
    monkeypatch: pytest.MonkeyPatch,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    """They come to as many as those that are read with all texts, and the longest pages ask no more than 15 queries."""
    setup = changes.begin(studyfile.load("examples/checked", owner=rosa))
    whole, part = reading_of(setup, None), reading_of(setup)
    known = known_answers(setup, part)
    assert known == known_answers(setup, whole)
    key = setup.given["tasks"][1]["key"]
    assert {"control", "attention", "training", "exam"} <= set(known[key])
    monkeypatch.setattr(numbers, "MOST_TEXTS", 1)
    for name, query in (("researcher:review", {"opening": "1"}), ("researcher:texts", {"q": "a"})):
        address = reverse(name, args=[setup.study.slug])
        rosas_browser.get(address, query)
        with django_assert_max_num_queries(15):
            assert rosas_browser.get(address, query).status_code == 200
