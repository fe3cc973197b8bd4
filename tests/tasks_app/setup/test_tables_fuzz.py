"""Whatever is in a table of texts, it is read or refused with sentences; nothing else happens."""

import gzip
import io
import zipfile
from contextlib import suppress
from dataclasses import replace
from functools import partial
from random import Random

import pytest

from tasks_app.importing import RatingsFile
from tasks_app.setup.tables.checking import check_file
from tasks_app.setup.tables.guessed_uses import guess_layout
from tasks_app.setup.tables.layout import KEEP, LEAVE
from tasks_app.setup.tables.marking import marked_rows
from tasks_app.setup.tables.source import look, open_file
from tasks_app.studyfile.problems import StudyFileError
from tasks_app.texts.plaintext import problem_in
from tests import extent
from tests.tasks_app.importing.test_fuzz import spoilt
from tests.workbooks import workbook

LONG = [
    ["item", "system", "output", "source", "document", "position", "kind"],
    *(
        [f"i{n}", system, f"text {n} of {system}", f"input {n}", "d", str(n), "ab"[n % 2]]
        for n in range(4)
        for system in "xy"
    ),
]
WIDE = [
    ["MR", "E2E #1", "E2E #2", "ref"],
    *([f"input {n} a", f"text {n} b", f"text {n} c", "ref d e"] for n in range(5)),
]
CSV = "\n".join(",".join(row) for row in LONG).encode()
TSV = "\n".join("\t".join(row) for row in WIDE).encode()
LINES = b"".join(
    b'{"id": %d, "model": "m", "hyp": "a text %d", "options": {"a": [%d]}}\n' % (n, n, n) for n in range(5)
)


def read(content: bytes, name: str, unused: str) -> None:
    """Read a table as far as it goes, and mark its problems. Raises StudyFileError."""
    file = open_file(RatingsFile(name, partial(io.BytesIO, content)))
    layout = replace(guess_layout(look(file, sheet=next(iter(file.sheets), ""))), unused=unused)
    if any(layout.faults()):
        return
    checked = check_file(file, layout)
    assert (checked.refusal is None) == bool(checked.rows)
    assert not any(problem_in(text) for row in checked.rows for text in row.values())
    list(marked_rows(file, layout, checked.problems.by_line))


@pytest.mark.parametrize("seed", range(20 if extent.is_exhaustive() else 5))
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.csv", CSV),
        ("t.tsv", TSV),
        ("t.jsonl", LINES),
        ("t.json", b"[" + LINES.strip().replace(b"\n", b",") + b"]"),
        ("t.csv.gz", gzip.compress(CSV)),
        ("t.csv", CSV.decode().encode("utf-16")),
        ("t.xlsx", workbook({"A": LONG, "B": WIDE}, merged=["D2:D3"])),
    ],
    ids=["csv", "tsv", "jsonl", "json", "gzip", "utf-16", "workbook"],
)
def test_a_spoilt_table_is_read_or_refused(name: str, content: bytes, seed: int) -> None:
    rng = Random(seed)
    for _round in range(10):
        for unused in (LEAVE, KEEP):
            with suppress(StudyFileError):
                read(spoilt(content, rng), name, unused)


@pytest.mark.parametrize("seed", range(20 if extent.is_exhaustive() else 5))
def test_a_workbook_whose_parts_are_spoilt_is_read_or_refused(seed: int) -> None:
    """A zip that is whole, with XML that is not."""
    rng = Random(seed)
    with zipfile.ZipFile(io.BytesIO(workbook({"A": LONG}, merged=["D2:D3"]))) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    for _round in range(10):
        spoilt_part = rng.choice(list(parts))
        target = io.BytesIO()
        with zipfile.ZipFile(target, "w") as archive:
            for name, content in parts.items():
                archive.writestr(name, spoilt(content, rng) if name == spoilt_part else content)
        with suppress(StudyFileError):
            read(target.getvalue(), "t.xlsx", LEAVE)
