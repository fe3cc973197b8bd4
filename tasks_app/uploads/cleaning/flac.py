"""FLAC (RFC 9639): keep the frames, and the data for decoding and seeking."""

import struct
from functools import cache

from tasks_app.uploads.cleaning.findings import Finding, expect
from tasks_app.uploads.cleaning.tags import note, start_of_sound

_STREAM, _SEEK_POINTS, _COMMENTS, _PICTURE = 0, 3, 4, 6
_LAST = 0x80
# The sum of the whole sound, which may be unknown: what a stream says ends with it.
_SUM = 16
_POINT, _NO_POINT = struct.Struct(">QQH"), 0xFFFFFFFFFFFFFFFF
# The longest frame of usual coders; the end of the last one is looked for within it.
_MOST_OF_FRAME = 1 << 20
_ID3V1 = 128


def clean(content: bytes, findings: set[Finding]) -> bytes:
    """Return a sound without comments, pictures and programs' own blocks."""
    start = start_of_sound(content, findings)
    expect(content[start : start + 4] == b"fLaC")
    place, is_last = start + 4, False
    clean_blocks: list[tuple[int, bytes]] = []
    while not is_last:
        head = content[place]
        is_last, kind = bool(head & _LAST), head & 0x7F
        end = place + 4 + int.from_bytes(content[place + 1 : place + 4], "big")
        expect(end < len(content))
        if kind in (_STREAM, _SEEK_POINTS) and kind not in {other for other, _body in clean_blocks}:
            clean_blocks.append((kind, _needed(kind, content[place + 4 : end], len(content))))
        else:
            findings.add({_COMMENTS: Finding.TEXT, _PICTURE: Finding.PICTURE}.get(kind, Finding.OTHER))
        place = end
    expect(bool(clean_blocks) and clean_blocks[0][0] == _STREAM and len(clean_blocks[0][1]) == 34)
    clean_blocks = [(kind, body) for kind, body in clean_blocks if body]
    blocks = [
        bytes([kind | (_LAST if number == len(clean_blocks) else 0)]) + len(body).to_bytes(3, "big") + body
        for number, (kind, body) in enumerate(clean_blocks, start=1)
    ]
    end = _end_of_frames(content, place, findings)
    return b"".join([b"fLaC", *blocks, content[place:end]])


def _needed(kind: int, body: bytes, size: int) -> bytes:
    """Return the description of a stream, or the points to which players jump, without sums and places left free."""
    if kind == _STREAM:
        return body[:-_SUM] + bytes(_SUM)
    points, last = [], -1
    for sample, offset, n_samples in _POINT.iter_unpack(body[: len(body) - len(body) % _POINT.size]):
        if last < sample < _NO_POINT and offset < size:
            points.append(_POINT.pack(sample, offset, n_samples))
            last = sample
    return b"".join(points)


def _end_of_frames(content: bytes, start: int, findings: set[Finding]) -> int:
    """Return the place where the last frame ends, which its own sum tells: the rest is no sound."""
    end = len(content)
    if content[end - _ID3V1 : end - _ID3V1 + 3] == b"TAG":
        end -= _ID3V1
        note(content[end:], findings)
    begin = content[start : start + 2]
    expect(begin in (b"\xff\xf8", b"\xff\xf9"))
    place = end
    while (place := content.rfind(begin, max(start, end - _MOST_OF_FRAME), place + 1)) >= 0:
        if _is_frame(content, place):
            ends = _ends(content[place:end])
            if ends and ends[-1] + place == end:
                return end
            if ends and ends[-1]:
                findings.add(Finding.OTHER)
                return place + ends[-1]
        place -= 1
        if place < start:
            break
    expect(is_sound=False)
    return end


def _is_frame(content: bytes, place: int) -> bool:
    """Return whether the head of a frame stands at a place: its own sum is right."""
    sizes, rate = content[place + 2] >> 4, content[place + 2] & 15
    first = content[place + 4]
    n_number = 1 if first < 0x80 else 8 - (first ^ 0xFF).bit_length() if first < 0xFF else 0
    size = 4 + n_number + {6: 1, 7: 2}.get(sizes, 0) + {12: 1, 13: 2, 14: 2}.get(rate, 0)
    crc = 0
    for byte in content[place : place + size]:
        crc ^= byte
        for _bit in range(8):
            crc = (crc << 1 ^ 0x07) & 0xFF if crc & 0x80 else crc << 1
    return content[place + size : place + size + 1] == bytes([crc])


def _ends(content: bytes) -> list[int]:
    """Return a place where a frame could end: its sum with all before is 0 there, by chance once in 65,536 bytes."""
    table, crc, ends = _table(), 0, []
    for number, byte in enumerate(content, start=1):
        crc = (crc << 8 & 0xFFFF) ^ table[crc >> 8 ^ byte]
        if not crc and number > 8:
            ends.append(number)
    return ends


@cache
def _table() -> tuple[int, ...]:
    """Return the sums (CRC-16, polynomial 0x8005) of each byte."""
    sums = []
    for byte in range(256):
        crc = byte << 8
        for _bit in range(8):
            crc = (crc << 1 ^ 0x8005) & 0xFFFF if crc & 0x8000 else crc << 1
        sums.append(crc)
    return tuple(sums)
