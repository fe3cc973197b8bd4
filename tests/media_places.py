"""Media files with words at one place each: every place where a format allows a part that no decoder needs."""

import io
import struct
import zlib
from collections.abc import Callable, Mapping

from PIL import Image

from tests import media_files
from tests.film_places import Planted, mp4, webm


def png(words: bytes) -> Planted:
    """Yield PNG and animated PNG."""
    for name, whole in {
        "picture": media_files.saved(media_files.picture(mode="RGBA"), "PNG"),
        "palette": media_files.saved(media_files.picture(mode="P"), "PNG"),
        "animation": media_files.animation("PNG"),
        "profile": media_files.saved(media_files.picture(), "PNG", icc_profile=media_files.profile(b"s")),
    }.items():
        chunks = _png_chunks(whole)
        for at in range(1, len(chunks) + 1):
            for kind in (
                b"tEXt",
                b"abCd",
                b"eXIf",
                b"cHRM",
                b"gAMA",
                b"tRNS",
                b"pHYs",
                b"bKGD",
                b"fdAT",
                b"fcTL",
                b"sPLT",
            ):
                if (name, kind) in (("palette", b"tRNS"), ("animation", b"fdAT"), ("animation", b"fcTL")):
                    # What is seen.
                    continue
                body = words.ljust({b"cHRM": 32, b"pHYs": 9, b"fcTL": 26}.get(kind, len(words)), b"!")
                yield f"{name}: {kind!r} at {at}", _png(chunks[:at], [(kind, body)], chunks[at:]), whole
        for at, (kind, body) in enumerate(chunks):
            if kind in (b"IDAT", b"fdAT", b"iCCP"):
                yield (
                    f"{name}: behind {kind!r} at {at}",
                    _png(chunks[:at], [(kind, body + words)], chunks[at + 1 :]),
                    whole,
                )
            if kind == b"IDAT":
                more = zlib.compress(zlib.decompress(body) + words, 0)
                yield f"{name}: more pixels", _png(chunks[:at], [(kind, more)], chunks[at + 1 :]), whole
                parts = [(kind, body[:9]), (kind, body[9:] + words[:5]), (kind, words[5:])]
                yield f"{name}: behind pixels in parts", _png(chunks[:at], parts, chunks[at + 1 :]), whole
        yield f"{name}: behind the end", whole + words, whole
        yield f"{name}: second pixels", _png(chunks[:-1], [(b"tEXt", b"a\0b"), (b"IDAT", words)], chunks[-1:]), whole


def _png_chunks(whole: bytes) -> list[tuple[bytes, bytes]]:
    chunks, place = [], 8
    while place < len(whole):
        size, name = struct.unpack_from(">I4s", whole, place)
        chunks.append((name, whole[place + 8 : place + 8 + size]))
        place += 12 + size
    return chunks


def _png(*groups: list[tuple[bytes, bytes]]) -> bytes:
    parts = [b"\x89PNG\r\n\x1a\n"]
    for name, body in (chunk for group in groups for chunk in group):
        parts += (struct.pack(">I", len(body)), name, body, struct.pack(">I", zlib.crc32(name + body)))
    return b"".join(parts)


def jpeg(words: bytes) -> Planted:
    """Yield JPEG and progressive JPEG."""
    for name, options in {"baseline": {}, "progressive": {"progressive": True}}.items():
        whole = media_files.saved(media_files.picture(), "JPEG", quality=90, **options)
        places, place = [2], 2
        while whole[place + 1] != 0xDA:
            place += 2 + struct.unpack_from(">H", whole, place + 2)[0]
            places.append(place)
        for at in places:
            for marker in (*range(0xE0, 0xF0), *range(0xF0, 0xFF)):
                for lead in (b"", b"JFIF\0\1\1\0\0\1\0\1\0\0", b"Adobe\0\x64\0\0\0\0\1"):
                    body = lead + words
                    if (marker == 0xEE and lead.startswith(b"Adobe")) or (marker == 0xE0 and lead) or not lead:
                        segment = struct.pack(">BBH", 0xFF, marker, len(body) + 2) + body
                        yield f"{name}: {marker:x} {lead[:4]!r} at {at}", whole[:at] + segment + whole[at:], whole
        yield f"{name}: behind the end", whole + words, whole


def webp(words: bytes) -> Planted:
    """Yield WebP: plain, with transparency, and animated."""
    for name, whole in {
        "plain": media_files.saved(media_files.picture(), "WEBP"),
        "lossless": media_files.saved(media_files.picture(mode="RGBA"), "WEBP", lossless=True),
        "transparent": media_files.rich_webp(b""),
        "animation": media_files.animation("WEBP"),
    }.items():
        chunks = _riff_chunks(whole, 12)
        for at in range(1, len(chunks) + 1):
            for kind in (b"EXIF", b"XMP ", b"abcd", b"VP8 ", b"VP8L", b"ALPH", b"ICCP", b"ANIM"):
                if kind in (b"VP8 ", b"VP8L", b"ALPH", b"ANIM") and at < len(chunks) and name != "plain":
                    # The first picture is the one that is shown.
                    continue
                yield f"{name}: {kind!r} at {at}", _riff(b"WEBP", chunks[:at], [(kind, words)], chunks[at:]), whole
        for at, (kind, body) in enumerate(chunks):
            if kind in (b"VP8X", b"ANIM"):
                changed = [(kind, body + words)]
                yield f"{name}: behind {kind!r}", _riff(b"WEBP", chunks[:at], changed, chunks[at + 1 :]), whole
            if kind == b"ANMF":
                inner = _riff_chunks(body, 16)
                for more in ((b"abcd", words), (b"VP8 ", words)):
                    changed = [(kind, body[:16] + _packed([*inner, more]))]
                    yield f"{name}: in {at}, {more[0]!r}", _riff(b"WEBP", chunks[:at], changed, chunks[at + 1 :]), whole
        yield f"{name}: behind the end", whole + words, whole


def _riff_chunks(whole: bytes, place: int) -> list[tuple[bytes, bytes]]:
    chunks = []
    while place < len(whole):
        name, size = struct.unpack_from("<4sI", whole, place)
        chunks.append((name, whole[place + 8 : place + 8 + size]))
        place += 8 + size + size % 2
    return chunks


def _packed(chunks: list[tuple[bytes, bytes]]) -> bytes:
    return b"".join(struct.pack("<4sI", name, len(body)) + body + b"\0" * (len(body) % 2) for name, body in chunks)


def _riff(form: bytes, *groups: list[tuple[bytes, bytes]]) -> bytes:
    body = form + b"".join(map(_packed, groups))
    return b"RIFF" + struct.pack("<I", len(body)) + body


def wav(words: bytes) -> Planted:
    """Yield WAV with further chunks."""
    whole = media_files.rich_wav(b"")
    chunks = _riff_chunks(whole, 12)
    for at in range(len(chunks) + 1):
        for kind in (b"LIST", b"abcd", *((b"fmt ", b"data") if at == len(chunks) else ())):
            yield f"{kind!r} at {at}", _riff(b"WAVE", chunks[:at], [(kind, words)], chunks[at:]), whole
    yield "behind the format", _riff(b"WAVE", [(b"fmt ", chunks[0][1] + words)], chunks[1:]), whole
    yield "behind the end", whole + words, whole


def gif(words: bytes) -> Planted:
    """Yield GIF, of one picture and of several."""
    block = bytes([len(words)]) + words + b"\0"
    extensions = {
        "comment": b"!\xfe" + block,
        "text": b"!\x01\x0c" + bytes(12) + block,
        "application": b"!\xff\x0bABCDEFGHIJK" + block,
        "loops": b"!\xff\x0bNETSCAPE2.0\x03\x01\0\0" + block,
        "control": b"!\xf9" + block,
        "unknown": b"!\x77" + block,
    }
    for name, whole in {"one": media_files.gif(), "animation": media_files.animation("GIF")}.items():
        places, codes = _gif_places(whole)
        for at in places:
            for kind, part in extensions.items():
                yield f"{name}: {kind} at {at}", whole[:at] + part + whole[at:], whole
        for at in codes:
            yield f"{name}: behind the codes at {at}", whole[:at] + block[:-1] + whole[at:], whole
        yield f"{name}: behind the end", whole + words, whole


def _gif_places(whole: bytes) -> tuple[list[int], list[int]]:
    """Return where blocks begin, and where the codes of pictures end."""
    place = 13 + (3 << (whole[10] & 7) + 1 if whole[10] & 0x80 else 0)
    places, codes = [], []
    while whole[place] != 0x3B:
        places.append(place)
        is_picture = whole[place] == 0x2C
        place += 2
        if is_picture:
            place += 8 + (3 << (whole[place + 7] & 7) + 1 if whole[place + 7] & 0x80 else 0) + 1
        while whole[place]:
            place += whole[place] + 1
        if is_picture:
            codes.append(place)
        place += 1
    return [*places, place], codes


def ogg(words: bytes) -> Planted:
    """Yield Ogg with words behind the end of the packet that begins a stream, and behind pages."""
    for codec in ("opus", "vorbis", "theora"):
        whole = media_files.ogg(b"", codec)
        yield f"{codec}: behind the end", whole + words, whole
        for at in [at for at in range(1, len(whole)) if whole.startswith(b"OggS", at)]:
            yield f"{codec}: before the page at {at}", whole[:at] + words + whole[at:], whole
        yield f"{codec}: first packet", media_files.ogg(b"", codec, rest=words), whole


def mp3(words: bytes) -> Planted:
    """Yield MP3 with words in the frame that describes the others."""
    whole = media_files.mp3()
    frame = whole[:417]
    described = b"Info\0\0\0\x0f" + bytes(4) * 2 + bytes(range(100)) + bytes(4)
    coder = b"LAME3.100" + bytes(27)
    pieces = {
        "settings": (words.ljust(32, b"\0"), described + coder),
        "places": (bytes(32), described[:16] + words.ljust(100, b"\0") + bytes(4) + coder),
        "coder": (bytes(32), described + b"LAME" + words.ljust(32, b"\0")),
        "coder's numbers": (bytes(32), described + b"LAME3.100\0\0" + words.ljust(25, b"\0")),
        "behind": (bytes(32), described + coder + words),
        "no coder": (bytes(32), described + bytes(36) + words),
    }
    for name, (before, said) in pieces.items():
        yield name, (b"\xff\xfb\x90\x64" + before + said).ljust(417, b"\0") + frame * 3, whole
    yield "VBRI", (b"\xff\xfb\x90\x64" + bytes(32) + b"VBRI" + bytes(22) + words).ljust(417, b"\0") + frame * 3, whole


def flac(words: bytes) -> Planted:
    """Yield FLAC with further blocks, free points to jump to, and a sum that is words."""
    whole = media_files.flac()
    head, frames = whole[8:42], whole[42:]
    free = (b"\xff" * 8 + words.ljust(10, b"\0"))[:18]
    for kind, body in (
        (1, words),
        (2, words),
        (3, free),
        (4, words),
        (6, words),
        (9, words),
        (0, words.ljust(34, b"\0")),
    ):
        block = bytes([kind | 0x80, 0, 0, len(body)]) + body
        yield f"block {kind}", b"fLaC\0\0\0\x22" + head + block + frames, whole
    yield "sum", b"fLaC\x80\0\0\x22" + head[:18] + words.ljust(16, b"\0") + frames, whole
    yield "behind the end", whole + words, whole


def pixels(before: bytes) -> list[bytes]:
    """Return the pixels of each frame of a picture."""
    with Image.open(io.BytesIO(before)) as picture:
        frames = []
        for number in range(getattr(picture, "n_frames", 1)):
            picture.seek(number)
            frames.append(picture.convert("RGBA").tobytes())
        return frames


# By media type: files of it with words at one place each.
PLACES: Mapping[str, Callable[[bytes], Planted]] = {
    "image/png": png,
    "image/jpeg": jpeg,
    "image/webp": webp,
    "image/gif": gif,
    "audio/wav": wav,
    "audio/mpeg": mp3,
    "audio/flac": flac,
    "audio/ogg": ogg,
    "video/mp4": mp4,
    "video/webm": webm,
}
