"""The tab Data: who may take out what, and that it is written down."""

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError
from django.test import Client
from pytest_django import Settings

from analytics_app.archive.keys import LINE, KeyRing, now
from analytics_app.exports import ratings, size
from analytics_app.exports.ratings import COLUMNS
from tasks_app.models import Membership, Study
from tasks_app.services.study import lifecycle
from tests.analytics_app.builders import build_run, slider_rows
from tests.analytics_app.filling import Filler
from tests.analytics_app.views.reading import page, tables, text

pytestmark = pytest.mark.django_db


@pytest.fixture
def address(study: Study) -> str:
    """The tab of rosa's study, in which ada has judged once."""
    Filler(study).judge("ada", "i0", "alpha-mt", {"fluency": 2})
    return f"/admin/studies/{study.slug}/data/"


@pytest.fixture
def editors_browser(study: Study) -> Client:
    """An editor of rosa's study, signed in."""
    editor = User.objects.create_user("eda", is_staff=True)
    Membership.objects.create(study=study, user=editor, role="editor")
    client = Client()
    client.force_login(editor)
    return client


def body(browser: Client, address: str, status: int = 200) -> str:
    """Return a streamed file as text."""
    answer = browser.get(address)
    assert answer.status_code == status
    return b"".join(answer).decode()


def test_an_owner_takes_ratings_out_while_the_study_is_open_and_the_log_says_so(
    rosas_browser: Client, study: Study, address: str, rosa: User
) -> None:
    assert "1 row, with raters under their pseudonyms." in text(page(rosas_browser, address))
    rows = list(csv.DictReader(io.StringIO(body(rosas_browser, f"{address}ratings.csv"))))
    assert list(rows[0])[: len(COLUMNS)] == list(COLUMNS)
    assert (rows[0]["rater"], rows[0]["system"], rows[0]["value"]) == ("ada", "alpha-mt", "2")
    event = study.events.first()
    assert (event.verb, event.object, event.actor, event.after) == (
        "exported",
        "ratings as csv",
        rosa,
        {"state": "open"},
    )
    line = json.loads(body(rosas_browser, f"{address}ratings.jsonl"))
    assert line["value"] == 2
    body(rosas_browser, f"{address}ratings.xlsx", 404)


def test_the_rows_of_a_large_study_are_counted_apart_from_the_page(
    rosas_browser: Client, editors_browser: Client, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: dict[int, Any] = {}
    monkeypatch.setattr(size, "_counted", counted)
    monkeypatch.setattr(size, "MOST_AT_ONCE", 0)
    at_first = rosas_browser.get(address).content.decode()
    assert not counted
    assert f'hx-get="{address}?rows=1"' in at_first
    assert "Ratings as CSV" in at_first
    assert "Formats of other tools" not in at_first
    part = rosas_browser.get(f"{address}?rows=1", headers={"HX-Request": "true"}).content.decode()
    assert "1 row, with raters under their pseudonyms." in part
    assert "Formats of other tools" in part
    assert "<main" not in part
    assert "1 row, with raters" in page(rosas_browser, address), "the process remembers it"
    counted.clear()
    assert "1 row, with raters" in page(rosas_browser, f"{address}?rows=1"), "without scripts it is a page"
    assert editors_browser.get(f"{address}?rows=1", headers={"HX-Request": "true"}).status_code == 404


def test_the_page_says_how_many_rows_the_file_has(rosas_browser: Client, study: Study, address: str) -> None:
    filler = Filler(study)
    # A skip has a row, and so has an answer that found nothing.
    filler.judge("bea", "i1", "alpha-mt", {})
    filler.judge("bea", "i2", "alpha-mt", {}, skip_reason="other", state="skipped")
    # Neither an answer that was replaced is there nor one of somebody who tried the study out.
    first = filler.judge("bob", "i0", "alpha-mt", {"fluency": 4})
    filler.answer(first.assignment, filler.parts["i0", "alpha-mt"], {"fluency": 5}, replaces=first)
    filler.judge("eve", "i0", "beta-mt", {"fluency": 1}, rater_kind="sandbox")
    rows = list(csv.DictReader(io.StringIO(body(rosas_browser, f"{address}ratings.csv"))))
    assert len(rows) == 1 + 1 + 1 + 1
    assert "4 rows, with raters under their pseudonyms." in text(page(rosas_browser, address))


def test_others_wait_until_it_is_closed(editors_browser: Client, study: Study, address: str, rosa: User) -> None:
    said = text(page(editors_browser, address))
    assert "While a study is open, only its owners can export ratings" in said
    assert "Ratings as CSV" not in said
    body(editors_browser, f"{address}ratings.csv", 404)
    lifecycle.move(study_id=study.pk, action="close", by=rosa)
    assert "Ratings as CSV" in text(page(editors_browser, address))
    assert "ada" in body(editors_browser, f"{address}ratings.csv")


def test_a_database_that_fails_first_is_said_on_a_page(
    rosas_browser: Client, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lost(*_about: object, **_how: object) -> Iterator[bytes]:
        yield from ()
        raise OperationalError("the connection is lost")

    monkeypatch.setattr(ratings, "stream", lost)
    assert "please try again" in body(rosas_browser, f"{address}ratings.csv", 503)


def test_without_ratings_and_runs_it_says_where_they_come_from(rosas_browser: Client, study: Study) -> None:
    said = text(page(rosas_browser, f"/admin/studies/{study.slug}/data/"))
    assert "There are no ratings yet. They come from raters, or from a file of yours: Import ratings" in said
    assert "Nothing has been computed yet. Start a run from the tab Results." in said


def test_results_are_offered_and_what_is_hidden_is_said(rosas_browser: Client, study: Study, address: str) -> None:
    build_run(study, slider_rows())
    html = page(rosas_browser, address)
    assert f"/admin/studies/{study.slug}/results/1/results.csv" in html
    assert "Rows that tell systems apart are left out until the study is closed." in text(html)


def test_every_column_is_explained(rosas_browser: Client, study: Study, address: str) -> None:
    ratings, results = (rows for _caption, rows in tables(page(rosas_browser, address)))
    assert {*COLUMNS, "feature_…", "system_…"} == {row[0] for row in ratings[1:]}
    assert all(row[2].endswith((".", ")")) for row in (*ratings[1:], *results[1:]))


def test_the_code_for_a_notebook_names_this_study(rosas_browser: Client, study: Study, address: str) -> None:
    assert f"http://testserver/api/v1/studies/{study.slug}" in page(rosas_browser, address)


def test_damaged_keys_are_said_instead_of_an_error(
    rosas_browser: Client, study: Study, address: str, rosa: User, settings: Settings, tmp_path: Path
) -> None:
    """What signs archives is one line of a file that somebody may have edited."""
    build_run(study, slider_rows(study))
    lifecycle.move(study_id=study.pk, action="close", by=rosa)
    settings.EVALWEB_SECRETS = tmp_path / "secrets"
    said = "the keys with which this site signs archives are damaged"
    for damage in (b"{", b"\xff", b"[" * 100_000):
        settings.EVALWEB_SECRETS.write_bytes(f"{LINE}=".encode() + damage)
        shown = page(rosas_browser, address)
        assert said in text(shown)
        answer = rosas_browser.get(f"{address}archive.zip")
        assert (answer.status_code, answer.headers.get("Location")) == (302, address)
        public = Client()
        assert public.get("/archive-keys/").status_code == 503
        assert "cannot be read at the moment" in public.get("/archive-keys/").content.decode()
        assert public.get("/archive-keys/keys.json").status_code == 503
    settings.EVALWEB_SECRETS.write_text(f"{LINE}={KeyRing.new(now()).write()}", encoding="utf-8")
    assert said not in text(page(rosas_browser, address))
    assert rosas_browser.get(f"{address}archive.zip").headers["Content-Type"] == "application/zip"
