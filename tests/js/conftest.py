"""A blank page of the stage, from which modules can be imported; one for all tests, since they leave nothing behind."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from tests.look.stage import serving


@pytest.fixture(scope="module")
def blank(browser: Browser) -> Iterator[Page]:
    """Open a page without a script of its own."""
    with serving() as stage:
        page = browser.new_page(base_url=stage.url)
        page.goto("/done/")
        yield page
        page.close()
