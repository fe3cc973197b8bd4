"""Write the archive of a run."""

import csv
import hashlib
import io
import json
import platform
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib import metadata
from itertools import chain
from pathlib import Path
from typing import IO

from django.db import connection, transaction
from django.utils import timezone

from analytics_app.archive import describing, keys, rows, signing
from analytics_app.archive.describing import Archived, ArchivedFile
from analytics_app.exports import ratings, results
from analytics_app.exports.statement import own_columns_of
from analytics_app.heds.formats import markdown, public_form
from analytics_app.heds.questions import Version
from analytics_app.heds.sheet import sheet_of
from analytics_app.methods_text import formats
from analytics_app.methods_text import write as methods_of
from analytics_app.models import Run
from tasks_app import studyfile
from tasks_app.models import Study

# Libraries whose numbers stand in the results.
LIBRARIES = (
    "choix", "krippendorff", "numpy", "pandas", "sacrebleu", "scipy", "statsmodels",
)  # fmt: skip
RUN, VERSIONS, RESULTS, RATINGS = "results/run.jsonl", "versions.json", "results/results.csv", "data/ratings.csv"
DOCUMENT, STUDY_FILE = "results/results.json", "study.zip"
METHODS: Mapping[formats.Format, str] = {
    "md": "The methods section",
    "tex": "The same in LaTeX",
    "bib": "Its references",
}
DATASHEET = ("datasheet.md", "datasheet.json")
REPORTS = (*DATASHEET, *(f"methods.{format}" for format in METHODS))
FIRST_DAY = (1980, 1, 1, 0, 0, 0)


def versions() -> dict[str, str]:
    """Return the versions of Python and of the libraries that compute."""
    return {"python": platform.python_version(), **{name: metadata.version(name) for name in LIBRARIES}}


class _Writing:
    """A zip under way: each file is hashed as it is written. But for the signature, equal content gives equal bytes."""

    def __init__(self, target: IO[bytes]) -> None:
        self.zip = zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED)
        self.files: list[ArchivedFile] = []

    def add(self, path: str, about: str, chunks: Iterable[bytes]) -> None:
        """Write a file and note it."""
        size, digest = 0, hashlib.sha256()
        info = zipfile.ZipInfo(path, FIRST_DAY)
        info.compress_type = zipfile.ZIP_DEFLATED
        with self.zip.open(info, "w", force_zip64=True) as member:
            for chunk in chunks:
                member.write(chunk)
                digest.update(chunk)
                size += len(chunk)
        self.files.append(ArchivedFile(path, about, size, digest.hexdigest()))


def write(study: Study, run: Run, target: IO[bytes], *, standing: str, texts: bool = True) -> list[ArchivedFile]:
    """Write the archive of a run that is done; return its files. Without `texts`, words are masked.

    `standing` says whether the run was planned. Everything is read as of one moment. The site signs it if it has a key.

    Raises
    ------
    analytics_app.archive.keys.BadKeys
        Where the key of the site is damaged.
    """
    # Before the key is read: a signature is never later than the retirement of its key.
    created = keys.now()
    ring, site = keys.site_ring(), keys.site_address()
    with _one_moment():
        writing = _Writing(target)
        signed_by = "" if ring is None else ring.current.fingerprint
        about = Archived(study, run, texts, timezone.now().date().isoformat(), versions(), signed_by, site)
        _data(writing, about)
        _results(writing, about)
        _reports(writing, about, standing)
        for table in rows.TABLES:
            lines = (f"{rows.line(table, row, texts=texts)}\n".encode() for row in table.rows(study))
            first = next(lines, None)
            # Programs that read data packages take an empty file for a broken one.
            if first is not None:
                writing.add(rows.path_of(table), f"Rows of the table {table.name}, by their ids", chain([first], lines))
        files = list(writing.files)
        for path, text in (
            (describing.README, describing.readme(about, files)),
            (describing.PACKAGE, describing.package(about, files, own_columns_of(study).names)),
            (describing.CRATE, describing.crate(about, files)),
        ):
            writing.add(path, "", [text.encode()])
        if ring is not None:
            manifest = signing.manifest(about, writing.files, created=created, ring=ring, site=site)
            writing.add(describing.MANIFEST, "", [manifest])
            writing.add(describing.SIGNATURE, "", [signing.sign(manifest, ring)])
        writing.zip.close()
    return writing.files


@contextmanager
def _one_moment() -> Iterator[None]:
    """Read everything in one snapshot, unless a transaction is under way."""
    is_outermost = not connection.in_atomic_block
    with transaction.atomic():
        if is_outermost:
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        yield


def _data(writing: _Writing, about: Archived) -> None:
    chunks: Iterable[bytes] = ratings.stream(about.study, checks=True)
    writing.add(RATINGS, "Every rating, one a row", chunks if about.texts else _without_texts(chunks))
    if about.texts:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "study.zip"
            studyfile.export(about.study, str(path), change=rows.without_codes)
            content = path.read_bytes()
        writing.add(STUDY_FILE, "The study file: tasks, criteria, texts, known answers, analysis plan", [content])


def _results(writing: _Writing, about: Archived) -> None:
    run = about.run
    writing.add(RESULTS, "Every number of the run", results.stream(run, format="csv", systems=True, texts=about.texts))
    document = results.stream(run, systems=True, texts=about.texts)
    writing.add(DOCUMENT, "The same with the settings of the run", document)
    row = next(row for row in rows.OF_RUN.rows(about.study) if row["id"] == run.pk)
    line = rows.line(rows.OF_RUN, row, texts=True)
    writing.add(RUN, "The run: settings, seed, digest, and which ratings it saw", [f"{line}\n".encode()])
    writing.add(VERSIONS, "Versions of Python and of the libraries", [_json(about.versions)])


def _reports(writing: _Writing, about: Archived, standing: str) -> None:
    sheet = sheet_of(about.study)
    writing.add(DATASHEET[0], "The datasheet, HEDS 3.0", [markdown.write(sheet, Version.THREE).encode()])
    writing.add(DATASHEET[1], "The datasheet for its public form", [public_form.write(sheet).encode()])
    text = methods_of(about.study, about.run, standing=standing, systems=True)
    for format, title in METHODS.items():
        writing.add(f"methods.{format}", title, [formats.in_format(text, format).encode()])


def _without_texts(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Mask the texts of raters in the file of ratings."""
    reader = csv.reader(io.StringIO(b"".join(chunks).decode(), newline=""))
    head = next(reader)
    place = head.index("text")
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(head)
    for cells in reader:
        cells[place] = rows.masked(cells[place])
        writer.writerow(cells)
    yield out.getvalue().encode()


def _json(value: Mapping[str, str]) -> bytes:
    return (json.dumps(value, indent=2) + "\n").encode()
