"""What a request may bring: refused by address, before any of it is read."""

import json
from http import HTTPStatus
from io import BytesIO
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import get_resolver
from django.urls.resolvers import URLPattern, URLResolver

from evalweb.bodies import limit_of_large
from evalweb.front.requests import REFUSAL, Refused
from tasks_app.studyfile.files.limits import MIB
from tasks_app.uploads.request_sizes import ORDINARY, largest_upload

UNREAD = "An answer that never reads its body cannot be told from one that does, unless reading fails."
MULTIPART = "multipart/form-data; boundary=b"
WITH_FILES = {
    "admin/studies/load/",
    "admin/studies/new/",
    "admin/studies/<slug:slug>/set-up/texts/",
    "admin/studies/<slug:slug>/set-up/texts/degrade/",
    "admin/studies/<slug:slug>/set-up/texts/media/",
    "admin/studies/<slug:slug>/set-up/tables/<slug:table>/",
    "admin/studies/<slug:slug>/import/",
    "admin/studies/<slug:slug>/one-table/",
    "admin/studies/<slug:slug>/data/outcomes/",
    "admin/studies/<slug:slug>/data/personal-texts/",
    "admin/studies/<slug:slug>/data/scores/",
    "admin/studies/<slug:slug>/datasheet/import/",
    "admin/studies/<slug:slug>/pay/bonus/",
    "admin/studies/<slug:slug>/recruit/people/",
    "admin/studies/<slug:slug>/recruit/statuses/<slug:channel>/",
}


class Unreadable(BytesIO):
    """A body that must not be read."""

    def read(self, *_args: Any) -> bytes:
        raise AssertionError(UNREAD)

    readline = readlines = read


def post(client: Client, address: str, length: int, kind: str = MULTIPART) -> Any:
    """Post a body that claims a length and may not be read."""
    claimed = {"wsgi.input": Unreadable(), "CONTENT_LENGTH": str(length), "CONTENT_TYPE": kind}
    return client.generic("POST", address, **claimed)


@pytest.fixture
def researcher(client: Client, db: None) -> Client:
    client.force_login(User.objects.create_superuser("rosa", password="a long password"))
    return client


@pytest.mark.parametrize("kind", [MULTIPART, "application/x-www-form-urlencoded"])
def test_an_anonymous_upload_is_refused_unread(client: Client, kind: str) -> None:
    answer = post(client, "/task-types/likert/", 300_000_000, kind)
    assert (answer.status_code, "accepts at most 2.5 MiB" in answer.content.decode()) == (413, True)


@pytest.mark.django_db
def test_every_address_has_the_ordinary_limit_unless_it_accepts_files(client: Client) -> None:
    assert post(client, "/r/a-token/judge/", ORDINARY + 1).status_code == 413
    assert post(client, "/sign-in/", ORDINARY + 1).status_code == 413
    assert post(client, "/admin/login/", ORDINARY + 1).status_code == 413
    answer = post(client, "/api/v1/studies/", ORDINARY + 1, "application/json")
    assert (answer.status_code, json.loads(answer.content)["error"]) == (413, "too_large")


@pytest.mark.django_db
def test_files_are_for_people_who_are_signed_in(client: Client) -> None:
    assert post(client, "/admin/studies/load/", ORDINARY + 1).status_code == 403


def test_an_upload_above_its_limit_is_refused_unread(researcher: Client) -> None:
    assert post(researcher, "/admin/studies/load/", 66 * MIB).status_code == 413
    with pytest.raises(AssertionError, match="unless reading fails"):
        post(researcher, "/admin/studies/load/", 64 * MIB)


def test_an_address_without_uploads_accepts_no_file(client: Client) -> None:
    given = {"file": SimpleUploadedFile("a.txt", b"a file"), "answer": "3"}
    assert client.post("/task-types/likert/", given).status_code == 400
    assert client.post("/task-types/likert/", {"answer": "3"}).status_code == 422


def test_these_addresses_accept_files_and_no_others() -> None:
    accepting = {route for route, view in walk(get_resolver()) if largest_upload(view) is not None}
    assert accepting == WITH_FILES


def walk(resolver: URLResolver, before: str = "") -> "list[tuple[str, Any]]":
    found: list[tuple[str, Any]] = []
    for entry in resolver.url_patterns:
        route = f"{before}{entry.pattern}"
        found += [(route, entry.callback)] if isinstance(entry, URLPattern) else walk(entry, route)
    return found


@pytest.mark.parametrize(("status", "headers"), [(408, {}), (413, {}), (403, {}), (503, {"Retry-After": "5"})])
def test_what_the_front_refuses_has_a_page(client: Client, status: int, headers: dict[str, str]) -> None:
    answer = client.post("/task-types/likert/", **{REFUSAL: HTTPStatus(status)})
    assert answer.status_code == status
    assert b"<html" in answer.content
    assert headers.items() <= dict(answer.items()).items()


def environ(address: str, **more: Any) -> dict[str, Any]:
    return {"REQUEST_METHOD": "POST", "PATH_INFO": address, "wsgi.input": BytesIO(), **more}


def test_the_front_asks_for_the_limit_of_an_address(researcher: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    # The test's connection is in a transaction that ends with the test.
    monkeypatch.setattr("evalweb.bodies.close_old_connections", lambda: None)
    cookie = {"HTTP_COOKIE": f"sessionid={researcher.cookies['sessionid'].value}"}
    assert limit_of_large(environ("/admin/studies/load/", **cookie)) == 65 * MIB
    assert limit_of_large(environ("/admin/studies/any/pay/bonus/", **cookie)) == 9 * MIB
    assert limit_of_large(environ("/task-types/likert/", **cookie)) == ORDINARY
    assert limit_of_large(environ("/nowhere/", **cookie)) == ORDINARY


@pytest.mark.django_db
@pytest.mark.parametrize("cookie", [{}, {"HTTP_COOKIE": "sessionid=forged"}])
def test_the_front_reads_no_file_of_a_stranger(cookie: dict[str, str]) -> None:
    with pytest.raises(Refused) as refused:
        limit_of_large(environ("/admin/studies/load/", **cookie))
    assert refused.value.status == 403
