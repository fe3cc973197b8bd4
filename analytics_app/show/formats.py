"""Formats: functions from a row to the cell of a column; a dash if there is no row, or the number is undefined."""

from collections.abc import Callable
from typing import TypeAlias

from django.utils.translation import gettext as _

from analytics_app.models import ResultRow
from analytics_app.show import cells, labels
from analytics_app.show.cells import DASH, Cell

Format: TypeAlias = Callable[[ResultRow | None], Cell]


def text(content: Callable[[ResultRow], object]) -> Format:
    """Show the result of a function of the row."""
    return lambda row: cells.name(content(row)) if row is not None else Cell(DASH)


def digits(n: int) -> Format:
    """Show the value with a number of digits."""
    return lambda row: cells.number(row.value if row is not None else None, n)


def whole(row: ResultRow | None) -> Cell:
    """Show the value as a count."""
    return cells.whole(int(row.value) if row is not None and row.value is not None else None)


def percent(n: int) -> Format:
    """Show the value as a percentage with a number of digits."""
    return lambda row: cells.percent(row.value if row is not None else None, n)


share = percent(0)


def interval(n: int) -> Format:
    """Show the interval with a number of digits."""
    return lambda row: cells.interval(row.low, row.high, n) if row is not None else Cell(DASH)


def share_interval(row: ResultRow | None) -> Cell:
    """Show an interval of shares."""
    if row is None or row.low is None or row.high is None:
        return Cell(DASH)
    low, high = cells.figure(row.low * 100, 0), cells.figure(row.high * 100, 0)
    return Cell(_("%(low)s to %(high)s %%") % {"low": low, "high": high}, row.low, numbers=(row.low, row.high))


def ranks(row: ResultRow | None) -> Cell:
    """Show the range of ranks."""
    if row is None or row.low is None or row.high is None:
        return Cell(DASH)
    text = f"{row.low:g}" if row.low == row.high else f"{row.low:g}–{row.high:g}"
    return Cell(text, row.low, numbers=(row.low, row.high))


def ratings(row: ResultRow | None) -> Cell:
    """Show the number of ratings."""
    return cells.whole(row.n_ratings if row is not None else None)


def items(row: ResultRow | None) -> Cell:
    """Show the number of items."""
    return cells.whole(row.n_items if row is not None else None)


def raters(row: ResultRow | None) -> Cell:
    """Show the number of raters."""
    return cells.whole(row.n_raters if row is not None else None)


def df(row: ResultRow | None) -> Cell:
    """Show degrees of freedom, whole or with one digit."""
    n = row.df if row is not None else None
    return cells.number(n, 0 if n is None or n == int(n) else 1)


def t(row: ResultRow | None) -> Cell:
    """Show t, which is in the settings of a row."""
    value = (row.settings or {}).get("t") if row is not None else None
    return cells.number(value if isinstance(value, float) else None)


def p(row: ResultRow | None) -> Cell:
    """Show p before the correction for several tests."""
    return cells.p_value(row.p if row is not None else None)


def p_tested(limit: float) -> Format:
    """Show p; bold below a limit."""
    return lambda row: cells.p_value(row.p if row is not None else None, limit)


def p_uncorrected(limit: float) -> Format:
    """Show p; bold below a limit if p values are not corrected."""

    def show(row: ResultRow | None) -> Cell:
        return cells.p_value(row.p, limit if row.p_adjusted is None else 0.0) if row is not None else Cell(DASH)

    return show


def p_adjusted(limit: float) -> Format:
    """Show corrected p; bold below a limit."""
    return lambda row: cells.p_value(row.p_adjusted if row is not None else None, limit)


def p_below(limit: float) -> Format:
    """Show corrected p, or p if p values are not corrected; bold below a limit."""

    def show(row: ResultRow | None) -> Cell:
        if row is None:
            return Cell(DASH)
        return cells.p_value(row.p_adjusted if row.p_adjusted is not None else row.p, limit)

    return show


def statistic(row: ResultRow) -> str:
    """Return the name of the statistic of a row."""
    return labels.statistic(row.statistic)


def statistic_and_label(row: ResultRow) -> str:
    """Return the name of the statistic of a row with its label."""
    return f"{statistic(row)}: {row.label}" if row.label else statistic(row)


def pair(sign: str) -> Callable[[ResultRow], str]:
    """Return a function for the name of a pair of systems: "A − B"."""
    return lambda row: f"{row.system} {sign} {row.system_b}"


def part(row: ResultRow) -> str:
    """Return the name of the slice, group, wave and metrics of a row."""
    wave = _("wave %(n)s") % {"n": row.wave} if row.wave is not None else None
    return "; ".join(filter(None, (row.slice, row.group, wave, row.metric, row.metric_b)))
