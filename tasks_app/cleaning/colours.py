"""Blank the words of a colour profile (ICC.1:2022), which keeps its size and its colours."""

import struct

# Tags that say in words what a profile is, who made it and by which measurements.
_WORDS = {b"desc", b"cprt", b"dmnd", b"dmdd", b"vued", b"targ", b"ciis", b"tech", b"meta", b"pseq", b"psid", b"calt"}
_HEADER = 128
_MOST_TAGS = 1000


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
    for first, end in ((4, 8), (24, 36), (48, 56), (80, 84), (84, 128)):
        cleaned[first:end] = bytes(end - first)
    for name, start, length in table:
        end = start + length
        if start < _HEADER or end > size:
            return None
        if name in _WORDS:
            cleaned[start:end] = _without_words(profile[start:end])
        else:
            cleaned[start:end] = profile[start:end]
    return bytes(cleaned)


def _without_words(element: bytes) -> bytes:
    """Return an element of text with its form and no words; its lengths must stay valid."""
    kind = element[:4]
    head = {b"desc": 12, b"mluc": 16, b"text": 8}.get(kind, 8)
    if kind == b"mluc" and len(element) >= 16:
        # Each record of 12 bytes gives a language, and where its words are.
        n_records = struct.unpack_from(">I", element, 8)[0]
        head = min(len(element), 16 + 12 * n_records)
    return element[:head].ljust(len(element), b"\0")
