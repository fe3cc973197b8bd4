"""The cast: rosa owns the study, ada rates, mallory has no business here."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tasks_app.models import Study
from tests.builders import build_study


def new_rosa() -> User:
    """Store rosa."""
    return User.objects.create_user("rosa", password="a researcher's password", is_staff=True)


@pytest.fixture
def rosa(db: None) -> User:
    """A researcher who owns the study; the one of the module where its rows were made once (tests/once.py)."""
    return User.objects.filter(username="rosa").first() or new_rosa()


@pytest.fixture
def mallory(db: None) -> User:
    """A researcher who has no business in rosa's study."""
    return User.objects.create_user("mallory", password="another password", is_staff=True)


@pytest.fixture
def study(rosa: User) -> Study:
    """An open study of rosa's: 4 items, 2 systems, k = 2, booklets of 4."""
    return build_study(rosa)


def browser_of(user: User) -> Client:
    """Return a browser in which somebody is signed in."""
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def rosas_browser(rosa: User) -> Client:
    """Rosa, signed in."""
    return browser_of(rosa)


@pytest.fixture
def mallorys_browser(mallory: User) -> Client:
    """Mallory, signed in."""
    return browser_of(mallory)


@pytest.fixture
def somebody(db: None) -> Client:
    """A browser that is not signed in, such as a rater's."""
    return Client()
