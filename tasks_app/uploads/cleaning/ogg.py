"""Ogg (RFC 3533) with Vorbis, Opus, Theora, Speex or FLAC: empty the comments, leave out streams of anything else."""

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field

from tasks_app.uploads.cleaning.codecs import size_of_first
from tasks_app.uploads.cleaning.findings import Finding, expect

_HEAD = struct.Struct("<4sBBqIIIB")
_CONTINUED, _FIRST = 1, 2
# An empty name of the program, and no comments.
_NO_COMMENTS = bytes(8)
_MOST_OF_HEADERS = 1 << 25
_REVERSED = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))


@dataclass(slots=True)
class _Page:
    flags: int
    granule: int
    serial: int
    lacing: bytes
    body: bytes

    def written(self, number: int) -> bytes:
        """Return the page with a number in its stream, and its sum."""
        lengths = bytes([len(self.lacing)]) + self.lacing
        head = struct.pack("<4sBBqII", b"OggS", 0, self.flags, self.granule, self.serial, number)
        return head + struct.pack("<I", _crc(head + bytes(4) + lengths + self.body)) + lengths + self.body


@dataclass(slots=True)
class _Stream:
    """One stream of sound or pictures while its headers are read."""

    codec: str
    n_headers: int
    number: int = 0
    open: bytes = b""
    headers: list[bytes] = field(default_factory=list)
    is_read: bool = False


def clean(content: bytes, findings: set[Finding]) -> bytes:
    """Return a sound or film with empty comments; each coded packet stays as it is."""
    streams: dict[int, _Stream | None] = {}
    written: list[bytes] = []
    for page in _pages(content, findings):
        if page.flags & _FIRST:
            streams[page.serial] = stream = _begun(page, findings)
            if stream is not None and page.body:
                first = _first(page.body, stream)
                written.append(_Page(_FIRST, 0, page.serial, bytes([len(first)]), first).written(0))
                if first != page.body:
                    findings.add(Finding.PROGRAM if first[:8] == b"Speex   " else Finding.OTHER)
                stream.number = 1
            continue
        stream = streams[page.serial]
        if stream is None:
            continue
        pages = [page] if stream.is_read else _headers_of(stream, page, findings)
        for own_page in pages:
            written.append(own_page.written(stream.number))
            stream.number += 1
    expect(any(stream is not None for stream in streams.values()))
    expect(all(stream is None or stream.is_read for stream in streams.values()))
    return b"".join(written)


def _pages(content: bytes, findings: set[Finding]) -> Iterator[_Page]:
    """Yield the pages; bytes between or behind them are left out."""
    place = 0
    while place < len(content):
        if content[place : place + 4] != b"OggS" or place + _HEAD.size > len(content):
            findings.add(Finding.OTHER)
            place = content.find(b"OggS", place + 1)
            if place < 0:
                return
            continue
        _name, _version, flags, granule, serial, _number, crc, n = _HEAD.unpack_from(content, place)
        lacing = content[place + _HEAD.size : place + _HEAD.size + n]
        start = place + _HEAD.size + n
        end = start + sum(lacing)
        if end > len(content) or _crc(content[place : place + 22] + bytes(4) + content[place + 26 : end]) != crc:
            # A page without its end, or the name of one within something else: no player plays it.
            findings.add(Finding.OTHER)
            place = content.find(b"OggS", place + 1)
            if place < 0:
                return
            continue
        yield _Page(flags, granule, serial, lacing, content[start:end])
        place = end


def _begun(page: _Page, findings: set[Finding]) -> _Stream | None:
    """Return the stream that a page begins; None for one that is neither seen nor heard."""
    body = page.body
    if body.startswith(b"\x01vorbis"):
        return _Stream("vorbis", 2)
    if body.startswith(b"OpusHead"):
        return _Stream("opus", 1)
    if body.startswith(b"\x80theora"):
        return _Stream("theora", 2)
    if body.startswith(b"Speex   "):
        return _Stream("speex", 1 + struct.unpack_from("<I", body, 68)[0])
    if body.startswith(b"\x7fFLAC"):
        n_headers = struct.unpack_from(">H", body, 7)[0]
        expect(n_headers > 0)
        return _Stream("flac", n_headers)
    findings.add(Finding.TRACK)
    return None


def _first(body: bytes, stream: _Stream) -> bytes:
    """Return the first packet of a stream, without the version of a program in words and without later bytes."""
    size = size_of_first(body, stream.codec)
    expect(len(body) >= size)
    body = body[:size]
    if stream.codec == "speex":
        # No further headers, and two places that nobody uses.
        return body[:8] + bytes(20) + body[28:68] + bytes(12)
    if stream.codec == "flac":
        # One more header follows: the comments. The sum of the whole sound may be unknown.
        return body[:7] + b"\0\1" + body[9:35] + bytes(16)
    return body


def _headers_of(stream: _Stream, page: _Page, findings: set[Finding]) -> list[_Page]:
    """Take the headers of a page, and return the pages of all headers once they are complete."""
    place = 0
    for length in page.lacing:
        expect(len(stream.headers) < stream.n_headers)
        stream.open += page.body[place : place + length]
        place += length
        expect(len(stream.open) <= _MOST_OF_HEADERS)
        if length < 255:
            stream.headers.append(stream.open)
            stream.open = b""
    if len(stream.headers) < stream.n_headers:
        return []
    expect(not stream.open)
    stream.is_read = True
    return _paged(page.serial, _cleaned(stream, findings))


def _cleaned(stream: _Stream, findings: set[Finding]) -> list[bytes]:
    """Return the headers behind the first one, with empty comments."""
    comments, others = stream.headers[0], stream.headers[1:]
    if stream.codec == "vorbis":
        empty = b"\x03vorbis" + _NO_COMMENTS + b"\x01"
        expect(comments.startswith(b"\x03vorbis") and others[0].startswith(b"\x05vorbis"))
    elif stream.codec == "theora":
        empty = b"\x81theora" + _NO_COMMENTS
        expect(comments.startswith(b"\x81theora") and others[0].startswith(b"\x82theora"))
    elif stream.codec == "opus":
        empty = b"OpusTags" + _NO_COMMENTS
        expect(comments.startswith(b"OpusTags"))
    elif stream.codec == "flac":
        # The last block of metadata, of the kind 4 and with 8 bytes.
        empty, others = b"\x84\0\0\x08" + _NO_COMMENTS, []
    else:
        empty, others = _NO_COMMENTS, []
    if comments != empty:
        findings |= {Finding.TEXT}
        if any(name in header for header in stream.headers for name in (b"METADATA_BLOCK_PICTURE", b"COVERART")):
            findings.add(Finding.PICTURE)
    return [empty, *others]


def _paged(serial: int, packets: list[bytes]) -> list[_Page]:
    """Return pages of packets, the last of which ends its page, as all codecs want it of headers."""
    lacing, body = b"", b""
    for packet in packets:
        lacing += b"\xff" * (len(packet) // 255) + bytes([len(packet) % 255])
        body += packet
    pages: list[_Page] = []
    is_continued = False
    while lacing:
        now, lacing = lacing[:255], lacing[255:]
        size = sum(now)
        granule = 0 if any(length < 255 for length in now) else -1
        pages.append(_Page(_CONTINUED if is_continued else 0, granule, serial, now, body[:size]))
        body, is_continued = body[size:], now[-1] == 255
    return pages


def _crc(content: bytes) -> int:
    """Return the sum of a page (polynomial 0x04C11DB7, first bit first), by zlib's, which goes the other way round."""
    mirrored = ~zlib.crc32(content.translate(_REVERSED), 0xFFFFFFFF) & 0xFFFFFFFF
    return int.from_bytes(mirrored.to_bytes(4, "little").translate(_REVERSED), "big")
