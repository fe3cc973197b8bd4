"""Static files are collected once, and again when a source or a collected file has changed."""

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest.mock import patch

import pytest
from django.core.management import call_command
from pytest_django import Settings

from evalweb import static_files

STORAGE = {"staticfiles": {"BACKEND": "evalweb.static_storage.StaticStorage"}}


@pytest.fixture
def source(tmp_path: Path, settings: Settings) -> Path:
    """Return the only source, a style sheet."""
    folder = tmp_path / "sources"
    folder.mkdir()
    (folder / "page.css").write_text("p { color: red }")
    settings.STATICFILES_DIRS, settings.STATIC_ROOT = [folder], tmp_path / "static"
    settings.STATICFILES_FINDERS = ["django.contrib.staticfiles.finders.FileSystemFinder"]
    settings.STORAGES = settings.STORAGES | STORAGE
    return folder / "page.css"


def collected(tmp_path: Path) -> list[str]:
    """Collect, and return the style sheets that are served under a name that holds a hash."""
    assert static_files.collect()
    assert not static_files.collect()
    return [path.read_text() for path in sorted((tmp_path / "static").glob("page.*.css"))]


def test_what_has_not_changed_is_collected_once(source: Path, tmp_path: Path) -> None:
    assert collected(tmp_path) == ["p { color: red }"]
    source.write_text("p { color: blue }")
    assert sorted(collected(tmp_path)) == ["p { color: blue }", "p { color: red }"]
    for path in (tmp_path / "static").glob("page.*.css"):
        path.unlink()
    assert collected(tmp_path) == ["p { color: blue }"]


def test_two_at_once_collect_once_and_compress_what_pages_ask_for(source: Path, tmp_path: Path) -> None:
    source.write_text("p { color: red }\n" * 100)
    with ThreadPoolExecutor(2) as threads:
        done = [threads.submit(static_files.collect) for _time in range(2)]
    assert sorted(one.result() for one in done) == [False, True]
    (packed,) = (path.name for path in (tmp_path / "static").glob("*.gz"))
    assert re.fullmatch(r"page\.[0-9a-f]{12}\.css\.gz", packed)


def test_an_interrupted_collection_does_not_count(source: Path, tmp_path: Path) -> None:
    assert static_files.collect()
    source.write_text("p { color: blue }")
    with patch.object(static_files, "call_command", side_effect=KeyboardInterrupt), pytest.raises(KeyboardInterrupt):
        static_files.collect()
    source.write_text("p { color: red }")
    with patch.object(static_files, "call_command", wraps=call_command) as collection:
        assert static_files.collect()
    assert collection.called
