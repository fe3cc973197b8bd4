"""Template filters that name and sort the checks of a study."""

from django import template

from tasks_app.models import Gold
from tasks_app.views.researcher.checking import percent

register = template.Library()


@register.filter
def share(value: float | None) -> str:
    """Write a share; a dash where there is none yet."""
    return "–" if value is None else percent(value)


@register.filter
def sortable(value: float | None) -> str:
    """Write a number as a script sorts it; a missing number comes last."""
    return "" if value is None else str(value)


@register.filter
def purpose(value: str) -> str:
    """Return the purpose of a unit with a known answer in words."""
    return str(Gold.Purpose(value).label)


@register.filter
def kind(value: str) -> str:
    """Return the known answer about a unit in words."""
    return str(Gold.Kind(value).label)
