"""PNG and animated PNG (W3C PNG, third edition): keep the chunks that make the picture, and cut what follows."""

import struct
import zlib
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tasks_app.cleaning import exif
from tasks_app.cleaning.colours import clean_profile
from tasks_app.cleaning.findings import CannotClean, Finding, Reason, expect, expect_size
from tasks_app.cleaning.turning import saved, turned

SIGNATURE = b"\x89PNG\r\n\x1a\n"
_TEXTS = {b"tEXt", b"zTXt", b"iTXt"}
# Chunks that say which colours the numbers mean, with the most bytes that each may have.
_COLOURS = {b"gAMA": 4, b"cHRM": 32, b"sRGB": 1, b"cICP": 4, b"mDCV": 24, b"cLLI": 8, b"sBIT": 4, b"iCCP": 1 << 24}
_ANIMATION = {b"acTL": 8, b"fcTL": 26}
_SIZES = {b"IHDR": 13, b"PLTE": 768, b"tRNS": 256, b"bKGD": 6, b"pHYs": 9, b"IEND": 0, **_COLOURS, **_ANIMATION}
_PIXELS = {b"IDAT", b"fdAT"}
_MOST_PROFILE = 4 << 20


class Chunk(NamedTuple):
    """A named part of the file."""

    name: bytes
    body: bytes


def clean(content: bytes, findings: set[Finding]) -> bytes:
    """Return a picture without texts, EXIF data and unknown chunks, turned as the EXIF data say."""
    chunks, orientation = _kept(content, findings)
    whole = _written(chunks)
    if orientation == exif.UPRIGHT:
        return whole
    head, names = chunks[0].body, {chunk.name for chunk in chunks}
    depth, colour = head[8], head[9]
    # Pillow reads 16 bits of each colour as 8.
    if b"acTL" in names or (depth == 16 and colour != 0):
        raise CannotClean(Reason.TURN)
    findings.add(Finding.TURNED)
    again, _upright = _kept(saved(turned(whole, orientation), "PNG"), set())
    expect(again[0].body[8:10] == head[8:10], Reason.TURN)
    colours = [chunk for chunk in chunks if chunk.name in _COLOURS]
    return _written([again[0], *colours, *(chunk for chunk in again[1:] if chunk.name not in {*_COLOURS, b"pHYs"})])


def _kept(content: bytes, findings: set[Finding]) -> tuple[list[Chunk], int]:
    """Return the chunks that are needed, and the orientation that EXIF data give."""
    chunks: list[Chunk] = []
    orientation = exif.UPRIGHT
    place = len(SIGNATURE)
    for chunk in _chunks(content):
        place += 12 + len(chunk.body)
        if chunk.name in _PIXELS or (chunk.name in _SIZES and len(chunk.body) <= _SIZES[chunk.name]):
            if chunk.name == b"iCCP":
                chunks += _profile(chunk.body, findings)
            else:
                chunks.append(chunk)
        elif chunk.name == b"eXIf":
            orientation = exif.look_at(chunk.body, findings)
        elif chunk.name in _TEXTS:
            exif.look_at_xmp(chunk.body, findings)
        else:
            # A capital letter: no decoder may show the picture without this chunk.
            expect(chunk.name[:1].islower())
            findings.add(Finding.PROGRAM if chunk.name == b"tIME" else Finding.OTHER)
    expect(bool(chunks) and chunks[0].name == b"IHDR" and len(chunks[0].body) == 13)
    expect(chunks[-1].name == b"IEND" and any(chunk.name == b"IDAT" for chunk in chunks))
    expect_size(*struct.unpack(">II", chunks[0].body[:8]))
    if place < len(content):
        findings.add(Finding.OTHER)
    return chunks, orientation


def _chunks(content: bytes) -> Iterator[Chunk]:
    """Yield the chunks up to the end of the picture; the sums of all that are needed must be right."""
    place = len(SIGNATURE)
    while True:
        size, name = struct.unpack_from(">I4s", content, place)
        end = place + 12 + size
        expect(end <= len(content))
        body = content[place + 8 : end - 4]
        if name in _PIXELS or name in _SIZES:
            expect(struct.unpack_from(">I", content, end - 4)[0] == zlib.crc32(name + body))
        yield Chunk(name, body)
        if name == b"IEND":
            return
        place = end


def _profile(body: bytes, findings: set[Finding]) -> list[Chunk]:
    """Return the chunk of a colour profile under a name that says nothing; none where it cannot be read."""
    _name, _zero, packed = body.partition(b"\0")
    try:
        unpacked = zlib.decompressobj().decompress(packed[1:], _MOST_PROFILE)
    except zlib.error:
        unpacked = b""
    profile = clean_profile(unpacked)
    if profile is None:
        findings.add(Finding.OTHER)
        return []
    if profile == unpacked and body.startswith(b"ICC\0\0"):
        return [Chunk(b"iCCP", body)]
    findings.add(Finding.TEXT)
    return [Chunk(b"iCCP", b"ICC\0\0" + zlib.compress(profile, 9))]


def _written(chunks: Sequence[Chunk]) -> bytes:
    parts = [SIGNATURE]
    for name, body in chunks:
        parts += (struct.pack(">I", len(body)), name, body, struct.pack(">I", zlib.crc32(name + body)))
    return b"".join(parts)
