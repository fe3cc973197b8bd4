"""Bytes in boxes of MP4 that no player reads: places left free, and bytes behind the last entry."""

import struct
from collections.abc import Callable, Iterator, Mapping

from tasks_app.uploads.cleaning.codecs import av1_settings, opus_head
from tasks_app.uploads.cleaning.findings import expect
from tasks_app.uploads.cleaning.nal import clean_unit

BRANDS = {
    b"isom", *(b"iso" + letter for letter in (b"2", b"3", b"4", b"5", b"6", b"7", b"8", b"9", b"a", b"b", b"c")),
    b"mp41", b"mp42", b"mp71", b"avc1", b"av01", b"hvc1", b"hev1", b"M4A ", b"M4B ", b"M4V ", b"M4P ", b"MSNV", b"dash",
    b"dsms", b"msdh", b"msix", b"lmsg", b"cmfc", b"cmf2", b"cmfs", b"cmff", b"hlsf", b"3gp4", b"3gp5", b"3gp6", b"3g2a",
    b"qt  ",
}  # fmt: skip
_HIGH, _ONES = {100, 110, 122, 144}, ((0, 0xFC), (1, 0xF8), (2, 0xF8))
_GROUPS = {b"roll": 2, b"prol": 2, b"rap ": 1}
_MOST_VERSION = 0xFFFF
_STREAM, _DECODER, _SETTINGS, _TIMES = 3, 4, 5, 6
# What one sample needs of others; more would be a reserved value.
_DEPENDS = bytes(byte & 0x30 if byte & 0x30 != 0x30 else 0 for byte in range(256))


def _counted(width: int, head: int = 8) -> Callable[[bytes], bytes]:
    """Return a function that shortens a table of rows: their number ends its head."""
    return lambda body: body[: head + width * struct.unpack_from(">I", body, head - 4)[0]]


def _free(*places: tuple[int, int], size: int, moved: int = 0) -> Callable[[bytes], bytes]:
    """Return a function that empties places of a box of a fixed size; in version 1, they are further behind."""

    def without(body: bytes) -> bytes:
        move = moved if body[0] == 1 else 0
        left = bytearray(body[: size + move])
        for first, end in places:
            left[first + move : end + move] = bytes(end - first)
        return bytes(left)

    return without


def _sizes(body: bytes) -> bytes:
    size, n = struct.unpack_from(">II", body, 4)
    return body[:12] if size else body[: 12 + 4 * n]


def _small_sizes(body: bytes) -> bytes:
    bits, n = struct.unpack_from(">II", body, 4)
    return body[: 12 + (n * (bits & 0xFF) + 7) // 8]


def _edits(body: bytes) -> bytes:
    return _counted(20 if body[0] == 1 else 12)(body)


def _groups(body: bytes) -> bytes:
    return _counted(8, 16 if body[0] == 1 else 12)(body) if body[4:8] in _GROUPS else b""


def _group_kinds(body: bytes) -> bytes:
    size = _GROUPS.get(body[4:8])
    if body[0] != 1 or size is None or struct.unpack_from(">I", body, 8)[0] != size:
        return b""
    return _counted(size, 16)(body)


def _fragment_head(body: bytes) -> bytes:
    flags = struct.unpack_from(">I", body)[0]
    widths = ((1, 8), (2, 4), (8, 4), (16, 4), (32, 4))
    return body[: 8 + sum(width for flag, width in widths if flags & flag)]


def _run(body: bytes) -> bytes:
    flags, n = struct.unpack_from(">II", body)
    return body[: 8 + 4 * (flags & 1) + 4 * (flags >> 2 & 1) + n * 4 * (flags >> 8 & 15).bit_count()]


def _index(body: bytes) -> bytes:
    head = 32 if body[0] == 1 else 24
    return body[: head + 12 * struct.unpack_from(">H", body, head - 2)[0]]


def _entries_by_time(body: bytes) -> bytes:
    lengths = struct.unpack_from(">I", body, 8)[0]
    width = (16 if body[0] == 1 else 8) + sum(1 + (lengths >> shift & 3) for shift in (0, 2, 4))
    return _counted(width, 16)(body)


def _brands(body: bytes) -> bytes:
    """Return the brands of a file, with one that every player knows in the place of an unknown one."""
    major, version = body[:4], struct.unpack_from(">I", body, 4)[0]
    if major not in BRANDS:
        major = b"M4A " if major.startswith((b"M4A", b"M4B")) else b"isom"
    others = [body[at : at + 4] for at in range(8, len(body) - 3, 4)]
    return b"".join([
        major, struct.pack(">I", version if version <= _MOST_VERSION else 0),
        *(brand if brand in BRANDS else b"isom" for brand in others),
    ])  # fmt: skip


def _avc(body: bytes) -> bytes:
    """Return the parameters of H.264: two lists of units, and the bytes after them in high profiles."""
    data, place = bytearray(body), 5
    for mask in (31, 255):
        place = _past_units(data, place, body[place] & mask, is_h265=False)
    # Which samples and how deep: the other bits of these three bytes are 1.
    has_depths = len(body) >= place + 4 and all(body[place + at] | mask == body[place + at] for at, mask in _ONES)
    if body[1] in _HIGH and has_depths:
        place = _past_units(data, place + 3, body[place + 3], is_h265=False)
    return bytes(data[:place])


def _past_units(data: bytearray, place: int, n_units: int, *, is_h265: bool) -> int:
    """Clean the units of a list with its number at a place, and return the place where it ends."""
    place += 1
    for _unit in range(n_units):
        size = struct.unpack_from(">H", data, place)[0]
        expect(place + 2 + size <= len(data))
        if size:
            clean_unit(data, place + 2, place + 2 + size, is_h265=is_h265)
        place += 2 + size
    return place


def _hevc(body: bytes) -> bytes:
    """Return the parameters of H.265: lists of units."""
    data, place = bytearray(body), 23
    for _array in range(body[22]):
        n_units = struct.unpack_from(">H", body, place + 1)[0]
        place = _past_units(data, place + 2, n_units, is_h265=True)
    return bytes(data[:place])


def _opus(body: bytes) -> bytes:
    # As in Ogg, without the name and with numbers the other way round.
    return opus_head(b"OpusHead" + body)[8 : 8 + (11 if body[10] == 0 else 13 + body[1])]


def _flac(body: bytes) -> bytes:
    """Return the first block of FLAC, as the last one."""
    expect(body[4] & 0x7F == 0 and len(body) >= 42)
    return body[:4] + b"\x80" + body[5:26] + bytes(16)


def _colours(body: bytes) -> bytes:
    kind = body[:4]
    # A colour profile is cleaned apart.
    return body if kind in (b"prof", b"rICC") else body[: {b"nclx": 11, b"nclc": 10}.get(kind, 0)]


def _elementary(body: bytes) -> bytes:
    """Return the coding of an MPEG-4 stream (ISO/IEC 14496-1), with zeros in other descriptors."""
    data = bytearray(4) + bytearray(len(body) - 4)
    data[:4] = body[:4]
    for start, end in _needed_descriptors(body, 4, len(body)):
        data[start:end] = body[start:end]
    return bytes(data)


def _needed_descriptors(body: bytes, place: int, most: int) -> Iterator[tuple[int, int]]:
    """Yield the places of descriptors that a decoder needs: their heads, and their contents."""
    while place < most:
        kind, start, size = body[place], place, 0
        place += 1
        while True:
            byte = body[place]
            place += 1
            size = size << 7 | byte & 0x7F
            if byte < 0x80:
                break
        end = place + size
        if end > most:
            return
        if kind == _STREAM:
            flags = body[place + 2]
            # None depends on another, has an address or a clock.
            expect(not flags & 0xE0)
            yield start, place + 3
            yield from _needed_descriptors(body, place + 3, end)
        elif kind == _DECODER:
            yield start, place + 13
            yield from _needed_descriptors(body, place + 13, end)
        elif kind == _SETTINGS:
            yield start, end
        elif kind == _TIMES:
            yield start, min(end, place + 1)
        place = end


# How to empty what no player reads, by box; the rest becomes zeros.
NEEDED: Mapping[bytes, Callable[[bytes], bytes]] = {
    b"ftyp": _brands, b"styp": _brands,
    b"mvhd": _free((26, 36), (72, 96), size=100, moved=12),
    b"tkhd": _free((24, 32), (38, 40), size=84, moved=12),
    b"mdhd": _free((22, 24), size=24, moved=12),
    b"vmhd": _free(size=12), b"smhd": _free((6, 8), size=8),
    b"elst": _edits, b"stts": _counted(8), b"ctts": _counted(8), b"cslg": _free(size=24, moved=20),
    b"stss": _counted(4), b"stsc": _counted(12), b"stsz": _sizes, b"stz2": _small_sizes,
    b"stco": _counted(4), b"co64": _counted(8),
    b"sdtp": lambda body: body[:4] + body[4:].translate(_DEPENDS), b"sbgp": _groups, b"sgpd": _group_kinds,
    b"mehd": _free(size=8, moved=4), b"trex": _free(size=24), b"mfhd": _free(size=8),
    b"tfhd": _fragment_head, b"tfdt": _free(size=8, moved=4), b"trun": _run,
    b"tfra": _entries_by_time, b"mfro": _free(size=8), b"sidx": _index,
    b"avcC": _avc, b"hvcC": _hevc, b"av1C": av1_settings, b"vpcC": lambda body: body[:10] + bytes(2),
    b"esds": _elementary, b"dOps": _opus, b"dfLa": _flac, b"alac": lambda body: body[:52], b"colr": _colours,
    b"dac3": lambda body: body[:3], b"dec3": lambda body: body[:42], b"pasp": lambda body: body[:8],
    b"clap": lambda body: body[:32], b"btrt": lambda body: body[:12], b"fiel": lambda body: body[:2],
    b"mdcv": lambda body: body[:24], b"clli": lambda body: body[:4], b"SmDm": lambda body: body[:28],
    b"CoLL": lambda body: body[:8], b"srat": lambda body: body[:8],
}  # fmt: skip
