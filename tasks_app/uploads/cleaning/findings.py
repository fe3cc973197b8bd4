"""The contents of a file besides its picture, sound, film or captions, and reasons why it cannot be cleaned."""

from dataclasses import dataclass
from enum import StrEnum


class Finding(StrEnum):
    """A kind of data that was removed from a file; the value is stored with the file."""

    PLACE = "place"
    CAMERA = "camera"
    TEXT = "text"
    PICTURE = "picture"
    PROGRAM = "program"
    TRACK = "track"
    OTHER = "other"
    # Nothing that was removed: the picture was turned as its EXIF data said, and its pixels are the same.
    TURNED = "turned"
    # The same, where the picture had to be encoded again.
    ENCODED = "encoded"


class Reason(StrEnum):
    """The reason why a file cannot be cleaned; the value is stored with the file."""

    BROKEN = "broken"
    CODEC = "codec"
    LARGE = "large"
    TURN = "turn"
    # Its file is not in storage.
    LOST = "lost"


class CannotClean(Exception):
    """A file from which nothing can be removed safely, so that raters must not get it."""

    def __init__(self, reason: Reason = Reason.BROKEN) -> None:
        super().__init__(reason.value)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Cleaned:
    """The content of a file as raters may get it, and the removed or changed parts, sorted."""

    content: bytes
    findings: tuple[Finding, ...] = ()


# Most pixels of a picture: a browser needs 4 bytes for each, and so does turning one. Telephones make 50 million.
MOST_PIXELS = 64_000_000


def expect(is_sound: bool, reason: Reason = Reason.BROKEN) -> None:
    """Raise CannotClean unless a file is as its format wants it."""
    if not is_sound:
        raise CannotClean(reason)


def expect_size(width: int, height: int) -> None:
    """Raise CannotClean for a picture without pixels, or with too many to be decoded."""
    expect(width > 0 and height > 0)
    expect(width * height <= MOST_PIXELS, Reason.LARGE)
