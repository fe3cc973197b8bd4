"""Files of every kind that a page reads, files that take memory or time, and whole ones with some bytes changed."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from random import Random

from evalweb.local_services.folder import BASE_DIR
from tests.media import png, vtt, wav
from tests.workbooks import open_document, sheet_of, strings_of, with_parts, workbook

TABLE = "item,system,output,source\n" + "".join(
    f'{n},{system},"The text {n}, of {system}.",Source {n}\n' for n in range(1, 5) for system in "ab"
)


def zip_of(files: Mapping[str, bytes]) -> bytes:
    """Return a zip of these files."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return target.getvalue()


def _example(name: str) -> bytes:
    folder = BASE_DIR / "examples" / name
    return zip_of(
        {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    )


def whole_files() -> dict[str, bytes]:
    """Return a file of every kind that a page reads, by its name."""
    rows = [line.split(",") for line in TABLE.replace('"', "").splitlines()]
    records = [dict(zip(rows[0], cells, strict=False)) for cells in rows[1:]]
    cell = '<table:table-cell office:value-type="string"><text:p>{}</text:p></table:table-cell>'
    return {
        "t.csv": TABLE.encode(),
        "t.tsv": TABLE.replace(",", "\t").encode(),
        "t.jsonl": "\n".join(map(json.dumps, records)).encode(),
        "t.json": json.dumps(records).encode(),
        "t.csv.gz": gzip.compress(TABLE.encode()),
        "u.csv": TABLE.encode("utf-16"),
        "t.xlsx": workbook({"A": rows, "B": rows[:2]}, merged=["D2:D3"]),
        "s.xlsx": with_parts(
            workbook({"A": rows}),
            sheet=sheet_of(
                '<row r="1"><c r="A1" t="s"><v>0</v></c></row><row r="2"><c r="A2" t="s"><v>1</v></c></row>'
            ),
            strings=strings_of("output", "A text."),
        ),
        "t.ods": open_document(
            "".join(f"<table:table-row>{''.join(map(cell.format, cells))}</table:table-row>" for cells in rows)
        ),
        "study.zip": _example("likert"),
        "media.zip": _example("pictures_and_sounds"),
        "results.zip": zip_of(
            {"datapackage.json": b'{"evalweb": {"format": 1}, "resources": []}', "rows/a.jsonl": b"{}\n"}
        ),
        "people.csv": b"name,email,group\nAda,ada@example.org,\nBo,bo@example.org,\n",
        "ratings.csv": b"rater,item,system,criterion,value\nr1,1,a,fluency,3\nr2,1,b,fluency,4\n",
        "bonus.csv": b"rater,amount\nr-abc1234,0.50\n",
        "p.png": png(),
        "w.wav": wav(0.1),
        "c.vtt": vtt("One.", "Two.").encode(),
        "sheet.json": b'{"1.1.1": {"data": {"": "A link"}, "control": {}, "text": {}, "number": "1.1.1"}}',
    }


# Pseudonyms of the raters that a study of the bench has.
RATERS = ("r-fuzz001", "r-fuzz002")


def fitting(number: int) -> dict[str, tuple[str, bytes]]:
    """Return, by address, a file that it accepts as it is; `number` makes people of each file others."""
    person = f"Ada {number},ada{number}@example.org\n"
    submission = f"{number:024x}"
    return {
        "analytics:datasheet_import": (
            "sheet.json",
            b'{"heds-ethics-impact_assessments": {"data": {"": "None %d."}}}' % number,
        ),
        "researcher:invited": ("people.csv", f"name,email\n{person}".encode()),
        "researcher:pay_bonus": ("bonus.csv", f"rater,amount\n{RATERS[number % 2]},0.50\n".encode()),
        "researcher:statuses": (
            "export.csv",
            f"Submission id,Participant id,Status\n{submission},{submission},APPROVED\n".encode(),
        ),
    }


def bombs() -> dict[str, Callable[[], bytes]]:
    """Return files that take memory or time, by names that say their format."""
    far = '<row r="1"><c r="A1" t="s"><v>0</v></c></row><row r="2"><c r ="XFD1048576" t="s"><v>1</v></c></row>'
    many = "".join(f'<row r="{n}"><c r="A{n}" t="s"><v>1</v></c></row>' for n in range(1, 10_001))
    book = workbook({"A": [["output"], ["text"]]})
    header = "evalweb: 1\nstudy: {slug: a, title: A, public_title: A}\n"
    return {
        "far.xlsx": lambda: with_parts(book, sheet=sheet_of(far), strings=strings_of("output", "x")),
        "strings.xlsx": lambda: with_parts(book, sheet=sheet_of(many), strings=strings_of("output", "y" * 99_000)),
        "zeros.xlsx": lambda: zip_of({"xl/workbook.xml": bytes(40 << 20)}),
        "line.csv.gz": lambda: gzip.compress(b"item,output\n1," + b"x" * 40_000_000),
        "lines.csv.gz": lambda: gzip.compress(b"item,output\n" + b"\n" * 25_000_000),
        "wide.csv": lambda: b",".join(b"c%d" % n for n in range(200_000)),
        "cells.csv": lambda: (b"," * 4_000 + b"\n") * 500,
        "lists.json": lambda: b"[" + b"[]," * 2_000_000 + b"[]]",
        "lists.jsonl": lambda: b'{"item": [' + b"[]," * 900_000 + b"[]]}",
        "deep.json": lambda: b"[" * 900_000,
        "digits.json": lambda: b'{"1.1.1": ' + b"9" * 9_000 + b"}",
        "yaml.zip": lambda: zip_of({"study.yaml": f"{header}x: [{'1,' * 400_000}1]\n".encode()}),
        "tabs.zip": lambda: zip_of({"study.yaml": f"{header}x: [\t{'{},' * 250_000}1]\n".encode()}),
        "zeros.zip": lambda: zip_of({"study.yaml": header.encode(), "items.csv": bytes(100 << 20)}),
        "line.zip": lambda: zip_of(
            {"study.yaml": header.encode(), "items.csv": b"item,output\n1," + b"ab" * 9_000_000}
        ),
        "hours.vtt": lambda: b"WEBVTT\n\n" + b"9" * 5_000 + b":00:01.000 --> 00:00:02.000\nwords\n",
    }


def spoilt(content: bytes, rng: Random) -> bytes:
    """Return a file with some of its bytes changed, or one of the parts of a zip."""
    if content[:2] == b"PK" and rng.random() < 0.7:
        with suppress(zipfile.BadZipFile), zipfile.ZipFile(io.BytesIO(content)) as archive:
            parts = {name: archive.read(name) for name in archive.namelist()}
            name = rng.choice(list(parts))
            parts[name] = _changed(parts[name], rng)
            return zip_of(parts)
    return _changed(content, rng)


_WORDS = (
    b'"', b"\n", b"\r", b"\t", b",", b"\x00", b"\xff", b"<", b"&#0;", b"{", b"[", b"- ", b": ", b"9" * 40, b"1e999",
    b"XFD1048576", b"\xed\xa0\x80", b"-1", b"NaN", b"=cmd()", b"../", b"%s", b"null",
)  # fmt: skip


def _changed(content: bytes, rng: Random) -> bytes:
    changed = bytearray(content)
    for _change in range(rng.choice((1, 1, 2, 4, 16))):
        at = rng.randrange(len(changed) + 1)
        end = min(len(changed), at + rng.choice((1, 2, 8, 64, 500)))
        match rng.randrange(6):
            case 0 if at < len(changed):
                changed[at] ^= 1 << rng.randrange(8)
            case 1:
                changed[at:at] = rng.choice(_WORDS)
            case 2:
                del changed[at:end]
            case 3:
                changed[at:at] = changed[at:end] * rng.choice((1, 2, 50))
            case 4:
                changed[at:end] = bytes(rng.randrange(256) for _byte in range(end - at))
            case _:
                changed[at:end] = rng.choice(_WORDS)
    return bytes(changed[: rng.randrange(len(changed) + 1)] if rng.random() < 0.1 else changed)
