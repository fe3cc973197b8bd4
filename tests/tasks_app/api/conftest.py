"""Scripts with tokens."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tasks_app.models import Study
from tasks_app.services.study import tokens

Script = Callable[..., Client]


def script_of(user: User, study: Study, *scopes: str, **given: Any) -> Client:
    """Return a client that sends a new token of somebody's with some scopes, or all."""
    made = tokens.make(user=user, name="script", scopes=scopes or list(tokens.SCOPES), study=study, **given)
    return Client(headers={"authorization": f"Bearer {made.secret}"})


@pytest.fixture
def rosas_script(rosa: User, study: Study) -> Client:
    """A script of rosa's that may do everything in her study."""
    return script_of(rosa, study)


def everything(script: Client, address: str) -> list[dict[str, Any]]:
    """Follow the pages of a listing to the end."""
    found: list[dict[str, Any]] = []
    following: str | None = address
    while following:
        page = script.get(following)
        assert page.status_code == 200, page.content
        found += page.json()["results"]
        following = page.json()["next"]
        assert following is None or page.json()["results"]
    return found
