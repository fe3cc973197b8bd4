"""Template filters that format numbers as the tables of results do."""

from django import template

from analytics_app.models import ResultRow
from analytics_app.show import cells

register = template.Library()


@register.filter
def whole(value: int | None) -> str:
    """Return a count as text: 2,310; a dash for none."""
    return cells.whole(value).text


@register.filter
def number(value: float | None, digits: int = 2) -> str:
    """Return a number as text with a number of digits after its point; a dash for none."""
    return cells.number(value, digits).text


@register.filter
def percent(value: float | None) -> str:
    """Return a share of one as a percentage."""
    return cells.percent(value, 1).text


@register.filter
def ends(row: ResultRow, digits: int = 2) -> str:
    """Write the interval of a row."""
    return cells.interval(row.low, row.high, digits).text
