"""The registry of the kinds of further data."""

from analytics_app.ratings.extras.base import AnyExtra, Extra
from tasks_app.registry import Registry

registry: Registry[type[Extra]] = Registry("kind of material")


def extra(member: type[AnyExtra]) -> type[AnyExtra]:
    """Register a kind of further data under its module's name."""
    registry.register(member)
    return member
