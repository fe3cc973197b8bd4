"""The preview beside the form shows the page of raters that a step or field is about."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from tasks_app.models import Study
from tasks_app.setup import changes
from tests.about import ABOUT
from tests.tasks_app.setup.test_commenting import share

SLUG = "example-likert"


def shown(browser: Client, page: str, **query: str) -> str:
    response = browser.get(reverse("researcher:preview", args=[SLUG]), {"page": page, **query})
    assert response.status_code == 200
    assert "'self'" in response.headers["Content-Security-Policy"].split("frame-ancestors")[1]
    return response.content.decode()


def change(draft: Study, values: dict[tuple[str | int, ...], object]) -> None:
    setup = changes.begin(draft)
    changes.change(setup=setup, values=values, base=setup.revision, by=None)


def test_each_page_shows_what_the_form_holds(draft: Study, rosas_browser: Client) -> None:
    change(
        draft,
        {
            ("consent",): {"en": "I agree to *everything*.", "de": "Ich stimme zu."},
            ("about", "institution"): "The lab of Ada",
            ("pay", "amount"): 2.5,
            ("tasks", 0, "instructions"): "Read **each** word.",
            ("codes", "completed"): "DONE1234",
            ("study", "public_title"): "How do these texts read?",
        },
    )
    consent = shown(rosas_browser, "consent")
    assert "I agree to <em>everything</em>." in consent
    assert "The lab of Ada" in consent
    assert "2.50 EUR" in consent
    assert "Ich stimme zu." in shown(rosas_browser, "consent", lang="de", theme="dark")
    assert "Read <strong>each</strong> word." in shown(rosas_browser, "instructions")
    end = shown(rosas_browser, "end")
    assert "DONE1234" in end
    assert all("How do these texts read?" in page for page in (consent, end))
    assert 'id="answer"' in shown(rosas_browser, "unit")
    assert not Study.objects.filter(public_title="How do these texts read?").exists(), "nothing is stored"


def test_pages_of_an_unfinished_form_are_shown_as_far_as_it_goes(draft: Study, rosas_browser: Client) -> None:
    change(
        draft,
        {("pay", "amount"): "a lot", ("about", "contact"): ABOUT["contact"], ("tasks",): None, ("consent",): None},
    )
    assert ABOUT["contact"] in shown(rosas_browser, "consent")
    for page in ("instructions", "end"):
        assert "<h1>" in shown(rosas_browser, page)


@pytest.mark.parametrize(("step", "page"), [("consent", "consent"), ("questions", "unit"), ("review", "unit")])
def test_a_step_begins_with_its_page(draft: Study, rosas_browser: Client, step: str, page: str) -> None:
    html = rosas_browser.get(reverse("researcher:step", args=[SLUG, step])).content.decode()
    (source,) = re.findall(r'<iframe[^>]* src="([^"]+)"', html)
    assert source.endswith(f"?page={page}")
    assert re.findall(r'data-page="(\w+)" aria-current="true"', html) == [page]
    assert 'data-seen-on="end"' in rosas_browser.get(reverse("researcher:step", args=[SLUG, "raters"])).content.decode()


def test_people_who_only_comment_see_units_alone(draft: Study, rosas_browser: Client) -> None:
    """The last page has the completion code."""
    change(draft, {("codes", "completed"): "DONE1234"})
    address = share(rosas_browser, draft)
    page = Client().get(f"{address}preview/", {"page": "end"})
    assert 'id="answer"' in page.content.decode()
    assert "DONE1234" not in page.content.decode()
