"""What tests find of a page's contrasts, looking at three words of each kind."""

from typing import Literal

import pytest
from playwright.sync_api import Page

from tests.axe import violations

STYLE = """
p { color: #222; background: #fff }
@media (prefers-color-scheme: dark) { p { color: #eee; background: #111 } }
"""
FAINT = "style='color: #ccc; background: #fff'"
WORDS = "<p>Words that can be read.</p>" * 20


@pytest.mark.parametrize(
    ("faint", "scheme", "there"),
    [
        ("<p style='color: #ccc'>Faint in light</p>", "light", True),
        pytest.param("<p style='color: #ccc'>Faint in light</p>", "dark", False, marks=pytest.mark.exhaustive),
        ("<p style='color: #444'>Faint in dark</p>", "dark", True),
        ("<div style='background: #777'><p style='background: none'>Faint on grey</p></div>", "light", True),
        ("<div style='opacity: .4'><p>Faint by opacity</p></div>", "light", True),
        pytest.param(
            f"<button disabled {FAINT}>Off</button> <button {FAINT}>On</button>",
            "light",
            True,
            marks=pytest.mark.exhaustive,
        ),
        pytest.param("<p hidden style='color: #ccc'>Hidden</p>", "light", False, marks=pytest.mark.exhaustive),
        (f"<label>Name <input value='Faint' {FAINT}></label>", "light", True),
    ],
)
def test_faint_words_among_many_are_found(
    page: Page, faint: str, scheme: Literal["light", "dark"], there: bool
) -> None:
    page.set_content(
        f"<html lang=en><title>Page</title><style>{STYLE}</style><main><h1>Page</h1>{WORDS}{faint}{WORDS}</main>"
    )
    assert list(violations(page, scheme, "main")) == ["color-contrast"] * there


def test_a_link_that_only_its_colour_tells_from_the_words_around_it_is_found(page: Page) -> None:
    underlined = "<p>Words with <a href='#a'>a link</a> among them.</p>" * 9
    bare = "<p>Words with <a href='#b' style='color: #333; text-decoration: none'>a link</a> among them.</p>"
    page.set_content(
        f"<html lang=en><title>Page</title><style>{STYLE}</style><main><h1>Page</h1>{underlined}{bare}</main>"
    )
    assert list(violations(page, "light", "main")) == ["link-in-text-block"]


def test_a_look_that_an_earlier_page_had_is_tried_again_on_other_colours_and_where_it_was_wrong(page: Page) -> None:
    def found(body: str) -> list[str]:
        page.set_content(f"<html lang=en><title>Page</title><style>{STYLE}</style><main><h1>Page</h1>{body}</main>")
        return list(violations(page, "light", "main"))

    grey = "<p style='color: #6f6f6f; background: none'>Grey</p>"
    assert found(grey) == []
    assert found(f"<div style='background: #ddd'>{grey}</div>") == ["color-contrast"]
    assert found(f"<div style='background: #ddd'>{grey}</div>") == ["color-contrast"], "and again"
    link = "<a href='#b' style='color: #333; text-decoration: none'>a link</a>"
    assert found(f"<p>{link}</p>") == []
    assert found(f"<p>Words with {link} among them.</p>") == ["link-in-text-block"]
