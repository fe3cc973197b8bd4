"""The matrix of pairs: how each system differs from each other one, row against column, and the adjusted p."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from analytics_app.models import ResultRow
from analytics_app.show import cells
from analytics_app.show.cells import Words
from analytics_app.show.comparisons import Compared

# Wider ones are folded: they scroll.
MOST_OPEN = 8


@dataclass(frozen=True, slots=True)
class Pair:
    """What stands in a cell: the value and adjusted p of a pair; `clear` says that its test found a difference."""

    value: str
    p: str
    clear: bool


@dataclass(frozen=True, slots=True)
class Matrix:
    """Rows are the first systems of pairs, columns the second, as the tables of pairs name them."""

    caption: Words
    measure: Words
    columns: Sequence[str]
    rows: Sequence[tuple[str, Sequence[Pair | None]]]

    @property
    def wide(self) -> bool:
        """Whether it is too wide to stand open."""
        return len(self.columns) > MOST_OPEN


def matrix_of(compared: Compared, caption: Words) -> Matrix | None:
    """Return the matrix of the pairs that have a value; None where there is none."""
    found = [row for row in compared.pairs if row.value is not None]
    if not found:
        return None
    by_pair = {(row.system, row.system_b): row for row in found}
    firsts = list(dict.fromkeys(str(row.system) for row in found))
    seconds = list(dict.fromkeys(str(row.system_b) for row in found))
    show = _shown(compared, found)
    rows = [(a, [show(by_pair.get((a, b))) for b in seconds]) for a in firsts]
    return Matrix(caption, compared.comparison.pair_measure, seconds, rows)


def _shown(compared: Compared, found: Sequence[ResultRow]) -> Callable[[ResultRow | None], Pair | None]:
    unit, digits = compared.comparison.unit, cells.digits_for(row.value for row in found)

    def show(row: ResultRow | None) -> Pair | None:
        if row is None or row.value is None:
            return None
        if unit == "share":
            value = cells.percent(row.value).text
        elif unit == "ratio":
            value = f"×{cells.figure(row.value, 2)}"
        else:
            value = cells.figure(row.value, digits)
            value = f"+{value}" if row.value > 0 else value
        return Pair(value, _p(row), compared.significant(row))

    return show


def _p(row: ResultRow) -> str:
    shown = cells.p_value(row.p_adjusted).text
    return shown if shown.startswith("<") or row.p_adjusted is None else f"= {shown}"
