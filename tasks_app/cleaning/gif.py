"""GIF (version 89a): keep pictures, their times and how often they repeat; leave out comments and other data."""

import struct

from tasks_app.cleaning.findings import Finding, expect, expect_size

_PICTURE, _EXTENSION, _END = 0x2C, 0x21, 0x3B
_CONTROL, _COMMENT, _PLAIN_TEXT, _APPLICATION = 0xF9, 0xFE, 0x01, 0xFF
_LOOPS = (b"NETSCAPE2.0", b"ANIMEXTS1.0")


def clean(content: bytes, findings: set[Finding]) -> bytes:
    """Return a picture without comments, texts and unknown extensions."""
    expect_size(*struct.unpack_from("<HH", content, 6))
    place = 13 + _colours(content[10])
    parts = [content[:place]]
    n_pictures = 0
    while place < len(content) and content[place] != _END:
        start = place
        if content[place] == _PICTURE:
            expect_size(*struct.unpack_from("<HH", content, place + 5))
            place = _blocks(content, place + 11 + _colours(content[place + 9]))
            n_pictures += 1
            parts.append(content[start:place])
            continue
        expect(content[place] == _EXTENSION)
        label = content[place + 1]
        place = _blocks(content, place + 2)
        if label == _CONTROL and place - start == 8:
            parts.append(content[start:place])
        elif label == _APPLICATION and content[start + 3 : start + 14] in _LOOPS and content[start + 14] == 3:
            # One block of three bytes says how often.
            parts.append(content[start : start + 18] + b"\0")
            if place - start != 19:
                findings.add(Finding.OTHER)
        else:
            findings.add(Finding.TEXT if label in (_COMMENT, _PLAIN_TEXT) else Finding.OTHER)
    expect(n_pictures > 0)
    if place + 1 < len(content):
        findings.add(Finding.OTHER)
    return b"".join([*parts, bytes([_END])])


def _colours(flags: int) -> int:
    """Return the bytes of the table of colours that a picture has."""
    return 3 << ((flags & 7) + 1) if flags & 0x80 else 0


def _blocks(content: bytes, place: int) -> int:
    """Return where the blocks end that begin at a place."""
    while size := content[place]:
        place += size + 1
    return place + 1
