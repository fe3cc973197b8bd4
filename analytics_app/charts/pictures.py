"""Plots as files for papers: SVG, PNG and PDF.

A finished drawing is painted without the renderer's JavaScript engine, so that a web process may do it: such a process
can be forked afterwards, and its children can still render (analytics_app.charts.drawing says what hangs).
"""

import re
import unicodedata
from collections.abc import Mapping
from typing import Literal, TypeAlias

Format: TypeAlias = Literal["svg", "png", "pdf"]

CONTENT_TYPES: Mapping[Format, str] = {"svg": "image/svg+xml", "png": "image/png", "pdf": "application/pdf"}

# Pixels for each unit of a drawing, so that letters are sharp in print.
SHARPER = 2

# Fonts draw these in colours, and such fonts cannot be embedded in a PDF.
_COLOURED = re.compile("[\U0001f000-\U0001faff]")
_JOINERS = re.compile("[\u200d\ufe0e\ufe0f]")


def write(drawing: str, format: Format) -> bytes:
    """Return a drawing that stands alone as a file. In a PDF a coloured emoji is replaced by its name."""
    if format == "svg":
        return drawing.encode()
    import vl_convert  # noqa: PLC0415  takes a while to load, and few requests need it

    if format == "png":
        return bytes(vl_convert.svg_to_png(drawing, scale=SHARPER))
    return bytes(vl_convert.svg_to_pdf(without_emoji(drawing)))


def without_emoji(text: str) -> str:
    """Return a text with the names of emoji in their place, in brackets."""
    return _COLOURED.sub(_named, _JOINERS.sub("", text) if _COLOURED.search(text) else text)


def _named(match: re.Match[str]) -> str:
    return f"[{unicodedata.name(match[0], 'emoji').lower()}]"
