"""Unfold's frame under our content security policy, in a real browser.

The `page` fixture fails a test on whose pages the policy refused something or a script broke.
"""

import re

from playwright.sync_api import Browser, Page, expect

from tests.browser.kit import without_script
from tests.servers import LiveSite


def sign_in(page: Page, site: LiveSite) -> None:
    name, password = site.login
    page.goto("/admin/login/")
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Log in").click()
    page.wait_for_url("**/admin/studies/")


def test_sign_in_lists_forms_and_menus_work(page: Page, live_site: LiveSite) -> None:
    sign_in(page, live_site)
    for address in ("/admin/auth/user/add/", "/admin/password_change/", "/admin/"):
        response = page.goto(address)
        assert response is not None
        assert response.status == 200
    # Alpine runs: its expressions are what 'unsafe-eval' is for.
    page.wait_for_function("window.Alpine !== undefined && document.querySelector('[x-cloak]') === null")
    page.goto("/admin/auth/user/")
    # The bar of actions is as wide as its list by a style that Alpine binds, which would be refused as an attribute.
    expect(page.locator("#changelist-actions")).to_have_attribute("style", re.compile(r"width: \d+px"))
    page.get_by_role("link", name="researcher").first.click()
    expect(page.get_by_role("heading", name="researcher").first).to_be_visible()


def test_without_scripts_nobody_stands_before_an_empty_page(browser: Browser, live_site: LiveSite) -> None:
    """Unfold hides every page until Alpine runs."""
    with without_script(browser, live_site) as page:
        sign_in(page, live_site)
        expect(page.get_by_role("link", name="Load a study").first).to_be_visible()
        page.goto("/admin/auth/user/")
        expect(page.get_by_role("link", name="researcher").first).to_be_visible()


def test_colours_come_from_our_style_sheet_and_the_policy_is_in_force(page: Page, page_problems: list[str]) -> None:
    page.goto("/admin/login/")
    primary = "getComputedStyle(document.documentElement).getPropertyValue('--color-primary-600')"
    assert page.evaluate(primary).startswith("oklch(")
    assert page.locator("style").count() == 0
    assert page_problems == []
    page.evaluate("document.body.insertAdjacentHTML('beforeend', '<p id=probe style=\"color: red\">x</p>')")
    expect(page.locator("#probe")).to_be_visible()
    (refused,) = page_problems
    assert "style-src 'self'" in refused
    page_problems.clear()
