"""Formats: how a column shows a row. Where there is no row, or the number is undefined, there is a dash."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from django.utils.translation import gettext as _

from analytics_app.models import ResultRow
from analytics_app.show import cells, labels
from analytics_app.show.cells import DASH, Cell

Format: TypeAlias = Callable[[ResultRow | None], Cell]


def text(said: Callable[[ResultRow], object]) -> Format:
    """Show what a function says of a row."""
    return lambda row: cells.name(said(row)) if row is not None else Cell(DASH)


def digits(n: int) -> Format:
    """Show the value with so many digits."""
    return lambda row: cells.number(row.value if row is not None else None, n)


def whole(row: ResultRow | None) -> Cell:
    """Show the value as a count."""
    return cells.whole(int(row.value) if row is not None and row.value is not None else None)


def percent(n: int) -> Format:
    """Show the value as a percentage with so many digits."""
    return lambda row: cells.percent(row.value if row is not None else None, n)


share = percent(0)


def interval(n: int) -> Format:
    """Show the interval with so many digits."""
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
    """Show how many ratings went in."""
    return cells.whole(row.n_ratings if row is not None else None)


def items(row: ResultRow | None) -> Cell:
    """Show how many items went in."""
    return cells.whole(row.n_items if row is not None else None)


def raters(row: ResultRow | None) -> Cell:
    """Show how many raters went in."""
    return cells.whole(row.n_raters if row is not None else None)


def df(row: ResultRow | None) -> Cell:
    """Show degrees of freedom, whole or with one digit."""
    n = row.df if row is not None else None
    return cells.number(n, 0 if n is None or n == int(n) else 1)


def t(row: ResultRow | None) -> Cell:
    """Show t, which stands among the settings of a row."""
    found = (row.settings or {}).get("t") if row is not None else None
    return cells.number(found if isinstance(found, float) else None)


def p(row: ResultRow | None) -> Cell:
    """Show p before the correction for several tests."""
    return cells.p_value(row.p if row is not None else None)


def p_tested(limit: float) -> Format:
    """Show p; bold below a limit."""
    return lambda row: cells.p_value(row.p if row is not None else None, limit)


def p_uncorrected(limit: float) -> Format:
    """Show p; bold below a limit where nothing is corrected."""

    def show(row: ResultRow | None) -> Cell:
        return cells.p_value(row.p, limit if row.p_adjusted is None else 0.0) if row is not None else Cell(DASH)

    return show


def p_adjusted(limit: float) -> Format:
    """Show corrected p; bold below a limit."""
    return lambda row: cells.p_value(row.p_adjusted if row is not None else None, limit)


def p_below(limit: float) -> Format:
    """Show corrected p, or p where nothing is corrected; bold below a limit."""

    def show(row: ResultRow | None) -> Cell:
        if row is None:
            return Cell(DASH)
        return cells.p_value(row.p_adjusted if row.p_adjusted is not None else row.p, limit)

    return show


def statistic(row: ResultRow) -> str:
    """Name the statistic of a row."""
    return labels.statistic(row.statistic)


def statistic_and_label(row: ResultRow) -> str:
    """Name the statistic of a row with its label."""
    return f"{statistic(row)}: {row.label}" if row.label else statistic(row)


def pair(sign: str) -> Callable[[ResultRow], str]:
    """Name a pair of systems: "A − B"."""
    return lambda row: f"{row.system} {sign} {row.system_b}"


def part(row: ResultRow) -> str:
    """Name the slice, group, wave and metrics that a row is about."""
    wave = _("wave %(n)s") % {"n": row.wave} if row.wave is not None else None
    return "; ".join(filter(None, (row.slice, row.group, wave, row.metric, row.metric_b)))
