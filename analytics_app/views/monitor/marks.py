"""Marks of small charts that are drawn in the page itself: bars, dots, lines and labels, in percent of its box.

They are as wide as their column on every screen, while their texts keep their size; a page asks for them every few
seconds, for which drawing with the library of the results would take too long.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

# Heights in percent of the box: marks are on the baseline, labels below it.
TOP, BASE, LABELS = 8.0, 80.0, 98.0
HEIGHT = BASE - TOP
# The distance of a label from the line below it, which its letters must not touch.
ABOVE = 3.0
# The distance of the first and last mark from the edges of the box, in percent of its width.
EDGE = 1.5
# Texts at the edges are written inwards.
LEFT_OF, RIGHT_OF = 12.0, 88.0


def _percent(value: float) -> str:
    return f"{value:.2f}%"


@dataclass(frozen=True, slots=True)
class Mark:
    """One mark. `shape` is rect, circle, line or text; `kind` is its style."""

    shape: str
    kind: str
    x: str
    y: str
    to_x: str = ""
    to_y: str = ""
    text: str = ""
    anchor: str = ""


def bar(left: float, width: float, height: float, kind: str = "bar") -> Mark:
    """Return a bar on the baseline; `height` is a share of the highest, 0 to 1."""
    return box(left, width, BASE - HEIGHT * height, HEIGHT * height, kind)


def box(left: float, width: float, top: float, height: float, kind: str) -> Mark:
    """Return a rectangle; all in percent of the chart's box."""
    return Mark("rect", kind, _percent(left), _percent(top), _percent(width), _percent(height))


def dot(x: float, y: float, kind: str = "dot") -> Mark:
    """Return a dot."""
    return Mark("circle", kind, _percent(x), _percent(y))


def line(x: float, y: float, to_x: float, to_y: float, kind: str = "line") -> Mark:
    """Return a line."""
    return Mark("line", kind, _percent(x), _percent(y), _percent(to_x), _percent(to_y))


def label(x: float, text: str, y: float = LABELS, kind: str = "label") -> Mark:
    """Return a text that stays within the chart's box."""
    anchor = "start" if x < LEFT_OF else "end" if x > RIGHT_OF else "middle"
    return Mark("text", kind, _percent(x), _percent(y), text=text, anchor=anchor)


def baseline() -> Mark:
    """Return the line below the marks."""
    return line(0, BASE, 100, BASE, "axis")


def columns(counts: Sequence[int], kinds: Sequence[str] | None = None) -> list[Mark]:
    """Return a bar for each count, side by side across the box."""
    highest, width = max(counts, default=0) or 1, 100 / max(1, len(counts))
    return [
        bar(place * width + width * 0.08, width * 0.84, n / highest, kinds[place] if kinds else "bar")
        for place, n in enumerate(counts)
        if n
    ]


@dataclass(frozen=True, slots=True)
class Scale:
    """A scale along the box, from a least to a greatest value."""

    low: float
    high: float

    def at(self, value: float) -> float:
        """Return the place of a value, in percent of the width."""
        share = (value - self.low) / (self.high - self.low) if self.high > self.low else 0.5
        return EDGE + min(1.0, max(0.0, share)) * (100 - 2 * EDGE)


# The most dots above each other and side by side on a phone; more become bars.
MOST_ABOVE, DOT_COLUMNS = 8, 40


def dots(values: Iterable[tuple[float, bool]], scale: Scale) -> list[Mark]:
    """Return a dot for each value, stacked if they are close, or bars if there are many.

    Each value has a flag that marks it as bad; bad values are at the bottom of a stack.
    """
    stacks: dict[int, list[bool]] = {}
    for value, bad in values:
        column = int((scale.at(value) - EDGE) / (100 - 2 * EDGE) * DOT_COLUMNS)
        stacks.setdefault(min(DOT_COLUMNS - 1, column), []).append(bad)
    highest = max(map(len, stacks.values()), default=0)
    draw = _bars_of_a_stack if highest > MOST_ABOVE else _dots_of_a_stack
    return [mark for column, stack in sorted(stacks.items()) for mark in draw(column, stack, highest)]


_WIDTH = (100 - 2 * EDGE) / DOT_COLUMNS


def _dots_of_a_stack(column: int, stack: Sequence[bool], _highest: int) -> list[Mark]:
    x = EDGE + (column + 0.5) * _WIDTH
    return [
        dot(x, BASE - HEIGHT * (place + 0.5) / MOST_ABOVE, "dot bad" if bad else "dot")
        for place, bad in enumerate(sorted(stack, reverse=True))
    ]


def _bars_of_a_stack(column: int, stack: Sequence[bool], highest: int) -> list[Mark]:
    left, width, bad = EDGE + (column + 0.08) * _WIDTH, 0.84 * _WIDTH, sum(stack)
    whole = bar(left, width, len(stack) / highest, "bar")
    return [whole, bar(left, width, bad / highest, "bar bad")] if bad else [whole]


def reference(x: float, text: str) -> list[Mark]:
    """Return one continuous line across the box with its words above."""
    return [line(x, TOP, x, BASE, "reference"), label(x, text, TOP - ABOVE, "label reference-label")]
