"""Units of H.264 and H.265: units that inform programs but no decoder are blanked in place."""

import re

# Units of H.264: pictures and their parts, parameters, ends, and what informs programs.
_INFORMS, _INFORMS_H265 = {6}, {39, 40}
_CODED, _CODED_H265 = (
    {1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 13, 14, 15, 19, 20, 21},
    {*range(10), *range(16, 22), *range(32, 38)},
)
_FILLER, _FILLER_H265 = 12, 38
# What informs players, briefly: buffers, times, where to begin, several views, turning, colours and light.
_NEEDED = {0, 1, 6, 45, 47, 129, 137, 144, 147}
_LONGEST = 40
_ESCAPED = re.compile(rb"\0\0\x03|(.)", re.DOTALL)


def clean_units(data: bytearray, start: int, end: int, length_bytes: int, *, is_h265: bool) -> bool:
    """Blank the words of all units of a sample, each behind its length; return whether there were any."""
    is_changed, place = False, start
    while place + length_bytes < end:
        length = int.from_bytes(data[place : place + length_bytes], "big")
        place += length_bytes
        if not 0 < length <= end - place:
            break
        is_changed |= clean_unit(data, place, place + length, is_h265=is_h265)
        place += length
    return is_changed


def clean_unit(data: bytearray, start: int, end: int, *, is_h265: bool) -> bool:
    """Blank the words of a unit that informs programs, such as the settings of x264, or that no decoder knows."""
    first = data[start]
    kind = first >> 1 & 63 if is_h265 else first & 31
    if kind in (_CODED_H265 if is_h265 else _CODED):
        return False
    if kind in (_INFORMS_H265 if is_h265 else _INFORMS):
        return _clean_messages(data, start + (2 if is_h265 else 1), end)
    head = bytes([_FILLER_H265 << 1, 1]) if is_h265 else bytes([_FILLER])
    filler = (head.ljust(end - start - 1, b"\xff") + b"\x80")[: end - start]
    is_changed = data[start:end] != filler
    data[start:end] = filler
    return is_changed


def _clean_messages(data: bytearray, place: int, end: int) -> bool:
    """Blank the messages of a unit that inform no player; return whether any said something."""
    is_changed = False
    # The last byte ends the unit.
    while place < end - 1:
        values = []
        for _value in range(2):
            value = 0
            while place < end and data[place] == 0xFF:
                value, place = value + 255, place + 1
            if place >= end:
                return is_changed
            values.append(value + data[place])
            place += 1
        kind, size = values
        # Escapes make a unit longer than it says.
        stop = _escaped(data, place, size, end)
        if kind not in _NEEDED or size > _LONGEST:
            words = bytes(data[place:stop])
            blanked = _ESCAPED.sub(lambda match: b" " if match[1] is not None else match[0], words)
            is_changed |= blanked != words
            data[place:stop] = blanked
        place = stop
    return is_changed


def _escaped(data: bytearray, place: int, size: int, end: int) -> int:
    """Return the place where so many bytes end, without counting those that escape others."""
    zeros = 0
    while size > 0 and place < end:
        byte = data[place]
        if zeros >= 2 and byte == 3:
            zeros = 0
        else:
            zeros = zeros + 1 if byte == 0 else 0
            size -= 1
        place += 1
    return min(place, end)
