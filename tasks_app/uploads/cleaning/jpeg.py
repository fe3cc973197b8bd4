"""JPEG (ITU-T T.81): keep the segments that make the picture, and cut the rest after its end."""

import io
import re
import struct
from typing import Any

from tasks_app.uploads.cleaning import exif
from tasks_app.uploads.cleaning.colours import clean_profile
from tasks_app.uploads.cleaning.findings import CannotClean, Finding, Reason, expect, expect_size
from tasks_app.uploads.cleaning.turning import is_sideways, saved, turned

_START, _END = b"\xff\xd8", b"\xff\xd9"
_SCAN = 0xDA
_FRAMES = {0xC0, 0xC1, 0xC2}
_OTHER_FRAMES = {0xC3, 0xC5, 0xC6, 0xC7, 0xC9, 0xCA, 0xCB, 0xCD, 0xCE, 0xCF, 0xDE, 0xDF, 0xCC}
_TABLES, _HUFFMAN, _RESTART, _LINES = 0xDB, 0xC4, 0xDD, 0xDC
_APP0, _APP1, _APP2, _APP13, _APP14, _COMMENT = 0xE0, 0xE1, 0xE2, 0xED, 0xEE, 0xFE
_ICC, _EXIF, _XMP = b"ICC_PROFILE\0", b"Exif\0\0", b"http://ns.adobe.com/x"
_PLACES = [divmod(number, 8) for number in range(64)]
_MOST_OF_SEGMENT = 65_519
# A marker within coded data: neither a stuffed byte nor a restart.
_MARKER = re.compile(rb"\xff+[^\x00\xff\xd0-\xd7]")


class _Picture:
    """The parts of a picture that are kept, and the data of the others."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.profile: list[tuple[int, bytes]] = []
        self.orientation = exif.UPRIGHT
        self.has_jfif = self.has_size = self.has_scan = False


def clean(content: bytes, findings: set[Finding]) -> bytes:
    """Return a picture without EXIF data, comments and further pictures, turned as the EXIF data say."""
    picture = _read(content, findings)
    expect(picture.has_size and picture.has_scan)
    profile = _profile(picture, findings)
    whole = b"".join([_START, *picture.parts[:1], *profile, *picture.parts[1:], _END])
    if picture.orientation == exif.UPRIGHT:
        return whole
    findings.add(Finding.ENCODED)
    again = _read(_turned(whole, picture.orientation), set())
    return b"".join([_START, *again.parts[:1], *profile, *again.parts[1:], _END])


def _read(content: bytes, findings: set[Finding]) -> _Picture:
    picture = _Picture()
    place = len(_START)
    while True:
        expect(content[place] == 0xFF)
        while content[place] == 0xFF:
            place += 1
        marker, place = content[place], place + 1
        if marker == _END[1]:
            break
        end = place + struct.unpack_from(">H", content, place)[0]
        expect(place + 2 <= end <= len(content))
        _take(picture, marker, content[place + 2 : end], findings)
        place = end
        if marker == _SCAN:
            next_marker = _MARKER.search(content, place)
            # Cameras that lost power leave no end; browsers show what is there.
            stop = next_marker.start() if next_marker else len(content)
            picture.parts.append(content[place:stop])
            place = stop
            if not next_marker:
                break
    if place < len(content):
        findings.add(Finding.OTHER)
    return picture


def _take(picture: _Picture, marker: int, body: bytes, findings: set[Finding]) -> None:
    """Keep a segment that the picture needs, and note the contents of any other."""
    if marker in _FRAMES:
        expect(not picture.has_size and len(body) == 6 + 3 * body[5])
        expect_size(*struct.unpack_from(">HH", body, 1))
        picture.has_size = True
    elif marker == _SCAN:
        expect(len(body) == 4 + 2 * body[0])
        picture.has_scan = True
    elif marker in (_TABLES, _HUFFMAN):
        expect(_is_filled(marker, body))
    elif marker in (_RESTART, _LINES):
        expect(len(body) == 2)
    elif marker == _APP0 and body.startswith(b"JFIF\0") and len(body) >= 14:
        if picture.has_jfif:
            findings.add(Finding.OTHER)
            return
        if len(body) > 14:
            findings.add(Finding.PICTURE)
        # Two zeros: a small picture of no width and no height.
        body, picture.has_jfif = body[:12] + b"\0\0", True
        picture.parts.insert(0, _segment(marker, body))
        return
    elif marker == _APP14 and body.startswith(b"Adobe") and len(body) >= 12:
        # Which colours the three or four numbers are.
        body = body[:12]
    else:
        expect(marker not in _OTHER_FRAMES, Reason.CODEC)
        expect(marker >= _APP0)
        _note(picture, marker, body, findings)
        return
    picture.parts.append(_segment(marker, body))


def _is_filled(marker: int, body: bytes) -> bool:
    """Return whether a segment of tables holds nothing but tables."""
    place = 0
    while place < len(body):
        if marker == _TABLES:
            place += 1 + (128 if body[place] >> 4 else 64)
        else:
            place += 17 + sum(body[place + 1 : place + 17])
    return place == len(body)


def _note(picture: _Picture, marker: int, body: bytes, findings: set[Finding]) -> None:
    if marker == _APP2 and body.startswith(_ICC):
        picture.profile.append((body[12], body[14:]))
    elif marker == _APP1 and body.startswith(_EXIF):
        orientation = exif.look_at(body[len(_EXIF) :], findings)
        if picture.orientation == exif.UPRIGHT:
            picture.orientation = orientation
    elif marker == _APP1 and body.startswith(_XMP):
        exif.look_at_xmp(body, findings)
    elif marker in (_COMMENT, _APP1, _APP13):
        findings.add(Finding.TEXT)
    else:
        findings.add(Finding.PICTURE if body.startswith((b"MPF\0", b"JFXX\0")) else Finding.OTHER)


def _profile(picture: _Picture, findings: set[Finding]) -> list[bytes]:
    """Return the segments of the colour profile without its words."""
    if not picture.profile:
        return []
    before = b"".join(body for _number, body in sorted(picture.profile))
    profile = clean_profile(before)
    if profile is None:
        findings.add(Finding.OTHER)
        return []
    if profile != before:
        findings.add(Finding.TEXT)
    pieces = [profile[at : at + _MOST_OF_SEGMENT] for at in range(0, len(profile), _MOST_OF_SEGMENT)]
    return [
        _segment(_APP2, _ICC + bytes([number, len(pieces)]) + piece) for number, piece in enumerate(pieces, start=1)
    ]


def _segment(marker: int, body: bytes) -> bytes:
    return struct.pack(">BBH", 0xFF, marker, len(body) + 2) + body


def _turned(whole: bytes, orientation: int) -> bytes:
    """Return a picture turned, coded with the same tables, so that hardly a pixel changes."""
    from PIL import Image, JpegImagePlugin  # noqa: PLC0415  only uploads and cleaning need it

    picture = turned(whole, orientation)
    if picture.mode not in ("L", "RGB"):
        raise CannotClean(Reason.TURN)
    before = Image.open(io.BytesIO(whole))
    assert isinstance(before, JpegImagePlugin.JpegImageFile)
    tables: dict[int, Any] = before.quantization
    if is_sideways(orientation):
        tables = {number: [table[8 * column + row] for row, column in _PLACES] for number, table in tables.items()}
    sampling = JpegImagePlugin.get_sampling(before)
    # Colours that are halved in one direction only could not be halved in the other one.
    if sampling not in (0, 2):
        sampling = 0
    return saved(picture, "JPEG", qtables=tables, subsampling=sampling, optimize=True)
