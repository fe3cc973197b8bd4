"""Media on a full disk: no half file stands for a whole one."""

import errno
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

from evalweb.media_storage import MediaStorage


def half(chunk_size: int | None = None) -> Iterator[bytes]:
    """Yield the first half of a file, after which there is no room."""
    yield b"a pi"
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_file_that_has_no_room_leaves_nothing_and_can_be_stored_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    picture = ContentFile(b"a picture")
    monkeypatch.setattr(picture, "chunks", half)
    storage = MediaStorage(location=tmp_path)
    assert isinstance(default_storage, MediaStorage)
    name = "studies/1/digest"
    with pytest.raises(OSError, match="No space left"):
        storage.save(name, picture)
    assert not storage.exists(name)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
    assert storage.save(name, ContentFile(b"a picture")) == name
    assert Path(storage.path(name)).read_bytes() == b"a picture"
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["digest"]
    # Another file of that name is another file, as with Django's storage.
    assert storage.save(name, ContentFile(b"another")) != name
