"""MP3 (and layers I and II) and AAC in ADTS: keep the frames of sound and nothing between, before or behind them."""

import struct
from collections.abc import Callable

from tasks_app.cleaning import flac
from tasks_app.cleaning.findings import Finding, expect
from tasks_app.cleaning.tags import note, start_of_sound

# Bits a second by version and layer: 1 is MPEG-1, 2 its halved sampling rates; 1, 2 and 3 are the layers.
_KILOBITS = {
    (1, 1): (0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448),
    (1, 2): (0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384),
    (1, 3): (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320),
    (2, 1): (0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256),
    (2, 2): (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
    (2, 3): (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
}
_RATES = {3: (44100, 48000, 32000), 2: (22050, 24000, 16000), 0: (11025, 12000, 8000)}
_TAGS = (b"ID3", b"TAG", b"APETAGEX", b"LYRICSBEGIN")
# Coders whose name tells players how to read the silence that they put before a sound.
_CODERS = (b"LAME", b"Lavf", b"Lavc")


def clean_mp3(content: bytes, findings: set[Finding]) -> bytes:
    """Return the frames of a sound without tags, and without the name of the program that coded it."""
    start = start_of_sound(content, set())
    # Earlier files are called MP3 for their ID3 tags alone.
    if content.startswith(b"fLaC", start):
        return flac.clean(content, findings)
    if _adts_frame(content, start):
        return clean_aac(content, findings)
    frames = _frames(content, _mp3_frame, findings)
    frames[0] = _without_program(frames[0], findings)
    return b"".join(frames)


def clean_aac(content: bytes, findings: set[Finding]) -> bytes:
    """Return the frames of a sound without tags."""
    return b"".join(_frames(content, _adts_frame, findings))


def _frames(content: bytes, size_of: Callable[[bytes, int], int], findings: set[Finding]) -> list[bytes]:
    """Return the frames of a sound; one counts that another follows, or that ends where the file or a tag does."""
    place = start_of_sound(content, findings)
    frames: list[bytes] = []
    start_of_gap = place
    while place < len(content):
        size = size_of(content, place)
        end = place + size
        if not size or not (end >= len(content) or size_of(content, end) or content.startswith(_TAGS, end) or frames):
            place += 1
            # A sound has no long gaps; what begins with one is something else.
            expect(bool(frames) or place < start_of_gap + 65_536)
            continue
        if end > len(content):
            # The last frame lacks its end, which no player plays.
            break
        _note_gap(content[start_of_gap:place], findings)
        frames.append(content[place:end])
        place = start_of_gap = end
    expect(bool(frames))
    _note_gap(content[start_of_gap:], findings)
    return frames


def _note_gap(gap: bytes, findings: set[Finding]) -> None:
    if not gap:
        return
    if any(tag in gap for tag in _TAGS):
        note(gap, findings)
    else:
        findings.add(Finding.OTHER)


def _mp3_frame(content: bytes, place: int) -> int:
    """Return the bytes of the frame that begins at a place; 0 where none does."""
    if place + 4 > len(content) or content[place] != 0xFF or content[place + 1] & 0xE0 != 0xE0:
        return 0
    version, layer = content[place + 1] >> 3 & 3, 4 - (content[place + 1] >> 1 & 3)
    number, rate = content[place + 2] >> 4, content[place + 2] >> 2 & 3
    if version == 1 or layer == 4 or number in (0, 15) or rate == 3:
        return 0
    bits = 1000 * _KILOBITS[1 if version == 3 else 2, layer][number]
    hertz, padding = _RATES[version][rate], content[place + 2] >> 1 & 1
    if layer == 1:
        return (12 * bits // hertz + padding) * 4
    return (72 if layer == 3 and version != 3 else 144) * bits // hertz + padding


def _adts_frame(content: bytes, place: int) -> int:
    """Return the bytes of the ADTS frame that begins at a place; 0 where none does."""
    if place + 7 > len(content) or content[place] != 0xFF or content[place + 1] & 0xF6 != 0xF0:
        return 0
    size = (content[place + 3] & 3) << 11 | content[place + 4] << 3 | content[place + 5] >> 5
    return size if size >= 7 else 0


def _without_program(frame: bytes, findings: set[Finding]) -> bytes:
    """Return the first frame, which describes the others, without the version of the program that coded them."""
    start = max(frame.find(b"Xing", 0, 64), frame.find(b"Info", 0, 64))
    if start < 0:
        return frame
    flags = struct.unpack_from(">I", frame, start + 4)[0]
    name = start + 8 + 4 * (flags & 1) + 4 * (flags >> 1 & 1) + 100 * (flags >> 2 & 1) + 4 * (flags >> 3 & 1)
    if name + 36 > len(frame) or not any(frame[name : name + 9]):
        return frame
    coder = frame[name : name + 4]
    said = (coder if coder in _CODERS else b"").ljust(9, b"\0")
    if frame[name : name + 9] == said:
        return frame
    findings.add(Finding.PROGRAM)
    before_sum = frame[:name] + said + frame[name + 9 : name + 34]
    return before_sum + struct.pack(">H", _crc16(before_sum)) + frame[name + 36 :]


def _crc16(content: bytes) -> int:
    """Return the sum (CRC-16/ARC) that ends the description of a sound."""
    crc = 0
    for byte in content:
        crc ^= byte
        for _bit in range(8):
            crc = crc >> 1 ^ (0xA001 if crc & 1 else 0)
    return crc
