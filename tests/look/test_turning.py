"""A page that takes the place of the one before within the same document: as if it had been loaded."""

import re

import pytest
from playwright.sync_api import Page, expect

from tasks_app.task_types import registry

# Shows the page anew in its own place. Returns whether it could take it.
TURN = """async () => {
    const html = await (await fetch(location.href)).text();
    const { show } = await import('/static/js/core/turn.js');
    return show(html, location.pathname);
}"""

# What differs from one answer of the server to the next, and what scripts never look at.
DRAWN = re.compile(r'<input [^>]*name="(?:form_token|submission)"[^>]*>|<noscript>.*?</noscript>', re.DOTALL)

# With noscript, with keys and windows of their own, and with texts in an order of their own; by hand all others, too.
QUICK = ("comprehension", "error_spans", "magnitude")
OTHERS = sorted(set(registry) - set(QUICK))


def snapshot(page: Page) -> str:
    """Return the content of a page whose scripts have run, without what is drawn for each answer."""
    expect(page.locator("[data-settling]")).to_have_count(0)
    html: str = page.evaluate("document.title + document.documentElement.outerHTML")
    return DRAWN.sub("", html)


@pytest.mark.parametrize("name", [*QUICK, *(pytest.param(name, marks=pytest.mark.exhaustive) for name in OTHERS)])
def test_a_page_that_was_turned_is_as_one_that_was_loaded(page: Page, name: str) -> None:
    # A text that is still being read is kept on the device when its page is left.
    answered = "&answered" if name == "comprehension" else ""
    page.goto(f"/judge/?sample&type={name}{answered}")
    loaded = snapshot(page)
    for _turn in range(2):
        assert page.evaluate(TURN) is True
        assert snapshot(page) == loaded


def test_a_page_with_other_files_or_in_another_language_is_loaded(page: Page) -> None:
    page.goto("/judge/?type=likert")
    show = """async ([from, address]) => {
        globalThis.before = document.body.firstElementChild;
        const html = await (await fetch(from)).text();
        const { show } = await import('/static/js/core/turn.js');
        return [show(html, address), globalThis.before.isConnected];
    }"""
    for other in ("/judge/?type=ranking", "/judge/?type=likert&ui=ar", "/done/"):
        assert page.evaluate(show, [other, "/judge/"]) == [False, True]
    assert page.evaluate(show, ["/judge/?type=likert", "/judge/2/"]) == [False, True], "another address"
    assert page.evaluate(show, ["/judge/?type=likert", "/judge/"]) == [True, False]
