"""The coded pixels of PNG: as many as the picture has, and nothing behind the end of their zlib stream."""

import zlib
from collections.abc import Iterator, Sequence
from itertools import pairwise

from tasks_app.uploads.cleaning.findings import expect

_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
# Where each pass of an interlaced picture begins and how far apart its pixels are: across, then down.
_PASSES = ((0, 8, 0, 8), (4, 8, 0, 8), (0, 4, 4, 8), (2, 4, 0, 4), (0, 2, 2, 4), (1, 2, 0, 2), (0, 1, 1, 2))
_AT_ONCE = 1 << 20


def size_of_pixels(head: bytes, width: int, height: int) -> int:
    """Return the number of bytes of a picture before packing: each row has one more, which names its filter."""
    bits = head[8] * _CHANNELS[head[9]]
    if not head[12]:
        return height * (1 + (width * bits + 7) // 8)
    size = 0
    for left, across, top, down in _PASSES:
        columns, rows = -(-(width - left) // across), -(-(height - top) // down)
        if columns > 0 and rows > 0:
            size += rows * (1 + (columns * bits + 7) // 8)
    return size


def without_rest(bodies: Sequence[bytes], size: int) -> list[bytes]:
    """Return the parts of one zlib stream without bytes after its end, or the pixels that make `size` bytes.

    Raises
    ------
    CannotClean
        Where the stream is damaged. One that lacks its end is a picture of which the rest is not shown.
    """
    whole = b"".join(bodies)
    stream = zlib.decompressobj()
    try:
        n_unpacked = sum(map(len, _unpacked(stream, whole)))
        if n_unpacked > size:
            return [_packed(whole, size)]
    except zlib.error:
        expect(is_sound=False)
    if not stream.unused_data:
        return list(bodies)
    end, places = len(whole) - len(stream.unused_data), [0]
    for body in bodies:
        places.append(min(end, places[-1] + len(body)))
    return [whole[first:last] for first, last in pairwise(places) if last > first]


def _unpacked(stream: "zlib._Decompress", whole: bytes) -> Iterator[bytes]:
    """Yield the contents of a stream, a piece at a time."""
    waiting = whole
    while not stream.eof:
        piece = stream.decompress(waiting, _AT_ONCE)
        if not piece and not stream.unconsumed_tail:
            return
        yield piece
        waiting = stream.unconsumed_tail


def _packed(whole: bytes, size: int) -> bytes:
    """Return the first bytes that a stream holds, packed again."""
    packer, parts = zlib.compressobj(9), []
    for piece in _unpacked(zlib.decompressobj(), whole):
        parts.append(packer.compress(piece[:size]))
        size -= len(piece)
        if size <= 0:
            break
    return b"".join([*parts, packer.flush()])
