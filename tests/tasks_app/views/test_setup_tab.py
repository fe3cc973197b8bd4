"""The tab Set up says in words what the study file says."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from evalweb.local_services.folder import BASE_DIR
from tasks_app import studyfile

pytestmark = pytest.mark.django_db


def facts(browser: Client, rosa: User, example: str) -> tuple[list[tuple[str, str]], str]:
    """Load an example and return the names with their values that the page has, and the page."""
    study = studyfile.load(BASE_DIR / "examples" / example, owner=rosa)
    html = browser.get(f"/admin/studies/{study.slug}/").content.decode()
    found = re.findall(r"<dt>(.*?)</dt><dd[^>]*>(.*?)</dd>", html)
    return found, html


def test_tasks_asked_of_everybody_have_no_plan(rosas_browser: Client, rosa: User) -> None:
    found, html = facts(rosas_browser, rosa, "checked")
    assert ("Asked", "of everybody, before anything else") in found
    assert ("Asked", "of everybody, at the end") in found
    assert [value for name, value in found if name == "Judgments per unit"] == ["3"]
    assert (
        "Pay",
        "2.40 EUR for about 12 minutes, which is 12.00 EUR per hour; "
        "0.60 EUR for raters who are screened out or fail the exam",
    ) in found
    assert ("Show the source", "yes") in found
    assert "very hard · hard · so-so · easy · very easy" in html


def test_groups_and_days_stand_with_their_tasks(rosas_browser: Client, rosa: User) -> None:
    found, html = facts(rosas_browser, rosa, "panas_groups")
    assert ("Groups", "Diary alone, Diary and messages") in found
    assert [value for name, value in found if name == "For the groups"] == ["Diary and messages"]
    assert ("Days after enrolment", "day 7 to the end of day 9") in found
    assert "Spacing of outputs of one item" not in html


@pytest.mark.parametrize("example", ["checked", "questionnaire", "labels", "error_spans"])
def test_no_value_is_written_as_the_program_has_it(rosas_browser: Client, rosa: User, example: str) -> None:
    found, _html = facts(rosas_browser, rosa, example)
    raw = [one for one in found if re.search(r"[\[{]|&#x27;|\bTrue\b|\bFalse\b|\bNone\b|\d\.0\b", one[1])]
    assert raw == []
