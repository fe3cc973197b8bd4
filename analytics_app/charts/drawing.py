"""Render a specification as a drawing.

vl-convert runs a JavaScript engine of its own. A process that has rendered once and is then forked leaves its child
an engine that hangs for ever, so nothing is rendered while this package is imported, when Django starts, in a web
server's parent or in Celery's: only within a job, in the child that runs it. Both libraries are therefore imported
where they are used; importing them is harmless, rendering is not.

Specs are written by this package alone and carry their data: the renderer would also read a file by its address.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from analytics_app.charts import svg
from analytics_app.charts.svg import INK, LINE, QUIET

# As wide as a telephone shows it, so that letters are hardly smaller there than they are drawn: 14 px at least.
WIDTH = 320
TEXT, SMALL = 15, 15
# How wide a letter of that size is, about.
LETTER = 8
# What a title may have; it names things of any length.
LONGEST_TITLE = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """A chart: its finding, what is shown, the spec with the data, the drawing and a digest of the drawing."""

    key: str
    title: str
    subtitle: str
    by_system: bool
    spec: Mapping[str, Any]
    svg: str
    digest: str
    criterion: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sketch:
    """A chart before it is drawn. `columns` names the fields of the data that make up its table of numbers.

    A chart drawn of a whole task may be about one `criterion`, in whose section it then stands.
    """

    kind: str
    title: str
    subtitle: str
    by_system: bool
    chart: Any
    columns: Sequence[tuple[str, str]]
    criterion: str = ""


def finished(sketch: Sketch) -> Drawn:
    """Render a sketch. In a job only: see the module's text."""
    import vl_convert  # noqa: PLC0415  a JavaScript engine, for jobs alone

    title = sketch.title if len(sketch.title) <= LONGEST_TITLE else f"{sketch.title[: LONGEST_TITLE - 1]}…"

    chart = sketch.chart.properties(
        background="transparent",
        padding=2,
        usermeta={"title": title, "subtitle": sketch.subtitle, "columns": [list(one) for one in sketch.columns]},
    ).configure(**_config())
    # Not checked against the schema each time, which costs as much as half the drawing: a test does.
    spec: dict[str, Any] = chart.to_dict(validate=False)
    drawn = svg.clean(vl_convert.vegalite_to_svg(spec), title=title, description=sketch.subtitle)
    return Drawn(
        key=sketch.kind,
        title=title,
        subtitle=sketch.subtitle,
        by_system=sketch.by_system,
        spec=spec,
        svg=drawn,
        digest=hashlib.sha256(drawn.encode()).hexdigest(),
        criterion=sketch.criterion,
    )


def numbers(spec: Mapping[str, Any]) -> tuple[list[tuple[str, str]], list[list[Any]]]:
    """Return columns (field, head) and rows of the table that says in numbers what a chart shows."""
    columns = [(name, head) for name, head in spec["usermeta"]["columns"]]
    return columns, [[point.get(name) for name, _head in columns] for point in spec["data"]["values"]]


def subtitle(spec: Mapping[str, Any]) -> str:
    """Return what a chart shows: measure, n and method."""
    return str(spec["usermeta"]["subtitle"])


def _config() -> dict[str, Any]:
    axis = {
        "labelFontSize": SMALL,
        "labelColor": QUIET,
        "titleFontSize": SMALL,
        "titleFontWeight": "normal",
        "titleColor": QUIET,
        "gridColor": LINE,
        "domain": False,
        "ticks": False,
        "labelPadding": 6,
        "titlePadding": 8,
        "labelFlush": True,
    }
    legend = {
        "labelFontSize": SMALL,
        "labelColor": QUIET,
        "titleFontSize": SMALL,
        "titleFontWeight": "normal",
        "titleColor": QUIET,
        "labelLimit": WIDTH - 40,
        "symbolType": "square",
        "offset": 8,
    }
    return {
        "font": "sans-serif",
        "aria": False,
        "axis": axis,
        "legend": legend,
        "view": {"stroke": None},
        "text": {"fontSize": TEXT, "color": INK},
    }
