"""Render a specification as a drawing.

vl-convert runs a JavaScript engine of its own. A process that has rendered once and is then forked leaves its child
an engine that hangs for ever, so nothing is rendered while this package is imported, when Django starts, in a web
server's parent or in Celery's: only within a job, in the child that runs it. Both libraries are therefore imported
where they are used; importing them is harmless, rendering is not.

Charts name their channels by class (`alt.X2("high:Q")`, `fixed("X", 0)`): for a bare text or value altair looks through
hashes of its whole schema, each time anew.

Specs are written by this package alone and carry their data: the renderer would also read a file by its address.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from analytics_app.charts import svg
from analytics_app.charts.room import NARROW, WIDE, Chart, Room
from analytics_app.charts.svg import INK, LINE, QUIET

# What a title may have; it names things of any length.
LONGEST_TITLE = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """A chart: its finding, what is shown, the spec with the data, the drawing and a digest of the drawing.

    `svg` and `spec` are those of a desk, and what is taken away; `narrow` is the drawing for a telephone.
    """

    key: str
    title: str
    subtitle: str
    by_system: bool
    spec: Mapping[str, Any]
    svg: str
    narrow: str
    digest: str
    criterion: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sketch:
    """A chart before it is drawn. `columns` names the fields of the data that make up its table of numbers.

    A chart drawn of a whole task may be about one `criterion`, in whose section it then stands. One that is `further`
    stands folded on a page, behind those that are read first.
    """

    kind: str
    title: str
    subtitle: str
    by_system: bool
    chart: Chart
    columns: Sequence[tuple[str, str]]
    criterion: str = ""
    further: bool = False


def finished(sketch: Sketch) -> Drawn:
    """Render a sketch, for both rooms. In a job only: see the module's text."""
    title = sketch.title if len(sketch.title) <= LONGEST_TITLE else f"{sketch.title[: LONGEST_TITLE - 1]}…"
    spec = _spec(sketch, title, WIDE)
    drawn = _rendered(spec, WIDE, title=title, description=sketch.subtitle)
    return Drawn(
        key=sketch.kind,
        title=title,
        subtitle=sketch.subtitle,
        by_system=sketch.by_system,
        spec=spec,
        svg=drawn,
        # What is shown is said beside it, and in the other drawing.
        narrow=_rendered(_spec(sketch, title, NARROW), NARROW, title=title),
        digest=hashlib.sha256(drawn.encode()).hexdigest(),
        criterion=sketch.criterion,
    )


def _spec(sketch: Sketch, title: str, room: Room) -> dict[str, Any]:
    from altair.utils.schemapi import debug_mode  # noqa: PLC0415  slow to import, for jobs alone

    about: dict[str, Any] = {
        "title": title,
        "subtitle": sketch.subtitle,
        "columns": [list(one) for one in sketch.columns],
        "further": sketch.further,
    }
    # Not validated against the schema each time, neither as a whole nor piece by piece, which costs as much as half the
    # drawing: a test does.
    with debug_mode(False):
        chart = sketch.chart(room).properties(background="transparent", padding=2, usermeta=about)
        spec: dict[str, Any] = chart.configure(**_config(room)).to_dict(validate=False)
    return spec


def _rendered(spec: dict[str, Any], room: Room, *, title: str, description: str = "") -> str:
    import vl_convert  # noqa: PLC0415  a JavaScript engine, for jobs alone

    drawn = vl_convert.vegalite_to_svg(spec)
    return svg.clean(drawn, title=title, description=description, width=room.width, letters=room.letters)


def numbers(spec: Mapping[str, Any]) -> tuple[list[tuple[str, str]], list[list[Any]]]:
    """Return columns (field, head) and rows of the table that says in numbers what a chart shows."""
    columns = [(name, head) for name, head in spec["usermeta"]["columns"]]
    return columns, [[point.get(name) for name, _head in columns] for point in spec["data"]["values"]]


def values(spec: Mapping[str, Any]) -> list[float]:
    """Return the numeric values that a chart plots, one per row."""
    drawn = [point.get("value") for point in spec["data"]["values"]]
    return [value for value in drawn if isinstance(value, (int, float))]


def subtitle(spec: Mapping[str, Any]) -> str:
    """Return what a chart shows: measure, n and method."""
    return str(spec["usermeta"]["subtitle"])


def is_further(spec: Mapping[str, Any]) -> bool:
    """Return whether a chart stands folded, behind those that are read first."""
    return bool(spec["usermeta"].get("further"))


def is_by_rater(spec: Mapping[str, Any]) -> bool:
    """Return whether a chart names raters."""
    return any(head == "Rater" for _name, head in spec["usermeta"]["columns"])


def _config(room: Room) -> dict[str, Any]:
    words = {
        "labelFontSize": room.letters,
        "labelColor": QUIET,
        "titleFontSize": room.letters,
        "titleFontWeight": "normal",
        "titleColor": QUIET,
    }
    axis = {
        **words,
        "gridColor": LINE,
        "domain": False,
        "ticks": False,
        "labelPadding": 6,
        "titlePadding": 8,
        "labelFlush": True,
        "labelLimit": 0,
        "titleLimit": 0,
    }
    legend = {**words, "labelLimit": 0, "titleLimit": 0, "symbolType": "square", "offset": 8}
    return {
        "font": "sans-serif",
        "aria": False,
        "axis": axis,
        "legend": legend,
        "view": {"stroke": None},
        "text": {"fontSize": room.letters, "color": INK},
    }
