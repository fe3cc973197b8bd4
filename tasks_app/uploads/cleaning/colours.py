"""Blank the words of a colour profile (ICC.1:2022), which keeps its size and its colours."""

import struct

# Tags that every reader wants, which say in words what a profile is and whose.
_WORDS = {b"desc", b"cprt"}
# Tags by which colours are computed: white, black, primaries, curves, tables, light, and how it is to be seen.
_COLOURS = {
    b"wtpt", b"bkpt", b"chad", b"chrm", b"cicp", b"lumi", b"meas", b"view", b"gamt",
    *(channel + kind for channel in (b"r", b"g", b"b") for kind in (b"XYZ", b"TRC")), b"kTRC",
    *(table + b"%d" % number for table in (b"A2B", b"B2A", b"D2B", b"B2D") for number in range(4)),
}  # fmt: skip
_HEADER = 128
_MOST_TAGS = 1000
# Bytes of the head of an element: its kind, and four that are zero.
_KIND = 8


def clean_profile(profile: bytes) -> bytes | None:
    """Return a profile of the same size without words, names and dates; None for one that no browser would read."""
    try:
        size, n_tags = struct.unpack_from(">I", profile)[0], struct.unpack_from(">I", profile, _HEADER)[0]
        if profile[36:40] != b"acsp" or not _HEADER + 4 <= size <= len(profile) or n_tags > _MOST_TAGS:
            return None
        table = [struct.unpack_from(">4sII", profile, _HEADER + 4 + 12 * n) for n in range(n_tags)]
    except struct.error:
        return None
    cleaned = bytearray(size)
    cleaned[: _HEADER + 4 + 12 * n_tags] = profile[: _HEADER + 4 + 12 * n_tags]
    # The program that made the profile, when, who registered the device, and the profile's own hash.
    for first, end in ((4, 8), (24, 36), (48, 60), (80, 84), (84, 128)):
        cleaned[first:end] = bytes(end - first)
    for number, (name, start, length) in enumerate(table):
        end = start + length
        if start < _HEADER or end > size:
            return None
        if name in _WORDS:
            cleaned[start:end] = _without_words(profile[start:end])
        elif name in _COLOURS:
            try:
                cleaned[start:end] = _without_rest(profile[start:end])
            except (struct.error, IndexError):
                return None
        else:
            # A private tag: its name is one that nobody looks up.
            at = _HEADER + 4 + 12 * number
            cleaned[at : at + 4] = bytes(4)
    return bytes(cleaned)


def _without_words(element: bytes) -> bytes:
    """Return an element of text with its form and no words: a description of no letters, or no translations."""
    kind = element[:4]
    if kind == b"mluc":
        return (kind + bytes(8) + b"\0\0\0\x0c").ljust(len(element), b"\0")[: len(element)]
    return (kind if kind in (b"desc", b"text") else b"text").ljust(len(element), b"\0")[: len(element)]


def _without_rest(element: bytes) -> bytes:
    """Return an element of numbers with zeros behind its last one; tables stay as they are."""
    kind = element[:4]
    if kind == b"XYZ ":
        size = _KIND + 12
    elif kind == b"curv":
        size = _KIND + 4 + 2 * struct.unpack_from(">I", element, _KIND)[0]
    elif kind == b"para":
        # One number to seven, by the kind of curve.
        size = _KIND + 4 + 4 * (1, 3, 4, 5, 7)[struct.unpack_from(">H", element, _KIND)[0]]
    elif kind == b"sf32":
        size = _KIND + 36
    elif kind in (b"meas", b"view", b"chrm", b"cicp"):
        size = {b"meas": 36, b"view": 36, b"cicp": 12}.get(kind, len(element))
    elif kind in (b"mft1", b"mft2", b"mAB ", b"mBA ", b"mpet"):
        size = len(element)
    else:
        size = 0
    return element[:size].ljust(len(element), b"\0")
