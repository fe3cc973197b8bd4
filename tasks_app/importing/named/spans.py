"""Offsets of spans as other tools count them, turned into characters (code points) with the end behind the span."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

# A tag that opens or closes the marked words in files of WMT.
_MARK = re.compile(r"</?v>")

Offset = Callable[[int], int]


def of_utf16(text: str) -> Offset:
    """Return a function from UTF-16 units, as JavaScript counts, to characters of a text."""
    return _counted(text, lambda character: 2 if ord(character) > 0xFFFF else 1)


def of_drawn_utf16(text: str) -> Offset:
    """Return a function from UTF-16 units without line feeds, which some tools draw as line breaks, to characters."""
    return _counted(text, lambda character: 0 if character == "\n" else 2 if ord(character) > 0xFFFF else 1)


def of_characters(_text: str) -> Offset:
    """Return a function that changes nothing."""
    return lambda offset: offset


def _counted(text: Sequence[str], width: Callable[[str], int]) -> Offset:
    """Return the function that turns units into characters; an offset within a character is that of the character."""
    starts = [position for position, character in enumerate(text) for _unit in range(width(character))]

    def characters(units: int) -> int:
        return starts[units] if units < len(starts) else len(text) + units - len(starts)

    return characters


def unmarked(text: str) -> tuple[str, list[tuple[int, int]]]:
    """Return a text without the tags <v> and </v>, and the spans they enclose; one left open ends with the text."""
    plain: list[str] = []
    spans, start, length, at = [], None, 0, 0
    for tag in _MARK.finditer(text):
        plain.append(text[at : tag.start()])
        length += tag.start() - at
        at = tag.end()
        if tag.group() == "<v>":
            start = length if start is None else start
        elif start is not None:
            spans.append((start, length))
            start = None
    plain.append(text[at:])
    length += len(text) - at
    if start is not None:
        spans.append((start, length))
    return "".join(plain), spans


def marked(text: str, start: int, end: int) -> str:
    """Return a text with the tags <v> and </v> around a span."""
    return f"{text[:start]}<v>{text[start:end]}</v>{text[end:]}"
