"""Archives that would take memory or time are refused before they are read."""

import json
import zipfile
from pathlib import Path

import pytest

from analytics_app.archive import describing, reading
from analytics_app.archive.reading import Archive, BadArchive

PACKAGE = json.dumps({"evalweb": {"format": 1}, "resources": []})


def an_archive(folder: Path, **parts: bytes) -> Path:
    """Write an archive with these files in the folder of its rows."""
    path = folder / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(describing.PACKAGE, PACKAGE)
        for name, content in parts.items():
            archive.writestr(f"rows/{name}.jsonl", content)
    return path


def test_a_line_of_many_megabytes_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "LONGEST_LINE", 1_000)
    archive = Archive.open(an_archive(tmp_path, rating=b'{"id": 1}\n{"id": "' + b"x" * 2_000 + b'"}\n'))
    rows = archive.lines("rows/rating.jsonl")
    assert next(rows) == {"id": 1}
    with pytest.raises(BadArchive, match=r"rows/rating.jsonl, line 2: longer than 1,000 bytes"):
        next(rows)


def test_a_zip_bomb_is_refused_unread(tmp_path: Path) -> None:
    with pytest.raises(BadArchive, match=r"rows/rating.jsonl is packed 1,0\d\d times smaller than it is"):
        Archive.open(an_archive(tmp_path, rating=b"x" * 20_000_000))


def test_a_zip_that_unpacks_to_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MOST_UNPACKED", 1_000)
    with pytest.raises(BadArchive, match="unpacks to"):
        Archive.open(an_archive(tmp_path, rating=bytes(range(256)) * 8))
    monkeypatch.setattr(reading, "MOST_FILES", 1)
    with pytest.raises(BadArchive, match="holds 2 files, an archive at most 1"):
        Archive.open(an_archive(tmp_path, rating=b""))


def test_a_row_that_is_nested_too_deeply_is_no_object(tmp_path: Path) -> None:
    archive = Archive.open(an_archive(tmp_path, rating=b"[" * 100_000))
    with pytest.raises(BadArchive, match="line 1: not a JSON object"):
        next(archive.lines("rows/rating.jsonl"))
