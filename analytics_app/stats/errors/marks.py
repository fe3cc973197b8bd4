"""Columns of looks (texts as raters saw them) and of the spans marked in them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from analytics_app.stats.values import AnyCodes, Codes, checked_codes

# Entries that `pieces` yields at once, unless more of them have the same code.
AT_ONCE = 2**17


@dataclass(frozen=True, slots=True)
class Looks:
    """Texts as raters saw them, one entry per rater and text, including texts without marks.

    Parameters
    ----------
    text, rater : ndarray of int, shape (n_looks,)
        Codes from 0.
    """

    text: Codes
    rater: Codes

    def __post_init__(self) -> None:
        checked_codes(self.rater, checked_codes(self.text, len(self.text)).size)
        if self.text.size and np.unique(self.text * (int(self.rater.max()) + 1) + self.rater).size < self.text.size:
            raise ValueError("A rater looked at a text more than once; reduce that to one look before.")


@dataclass(frozen=True, slots=True)
class Spans:
    """Marked spans, one entry per span.

    Parameters
    ----------
    look : ndarray of int, shape (n,)
        Index of the look in `Looks`.
    side : ndarray of int, shape (n,)
        Text of the look that holds the span, such as 0 output, 1 source.
    start, end : ndarray of int, shape (n,)
        Offsets of the first character and of the character after the last.
    label : ndarray of int, shape (n,)
        Code of the kind of error, from 0; where several spans cover a character, the highest code counts.
    """

    look: AnyCodes
    side: AnyCodes
    start: AnyCodes
    end: AnyCodes
    label: AnyCodes

    def __post_init__(self) -> None:
        for name in ("side", "start", "end", "label"):
            checked_codes(getattr(self, name), self.look.size)
        checked_codes(self.look, self.look.size)
        if (self.end <= self.start).any():
            raise ValueError("A span ends after it starts.")

    def where(self, mask: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Spans:
        """Return the spans selected by a mask."""
        if mask.all():
            return self
        return Spans(self.look[mask], self.side[mask], self.start[mask], self.end[mask], self.label[mask])


def within_groups(groups: AnyCodes) -> tuple[Codes, Codes]:
    """Return all pairs (i, j), i before j, of entries with the same code; codes are sorted.

    Examples
    --------
    >>> [indices.tolist() for indices in within_groups(np.array([3, 3, 5, 7, 7, 7]))]
    [[0, 3, 3, 4], [1, 4, 5, 5]]
    """
    n = groups.size
    if not n:
        return np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp)
    last = np.searchsorted(groups, groups, side="right") - 1
    after = last - np.arange(n)
    first = np.repeat(np.arange(n), after)
    begin = np.cumsum(after) - after
    return first, first + 1 + np.arange(first.size) - np.repeat(begin, after)


def sorted_by(*columns: AnyCodes) -> Codes:
    """Return the order that sorts by the columns, the first column first; faster where the keys fit into an integer.

    Examples
    --------
    >>> sorted_by(np.array([1, 0, 1]), np.array([2, 9, 1])).tolist()
    [1, 2, 0]
    """
    n = columns[0].size
    bits = n.bit_length()
    key, most = np.zeros(n, dtype=np.int64), 1
    for column in columns:
        width = int(column.max(initial=0)) + 1
        most *= width
        if most >= 2 ** (63 - bits):
            return np.lexsort(columns[::-1])
        key *= width
        key += column
    # The place is part of the key: sorting keys is much faster than finding the order that sorts them.
    key <<= bits
    key |= np.arange(n)
    key.sort()
    key &= 2**bits - 1
    return key


def pieces(codes: AnyCodes) -> Iterator[slice]:
    """Yield slices of sorted codes, each of about `AT_ONCE` entries, that leave entries with the same code together.

    Examples
    --------
    >>> [piece.indices(5)[:2] for piece in pieces(np.array([3, 3, 5, 7, 7]))]
    [(0, 5)]
    """
    begins = np.flatnonzero(np.diff(codes, prepend=-1))
    edges = begins[np.flatnonzero(np.diff(begins // AT_ONCE, prepend=-1))].tolist()
    for begin, end in zip(edges, [*edges, codes.size][1:], strict=False):
        yield slice(begin, end)
