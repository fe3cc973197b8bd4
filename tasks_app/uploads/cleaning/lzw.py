"""The end of the codes of a GIF's picture (LZW with codes of a growing size), found without unpacking them."""

from tasks_app.uploads.cleaning.findings import expect

_MOST_BITS, _MOST_CODES = 12, 4096


def size_of_codes(packed: bytes, depth: int, n_pixels: int) -> int:
    """Return the number of bytes of a picture's codes: up to the code that ends it, or that has its last pixel.

    Only how many pixels each code stands for is computed. Wrong codes end a picture as well.
    """
    expect(1 <= depth <= 11)
    clear, end = 1 << depth, (1 << depth) + 1
    first = [1] * clear + [0, 0]
    lengths, bits, before = first.copy(), depth + 1, 0
    at, left, n_bits = 0, n_pixels, 8 * len(packed)
    while (after := at + bits) <= n_bits:
        place = at >> 3
        # A code has up to 12 bits, so that it lies within three bytes.
        code = int.from_bytes(packed[place : place + 3], "little") >> (at & 7) & (1 << bits) - 1
        at = after
        if code == clear:
            lengths, bits, before = first.copy(), depth + 1, 0
            continue
        if code == end or left <= 0:
            # The last code, or one in its place behind the last pixel.
            break
        if before and len(lengths) < _MOST_CODES:
            lengths.append(before + 1)
            if len(lengths) == 1 << bits and bits < _MOST_BITS:
                bits += 1
        if code >= len(lengths):
            # A wrong code, where decoders end.
            break
        before = lengths[code]
        left -= before
    return (at + 7) >> 3
