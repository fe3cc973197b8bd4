"""Files of a named format in the browser: recognised, shown, changed by the researcher, and stored as a study."""

from urllib.parse import urlsplit

import pytest
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from tasks_app import jobs
from tasks_app.importing import background
from tasks_app.models import ImportWork, Rating, Study
from tests.tasks_app.importing.named.miniatures import MINIATURES, zipped

pytestmark = pytest.mark.django_db


def begun(browser: Client, name: str, content: bytes) -> str:
    """Begin a study with a file, as the first page does; return the address of the page that follows."""
    given = {
        "texts": "one-table",
        "title": "Theirs",
        "public_title": "Reading",
        "file": SimpleUploadedFile(name, content),
    }
    answer = browser.post(reverse("researcher:new"), given, follow=True)
    return str(answer.redirect_chain[-1][0])


def parameters(address: str) -> tuple[str, str]:
    parts = urlsplit(address)
    return parts.path, parts.query.removeprefix("file=")


def test_a_file_of_a_known_format_is_recognised_and_stored(rosas_browser: Client) -> None:
    """The page names the format and why, shows what is read, and stores nothing before its button is pressed."""
    path, token = parameters(begun(rosas_browser, *MINIATURES["wmt-mqm"].upload))
    assert path.endswith("/of-format/")
    page = rosas_browser.get(path, {"file": token}).content.decode()
    assert "This is a file of WMT MQM (TSV)" in page
    assert "has the columns system, doc, rater, category and severity" in page
    assert "3 texts, 2 systems, 4 ratings, 2 raters" in page
    assert "sentense" in page
    assert not Rating.objects.exists()
    sent = {"file": token, "format": "wmt-mqm", "weights": "marot", "action": "store"}
    answer = rosas_browser.post(path, sent, follow=True)
    assert "Errors are weighted as in Marot" in answer.content.decode()
    study = Study.objects.get()
    assert (study.title, study.state, Rating.objects.count()) == ("Theirs", Study.State.CLOSED, 3)


def test_the_researcher_may_choose_another_format(rosas_browser: Client) -> None:
    """Label Studio and Argilla write JSON; a file that is none of the chosen format is refused with a sentence."""
    path, token = parameters(begun(rosas_browser, *MINIATURES["label-studio"].upload))
    sent = {"file": token, "format": "argilla", "action": "check"}
    answer = rosas_browser.post(path, sent)
    assert answer.status_code == 422
    page = answer.content.decode()
    assert "There are no ratings in it that can be read as Argilla." in page
    assert "You chose this format; the file does not say so itself." in page
    assert not Rating.objects.exists()
    back = rosas_browser.post(path, {**sent, "format": "label-studio", "system": "", "text": "text2"})
    assert back.status_code == 200
    assert "Store and analyse" in back.content.decode()


def test_its_columns_may_be_mapped_instead(rosas_browser: Client) -> None:
    path, token = parameters(begun(rosas_browser, "labels.csv", MINIATURES["crowd-kit"].files["labels.csv"].encode()))
    assert "This looks like a file of crowd-kit" in rosas_browser.get(path, {"file": token}).content.decode()
    answer = rosas_browser.post(path, {"file": token, "format": "crowd-kit", "action": "columns"}, follow=True)
    assert answer.redirect_chain[-1][0].split("?")[0].endswith("/one-table/")
    assert "rater: worker" in answer.content.decode()


def test_another_file_is_kept_no_longer(rosas_browser: Client) -> None:
    path, token = parameters(begun(rosas_browser, *MINIATURES["pearmut"].upload))
    folder = f"studies/{Study.objects.get().pk}/imports"
    assert default_storage.listdir(folder)[0] == [token]
    rosas_browser.post(path, {"file": token, "format": "pearmut", "action": "cancel"})
    assert default_storage.listdir(folder)[0] == []


def test_a_table_of_no_known_format_is_mapped_as_before(rosas_browser: Client) -> None:
    path, _token = parameters(begun(rosas_browser, "r.csv", b"rater,item,system,output,value\na,i,s,Text.,3\n"))
    assert path.endswith("/one-table/")


def test_a_zip_that_is_no_known_format_is_refused(rosas_browser: Client) -> None:
    file = SimpleUploadedFile("x.zip", zipped({"a.bin": b"\x00\x01"}))
    given = {"texts": "one-table", "title": "T", "public_title": "T", "file": file}
    answer = rosas_browser.post(reverse("researcher:new"), given)
    assert answer.status_code == 422
    assert "x.zip" in answer.content.decode()
    assert not Study.objects.exists()


def test_the_tab_data_offers_the_formats_that_fit(rosas_browser: Client) -> None:
    """A study without marked errors is not offered as MQM, and its address answers 404."""
    path, token = parameters(begun(rosas_browser, *MINIATURES["crowd-kit"].upload))
    rosas_browser.post(path, {"file": token, "format": "crowd-kit", "action": "store"})
    slug = Study.objects.get().slug
    page = rosas_browser.get(reverse("analytics:data", args=[slug])).content.decode()
    assert reverse("analytics:as_format", args=[slug, "parquet"]) in page
    assert "/as/wmt-mqm/" not in page
    assert rosas_browser.get(reverse("analytics:as_format", args=[slug, "wmt-mqm"])).status_code == 404
    answer = rosas_browser.get(reverse("analytics:as_format", args=[slug, "parquet"]))
    content = b"".join(answer.streaming_content)
    assert content[:4] == content[-4:] == b"PAR1"
    assert answer["Content-Disposition"].endswith('-parquet.parquet"')


def test_a_large_file_of_a_known_format_is_read_by_a_worker(
    rosas_browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page does not read it; the choice of the format stays for whoever comes back to change it."""
    monkeypatch.setattr(background, "LARGE", 1)
    path, token = parameters(begun(rosas_browser, *MINIATURES["wmt-mqm"].upload))
    page = rosas_browser.get(path, {"file": token}).content.decode()
    assert "a background worker reads it" in page
    assert "3 texts" not in page
    sent = {"file": token, "format": "wmt-mqm", "weights": "marot"}
    checked = rosas_browser.post(path, {**sent, "action": "check"})
    assert checked["Location"] == reverse("researcher:import_progress", args=[Study.objects.get().slug])
    jobs.work_on_import(ImportWork.objects.get().pk)
    assert "3 texts, 2 systems, 4 ratings, 2 raters. Nothing is stored yet." in (
        rosas_browser.get(checked["Location"]).content.decode()
    )
    again = rosas_browser.get(path, {"file": token, "again": "1"}).content.decode()
    assert '<option value="marot" selected>' in again
    assert not Rating.objects.exists()
    rosas_browser.post(path, {**sent, "action": "store"})
    jobs.work_on_import(ImportWork.objects.get().pk)
    assert "Errors are weighted as in Marot" in rosas_browser.get(checked["Location"]).content.decode()
    assert (Study.objects.get().state, Rating.objects.count()) == (Study.State.CLOSED, 3)
