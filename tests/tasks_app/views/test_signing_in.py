"""Signing in: how often a wrong password may be tried, where, and what one is told."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.test import Client

from tasks_app.views import counting, signing_in

pytestmark = pytest.mark.django_db

PLACES = ("/sign-in/", "/admin/login/")
PASSWORD, TOO_MANY = "the right password", "Too many failed attempts"


@pytest.fixture(autouse=True)
def nothing_tried() -> Iterator[None]:
    cache.clear()
    yield
    cache.clear()


@pytest.fixture
def ida() -> User:
    return User.objects.create_superuser("ida", password=PASSWORD)


def tried(place: str, password: str, name: str = "ida", address: str = "192.0.2.1") -> str:
    """Try a password, and return the page that follows; empty where one is let in."""
    answer = Client(REMOTE_ADDR=address).post(place, {"username": name, "password": password})
    return "" if answer.status_code == 302 else answer.content.decode()


@pytest.mark.parametrize("place", PLACES)
def test_ten_wrong_ones_and_the_right_one_waits_too(ida: User, place: str) -> None:
    for _try in range(10):
        assert TOO_MANY not in tried(place, "wrong")
    refused = tried(place, PASSWORD)
    assert TOO_MANY in refused
    assert "Wait 15 minutes, then try again." in refused
    assert tried(place, PASSWORD, address="192.0.2.2") == "", "who sits elsewhere is not kept out"
    User.objects.create_superuser("another", password=PASSWORD)
    assert tried(place, PASSWORD, name="another") == "", "nor is somebody else at the same address"


def test_both_places_count_together_and_a_quarter_of_an_hour_is_enough(ida: User) -> None:
    for place in PLACES * 5:
        tried(place, "wrong")
    assert all(TOO_MANY in tried(place, PASSWORD) for place in PLACES)
    for key in list(cache._cache):
        # As if the time had passed: what was counted has an end, and it is no further away.
        assert cache._expire_info[key] is not None
        cache._expire_info[key] -= signing_in.SECONDS
    assert tried("/sign-in/", PASSWORD) == ""


def test_a_right_one_starts_anew_and_costs_nothing(ida: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signing_in, "TRIES_OF_ADDRESS", 15)
    for _round in range(2):
        for _try in range(7):
            tried("/sign-in/", "wrong")
        assert tried("/sign-in/", PASSWORD) == ""
    assert TOO_MANY not in tried("/sign-in/", "wrong")
    assert TOO_MANY in tried("/sign-in/", "wrong"), "one address tries fifteen times, whatever it hits meanwhile"


def test_one_address_does_not_try_every_account(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signing_in, "TRIES_OF_ADDRESS", 12)
    assert [TOO_MANY in tried("/sign-in/", "wrong", name=f"r{n}") for n in range(13)] == [False] * 12 + [True]


def test_many_at_once_are_counted(ida: User) -> None:
    with ThreadPoolExecutor(8) as pool:
        numbers = list(pool.map(lambda _n: counting.count("key", signing_in.SECONDS), range(200)))
    assert sorted(numbers) == list(range(1, 201))


def test_what_is_counted_names_nobody(ida: User) -> None:
    tried("/sign-in/", "wrong")
    kept = " ".join(cache._cache)
    assert kept
    assert "ida" not in kept
    assert "192.0.2.1" not in kept


def test_raters_are_told_in_their_language(ida: User) -> None:
    somebody = Client(HTTP_ACCEPT_LANGUAGE="de")
    pages = [somebody.post("/sign-in/", {"username": "ida", "password": "wrong"}) for _try in range(11)]
    assert "Zu viele falsche Versuche" in pages[-1].content.decode()


def test_half_a_form_is_no_try_that_breaks() -> None:
    for body in ({}, {"username": "ida"}, {"password": "x"}, {"username": "\0", "password": "x" * 5000}):
        for place in PLACES:
            assert Client().post(place, body).status_code == 200


def test_a_first_sign_in_shows_where_to_begin_once(ida: User) -> None:
    def signed_in() -> str:
        browser = Client()
        answer = browser.post(
            "/admin/login/", {"username": "ida", "password": PASSWORD, "next": "/admin/"}, follow=True
        )
        assert answer.status_code == 200
        assert browser.get("/admin/").headers["location"] == "/admin/studies/"
        return str(answer.request["PATH_INFO"])

    assert [signed_in(), signed_in()] == ["/admin/studies/welcome/", "/admin/studies/"]
