"""Look at the members of a zip: each must be one file that every program unpacks to the same place."""

import re
import stat
import struct
import unicodedata
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import IO

# The bit of a zip's flags that says that a member is encrypted.
ENCRYPTED = 0x1
# The bits that say that sizes stand behind the content, and that the name is UTF-8.
SIZES_BEHIND, UTF8 = 0x8, 0x800
# What stands in front of each file, and how an extra field begins.
LOCAL, SIGNATURE, FIELD = struct.Struct("<4sHHHIIIIHH"), b"PK\x03\x04", struct.Struct("<HH")
# Extra fields of ordinary programs: sizes of large files, times, owners. Others can hold another name.
HARMLESS = frozenset({0x0001, 0x000A, 0x5455, 0x5855, 0x7855, 0x7875})
CHUNK, MOST_BEHIND = 1 << 20, 64
# A segment of a path that leads elsewhere, or that some systems read differently.
ODD = re.compile(r"(^|/)(\.{0,2})(/|$)|[\\:\x00-\x1f\x7f]")


def faults(archive: zipfile.ZipFile) -> Iterator[str]:
    """Yield a sentence for each member that programs would read differently, so that no two see another archive."""
    infos = archive.infolist()
    for name, n in sorted(Counter(info.filename for info in infos).items()):
        if n > 1:
            yield f"{name} is {n} times in the zip."
    yield from _alike({info.filename for info in infos})
    for info in infos:
        name = info.orig_filename
        folder = name.endswith("/")
        if ODD.search(name.removesuffix("/")) or info.filename != name:
            yield f"{name} is not the path of a file inside the archive."
        if folder and info.file_size:
            yield f"{name} is a folder with content."
        if info.flag_bits & ENCRYPTED:
            yield f"{name} is encrypted."
        if stat.S_ISLNK(info.external_attr >> 16):
            yield f"{name} is a link."
    yield from _gaps(archive, infos)
    if archive.comment:
        yield "The zip has a comment, which nothing signs."


def _gaps(archive: zipfile.ZipFile, infos: Sequence[zipfile.ZipInfo]) -> Iterator[str]:
    """Yield a sentence where files do not lie one behind the other, or differ from the directory of the zip.

    Some programs go by what stands in front of each file, others by the directory, which stands at the end.
    """
    assert archive.fp is not None, "the zip is open"
    infos = sorted(infos, key=lambda info: info.header_offset)
    ends = [*(info.header_offset for info in infos[1:]), archive.start_dir]
    if infos and infos[0].header_offset:
        yield f"The zip begins with {infos[0].header_offset:,} bytes that belong to no file."
    for info, end in zip(infos, ends, strict=True):
        if fault := _fault_of(archive.fp, info, end):
            yield f"{info.filename} {fault}"


def _fault_of(stream: IO[bytes], info: zipfile.ZipInfo, end: int) -> str:
    """Return why programs may read a file differently, which ends where the next one begins; "" where all see one."""
    stream.seek(info.header_offset)
    header = stream.read(LOCAL.size)
    if len(header) < LOCAL.size:
        return "has no header."
    signature, _version, flags, method, _time, crc, _packed, _size, name_length, extra_length = LOCAL.unpack(header)
    name, extra = stream.read(name_length), stream.read(extra_length)
    directory_name = info.orig_filename.encode("utf-8" if info.flag_bits & UTF8 else "cp437", "replace")
    if (signature, flags, method, name) != (SIGNATURE, info.flag_bits, info.compress_type, directory_name) or (
        not flags & SIZES_BEHIND and crc != info.CRC
    ):
        return "says otherwise of itself than the directory of the zip."
    if not {*_fields(extra), *_fields(info.extra)} <= HARMLESS:
        return "has extra fields, which some programs read as another name or content."
    if info.compress_type == zipfile.ZIP_DEFLATED and not _fills(stream, info):
        return "has bytes behind its compressed content."
    begin = info.header_offset + LOCAL.size + name_length + extra_length
    n_behind = end - begin - info.compress_size
    stream.seek(begin + info.compress_size)
    allowed = _descriptors(info) if flags & SIZES_BEHIND else {b""}
    if not 0 <= n_behind <= MOST_BEHIND or stream.read(n_behind) not in allowed:
        return "is followed by bytes that belong to no file."
    return ""


def _fields(extra: bytes) -> Iterator[int]:
    """Yield the kinds of the extra fields of a file; -1 for bytes that are no field."""
    while len(extra) >= FIELD.size:
        kind, length = FIELD.unpack(extra[: FIELD.size])
        yield kind if length <= len(extra) - FIELD.size else -1
        extra = extra[FIELD.size + length :]
    if extra:
        yield -1


def _fills(stream: IO[bytes], info: zipfile.ZipInfo) -> bool:
    """Return whether compressed content ends just where the directory says; the stream is at its beginning."""
    unpacking, left, n = zlib.decompressobj(-zlib.MAX_WBITS), info.compress_size, 0
    try:
        while left > 0 and not unpacking.eof and n <= info.file_size:
            chunk = stream.read(min(CHUNK, left))
            if not chunk:
                return False
            left -= len(chunk)
            n += len(unpacking.decompress(chunk, CHUNK))
            while unpacking.unconsumed_tail and n <= info.file_size:
                n += len(unpacking.decompress(unpacking.unconsumed_tail, CHUNK))
    except zlib.error:
        return True  # reading it says that it is damaged
    return not left and not unpacking.unused_data


def _descriptors(info: zipfile.ZipInfo) -> set[bytes]:
    """Return the forms of the bytes behind a file that was written to a stream: its checksum and sizes."""
    forms = set()
    for sizes in ("<II", "<QQ"):
        with suppress(struct.error):
            written = struct.pack("<I", info.CRC) + struct.pack(sizes, info.compress_size, info.file_size)
            forms |= {written, b"PK\x07\x08" + written}
    return forms


def _alike(names: set[str]) -> Iterator[str]:
    """Yield a sentence for names that are the same file on some systems, which ignore case or join accents."""
    first: dict[str, str] = {}
    for name in sorted(names):
        folded = unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())
        if (other := first.setdefault(folded, name)) != name:
            yield f"{other} and {name} are the same file on some systems."
