"""MP3 (and layers I and II) and AAC in ADTS: keep the frames of sound and nothing between, before or behind them."""

import struct
from collections.abc import Callable

from tasks_app.uploads.cleaning import flac
from tasks_app.uploads.cleaning.findings import Finding, expect
from tasks_app.uploads.cleaning.tags import note, start_of_sound

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
_PLACES, _OF_CODER = 100, 36
_STARTS, _VBRI = {13, 15, 21, 23, 36, 38}, 36
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
    """Return the first frame, which describes the others, with nothing but their number, places and delays."""
    if frame[_VBRI : _VBRI + 4] == b"VBRI":
        n_places, _scale, width = struct.unpack_from(">HHH", frame, _VBRI + 18)
        return _described(frame, frame[:_VBRI] + frame[_VBRI : _VBRI + 26 + n_places * width], findings)
    # Behind the head of a frame and the settings of a silent one, which are shorter where there is one channel.
    start = max(frame.find(name, 0, 64) for name in (b"Xing", b"Info"))
    if start not in _STARTS:
        return frame
    flags = struct.unpack_from(">I", frame, start + 4)[0] & 15
    place, described = start + 8, frame[start : start + 4] + struct.pack(">I", flags)
    for flag, size in ((1, 4), (2, 4), (4, _PLACES), (8, 4)):
        if flags & flag:
            part = frame[place : place + size]
            described += _rising(part) if flag == 4 else part if flag != 8 or part < b"\0\1" else bytes(4)
            place += size
    head = 4 if frame[1] & 1 else 6
    before = frame[:head] + bytes(start - head) + described
    coder = frame[place : place + 4]
    if coder in _CODERS and place + _OF_CODER <= len(frame):
        # Its method, the highest pitch, the silence at both ends, and the size of the sound.
        about_coder = bytearray(frame[place : place + _OF_CODER - 2])
        for first, end in ((4, 9), (11, 21), (24, 28), (32, 34)):
            about_coder[first:end] = bytes(end - first)
        before += about_coder
        before += struct.pack(">H", _crc16(before))
    return _described(frame, before, findings)


def _described(frame: bytes, needed: bytes, findings: set[Finding]) -> bytes:
    """Return a first frame with zeros behind its description of the others."""
    cleaned = needed.ljust(len(frame), b"\0")[: len(frame)]
    if cleaned != frame:
        findings.add(Finding.PROGRAM)
    return cleaned


def _rising(places: bytes) -> bytes:
    """Return the place of each hundredth of a sound; evenly, if the places are not in order."""
    if list(places) == sorted(places):
        return places
    return bytes(256 * number // _PLACES for number in range(_PLACES))


def _crc16(content: bytes) -> int:
    """Return the sum (CRC-16/ARC) that ends the description of a sound."""
    crc = 0
    for byte in content:
        crc ^= byte
        for _bit in range(8):
            crc = crc >> 1 ^ (0xA001 if crc & 1 else 0)
    return crc
