"""Importing scores of metrics on the page: upload, say what the columns are, check, import; without scripts."""

import re
from io import StringIO
from pathlib import Path
from typing import Any

import psycopg2
import pytest
from django.contrib.auth.models import User
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.db import connection
from django.test import Client

from analytics_app.models import MetricScore
from analytics_app.runs import start
from tasks_app.models import Membership, Study
from tasks_app.services.imports import storing
from tasks_app.services.study import lifecycle
from tests.analytics_app.views import reading
from tests.tasks_app.importing import kit

pytestmark = pytest.mark.django_db

PATH = "/admin/studies/fluency/data/scores/"
SCORES = "segment,model,COMET,chrF\ni1,alpha,0.8,61\ni1,beta,0.7,\n,alpha,0.75,\n"
COLUMNS = {"item": "segment", "system": "model", "metrics": ["COMET", "chrF"]}


@pytest.fixture
def study(tmp_path: Path, rosa: User) -> Study:
    """A study whose ratings were imported, and that rosa may edit."""
    study = kit.study(tmp_path)
    kit.bring(study, tmp_path)
    Membership.objects.create(study=study, user=rosa, role="editor")
    return study


def upload(browser: Client, content: str | bytes = SCORES, name: str = "scores.csv") -> Any:
    """Send a file as the first page does."""
    file = SimpleUploadedFile(name, content.encode() if isinstance(content, str) else content)
    return browser.post(PATH, {"action": "upload", "file": file})


def second_page(browser: Client, content: str = SCORES) -> dict[str, Any]:
    """Upload a file and return what the next post has to say."""
    answer = upload(browser, content)
    assert answer.status_code == 302, answer.content.decode()
    page = browser.get(answer["Location"])
    assert page.status_code == 200
    return {"file": answer["Location"].partition("file=")[2], **COLUMNS}


def ticked(page: str) -> list[str]:
    """Return the columns that are proposed as metrics."""
    return re.findall(r'name="metrics" value="([^"]+)"[^>]* checked', page)


def test_from_a_file_to_stored_scores(study: Study, rosas_browser: Client) -> None:
    assert PATH in rosas_browser.get("/admin/studies/fluency/data/").content.decode()
    answer = upload(rosas_browser)
    page = rosas_browser.get(answer["Location"]).content.decode()
    assert '<option value="segment" selected>' in page
    assert '<option value="model" selected>' in page
    assert ticked(page) == ["COMET"], "numbers with fractions look like scores; of others people decide"
    given = {"file": answer["Location"].partition("file=")[2], **COLUMNS}
    checked = rosas_browser.post(PATH, {**given, "action": "check"})
    assert "4 scores: COMET, chrF. Nothing is stored yet." in checked.content.decode()
    assert not MetricScore.objects.exists()
    stored = rosas_browser.post(PATH, {**given, "action": "import"}, follow=True)
    page = stored.content.decode()
    assert "Stored: 4 scores: COMET, chrF." in page
    assert (
        '<th scope="row" dir="auto">COMET</th><td>higher</td><td class="ew-number">2</td><td class="ew-number">1</td>'
        in page
    )
    assert sorted(MetricScore.objects.values_list("metric", "item__key", "system__key", "value"), key=repr) == [
        ("COMET", "i1", "alpha", 0.8), ("COMET", "i1", "beta", 0.7), ("COMET", None, "alpha", 0.75),
        ("chrF", "i1", "alpha", 61.0),
    ]  # fmt: skip
    assert not default_storage.listdir(f"studies/{study.pk}/imports")[0]
    assert study.events.get(verb="imported scores").actor.username == "rosa"


def test_problems_are_listed_with_their_places_and_can_be_mended(study: Study, rosas_browser: Client) -> None:
    given = second_page(rosas_browser, SCORES.replace("0.7,", "high,").replace("i1,alpha", "i9,alpha"))
    answer = rosas_browser.post(PATH, {**given, "action": "import"})
    page = answer.content.decode()
    assert answer.status_code == 422
    assert "2 problems: nothing was stored" in page
    assert '<td class="ew-number">3</td><td class="ew-number">3</td>' in page
    assert "segment: The study has no item “i9”." in page
    both = rosas_browser.post(PATH, {**given, "system": "segment", "action": "check"})
    assert both.status_code == 422
    assert "This column is chosen for “Item” already." in both.content.decode()
    assert not MetricScore.objects.exists()


def test_scores_that_are_there_are_replaced_on_request(study: Study, rosas_browser: Client) -> None:
    assert rosas_browser.post(PATH, {**second_page(rosas_browser), "action": "import"}).status_code == 302
    given = second_page(rosas_browser, SCORES.replace("0.8", "0.9"))
    refused = rosas_browser.post(PATH, {**given, "action": "import"})
    assert "tick Replace on the page" in refused.content.decode()
    assert rosas_browser.post(PATH, {**given, "replace": "on", "action": "import"}).status_code == 302
    assert MetricScore.objects.get(metric="COMET", item__key="i1", system__key="alpha").value == 0.9
    deleted = rosas_browser.post(f"{PATH}delete/", {"metric": "COMET", "sure": "on"}, follow=True)
    assert "Deleted: 3 scores of COMET." in deleted.content.decode()
    assert set(MetricScore.objects.values_list("metric", flat=True)) == {"chrF"}


def test_scores_that_came_after_a_run_are_said_on_results_with_the_button(study: Study, rosas_browser: Client) -> None:
    """Until a run knows them."""
    results, changed = "/admin/studies/fluency/results/", "Scores of metrics have changed since this run."
    call_command("analyse", study.slug, stdout=StringIO())
    assert changed not in reading.text(reading.page(rosas_browser, results))
    assert rosas_browser.post(PATH, {**second_page(rosas_browser), "action": "import"}).status_code == 302
    shown = reading.page(rosas_browser, results)
    assert changed in reading.text(shown)
    assert "Compute again" in shown[shown.index(f'action="{results}start/"') :].partition("</form>")[0]
    assert rosas_browser.post(f"{results}start/").status_code == 302
    start.compute_here(run=study.runs.get(number=2))
    assert changed not in reading.text(reading.page(rosas_browser, f"{results}2/"))
    assert f"{changed} Run 2 takes" in reading.text(reading.page(rosas_browser, f"{results}1/"))


@pytest.mark.parametrize(
    ("content", "name", "said"),
    [(b"", "scores.csv", "This file is empty."), (b"PK\x03\x04x", "scores.csv", "This workbook is damaged")],
)
def test_a_file_that_cannot_be_shown_is_refused_at_once(
    study: Study, rosas_browser: Client, content: bytes, name: str, said: str
) -> None:
    answer = upload(rosas_browser, content, name)
    if answer.status_code == 302:  # a file that can be read, and holds nothing
        answer = rosas_browser.get(answer["Location"])
    assert answer.status_code == 422
    assert said in answer.content.decode()
    kept = f"studies/{study.pk}/imports"
    assert not default_storage.exists(kept) or not default_storage.listdir(kept)[0]
    assert "is not a table that can be read here" in upload(rosas_browser, b"x", "scores.sav").content.decode()
    gone = rosas_browser.get(f"{PATH}?file={'x' * 22}")
    assert "was deleted after a day" in gone.content.decode()


def test_a_draft_takes_none(tmp_path: Path, rosa: User, rosas_browser: Client) -> None:
    Membership.objects.create(study=kit.study(tmp_path), user=rosa, role="editor")
    page = rosas_browser.get(PATH).content.decode()
    assert "The study is a draft" in page
    assert 'type="file"' not in page


def test_only_one_import_of_a_study_at_a_time(tmp_path: Path, rosa: User, rosas_browser: Client) -> None:
    study = lifecycle.move(study_id=kit.study(tmp_path).pk, action="open", by=None)
    Membership.objects.create(study=study, user=rosa, role="editor")
    given = second_page(rosas_browser)
    somebody_else = psycopg2.connect(**connection.get_connection_params())
    try:
        with somebody_else.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(%s, %s)", [storing.IMPORTS, study.pk])
        answer = rosas_browser.post(PATH, {**given, "action": "import"})
        assert "Somebody is importing into this study right now." in answer.content.decode()
    finally:
        somebody_else.close()
    assert not MetricScore.objects.exists()


def test_a_mapping_as_text_is_previewed_checked_and_stored(study: Study, rosas_browser: Client) -> None:
    """The choices of the page become a mapping, which then reads what no choice can."""
    given = second_page(rosas_browser)
    page = rosas_browser.post(PATH, {**given, "action": "text"}).content.decode()
    assert "wide:\n  of: metric\n  value: [COMET, chrF]" in page
    mapping = "columns: {item: segment, system: model}\nwide: {of: metric, value: {Comet-22: COMET}}\n"
    posted = {"file": given["file"], "mode": "text", "text": mapping}
    checked = rosas_browser.post(PATH, {**posted, "action": "check"}).content.decode()
    assert "The first rows as evalweb reads them" in checked
    assert '<td dir="auto">Comet-22</td>' in checked
    assert rosas_browser.post(PATH, {**posted, "action": "import"}).status_code == 302
    assert set(MetricScore.objects.values_list("metric", flat=True)) == {"Comet-22"}
