"""The matrix of pairs: the difference of each system from each other system, with the adjusted p."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from analytics_app.models import ResultRow
from analytics_app.show import cells
from analytics_app.show.cells import Words
from analytics_app.show.comparisons import Compared
from analytics_app.show.scope import NAMES, first_scope

# The most columns of an open matrix; wider ones are folded, since they scroll.
MOST_OPEN = 8


@dataclass(frozen=True, slots=True)
class Pair:
    """The content of a cell: the value and adjusted p of a pair; `clear` is true for a significant test."""

    value: str
    p: str
    clear: bool


@dataclass(frozen=True, slots=True)
class Matrix:
    """The matrix, with the first systems of pairs as rows and the second as columns, as in the tables of pairs."""

    caption: Words
    measure: Words
    columns: Sequence[str]
    rows: Sequence[tuple[str, Sequence[Pair | None]]]

    @property
    def wide(self) -> bool:
        """Return whether the matrix is folded because it is wide."""
        return len(self.columns) > MOST_OPEN


def matrix_of(compared: Compared, caption: Words) -> Matrix | None:
    """Return the matrix of the pairs that have a value; None if no pair has one."""
    pair_rows = [row for row in compared.pairs if row.value is not None]
    if not pair_rows:
        return None
    by_pair = {(row.system, row.system_b): row for row in pair_rows}
    firsts = list(dict.fromkeys(str(row.system) for row in pair_rows))
    seconds = list(dict.fromkeys(str(row.system_b) for row in pair_rows))
    show = _shown(compared, pair_rows)
    rows = [(a, [show(by_pair.get((a, b))) for b in seconds]) for a in firsts]
    return Matrix(caption, _measure(compared), seconds, rows)


def _measure(compared: Compared) -> str:
    """Return the measure of the pairs, with the conclusion that their tests allow."""
    measure, scope = compared.comparison.pair_measure, first_scope(compared.tested)
    if compared.crossed and compared.comparison.unit != "share":
        ratio = compared.comparison.unit == "ratio"
        measure = _("Ratio, row to column") if ratio else _("Difference, row minus column")
    return f"{measure}; {_('p for %(scope)s') % {'scope': NAMES[scope]}}" if scope in NAMES else str(measure)


def _shown(compared: Compared, pair_rows: Sequence[ResultRow]) -> Callable[[ResultRow | None], Pair | None]:
    unit, digits = compared.comparison.unit, cells.digits_for(row.value for row in pair_rows)

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
