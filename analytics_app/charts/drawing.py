"""The charts of analyses: their registry, and rendering a specification as a drawing.

vl-convert runs a JavaScript engine of its own. If a process renders and is then forked, the engine of the child hangs
for ever. So charts are rendered only within a job, in the child that runs it, and never while this package is
imported, when Django starts, or in the parent process of a web server or Celery. Both libraries are imported where they
are used; importing them is harmless, rendering is not.

Charts name their channels by class (`alt.X2("high:Q")`, `fixed("X", 0)`): for a bare text or value altair searches its
whole schema each time. A chart of layers gets its width and height when it is made, not by
`properties`, which copies all layers.

Only this package writes specs, and they contain their data: the renderer would also read a file by its address.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

from analytics_app.charts import svg
from analytics_app.charts.picking import Material
from analytics_app.charts.room import NARROW, WIDE, Chart, Room
from analytics_app.charts.svg import INK, LINE, QUIET

# The most characters of a title, since names can have any length.
LONGEST_TITLE = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Sketch:
    """A chart before it is drawn. `columns` names the fields of the data that make up its table of numbers.

    A chart of a whole task may be about one `criterion`, and is then in the section of that criterion. A chart that is
    `further` is folded on a page, after the other charts.
    """

    kind: str
    title: str
    subtitle: str
    by_system: bool
    chart: Chart
    columns: Sequence[tuple[str, str]]
    criterion: str = ""
    further: bool = False


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """A chart: its title, a subtitle and the spec with the data, rendered when a drawing is first read.

    `svg` and `spec` are for wide screens and downloads; `narrow` is the drawing for a telephone. Drawings are read in a
    job only: see the module's docstring.
    """

    key: str
    title: str
    subtitle: str
    by_system: bool
    spec: dict[str, Any]
    sketch: Sketch = field(compare=False, repr=False)
    criterion: str = ""

    @cached_property
    def svg(self) -> str:
        """The drawing for wide screens."""
        return _rendered(self.spec, WIDE, title=self.title, description=self.subtitle)

    @cached_property
    def narrow(self) -> str:
        """The drawing for a telephone, without a description: the page and the wide drawing have it."""
        return _rendered(_spec(self.sketch, self.title, NARROW), NARROW, title=self.title)

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of the drawing for wide screens."""
        return hashlib.sha256(self.svg.encode()).hexdigest()


def finished(sketch: Sketch) -> Drawn:
    """Return the chart of a sketch."""
    title = sketch.title if len(sketch.title) <= LONGEST_TITLE else f"{sketch.title[: LONGEST_TITLE - 1]}…"
    return Drawn(
        key=sketch.kind,
        title=title,
        subtitle=sketch.subtitle,
        by_system=sketch.by_system,
        spec=_spec(sketch, title, WIDE),
        sketch=sketch,
        criterion=sketch.criterion,
    )


def _spec(sketch: Sketch, title: str, room: Room) -> dict[str, Any]:
    from altair.utils import update_nested  # noqa: PLC0415  slow to import, for jobs alone
    from altair.utils.schemapi import debug_mode  # noqa: PLC0415

    about: dict[str, Any] = {
        "title": title,
        "subtitle": sketch.subtitle,
        "columns": [list(column) for column in sketch.columns],
        "further": sketch.further,
    }
    # Validation against the schema would take half as long as the drawing itself, so it is off, as a whole and for each
    # piece: a test validates.
    with debug_mode(False):
        spec: dict[str, Any] = sketch.chart(room).to_dict(validate=False)
    spec |= {"background": "transparent", "padding": 2, "usermeta": about}
    # Added here and not by the methods of altair's chart, each of which copies all layers and the data.
    return dict(update_nested(spec, {"config": _config(room)}))


def _rendered(spec: dict[str, Any], room: Room, *, title: str, description: str = "") -> str:
    import vl_convert  # noqa: PLC0415  a JavaScript engine, for jobs alone

    drawn = vl_convert.vegalite_to_svg(spec)
    return svg.clean(drawn, title=title, description=description, width=room.width, letters=room.letters)


def numbers(spec: Mapping[str, Any]) -> tuple[list[tuple[str, str]], list[list[Any]]]:
    """Return columns (field, head) and rows of the table of the numbers in a chart."""
    columns = [(name, head) for name, head in spec["usermeta"]["columns"]]
    return columns, [[point.get(name) for name, _head in columns] for point in spec["data"]["values"]]


def values(spec: Mapping[str, Any]) -> list[float]:
    """Return the numeric values that a chart plots, one per row."""
    drawn = [point.get("value") for point in spec["data"]["values"]]
    return [value for value in drawn if isinstance(value, (int, float))]


def subtitle(spec: Mapping[str, Any]) -> str:
    """Return the subtitle of a chart: measure, n and method."""
    return str(spec["usermeta"]["subtitle"])


def is_further(spec: Mapping[str, Any]) -> bool:
    """Return whether a chart is folded on a page, after the other charts."""
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


Kind: TypeAlias = Callable[[Material], Iterator[Sketch]]


@dataclass(frozen=True, slots=True)
class Registered:
    """A kind of chart; charts of a lower order come first."""

    order: int
    kind: Kind
    of_task: bool
    side_by_side: bool


_registered: list[Registered] = []


def chart(*, order: int, of_task: bool = True, side_by_side: bool = False) -> Callable[[Kind], Kind]:
    """Register a kind of chart; charts of a lower order come first (shares 11, means 30, agreement 90).

    One that is not `of_task` is drawn of single criteria only. One that is drawn `side_by_side` also compares the
    criteria of a task.
    """

    def known(kind: Kind) -> Kind:
        _registered.append(Registered(order, kind, of_task, side_by_side))
        return kind

    return known


def in_order() -> list[Registered]:
    """Return every chart that was made known; the order does not depend on which module was imported first."""
    return sorted(_registered, key=lambda chart: (chart.order, chart.kind.__module__, chart.kind.__qualname__))
