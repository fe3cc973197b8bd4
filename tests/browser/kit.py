"""What browser tests of raters' pages have in common: getting to a unit, sending it, a phone, no script, axe."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, Page, expect

from tasks_app.management.simulated_raters import hidden_fields
from tests.axe import schemes, violations
from tests.browsing import shared_page
from tests.servers import LiveSite

PHONE = {"width": 390, "height": 844}


def sign_in_by_form(page: Page, site: LiveSite) -> None:
    """Sign in as the researcher, and come to the list of studies."""
    page.goto("/admin/studies/")
    name, password = site.login
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("link", name="Load a study").first).to_be_visible()


def sign_in(page: Page, site: LiveSite) -> None:
    """Sign in as the researcher: by the form once, then with the cookies that it gave; opens no page."""
    if not site.cookies:
        sign_in_by_form(page, site)
        site.cookies.extend(page.context.cookies())
    page.context.add_cookies(site.cookies)


def come(page: Page, link: str) -> None:
    """Open the first texts as a new rater; what the pages before them send is sent without drawing them."""
    page.context.clear_cookies(name="evalweb_begun")
    asked = page.request.get(link)
    asked = page.request.post(asked.url, form=hidden_fields(asked.text()))
    answer = page.request.post(asked.url, form=hidden_fields(asked.text()), max_redirects=0)
    page.goto(answer.headers["location"])


def begin(page: Page, link: str) -> None:
    """Agree and have read the instructions."""
    come(page, link)
    at(page, 0)


def at(page: Page, done: int, timeout: float | None = None) -> None:
    """Wait for the text after so many, as the bar on top says, and until the page's scripts run."""
    expect(page.locator(".top-progress")).to_contain_text(f"{done + 1} of ", timeout=timeout)
    page.wait_for_load_state()


def send(page: Page) -> None:
    """Press the button at the foot."""
    page.get_by_role("button", name="Send and go on").click()


def missing(page: Page, sentence: str) -> None:
    """Assert that a missing answer is reported beside its question, and nowhere else."""
    expect(page.locator("form[data-answer]").get_by_text(sentence).locator("visible=true")).to_have_count(1)
    expect(page.locator("[data-error]:visible", has_text=sentence)).to_have_count(1)


def back(page: Page) -> None:
    """Follow the link to the answer before, and wait until the scripts of its page have run."""
    page.get_by_role("link", name="Back").click()
    expect(page.get_by_text("You have answered this already")).to_be_visible()
    page.wait_for_load_state()


def accessible(page: Page, within: str | None = None, but: str = "") -> None:
    """Assert that axe-core finds nothing to complain of but what is named, in light or dark by turns."""
    for scheme in schemes():
        found = violations(page, scheme, within)
        found.pop(but, None)
        assert not found, f"{page.url} ({scheme}): {found}"


def press_until(page: Page, reached: Callable[[], bool], key: str = "Tab") -> None:
    """Press Tab, or another key, until the focus is where it should be."""
    for _press in range(80):
        page.keyboard.press(key)
        if reached():
            return
    pytest.fail("The keyboard does not get there.")


def fits(page: Page) -> None:
    """Assert that a page does not scroll sideways."""
    width = page.evaluate("document.documentElement.clientWidth")
    assert page.evaluate("document.documentElement.scrollWidth") <= width, "the page scrolls sideways"


def fits_a_phone(page: Page) -> None:
    """Assert that a page does not scroll sideways on a phone; it has its width again afterwards."""
    size = page.viewport_size
    page.set_viewport_size(PHONE)
    fits(page)
    page.set_viewport_size(size)


@contextmanager
def phone(browser: Browser, site: LiveSite) -> Iterator[Page]:
    """Open a page on a phone: narrow, touched."""
    with shared_page(browser, site.url, viewport=PHONE, has_touch=True, is_mobile=True, locale="en-GB") as page:
        yield page


@contextmanager
def without_script(browser: Browser, site: LiveSite) -> Iterator[Page]:
    """Open a page in a browser that runs no scripts."""
    with shared_page(browser, site.url, java_script_enabled=False, locale="en-GB") as page:
        yield page
