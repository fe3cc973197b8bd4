"""The curve of a planning page: places of its line, ticks, words and dots, which a template draws as SVG."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import floor, log10

from django.utils import formats

# The width of a phone screen, so that text in the drawing is never scaled down.
WIDTH, HEIGHT = 340, 220
LEFT, RIGHT, TOP, BOTTOM = 48, 14, 16, 38
TICKS = 5
# Average width of a letter in the drawing.
LETTER = 8
# Height of a line of text in the drawing.
LINE = 14


@dataclass(frozen=True, slots=True)
class Tick:
    """A mark of an axis: its coordinate in the drawing, and its text."""

    at: float
    text: str


@dataclass(frozen=True, slots=True)
class Word:
    """A word of the drawing: its baseline, the side of it that is at `x` ("start" or "end"), and its text."""

    x: float
    y: float
    anchor: str
    text: str


@dataclass(frozen=True, slots=True)
class Spot:
    """A point of the drawing, optionally with an interval from `low` to `high`."""

    x: float
    y: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Curve:
    """A line over a number of judges, items or texts, drawn by a template.

    `points` are (x, y) or (x, y, low, high) in the units of the axes, `limit` is a horizontal line, `mark` the reader's
    own case (x, y, text). `top` and `bottom` are the ends of the y axis, whose ticks are percentages or numbers.
    """

    title: str
    across: str
    points: Sequence[tuple[float, ...]]
    bottom: float = 0.0
    top: float = 1.0
    percent: bool = True
    limit: tuple[float, str] | None = None
    mark: tuple[float, float, str] | None = None
    dots: bool = False

    @property
    def _ends(self) -> tuple[float, float]:
        least, most = min(point[0] for point in self.points), max(point[0] for point in self.points)
        return (least, most) if most > least else (least - 1, most + 1)

    def _x(self, value: float) -> float:
        least, most = self._ends
        return round(LEFT + (value - least) / (most - least) * (WIDTH - LEFT - RIGHT), 1)

    def _y(self, value: float) -> float:
        share = (value - self.bottom) / (self.top - self.bottom)
        return round(HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM), 1)

    @property
    def line(self) -> str:
        """Points of the line, as SVG has them."""
        return " ".join(f"{self._x(point[0])},{self._y(point[1])}" for point in self.points)

    @property
    def spots(self) -> list[Spot]:
        """Dots with their intervals."""
        if not self.dots:
            return []
        return [
            Spot(self._x(point[0]), self._y(point[1]), *(self._y(end) for end in point[2:4])) for point in self.points
        ]

    @property
    def limit_at(self) -> Tick | None:
        """Position and text of the horizontal line."""
        return Tick(self._y(self.limit[0]), self.limit[1]) if self.limit else None

    @property
    def limit_word(self) -> Word | None:
        """The text of the horizontal line: at an end above or below it, the first place that the curve leaves free."""
        if self.limit is None:
            return None
        line, width = self._y(self.limit[0]), LETTER * len(self.limit[1])
        places = [
            Word(x, y, anchor, self.limit[1])
            for x, anchor in ((LEFT + 4, "start"), (WIDTH - RIGHT - 4, "end"))
            for y in (line - 4, line + LINE)
        ]
        return next((word for word in places if not self._crosses(word, width)), places[0])

    def _crosses(self, word: Word, width: float) -> bool:
        """Return whether the curve, or the bottom of the drawing, runs through a word."""
        left = word.x if word.anchor == "start" else word.x - width
        top, foot = word.y - LINE, word.y + 4
        drawn = [(self._x(point[0]), self._y(point[1])) for point in self.points]
        spans = [
            (max(y0, y1), min(y0, y1))
            for (x0, y0), (x1, y1) in pairwise(drawn)
            if x1 > left - 4 and x0 < left + width + 4
        ]
        return foot > HEIGHT - BOTTOM or any(low > top and high < foot for low, high in spans)

    @property
    def mark_at(self) -> Spot | None:
        """Position of the reader's own case."""
        return Spot(self._x(self.mark[0]), self._y(self.mark[1])) if self.mark else None

    @property
    def mark_text(self) -> str:
        """Text at the reader's own case."""
        return self.mark[2] if self.mark else ""

    @property
    def mark_words(self) -> Tick | None:
        """Position of the text of the reader's own case: at the bottom, right of its line if it fits there."""
        if self.mark is None:
            return None
        x, width = self._x(self.mark[0]), LETTER * len(self.mark[2])
        return Tick(x + 6, "start") if x + 6 + width < WIDTH else Tick(x - 6, "end")

    @property
    def x_ticks(self) -> list[Tick]:
        """Marks of the x axis."""
        return [
            Tick(self._x(value), formats.number_format(int(value), force_grouping=True)) for value in nice(*self._ends)
        ]

    @property
    def y_ticks(self) -> list[Tick]:
        """Marks of the y axis."""
        return [Tick(self._y(value), self._tick_text(value)) for value in nice(self.bottom, self.top)]

    @property
    def frame(self) -> dict[str, int]:
        """Ends of the axes, and size of the drawing."""
        return {"left": LEFT, "right": WIDTH - RIGHT, "foot": HEIGHT - BOTTOM, "width": WIDTH, "height": HEIGHT}

    def _tick_text(self, value: float) -> str:
        if self.percent:
            return f"{value * 100:.0f}\u00a0%"
        return formats.number_format(value, 1).replace("-", "−")


def nice(least: float, most: float) -> list[float]:
    """Return round numbers between two ends, about five of them."""
    rough = (most - least) / TICKS
    unit: float = 10.0 ** floor(log10(rough))
    step = next(unit * factor for factor in (1, 2, 5, 10) if unit * factor >= rough * 0.999)
    start = -(-least // step)
    numbers, value = [], start * step
    while value <= most + step * 1e-9:
        numbers.append(round(value, 10) + 0.0)
        value += step
    return numbers
