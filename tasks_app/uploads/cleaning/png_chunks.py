"""The chunks of PNG that a cleaned file may hold, and the contents that each of them may have."""

import struct
from collections.abc import Callable, Mapping

PIXELS, FRAME = {b"IDAT", b"fdAT"}, b"fcTL"
TEXTS = {b"tEXt", b"zTXt", b"iTXt"}
# How the colours of chromaticities and lights are spelled: 100,000 and 50,000 are 1, 10,000 are a candela.
_MOST_OF_CHROMATICITY, _MOST_OF_MASTERED, _MOST_OF_LIGHT, _MOST_OF_GAMMA = 200_000, 50_000, 100_000_000, 10_000_000
# Pixels of a metre.
_DENSEST = 1_000_000


def _numbers(form: str, most: int) -> Callable[[bytes, bytes], bool]:
    """Return a test of numbers of a form that are not above `most`, which words of four letters are."""
    return lambda body, head: len(body) == struct.calcsize(form) and max(struct.unpack(form, body)) <= most


def _is_palette(body: bytes, head: bytes) -> bool:
    return head[9] == 3 and len(body) % 3 == 0 and 0 < len(body) <= 3 << head[8]


def _is_transparency(body: bytes, head: bytes) -> bool:
    return len(body) <= 1 << head[8] if head[9] == 3 else len(body) == {0: 2, 2: 6}.get(head[9], -1)


def _is_background(body: bytes, head: bytes) -> bool:
    size = {3: 1, 0: 2, 4: 2}.get(head[9], 6)
    # A number of two bytes for each colour, of which pictures of eight bits use one.
    return len(body) == size and head[8] <= 8 and not any(body[: size - size % 2 : 2])


def _is_density(body: bytes, head: bytes) -> bool:
    densest = max(int.from_bytes(body[:4], "big"), int.from_bytes(body[4:8], "big"))
    return len(body) == 9 and body[8] <= 1 and densest <= _DENSEST


def _is_mastering(body: bytes, head: bytes) -> bool:
    if len(body) != 24:
        return False
    colours, lights = struct.unpack(">8H", body[:16]), struct.unpack(">II", body[16:])
    return bool(max(colours) <= _MOST_OF_MASTERED and max(lights) <= _MOST_OF_LIGHT)


def _is_frame(body: bytes, head: bytes) -> bool:
    if len(body) != 26 or body[24] > 2 or body[25] > 1:
        return False
    width, height, left, top = struct.unpack_from(">IIII", body, 4)
    all_width, all_height = struct.unpack_from(">II", head)
    return bool(0 < width <= all_width - left and 0 < height <= all_height - top)


# Whether a chunk holds what belongs into it, given the head of the picture. A colour profile is cleaned apart.
COLOURS: Mapping[bytes, Callable[[bytes, bytes], bool]] = {
    b"gAMA": _numbers(">I", _MOST_OF_GAMMA),
    b"cHRM": _numbers(">8I", _MOST_OF_CHROMATICITY),
    b"sRGB": _numbers("B", 3),
    b"cICP": lambda body, head: len(body) == 4 and body[3] <= 1,
    b"mDCV": _is_mastering,
    b"cLLI": _numbers(">II", _MOST_OF_LIGHT),
    b"sBIT": lambda body, head: 0 < len(body) <= 4 and max(body) <= 16,
    b"iCCP": lambda body, head: len(body) <= 1 << 24,
}
CONTENTS: Mapping[bytes, Callable[[bytes, bytes], bool]] = {
    b"IHDR": lambda body, head: len(body) == 13,
    b"PLTE": _is_palette,
    b"tRNS": _is_transparency,
    b"bKGD": _is_background,
    b"pHYs": _is_density,
    b"acTL": lambda body, head: len(body) == 8,
    FRAME: _is_frame,
    b"IEND": lambda body, head: not body,
    **COLOURS,
}
