"""The chunks of RIFF files, which WAV and WebP are."""

import struct
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tasks_app.uploads.cleaning.findings import Finding


class Chunk(NamedTuple):
    """A named part of the file."""

    name: bytes
    body: bytes


def chunks(content: bytes, findings: set[Finding]) -> Iterator[Chunk]:
    """Yield the chunks of a file, and note the bytes after them; the last one may lack its end."""
    size = struct.unpack_from("<I", content, 4)[0]
    # Recorders that write to a pipe never learn the size.
    end = len(content) if size in (0, 0xFFFFFFFF) else min(len(content), 8 + size + size % 2)
    yield from inner(content[:end], 12)
    if end < len(content):
        findings.add(Finding.OTHER)


def inner(content: bytes, place: int) -> Iterator[Chunk]:
    """Yield the chunks from a place on."""
    while place + 8 <= len(content):
        name, size = struct.unpack_from("<4sI", content, place)
        yield Chunk(name, content[place + 8 : place + 8 + size])
        place += 8 + size + size % 2


def packed(parts: Iterable[Chunk]) -> bytes:
    """Return chunks one after the other, each on an even place."""
    return b"".join(struct.pack("<4sI", name, len(body)) + body + b"\0" * (len(body) % 2) for name, body in parts)


def written(form: bytes, parts: Iterable[Chunk]) -> bytes:
    """Return a whole file."""
    body = packed(parts)
    return struct.pack("<4sI4s", b"RIFF", len(body) + 4, form) + body
