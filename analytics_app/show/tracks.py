"""Tracks: named values with intervals on one axis, one line each, drawn by the page itself at any width."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import ceil, floor, log, log10

from analytics_app.models import ResultRow
from analytics_app.show import cells
from analytics_app.show.cells import Words

# The free share at both ends of an axis, so that no point touches its edge.
MARGIN = 0.04
TICKS, LEAST_TICKS = 4, 3
# Numbers whose ratio to a step differs by less are the same tick.
HAIR = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Track:
    """A line: places are percentages of the axis. `apart` is true if a test separates it from the line above."""

    name: str
    value: str
    interval: str
    at: float
    low: float | None = None
    high: float | None = None
    low_b: float | None = None
    high_b: float | None = None
    apart: bool = False

    @property
    def width(self) -> float | None:
        """Return the length of the interval."""
        return self.high - self.low if self.low is not None and self.high is not None else None

    @property
    def width_b(self) -> float | None:
        """Return the length of the second interval."""
        return self.high_b - self.low_b if self.low_b is not None and self.high_b is not None else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tracks:
    """Lines on one axis; `ticks` and `marks` are (place, word). `key` is the section to which they link.

    With `on_request`, second intervals are over texts alone, and are shown when a reader asks for them. `note` is a
    sentence about the level of the intervals, and the conclusions that they allow.
    """

    caption: str
    measure: Words
    lines: Sequence[Track]
    ticks: Sequence[tuple[float, str]]
    marks: Sequence[tuple[float, str]] = ()
    head: Words = ""
    key: str = ""
    on_request: bool = False
    note: str = ""

    @property
    def grouped(self) -> bool:
        """Return whether tests separate the lines into groups."""
        return any(line.apart for line in self.lines)


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis between two values, or their logarithms."""

    low: float
    high: float
    log: bool = False
    step: float = 0.0

    @classmethod
    def over(cls, values: Iterable[float | None], *, log: bool = False) -> Axis:
        """Return an axis that includes all values and ends at ticks; with `log` the values have to be above zero."""
        drawn = [value for value in values if value is not None]
        least, most = min(drawn), max(drawn)
        if least == most:
            least, most = (least / 2, most * 2) if log else (least - 0.5, most + 0.5)
        if log:
            numbers = _of_decades(least, most)
            return cls(numbers[0], numbers[-1], log)
        step = _round_step((most - least) / TICKS)
        low, high = floor(least / step + HAIR), ceil(most / step - HAIR)
        return cls(round(low * step, 12), round(high * step, 12), step=step)

    def place(self, value: float | None) -> float | None:
        """Return the place of a value, in percent."""
        if value is None:
            return None
        if self.log:
            share = log(value / self.low) / log(self.high / self.low)
        else:
            share = (value - self.low) / (self.high - self.low)
        return round(100 * (MARGIN + (1 - 2 * MARGIN) * share), 2)

    @property
    def ticks(self) -> list[tuple[float, str]]:
        """Return round numbers with their places."""
        values = self._log_ticks() if self.log else self._ticks()
        return [(self.place(value) or 0.0, f"{value:g}".replace("-", "−")) for value in values]

    def _ticks(self) -> list[float]:
        step = self.step or _round_step((self.high - self.low) / TICKS)
        return [round(n * step, 12) for n in range(ceil(self.low / step - HAIR), floor(self.high / step + HAIR) + 1)]

    def _log_ticks(self) -> list[float]:
        ticks = _of_decades(self.low, self.high)
        return ticks if len(ticks) >= LEAST_TICKS else self._ticks()


def _of_decades(low: float, high: float) -> list[float]:
    """Return the numbers 1, 2, 5, 10, 20 … (and 0.5, 0.2 …) from the last one below two numbers to the first above."""
    numbers = [
        n * 10.0**power for power in range(floor(log10(low)) - 1, ceil(log10(high)) + 2) for n in (1, 2, 5)
    ]  # fmt: skip
    first = max(number for number in numbers if number <= low * (1 + HAIR))
    last = min(number for number in numbers if number >= high * (1 - HAIR))
    return [round(number, 12) for number in numbers if first <= number <= last]


def _round_step(least: float) -> float:
    power = 10.0 ** floor(log10(least))
    return next(n * power for n in (1, 2, 2.5, 5, 10) if n * power >= least * (1 - 1e-9))


def tracks_of(
    rows: Sequence[ResultRow],
    *,
    caption: str,
    measure: Words,
    head: Words,
    name: Callable[[ResultRow], str],
    key: str = "",
    second: Callable[[ResultRow], ResultRow | None] = lambda row: None,
    apart: Callable[[ResultRow], bool] = lambda row: False,
    marks: Sequence[tuple[float, str]] = (),
    ends: Sequence[float] = (),
    digits: int | None = None,
    log: bool = False,
    on_request: bool = False,
    note: str = "",
) -> Tracks | None:
    """Return the lines of rows with a value, in the order given; None if no row has one.

    `second` returns the row with the second interval of a line, which is drawn when a reader asks for it if it is
    `on_request`. `marks` are values with a word, `ends` values that the
    axis includes.
    """
    drawn = [row for row in rows if row.value is not None]
    if not drawn:
        return None
    others = [second(row) for row in drawn]
    values = [end for row in (*drawn, *filter(None, others)) for end in (row.value, row.low, row.high)]
    axis = Axis.over([*values, *(value for value, _word in marks), *ends], log=log)
    n = cells.digits_for(row.value for row in drawn) if digits is None else digits
    lines = [_line(row, other, axis, n, name(row), apart=apart(row)) for row, other in zip(drawn, others, strict=True)]
    return Tracks(
        caption=caption,
        measure=measure,
        lines=lines,
        ticks=axis.ticks,
        marks=[(axis.place(value) or 0.0, word) for value, word in marks],
        head=head,
        key=key,
        on_request=on_request and any(line.width_b is not None for line in lines),
        note=note,
    )


def _line(row: ResultRow, other: ResultRow | None, axis: Axis, digits: int, name: str, *, apart: bool) -> Track:
    value = row.value or 0.0
    return Track(
        name=name,
        value=cells.figure(value, digits),
        interval=cells.interval(row.low, row.high, digits).text if row.low is not None else "",
        at=axis.place(value) or 0.0,
        low=axis.place(row.low),
        high=axis.place(row.high),
        low_b=axis.place(other.low) if other is not None else None,
        high_b=axis.place(other.high) if other is not None else None,
        apart=apart,
    )
