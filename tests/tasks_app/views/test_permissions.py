"""What people may do beside the permission table: what is logged, guessed tokens, the admin's own tables."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from tasks_app.models import Membership, Study
from tasks_app.services import events
from tests import pages
from tests.builders import build_study
from tests.media import png, show
from tests.permissions.rows import PEOPLE
from tests.permissions.table import TOKEN_ROWS
from tests.tasks_app.views.test_absence import words_of
from tests.wrong import altered

pytestmark = pytest.mark.django_db


@pytest.fixture
def people(study: Study, mallory: User, rosa: User) -> Callable[[str], Client]:
    """Return a browser for each person of the permission table."""

    def browser(person: str) -> Client:
        client = Client()
        if person == "anonymous":
            return client
        user = {"stranger": mallory, "owner": rosa}.get(person) or User.objects.create_user(
            person, is_staff=person != "rater", is_superuser=person == "superuser"
        )
        if person in {"viewer", "editor"}:
            Membership.objects.create(study=study, user=user, role=person)
        client.force_login(user)
        return client

    return browser


def test_a_guessed_token_finds_nothing(study: Study, somebody: Client, subtests: pytest.Subtests) -> None:
    token = pages.join(study)
    guessed = altered(token)
    media = show(study, png(), "image/png")
    pages.unit(somebody, token)
    for row in TOKEN_ROWS:
        with subtests.test(row=str(row)):
            takes = {key: media if value == "MEDIA" else value for key, value in row.path.items()}
            answer = somebody.generic(row.method, reverse(row.name, kwargs={**takes, "token": guessed}))
            assert answer.status_code == 404


def test_only_members_change_a_study_and_it_is_logged(study: Study, people: Callable[[str], Client]) -> None:
    for person in PEOPLE[:4]:
        people(person).post(f"/admin/studies/{study.slug}/move/", {"action": "pause"})
        study.refresh_from_db()
        assert study.state == "open", person
    people("editor").post(f"/admin/studies/{study.slug}/move/", {"action": "pause"})
    study.refresh_from_db()
    assert study.state == "paused"
    assert study.events.first().verb == "paused"
    assert study.events.first().actor.username == "editor"


def test_a_superusers_look_is_logged(study: Study, people: Callable[[str], Client]) -> None:
    people("superuser").get(f"/admin/studies/{study.slug}/monitor/")
    event = study.events.first()
    assert (event.verb, event.object, event.actor.username) == ("viewed", "monitor", "superuser")


def test_the_log_shows_only_ones_own_studies(study: Study, people: Callable[[str], Client]) -> None:
    build_study(None, slug="of-nobody")
    owners = people("owner").get("/admin/log/").content.decode()
    assert study.title in owners
    assert "/of-nobody/" not in owners
    stranger = people("stranger")
    assert stranger.get(f"/admin/studies/{study.slug}/log/").status_code == 404
    listing = stranger.get("/admin/log/", {"study": study.slug})
    assert listing.status_code == 200
    assert study.title not in listing.content.decode()


def test_the_log_speaks_plainly(study: Study, people: Callable[[str], Client]) -> None:
    for verb, about, before, after in (
        ("started run", "3", None, {"trigger": "demand", "planned": False}),
        ("tried out", "rehearsal", None, None),
        ("tried out", "whole rehearsal", None, None),
        ("loaded", study.slug, None, {"items": 12, "booklets": 8}),
        ("replaced", study.slug, {"digest": "ab" * 32}, None),
        ("opened", "", {"state": "draft"}, {"state": "open"}),
        ("pay settled", "link", None, {"rows": 2, "last": 771}),
    ):
        events.log(study, None, verb, about=about, before=before, after=after)
    said = words_of(people("owner").get("/admin/log/").content.decode())
    for words in (
        "started run 3",
        "by the plan: no",
        "started: on demand",
        "began to rate the draft on trial",
        "finished rating the draft on trial",
        f"loaded the study · {study.title} items: 12 ; sets: 8",
        "state: draft → open",
        "rows: 2",
    ):
        assert words in said, words
    for jargon in ("False", "rehearsal", "ab" * 32, "booklets", "771", f"loaded {study.slug}"):
        assert jargon not in said, jargon
