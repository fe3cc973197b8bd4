"""Films with words at one place each: every place where a format allows a part that no player needs."""

import struct
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass, field

from tests import media_files
from tests.media_files import CODED, box, element

# What is planted and where, the file with it, and the file without it.
Planted = Iterator[tuple[str, bytes, bytes]]


@dataclass
class Part:
    """A box or an element: its name, what stands before the parts in it, and these; or only content."""

    name: bytes
    before: bytes
    parts: list["Part"] = field(default_factory=list)
    holds_parts: bool = False


def _walked(part: Part) -> Iterator[Part]:
    yield part
    for one in part.parts:
        yield from _walked(one)


def _planted(
    top: Part, written: Callable[[Part], bytes], others: Mapping[str, bytes], words: bytes, *, fixed: Container[bytes]
) -> Planted:
    """Yield a file for each place in each part that holds parts, and behind the content of each other one.

    What is `fixed` ends with what is coded, or would be broken by more bytes.
    """

    whole = written(top)
    for part in _walked(top):
        if part.holds_parts and part.name != b"stsd":
            for at in range(len(part.parts) + 1):
                for kind, body in others.items():
                    part.parts.insert(at, Part(b"", body))
                    yield f"{kind} in {part.name!r} at {at}", written(top), whole
                    del part.parts[at]
        elif part.name and part.name not in fixed:
            before = part.before
            part.before = before + words
            yield f"behind {part.name!r}", written(top), whole
            part.before = before


_BOXES = {
    **dict.fromkeys((b"moov", b"trak", b"edts", b"mdia", b"minf", b"dinf", b"stbl", b"mvex", b"moof", b"traf"), 0),
    b"mfra": 0,
    b"dref": 8, b"stsd": 8, b"avc1": 78,
}  # fmt: skip


def mp4(words: bytes) -> Planted:
    """Yield MP4: a whole film, and one of fragments. Samples stand before all that is planted."""
    others = {
        name.decode(): box(name, words) for name in (b"free", b"skip", b"wide", b"uuid", b"udta", b"abcd", b"meta")
    }
    for name, whole in {"whole": media_files.mp4(), "fragments": _fragments()}.items():
        for place, content, _whole in _planted(
            Part(b"", b"", _boxes(whole)), _mp4, others, words, fixed=(b"mdat", b"stsd", b"ftyp")
        ):
            yield f"{name}: {place}", content, whole
        for kind, part in others.items():
            yield f"{name}: {kind} at the end", whole + part, whole
        yield f"{name}: behind the end", whole + words, whole
        yield f"{name}: brand", whole.replace(b"isom\0\0\0\0isom", words, 1), whole
        yield (
            f"{name}: version of the brand",
            whole.replace(b"isom\0\0\0\0isom", b"isom" + words[:4] + b"isom", 1),
            whole,
        )


def _fragments() -> bytes:
    sample = struct.pack(">I", 1 + len(CODED)) + b"\x65" + CODED
    whole = media_files.mp4()
    moov = whole[whole.index(b"moov") - 4 :]
    extends = box(b"mvex", box(b"mehd", bytes(8)), box(b"trex", bytes(4), struct.pack(">IIIII", 1, 1, 1, 0, 0)))
    traf = box(
        b"traf",
        box(b"tfhd", struct.pack(">II", 0x20000, 1)),
        box(b"tfdt", bytes(8)),
        box(b"sdtp", bytes(5)),
        box(b"trun", struct.pack(">IIiI", 0x201, 1, -len(sample), len(sample))),
    )
    access = box(b"mfra", box(b"tfra", struct.pack(">IIIIIIBBB", 0, 1, 0, 1, 0, 0, 1, 1, 1)), box(b"mfro", bytes(8)))
    movie = box(b"moov", moov[8:], extends)
    parts = [whole[: whole.index(b"moov") - 4], movie, box(b"mdat", sample), box(b"moof", box(b"mfhd", bytes(8)), traf)]
    return b"".join([*parts, access])


def _boxes(content: bytes) -> list[Part]:
    parts, place = [], 0
    while place < len(content):
        size, name = struct.unpack_from(">I4s", content, place)
        body = content[place + 8 : place + size]
        skip = _BOXES.get(name)
        parts.append(
            Part(name, body) if skip is None else Part(name, body[:skip], _boxes(body[skip:]), holds_parts=True)
        )
        place += size
    return parts


def _mp4(part: Part) -> bytes:
    inside = b"".join(_mp4(one) for one in part.parts)
    return box(part.name, part.before, inside) if part.name else part.before + inside


# The elements that hold others, and of these the ones whose parts a file lists one after the other.
_ELEMENTS = {
    0x18538067, 0x114D9B74, 0x4DBB, 0x1549A966, 0x1654AE6B, 0xAE, 0xE0, 0xE1, 0x55B0, 0x55D0, 0x7670, 0x1F43B675, 0xA0,
    0x75A1, 0xA6, 0x1C53BB6B, 0xBB, 0xB7, 0x1A45DFA3,
}  # fmt: skip


def webm(words: bytes) -> Planted:
    """Yield WebM with an index, two tracks, colours and transparency."""
    others = {f"{name:x}": element(name, words) for name in (0xEC, 0xBF, 0x7BA9, 0x4FFF, 0x1254C367, 0x63C0, 0xC8)}
    whole = film()
    tree = Part(b"", b"", _parsed(whole))
    numbers = {part.name for part in _walked(tree)} - {b"\x63\xa2"}
    yield from _planted(tree, _webm, others, words, fixed=numbers)
    for kind, part in others.items():
        yield f"{kind} between", whole.replace(b"\x18\x53\x80\x67", part + b"\x18\x53\x80\x67", 1), whole
    yield "behind the end", whole + words, whole


def film() -> bytes:
    """Return a WebM with an index, two tracks, colours and transparency."""
    number = b"\1"
    colours = element(0x55B0, element(0x55B1, number), element(0x55D0, element(0x55D1, bytes(8))))
    picture = element(
        0xE0, element(0xB0, number), element(0x53C0, number), colours, element(0x7670, element(0x7671, number))
    )
    video = [element(0xD7, b"\1"), element(0x83, b"\1"), element(0x86, b"V_VP9"), element(0x22B59C, b"und"), picture]
    settings = element(0xE1, element(0xB5, bytes(8)), element(0x9F, number))
    head = b"OpusHead\1\1" + bytes(9)
    audio = [element(0xD7, b"\2"), element(0x83, b"\2"), element(0x86, b"A_OPUS"), element(0x63A2, head), settings]
    more = element(0xA6, element(0xEE, number), element(0xA5, CODED))
    blocks = [
        element(0xA3, b"\x81\0\0\x80" + CODED),
        element(0xA0, element(0xA1, b"\x81\0\0\0" + CODED), element(0x75A1, more), element(0xFB, number)),
        element(0xA3, b"\x82\0\0\x80" + CODED),
    ]
    cue = element(0xBB, element(0xB3, b"\0"), element(0xB7, element(0xF7, number), element(0xF1, number)))
    segment = [
        element(0x114D9B74, element(0x4DBB, element(0x53AB, b"\x1c\x53\xbb\x6b"), element(0x53AC, number))),
        element(0x1549A966, element(0x2AD7B1, b"\x0f\x42\x40"), element(0x4D80, b""), element(0x5741, b"")),
        element(0x1654AE6B, element(0xAE, *video), element(0xAE, *audio)),
        element(0x1F43B675, element(0xE7, b"\0"), *blocks),
        element(0x1C53BB6B, cue),
    ]
    return element(0x1A45DFA3, element(0x4286, number), element(0x4282, b"webm")) + element(0x18538067, *segment)


def _parsed(content: bytes) -> list[Part]:
    parts, place = [], 0
    while place < len(content):
        size = 9 - content[place].bit_length()
        name = content[place : place + size]
        start = place + size + 8
        end = start + (int.from_bytes(content[start - 8 : start], "big") & (1 << 56) - 1)
        body = content[start:end]
        if int.from_bytes(name, "big") in _ELEMENTS:
            parts.append(Part(name, b"", _parsed(body), holds_parts=True))
        else:
            parts.append(Part(name, body))
        place = end
    return parts


def _webm(part: Part) -> bytes:
    inside = b"".join(_webm(one) for one in part.parts)
    return element(int.from_bytes(part.name, "big"), part.before, inside) if part.name else part.before + inside
