"""A researcher's pages, through their addresses."""

import io
import re
import zipfile

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from tasks_app.models import Event, Item, Membership, Rater, Study
from tests.browser.conftest import STUDY
from tests.builders import build_study

pytestmark = pytest.mark.django_db

YAML = STUDY.format(slug="from-a-zip", type="likert", layout="single", size=2)
SURE = {"action": "open", "sure": "yes"}
ITEMS = "item,system,output\na,north,One\na,south,Two\nb,north,Three\nb,south,Four\n"


def packed(**files: str) -> bytes:
    """Make a zip of a study file."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for name, text in files.items():
            archive.writestr(name.replace("_", "."), text)
    return target.getvalue()


def upload(browser: Client, content: bytes, **more: str) -> tuple[int, str]:
    """Load a zip and return status and page."""
    file = SimpleUploadedFile("study.zip", content, content_type="application/zip")
    answer = browser.post("/admin/studies/load/", {"file": file, **more})
    return answer.status_code, answer.content.decode()


def test_a_study_is_loaded_opened_and_exported(rosas_browser: Client, rosa: User) -> None:
    status, _page = upload(rosas_browser, packed(study_yaml=YAML, items_csv=ITEMS))
    assert status == 302
    study = Study.objects.get()
    assert Membership.objects.get(study=study).user == rosa
    assert rosas_browser.post("/admin/studies/from-a-zip/move/", SURE).status_code == 302
    study.refresh_from_db()
    assert (study.state, study.current_version) == ("open", 1)
    version = study.versions.get()
    assert version.document["study"]["slug"] == "from-a-zip"
    exported = b"".join(rosas_browser.get("/admin/studies/from-a-zip/file/"))
    with zipfile.ZipFile(io.BytesIO(exported)) as archive:
        assert {"study.yaml", "items.csv"} <= set(archive.namelist())
    logged = Event.objects.order_by("id").values_list("verb", "object")
    assert list(logged)[-2:] == [("opened", ""), ("exported", "study file")]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "empty"),
        (b"not a zip at all", "zip"),
        (packed(study_yaml=YAML), "items"),
        (packed(study_yaml=YAML, items_csv=ITEMS.replace("b,south", "b,north")), "items.csv"),
        (packed(study_yaml=YAML.replace("k: 5", "k: many"), items_csv=ITEMS), "whole number"),
        (packed(study_yaml=YAML, items_csv="item,system,output\n"), "items.csv"),
    ],
    ids=["0 bytes", "no zip", "no items", "duplicate", "wrong type", "0 outputs"],
)
def test_a_bad_file_is_explained_and_stores_nothing(rosas_browser: Client, content: bytes, said: str) -> None:
    status, page = upload(rosas_browser, content)
    assert status == 422
    assert said in page
    assert "nothing was stored" in page
    assert not Study.objects.exists()
    assert upload(rosas_browser, packed(study_yaml=YAML, items_csv=ITEMS))[0] == 302


@pytest.mark.parametrize(("kibibytes", "status"), [(64 * 1024 + 1, 422), (80 * 1024, 413)])
def test_a_file_that_is_too_large_is_refused_by_its_size(
    rosas_browser: Client, monkeypatch: pytest.MonkeyPatch, kibibytes: int, status: int
) -> None:
    monkeypatch.setattr(SimpleUploadedFile, "chunks", lambda _self: pytest.fail("it was read"))
    file = SimpleUploadedFile("study.zip", b"PK" + bytes(kibibytes * 1024))
    answer = rosas_browser.post("/admin/studies/load/", {"file": file})
    assert answer.status_code == status
    assert "at most" in answer.content.decode()
    assert not Study.objects.exists()


def test_a_draft_is_replaced_only_where_asked_and_never_once_it_was_opened(rosas_browser: Client) -> None:
    good = packed(study_yaml=YAML, items_csv=ITEMS)
    longer = packed(study_yaml=YAML, items_csv=ITEMS + "c,north,Five\n")
    assert upload(rosas_browser, good)[0] == 302
    assert upload(rosas_browser, longer)[0] == 422
    assert upload(rosas_browser, longer, replace="on")[0] == 302
    assert Item.objects.count() == 3
    rosas_browser.post("/admin/studies/from-a-zip/move/", SURE)
    assert upload(rosas_browser, good, replace="on")[0] == 422
    assert Item.objects.count() == 3


def test_nobody_replaces_a_study_of_somebody_else(rosas_browser: Client, mallorys_browser: Client) -> None:
    good = packed(study_yaml=YAML, items_csv=ITEMS)
    assert upload(rosas_browser, good)[0] == 302
    assert upload(mallorys_browser, good, replace="on")[0] == 422
    assert Membership.objects.get().user.username == "rosa"


def test_closing_asks_once_more(rosas_browser: Client, study: Study) -> None:
    path = f"/admin/studies/{study.slug}/move/"
    asked = rosas_browser.post(path, {"action": "close"})
    assert "Close this study?" in asked.content.decode()
    study.refresh_from_db()
    assert study.state == "open"
    rosas_browser.post(path, {"action": "close", "sure": "yes"})
    study.refresh_from_db()
    assert study.state == "closed"


def test_a_move_that_is_not_possible_says_why(rosas_browser: Client, rosa: User) -> None:
    empty = build_study(rosa, slug="empty", items=0, opened=False)
    page = rosas_browser.post("/admin/studies/empty/move/", SURE, follow=True)
    assert "has nothing to judge" in page.content.decode()
    empty.refresh_from_db()
    assert (empty.state, empty.current_version) == ("draft", 0)
    page = rosas_browser.post("/admin/studies/empty/move/", {"action": "pause"}, follow=True)
    assert "not possible" in page.content.decode()


@pytest.mark.exhaustive
def test_the_list_and_the_monitor_ask_as_much_for_many_as_for_one(
    rosas_browser: Client, rosa: User, study: Study, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(5):
        build_study(rosa, slug=f"more-{number}")
    for number in range(20):
        Rater.objects.create(study=study, pseudonym=f"r{number}", seed=1, token_hash=str(number), version=1)
    with django_assert_max_num_queries(8):
        assert rosas_browser.get("/admin/studies/").status_code == 200
    with django_assert_max_num_queries(15):
        assert rosas_browser.get(f"/admin/studies/{study.slug}/monitor/").status_code == 200
    with django_assert_max_num_queries(15):
        assert rosas_browser.get(f"/admin/studies/{study.slug}/items/").status_code == 200


def test_texts_come_in_pages_of_fifty_outputs_and_are_searched(rosa: User, rosas_browser: Client) -> None:
    study = build_study(rosa, slug="many-texts", items=30)
    address = f"/admin/studies/{study.slug}/items/"

    def shown(**query: str) -> set[str]:
        html = rosas_browser.get(address, query).content.decode()
        return set(re.findall(r'class="ew-key">(\w+)', html))

    first, second = shown(), shown(page="2")
    assert (len(first), len(second), first & second) == (25, 5, set()), "25 items with two outputs each"
    item = study.items.order_by("pk").last()
    output = item.outputs.first()
    assert shown(q=item.key.upper()) == {item.key}
    assert item.key in shown(q=output.text)
    assert "No item has these words." in rosas_browser.get(address, {"q": "no-such-words"}).content.decode()
    assert shown(q="\0") == first
