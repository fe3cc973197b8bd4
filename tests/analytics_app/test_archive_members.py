"""A zip has one content: what some programs would unpack otherwise than others is told."""

import io
import struct
import zipfile
from collections.abc import Callable

import pytest

from analytics_app.archive.members import faults

WORDS = b"rating\n5\n" * 400
NAME = b"data/ratings.csv"


def packed(*, stream: bool = False) -> bytes:
    """Return a zip of two files, written to a file or to a stream that cannot be rewound."""
    target: io.BytesIO = Stream() if stream else io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in (NAME.decode(), "README.md"):
            with archive.open(zipfile.ZipInfo(name), "w", force_zip64=not stream) as member:
                member.write(WORDS)
    return target.getvalue()


class Stream(io.BytesIO):
    """A target that only takes bytes, as a response does."""

    def seekable(self) -> bool:
        return False

    def seek(self, *_place: int) -> int:
        raise OSError

    def tell(self) -> int:
        raise OSError


def told(content: bytes) -> list[str]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return list(faults(archive))


def method(content: bytes) -> bytes:
    """The header of a file says that it is compressed, the directory that it is not."""
    return content[:8] + struct.pack("<H", zipfile.ZIP_DEFLATED) + content[10:]


def other_name(content: bytes) -> bytes:
    return content.replace(NAME, b"data/ratings.txt", 1)


def unicode_path(_content: bytes) -> bytes:
    """An extra field has another name, by which some programs unpack."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        info = zipfile.ZipInfo("README.md")
        info.extra = struct.pack("<HHBI", 0x7075, 5 + len(NAME), 1, 0) + NAME
        archive.writestr(info, WORDS)
    return target.getvalue()


def behind(_content: bytes) -> bytes:
    """A file has words behind the end of its compressed content."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("README.md", WORDS)
        info = archive.infolist()[0]
        assert archive.fp is not None
        archive.fp.seek(archive.start_dir)
        archive.fp.write(b"all ratings are five")
        info.compress_size += 20
        archive.start_dir += 20
        archive.fp.seek(14)
        archive.fp.write(struct.pack("<III", info.CRC, info.compress_size, info.file_size))
    return target.getvalue()


def between(_content: bytes) -> bytes:
    """Bytes stand between a file and the directory, which no file has."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("README.md", WORDS)
        assert archive.fp is not None
        archive.fp.seek(archive.start_dir)
        archive.fp.write(b"x" * 20)
        archive.start_dir += 20
    return target.getvalue()


def comment(_content: bytes) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("README.md", WORDS)
        archive.comment = b"all ratings are five"
    return target.getvalue()


@pytest.mark.parametrize("stream", [False, True])
def test_ordinary_zips_are_fine(stream: bool) -> None:
    assert told(packed(stream=stream)) == []


@pytest.mark.parametrize(
    ("trick", "sentence"),
    [
        (method, "data/ratings.csv says otherwise of itself"),
        (other_name, "data/ratings.csv says otherwise of itself"),
        (unicode_path, "README.md has extra fields"),
        (behind, "README.md has bytes behind its compressed content"),
        (between, "README.md is followed by bytes that belong to no file"),
        (comment, "The zip has a comment"),
        (lambda content: b"#!" + content, "The zip begins with 2 bytes"),
    ],
)
def test_what_programs_unpack_differently_is_told(trick: Callable[[bytes], bytes], sentence: str) -> None:
    assert [fault[: len(sentence)] for fault in told(trick(packed()))] == [sentence]
