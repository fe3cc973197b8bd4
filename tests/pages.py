"""Reading pages in tests: hidden fields and texts, as a browser would find them."""

from django.http import HttpResponse
from django.test import Client

from tasks_app.management.simulated_raters import hidden_fields
from tasks_app.models import Study


def join(browser: Client, study: Study) -> str:
    """Take part through the open link, read the instructions and begin; returns the rater's token."""
    path = f"/join/{study.link_code}/"
    page = browser.get(path)
    answer = browser.post(path, {**hidden(page), "agree": "on"})
    assert answer.status_code == 302, answer.content.decode()
    token = answer["Location"].strip("/").split("/")[1]
    page = browser.get(f"/r/{token}/instructions/")
    assert browser.post(f"/r/{token}/instructions/", hidden(page)).status_code == 302
    return token


def hidden(page: HttpResponse, form_id: str | None = None) -> dict[str, str]:
    """Return the hidden fields of a form on a page."""
    return hidden_fields(page.content.decode(), form_id)


def unit(browser: Client, token: str) -> dict[str, str]:
    """Open the next unit and return the hidden fields of its form."""
    page = browser.get(f"/r/{token}/judge/")
    assert page.status_code == 200, page.content.decode()
    return hidden(page, "answer")
