"""The step “Texts” as a researcher meets it: upload, name the columns, check, store, look; without scripts."""

import io
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from tasks_app.models import Output, Setup
from tasks_app.setup import changes, media
from tasks_app.setup.checking import make_study
from tasks_app.setup.texts import reads, samples, writes
from tests.media import png, vtt, wav
from tests.workbooks import workbook

pytestmark = pytest.mark.django_db

PATH = "/admin/studies/example-likert/set-up/texts/"

TABLE = "mr_id,model,output_text,mr\n1,E2E #1,The first text.,one two\n1,b,The second text.,one two\n2,b,A third.,x\n"
# What the page sends for this table if nothing is changed.
CHOSEN = {
    "columns": '["mr_id", "model", "output_text", "mr"]',
    **{f"use-{n}": name for n, name in enumerate(("item", "system", "output", "source"))},
    "items": "column", "unused": "leave", "system": "", "mode": "replace", "quoting": "",
}  # fmt: skip


def upload(browser: Client, content: str | bytes = TABLE, name: str = "texts.csv") -> Any:
    """Send a table as the first page does."""
    file = SimpleUploadedFile(name, content.encode() if isinstance(content, str) else content)
    return browser.post(PATH, {"action": "upload", "file": file})


def token_of(answer: Any) -> str:
    """Return the token that the redirect to the second page carries."""
    assert answer.status_code == 302, answer.content.decode()
    return str(answer["Location"].partition("file=")[2].partition("&")[0])


def send(browser: Client, action: str, content: str | bytes = TABLE, name: str = "texts.csv", **changed: str) -> Any:
    """Upload a table, and press a button of the second page."""
    token = token_of(upload(browser, content, name))
    return browser.post(PATH, {"action": action, "file": token, **CHOSEN, **changed})


def shown(answer: Any, status: int = 200) -> str:
    """Return a page's text."""
    assert answer.status_code == status, answer.content.decode()[:2000]
    return str(answer.content.decode())


def test_an_empty_step_asks_for_a_table(setup: Setup, rosa: User, rosas_browser: Client) -> None:
    writes.remove_rows(setup=setup, rows=reads.search(setup), by=rosa)
    page = shown(rosas_browser.get(PATH))
    assert "Upload your texts" in page
    assert 'type="file"' in page


def test_the_columns_of_a_table_are_guessed_and_can_be_changed(setup: Setup, rosas_browser: Client) -> None:
    page = shown(rosas_browser.get(PATH, {"file": token_of(upload(rosas_browser))}))
    for n, use in enumerate(("item", "system", "output", "source")):
        select = page.partition(f'<select name="use-{n}"')[2].partition("</select>")[0]
        assert f'value="{use}" selected' in select
    assert "The second text." in page


def test_nothing_is_stored_before_it_is_asked_for(setup: Setup, rosas_browser: Client) -> None:
    page = shown(send(rosas_browser, "check"))
    assert "3 outputs of 2 items by 2 systems" in page
    assert "→" not in page, "a key may have any signs"
    assert reads.rows_of(setup).count() == 36


def test_a_table_is_stored_in_place_of_the_texts(setup: Setup, rosas_browser: Client) -> None:
    answer = send(rosas_browser, "store")
    assert (answer.status_code, answer["Location"]) == (302, PATH)
    page = shown(rosas_browser.get(PATH))
    assert "Stored: 3 outputs of 2 items by 2 systems." in page
    assert "The second text." in page
    assert 'value="E2E #1"' in page, "the name of a system stays"
    assert reads.rows_of(setup).count() == 3


def test_a_table_is_added_to_the_texts(setup: Setup, rosas_browser: Client) -> None:
    assert send(rosas_browser, "store", mode="add").status_code == 302
    assert reads.rows_of(setup).count() == 39
    page = shown(send(rosas_browser, "check", mode="add"), 422)
    assert "stand in line" in page, "these rows are there now"


def test_problems_are_shown_and_the_table_comes_back_with_them(setup: Setup, rosas_browser: Client) -> None:
    table = TABLE + "2,b,Again a third.,x\n"
    page = shown(send(rosas_browser, "store", table), 422)
    assert "stand in line 4 already" in page
    assert 'value="marked"' in page
    answer = send(rosas_browser, "marked", table)
    lines = b"".join(answer.streaming_content).decode().splitlines()
    assert lines[0] == "\ufeffproblem,mr_id,model,output_text,mr"
    assert lines[1].startswith(",1,E2E #1")
    assert lines[4].startswith("system: Item “2”") or lines[4].startswith('"system: Item “2”')
    assert reads.rows_of(setup).count() == 36


def test_choices_that_do_not_go_together_are_told(setup: Setup, rosas_browser: Client) -> None:
    assert "Choose the column that holds the outputs" in shown(send(rosas_browser, "store", **{"use-2": ""}), 422)


def test_another_sheet_is_guessed_anew(setup: Setup, rosas_browser: Client) -> None:
    content = workbook(
        {
            "Notes": [["what", "why"], ["a", "b"]],
            "Texts": [["item", "system", "output"], ["1", "a", "A text here"]],
        }
    )
    token = token_of(upload(rosas_browser, content, "texts.xlsx"))
    assert '<option value="Texts">' in shown(rosas_browser.get(PATH, {"file": token}))
    page = shown(rosas_browser.post(PATH, {"action": "look", "file": token, "sheet": "Texts"}))
    assert '<option value="Texts" selected>' in page
    assert "“output” is" in page


@pytest.mark.parametrize(
    ("content", "name", "sentence"),
    [
        (b"", "texts.csv", "This file is empty."),
        (b"x", "texts.pdf", "is not a table that can be read here"),
        (b"PK\x03\x04", "texts.csv", "This workbook is damaged"),
        (b",".join(b"c%d" % n for n in range(401)), "texts.csv", "This table has 401 columns; at most 400"),
    ],
)
def test_a_file_that_cannot_be_read_is_answered_with_advice(
    setup: Setup, rosas_browser: Client, content: bytes, name: str, sentence: str
) -> None:
    answer = upload(rosas_browser, content, name)
    if answer.status_code == 302:
        answer = rosas_browser.get(answer["Location"])
    assert sentence in shown(answer, 422)


def test_texts_are_searched_and_paged(setup: Setup, rosas_browser: Client) -> None:
    rows = [{"item": f"i{n}", "system": "a", "output": f"words {n}."} for n in range(120)]
    writes.store(setup=setup, rows=rows, systems={"a": ""}, by=None)
    assert "Page 3 of 3" in shown(rosas_browser.get(PATH, {"page": "3"}))
    page = shown(rosas_browser.get(PATH, {"q": "words 77.", "system": "a"}))
    assert "i77" in page
    assert "i78" not in page
    assert "No row contains this." in shown(rosas_browser.get(PATH, {"q": "nowhere"}))


def test_rows_are_removed_as_chosen_or_as_found(setup: Setup, rosas_browser: Client) -> None:
    rosas_browser.post(PATH, {"action": "remove", "row": ["1", "2", "x"]})
    assert reads.rows_of(setup).count() == 34
    every = {"action": "remove", "all": "1", "system": "neural"}
    assert "Remove 11 rows?" in shown(rosas_browser.post(PATH, every))
    assert reads.search(setup, system="neural").exists(), "nothing is removed before that is confirmed"
    rosas_browser.post(PATH, {**every, "sure": "1"})
    assert not reads.search(setup, system="neural").exists()
    rosas_browser.post(PATH, {"action": "remove"})
    assert reads.rows_of(setup).exists()


def test_a_row_is_edited_in_a_form(setup: Setup, rosas_browser: Client) -> None:
    rosas_browser.post(f"{PATH}media/", {"uploads": [io.BytesIO(png()), io.BytesIO(png(shade=30))]})
    page = shown(rosas_browser.get(f"{PATH}rows/1/"))
    assert page.count('name="context_image"') == 2
    cells = dict(reads.rows_of(setup).get(number=1).cells)
    answer = rosas_browser.post(f"{PATH}rows/1/", {**cells, "output": "Better now."})
    assert answer.status_code == 302, answer.content.decode()
    assert reads.rows_of(setup).get(number=1).cells == {**cells, "output": "Better now."}
    answer = rosas_browser.post(f"{PATH}rows/1/", {**cells, "seen": "0" * 64}, follow=True)
    assert "Somebody else has changed this row while you were editing" in shown(answer)
    page = shown(rosas_browser.post(f"{PATH}rows/2/", {**cells, "output": "Another."}), 422)
    assert "stand in line 1 already" in page
    assert rosas_browser.get(f"{PATH}rows/999/").status_code == 404


def test_a_picture_or_sound_is_uploaded_and_becomes_an_output(setup: Setup, rosas_browser: Client, rosa: User) -> None:
    late = vtt("Good morning").replace("00:01.000", "00:00.000")
    bad = {"uploads": SimpleUploadedFile("call.vtt", late.encode())}
    assert "This caption ends before it begins." in shown(rosas_browser.post(f"{PATH}media/", bad), 422)
    contents = {"sky.png": png(), "call.wav": wav(0.1), "call.vtt": vtt("Good morning").encode()}
    uploads = [SimpleUploadedFile(name, content) for name, content in contents.items()]
    assert rosas_browser.post(f"{PATH}media/", {"uploads": uploads}).status_code == 302
    page = shown(rosas_browser.get(f"{PATH}rows/1/"))
    names = {file.called: file.name for file in media.files_of(setup)}
    select = page.partition('name="output_file"')[2].partition("</select>")[0]
    assert [name for name in names.values() if f'value="{name}"' in select] == [names["call.wav"], names["sky.png"]]
    cells = dict(reads.rows_of(setup).get(number=1).cells)
    sound = {
        **cells,
        "output": "She says good morning.",
        "output_file": names["call.wav"],
        "captions": names["call.vtt"],
    }
    assert rosas_browser.post(f"{PATH}rows/1/", sound).status_code == 302
    refused = rosas_browser.post(
        f"{PATH}rows/2/", {**reads.rows_of(setup).get(number=2).cells, "captions": names["call.vtt"]}
    )
    assert "Captions belong to a sound or film. Name it in output_file" in shown(refused, 422)
    table = shown(rosas_browser.get(PATH))
    sha256 = names["call.wav"].partition("/")[2].partition(".")[0]
    assert f'src="/admin/studies/example-likert/set-up/media/{sha256}" controls' in table
    assert "She says good morning." in table
    preview = rosas_browser.get("/admin/studies/example-likert/set-up/preview/").content.decode()
    assert f'src="/admin/studies/example-likert/set-up/media/{sha256}"' in preview
    removal = {"action": "remove", "name": names["call.vtt"]}
    assert "shows this file" in shown(rosas_browser.post(f"{PATH}media/", removal, follow=True))
    study, _loaded = make_study(setup=setup, by=rosa)
    output = Output.objects.get(item__study=study, kind="audio")
    assert (output.text, output.captions.kind) == ("She says good morning.", "text/vtt")
    items = shown(rosas_browser.get("/admin/studies/example-likert/items/"))
    assert f'src="/admin/studies/example-likert/set-up/media/{sha256}" controls' in items


def test_a_sample_is_drawn_on_its_page(setup: Setup, rosas_browser: Client) -> None:
    page = shown(rosas_browser.get(f"{PATH}sample/"))
    assert "feature “topic”" in page
    assert "at most 11" in shown(rosas_browser.post(f"{PATH}sample/", {"n": "12"}), 422)
    assert rosas_browser.post(f"{PATH}sample/", {"n": "5", "seed": "9"}).status_code == 302
    page = shown(rosas_browser.get(PATH))
    assert "These are a sample: 5 of 12 items, drawn with seed 9." in page


def test_systems_are_named_on_the_page(setup: Setup, rosas_browser: Client) -> None:
    systems = reads.counts(setup).systems
    data = {f"kind-{one.key}": "human" for one in systems} | {f"name-{systems[0].key}": "Our system"}
    page = shown(rosas_browser.get(PATH))
    assert f'name="base" value="{setup.revision}"' in page
    rosas_browser.post(f"{PATH}systems/", {**data, "base": str(setup.revision)})
    stored = reads.counts(changes.begin(setup.study)).systems
    assert (stored[0].name, {one.kind for one in stored}) == ("Our system", {"human"})
    late = {**data, "base": str(setup.revision), f"name-{systems[0].key}": "Late"}
    answer = rosas_browser.post(f"{PATH}systems/", late, follow=True)
    assert "Somebody else has changed the systems while you were editing" in shown(answer)


@pytest.mark.parametrize("path", ["", "new/", "rows/1/", "sample/", "media/"])
def test_pages_are_there_for_editors_only(setup: Setup, mallorys_browser: Client, path: str) -> None:
    assert mallorys_browser.get(PATH + path).status_code == 404


def bring_back(browser: Client) -> str:
    return shown(browser.post(PATH, {"action": "bring_back"}, follow=True))


def test_rows_that_were_removed_come_back(setup: Setup, rosas_browser: Client) -> None:
    before = list(reads.cells_of_rows(setup))
    rosas_browser.post(PATH, {"action": "remove", "row": ["1", "36"]})
    rosas_browser.post(f"{PATH}new/", {"cell-item": "new", "cell-system": "template", "cell-output": "A row."})
    assert "Restore the 2 removed rows" in shown(rosas_browser.get(PATH))
    assert "2 rows are back." in bring_back(rosas_browser)
    after = list(reads.cells_of_rows(setup))
    assert after[:36] == before, "at their places, and not in place of rows that were added"
    assert "There are no removed or previous rows any more." in bring_back(rosas_browser)


def test_a_sample_can_be_taken_back_and_drawn_again(setup: Setup, rosas_browser: Client, rosa: User) -> None:
    before = list(reads.cells_of_rows(setup))
    samples.take_sample(setup=setup, sample=samples.Sample(4, seed=7), by=rosa)
    assert samples.last_sample(setup) is not None
    assert "24 rows are back." in bring_back(rosas_browser)
    assert list(reads.cells_of_rows(setup)) == before
    assert samples.last_sample(setup) is None


@pytest.mark.parametrize("is_emptied", [False, True])
def test_the_table_before_an_upload_comes_back_and_goes_again(
    setup: Setup, rosas_browser: Client, rosa: User, is_emptied: bool
) -> None:
    before = list(reads.cells_of_rows(setup))
    if is_emptied:
        writes.remove_rows(setup=setup, rows=reads.search(setup), by=rosa)
    assert send(rosas_browser, "store").status_code == 302
    page = bring_back(rosas_browser)
    assert "36 rows are back." in page
    assert list(reads.cells_of_rows(setup)) == before
    setup.refresh_from_db()
    assert {"template", "neural", "writer"} & set(reads.systems_of(setup)), "their systems are back, too"
    assert "Go back to the 3 previous rows" in page
    assert "3 rows are back." in bring_back(rosas_browser)
    assert reads.rows_of(setup).count() == 3
