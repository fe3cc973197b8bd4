"""Make a drawing fit for a page: small, labelled, scalable, with the page's colours, safe for the security policy."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from textwrap import wrap

from analytics_app.charts.words import RIGHT_TO_LEFT

SVG = "http://www.w3.org/2000/svg"
ET.register_namespace("", SVG)

# The colours that charts are drawn in. A drawing has a class for each (f- for fill, s- for stroke), so that a page
# paints it in its own light or dark; what is taken away stands on white and is painted in these (`painted`).
INK, QUIET, LINE, MARK, SOFT, LIMIT = "#1f2937", "#4b5563", "#d5dae1", "#1b5fc4", "#6f93c9", "#596273"
NAMES = {INK: "ink", QUIET: "quiet", LINE: "line", MARK: "mark", SOFT: "soft", LIMIT: "limit"}
COLOURS = {name: colour for colour, name in NAMES.items()}
PAINTS = {"f": "fill", "s": "stroke"}

# Words that may lie on a line get an edge in the colour of the ground; how it is painted is said once for a drawing.
GROUND = "ground"
HALO = {"stroke": "#ffffff", "stroke-width": "4"}
PAINTED = {"stroke-linejoin": "round", "paint-order": "stroke"}
# What a drawing says once about all its letters.
OF_LETTERS = ("font-size", *PAINTED)

KEPT = {
    "circle": {"cx", "cy", "r"},
    "g": {"transform"},
    "line": {"transform", "x2", "y2"},
    "path": {"transform", "d"},
    "rect": {"x", "y", "width", "height"},
    "text": {"transform", "text-anchor", "font-size", "font-weight"},
    "tspan": {"x", "dy"},
}
# What every shape is without being told.
USUAL = {("text-anchor", "start"), ("font-weight", "normal"), ("opacity", "1")}
PAINT = {"fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "opacity", "fill-opacity"}

# The head of a drawing that stands alone: its letters, of those of the drawing, and how wide one is, of its height.
TITLE_SIZE, SUBTITLE_SIZE, MARGIN = 1.2, 0.9, 16
WIDTH_OF_LETTER = 0.52
# Has Arabic and Hebrew, both in two weights.
RIGHT_TO_LEFT_FONTS = "DejaVu Sans, system-ui, sans-serif"
# What a drawing that does not say it has.
LETTERS = "15"


def clean(drawn: str, *, title: str, description: str, width: int, letters: int) -> str:
    """Return a drawing with nothing in it but shapes and words, under a name and a description.

    No identifiers, so that any number fit on one page; no width and height, so that it fills its box; no style. It is
    at least `width` wide, so that drawings for one room have one scale, and most of its letters are `letters` high.
    """
    root = ET.fromstring(drawn)  # noqa: S314  what the renderer of this process has just written
    inside = _shapes(root, f"{letters}px")
    x, y, own, height = root.attrib["viewBox"].split()
    view = f"{x} {y} {max(float(own), width):g} {height}"
    head = {"viewBox": view, "role": "img", "font-family": "system-ui, sans-serif", "font-size": str(letters)}
    new = ET.Element(f"{{{SVG}}}svg", {**head, **PAINTED})
    _add(new, "title", title)
    if description:
        _add(new, "desc", description)
    new.extend(inside)
    return ET.tostring(new, encoding="unicode")


def painted(drawing: str) -> ET.Element:
    """Return a cleaned drawing in the colours that it is taken away in."""
    root = ET.fromstring(drawing)  # noqa: S314  our own, as `clean` made it
    for shape in root.iter():
        for name in shape.get("class", "").split():
            kind, _dash, colour = name.partition("-")
            paint = HALO if colour == GROUND else {PAINTS[kind]: COLOURS[colour]}
            shape.attrib.update({key: value for key, value in paint.items() if key not in shape.attrib})
    return root


def standing_alone(drawing: str, *, title: str, subtitle: str) -> str:
    """Return a cleaned drawing as a file of its own: title and subtitle in it, on white, with a size."""
    root = painted(drawing)
    _x, _y, width, height = (float(one) for one in root.attrib["viewBox"].split())
    letters = float(root.get("font-size", LETTERS))
    large, small = round(letters * TITLE_SIZE), round(letters * SUBTITLE_SIZE)
    lines = [(large, INK, line) for line in _wrapped(title, width, large)]
    lines += [(small, QUIET, line) for line in _wrapped(subtitle, width, small)]
    head = sum(round(size * 1.4) for size, _colour, _line in lines) + MARGIN
    new = ET.Element(f"{{{SVG}}}svg", dict(root.attrib))
    whole = (width + 2 * MARGIN, head + height + 2 * MARGIN)
    new.set("viewBox", f"0 0 {whole[0]:g} {whole[1]:g}")
    new.set("width", f"{whole[0]:g}")
    new.set("height", f"{whole[1]:g}")
    new.extend([one for one in root if one.tag in {f"{{{SVG}}}title", f"{{{SVG}}}desc"}])
    _add(new, "rect", width=f"{whole[0]:g}", height=f"{whole[1]:g}", fill="#ffffff")
    down = float(MARGIN)
    for size, colour, line in lines:
        down += round(size * 1.4)
        weight = {"font-weight": "600"} if size == large else {}
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
    name_fonts(new)
    return ET.tostring(new, encoding="unicode")


def name_fonts(root: ET.Element) -> None:
    """Name a font for the words of a drawing that run from right to left.

    A painter whose usual font lacks a letter takes any font that has it, be it bold or not.
    """
    for text in root.iter(f"{{{SVG}}}text"):
        if RIGHT_TO_LEFT.search("".join(text.itertext())):
            text.set("font-family", RIGHT_TO_LEFT_FONTS)


def _shapes(parent: ET.Element, letters: str) -> list[ET.Element]:
    """Return what can be seen of an element's children; groups without a move of their own dissolve."""
    seen: list[ET.Element] = []
    for child in parent:
        name = child.tag.removeprefix(f"{{{SVG}}}")
        if name == "g":
            inside = _shapes(child, letters)
            if inside and child.attrib.get("transform", "translate(0,0)") != "translate(0,0)":
                group = ET.Element(f"{{{SVG}}}g", {"transform": _short(child.attrib["transform"])})
                group.extend(inside)
                seen.append(group)
            else:
                seen.extend(inside)
        elif (shape := _shape(child, name, letters)) is not None:
            seen.append(shape)
    return seen


def _shape(child: ET.Element, name: str, letters: str) -> ET.Element | None:
    """Copy one shape with what it needs; None for a background, and for what paints nothing."""
    paint = {key: value for key, value in child.attrib.items() if key in PAINT and (key, value) not in USUAL}
    painted = {key for key in ("fill", "stroke") if paint.get(key, "none") not in {"none", "transparent"}}
    if name not in KEPT or not painted or child.get("display") == "none" or paint.get("fill") == "white":
        return None
    if name == "path":
        # The renderer says once for all shapes that they are hollow, on a group that is not kept.
        paint.setdefault("fill", "none")
    shape = ET.Element(f"{{{SVG}}}{name}", _attributes(child, name, letters))
    classes = [f"{key[0]}-{NAMES[paint[key]]}" for key in ("fill", "stroke") if paint.get(key) in NAMES]
    if name == "text" and paint["fill"] == INK:
        classes.append(f"s-{GROUND}")
    if classes:
        shape.set("class", " ".join(classes))
    shape.attrib.update({key: value for key, value in paint.items() if value not in NAMES})
    shape.text = child.text
    # The lines of words that take several.
    for line in child.iter(f"{{{SVG}}}tspan"):
        ET.SubElement(shape, f"{{{SVG}}}tspan", _attributes(line, "tspan", letters)).text = line.text
    return shape


def _attributes(child: ET.Element, name: str, letters: str) -> dict[str, str]:
    """Return where a shape stands and how large it is; letters of the usual size need not say so."""
    told = {(key, value) for key, value in child.attrib.items() if key in KEPT[name]}
    return {key: _short(value) for key, value in sorted(told - USUAL - {("font-size", letters)})}


def _short(value: str) -> str:
    """Round every number to a tenth of a pixel."""
    return re.sub(r"-?\d+\.\d+", lambda found: f"{round(float(found[0]), 1):g}", value)


def _wrapped(text: str, width: float, size: int) -> list[str]:
    return wrap(text, max(20, int(width / (size * WIDTH_OF_LETTER))))


def _add(parent: ET.Element, name: str, text: str = "", **attributes: str) -> ET.Element:
    new = ET.SubElement(parent, f"{{{SVG}}}{name}", attributes)
    new.text = text or None
    return new
