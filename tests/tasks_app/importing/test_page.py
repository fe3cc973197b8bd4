"""Importing on the page: upload, match the columns, check, import; without scripts."""

import gzip
import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries, Settings

from tasks_app.importing import uploads
from tasks_app.models import ImportMapping, Membership, Rating, Study
from tests.tasks_app.importing import kit
from tests.tasks_app.importing.test_mapping import MAP, THEIRS

pytestmark = pytest.mark.django_db

PATH = "/admin/studies/fluency/import/"

# What the selects of the second page say for the file of others.
CHOSEN = {
    "mode": "columns",
    "repeats": "refuse",
    "column-rater": "worker",
    "column-item": "segment",
    "column-system": "mt",
    "column-criterion": "aspect",
    "column-value": "score",
}

# A file that needs no words replaced.
SIMPLE = "worker,segment,mt,aspect,score,round\nW1,i1,alpha,style,4,final\nW2,i1,beta,Fluency,5,pilot\n"


@pytest.fixture
def mine(draft: Study, rosa: User) -> Study:
    """A draft that rosa may edit."""
    Membership.objects.create(study=draft, user=rosa, role="editor")
    return draft


def upload(browser: Client, content: str | bytes = SIMPLE, name: str = "theirs.csv", **more: str) -> Any:
    """Send a file as the first page does."""
    file = SimpleUploadedFile(name, content.encode() if isinstance(content, str) else content)
    return browser.post(PATH, {"action": "upload", "file": file, **more})


def token_of(answer: Any) -> str:
    """Return the token that the redirect to the second page carries."""
    assert answer.status_code == 302, answer.content.decode()
    return str(answer["Location"].partition("file=")[2].partition("&")[0])


def send(browser: Client, token: str, action: str, **fields: str) -> Any:
    """Press a button of the second page."""
    return browser.post(PATH, {"file": token, "action": action, **fields})


def kept_files() -> list[str]:
    """Return the uploads that are kept."""
    found = []
    for study in default_storage.listdir("studies")[0] if default_storage.exists("studies") else []:
        folder = f"studies/{study}/imports"
        for token in default_storage.listdir(folder)[0] if default_storage.exists(folder) else []:
            found += [name for name in default_storage.listdir(f"{folder}/{token}")[1] if not name.startswith(".")]
    return found


def selected(page: str, name: str) -> str:
    """Return the chosen option of a select of a page."""
    options = page.partition(f'name="{name}"')[2].partition("</select>")[0]
    return options.partition(" selected")[0].rpartition('value="')[2].partition('"')[0]


def test_from_a_file_to_stored_ratings(mine: Study, rosas_browser: Client, rosa: User) -> None:
    page = rosas_browser.get(PATH).content.decode()
    assert "freezes its design" in page
    token = token_of(upload(rosas_browser))
    page = rosas_browser.get(f"{PATH}?file={token}").content.decode()
    assert {name: selected(page, name) for name in CHOSEN if name.startswith("column-")} == {
        name: value for name, value in CHOSEN.items() if name.startswith("column-")
    }
    assert '<td dir="auto">alpha</td>' in page
    checked = send(rosas_browser, token, "check", **CHOSEN)
    assert checked.status_code == 200
    assert "2 ratings, 2 judgments, 2 raters. Nothing is stored yet." in checked.content.decode()
    assert "1 column is not mapped" in checked.content.decode()
    assert not Rating.objects.exists()
    assert kept_files() == ["theirs.csv"]
    stored = send(rosas_browser, token, "import", **CHOSEN, save_as="pilot")
    assert (stored.status_code, stored["Location"]) == (302, PATH)
    page = rosas_browser.get(PATH).content.decode()
    assert "Stored: 2 ratings, 2 judgments, 2 raters." in page
    assert "pilot" in page
    assert kit.ratings(mine) == [("W1", "i1/alpha", "style", 4.0), ("W2", "i1/beta", "fluency", 5.0)]
    assert mine.events.get(verb="imported").actor == rosa
    assert not kept_files()
    assert ImportMapping.objects.get().document["columns"]["rater"] == "worker"


def test_what_is_chosen_becomes_a_mapping(mine: Study, rosas_browser: Client) -> None:
    token = token_of(upload(rosas_browser, SIMPLE.replace(",style,", ",,").replace(",Fluency,", ",,")))
    fields = CHOSEN | {
        "column-criterion": "", "constant-criterion": "style", "constant-task": "reading", "where-1": "round",
        "word-1": "final", "repeats": "keep",
    }  # fmt: skip
    page = send(rosas_browser, token, "text", **fields).content.decode()
    for line in (
        "columns:",
        "  rater: worker",
        "constant:",
        "  task: reading",
        "where:",
        "  round: final",
        "repeats: keep",
    ):
        assert line in page
    assert send(rosas_browser, token, "import", **fields).status_code == 302
    assert kit.ratings(mine) == [("W1", "i1/alpha", "style", 4.0)]


def test_problems_are_listed_with_their_places_and_can_be_mended(mine: Study, rosas_browser: Client) -> None:
    token = token_of(upload(rosas_browser, THEIRS))
    refused = send(rosas_browser, token, "import", **CHOSEN)
    page = refused.content.decode()
    assert refused.status_code == 422
    assert "nothing was stored" in page
    assert "There is no such system. Known are: alpha, beta." in page
    assert '<td class="ew-number">2</td><td class="ew-number">3</td>' in page
    assert selected(page, "column-rater") == "worker", "what was chosen stays"
    assert not Rating.objects.exists()
    text = send(rosas_browser, token, "text", **CHOSEN).content.decode()
    assert "rater: worker" in text
    wrong = send(rosas_browser, token, "check", mode="text", text=MAP.replace("rater:", "rate:"))
    assert wrong.status_code == 422
    assert "columns.rate: unknown name." in wrong.content.decode()
    assert "System A: alpha" in wrong.content.decode(), "what was written stays"
    assert send(rosas_browser, token, "import", mode="text", text=MAP.replace("\n", "\r\n")).status_code == 302
    assert len(kit.ratings(mine)) == 3


def test_a_saved_mapping_reads_the_next_file(mine: Study, rosas_browser: Client) -> None:
    token = token_of(upload(rosas_browser, THEIRS))
    send(rosas_browser, token, "import", mode="text", text=MAP, save_as="their way")
    answer = upload(rosas_browser, gzip.compress(THEIRS.replace("W", "V").encode()), "more.csv.gz", mapping="their way")
    page = rosas_browser.get(answer["Location"]).content.decode()
    assert "System A" in page
    assert 'value="their way"' in page
    assert send(rosas_browser, token_of(answer), "import", mode="text", text=MAP).status_code == 302
    assert len(kit.ratings(mine)) == 6
    gone = rosas_browser.post(PATH, {"action": "delete", "name": "their way"})
    assert gone.status_code == 302
    assert not ImportMapping.objects.exists()
    assert mine.events.filter(verb="deleted mapping", object="their way").exists()


@pytest.mark.parametrize("name", ["their way", "a\x00b"])
def test_a_mapping_that_is_not_there_is_said(mine: Study, rosas_browser: Client, name: str) -> None:
    answer = rosas_browser.post(PATH, {"action": "delete", "name": name}, follow=True)
    assert answer.status_code == 200
    assert "There is no mapping with that name." in answer.content.decode()
    query = {"file": token_of(upload(rosas_browser)), "map": name}
    page = rosas_browser.get(PATH, query)
    assert page.status_code == 200
    assert selected(page.content.decode(), "column-rater") == "worker"


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("ratings.xls", b"PK", "is not a table that can be read here"),
        ("ratings.csv.gz", b"\x1f\x8bbroken", "This gzip file is damaged"),
        ("ratings.csv", b"PK\x03\x04 and more", "This workbook is damaged"),
        ("ratings.zip", b"item,rater,value\n1,a,2\n", "is not a zip, although its name says so."),
        ("ratings.csv", b"item,ra\x00ter,value\n1,a,2\n", "The name of this column cannot be used: Character 3"),
        ("ratings.csv", b"", "This file is empty."),
        ("ratings.jsonl", b"\n \n", "This file is empty."),
    ],
)
def test_a_file_of_another_kind_is_refused_at_once(
    mine: Study, rosas_browser: Client, name: str, content: bytes, said: str
) -> None:
    answer = upload(rosas_browser, content, name)
    if answer.status_code == 302:
        answer = rosas_browser.get(answer["Location"])
    assert answer.status_code == 422
    assert said in answer.content.decode()
    assert not kept_files()


def test_an_upload_is_refused_by_its_size(mine: Study, rosas_browser: Client, settings: Settings) -> None:
    settings.STUDY_FILE_LIMITS = {"upload_bytes": 50}
    answer = upload(rosas_browser)
    assert answer.status_code == 422
    assert "at most 50 bytes can be uploaded" in answer.content.decode()
    settings.STUDY_FILE_LIMITS = {"table_bytes": 50}
    refused = upload(rosas_browser)
    assert refused.status_code == 422
    assert "Commands of manage.py take larger ones" in refused.content.decode()


def test_nothing_sent_is_said_too(mine: Study, rosas_browser: Client) -> None:
    answer = rosas_browser.post(PATH, {"action": "upload"})
    assert answer.status_code == 422
    assert "This field is required" in answer.content.decode()
    token = token_of(upload(rosas_browser))
    bad = send(rosas_browser, token, "import", **CHOSEN | {"column-rater": "nobody"})
    assert bad.status_code == 422
    assert "Select a valid choice" in bad.content.decode()
    named = send(rosas_browser, token, "check", mode="text", text=MAP, save_as="x" * 101)
    assert "A name is needed" in named.content.decode()


def test_an_upload_belongs_to_its_study(mine: Study, rosas_browser: Client, rosa: User, tmp_path: Path) -> None:
    token = token_of(upload(rosas_browser))
    other = kit.study(tmp_path, slug="other")
    Membership.objects.create(study=other, user=rosa, role="owner")
    page = rosas_browser.get(f"/admin/studies/other/import/?file={token}").content.decode()
    assert "Upload it again" in page
    for wrong in ("../../x", token[:-1], "x" * 22, ""):
        answer = send(rosas_browser, wrong, "import", **CHOSEN)
        assert answer.status_code == 200
        assert not Rating.objects.exists()
    assert send(rosas_browser, token, "cancel").status_code == 302
    assert not kept_files()


def test_names_of_uploads_are_made_safe(mine: Study, rosas_browser: Client) -> None:
    for name in ("../../etc/passwd.csv", "a b\u202ec.csv", "x" * 300 + ".csv", ".csv"):
        upload(rosas_browser, SIMPLE, name)
    names = kept_files()
    assert all(len(name) <= 80 and "/" not in name and name.isprintable() for name in names), names
    assert len(names) == 3, "a name that is only a suffix says no format"


def test_uploads_that_nobody_came_back_for_are_deleted(
    mine: Study, rosas_browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = token_of(upload(rosas_browser))
    now = timezone.now() + timedelta(hours=25)
    monkeypatch.setattr(uploads.timezone, "now", lambda: now)
    upload(rosas_browser)
    assert len(kept_files()) == 1
    assert uploads.find(mine, old) is None


def test_other_files_of_the_study_stay(mine: Study, rosas_browser: Client) -> None:
    default_storage.save(f"studies/{mine.pk}/abc", SimpleUploadedFile("abc", b"media"))
    token = token_of(upload(rosas_browser))
    send(rosas_browser, token, "cancel")
    assert default_storage.exists(f"studies/{mine.pk}/abc")


def test_the_page_asks_little(
    mine: Study, rosas_browser: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    token = token_of(upload(rosas_browser))
    with django_assert_max_num_queries(15):
        rosas_browser.get(PATH)
    with django_assert_max_num_queries(15):
        rosas_browser.get(f"{PATH}?file={token}")


def test_a_viewer_imports_nothing(mine: Study, mallorys_browser: Client, mallory: User) -> None:
    Membership.objects.create(study=mine, user=mallory, role="viewer")
    assert upload(mallorys_browser).status_code == 404
    Membership.objects.filter(user=mallory).update(role="editor")
    assert upload(mallorys_browser).status_code == 302


def test_nested_json_offers_its_paths_and_shows_the_rows(mine: Study, rosas_browser: Client) -> None:
    record = {"id": "i1", "mt": "alpha", "notes": [{"by": "ann", "score": 4}, {"by": "bob", "score": 9}]}
    token = token_of(upload(rosas_browser, json.dumps([record]).encode(), "r.json"))
    page = rosas_browser.get(f"{PATH}?file={token}").content.decode()
    assert '<option value="notes[*].score">' in page
    chosen = {
        "column-rater": "notes[*].by", "column-item": "id", "column-system": "mt", "column-value": "notes[*].score",
        "constant-criterion": "style", "repeats": "refuse", "mode": "columns", "file": token,
    }  # fmt: skip
    refused = rosas_browser.post(PATH, {**chosen, "action": "check"})
    assert refused.status_code == 422
    text = refused.content.decode()
    assert "must be from 1 to 5, the scale of this task; it is 9." in text
    assert text.index("The first rows as evalweb reads them") < text.index('<td dir="auto">bob</td>')


def test_a_file_without_a_header_is_noticed(mine: Study, rosas_browser: Client) -> None:
    token = token_of(upload(rosas_browser, b"ann,i1,alpha,4\nbob,i1,alpha,3\n"))
    page = rosas_browser.get(f"{PATH}?file={token}").content.decode()
    assert f'<a href="?file={token}&amp;header=none">' in page
    page = rosas_browser.get(f"{PATH}?file={token}&header=none").content.decode()
    assert '<option value="4">4</option>' in page
    chosen = {
        **{f"column-{name}": str(n) for n, name in enumerate(("rater", "item", "system", "value"), start=1)},
        "constant-criterion": "style", "repeats": "refuse", "mode": "columns", "file": token, "header": "none",
    }  # fmt: skip
    assert rosas_browser.post(PATH, {**chosen, "action": "import"}).status_code == 302
    assert kit.ratings(mine) == [("ann", "i1/alpha", "style", 4.0), ("bob", "i1/alpha", "style", 3.0)]
