"""Planning pages while their form is filled in: what htmx gets, and where it puts it."""

import re

import pytest
from django.test import Client

from analytics_app.views.planning import PAGES
from tests.analytics_app.views.reading import tables, text
from tests.analytics_app.views.test_planning import asked

pytestmark = pytest.mark.django_db

HTMX = {"HX-Request": "true"}


@pytest.mark.parametrize(
    "what",
    [what if what in {"cost", "triangle"} else pytest.param(what, marks=pytest.mark.exhaustive) for what in PAGES],
)
def test_while_typing_only_what_changes_is_sent(rosas_browser: Client, what: str) -> None:
    address = f"/admin/planning/{what}/"
    whole, part = rosas_browser.get(address), rosas_browser.get(address, headers=HTMX)
    html = part.content.decode()
    assert part.headers["HX-Trigger"] == "live-answered"
    assert "HX-Request" in part.headers["Vary"]
    assert "<html" not in html
    assert "<input" not in html, "a field that is exchanged loses the caret"
    assert tables(html) == tables(whole.content.decode())
    swapped = set(re.findall(r'id="([^"]+)" hx-swap-oob', html))
    assert swapped <= set(re.findall(r'id="([^"]+)"', whole.content.decode())), "htmx complains of other places"
    for place in ("planning-lead", "planning-rest", "planning-folded", "planning-assumed"):
        assert f'id="{place}" hx-swap-oob="innerHTML"' in html
    # htmx asks for the whole page when somebody goes back to it.
    back = rosas_browser.get(address, headers={**HTMX, "HX-History-Restore-Request": "true"})
    assert "<html" in back.content.decode()


def test_what_is_wrong_while_typing_leaves_the_old_answer(rosas_browser: Client) -> None:
    part = rosas_browser.get("/admin/planning/means/", {"n_items": "1"}, headers=HTMX)
    html = part.content.decode()
    assert part.status_code == 200, "htmx shows nothing of an error"
    assert "HX-Trigger" not in part.headers
    assert '<div class="ew-errors" id="id_n_items_error" hx-swap-oob="true"><p class="ew-error">Ensure this' in html
    assert '<div class="ew-errors" id="id_raters_error" hx-swap-oob="true"></div>' in html
    assert "Fix the marked fields." in text(html)
    assert "planning-lead" not in html


def test_folded_assumptions_say_their_values(rosas_browser: Client) -> None:
    html = asked(rosas_browser, "preferences", alpha=0.01)
    assert (
        '<span class="ew-planning-values" id="planning-folded">Alpha, two-sided: 0.01; Target power: 0.8; '
        "Share of ties: 0.2; Share of variance between items: 0.2; Share of variance between raters: 0.05</span>"
        in html
    )
    wrong = rosas_browser.get("/admin/planning/preferences/", {"alpha": "2"}).content.decode()
    assert '<details class="ew-more" open>' in wrong
    assert 'id="id_alpha"' in wrong.partition('<details class="ew-more" open>')[2]
