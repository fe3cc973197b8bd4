"""Tables that would take a process with them: each is refused with a sentence, and no address leads to it."""

import gzip
import io
import json
import zipfile
from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from tasks_app.models import Setup
from tasks_app.uploads import limited
from tests.workbooks import open_document, sheet_of, strings_of, with_parts, workbook

pytestmark = pytest.mark.django_db

PATH = "/admin/studies/example-likert/set-up/texts/"

BOOK = workbook({"A": [["item", "system", "output"], ["1", "a", "A text here"]]})
FIRST = '<row r="1"><c r="A1" t="s"><v>0</v></c></row>'
HEADER = "<table:table-row>" + '<table:table-cell office:value-type="string"><text:p>output</text:p></table:table-cell>'
FULL = '<table:table-cell {} office:value-type="string"><text:p>{}</text:p></table:table-cell>'


def book(rows: str, *texts: str, prefix: str = "") -> bytes:
    """Return a workbook of these rows and shared texts."""
    return with_parts(BOOK, sheet=sheet_of(rows, prefix), strings=strings_of(*(texts or ("output", "x"))))


def far(cell: str) -> bytes:
    """Return a workbook with a cell at the far end of its sheet."""
    return book(f'{FIRST}<row r="2">{cell}</row>')


def zipped(name: str, content: bytes) -> bytes:
    """Return a workbook with one more part."""
    target = io.BytesIO(BOOK)
    with zipfile.ZipFile(target, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return target.getvalue()


SPANS = "A sheet of this workbook spans"
CASES: dict[str, tuple[Callable[[], bytes], str, str]] = {
    "white space before the sign": (lambda: far('<c r ="XFD1048576" t="s"><v>1</v></c>'), "t.xlsx", SPANS),
    "a line break around the sign": (lambda: far("<c r\n=\n'XFD1048576'><v>1</v></c>"), "t.xlsx", SPANS),
    "small letters": (lambda: far('<c r="xfd1048576"><v>1</v></c>'), "t.xlsx", SPANS),
    "a character reference": (lambda: far('<c r="XFD10&#52;8576"><v>1</v></c>'), "t.xlsx", SPANS),
    "a far row": (lambda: book(f'{FIRST}<row r = "9999999"><c r="XFD9999999"><v>1</v></c></row>'), "t.xlsx", SPANS),
    "elements with a prefix": (
        lambda: book(
            '<x:row r="1"><x:c r="A1"><x:v>1</x:v></x:c><x:c r ="XFD1048576"><x:v>1</x:v></x:c></x:row>', prefix="x"
        ),
        "t.xlsx",
        SPANS,
    ),
    "under another name": (lambda: far('<c r ="XFD1048576"><v>1</v></c>'), "t.csv", SPANS),
    "a shared text in many cells": (
        lambda: book(
            "".join(f'<row r="{n}"><c r="A{n}" t="s"><v>1</v></c></row>' for n in range(1, 10_001)),
            "output",
            "y" * 99_000,
        ),
        "t.xlsx",
        "hold 990,000,000 characters in all",
    ),
    "a merged text": (
        lambda: with_parts(
            BOOK,
            sheet=sheet_of(
                f'<row r="1"><c r="A1" t="inlineStr"><is><t>{"y" * 99_000}</t></is></c></row>'
                '<row r="9000"><c r="B9000"><v>1</v></c></row>'
            ).replace("</worksheet>", '<mergeCells><mergeCell ref="A1:A9000"/></mergeCells></worksheet>'),
        ),
        "t.xlsx",
        "holds more than 24 MiB of text",
    ),
    "entities": (
        lambda: with_parts(BOOK, sheet='<!DOCTYPE w [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>' + sheet_of(FIRST)),
        "t.xlsx",
        "declares a document type",
    ),
    "a part of zeros": (
        lambda: zipped("xl/media/image1.png", bytes(40 << 20)),
        "t.xlsx",
        "unpacks to more than 32 MiB",
    ),
    "repeated cells": (
        lambda: open_document(
            HEADER
            + '</table:table-row><table:table-row table:number-rows-repeated="1000000">'
            + FULL.format("table:number-columns-repeated = '16000'", "x")
            + "</table:table-row>"
        ),
        "t.ods",
        SPANS,
    ),
    "repeated texts": (
        lambda: open_document(
            f'{HEADER}</table:table-row><table:table-row table:number-rows-repeated="9000">'
            f"{FULL.format('', 'y' * 99_000)}</table:table-row>"
        ),
        "t.ods",
        "hold 891,000,006 characters in all",
    ),
    "repeated spaces": (
        lambda: open_document(
            HEADER
            + "</table:table-row><table:table-row>"
            + FULL.format("", '<text:s text:c="999999999"/>')
            + "</table:table-row>"
        ),
        "t.ods",
        "hold 1,000,000,005 characters in all",
    ),
    "a long line": (
        lambda: b"item,system,output\n1,a," + b"x" * 6_000_000,
        "t.csv",
        "This line has more than 4,000,000",
    ),
    "a long line, packed": (
        lambda: gzip.compress(b"item,system,output\n1,a," + b"x" * 20_000_000),
        "t.csv.gz",
        "This line has more than 4,000,000",
    ),
    "a long line of JSON": (lambda: b'{"item": "' + b"x" * 6_000_000 + b'"}', "t.jsonl", "This line has more than"),
    "lines without end": (
        lambda: gzip.compress(b"\n" * 21_000_000),
        "t.csv.gz",
        "There are more than 20,000,000 lines",
    ),
    "a wide header": (lambda: b",".join(b"c%d" % n for n in range(30_000)), "t.csv", "There are more than 500 columns"),
    "JSON of lists": (lambda: b"[" + b"[]," * 2_500_000 + b"[]]", "t.json", "would take more than 64 MiB of memory"),
}


@pytest.mark.parametrize("case", CASES)
def test_a_table_that_takes_too_much_is_refused(case: str, setup: Setup, rosas_browser: Client, settings: Any) -> None:
    settings.STUDY_FILE_LIMITS = {"reading_memory": 64 << 20, "unpacked_bytes": 32 << 20, "table_bytes": 24 << 20}
    content, name, sentence = CASES[case]
    file = SimpleUploadedFile(name, content())
    answer = rosas_browser.post(PATH, {"action": "upload", "file": file})
    if answer.status_code == 302:  # what no reader of lines minds is said on the next page
        answer = rosas_browser.get(answer["Location"])
    assert answer.status_code == 422
    assert sentence in answer.content.decode()
    assert (
        not default_storage.exists(f"studies/{setup.study_id}/imports")
        or not default_storage.listdir(f"studies/{setup.study_id}/imports")[0]
    ), "nothing is kept, so that no address leads to it"


def test_a_cell_merged_where_no_cell_is_matters_to_nobody(setup: Setup, rosas_browser: Client) -> None:
    content = workbook({"A": [["item", "system", "output"], ["1", "a", "A text here"]]}, merged=["XFD1:XFD9", "D1:D9"])
    answer = rosas_browser.post(PATH, {"action": "upload", "file": SimpleUploadedFile("t.xlsx", content)})
    assert rosas_browser.get(answer["Location"]).status_code == 200


def test_an_upload_is_looked_through_once(setup: Setup, rosas_browser: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is asked for again is text that was looked through."""
    calls: list[str] = []
    call = limited.call

    def counted(reader: Any, *given: Any, **more: Any) -> Any:
        calls.append(more["name"])
        return call(reader, *given, **more)

    monkeypatch.setattr(limited, "call", counted)
    for name, content in (("t.xlsx", BOOK), ("t.json", json.dumps([{"item": "1", "output": "x"}]).encode())):
        calls.clear()
        answer = rosas_browser.post(PATH, {"action": "upload", "file": SimpleUploadedFile(name, content)})
        for _again in range(2):
            assert rosas_browser.get(answer["Location"]).status_code == 200
        assert calls == [name]
