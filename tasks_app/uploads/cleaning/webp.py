"""WebP (RFC 9649): keep pictures, their frames, transparency and colours."""

import struct

from tasks_app.uploads.cleaning import exif, riff
from tasks_app.uploads.cleaning.colours import clean_profile
from tasks_app.uploads.cleaning.findings import CannotClean, Finding, Reason, expect, expect_size
from tasks_app.uploads.cleaning.riff import Chunk
from tasks_app.uploads.cleaning.turning import saved, turned

_FRAME = 16
_HAS_PROFILE, _HAS_ALPHA, _IS_ANIMATED = 0x20, 0x10, 0x02
_PIXELS = {b"VP8 ", b"VP8L", b"ALPH"}


def clean(content: bytes, findings: set[Finding]) -> bytes:
    """Return a picture without EXIF data, XMP and unknown chunks, turned as the EXIF data say."""
    parts: list[Chunk] = []
    orientation = exif.UPRIGHT
    for name, body in riff.chunks(content, findings):
        if name in _PIXELS or name in (b"VP8X", b"ANIM"):
            parts.append(Chunk(name, body[:10] if name == b"VP8X" else body[:6] if name == b"ANIM" else body))
        elif name == b"ANMF":
            within = _first_picture([chunk for chunk in riff.inner(body, _FRAME) if chunk.name in _PIXELS])
            # Of the flags, two say how a frame is drawn.
            parts.append(Chunk(name, body[: _FRAME - 1] + bytes([body[_FRAME - 1] & 3]) + riff.packed(within)))
        elif name == b"ICCP":
            profile = clean_profile(body)
            if profile is not None:
                parts.append(Chunk(name, profile))
            if profile != body:
                findings.add(Finding.TEXT)
        elif name == b"EXIF":
            orientation = exif.look_at(body.removeprefix(b"Exif\0\0"), findings)
        elif name == b"XMP ":
            exif.look_at_xmp(body, findings)
        else:
            findings.add(Finding.OTHER)
    parts = _needed(parts)
    _expect_sizes(parts)
    whole = riff.written(b"WEBP", [_flags(parts, chunk) for chunk in parts])
    if orientation == exif.UPRIGHT:
        return whole
    if any(chunk.name == b"ANMF" for chunk in parts):
        raise CannotClean(Reason.TURN)
    findings.add(Finding.TURNED)
    profile = next((chunk.body for chunk in parts if chunk.name == b"ICCP"), b"")
    # Without loss, whatever it was coded with: the pixels stay those that browsers would show. `method` and `quality`
    # only set how long a smaller file is looked for.
    options = {"lossless": True, "exact": True, "icc_profile": profile, "method": 1, "quality": 25}
    return clean(saved(turned(whole, orientation), "WEBP", **options), set())


def _needed(parts: list[Chunk]) -> list[Chunk]:
    """Return the chunks that are shown: the head and colours, and then either one picture or the frames."""
    if parts and parts[0].name != b"VP8X":
        # The plain form: one chunk.
        return _first_picture([part for part in parts if part.name in (b"VP8 ", b"VP8L")])
    is_animated = bool(parts) and parts[0].body[0] & _IS_ANIMATED
    firsts = {part.name: part for part in reversed(parts)}
    pictures = [part for part in parts if part.name == b"ANMF"] if is_animated else []
    if not is_animated:
        pictures = _first_picture([part for part in parts if part.name in _PIXELS])
    names = (b"VP8X", b"ICCP", b"ANIM") if is_animated else (b"VP8X", b"ICCP")
    return [*(firsts[name] for name in names if name in firsts), *pictures]


def _first_picture(parts: list[Chunk]) -> list[Chunk]:
    """Return the first picture among chunks of pixels, with its transparency before it."""
    for number, part in enumerate(parts):
        if part.name != b"ALPH":
            return [*(parts[:1] if number and part.name == b"VP8 " else []), part]
    return []


def _flags(parts: list[Chunk], chunk: Chunk) -> Chunk:
    """Return the chunk that lists the contents of the file, without the removed ones."""
    if chunk.name != b"VP8X":
        return chunk
    flags = chunk.body[0] & (_HAS_ALPHA | _IS_ANIMATED)
    if any(part.name == b"ICCP" for part in parts):
        flags |= _HAS_PROFILE
    return Chunk(chunk.name, bytes([flags, 0, 0, 0]) + chunk.body[4:])


def _expect_sizes(parts: list[Chunk]) -> None:
    """Refuse a file without a picture, or with one of too many pixels."""
    expect(any(chunk.name in (b"VP8 ", b"VP8L", b"ANMF") for chunk in parts))
    for name, body in parts:
        if name == b"VP8X":
            sides = [1 + int.from_bytes(body[at : at + 3], "little") for at in (4, 7)]
            expect(len(body) == 10)
        elif name == b"VP8L":
            bits = struct.unpack_from("<I", body, 1)[0]
            sides = [1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)]
        elif name == b"VP8 ":
            sides = [side & 0x3FFF for side in struct.unpack_from("<HH", body, 6)]
        else:
            continue
        expect_size(*sides)
