"""Data of coded sounds and films beside their sounds and pictures: settings of Opus, and units of AV1."""

from tasks_app.uploads.cleaning.findings import expect

# Units (OBU) of AV1 that decoding needs: sequence, time, frames and their tiles.
_SEQUENCE, _METADATA, _PADDING = 1, 5, 15
_CODED = {_SEQUENCE, 2, 3, 4, 6, 7, 8}
# Metadata that say how light a film is, and in which layers it is coded.
_LIGHT_AND_LAYERS = {1, 2, 3}
_AV1_HEAD = 4


def opus_head(before: bytes) -> bytes:
    """Return the settings of Opus (RFC 7845) in as many bytes, with zeros behind their end."""
    expect(before.startswith(b"OpusHead") and len(before) >= 19)
    size = 19 if before[18] == 0 else 21 + before[9]
    expect(len(before) >= size)
    return before[:size].ljust(len(before), b"\0")


def vp9_settings(before: bytes) -> bytes:
    """Return the settings of VP9 in WebM: profile, level, depth and sampling, a byte each; b"" for anything else."""
    entries = [before[at : at + 3] for at in range(0, len(before), 3)]
    numbers = [entry[0] for entry in entries]
    is_sound = all(len(entry) == 3 and entry[1] == 1 for entry in entries) and numbers == sorted(
        {*numbers} & {1, 2, 3, 4}
    )
    return before if is_sound else b""


def av1_settings(before: bytes) -> bytes:
    """Return the settings of AV1 (`av1C`) in as many bytes, without units that no decoder needs."""
    expect(len(before) >= _AV1_HEAD)
    units = bytearray(before)
    clean_av1(units, _AV1_HEAD, len(units))
    return bytes(units)


def clean_av1(data: bytearray, start: int, end: int) -> bool:
    """Make units of AV1 padding where they hold anything but pictures and light; return whether one did."""
    place, is_changed = start, False
    while place < end:
        head, kind = data[place], data[place] >> 3 & 15
        inside = place + (2 if head & 4 else 1)
        stop = end
        if head & 2:
            size, inside = _leb128(data, inside)
            stop = inside + size
        if inside > stop or stop > end:
            # No unit: whatever it is, a decoder stops here as well.
            return is_changed
        keeps = kind in _CODED or (kind == _METADATA and inside < stop and data[inside] in _LIGHT_AND_LAYERS)
        if not keeps:
            # A decoder wants a bit behind padding.
            padding = bytes(max(0, stop - inside - 1)) + b"\x80" * (stop > inside)
            is_changed |= kind != _PADDING or data[inside:stop] != padding
            data[place] = head & 0x87 | _PADDING << 3
            data[inside:stop] = padding
        place = stop
    return is_changed


def _leb128(data: bytearray, place: int) -> tuple[int, int]:
    """Return a number of seven bits a byte, and where it ends."""
    number = 0
    for shift in range(0, 56, 7):
        byte = data[place]
        place += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            break
    return number, place


def size_of_first(body: bytes, codec: str) -> int:
    """Return the number of bytes in the packet that begins a stream of Ogg."""
    if codec == "opus":
        return 19 if body[18] == 0 else 21 + body[9]
    # FLAC: a head of 13 bytes, and the block that describes the stream.
    return {"vorbis": 30, "theora": 42, "speex": 80, "flac": 51}[codec]
