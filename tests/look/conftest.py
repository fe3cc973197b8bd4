"""A page on the stage."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page

from tests.browsing import page_at
from tests.look.stage import Stage, serving


@pytest.fixture(scope="module")
def running_stage() -> Iterator[Stage]:
    """Serve the stage for one module."""
    with serving() as stage:
        yield stage


@pytest.fixture
def stage(running_stage: Stage) -> Stage:
    """Hand out the stage, with nothing on it yet."""
    running_stage.reset()
    return running_stage


@pytest.fixture
def complaints() -> list[str]:
    """Collect what the pages of a test complain of; a test that provokes a complaint takes it out."""
    return []


@pytest.fixture
def page(request: pytest.FixtureRequest, browser: Browser, stage: Stage, complaints: list[str]) -> Iterator[Page]:
    """Open a page on the stage; the test fails where a script broke or the security policy refused something."""
    size = {"width": 1280, "height": 860}
    with page_at(request, browser, stage.url, locale="en-GB", viewport=size) as page:
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda message: note(message, complaints))
        yield page
    assert complaints == []


def note(message: ConsoleMessage, complaints: list[str]) -> None:
    """Keep errors, but for those about the statuses that tests ask for."""
    if message.type == "error" and "Failed to load resource" not in message.text:
        complaints.append(message.text)
