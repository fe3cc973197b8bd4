"""WebM (Matroska, RFC 9559): blank in place all but tracks of sound and film, so that no position changes."""

from collections.abc import Iterator
from typing import NamedTuple

from tasks_app.uploads.cleaning import webm_elements as known
from tasks_app.uploads.cleaning.codecs import av1_settings, clean_av1, opus_head, vp9_settings
from tasks_app.uploads.cleaning.findings import Finding, Reason, expect

_MOST_OF_NUMBER = 8


class Element(NamedTuple):
    """An element: its name, and the places of its start, content and end; an open element has no size."""

    name: int
    start: int
    inside: int
    end: int
    is_open: bool = False


def clean(content: bytes, findings: set[Finding]) -> bytes:
    """Return a film without titles, tags, attachments, times, other tracks and the names of programs."""
    film = _Film(bytearray(content), findings)
    head = film.element(0, len(content))
    expect(head.name == known.EBML)
    names = {element.name: film.content(element) for element in film.inside(head)}
    expect(known.CONTENTS[known.DOCUMENT](names[known.DOCUMENT]))
    film.clean_parts(head)
    segment = film.element(head.end, len(content))
    while segment.name != known.SEGMENT and not segment.is_open:
        film.blank(segment, Finding.OTHER)
        segment = film.element(segment.end, len(content))
    expect(segment.name == known.SEGMENT)
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
        self.transparent: set[int] = set()
        self.av1: set[int] = set()
        self.has_cluster = False

    def element(self, start: int, most: int) -> Element:
        """Return the element at a place; one of unknown size ends where it is told to at most."""
        name, place = self._number(start, keeps_mark=True)
        size, inside = self._number(place)
        is_unknown = size == (1 << 7 * (inside - place)) - 1
        if not is_unknown:
            expect(inside + size <= most)
        return Element(name, start, inside, most if is_unknown else inside + size, is_unknown)

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
            yield (element := self.element(place, parent.end))
            place = element.end

    def content(self, element: Element) -> bytes:
        """Return the content of an element."""
        return bytes(self.data[element.inside : element.end])

    def number_in(self, element: Element) -> int:
        """Return the unsigned number that an element holds."""
        return int.from_bytes(self.content(element), "big")

    def blank(self, element: Element, *findings: Finding) -> None:
        """Make an element a void of the same size, which players pass over."""
        size = element.end - element.start
        if element.name == known.VOID:
            if any(self.data[element.inside : element.end]):
                self.findings.add(Finding.OTHER)
            self.data[element.inside : element.end] = bytes(element.end - element.inside)
            return
        if element.name != known.CRC:
            self.findings.update(findings)
        # The size of what follows, in one byte or in eight.
        length = bytes([0x80 | size - 2]) if size < 10 else b"\x01" + (size - 9).to_bytes(7, "big")
        head = bytes([known.VOID]) + length
        self.data[element.start : element.end] = head.ljust(size, b"\0")

    def clean_parts(self, parent: Element) -> list[Element]:
        """Blank unknown elements within an element, on all levels below it, and return the rest of its own level."""
        sound_parts = []
        for element in list(self.inside(parent)):
            if element.name not in known.PARTS[parent.name]:
                self.blank(element, Finding.OTHER)
                continue
            if element.name in known.PARTS:
                self.clean_parts(element)
            elif not self._is_sound(element):
                self.blank(element, Finding.OTHER)
                continue
            sound_parts.append(element)
        return sound_parts

    def _is_sound(self, element: Element) -> bool:
        """Return whether an element holds content of its kind: a number, or the known content of the kind."""
        test = known.CONTENTS.get(element.name)
        return test(self.content(element)) if test else element.end - element.inside <= _MOST_OF_NUMBER

    def clean_segment(self, segment: Element) -> int:
        """Blank the parts of a segment that are not needed, and return the place where it ends."""
        place = segment.inside
        while place < segment.end:
            if segment.is_open and self._is_trailing(place):
                return place
            element = self.element(place, segment.end)
            # The end of a cluster that was written before its size was known is where the next part begins.
            place = self._take(element) if element.name == known.CLUSTER else element.end
            if element.name == known.INFO:
                self._clean_info(element)
            elif element.name == known.TRACKS:
                self._clean_tracks(element)
            elif element.name in (known.SEEK, known.CUES):
                self.clean_parts(element)
            elif element.name in (known.TAGS, known.CHAPTERS):
                self.blank(element, Finding.TEXT)
            elif element.name == known.ATTACHMENTS:
                self.blank(element, Finding.PICTURE)
            elif element.name != known.CLUSTER:
                self.blank(element, Finding.OTHER)
        return place

    def _is_trailing(self, place: int) -> bool:
        """Return whether no part of a segment begins here, so that a film of unknown size has ended."""
        try:
            return self._number(place, keeps_mark=True)[0] not in known.TOP and self.has_cluster
        except (IndexError, ValueError):
            return True

    def _clean_info(self, info: Element) -> None:
        for element in list(self.inside(info)):
            if element.name in known.PROGRAMS:
                # Both must be there, and may be empty.
                if any(self.data[element.inside : element.end]):
                    self.findings.add(Finding.PROGRAM)
                self.data[element.inside : element.end] = bytes(element.end - element.inside)
            elif element.name not in known.PARTS[known.INFO] or not self._is_sound(element):
                is_text = element.name == known.TITLE or element.name in known.FILE_NAMES
                is_time = element.name == known.TIME
                self.blank(element, Finding.TEXT if is_text else Finding.PROGRAM if is_time else Finding.OTHER)

    def _clean_tracks(self, tracks: Element) -> None:
        for track in self.clean_tracks_beside(tracks):
            parts = list(self.inside(track))
            by_name = {element.name: element for element in parts}
            expect(self._is_sound(by_name[known.TYPE]) and self._is_sound(by_name[known.NUMBER]))
            if self.number_in(by_name[known.TYPE]) not in known.SHOWN:
                self.blank(track, Finding.TRACK)
                continue
            expect(known.CONTENTS[known.CODEC](self.content(by_name[known.CODEC])), Reason.CODEC)
            expect(known.ENCODINGS not in by_name, Reason.CODEC)
            number = self.number_in(by_name[known.NUMBER])
            self.shown.add(number)
            if known.TRACK_NAME in by_name:
                self.blank(by_name[known.TRACK_NAME], Finding.TEXT)
            parts_by_name = {element.name: element for element in self.clean_parts(track)}
            codec = self.content(parts_by_name[known.CODEC]).rstrip(b"\0")
            if codec == b"V_AV1":
                self.av1.add(number)
            if known.PRIVATE in parts_by_name:
                self._clean_private(parts_by_name[known.PRIVATE], codec)
            if known.VIDEO in parts_by_name and any(
                element.name == known.ALPHA and self.number_in(element)
                for element in self.inside(parts_by_name[known.VIDEO])
            ):
                self.transparent.add(number)

    def clean_tracks_beside(self, tracks: Element) -> list[Element]:
        """Blank elements among tracks that are no track, and return the tracks."""
        kept_tracks = []
        for element in list(self.inside(tracks)):
            if element.name == known.TRACK:
                kept_tracks.append(element)
            else:
                self.blank(element, Finding.OTHER)
        return kept_tracks

    def _clean_private(self, private: Element, codec: bytes) -> None:
        """Blank words in the data that a codec needs before its first picture or sound."""
        before = self.content(private)
        if codec == b"A_VORBIS":
            self._clean_vorbis(private)
            return
        if codec == b"A_OPUS":
            needed = opus_head(before)
        elif codec == b"V_AV1":
            needed = av1_settings(before)
        else:
            # VP8 has no settings.
            needed = vp9_settings(before) if codec == b"V_VP9" else b""
            if not needed:
                self.blank(private, Finding.OTHER)
            return
        if needed != before:
            self.findings.add(Finding.OTHER)
            self.data[private.inside : private.end] = needed

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
        expect(sizes[0] == 30 and end <= private.end)
        expect(self.data[start : start + 7] == b"\x03vorbis" and sizes[1] >= 16)
        empty = (b"\x03vorbis" + bytes(8) + b"\x01").ljust(sizes[1], b"\0")
        if self.data[start:end] != empty:
            self.findings.add(Finding.TEXT)
        self.data[start:end] = empty

    def _take(self, cluster: Element) -> int:
        """Blank all but the coded pictures and sounds of a cluster, and return where it ends."""
        self.has_cluster = True
        place = cluster.inside
        while place < cluster.end:
            if cluster.is_open and self._ends_before(place):
                return place
            element = self.element(place, cluster.end)
            place = element.end
            if element.name == known.GROUP:
                self._clean_group(element)
            elif element.name == known.SIMPLE_BLOCK:
                if self._number(element.inside)[0] in self.shown:
                    self._clean_block(element)
                else:
                    self.blank(element, Finding.TRACK)
            elif element.name not in known.PARTS[known.CLUSTER] or not self._is_sound(element):
                self.blank(element, Finding.OTHER)
        return place

    def _ends_before(self, place: int) -> bool:
        """Return whether no part of a cluster begins here, so that one of unknown size has ended."""
        try:
            name = self._number(place, keeps_mark=True)[0]
        except (IndexError, ValueError):
            return True
        return name not in known.PARTS[known.CLUSTER] | {known.VOID, known.CRC, 0x5854}

    def _clean_group(self, group: Element) -> None:
        block = next(element for element in self.inside(group) if element.name == known.BLOCK)
        number = self._number(block.inside)[0]
        if number not in self.shown:
            self.blank(group, Finding.TRACK)
            return
        self._clean_block(block)
        for element in self.clean_parts(group):
            if element.name == known.ADDITIONS:
                self._clean_additions(element, is_transparent=number in self.transparent)

    def _clean_block(self, block: Element) -> None:
        """Blank words of AV1 among its pictures; a block with several of them (laced) is no film's."""
        number, place = self._number(block.inside)
        if number in self.av1 and not self.data[place + 2] & 0x06 and clean_av1(self.data, place + 3, block.end):
            self.findings.add(Finding.OTHER)

    def _clean_additions(self, additions: Element, *, is_transparent: bool) -> None:
        """Blank data coded beside a picture, but for its transparency, which has the number 1."""
        for more in [element for element in self.inside(additions) if element.name == known.MORE]:
            kinds = [self.number_in(element) for element in self.inside(more) if element.name == known.ADDITION_KIND]
            if not is_transparent or kinds not in ([], [1]):
                self.blank(more, Finding.OTHER)
