"""The room of a drawing: its width, the size of its letters, and names broken into lines that fit.

Every chart is drawn twice: as wide as a page on a desk, and as narrow as one on a telephone. Letters keep about the
same size on both, so that a chart is laid out for its room and not scaled.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from analytics_app.charts import words
from analytics_app.charts.sheet import lines_of, width_of
from analytics_app.charts.svg import INK

LEADING = 1.2


@dataclass(frozen=True, slots=True)
class Room:
    """The width of a drawing and the size of its letters, in pixels; `gutter` is the greatest share for names."""

    width: int
    letters: int
    gutter: float

    @property
    def line(self) -> float:
        """Return the distance between two lines of words."""
        return round(self.letters * LEADING)

    def length(self, text: str) -> float:
        """Return the approximate length of a text, in pixels."""
        return width_of(text, self.letters)

    def longest(self, texts: Iterable[str]) -> float:
        """Return the approximate length of the longest text, in pixels."""
        return max(map(self.length, texts), default=0.0)

    def lines(self, text: str, across: float) -> list[str]:
        """Return a text broken into lines that fit into a width in pixels; no letter is lost."""
        return [words.isolated(line) for line in lines_of(text, across, self.letters)]


WIDE = Room(width=880, letters=15, gutter=0.4)
NARROW = Room(width=308, letters=15, gutter=0.36)

# A function that returns a chart (altair) for a room.
Chart: TypeAlias = Callable[[Room], Any]


@dataclass(frozen=True, slots=True)
class Gutter:
    """Names beside their rows: the width of the gutter and the lines of each name. Without a width, names are above.

    `above` is the height in pixels of a name above its row, zero for a name beside it.
    """

    width: float
    lines: Sequence[Sequence[str]]
    above: Sequence[float]

    @property
    def beside(self) -> bool:
        """Return whether names are beside their rows."""
        return self.width > 0


# The space between a name and its row, in pixels.
SPACE = 16


def gutter_for(room: Room, names: Sequence[str], *, above: float | None = None) -> Gutter:
    """Return the places of names: in a gutter as wide as they need, within limits.

    In a narrow room, names that need more than the gutter are above their rows, on lines of `above` pixels.
    """
    most = room.width * room.gutter
    # A pixel more, so that rounding does not break the longest name.
    needed = room.longest(names) + SPACE + 1
    if needed > most and above is not None and room is not WIDE:
        lines = [room.lines(name, above) for name in names]
        return Gutter(0.0, lines, [len(name_lines) * room.line for name_lines in lines])
    width = min(needed, most)
    return Gutter(round(width), [room.lines(name, width - SPACE) for name in names], [0.0] * len(names))


def in_lines(base: Any, room: Room, field: str = "lines", *, x: float, align: str = "left") -> Any:
    """Return the mark of words in several lines, centred on the place of their row."""
    import altair as alt  # noqa: PLC0415  slow to import, for jobs alone

    # The renderer puts the first line at the place, so the lines are moved up.
    up = alt.expr(f"-(length(datum.{field}) - 1) * {room.line / 2:g}")
    mark = base.mark_text(align=align, lineHeight=room.line, dy=up, color=INK)
    return mark.encode(x=fixed("X", x), text=alt.Text(f"{field}:N"))


def fixed(channel: Literal["X", "X2", "Y"], place: float) -> Any:
    """Return a channel that is at the same place for every row, in pixels."""
    import altair as alt  # noqa: PLC0415

    return getattr(alt, f"{channel}Value")(place)
