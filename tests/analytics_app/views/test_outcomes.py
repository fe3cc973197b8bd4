"""Uploading outcomes on the page: choose columns, check, store, delete, download; without scripts."""

import re
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from analytics_app.models import MeasuredOutcome
from tasks_app.models import Membership, Study
from tests.tasks_app.importing import kit

pytestmark = pytest.mark.django_db

DATA = "/admin/studies/fluency/data/"
PATH = f"{DATA}outcomes/"


@pytest.fixture
def study(tmp_path: Path, rosa: User) -> Study:
    """A study whose ratings were imported, and that rosa owns."""
    study = kit.study(tmp_path)
    kit.bring(study, tmp_path)
    Membership.objects.create(study=study, user=rosa, role="owner")
    return study


def names(study: Study) -> list[str]:
    return sorted(study.raters.values_list("pseudonym", flat=True))


def uploaded(browser: Client, content: str) -> tuple[str, str]:
    """Upload a file; return the token and the second page."""
    file = SimpleUploadedFile("outcomes.csv", content.encode())
    answer = browser.post(PATH, {"action": "upload", "file": file})
    assert answer.status_code == 302, answer.content.decode()
    page = browser.get(answer["Location"])
    assert page.status_code == 200
    return answer["Location"].partition("file=")[2], page.content.decode()


def posted(browser: Client, token: str, action: str, **more: Any) -> str:
    given = {"file": token, "action": action, "rater": "rater", "wave": "", **more}
    return browser.post(PATH, given, follow=True).content.decode()


def test_from_a_wide_file_to_stored_values_and_away_again(study: Study, rosas_browser: Client) -> None:
    assert PATH in rosas_browser.get(DATA).content.decode()
    first, *_others = names(study)
    token, page = uploaded(rosas_browser, f"rater,=calories,comment\n{first},2000,-\n")
    assert re.findall(r'name="outcomes" value="([^"]+)"[^>]* checked', page) == ["=calories"]
    assert '<option value="rater" selected>' in page
    assert "Tick at least one column" in posted(rosas_browser, token, "check")
    page = posted(rosas_browser, token, "check", outcomes=["=calories"])
    assert "1 value of 1 rater: =calories. Nothing is stored yet." in page
    assert not MeasuredOutcome.objects.exists()
    page = posted(rosas_browser, token, "import", outcomes=["=calories"])
    assert "Stored: 1 value of 1 rater: =calories." in page
    assert '<th scope="row" dir="auto">=calories</th><td class="ew-number">1</td><td class="ew-number">1</td>' in page
    assert f"{DATA}outcomes.csv" in rosas_browser.get(DATA).content.decode()
    file = rosas_browser.get(f"{DATA}outcomes.csv").content.decode()
    assert file.splitlines() == ["rater,group,wave,outcome,value", f"{first},,1,'=calories,2000.0"]
    refused = rosas_browser.post(f"{PATH}delete/", {"outcome": "=calories"}, follow=True).content.decode()
    assert "Tick the box to confirm." in refused
    page = rosas_browser.post(f"{PATH}delete/", {"outcome": "=calories", "sure": "on"}, follow=True).content.decode()
    assert "Deleted: 1 value of =calories." in page
    assert rosas_browser.get(f"{DATA}outcomes.csv").status_code == 404
    again = rosas_browser.post(f"{PATH}delete/", {"outcome": "\x00", "sure": "on"}, follow=True).content.decode()
    assert "The study has no such outcome." in again
    verbs = set(study.events.values_list("verb", flat=True))
    assert {"uploaded outcomes", "deleted outcome", "exported"} <= verbs


def test_problems_are_listed_with_their_places(study: Study, rosas_browser: Client) -> None:
    first, *_others = names(study)
    token, page = uploaded(rosas_browser, f"rater,outcome,value\n{first},steps,many\nnobody,steps,5\n")
    assert 'name="outcomes"' not in page
    page = posted(rosas_browser, token, "import")
    assert "2 problems: nothing was stored" in page
    assert "The study has no rater “nobody”." in page
    assert "This column is chosen for “Rater” already." in posted(rosas_browser, token, "check", wave="rater")


def test_a_draft_takes_none(tmp_path: Path, rosa: User, rosas_browser: Client) -> None:
    Membership.objects.create(study=kit.study(tmp_path), user=rosa, role="editor")
    page = rosas_browser.get(PATH).content.decode()
    assert "The study is a draft" in page
    assert 'type="file"' not in page
