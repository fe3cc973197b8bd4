"""The cast: rosa owns the study, ada rates, mallory has no business here."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tasks_app.models import Study
from tests.builders import build_study


@pytest.fixture
def rosa(db: None) -> User:
    """A researcher who owns the study."""
    return User.objects.create_user("rosa", password="a researcher's password", is_staff=True)


@pytest.fixture
def mallory(db: None) -> User:
    """A researcher who has no business in rosa's study."""
    return User.objects.create_user("mallory", password="another password", is_staff=True)


@pytest.fixture
def study(rosa: User) -> Study:
    """An open study of rosa's: 4 items, 2 systems, k = 2, booklets of 4."""
    return build_study(rosa)


@pytest.fixture
def rosas_browser(rosa: User) -> Client:
    """Rosa, signed in."""
    client = Client()
    client.force_login(rosa)
    return client


@pytest.fixture
def mallorys_browser(mallory: User) -> Client:
    """Mallory, signed in."""
    client = Client()
    client.force_login(mallory)
    return client


@pytest.fixture
def somebody(db: None) -> Client:
    """A browser that is not signed in, such as a rater's."""
    return Client()
