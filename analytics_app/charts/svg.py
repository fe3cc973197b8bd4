"""Prepare a drawing for a page: small, labelled, scalable, with the page's colours, safe for the security policy."""

import re
import xml.etree.ElementTree as ET
from textwrap import wrap

from analytics_app.charts.words import RIGHT_TO_LEFT

SVG = "http://www.w3.org/2000/svg"
ET.register_namespace("", SVG)

# The colours of charts. A drawing has a class for each (f- for fill, s- for stroke), so that a page paints it in its
# own light or dark colours; a downloaded drawing is on white and has these colours (`painted`).
INK, QUIET, LINE, MARK, SOFT, LIMIT = "#1f2937", "#4b5563", "#d5dae1", "#1b5fc4", "#6f93c9", "#596273"
NAMES = {INK: "ink", QUIET: "quiet", LINE: "line", MARK: "mark", SOFT: "soft", LIMIT: "limit"}
COLOURS = {name: colour for colour, name in NAMES.items()}
PAINTS = {"f": "fill", "s": "stroke"}

# Words that may lie on a line get an edge in the colour of the background; a drawing declares its style once.
GROUND = "ground"
HALO = {"stroke": "#ffffff", "stroke-width": "4"}
PAINTED = {"stroke-linejoin": "round", "paint-order": "stroke"}
# Attributes of all letters, which a drawing has once.
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
# Default attributes of shapes, which are left out.
USUAL = {("text-anchor", "start"), ("font-weight", "normal"), ("opacity", "1")}
PAINT = {"fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "opacity", "fill-opacity"}

# The head of a drawing as a file: letter sizes as shares of those of the drawing, and the margin.
TITLE_SIZE, SUBTITLE_SIZE, MARGIN = 1.2, 0.9, 16
WIDTH_OF_LETTER = 0.52
# This font has Arabic and Hebrew in two weights.
RIGHT_TO_LEFT_FONTS = "DejaVu Sans, system-ui, sans-serif"
# The letter size of a drawing that does not declare it.
LETTERS = "15"


def clean(drawn: str, *, title: str, description: str, width: int, letters: int) -> str:
    """Return a drawing with only shapes and words, and with a title and a description.

    It has no identifiers, so that many drawings can be on one page; no width and height, so that it fills its box; and
    no style. It is at least `width` wide, so that drawings for one room have one scale; most letters are `letters`
    high.
    """
    root = ET.fromstring(drawn)  # noqa: S314  what the renderer of this process has just written
    inside = _shapes(root, f"{letters}px")
    x, y, drawn_width, height = root.attrib["viewBox"].split()
    view = f"{x} {y} {max(float(drawn_width), width):g} {height}"
    head = {"viewBox": view, "role": "img", "font-family": "system-ui, sans-serif", "font-size": str(letters)}
    new = ET.Element(f"{{{SVG}}}svg", {**head, **PAINTED})
    _add(new, "title", title)
    if description:
        _add(new, "desc", description)
    new.extend(inside)
    return ET.tostring(new, encoding="unicode")


def painted(drawing: str) -> ET.Element:
    """Return a cleaned drawing in the colours of downloads."""
    root = ET.fromstring(drawing)  # noqa: S314  our own, as `clean` made it
    for shape in root.iter():
        for name in shape.get("class", "").split():
            kind, _dash, colour = name.partition("-")
            paint = HALO if colour == GROUND else {PAINTS[kind]: COLOURS[colour]}
            shape.attrib.update({key: value for key, value in paint.items() if key not in shape.attrib})
    return root


def standing_alone(drawing: str, *, title: str, subtitle: str) -> str:
    """Return a cleaned drawing as a file, with title and subtitle, on white, with a size."""
    root = painted(drawing)
    _x, _y, width, height = (float(number) for number in root.attrib["viewBox"].split())
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
    new.extend([element for element in root if element.tag in {f"{{{SVG}}}title", f"{{{SVG}}}desc"}])
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
    place.extend([element for element in root if element.tag not in {f"{{{SVG}}}title", f"{{{SVG}}}desc"}])
    name_fonts(new)
    return ET.tostring(new, encoding="unicode")


def name_fonts(root: ET.Element) -> None:
    """Set a font for the words of a drawing that run from right to left.

    A program whose usual font lacks a letter may use any font that has it, in a different weight.
    """
    for text in root.iter(f"{{{SVG}}}text"):
        if RIGHT_TO_LEFT.search("".join(text.itertext())):
            text.set("font-family", RIGHT_TO_LEFT_FONTS)


def _shapes(parent: ET.Element, letters: str) -> list[ET.Element]:
    """Return the visible shapes among an element's children, without groups that have no transformation."""
    shapes: list[ET.Element] = []
    for child in parent:
        name = child.tag.removeprefix(f"{{{SVG}}}")
        if name == "g":
            inside = _shapes(child, letters)
            if inside and child.attrib.get("transform", "translate(0,0)") != "translate(0,0)":
                group = ET.Element(f"{{{SVG}}}g", {"transform": _short(child.attrib["transform"])})
                group.extend(inside)
                shapes.append(group)
            else:
                shapes.extend(inside)
        elif (shape := _shape(child, name, letters)) is not None:
            shapes.append(shape)
    return shapes


def _shape(child: ET.Element, name: str, letters: str) -> ET.Element | None:
    """Return a copy of a shape with its needed attributes; None for a background or an invisible shape."""
    paint = {key: value for key, value in child.attrib.items() if key in PAINT and (key, value) not in USUAL}
    painted = {key for key in ("fill", "stroke") if paint.get(key, "none") not in {"none", "transparent"}}
    if name not in KEPT or not painted or child.get("display") == "none" or paint.get("fill") == "white":
        return None
    if name == "path":
        # The renderer declares all shapes hollow on a group that is removed.
        paint.setdefault("fill", "none")
    shape = ET.Element(f"{{{SVG}}}{name}", _attributes(child, name, letters))
    classes = [f"{key[0]}-{NAMES[paint[key]]}" for key in ("fill", "stroke") if paint.get(key) in NAMES]
    if name == "text" and paint["fill"] == INK:
        classes.append(f"s-{GROUND}")
    if classes:
        shape.set("class", " ".join(classes))
    shape.attrib.update({key: value for key, value in paint.items() if value not in NAMES})
    shape.text = child.text
    # Lines of words.
    for line in child.iter(f"{{{SVG}}}tspan"):
        ET.SubElement(shape, f"{{{SVG}}}tspan", _attributes(line, "tspan", letters)).text = line.text
    return shape


def _attributes(child: ET.Element, name: str, letters: str) -> dict[str, str]:
    """Return the place and size of a shape, without default attributes and the usual letter size."""
    attributes = {(key, value) for key, value in child.attrib.items() if key in KEPT[name]}
    return {key: _short(value) for key, value in sorted(attributes - USUAL - {("font-size", letters)})}


def _short(value: str) -> str:
    """Return a text with every number rounded to a tenth of a pixel."""
    return re.sub(r"-?\d+\.\d+", lambda match: f"{round(float(match[0]), 1):g}", value)


def _wrapped(text: str, width: float, size: int) -> list[str]:
    return wrap(text, max(20, int(width / (size * WIDTH_OF_LETTER))))


def _add(parent: ET.Element, name: str, text: str = "", **attributes: str) -> ET.Element:
    new = ET.SubElement(parent, f"{{{SVG}}}{name}", attributes)
    new.text = text or None
    return new
