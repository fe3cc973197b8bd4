"""Unfold's frame under our content security policy, in a real browser.

The `page` fixture fails a test on whose pages the policy refused something or a script broke.
"""

import re
from pathlib import Path

import pytest
import unfold
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
    # Alpine runs, though the policy lets it compile no expression.
    page.wait_for_function("window.Alpine !== undefined && document.querySelector('[x-cloak]') === null")
    page.goto("/admin/auth/user/")
    # The bar of actions is as wide as its list by a style that Alpine binds, which would be refused as an attribute.
    expect(page.locator("#changelist-actions")).to_have_attribute("style", re.compile(r"width: \d+px"))
    page.get_by_role("link", name="researcher").first.click()
    expect(page.get_by_role("heading", name="researcher").first).to_be_visible()


ATTRIBUTE = re.compile(r"""\b(x-[\w:.-]+)=(["'])(.*?)\2""", re.DOTALL)
# Not JavaScript: names, the selector of an element, and a loop, which Alpine takes apart itself.
OTHER_ATTRIBUTES = ("x-ref", "x-teleport", "x-for")


def expressions_of_unfold() -> list[str]:
    """Return the expressions in unfold's templates, with a word in place of what a template fills in."""
    templates = Path(unfold.__file__).parent / "templates" / "unfold"
    found = set()
    for template in [*templates.rglob("*.html"), *templates.with_name("admin").rglob("*.html")]:
        text = re.sub(r"\{% else %\}.*?\{% endif %\}", "", template.read_text(), flags=re.DOTALL)
        text = re.sub(r"\{%.*?%\}", "", text, flags=re.DOTALL)
        text = re.sub(r"\{\{.*?\}\}", "word", text, flags=re.DOTALL)
        found |= {value for name, _quote, value in ATTRIBUTE.findall(text) if not name.startswith(OTHER_ATTRIBUTES)}
    return sorted(found)


def test_every_expression_of_unfold_is_understood(page: Page, page_problems: list[str]) -> None:
    """No page allows 'unsafe-eval': what unfold brings in a new version has to be read by our script."""
    page.goto("/admin/login/")
    expressions = expressions_of_unfold()
    assert len(expressions) > 80
    page.evaluate("all => all.forEach(one => Alpine.evaluateLater(document.body, one))", expressions)
    assert page_problems == []
    page.evaluate("Alpine.evaluateLater(document.body, 'while (1) {}')")
    page.wait_for_function("true")
    assert "while (1) {}" in page_problems.pop()
    assert page_problems == []


def test_expressions_reach_components_and_not_the_window(page: Page, page_problems: list[str]) -> None:
    page.goto("/admin/login/")
    page.wait_for_function("window.Alpine !== undefined && document.querySelector('[x-cloak]') === null")
    for refused in ("document.title", "fetch('/')", "adminTheme.constructor", "adminTheme['__proto__']"):
        page.evaluate("one => Alpine.evaluate(document.body, one)", refused)
        page.wait_for_function("true")
        assert refused in page_problems.pop()
    values = page.evaluate(
        """all => all.map(one =>
            Alpine.evaluate(document.body, one, {scope: {n: 3, open: false, list: ["a", "b"]}}))""",
        [
            "{ n, 'a-b': n + 1, nested: { deep: [n + n, -n] } }",
            "n > 2 && open === false ? 'yes' : 'no'",
            "open = !open; open",
            "['h3', 'b'].includes(list[1].toLowerCase())",
            "if (n !== 3) { n = 0 } else if (n == 3) n = 5; n",
            "list.map(item => item + n).length",
            "window.document === undefined && window.location.pathname",
        ],
    )
    assert values == [{"n": 3, "a-b": 4, "nested": {"deep": [6, -3]}}, "yes", True, True, 5, 2, "/admin/login/"]
    assert page_problems == []


@pytest.mark.exhaustive
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
