"""GIF (version 89a): keep pictures, their times and how often they repeat; leave out comments and other data."""

import struct

from tasks_app.uploads.cleaning import lzw
from tasks_app.uploads.cleaning.findings import Finding, expect, expect_size

_PICTURE, _EXTENSION, _END = 0x2C, 0x21, 0x3B
_CONTROL, _COMMENT, _PLAIN_TEXT, _APPLICATION = 0xF9, 0xFE, 0x01, 0xFF
_LOOPS = (b"NETSCAPE2.0", b"ANIMEXTS1.0")


def clean(content: bytes, findings: set[Finding]) -> bytes:
    """Return a picture without comments, texts and unknown extensions."""
    expect_size(*struct.unpack_from("<HH", content, 6))
    place = 13 + _colours(content[10])
    parts = [content[:place]]
    # How the next picture is shown, and how often all are: what is said last counts.
    control, loops, n_pictures = b"", b"", 0
    while place < len(content) and content[place] != _END:
        start = place
        if content[place] == _PICTURE:
            width, height = struct.unpack_from("<HH", content, place + 5)
            expect_size(width, height)
            pixels = place + 10 + _colours(content[place + 9])
            place = _blocks(content, pixels + 1)
            n_pictures += 1
            parts += (control, content[start : pixels + 1], _coded(content, pixels, place, width * height))
            control = b""
            continue
        expect(content[place] == _EXTENSION)
        label = content[place + 1]
        place = _blocks(content, place + 2)
        if label == _CONTROL and place - start == 8:
            control = content[start:place]
        elif label == _APPLICATION and content[start + 3 : start + 14] in _LOOPS and content[start + 14] == 3:
            # One block of three bytes says how often.
            loop = content[start : start + 18] + b"\0"
            if not loops:
                loops = loop
                parts.append(loops)
            if loop != loops or place - start != 19:
                findings.add(Finding.OTHER)
        else:
            findings.add(Finding.TEXT if label in (_COMMENT, _PLAIN_TEXT) else Finding.OTHER)
    expect(n_pictures > 0)
    if place + 1 < len(content):
        findings.add(Finding.OTHER)
    return b"".join([*parts, bytes([_END])])


def _coded(content: bytes, start: int, end: int, n_pixels: int) -> bytes:
    """Return the blocks of a picture up to its end; `start` is where the first size of its codes stands."""
    sizes, place, pieces = [], start + 1, []
    while size := content[place]:
        pieces.append(content[place + 1 : place + 1 + size])
        sizes.append(size)
        place += size + 1
    whole = b"".join(pieces)
    n_needed = lzw.size_of_codes(whole, content[start], n_pixels)
    if n_needed == len(whole):
        return content[start + 1 : end]
    blocks, at = [], 0
    for size in sizes:
        if block := whole[at : min(at + size, n_needed)]:
            blocks.append(bytes([len(block)]) + block)
        at += size
    return b"".join([*blocks, b"\0"])


def _colours(flags: int) -> int:
    """Return the bytes of the table of colours that a picture has."""
    return 3 << ((flags & 7) + 1) if flags & 0x80 else 0


def _blocks(content: bytes, place: int) -> int:
    """Return the end of the blocks that begin at a place."""
    while size := content[place]:
        place += size + 1
    return place + 1
