"""Tokens: who is let in with one, what for, and the page that makes and ends them."""

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from tasks_app.models import ApiToken, Membership, Study
from tasks_app.services.study import tokens
from tests.builders import build_study
from tests.once import study_made_once
from tests.tasks_app.api.conftest import script_of

pytestmark = pytest.mark.django_db

ENDINGS: dict[str, Callable[[ApiToken], object]] = {
    "revoked": lambda token: tokens.revoke(token=token, study=token.study, by=token.user),
    "expired": lambda token: ApiToken.objects.filter(pk=token.pk).update(expires=timezone.now() - timedelta(seconds=1)),
    "user left": lambda token: User.objects.filter(pk=token.user_id).update(is_active=False),
    "no researcher any more": lambda token: User.objects.filter(pk=token.user_id).update(is_staff=False),
    "deleted": lambda token: token.delete(),
}


study_once, study = study_made_once("study", build_study)


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_token_that_has_ended_lets_nobody_in(rosa: User, study: Study, ending: str) -> None:
    script = script_of(rosa, study)
    assert script.get("/api/v1/studies/").status_code == 200
    ENDINGS[ending](ApiToken.objects.get())
    answer = script.get("/api/v1/studies/")
    assert (answer.status_code, answer.json()["error"]) == (401, "bad_token")
    assert answer["WWW-Authenticate"].startswith("Bearer")


@pytest.mark.parametrize(
    ("header", "error"),
    [
        (None, "no_token"),
        ("Bearer ewt_guessed", "bad_token"),
        ("Bearer", "bad_token"),
        ("Bearer ", "bad_token"),
        ("Basic cm9zYTpyb3Nh", "bad_token"),
        ("Token ewt_guessed", "bad_token"),
        ("Bearer \x00", "bad_token"),
    ],
)
def test_without_a_right_token_nobody_is_let_in(study: Study, header: str | None, error: str) -> None:
    client = Client(headers={"authorization": header} if header is not None else None)
    answer = client.get(f"/api/v1/studies/{study.slug}/")
    assert (answer.status_code, answer.json()["error"]) == (401, error)
    assert answer["WWW-Authenticate"].startswith("Bearer")


def test_a_cookie_lets_nobody_in(rosas_browser: Client, study: Study) -> None:
    """Else another site could make rosa's browser start runs."""
    assert rosas_browser.get(f"/admin/studies/{study.slug}/").status_code == 200
    assert rosas_browser.get(f"/api/v1/studies/{study.slug}/").status_code == 401
    assert rosas_browser.post(f"/api/v1/studies/{study.slug}/runs/").status_code == 401


def test_the_secret_is_not_kept(rosa: User, study: Study) -> None:
    made = tokens.make(user=rosa, name="script", scopes=["read:studies"], study=study)
    assert re.fullmatch(r"ewt_[A-Za-z0-9_-]{43}", made.secret)
    stored = str(ApiToken.objects.values().get()) + str(list(study.events.values()))
    assert made.secret not in stored
    assert made.secret.removeprefix("ewt_") not in stored
    assert tokens.find(made.secret) == made.token
    assert tokens.find(made.token.hash) is None


def test_a_token_does_what_its_scopes_say(rosa: User, study: Study) -> None:
    addresses = {
        "read:studies": ["", f"{study.slug}/"],
        "read:judgments": [f"{study.slug}/judgments/", f"{study.slug}/ratings.csv", f"{study.slug}/ratings/"],
        "read:results": [f"{study.slug}/runs/"],
    }
    for scope in addresses:
        script = script_of(rosa, study, scope)
        for needed, paths in addresses.items():
            for path in paths:
                answer = script.get(f"/api/v1/studies/{path}")
                if needed == scope:
                    assert answer.status_code == 200
                else:
                    assert (answer.status_code, answer.json()["error"]) == (403, "scope_missing")
                    assert needed in answer.json()["detail"]
        assert script.post(f"/api/v1/studies/{study.slug}/runs/").status_code == 403


def test_a_token_for_one_study_sees_no_other(rosa: User, study: Study) -> None:
    other = build_study(rosa, slug="other")
    one, every = script_of(rosa, study), script_of(rosa, study, everywhere=True)
    assert [row["slug"] for row in one.get("/api/v1/studies/").json()["results"]] == [study.slug]
    assert {row["slug"] for row in every.get("/api/v1/studies/").json()["results"]} == {study.slug, "other"}
    assert one.get(f"/api/v1/studies/{other.slug}/").status_code == 404
    assert every.get(f"/api/v1/studies/{other.slug}/").status_code == 200


def test_a_token_does_no_more_than_its_user(rosa: User, mallory: User, study: Study) -> None:
    script = script_of(mallory, study, everywhere=True)
    assert script.get(f"/api/v1/studies/{study.slug}/").status_code == 404
    Membership.objects.create(study=study, user=mallory, role="viewer")
    assert script.get(f"/api/v1/studies/{study.slug}/").status_code == 200
    Membership.objects.filter(user=mallory).delete()
    assert script.get(f"/api/v1/studies/{study.slug}/").status_code == 404


def test_a_superusers_look_is_logged(study: Study) -> None:
    root = User.objects.create_superuser("root")
    assert script_of(root, study).get(f"/api/v1/studies/{study.slug}/").status_code == 200
    event = study.events.first()
    assert (event.verb, event.object, event.actor) == ("viewed", "API study", root)
    assert script_of(root, study).get(f"/api/v1/studies/{study.slug}/runs/{'9' * 300}/").status_code == 404


# The page -------------------------------------------------------------------------------------------------


def page_of(study: Study) -> str:
    return f"/admin/studies/{study.slug}/api/"


def test_a_token_is_made_on_the_page_and_shown_once(rosas_browser: Client, study: Study) -> None:
    data = {"name": "my laptop", "scopes": ["read:studies", "read:judgments"], "days": "30"}
    page = rosas_browser.post(page_of(study), data)
    secret = re.search(r"ewt_[A-Za-z0-9_-]{43}", page.content.decode()).group()
    assert "no-store" in page["Cache-Control"]
    token = ApiToken.objects.get()
    assert (token.name, token.scopes, token.study) == ("my laptop", ["read:studies", "read:judgments"], study)
    assert timedelta(days=29) < token.expires - timezone.now() <= timedelta(days=30)
    assert Client(headers={"authorization": f"Bearer {secret}"}).get("/api/v1/studies/").status_code == 200
    again = rosas_browser.get(page_of(study)).content.decode()
    assert "my laptop" in again
    assert secret not in again
    assert "/api/v1/" in again
    event = study.events.first()
    assert (event.verb, event.object) == ("made a token", "my laptop")


def test_a_token_can_be_made_for_all_ones_studies_and_for_good(rosas_browser: Client, study: Study) -> None:
    data = {"name": "lab", "scopes": ["read:results"], "days": "", "everywhere": "on"}
    assert rosas_browser.post(page_of(study), data).status_code == 200
    token = ApiToken.objects.get()
    assert (token.study, token.expires) == (None, None)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"name": " "}, "required"),
        ({"scopes": []}, "at least one thing"),
        ({"scopes": ["read:everything"]}, "valid choice"),
        ({"days": "5000"}, "valid choice"),
    ],
)
def test_what_is_missing_is_said_and_nothing_is_made(
    rosas_browser: Client, study: Study, changed: dict[str, object], said: str
) -> None:
    data = {"name": "my laptop", "scopes": ["read:studies"], "days": "30"}
    page = rosas_browser.post(page_of(study), {**data, **changed})
    assert page.status_code == 422
    assert said in page.content.decode()
    assert not ApiToken.objects.exists()
    assert rosas_browser.post(page_of(study), data).status_code == 200


def test_a_token_is_revoked_by_whoever_made_it(
    rosas_browser: Client, mallorys_browser: Client, mallory: User, study: Study
) -> None:
    rosas_browser.post(page_of(study), {"name": "my laptop", "scopes": ["read:studies"], "days": "30"})
    token = ApiToken.objects.get()
    path = f"{page_of(study)}{token.pk}/revoke/"
    Membership.objects.create(study=study, user=mallory, role="owner")
    assert "my laptop" not in mallorys_browser.get(page_of(study)).content.decode()
    assert mallorys_browser.post(path).status_code == 404
    assert rosas_browser.get(path).status_code == 405
    for _twice in range(2):
        assert rosas_browser.post(path).status_code == 302
    token.refresh_from_db()
    assert token.revoked is not None
    assert [event.verb for event in study.events.all()][:2] == ["revoked a token", "made a token"]
    assert "revoked" in rosas_browser.get(page_of(study)).content.decode()


def test_a_token_that_would_have_expired_is_not_made(rosa: User, study: Study) -> None:
    with pytest.raises(tokens.TokenRefused, match="in the future"):
        tokens.make(user=rosa, name="x", scopes=["read:studies"], study=study, expires=timezone.now())
    with pytest.raises(tokens.TokenRefused, match="no scope"):
        tokens.make(user=rosa, name="x", scopes=["read:all"], study=study)
