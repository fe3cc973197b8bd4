"""WAV: keep the format and the sound; leave out lists of texts, cover pictures and programs' own chunks."""

import struct

from tasks_app.uploads.cleaning import riff
from tasks_app.uploads.cleaning.findings import Finding, Reason, expect
from tasks_app.uploads.cleaning.riff import Chunk

# Bytes of the format of uncompressed and companded sound, by its number; the rest of that chunk is nobody's.
_FORMATS = {1: 16, 3: 18, 6: 18, 7: 18, 0xFFFE: 40}
# How the number of an extensible format ends.
_EXTENSIBLE, _SUBFORMAT = 0xFFFE, bytes.fromhex("000000001000800000aa00389b71")
_TEXTS = {b"LIST", b"bext", b"iXML", b"id3 ", b"ID3 ", b"_PMX", b"aXML", b"cart", b"DISP", b"note", b"labl"}


def clean(content: bytes, findings: set[Finding]) -> bytes:
    """Return a sound without any chunk but its format, its samples and how many these are."""
    clean_chunks: dict[bytes, Chunk] = {}
    for name, body in riff.chunks(content, findings):
        if name == b"fmt " and name not in clean_chunks:
            number = struct.unpack_from("<H", body)[0]
            expect(number in _FORMATS, Reason.CODEC)
            clean_chunks[name] = Chunk(name, body[: _FORMATS[number]])
            expect(len(body) >= 16)
            expect(number != _EXTENSIBLE or (len(body) >= 40 and body[26:40] == _SUBFORMAT), Reason.CODEC)
        elif name == b"fact" and name not in clean_chunks:
            clean_chunks[name] = Chunk(name, body[:4])
        elif name == b"data" and name not in clean_chunks:
            clean_chunks[name] = Chunk(name, body)
        else:
            findings.add(Finding.TEXT if name in _TEXTS else Finding.OTHER)
    expect(b"fmt " in clean_chunks and b"data" in clean_chunks and bool(clean_chunks[b"data"].body))
    return riff.written(b"WAVE", (clean_chunks[name] for name in (b"fmt ", b"fact", b"data") if name in clean_chunks))
