"""MP4 and M4A (ISO/IEC 14496-12): blank in place all but tracks of sound and film, so that no position changes."""

import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from tasks_app.uploads.cleaning.codecs import clean_av1
from tasks_app.uploads.cleaning.colours import clean_profile
from tasks_app.uploads.cleaning.findings import Finding, Reason, expect
from tasks_app.uploads.cleaning.mp4_boxes import (
    CODECS,
    ENTRY,
    ENTRY_PARTS,
    FILM,
    PARTS,
    PICTURES,
    PLACES,
    SPACE,
    TEXTS,
    TOP,
)
from tasks_app.uploads.cleaning.mp4_tables import NEEDED
from tasks_app.uploads.cleaning.nal import clean_units

_MOST_SAMPLES = 5_000_000


class Box(NamedTuple):
    """A box: its name, and the places of its start, content and end."""

    name: bytes
    start: int
    inside: int
    end: int


@dataclass(slots=True)
class _Track:
    """A track: its codec, and the bytes of its samples."""

    number: int = 0
    kind: bytes = b""
    codec: bytes = b""
    length_bytes: int = 0
    default_size: int = 0
    samples: list[tuple[int, int]] = field(default_factory=list)


def clean(content: bytes, findings: set[Finding]) -> bytes:
    """Return a film or sound without titles, places, times, covers, other tracks and the names of programs."""
    film = _Film(bytearray(content), findings)
    boxes = film.top()
    for box in boxes:
        if box.name == b"moov":
            film.clean_movie(box)
    expect(bool(film.tracks))
    for box in boxes:
        if box.name == b"moof":
            film.clean_fragment(box)
        elif box.name == b"mfra":
            film.clean_parts(box)
        elif box.name not in TOP or box.name in SPACE:
            film.blank(box)
        else:
            film.clean_rest(box)
    film.clean_samples([box for box in boxes if box.name == b"mdat"])
    return bytes(film.data[: boxes[-1].end])


class _Film:
    """The bytes of a film while they are blanked."""

    def __init__(self, data: bytearray, findings: set[Finding]) -> None:
        self.data = data
        self.findings = findings
        self.tracks: dict[int, _Track] = {}

    def top(self) -> list[Box]:
        """Return the outermost boxes; bytes after the last intact box are left out."""
        boxes: list[Box] = []
        place, names = 0, set[bytes]()
        while place < len(self.data):
            box = self.box(place, len(self.data))
            if box is None or (not box.name.isalnum() and {b"moov", b"mdat"} <= names):
                expect({b"moov", b"mdat"} <= names)
                self.findings.add(Finding.OTHER)
                break
            boxes.append(box)
            names.add(box.name)
            place = box.end
        expect({b"moov", b"mdat"} <= names)
        return boxes

    def box(self, place: int, most: int) -> Box | None:
        """Return the box at a place; None where none is that ends before `most`."""
        if place + 8 > most:
            return None
        size, name = struct.unpack_from(">I4s", self.data, place)
        inside = place + 8
        if size == 1:
            size, inside = struct.unpack_from(">Q", self.data, place + 8)[0], place + 16
        end = most if size == 0 else place + size
        return Box(name, place, inside, end) if inside <= end <= most else None

    def inside(self, parent: Box, skip: int = 0) -> Iterator[Box]:
        """Yield the boxes within another; blank bytes that are no box."""
        place = parent.inside + skip
        while place < parent.end:
            box = self.box(place, parent.end)
            if box is None:
                self.zero(place, parent.end)
                return
            yield box
            place = box.end

    def zero(self, start: int, end: int, *findings: Finding) -> None:
        """Blank bytes."""
        if any(self.data[start:end]):
            self.findings.update(findings)
            self.data[start:end] = bytes(end - start)

    def blank(self, box: Box) -> None:
        """Make a box free space of the same size."""
        content = bytes(self.data[box.inside : box.end])
        if any(place in content for place in PLACES):
            self.findings.add(Finding.PLACE)
        if any(name in content for name in PICTURES):
            self.findings.add(Finding.PICTURE)
        if box.name not in SPACE or any(content):
            self.findings.add(Finding.TEXT if box.name in TEXTS else Finding.OTHER)
        self.data[box.start + 4 : box.start + 8] = b"free"
        self.data[box.inside : box.end] = bytes(box.end - box.inside)

    def clean_parts(self, parent: Box) -> list[Box]:
        """Blank unknown boxes within a box, and return the rest."""
        boxes = []
        for box in list(self.inside(parent)):
            if box.name in PARTS[parent.name]:
                self.clean_rest(box)
                boxes.append(box)
            else:
                self.blank(box)
        return boxes

    def clean_rest(self, box: Box) -> None:
        """Blank bytes within a box that no player reads."""
        needed = NEEDED.get(box.name)
        if needed is None:
            return
        before = bytes(self.data[box.inside : box.end])
        after = needed(before)
        if not after:
            self.blank(box)
            return
        expect(len(after) <= len(before))
        after = after.ljust(len(before), b"\0")
        if after != before:
            self.findings.add(Finding.OTHER)
            self.data[box.inside : box.end] = after

    def clean_movie(self, movie: Box) -> None:
        """Clean the boxes that describe the tracks."""
        for box in self.clean_parts(movie):
            if box.name == b"mvhd":
                self._clean_times(box)
            elif box.name == b"trak":
                self._clean_track(box)
        for box in self._all(movie, b"mvex"):
            for part in self.clean_parts(box):
                if part.name == b"trex":
                    number, _entry, _duration, size = struct.unpack_from(">IIII", self.data, part.inside + 4)
                    if number in self.tracks:
                        self.tracks[number].default_size = size

    def _all(self, parent: Box, name: bytes) -> list[Box]:
        return [box for box in self.inside(parent) if box.name == name]

    def _one(self, parent: Box, *path: bytes) -> Box:
        for name in path:
            boxes = self._all(parent, name)
            expect(len(boxes) == 1)
            parent = boxes[0]
        return parent

    def _clean_times(self, box: Box) -> None:
        """Blank when something was made and changed."""
        width = 8 if self.data[box.inside] == 1 else 4
        self.zero(box.inside + 4, box.inside + 4 + 2 * width, Finding.PROGRAM)

    def _clean_track(self, box: Box) -> None:
        header, media = self._one(box, b"tkhd"), self._one(box, b"mdia")
        handler = self._one(media, b"hdlr")
        track = _Track(kind=bytes(self.data[handler.inside + 8 : handler.inside + 12]))
        if track.kind not in CODECS:
            self.blank(box)
            self.findings.discard(Finding.OTHER)
            self.findings.add(Finding.TRACK)
            return
        at = header.inside + (20 if self.data[header.inside] == 1 else 12)
        track.number = struct.unpack_from(">I", self.data, at)[0]
        for part in self.clean_parts(box):
            if part.name == b"tkhd":
                self._clean_times(part)
            elif part.name == b"edts":
                self.clean_parts(part)
        for part in self.clean_parts(media):
            if part.name == b"mdhd":
                self._clean_times(part)
        # Who wrote the track, and in words what it is.
        self.zero(handler.inside + 4, handler.inside + 8, Finding.PROGRAM)
        self.zero(handler.inside + 12, handler.end, Finding.PROGRAM)
        information = self._one(media, b"minf")
        for part in self.clean_parts(information):
            if part.name == b"dinf":
                for references in self.clean_parts(part):
                    self._clean_references(references)
        samples = self._one(information, b"stbl")
        self.clean_parts(samples)
        self._clean_entries(self._one(samples, b"stsd"), track)
        self._read_samples(samples, track)
        self.tracks[track.number] = track

    def _clean_references(self, references: Box) -> None:
        """Blank addresses of other files: the samples are in this one."""
        for reference in list(self.inside(references, 8)):
            before = bytes(self.data[reference.start + 4 : reference.end])
            self.data[reference.start + 4 : reference.start + 8] = b"url "
            self.data[reference.inside : reference.end] = b"\0\0\0\1".ljust(reference.end - reference.inside, b"\0")
            if self.data[reference.start + 4 : reference.end] != before:
                self.findings.add(Finding.TEXT)

    def _clean_entries(self, table: Box, track: _Track) -> None:
        """Blank the names of coders in the entries that say how samples are coded."""
        for entry in list(self.inside(table, 8)):
            expect(entry.name in CODECS[track.kind], Reason.CODEC)
            track.codec = entry.name
            skip = ENTRY[track.kind]
            self.zero(entry.inside, entry.inside + 6, Finding.OTHER)
            if track.kind == FILM:
                self.zero(entry.inside + 8, entry.inside + 24, Finding.PROGRAM)
                self.zero(entry.inside + 36, entry.inside + 40, Finding.OTHER)
                self.zero(entry.inside + 42, entry.inside + 74, Finding.PROGRAM)
            else:
                skip += {1: 16, 2: 36}.get(struct.unpack_from(">H", self.data, entry.inside + 8)[0], 0)
                self.zero(entry.inside + 10, entry.inside + 16, Finding.PROGRAM)
            for part in list(self.inside(entry, skip)):
                if part.name not in ENTRY_PARTS:
                    self.blank(part)
                    continue
                self.clean_rest(part)
                if part.name == b"colr" and bytes(self.data[part.inside : part.inside + 4]) in (b"prof", b"rICC"):
                    self._clean_colours(part)
                elif part.name == b"avcC":
                    track.length_bytes = 1 + (self.data[part.inside + 4] & 3)
                elif part.name == b"hvcC":
                    track.length_bytes = 1 + (self.data[part.inside + 21] & 3)

    def _clean_colours(self, box: Box) -> None:
        profile = bytes(self.data[box.inside + 4 : box.end])
        cleaned = (clean_profile(profile) or b"").ljust(len(profile), b"\0")
        if cleaned != profile:
            self.findings.add(Finding.TEXT)
        self.data[box.inside + 4 : box.end] = cleaned

    def _read_samples(self, samples: Box, track: _Track) -> None:
        """Note the places of a track's samples."""
        by_name = {box.name: box for box in self.inside(samples)}
        if b"stsz" in by_name:
            at = by_name[b"stsz"].inside + 4
            size, n = struct.unpack_from(">II", self.data, at)
            expect(n <= _MOST_SAMPLES)
            sizes: Iterable[int] = [size] * n if size else struct.unpack_from(f">{n}I", self.data, at + 8)
        else:
            at = by_name[b"stz2"].inside + 4
            bits, n = struct.unpack_from(">II", self.data, at)
            expect(n <= _MOST_SAMPLES and bits in (8, 16))
            sizes = struct.unpack_from(f">{n}{'B' if bits == 8 else 'H'}", self.data, at + 8)
        offsets_box = by_name.get(b"stco") or by_name[b"co64"]
        n_chunks = struct.unpack_from(">I", self.data, offsets_box.inside + 4)[0]
        expect(n_chunks <= _MOST_SAMPLES)
        form = "I" if offsets_box.name == b"stco" else "Q"
        offsets = struct.unpack_from(f">{n_chunks}{form}", self.data, offsets_box.inside + 8)
        at = by_name[b"stsc"].inside + 4
        n_runs = struct.unpack_from(">I", self.data, at)[0]
        runs = [struct.unpack_from(">II", self.data, at + 4 + 12 * run) for run in range(min(n_runs, n_chunks))]
        left = iter(sizes)
        for number, (first, in_chunk) in enumerate(runs):
            end = runs[number + 1][0] if number + 1 < len(runs) else n_chunks + 1
            for offset in offsets[first - 1 : end - 1]:
                place = offset
                for _sample in range(in_chunk):
                    if (size := next(left, -1)) < 0:
                        return
                    track.samples.append((place, size))
                    place += size

    def clean_fragment(self, fragment: Box) -> None:
        """Clean a fragment, and note where its samples are."""
        after = fragment.start
        for box in self.clean_parts(fragment):
            if box.name == b"traf":
                after = self._read_fragment(fragment, box, after)

    def _read_fragment(self, fragment: Box, box: Box, after: int) -> int:
        parts = self.clean_parts(box)
        head = next(part for part in parts if part.name == b"tfhd")
        flags, number = struct.unpack_from(">II", self.data, head.inside)
        place = head.inside + 8
        base = fragment.start if flags & 0x20000 else after
        if flags & 1:
            base, place = struct.unpack_from(">Q", self.data, place)[0], place + 8
        place += 4 * (flags >> 1 & 1) + 4 * (flags >> 3 & 1)
        track = self.tracks.get(number)
        default = track.default_size if track else 0
        if flags & 0x10:
            default = struct.unpack_from(">I", self.data, place)[0]
        at = base
        for run in (part for part in parts if part.name == b"trun"):
            flags, n = struct.unpack_from(">II", self.data, run.inside)
            expect(n <= _MOST_SAMPLES)
            place = run.inside + 8
            if flags & 1:
                at, place = base + struct.unpack_from(">i", self.data, place)[0], place + 4
            place += 4 * (flags >> 2 & 1)
            width = 4 * (flags >> 8 & 15).bit_count()
            before = 4 * (flags >> 8 & 1)
            for sample in range(n):
                size = default
                if flags & 0x200:
                    size = struct.unpack_from(">I", self.data, place + sample * width + before)[0]
                if track is not None:
                    track.samples.append((at, size))
                at += size
        return at

    def clean_samples(self, containers: list[Box]) -> None:
        """Blank all bytes beside the samples, and words of coders among the coded pictures."""
        used: list[tuple[int, int]] = []
        for track in self.tracks.values():
            for start, size in track.samples:
                expect(start + size <= len(self.data) and start >= 0)
                used.append((start, start + size))
            if track.length_bytes or track.codec == b"av01":
                self._clean_units(track)
        used.sort()
        # Samples stand in the containers alone: what is elsewhere is nobody's.
        position = 0
        for box in containers:
            place = box.inside
            while position < len(used) and used[position][0] < box.end:
                start, end = used[position]
                if start > place:
                    self.zero(place, min(start, box.end), Finding.OTHER)
                place = max(place, end)
                position += 1
            if place < box.end:
                self.zero(place, box.end, Finding.OTHER)

    def _clean_units(self, track: _Track) -> None:
        is_h265, is_changed = track.codec in (b"hvc1", b"hev1"), False
        for start, size in track.samples:
            if track.codec == b"av01":
                is_changed |= clean_av1(self.data, start, start + size)
            else:
                is_changed |= clean_units(self.data, start, start + size, track.length_bytes, is_h265=is_h265)
        if is_changed:
            self.findings.add(Finding.PROGRAM)
