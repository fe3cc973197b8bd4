"""What a planning page answers: a sentence, what follows from it, a curve, tables, and everything that was assumed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import floor, log10

from django.utils import formats

from analytics_app.show.table import Table

# As wide as a telephone shows it, so that letters are never smaller there than they are drawn.
WIDTH, HEIGHT = 340, 220
LEFT, RIGHT, TOP, BOTTOM = 48, 14, 16, 38
TICKS = 5
# As wide as a letter of the words in a drawing is on average.
LETTER = 8


@dataclass(frozen=True, slots=True)
class Tick:
    """A mark of an axis: where it stands in the drawing, and its words."""

    at: float
    text: str


@dataclass(frozen=True, slots=True)
class Spot:
    """A point of the drawing, perhaps with a line through it from `low` to `high`."""

    x: float
    y: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Curve:
    """A line over a number of judges, items or texts, drawn by a template.

    `points` are (x, y) or (x, y, low, high) in the units of the axes, `limit` is a line across, `mark` the reader's own
    place (x, y, words). `top` and `bottom` are the ends of the upright axis, whose ticks are percentages or numbers.
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
        least, most = min(one[0] for one in self.points), max(one[0] for one in self.points)
        return (least, most) if most > least else (least - 1, most + 1)

    def _x(self, value: float) -> float:
        least, most = self._ends
        return round(LEFT + (value - least) / (most - least) * (WIDTH - LEFT - RIGHT), 1)

    def _y(self, value: float) -> float:
        share = (value - self.bottom) / (self.top - self.bottom)
        return round(HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM), 1)

    @property
    def line(self) -> str:
        """The points of the line."""
        return " ".join(f"{self._x(one[0])},{self._y(one[1])}" for one in self.points)

    @property
    def spots(self) -> list[Spot]:
        """The dots, with their intervals."""
        if not self.dots:
            return []
        return [Spot(self._x(one[0]), self._y(one[1]), *(self._y(end) for end in one[2:4])) for one in self.points]

    @property
    def limit_at(self) -> Tick | None:
        """Where the line across stands."""
        return Tick(self._y(self.limit[0]), self.limit[1]) if self.limit else None

    @property
    def mark_at(self) -> Spot | None:
        """Where the reader's own place is."""
        return Spot(self._x(self.mark[0]), self._y(self.mark[1])) if self.mark else None

    @property
    def mark_text(self) -> str:
        """What stands at the reader's own place."""
        return self.mark[2] if self.mark else ""

    @property
    def mark_words(self) -> Tick | None:
        """Where the words of the reader's own place have room: at the foot, to the right of its line if they fit."""
        if self.mark is None:
            return None
        x, width = self._x(self.mark[0]), LETTER * len(self.mark[2])
        return Tick(x + 6, "start") if x + 6 + width < WIDTH else Tick(x - 6, "end")

    @property
    def x_ticks(self) -> list[Tick]:
        """The marks of the axis along the foot."""
        return [Tick(self._x(at), formats.number_format(int(at), force_grouping=True)) for at in nice(*self._ends)]

    @property
    def y_ticks(self) -> list[Tick]:
        """The marks of the upright axis."""
        return [Tick(self._y(at), self._said(at)) for at in nice(self.bottom, self.top)]

    @property
    def frame(self) -> dict[str, int]:
        """Ends of the axes in the drawing."""
        return {"left": LEFT, "right": WIDTH - RIGHT, "foot": HEIGHT - BOTTOM, "width": WIDTH, "height": HEIGHT}

    def _said(self, value: float) -> str:
        if self.percent:
            return f"{value * 100:.0f}\u00a0%"
        return formats.number_format(value, 1).replace("-", "−")


def nice(least: float, most: float) -> list[float]:
    """Return round numbers between two ends, about five of them."""
    rough = (most - least) / TICKS
    unit: float = 10.0 ** floor(log10(rough))
    step = next(unit * factor for factor in (1, 2, 5, 10) if unit * factor >= rough * 0.999)
    first = -(-least // step)
    found, at = [], first * step
    while at <= most + step * 1e-9:
        found.append(round(at, 10) + 0.0)
        at += step
    return found


@dataclass(frozen=True, slots=True)
class Answer:
    """What a page says. `folded` tables are there for whoever wants them; `assumed` lists (name, value)."""

    lead: str
    sentences: Sequence[str] = ()
    warnings: Sequence[str] = ()
    curve: Curve | None = None
    tables: Sequence[Table] = ()
    folded: Sequence[Table] = ()
    assumed: Sequence[tuple[str, str]] = field(default=())
    method: str = ""
