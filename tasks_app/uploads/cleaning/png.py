"""PNG and animated PNG (W3C PNG, third edition): keep the chunks that make the picture, and cut the rest."""

import struct
import zlib
from collections.abc import Iterator, Sequence
from itertools import count, groupby
from typing import NamedTuple

from tasks_app.uploads.cleaning import exif
from tasks_app.uploads.cleaning.colours import clean_profile
from tasks_app.uploads.cleaning.findings import CannotClean, Finding, Reason, expect, expect_size
from tasks_app.uploads.cleaning.png_chunks import COLOURS, CONTENTS, FRAME, PIXELS, TEXTS
from tasks_app.uploads.cleaning.png_pixels import size_of_pixels, without_rest
from tasks_app.uploads.cleaning.turning import saved, turned

SIGNATURE = b"\x89PNG\r\n\x1a\n"
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
    colours = [chunk for chunk in chunks if chunk.name in COLOURS]
    return _written([again[0], *colours, *(chunk for chunk in again[1:] if chunk.name not in {*COLOURS, b"pHYs"})])


def _kept(content: bytes, findings: set[Finding]) -> tuple[list[Chunk], int]:
    """Return the chunks that are needed, and the orientation that EXIF data give."""
    chunks: list[Chunk] = []
    names: set[bytes] = set()
    orientation = exif.UPRIGHT
    place = len(SIGNATURE)
    for chunk in _chunks(content):
        place += 12 + len(chunk.body)
        head = chunks[0].body if chunks else chunk.body
        is_new = chunk.name not in names or chunk.name == FRAME
        if chunk.name in PIXELS or (chunk.name in CONTENTS and is_new and CONTENTS[chunk.name](chunk.body, head)):
            chunks += _profile(chunk.body, findings) if chunk.name == b"iCCP" else [chunk]
            names.add(chunk.name)
            expect(chunks[0].name == b"IHDR")
        elif chunk.name == b"eXIf":
            orientation = exif.look_at(chunk.body, findings)
        elif chunk.name in TEXTS:
            exif.look_at_xmp(chunk.body, findings)
        else:
            # A capital letter: no decoder may show the picture without this chunk, but for its suggested palette.
            expect(chunk.name[:1].islower() or (chunk.name == b"PLTE" and head[9] in (2, 6)))
            findings.add(Finding.PROGRAM if chunk.name == b"tIME" else Finding.OTHER)
    expect(chunks[-1].name == b"IEND" and b"IDAT" in names)
    expect_size(*struct.unpack(">II", chunks[0].body[:8]))
    if place < len(content):
        findings.add(Finding.OTHER)
    if b"acTL" not in names:
        chunks = [chunk for chunk in chunks if chunk.name not in (FRAME, b"fdAT")]
    return _without_rest(chunks), orientation


def _without_rest(chunks: Sequence[Chunk]) -> list[Chunk]:
    """Return chunks of which those of pixels hold a whole picture, or the frame before them, and nothing more."""
    head = chunks[0].body
    width, height = struct.unpack_from(">II", head)
    clean_chunks: list[Chunk] = []
    is_first, has_frame = True, False
    for name, group in groupby(chunks, lambda chunk: chunk.name):
        same = list(group)
        if name == FRAME:
            width, height = struct.unpack_from(">II", same[-1].body, 4)
            has_frame = not is_first
            clean_chunks.append(same[-1])
        elif name == b"IDAT":
            # A second run of these belongs to no picture.
            size = size_of_pixels(head, *struct.unpack_from(">II", head))
            bodies = without_rest([chunk.body for chunk in same], size) if is_first else []
            clean_chunks += [Chunk(name, body) for body in bodies]
            is_first = False
        elif name == b"fdAT" and has_frame:
            numbers = [chunk.body[:4] for chunk in same]
            bodies = without_rest([chunk.body[4:] for chunk in same], size_of_pixels(head, width, height))
            clean_chunks += [Chunk(name, number + body) for number, body in zip(numbers, bodies, strict=False)]
        elif name != b"fdAT":
            clean_chunks += same
    return _numbered(clean_chunks)


def _numbered(chunks: Sequence[Chunk]) -> list[Chunk]:
    """Return chunks of which those of an animation are numbered, as decoders want them."""
    numbers = count()
    return [
        Chunk(name, struct.pack(">I", next(numbers)) + body[4:]) if name in (FRAME, b"fdAT") else Chunk(name, body)
        for name, body in chunks
    ]


def _chunks(content: bytes) -> Iterator[Chunk]:
    """Yield the chunks up to the end of the picture; the sums of all that are needed must be right."""
    place = len(SIGNATURE)
    while True:
        size, name = struct.unpack_from(">I4s", content, place)
        end = place + 12 + size
        expect(end <= len(content))
        body = content[place + 8 : end - 4]
        if name in PIXELS or name in CONTENTS:
            expect(struct.unpack_from(">I", content, end - 4)[0] == zlib.crc32(name + body))
        yield Chunk(name, body)
        if name == b"IEND":
            return
        place = end


def _profile(body: bytes, findings: set[Finding]) -> list[Chunk]:
    """Return the chunk of a colour profile under a name that says nothing; none where it cannot be read."""
    _name, _zero, packed = body.partition(b"\0")
    stream = zlib.decompressobj()
    try:
        unpacked = stream.decompress(packed[1:], _MOST_PROFILE)
    except zlib.error:
        unpacked = b""
    profile = clean_profile(unpacked)
    if profile is None:
        findings.add(Finding.OTHER)
        return []
    if profile == unpacked and body.startswith(b"ICC\0\0") and stream.eof and not stream.unused_data:
        return [Chunk(b"iCCP", body)]
    findings.add(Finding.TEXT)
    return [Chunk(b"iCCP", b"ICC\0\0" + zlib.compress(profile, 9))]


def _written(chunks: Sequence[Chunk]) -> bytes:
    parts = [SIGNATURE]
    for name, body in chunks:
        parts += (struct.pack(">I", len(body)), name, body, struct.pack(">I", zlib.crc32(name + body)))
    return b"".join(parts)
