"""A sound little study in a folder, and ways to spoil it."""

import io
import struct
import zipfile
import zlib
from pathlib import Path
from typing import Any

from django.apps import apps
from django.core.files.storage import default_storage

from tasks_app import studyfile
from tests.counting import rows_of

STUDY = """\
evalweb: 1
study:
  slug: fluency
  title: Fluency of two systems
  public_title: Reading short texts
  language: en
  timezone: Europe/Berlin
  seed: 7
pay:
  minutes: 8
  amount: 1.50
consent: |
  You **agree** to take part.
criteria:
  - key: fluency
    name: Fluency
    question: How well does this read?
    low: badly
    high: well
  - key: style
    name: Style
    labels: [a, b, c, d, e]
tasks:
  - key: reading
    type: likert
    criteria: [fluency, style]
    params:
      points: 5
    k: 2
    set_size: 4
    spacing: 1
"""

ITEMS = """\
item,system,output,source
i1,alpha,First text.,One
i1,beta,Another text.,
i2,alpha,"A text, with a comma.",Two
i2,beta,"A text with ""quotes"".",Two
i3,alpha,Same.,Three
i3,beta,Same.,Three
"""


def put(folder: Path, **files: str | bytes) -> Path:
    """Write the sound study into a folder, with files added or put in place: `items_csv` is items.csv."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in {"study_yaml": STUDY, "items_csv": ITEMS, **files}.items():
        path = folder / ".".join(name.rsplit("_", 1))
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def spoil(folder: Path, file: str, old: str, new: str) -> None:
    """Replace one passage of a file, which must be there once."""
    text = (folder / file).read_text()
    assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {file}"
    (folder / file).write_text(text.replace(old, new))


def problems_of(source: Any) -> list[str]:
    """Return the lines that a refused study file gives; fails where it is accepted."""
    try:
        studyfile.load(source, owner=None)
    except studyfile.StudyFileError as error:
        return error.lines()
    raise AssertionError("this study file was accepted")


def stored() -> dict[str, int]:
    """Count the rows of every table of the app, leaving out empty ones; files of media count as a table."""
    counts = rows_of(apps.get_app_config("tasks_app").get_models())
    named = {str(model._meta.model_name): n for model, n in counts.items()} | {"files": len(files_in_storage())}
    return {name: n for name, n in named.items() if n}


def files_in_storage() -> list[str]:
    """List the media files of all studies."""
    if not default_storage.exists("studies"):
        return []
    folders, _files = default_storage.listdir("studies")
    return [f"studies/{one}/{name}" for one in folders for name in default_storage.listdir(f"studies/{one}")[1]]


def zipped(files: dict[str, bytes | str]) -> io.BytesIO:
    """Return a zip of those members."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    stream.seek(0)
    return stream


def png(colour: int = 0) -> bytes:
    """Return a picture of one pixel."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        checked = kind + content
        return struct.pack(">I", len(content)) + checked + struct.pack(">I", zlib.crc32(checked))

    header = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    body = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(bytes([0, colour]))) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body
