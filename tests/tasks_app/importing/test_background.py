"""Large files: a worker imports them, a page that can be reloaded says how far it is, and nothing is half-stored."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from celery.exceptions import SoftTimeLimitExceeded
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import InterfaceError, connection
from django.db.models.functions import Now
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tasks_app import importing, jobs
from tasks_app.importing import background, uploads, whole
from tasks_app.models import ImportMapping, ImportWork, Membership, Output, Rating, Study
from tasks_app.services import broker, erasure, progress
from tasks_app.services.background import AGAIN, GIVEN_UP, refusal_of
from tasks_app.services.imports import storing
from tasks_app.services.study import deleting
from tests.tasks_app.importing import kit
from tests.tasks_app.importing.test_page import CHOSEN, SIMPLE, send, token_of, upload

FLUENCY = "/admin/studies/fluency/import/"
PROGRESS = f"{FLUENCY}progress/"
NEW = "/admin/studies/empty/one-table/"
OF_NEW = "/admin/studies/empty/import/progress/"

TABLE = "rater,item,system,text,fluency\n" + "".join(
    f"r{rater},i{item},{system},Text {item} of {system}.,{3 + (system == 'A') - rater % 2}\n"
    for rater in range(3)
    for item in range(4)
    for system in "AB"
)

MAPPING = (
    "columns: {rater: rater, item: item, system: system, output: text, value: fluency}\n"
    "constant: {criterion: fluency}\n"
)


@pytest.fixture(autouse=True)
def every_file_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "LARGE", 1)
    monkeypatch.setattr(progress, "TELL_EVERY", 0.0)


@pytest.fixture
def mine(draft: Study, rosa: User) -> Study:
    """A draft that rosa may edit."""
    Membership.objects.create(study=draft, user=rosa, role="editor")
    return draft


@pytest.fixture
def empty(db: None, rosa: User) -> Study:
    """A draft without texts, of which a table takes the place."""
    study = Study.objects.create(slug="empty", title="Mine", public_title="Reading texts", seed=1)
    Membership.objects.create(study=study, user=rosa, role="owner")
    return study


def asked(browser: Client, action: str = "import", **more: str) -> ImportWork:
    """Upload a file of ratings and press a button of the second page."""
    answer = send(browser, token_of(upload(browser)), action, **CHOSEN, **more)
    assert (answer.status_code, answer["Location"]) == (302, PROGRESS)
    return ImportWork.objects.get()


def put_table(browser: Client, content: str = TABLE) -> ImportWork:
    """Upload a table of texts and ratings, and store it."""
    file = SimpleUploadedFile("table.csv", content.encode())
    token = token_of(browser.post(NEW, {"action": "upload", "file": file}))
    answer = browser.post(NEW, {"file": token, "mode": "text", "text": MAPPING, "action": "import"})
    assert (answer.status_code, answer["Location"]) == (302, OF_NEW), answer.content.decode()
    return ImportWork.objects.get()


def page(browser: Client, address: str = PROGRESS, **query: str) -> str:
    answer = browser.get(address, query)
    assert answer.status_code == 200
    return str(answer.content.decode())


pytestmark = pytest.mark.django_db


def test_small_files_are_stored_at_once(mine: Study, rosas_browser: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "LARGE", len(SIMPLE) + 1)
    assert send(rosas_browser, token_of(upload(rosas_browser)), "import", **CHOSEN)["Location"] == FLUENCY
    assert Rating.objects.count() == 2
    assert not ImportWork.objects.exists()


def test_a_worker_stores_a_file_of_ratings(mine: Study, rosas_browser: Client) -> None:
    work = asked(rosas_browser, save_as="pilot")
    assert not Rating.objects.exists()
    waiting = page(rosas_browser)
    assert "Waiting for a background worker." in waiting
    assert '<progress class="ew-progress" max="1" value="0"' in waiting
    # Whoever comes back to the page of the upload is shown the import that is under way.
    assert rosas_browser.get(FLUENCY)["Location"] == PROGRESS
    jobs.work_on_import(work.pk)
    assert Rating.objects.count() == 2
    assert ImportMapping.objects.get().name == "pilot"
    assert "data-live-reload" in page(rosas_browser, live="1")
    whole_page = page(rosas_browser)
    assert "2 ratings, 2 judgments, 2 raters." in whole_page
    assert "1 column is not mapped" in whole_page
    assert uploads.find(mine, work.given["file"]) is None
    jobs.work_on_import(work.pk)
    assert Rating.objects.count() == 2, "a notification that came twice stores nothing again"
    assert rosas_browser.get(FLUENCY).status_code == 200


@pytest.mark.parametrize("state", ["queued", "working", "done", "refused"])
def test_the_page_of_an_import_asks_little(mine: Study, rosas_browser: Client, state: str) -> None:
    values = {"kind": "ratings", "given": {"file": "gone"}, "problems": [["a.csv", 2, 1, "Wrong.", 1, []]] * 50}
    ImportWork.objects.create(study=mine, state=state, **values)
    for query in ({}, {"live": "1"}):
        with CaptureQueriesContext(connection) as asked:
            assert len(page(rosas_browser, **query)) < 150_000
        assert len(asked) <= 15


def test_counts_are_grouped_by_thousands_as_progress_is() -> None:
    counts = {"texts": 2000, "ratings": 10_000, "judgments": 1, "raters": 7}
    assert importing.Imported(counts=counts, notes=()).summary == "10,000 ratings, 1 judgment, 7 raters"
    assert whole.Made(Study(), counts, ()).summary == "2,000 texts, 10,000 ratings, 7 raters"


def test_a_worker_makes_the_study_of_one_table(empty: Study, rosas_browser: Client) -> None:
    jobs.work_on_import(put_table(rosas_browser).pk)
    assert (Output.objects.filter(item__study=empty).count(), Rating.objects.count()) == (8, 24)
    shown = page(rosas_browser, OF_NEW)
    assert "8 texts, 24 ratings, 3 raters. The results are being computed." in shown
    assert "/admin/studies/empty/results/" in shown


def test_a_check_stores_nothing_and_leads_back_to_the_same_mapping(mine: Study, rosas_browser: Client) -> None:
    work = asked(rosas_browser, "check")
    jobs.work_on_import(work.pk)
    assert not Rating.objects.exists()
    assert "Nothing is stored yet." in page(rosas_browser)
    again = f"{FLUENCY}?file={work.given['file']}&again=1"
    assert f"{FLUENCY}?file={work.given['file']}&amp;again=1" in page(rosas_browser)
    assert "rater: worker" in page(rosas_browser, again)


def test_problems_have_file_line_and_column_and_the_mapping_stays(empty: Study, rosas_browser: Client) -> None:
    lines = TABLE.splitlines()
    lines[3] = lines[3].replace("Text 1 of A", "Another text")
    lines[20] = f"{lines[20].rpartition(',')[0]},five"
    work = put_table(rosas_browser, "\n".join(lines) + "\n")
    jobs.work_on_import(work.pk)
    assert not Output.objects.filter(item__study=empty).exists()
    refusal = refusal_of(ImportWork.objects.get())
    assert refusal is not None
    places = {(problem.file, problem.line, problem.column) for problem in refusal.problems}
    assert ("table.csv", 21, 5) in places
    assert {column for _file, _line, column in places} == {4, 5}
    shown = page(rosas_browser, OF_NEW)
    assert '<td class="ew-number">21</td><td class="ew-number">5</td>' in shown
    assert "Change how the file is read" in shown
    again = page(rosas_browser, f"{NEW}?file={work.given['file']}&again=1")
    assert "rater: rater" in again


def test_another_file_waits_until_the_first_is_stored(mine: Study, rosas_browser: Client) -> None:
    work = asked(rosas_browser)
    token = token_of(upload(rosas_browser, SIMPLE.replace("W1", "W3")))
    assert send(rosas_browser, token, "import", **CHOSEN)["Location"] == PROGRESS
    assert "Another file is being imported into this study." in page(rosas_browser)
    assert ImportWork.objects.get() == work
    assert "being imported in the background" in str(deleting.prospect(mine).blocks[0].sentence)


@pytest.mark.parametrize("at", ["reading", "storing"])
def test_a_worker_that_dies_leaves_nothing_half_stored(
    mine: Study, rosas_browser: Client, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    """The connection is gone in the middle: the rows stay as they were, and the next worker does it all."""
    work = asked(rosas_browser)
    with monkeypatch.context() as patch:

        def die(*_given: Any, **_more: Any) -> None:
            raise InterfaceError("connection already closed")

        if at == "reading":
            patch.setattr(importing, "_stage", die)
        else:
            patch.setattr(storing.events, "log", die)
        jobs.work_on_import(work.pk)
    assert not Rating.objects.exists()
    mine.refresh_from_db()
    assert not mine.is_frozen
    assert ImportWork.objects.get().state == "working"
    sent: list[int] = []
    monkeypatch.setattr(broker, "send", lambda _job, ids, **_rest: sent.extend(ids))
    background.WORK.notify_again()
    assert sent == []
    ImportWork.objects.update(asked_at=Now() - timedelta(seconds=2 * AGAIN))
    background.WORK.notify_again()
    assert sent == [work.pk]
    jobs.work_on_import(work.pk)
    assert Rating.objects.count() == 2


def test_an_import_that_nobody_could_do_is_given_up(mine: Study, rosas_browser: Client) -> None:
    asked(rosas_browser)
    ImportWork.objects.update(asked_at=Now() - timedelta(seconds=2 * GIVEN_UP))
    background.WORK.notify_again()
    assert "This could not be done within an hour. Nothing was changed." in page(rosas_browser)


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (SoftTimeLimitExceeded(), "This took longer than a background worker may take."),
        (RuntimeError("a bug"), "An error occurred on the server."),
    ],
)
def test_a_failure_says_that_nothing_was_stored(
    mine: Study, rosas_browser: Client, monkeypatch: pytest.MonkeyPatch, error: Exception, sentence: str
) -> None:
    def fail(*_given: Any, **_more: Any) -> None:
        raise error

    work = asked(rosas_browser)
    monkeypatch.setattr(storing, "store", fail)
    jobs.work_on_import(work.pk)
    assert sentence in page(rosas_browser)
    assert not Rating.objects.exists()


def test_nobody_imports_who_may_no_longer(mine: Study, rosa: User, rosas_browser: Client) -> None:
    work = asked(rosas_browser)
    Membership.objects.filter(study=mine).update(role="viewer")
    jobs.work_on_import(work.pk)
    assert ImportWork.objects.get().notes == [
        "The person who started this may no longer import into the study. Somebody else has to start it again."
    ]
    assert not Rating.objects.exists()


def test_a_file_that_is_gone_and_a_study_that_changed_are_refused(empty: Study, rosas_browser: Client) -> None:
    work = put_table(rosas_browser)
    uploads.forget(empty, work.given["file"])
    jobs.work_on_import(work.pk)
    assert "The uploaded file was deleted after a day." in page(rosas_browser, OF_NEW)


def test_problems_go_when_a_rater_is_erased(mine: Study, rosas_browser: Client) -> None:
    """They may quote a rater of the file."""
    work = asked(rosas_browser)
    jobs.work_on_import(work.pk)
    erasure.erase(rater=mine.raters.first())
    assert not ImportWork.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_how_far_it_is_is_seen_while_it_is_done(
    tmp_path: Path, rosa: User, rosas_browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The transaction of the import is not over when its page tells how many rows were read, and stored."""
    Membership.objects.create(study=kit.study(tmp_path), user=rosa, role="editor")
    monkeypatch.setattr(importing, "TOLD", 1)
    work = asked(rosas_browser)
    other = connection.copy()
    seen: list[str] = []
    tell = progress.Progress.tell

    def telling(told: progress.Progress, sentence: str) -> None:
        tell(told, sentence)
        with other.cursor() as cursor:
            cursor.execute("SELECT progress, (SELECT count(*) FROM tasks_app_rating) FROM tasks_app_importwork")
            seen.append("{}: {}".format(*cursor.fetchone()))

    monkeypatch.setattr(progress.Progress, "tell", telling)
    try:
        jobs.work_on_import(work.pk)
    finally:
        other.close()
    assert seen == [
        "1 rows read and checked: 0", "2 rows read and checked: 0", "Comparing the rows with each other: 0",
        "Storing the judgments: 0", "2 ratings stored: 0",
    ]  # fmt: skip
    assert Rating.objects.count() == 2
