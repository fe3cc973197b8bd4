"""Cells of tables: the text of each, and the value by which it is sorted."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.utils import formats
from django.utils.functional import Promise
from django.utils.translation import gettext as _

DASH = "–"

Words = str | Promise


@dataclass(frozen=True, slots=True)
class Cell:
    """The text of a cell, and the value by which it is sorted; an undefined number is a dash and comes last.

    `numbers` are the unrounded numbers in the text: one, or the two ends of an interval. The head of a row may link to
    the page at `url`.
    """

    text: str
    sort: float | str | None = None
    strong: bool = False
    numbers: tuple[float, ...] = ()
    url: str = ""

    @property
    def key(self) -> str:
        """Return the value by which a script sorts, with numbers as in JavaScript; "" if it equals the text."""
        sort_key = f"{self.sort:.7g}" if isinstance(self.sort, float) else "" if self.sort is None else str(self.sort)
        return "" if sort_key == self.text else sort_key


def name(text: object) -> Cell:
    """Return the cell of a name."""
    return Cell(str(text)) if text not in (None, "") else Cell(DASH)


def number(value: float | None, digits: int = 2) -> Cell:
    """Return the cell of a number, in the language of the page and with a true minus sign."""
    if value is None:
        return Cell(DASH)
    return Cell(figure(value, digits), value, numbers=(value,))


def whole(value: int | None) -> Cell:
    """Return the cell of a count."""
    if value is None:
        return Cell(DASH)
    return Cell(formats.number_format(value, 0, force_grouping=True), value, numbers=(value,))


def interval(low: float | None, high: float | None, digits: int = 2) -> Cell:
    """Return the cell of an interval, sorted by its lower end."""
    if low is None or high is None:
        return Cell(DASH)
    text = _("%(low)s to %(high)s") % {"low": figure(low, digits), "high": figure(high, digits)}
    return Cell(text, low, numbers=(low, high))


def percent(value: float | None, digits: int = 0) -> Cell:
    """Return the cell of a share of one."""
    if value is None:
        return Cell(DASH)
    return Cell(f"{figure(value * 100, 0 if value in {0, 1} else digits)}\u00a0%", numbers=(value,))


def level(limit: float) -> str:
    """Return the level of an interval that leaves out a share of `limit`, such as "95 %"."""
    return f"{(1 - limit) * 100:g}\u00a0%"


def p_value(value: float | None, limit: float = 0.0) -> Cell:
    """Return the cell of a p value; bold below the limit."""
    if value is None:
        return Cell(DASH)
    text = f"< {figure(0.001, 3)}" if value < 0.001 else figure(value, 3)
    return Cell(text, value, strong=value < limit, numbers=(value,))


def figure(value: float, digits: int) -> str:
    """Return a number with a number of digits after its point; never "-0.00"."""
    rounded = round(value, digits) + 0.0
    return formats.number_format(rounded, digits, force_grouping=True).replace("-", "−")


def digits_for(values: Iterable[float | None]) -> int:
    """Return the number of digits that a column of ratings needs: fewer for a scale of 100 than for one of 5."""
    return 1 if max((abs(value) for value in values if value is not None), default=0) >= 10 else 2
