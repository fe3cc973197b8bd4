"""Headers of every answer, and what is answered while the database is away."""

import json

import psycopg2
import pytest
from django.conf import settings
from django.contrib import admin
from django.contrib.auth.models import User
from django.db import DatabaseError, OperationalError
from django.test import Client, RequestFactory
from django.urls import resolve, reverse
from pytest_django.fixtures import Settings

from evalweb.views import service_unavailable

pytestmark = pytest.mark.urls("tests.evalweb.urls")

PUBLIC = {
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "media-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
}
ADMIN = PUBLIC | {"font-src 'self'", "frame-src 'self'"}


def policy(header: str) -> set[str]:
    """Return the directives of a policy, whose order means nothing."""
    return {directive.strip() for directive in header.split(";")}


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("address", "expected", "referrer"),
    [
        ("/fine/", PUBLIC, "no-referrer"),
        ("/r/token/fine/", PUBLIC, "no-referrer"),
        ("/nowhere/", PUBLIC, "no-referrer"),
        ("/administration/", PUBLIC, "no-referrer"),
        ("/admin/login/", ADMIN, "same-origin"),
        ("/admin/nowhere/", ADMIN, "same-origin"),
    ],
)
def test_policies(client: Client, address: str, expected: set[str], referrer: str) -> None:
    response = client.get(address)
    assert policy(response["Content-Security-Policy"]) == expected
    assert response["Referrer-Policy"] == referrer
    assert response["X-Content-Type-Options"] == "nosniff"


@pytest.mark.django_db
@pytest.mark.urls("evalweb.urls")
def test_no_page_of_the_admin_lets_a_text_become_a_script(client: Client) -> None:
    """Pages of ours are asked with the permission table."""
    signed_in = Client()
    signed_in.force_login(User.objects.create_superuser("root"))
    top = admin.site.get_urls()
    patterns = [*top, *(part for pattern in top for part in getattr(pattern, "url_patterns", []))]
    named = [pattern for pattern in patterns if getattr(pattern, "name", None)]
    assert len(named) > 10
    for pattern in named:
        parts = dict.fromkeys(pattern.pattern.regex.groupindex, "1")
        address = reverse(
            f"admin:{pattern.name}", kwargs=parts | ({"app_label": "auth"} if "app_label" in parts else {})
        )
        for browser in (client, signed_in):
            assert policy(browser.get(address)["Content-Security-Policy"]) == ADMIN, address


def test_pages_are_not_stored_unless_a_view_says_so(client: Client) -> None:
    assert client.get("/fine/")["Cache-Control"] == "no-store"
    assert client.get("/nowhere/")["Cache-Control"] == "no-store"
    assert client.get("/kept/")["Cache-Control"] == "private, max-age=60"


@pytest.mark.parametrize("offered", ["", "short", "x" * 65, "two words", "line\nbreak", "ümlaut-id"])
def test_an_id_that_is_no_plain_word_is_replaced(client: Client, offered: str) -> None:
    given = client.get("/fine/", headers={"X-Request-ID": offered})["X-Request-ID"]
    assert given != offered
    assert len(given) == 32


@pytest.mark.parametrize("address", ["/lost/", "/closed/", "/crashed/", "/full/"])
def test_a_lost_database_is_a_page_that_says_when_to_come_back(client: Client, address: str) -> None:
    response = client.get(address, headers={"accept": "text/html"})
    assert (response.status_code, response["Retry-After"]) == (503, "5")
    assert response["Content-Type"].startswith("text/html")
    assert response["Cache-Control"] == "no-store"


def test_a_lost_database_speaks_of_kept_answers_to_raters_alone(rf: RequestFactory) -> None:
    """Nothing that researchers type is kept on their device."""
    of_raters, of_researchers = "unsent answers are kept", "go back and send it again"
    page = ""
    for address, words, absent in (
        (reverse("rater:next", args=["t" * 22], urlconf="evalweb.urls"), of_raters, of_researchers),
        (reverse("researcher:studies", urlconf="evalweb.urls"), of_researchers, of_raters),
    ):
        request = rf.get(address)
        request.resolver_match = resolve(address, urlconf="evalweb.urls")
        page = service_unavailable(request).content.decode()
        assert (words in page, absent in page) == (True, False), address
    # What most have to do comes first; the exception, for a form, follows.
    assert page.index("Load the page again") < page.index(of_researchers)


@pytest.mark.parametrize(("address", "accept"), [("/lost/", "application/json"), ("/api/lost/", "text/html")])
def test_a_program_is_told_in_json(client: Client, address: str, accept: str) -> None:
    response = client.get(address, headers={"accept": accept})
    assert (response.status_code, response["Retry-After"]) == (503, "5")
    assert "again" in json.loads(response.content)["detail"]


def test_a_fault_of_our_own_that_has_the_same_class_stays_a_fault(client: Client) -> None:
    client.raise_request_exception = False
    assert client.get("/unsaved/").status_code == 500


@pytest.mark.parametrize("error", [OperationalError, DatabaseError])
def test_a_database_lost_outside_of_a_view_is_no_500(
    client: Client, monkeypatch: pytest.MonkeyPatch, error: type[DatabaseError]
) -> None:
    """A session is read while templates render and written after the view: no view's exception."""

    def lose(self: object, request: object, response: object) -> None:
        raise error("server closed the connection unexpectedly") from psycopg2.DatabaseError()

    monkeypatch.setattr("django.contrib.sessions.middleware.SessionMiddleware.process_response", lose)
    client.raise_request_exception = False
    response = client.get("/fine/")
    assert (response.status_code, response["Retry-After"]) == (503, "5")


@pytest.mark.parametrize(
    ("address", "status"),
    [("/nowhere/", 404), ("/forbidden/", 403), ("/senseless/", 400), ("/r/token/broken/", 500), ("/lost/", 503)],
)
def test_every_problem_has_a_page_and_an_answer_for_programs(client: Client, address: str, status: int) -> None:
    client.raise_request_exception = False
    page = client.get(address, headers={"accept": "text/html"})
    assert (page.status_code, b"<html" in page.content) == (status, True)
    answer = client.get(address, headers={"accept": "application/json"})
    assert answer.status_code == status
    assert json.loads(answer.content)["detail"]


@pytest.mark.django_db
def test_a_form_without_its_csrf_token_is_refused_with_our_page() -> None:
    client = Client(enforce_csrf_checks=True)
    User.objects.create_superuser("rosa", password="a long password")
    credentials = {"username": "rosa", "password": "a long password"}
    refused = client.post("/admin/login/", credentials)
    assert refused.status_code == 403
    token = client.get("/admin/login/").cookies["csrftoken"].value
    accepted = client.post("/admin/login/?next=/fine/", credentials | {"csrfmiddlewaretoken": token})
    assert (accepted.status_code, accepted["Location"]) == (302, "/fine/")


def test_static_files_are_answered_before_the_rules_for_pages() -> None:
    """WhiteNoise stands above: its files may be kept, and need no session."""
    order = settings.MIDDLEWARE
    assert order.index("whitenoise.middleware.WhiteNoiseMiddleware") < order.index(
        "evalweb.middleware.NoStoreMiddleware"
    )


def test_no_page_of_errors_asks_the_database(client: Client, settings: Settings) -> None:
    """Not marked for the database: a query would fail this test."""
    client.raise_request_exception = False
    for address, status in (("/r/token/broken/", 500), ("/lost/", 503), ("/senseless/", 400)):
        assert client.get(address, headers={"accept": "text/html"}).status_code == status
