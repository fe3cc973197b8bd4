"""Make a drawing fit for a page: small, labelled, scalable, with the page's colours, safe for the security policy."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from textwrap import wrap

SVG = "http://www.w3.org/2000/svg"
ET.register_namespace("", SVG)

# The colours that charts are drawn in. Each has a class (f- for fill, s- for stroke), so that a page paints it in its
# own light or dark; the attribute stays for a drawing that was taken away, which stands on white.
INK, QUIET, LINE, MARK, SOFT, LIMIT = "#1f2937", "#4b5563", "#d5dae1", "#1b5fc4", "#6f93c9", "#596273"
NAMES = {INK: "ink", QUIET: "quiet", LINE: "line", MARK: "mark", SOFT: "soft", LIMIT: "limit"}

# Words that may lie on a line get an edge in the colour of the ground.
HALO = {"stroke": "#ffffff", "stroke-width": "3", "stroke-linejoin": "round", "paint-order": "stroke"}

KEPT = {
    "circle": {"cx", "cy", "r"},
    "g": {"transform"},
    "line": {"transform", "x2", "y2"},
    "path": {"transform", "d"},
    "rect": {"x", "y", "width", "height"},
    "text": {"transform", "text-anchor", "font-size", "font-weight"},
}
PAINT = {"fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "opacity", "fill-opacity"}

# The head of a drawing that stands alone: its letters, lines and their width in letters.
TITLE_SIZE, SUBTITLE_SIZE, MARGIN = 15, 12, 12
WIDTH_OF_LETTER = 0.52


def clean(drawn: str, *, title: str, description: str) -> str:
    """Return a drawing with nothing in it but shapes and words, under a name and a description.

    No identifiers, so that any number fit on one page; no width and height, so that it fills its box; no style.
    """
    root = ET.fromstring(drawn)  # noqa: S314  what the renderer of this process has just written
    inside = _shapes(root)
    new = ET.Element(
        f"{{{SVG}}}svg", {"viewBox": root.attrib["viewBox"], "role": "img", "font-family": "system-ui, sans-serif"}
    )
    _add(new, "title", title)
    _add(new, "desc", description)
    new.extend(inside)
    return ET.tostring(new, encoding="unicode")


def standing_alone(drawing: str, *, title: str, subtitle: str) -> str:
    """Return a cleaned drawing as a file of its own: title and subtitle in it, on white, with a size."""
    root = ET.fromstring(drawing)  # noqa: S314  our own, as `clean` made it
    _x, _y, width, height = (float(one) for one in root.attrib["viewBox"].split())
    lines = [(TITLE_SIZE, INK, line) for line in _wrapped(title, width, TITLE_SIZE)]
    lines += [(SUBTITLE_SIZE, QUIET, line) for line in _wrapped(subtitle, width, SUBTITLE_SIZE)]
    head = sum(round(size * 1.4) for size, _colour, _line in lines) + MARGIN
    new = ET.Element(f"{{{SVG}}}svg", dict(root.attrib))
    whole = (width + 2 * MARGIN, head + height + 2 * MARGIN)
    new.set("viewBox", f"0 0 {whole[0]:g} {whole[1]:g}")
    new.set("width", f"{whole[0] * 2:g}")
    new.set("height", f"{whole[1] * 2:g}")
    new.extend([one for one in root if one.tag in {f"{{{SVG}}}title", f"{{{SVG}}}desc"}])
    _add(new, "rect", width=f"{whole[0]:g}", height=f"{whole[1]:g}", fill="#ffffff")
    down = float(MARGIN)
    for size, colour, line in lines:
        down += round(size * 1.4)
        weight = {"font-weight": "600"} if size == TITLE_SIZE else {}
        _add(
            new,
            "text",
            line,
            x=str(MARGIN),
            y=f"{down - size * 0.3:g}",
            fill=colour,
            **{"font-size": str(size)},
            **weight,
        )
    place = _add(new, "g", transform=f"translate({MARGIN},{head + MARGIN:g})")
    place.extend([one for one in root if one.tag not in {f"{{{SVG}}}title", f"{{{SVG}}}desc"}])
    return ET.tostring(new, encoding="unicode")


def _shapes(parent: ET.Element) -> list[ET.Element]:
    """Return what can be seen of an element's children; groups without a move of their own dissolve."""
    seen: list[ET.Element] = []
    for child in parent:
        name = child.tag.removeprefix(f"{{{SVG}}}")
        if name == "g":
            inside = _shapes(child)
            if inside and "transform" in child.attrib:
                group = ET.Element(f"{{{SVG}}}g", {"transform": _short(child.attrib["transform"])})
                group.extend(inside)
                seen.append(group)
            else:
                seen.extend(inside)
        elif (shape := _shape(child, name)) is not None:
            seen.append(shape)
    return seen


def _shape(child: ET.Element, name: str) -> ET.Element | None:
    """Copy one shape with what it needs; None for a background, and for what paints nothing."""
    paint = {key: value for key, value in child.attrib.items() if key in PAINT and (key, value) != ("opacity", "1")}
    painted = {key for key in ("fill", "stroke") if paint.get(key, "none") not in {"none", "transparent"}}
    if name not in KEPT or not painted or child.get("display") == "none" or paint.get("fill") == "white":
        return None
    if name == "path":
        # The renderer says once for all shapes that they are hollow, on a group that is not kept.
        paint.setdefault("fill", "none")
    attributes = {key: _short(value) for key, value in child.attrib.items() if key in KEPT[name]}
    classes = [f"{key[0]}-{NAMES[paint[key]]}" for key in ("fill", "stroke") if paint.get(key) in NAMES]
    if name == "text" and paint["fill"] == INK:
        classes.append("s-ground")
        paint |= HALO
    if classes:
        attributes["class"] = " ".join(classes)
    shape = ET.Element(f"{{{SVG}}}{name}", {**attributes, **paint})
    shape.text = child.text
    return shape


def _short(value: str) -> str:
    """Round every number to a tenth of a pixel."""
    return re.sub(r"-?\d+\.\d+", lambda found: f"{round(float(found[0]), 1):g}", value)


def _wrapped(text: str, width: float, size: int) -> list[str]:
    return wrap(text, max(20, int(width / (size * WIDTH_OF_LETTER))))


def _add(parent: ET.Element, name: str, text: str = "", **attributes: str) -> ET.Element:
    new = ET.SubElement(parent, f"{{{SVG}}}{name}", attributes)
    new.text = text or None
    return new
