"""Drawings that are put together block by block, without a chart library: words, lines and points at places.

Altair has no text that wraps and no page; a web process must not start its renderer either
(`analytics_app.charts.pictures` says why). Lengths are pixels of the drawing.
"""

from __future__ import annotations

import re
import unicodedata
import xml.etree.ElementTree as ET
from collections.abc import Iterator

from analytics_app.charts.svg import INK, OF_LETTERS, SVG, name_fonts, painted

LEADING = 1.35

# Widths of letters in shares of the size, from the wider of the fonts that a machine may have (DejaVu Sans).
_NARROW, _WIDE_CAPITALS = set("iljtfrI.,:;'|!()[] "), set("MWmw@%")
NARROW, NORMAL, CAPITAL, WIDE, FULL = 0.34, 0.6, 0.7, 0.95, 1.05


def width_of(text: str, size: float) -> float:
    """Return about how wide a text is, rather too wide than too narrow: the fonts of a reader are not known."""
    return size * sum(map(_width, text))


def _width(letter: str) -> float:
    if unicodedata.combining(letter) or unicodedata.category(letter) in {"Cf", "Mn"}:
        return 0.0
    if unicodedata.east_asian_width(letter) in {"W", "F"}:
        return FULL
    if letter in _NARROW:
        return NARROW
    if letter in _WIDE_CAPITALS:
        return WIDE
    return CAPITAL if letter.isupper() else NORMAL


def lines_of(text: str, width: float, size: float) -> list[str]:
    """Wrap a text at its spaces; a word that is wider than a line is divided."""
    lines = [""]
    for word in _words(text, width, size):
        joined = f"{lines[-1]} {word}".strip()
        if lines[-1] and width_of(joined, size) > width:
            lines.append(word)
        else:
            lines[-1] = joined
    return lines


def _words(text: str, width: float, size: float) -> Iterator[str]:
    for word in text.split():
        piece = ""
        for letter in word:
            if piece and width_of(piece + letter, size) > width:
                yield piece
                piece = ""
            piece += letter
        yield piece


class Block:
    """Part of a drawing: shapes and words from its upper left corner; `height` grows as it is filled."""

    def __init__(self, width: float) -> None:
        """`width` is all that its lines of text may take."""
        self.width, self.height = width, 0.0
        self.group = ET.Element(f"{{{SVG}}}g")

    def text(
        self,
        words: str,
        x: float,
        baseline: float,
        *,
        size: float,
        colour: str = INK,
        bold: bool = False,
        end: bool = False,
    ) -> None:
        """Write a line of text that begins at x, or with `end` ends there."""
        attributes = {"x": _short(x), "y": _short(baseline), "font-size": _short(size), "fill": colour}
        if bold:
            attributes["font-weight"] = "600"
        if end:
            attributes["text-anchor"] = "end"
        ET.SubElement(self.group, f"{{{SVG}}}text", attributes).text = _storable(words)

    def paragraph(self, words: str, *, size: float, colour: str = INK, bold: bool = False) -> None:
        """Write a wrapped text at the lower end of the block."""
        for line in lines_of(words, self.width, size):
            self.text(line, 0.0, self.height + size, size=size, colour=colour, bold=bold)
            self.height += size * LEADING

    def rule(self, x: float, y: float, x2: float, y2: float, *, colour: str, thick: float = 1.0) -> None:
        """Draw a straight line."""
        ends = {"x1": _short(x), "y1": _short(y), "x2": _short(x2), "y2": _short(y2)}
        ET.SubElement(self.group, f"{{{SVG}}}line", {**ends, "stroke": colour, "stroke-width": _short(thick)})

    def point(self, x: float, y: float, *, radius: float, colour: str) -> None:
        """Draw a filled circle."""
        place = {"cx": _short(x), "cy": _short(y), "r": _short(radius)}
        ET.SubElement(self.group, f"{{{SVG}}}circle", {**place, "fill": colour})

    def gap(self, height: float) -> None:
        """Leave space at the lower end of the block."""
        self.height += height

    def put(self, other: Block, x: float, y: float) -> None:
        """Place another block within this one."""
        other.group.set("transform", f"translate({_short(x)},{_short(y)})")
        self.group.append(other.group)
        self.height = max(self.height, y + other.height)

    def put_below(self, other: Block) -> None:
        """Place another block at the lower end of this one."""
        self.put(other, 0.0, self.height)


def drawn_block(drawing: str, width: float) -> Block:
    """Return a cleaned drawing (`analytics_app.charts.svg.clean`) as a block, scaled down if it is wider."""
    root = painted(drawing)
    _x, _y, wide, high = (float(end) for end in root.attrib["viewBox"].split())
    scale = min(1.0, width / wide)
    letters = {name: value for name, value in root.attrib.items() if name in OF_LETTERS}
    inner = ET.Element(f"{{{SVG}}}g", {"transform": f"scale({scale:.4f})", **letters})
    inner.extend([child for child in root if child.tag not in {f"{{{SVG}}}title", f"{{{SVG}}}desc"}])
    block = Block(width)
    block.group.append(inner)
    block.height = high * scale
    return block


def whole(block: Block, *, title: str, margin: float, height: float | None = None) -> str:
    """Return a block as a drawing of its own, on white; `height` is that of the page, else as needed."""
    width = block.width + 2 * margin
    tall = block.height + 2 * margin if height is None else height
    root = ET.Element(
        f"{{{SVG}}}svg",
        {
            "viewBox": f"0 0 {width:g} {tall:g}",
            "width": f"{width:g}",
            "height": f"{tall:g}",
            "role": "img",
            "font-family": "system-ui, sans-serif",
        },
    )
    ET.SubElement(root, f"{{{SVG}}}title").text = _storable(title)
    ET.SubElement(root, f"{{{SVG}}}rect", {"width": f"{width:g}", "height": f"{tall:g}", "fill": "#ffffff"})
    page = Block(block.width)
    page.put(block, margin, margin)
    root.append(page.group)
    name_fonts(root)
    return ET.tostring(root, encoding="unicode")


def _short(value: float) -> str:
    return f"{round(value, 1):g}"


def _storable(text: str) -> str:
    """Return a text without signs that XML cannot hold."""
    return re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]", "\ufffd", text)
