"""WebM (Matroska, RFC 9559): blank in place all but tracks of sound and film, so that no position changes."""

from collections.abc import Iterator
from typing import NamedTuple

from tasks_app.cleaning.findings import Finding, Reason, expect

_EBML, _SEGMENT, _VOID, _CRC = 0x1A45DFA3, 0x18538067, 0xEC, 0xBF
_INFO, _TRACKS, _CLUSTER, _CUES, _SEEK = 0x1549A966, 0x1654AE6B, 0x1F43B675, 0x1C53BB6B, 0x114D9B74
_TAGS, _ATTACHMENTS, _CHAPTERS = 0x1254C367, 0x1941A469, 0x1043A770
_TITLE, _FILE_NAMES, _PROGRAMS, _TIME = 0x7BA9, {0x7384, 0x3C83AB, 0x3E83BB}, {0x4D80, 0x5741}, 0x4461
_SCALE, _DURATION = 0x2AD7B1, 0x4489
_TRACK, _NUMBER, _TYPE, _CODEC, _PRIVATE, _TRACK_NAME = 0xAE, 0xD7, 0x83, 0x86, 0x63A2, 0x536E
_SIMPLE_BLOCK, _GROUP, _BLOCK = 0xA3, 0xA0, 0xA1
_CLUSTER_PARTS = {0xE7, 0xA7, 0xAB, _SIMPLE_BLOCK, _GROUP}
# The block, what it refers to, how long it is shown, its transparency, and how much of its end is silence.
_GROUP_PARTS = {_BLOCK, 0x9B, 0xFA, 0xFB, 0x75A1, 0xA4, 0x75A2}
# Number, type, flags, language, codec, delays, and the settings of picture and sound.
_TRACK_PARTS = {
    _NUMBER, 0x73C5, _TYPE, 0xB9, 0x88, 0x55AA, 0x9C, 0x6DE7, 0x6DF8, 0x23E383, 0x234E7A, 0x23314F, 0x55EE, 0x22B59C,
    0x22B59D, _CODEC, _PRIVATE, 0xAA, 0x56AA, 0x56BB, 0xE0, 0xE1, 0x41E4,
}  # fmt: skip
_HEAD_PARTS = {0x4286, 0x42F7, 0x42F2, 0x42F3, 0x4282, 0x4287, 0x4285}
_SHOWN = {1, 2}
# Its frames are packed or locked, which no WebM is.
_ENCODINGS = 0x6D80
_TOP = {_SEEK, _INFO, _TRACKS, _CLUSTER, _CUES, _TAGS, _ATTACHMENTS, _CHAPTERS, _VOID, _CRC}
_CODECS = (b"V_VP8", b"V_VP9", b"V_AV1", b"A_OPUS", b"A_VORBIS")


class Element(NamedTuple):
    """An element: what it is, and where it, its content and its end are."""

    name: int
    start: int
    inside: int
    end: int


def clean(content: bytes, findings: set[Finding]) -> bytes:
    """Return a film without titles, tags, attachments, times, other tracks and the names of programs."""
    film = _Film(bytearray(content), findings)
    head = film.element(0, len(content))
    expect(head.name == _EBML)
    for one in list(film.inside(head)):
        if one.name not in _HEAD_PARTS:
            film.blank(one, Finding.OTHER)
    segment = film.element(head.end, len(content))
    while segment.name in (_VOID, _CRC):
        film.blank(segment)
        segment = film.element(segment.end, len(content))
    expect(segment.name == _SEGMENT)
    end = film.clean_segment(segment)
    expect(film.has_cluster and bool(film.shown))
    if end < len(content):
        findings.add(Finding.OTHER)
    return bytes(film.data[:end])


class _Film:
    """The bytes of a film while they are blanked."""

    def __init__(self, data: bytearray, findings: set[Finding]) -> None:
        self.data = data
        self.findings = findings
        self.shown: set[int] = set()
        self.has_cluster = False

    def element(self, start: int, most: int) -> Element:
        """Return the element at a place; one of unknown size ends where it is told to at most."""
        name, place = self._number(start, keeps_mark=True)
        size, inside = self._number(place)
        is_unknown = size == (1 << 7 * (inside - place)) - 1
        if not is_unknown:
            expect(inside + size <= most)
        return Element(name, start, inside, most if is_unknown else inside + size)

    def _number(self, place: int, *, keeps_mark: bool = False) -> tuple[int, int]:
        first = self.data[place]
        length = 9 - first.bit_length()
        expect(length <= (4 if keeps_mark else 8))
        number = int.from_bytes(self.data[place : place + length], "big")
        expect(place + length <= len(self.data))
        return number if keeps_mark else number & (1 << 7 * length) - 1, place + length

    def inside(self, parent: Element) -> Iterator[Element]:
        """Yield the elements within another."""
        place = parent.inside
        while place < parent.end:
            yield (one := self.element(place, parent.end))
            place = one.end

    def number_in(self, one: Element) -> int:
        """Return the unsigned number that an element holds."""
        return int.from_bytes(self.data[one.inside : one.end], "big")

    def blank(self, one: Element, *findings: Finding) -> None:
        """Make an element a void of the same size, which players pass over."""
        size = one.end - one.start
        if one.name == _VOID:
            if any(self.data[one.inside : one.end]):
                self.findings.add(Finding.OTHER)
            self.data[one.inside : one.end] = bytes(one.end - one.inside)
            return
        if one.name != _CRC:
            self.findings.update(findings)
        # The size of what follows, in one byte or in eight.
        length = bytes([0x80 | size - 2]) if size < 10 else b"\x01" + (size - 9).to_bytes(7, "big")
        head = bytes([_VOID]) + length
        self.data[one.start : one.end] = head.ljust(size, b"\0")

    def clean_segment(self, segment: Element) -> int:
        """Blank what is not needed of a segment, and return where it ends."""
        place = segment.inside
        while place < segment.end:
            if self._is_trailing(place):
                return place
            one = self.element(place, segment.end)
            # The end of a cluster that was written before its size was known is where the next part begins.
            place = self._take(one) if one.name == _CLUSTER else one.end
            if one.name == _INFO:
                self._clean_info(one)
            elif one.name == _TRACKS:
                self._clean_tracks(one)
            elif one.name == _TAGS:
                self.blank(one, Finding.TEXT)
            elif one.name == _ATTACHMENTS:
                self.blank(one, Finding.PICTURE)
            elif one.name == _CHAPTERS:
                self.blank(one, Finding.TEXT)
            elif one.name not in (_SEEK, _CUES, _CLUSTER):
                self.blank(one, Finding.OTHER)
            else:
                self._blank_sums(one)
        return place

    def _is_trailing(self, place: int) -> bool:
        """Return whether no part of a segment begins here, so that a film of unknown size has ended."""
        try:
            return self._number(place, keeps_mark=True)[0] not in _TOP and self.has_cluster
        except (IndexError, ValueError):
            return True

    def _blank_sums(self, parent: Element) -> None:
        if parent.name == _CLUSTER or parent.inside == parent.end:
            return
        first = self.element(parent.inside, parent.end)
        if first.name == _CRC:
            self.blank(first)

    def _clean_info(self, info: Element) -> None:
        for one in self.inside(info):
            if one.name in _PROGRAMS:
                # Both must be there, and may be empty.
                if any(self.data[one.inside : one.end]):
                    self.findings.add(Finding.PROGRAM)
                self.data[one.inside : one.end] = bytes(one.end - one.inside)
            elif one.name not in (_SCALE, _DURATION):
                is_text = one.name == _TITLE or one.name in _FILE_NAMES
                self.blank(one, Finding.TEXT if is_text else Finding.PROGRAM if one.name == _TIME else Finding.OTHER)

    def _clean_tracks(self, tracks: Element) -> None:
        for track in self.inside(tracks):
            if track.name != _TRACK:
                self.blank(track)
                continue
            parts = list(self.inside(track))
            by_name = {one.name: one for one in parts}
            if self.number_in(by_name[_TYPE]) not in _SHOWN:
                self.blank(track, Finding.TRACK)
                continue
            codec = by_name[_CODEC]
            expect(bytes(self.data[codec.inside : codec.end]).rstrip(b"\0").startswith(_CODECS), Reason.CODEC)
            expect(_ENCODINGS not in by_name, Reason.CODEC)
            self.shown.add(self.number_in(by_name[_NUMBER]))
            if self.data[codec.inside : codec.end].startswith(b"A_VORBIS"):
                self._clean_vorbis(by_name[_PRIVATE])
            for one in parts:
                if one.name not in _TRACK_PARTS:
                    self.blank(one, Finding.TEXT if one.name == _TRACK_NAME else Finding.OTHER)

    def _clean_vorbis(self, private: Element) -> None:
        """Empty the comments among the three headers of Vorbis, which stand one behind the other."""
        place = private.inside
        expect(self.data[place] == 2)
        place += 1
        sizes = []
        for _packet in range(2):
            size = 0
            while self.data[place] == 255:
                size, place = size + 255, place + 1
            sizes.append(size + self.data[place])
            place += 1
        start, end = place + sizes[0], place + sum(sizes)
        expect(end <= private.end and self.data[start : start + 7] == b"\x03vorbis" and sizes[1] >= 16)
        empty = (b"\x03vorbis" + bytes(8) + b"\x01").ljust(sizes[1], b"\0")
        if self.data[start:end] != empty:
            self.findings.add(Finding.TEXT)
        self.data[start:end] = empty

    def _take(self, cluster: Element) -> int:
        """Blank all but the coded pictures and sounds of a cluster, and return where it ends."""
        self.has_cluster = True
        place = cluster.inside
        while place < cluster.end:
            try:
                name = self._number(place, keeps_mark=True)[0]
            except (IndexError, ValueError):
                return place
            if name in _TOP - {_VOID, _CRC}:
                return place
            if name not in _CLUSTER_PARTS | {_VOID, _CRC, 0x5854}:
                expect(cluster.end == len(self.data))
                return place
            one = self.element(place, cluster.end)
            place = one.end
            if one.name == _GROUP:
                self._clean_group(one)
            elif one.name == _SIMPLE_BLOCK:
                if self._number(one.inside)[0] not in self.shown:
                    self.blank(one)
            elif one.name not in _CLUSTER_PARTS:
                self.blank(one)
        return place

    def _clean_group(self, group: Element) -> None:
        parts = list(self.inside(group))
        block = next(one for one in parts if one.name == _BLOCK)
        if self._number(block.inside)[0] not in self.shown:
            self.blank(group)
            return
        for one in parts:
            if one.name not in _GROUP_PARTS:
                self.blank(one)
